// Delivery rules: any file of them, and the shipped ones on any text.

#include <simdjson.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fuzz/targets.h"
#include "ingest/delivery_rules.h"
#include "ingest/python_literal.h"
#include "ingest/rule_presets.h"
#include "model/error.h"
#include "support/rule_episode.h"
#include "support/sound_episode.h"

namespace memuse::fuzz {
namespace {

using ingest::DeliveryRules;

/// A file of rules, and behind a line `%%` the text that they are tried on.
void run_rule_file(std::string_view bytes) {
  constexpr std::string_view kCut = "\n%%\n";
  const std::size_t cut = bytes.find(kCut);
  const std::string_view file = bytes.substr(0, cut);
  const std::string text(cut == std::string_view::npos ? file : bytes.substr(cut + kCut.size()));
  try {
    const DeliveryRules rules = DeliveryRules::parse(file, "rules.json");
    const std::string json = rules.json();
    if (DeliveryRules::parse(json, "again").json() != json) throw BrokenProperty("rules are written otherwise again");
    if (!simdjson::validate_utf8(text)) return;
    for (const Role role : {Role::system, Role::user, Role::tool}) {
      Episode episode = test::episode_with({role, text, "memory_search", R"({"query": "harbour"})"});
      rules.apply(episode);
      hold_no_fault(test::breach_in(episode));
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage || *error.what() == '\0') throw;
  }
}

std::vector<std::string> rule_file_seeds() {
  std::vector<std::string> seeds;
  for (const EmbeddedFile& preset : ingest::rule_presets()) seeds.emplace_back(preset.text);
  for (const SeedFile& file : source_files("examples", 4096)) {
    if (file.path.ends_with("rules.json")) {
      seeds.push_back(file.bytes +
                      "\n%%\n== team notebook ==\n* [n1] The tide tables are in feet.\n== end of notebook ==");
    }
  }
  return seeds;
}

/// The first line names a tool, the rest is text that it gave, and that stands in other messages as well.
void run_rule_text(std::string_view bytes) {
  static const DeliveryRules rules = DeliveryRules::load({"all"});
  if (!simdjson::validate_utf8(bytes.data(), bytes.size())) return;
  const std::size_t cut = std::min(bytes.find('\n'), bytes.size());
  const std::string tool(bytes.substr(0, cut));
  const std::string text(bytes.substr(std::min(cut + 1, bytes.size())));
  for (const Role role : {Role::system, Role::user, Role::assistant, Role::tool}) {
    Episode episode = test::episode_with({role, text, tool, R"({"command": "search", "path": "/memories"})"});
    rules.apply(episode);
    hold_no_fault(test::breach_in(episode));
  }
}

std::vector<std::string> rule_text_seeds() {
  return {
      "search_memories\n{\"results\": [{\"id\": \"m1\", \"memory\": \"The gate closes at nine.\", \"score\": 0.4}]}",
      "search_nodes\n{'nodes': [{'uuid': 'n1', 'name': 'gate', 'summary': 'closes at nine'}], 'edges': []}",
      "memory\nHere are the files:\n1. The gate closes at nine.\n2. Feet, not metres.",
      "read\n<memories>\n- The gate closes at nine.\n- Feet, not metres.\n</memories>\nmore",
      "read\n<system-reminder>\n# claudeMd\nContents of /work/CLAUDE.md:\n\nUse tabs.\n</system-reminder>",
      "archival_memory_search\n[{\"timestamp\": \"2026\", \"content\": \"gate\"}]",
      "x\n# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>",
      "x\nFACTS and ENTITIES\n<FACTS>\n- gate closes (2026 - present)\n</FACTS>\n<ENTITIES>\n- gate\n</ENTITIES>"};
}

/// Blanks stand around a number, not in it.
void hold_one_word(std::string_view bytes) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = bytes.find_first_not_of(kBlanks);
  const std::size_t end = bytes.find_first_of(kBlanks, begin);
  if (bytes.find_first_not_of(kBlanks, end) != std::string_view::npos) throw BrokenProperty("two words are one number");
}

void run_python(std::string_view bytes) {
  const auto made = ingest::python_to_json(bytes);
  if (!made) return;
  std::size_t before = 0;
  for (const auto& origin : made->strings) {
    if (origin.json < before || origin.json > made->json.size() || origin.python > bytes.size()) {
      throw BrokenProperty("a string comes from nowhere");
    }
    before = origin.json;
  }
  const nlohmann::json value = nlohmann::json::parse(made->json, nullptr, false);
  if (value.is_number() && bytes.find_first_of(" \t\r\n") != std::string_view::npos) hold_one_word(bytes);
}

std::vector<std::string> python_seeds() {
  return {"{'a': [1, 2.5, None, True, False], \"b\": ('x', \"it's\")}", "[Item(key='a', value={'n': -1e5}), ()]",
          "'\\x41\\u20ac\\U0001F600\\n\\'\\\\'", "(1,)"};
}

}  // namespace

std::vector<Target> rule_targets() {
  return {{"rule-file", run_rule_file, rule_file_seeds},
          {"rule-text", run_rule_text, rule_text_seeds},
          {"python-literal", run_python, python_seeds}};
}

}  // namespace memuse::fuzz
