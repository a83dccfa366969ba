#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../support/data.h"
#include "../support/rule_episode.h"
#include "ingest/delivery_rules.h"

// The sample texts of memory systems, put where the harness puts them, and put where it does not.

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;
using test::entries_of;
using test::episode_with;
using test::Placed;

fs::path form_samples() {
  return test::shared_data() / ".." / "formats" / "delivery-samples";
}

/// The message: everything behind the comment in the first line.
std::string sample_text(const std::string& name) {
  const std::string text = test::read_file(form_samples() / (name + ".txt"));
  return text.substr(text.find('\n') + 1);
}

std::vector<std::string> expected_entries(const std::string& name) {
  std::vector<std::string> lines;
  for (const auto& entry : nlohmann::json::parse(test::read_file(form_samples() / (name + ".expected.json")))) {
    std::string line = entry["item"].is_null() ? "-" : entry["item"].get<std::string>();
    line += " [";
    for (const auto& identifier : entry["identifiers"]) line += identifier.get<std::string>() + ";";
    lines.push_back(line + "] " + entry["text"].get<std::string>());
  }
  return lines;
}

struct Sample {
  std::string name, preset;
  Role role = Role::system;
  std::string tool = {};
  std::string arguments = R"({"query":"x"})";
};

const std::vector<Sample>& all_samples() {
  static const std::vector<Sample> all{
      {"agent-wiki-guideline-page", "agent-wiki", Role::tool, "bash",
       R"({"command":"cat wiki/guidelines/copy-a-script-into__84ab6cf26d17.md"})"},
      {"agent-wiki-index-rows", "agent-wiki", Role::tool, "bash", R"({"command":"cat wiki/_index.jsonl"})"},
      {"amem-indexed-lines", "amem", Role::user},
      {"amem-mini-swe", "amem", Role::user},
      {"amem-run-together", "amem", Role::user},
      {"claude-code-skill", "claude-code", Role::user},
      {"claude-md-first-message", "claude-code", Role::user},
      {"claude-md-nested", "claude-code", Role::user},
      {"claude-memory-view-dir", "claude-memory-tool", Role::tool, "memory"},
      {"claude-memory-view-file", "claude-memory-tool", Role::tool, "memory"},
      {"codex-agents-md", "codex", Role::user},
      {"codex-memory-summary", "codex", Role::system},
      {"codex-skill", "codex", Role::user},
      {"codex-skills-list", "codex", Role::system},
      {"cognee-graph-context", "cognee", Role::tool, "memory_search"},
      {"cognee-prompt-hook", "cognee", Role::user},
      {"graphiti-context-string", "graphiti", Role::system},
      {"graphiti-search-memory-facts", "graphiti", Role::tool, "mcp__graphiti__search_memory_facts"},
      {"graphiti-search-nodes", "graphiti", Role::tool, "search_nodes"},
      {"inspect-memory-view-file", "inspect-memory", Role::tool, "memory"},
      {"langmem-search-memory", "langmem", Role::tool, "search_memory"},
      {"langmem-system-memories", "langmem", Role::system},
      {"letta-archival-search", "letta", Role::tool, "archival_memory_search"},
      {"letta-memory-blocks", "letta", Role::system},
      {"mem0-mcp-search", "mem0", Role::tool, "mcp__openmemory__search_memory"},
      {"mem0-openclaw-relevant", "mem0", Role::user},
      {"mem0-prompt-hook", "mem0", Role::user},
      {"mem0-user-memories", "mem0", Role::system},
      {"memgovern-full-card", "memgovern", Role::tool, "exp_read"},
      {"memgovern-search-preview", "memgovern", Role::tool, "exp_search"},
      {"memgovern-task-recall", "memgovern", Role::user},
      {"mempalace-search", "mempalace", Role::tool, "mempalace_search"},
      {"mempalace-wake-up", "mempalace", Role::system},
      {"opencode-skill", "opencode", Role::tool, "skill"},
      {"reasoningbank-system-swe", "reasoningbank", Role::system},
      {"reasoningbank-system-web", "reasoningbank", Role::system},
      {"tencentdb-l1-prefix", "tencentdb", Role::user},
      {"tencentdb-system", "tencentdb", Role::system},
      {"wikitrace-insight-page", "wikitrace", Role::tool, "bash", R"({"command":"cat wiki/insights/narrow-test.md"})"},
      {"zep-composed-context", "zep", Role::system},
      {"zep-wrapped-context", "zep", Role::system},
  };
  return all;
}

}  // namespace

TEST_CASE("delivery samples: each sample of the folder is tested") {
  MEMUSE_NEEDS_SHARED_DATA();
  for (const auto& file : fs::directory_iterator(form_samples())) {
    if (file.path().extension() != ".txt") continue;
    const std::string name = file.path().stem().string();
    INFO(name);
    CHECK(std::any_of(all_samples().begin(), all_samples().end(), [&](const Sample& s) { return s.name == name; }));
  }
}

TEST_CASE("delivery samples: in their places they give the expected entries, by their preset and by all together") {
  MEMUSE_NEEDS_SHARED_DATA();
  const DeliveryRules all = DeliveryRules::load({"all"});
  for (const Sample& sample : all_samples()) {
    const DeliveryRules own = DeliveryRules::load({sample.preset});
    for (const DeliveryRules* rules : {&own, &all}) {
      INFO(sample.name << (rules == &all ? ", all presets" : ""));
      Episode episode = episode_with({sample.role, sample_text(sample.name), sample.tool, sample.arguments});
      const RulesApplied applied = rules->apply(episode);
      CHECK(applied.deliveries == episode.deliveries.size());
      CHECK(episode.delivery_grade == DeliveryGrade::by_rule);
      CHECK(entries_of(episode) == expected_entries(sample.name));
      for (const Delivery& delivery : episode.deliveries) CHECK(rule_set_of(delivery) == sample.preset);
    }
  }
}

TEST_CASE("delivery samples: inside a file that the agent prints, or in its own words, they give none") {
  MEMUSE_NEEDS_SHARED_DATA();
  const DeliveryRules all = DeliveryRules::load({"all"});
  for (const Sample& sample : all_samples()) {
    const std::string text = sample_text(sample.name);
    const std::string wrapped = "<returncode>0</returncode>\n<output>\n" + text + "\n</output>";
    const std::vector<Placed> places{
        {Role::tool, text, "bash", R"({"command":"cat notes/formats.txt"})"},
        {Role::tool, wrapped, "bash", R"({"command":"sed -n 1,200p docs/prompts.md"})"},
        {Role::tool, text, "Read", R"({"file_path":"/repo/src/prompts.py"})"},
        {Role::assistant, text},
    };
    for (const Placed& place : places) {
      INFO(sample.name << " printed by " << place.tool);
      Episode episode = episode_with(place);
      CHECK(all.apply(episode).deliveries == 0);
      CHECK(episode.deliveries.empty());
      CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
    }
  }
}

TEST_CASE("delivery samples: ranges hold the texts, deliveries are in order, and a second pass adds nothing") {
  MEMUSE_NEEDS_SHARED_DATA();
  const DeliveryRules all = DeliveryRules::load({"all"});
  std::size_t ranges = 0;
  for (const Sample& sample : all_samples()) {
    INFO(sample.name);
    Episode episode = episode_with({sample.role, sample_text(sample.name), sample.tool, sample.arguments});
    all.apply(episode);
    const std::size_t found = episode.deliveries.size();
    CHECK(all.apply(episode).deliveries == 0);
    CHECK(episode.deliveries.size() == found);
    for (const Delivery& delivery : episode.deliveries) {
      CHECK(delivery.consuming_step == (sample.role == Role::tool ? 2 : 1));
      REQUIRE(delivery.message.has_value());
      const std::string_view text = episode.texts[episode.messages[*delivery.message].text_at_order(delivery.order)];
      REQUIRE(delivery.range.has_value());
      CHECK(delivery.range->begin < delivery.range->end);
      CHECK(delivery.range->end <= text.size());
      for (const Entry& entry : delivery.entries) {
        if (!entry.range) continue;
        ++ranges;
        CHECK(entry.range->begin >= delivery.range->begin);
        CHECK(entry.range->end <= delivery.range->end);
        CHECK(text.substr(entry.range->begin, entry.range->end - entry.range->begin) == entry.text);
      }
    }
  }
  CHECK(ranges > 60);
}

}  // namespace memuse::ingest
