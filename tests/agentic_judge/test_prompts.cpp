#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "../support/temporary_folder.h"
#include "agentic_judge/prompt_text.h"
#include "agentic_judge/prompts.h"
#include "model/error.h"

namespace memuse::agentic_judge {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// A folder with the shipped prompts.
void write_all(const std::filesystem::path& folder) {
  const Prompts& shipped = shipped_prompts();
  write(folder / "version.md", shipped.version + "\n");
  write(folder / "system.md", shipped.system);
  write(folder / "task.md", shipped.task);
  write(folder / "repair.md", shipped.repair);
  write(folder / "last_call.md", shipped.last_call);
  write(folder / "json_protocol.md", shipped.json_protocol);
}

std::string usage_error(const std::string& folder) {
  try {
    load_prompts(folder);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("prompt text: placeholders are filled once, and what is filled in is data") {
  CHECK(filled("a {{x}} b {{y}}{{x}}\n", {{"x", "1"}, {"y", "{{x}}"}}) == "a 1 b {{x}}1");
  CHECK(filled("{\"a\": {\"b\": 1}} { {", {}) == "{\"a\": {\"b\": 1}} { {");
  CHECK(filled("", {}).empty());
  CHECK(placeholders("{{a}} {{ b }} {{c") == std::vector<std::string>{"a", " b ", "{{c"});
  CHECK_THROWS_AS(filled("{{y}}", {{"x", "1"}}), Error);
  CHECK_THROWS_AS(filled("{{ x }}", {{"x", "1"}}), Error);
  CHECK_THROWS_AS(filled("{{x", {{"x", "1"}}), Error);
}

TEST_CASE("prompts: those of the program say what the judge has to know") {
  const Prompts& prompts = shipped_prompts();
  CHECK(prompts.version == "1");
  CHECK(prompts.sha256().size() == 64);
  for (const char* word : {"relevance",
                           "accuracy",
                           "novelty",
                           "influence",
                           "effect",
                           "corroborated",
                           "uncontradicted",
                           "contradicted",
                           "novel",
                           "confirming",
                           "redundant",
                           "acted_on",
                           "selected",
                           "referenced",
                           "none",
                           "improved",
                           "no_effect",
                           "harmed",
                           "null",
                           "anchors",
                           "Credit window",
                           "never speaks to you",
                           "prior_context",
                           "other_messages",
                           "earlier_copies",
                           "deliveries",
                           "reference",
                           "outcome",
                           "at least 12 characters",
                           "Worked example"}) {
    INFO(word);
    CHECK(prompts.system.find(word) != std::string::npos);
  }
  CHECK(prompts.system.find("`reason`") < prompts.system.find("`relevance`"));
}

TEST_CASE("prompts: a folder of one's own") {
  const test::TemporaryFolder folder;
  write_all(folder.path());
  const Prompts same = load_prompts(folder.path().string());
  CHECK(same.sha256() == shipped_prompts().sha256());

  write(folder.path() / "last_call.md", "Answer now.");
  write(folder.path() / "README.md", "ours {{whatever}}");
  const Prompts changed = load_prompts(folder.path().string());
  CHECK(changed.last_call == "Answer now.");
  CHECK(changed.sha256() != same.sha256());
}

TEST_CASE("prompts: the hash tells texts apart that only moved from one file to another") {
  Prompts a;
  a.system = "xy";
  Prompts b;
  b.system = "x";
  b.task = "y";
  CHECK(a.sha256() != b.sha256());
}

TEST_CASE("prompts: a folder that cannot be used is named with its fault") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path().string();
  CHECK(usage_error(path + "/nowhere").find("is no folder") != std::string::npos);
  CHECK(usage_error(path).find("lacks version.md, system.md") != std::string::npos);

  const auto fault_with = [&](const std::string& file, const std::string& text) {
    write_all(folder.path());
    write(folder.path() / file, text);
    return usage_error(path);
  };
  CHECK(fault_with("system.md", "You judge {{entries}}.").find("system.md holds the placeholder {{entries}}") !=
        std::string::npos);
  CHECK(fault_with("task.md", "{{entries}} {{index}} {{entrys}}").find("{{entrys}}; there it may hold {{span}}") !=
        std::string::npos);
  CHECK(fault_with("task.md", "{{entries}}").find("task.md lacks {{index}}") != std::string::npos);
  CHECK(fault_with("repair.md", "Again!").find("repair.md lacks {{faults}}") != std::string::npos);
  CHECK(fault_with("json_protocol.md", "JSON!").find("lacks {{tools}}") != std::string::npos);
  CHECK(fault_with("last_call.md", " \n").find("last_call.md is empty") != std::string::npos);
  CHECK(fault_with("system.md", "caf\xe9").find("system.md is not UTF-8") != std::string::npos);
  CHECK(fault_with("system.md", std::string((1U << 20U) + 1, 'x')).find("is larger than") != std::string::npos);
  CHECK(fault_with("version.md", "1\n2").find("version.md is to hold a name of one line") != std::string::npos);
  write_all(folder.path());
  CHECK(usage_error(path).empty());
}

}  // namespace memuse::agentic_judge
