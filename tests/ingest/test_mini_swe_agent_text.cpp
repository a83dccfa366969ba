#include "ingest/mini_swe_agent_text.h"

#include <catch2/catch.hpp>
#include <random>
#include <regex>
#include <string>

namespace memuse::ingest {
namespace {

using Commands = std::vector<std::string_view>;

/// What the tool does, with a library for patterns: all blocks, each trimmed.
std::vector<std::string> blocks_by_pattern(const std::string& text) {
  static const std::regex pattern("```bash\\s*\\n([^]*?)\\n```");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    std::string command = (*at)[1];
    command.erase(0, std::min(command.find_first_not_of(" \t\n\r\f\v"), command.size()));
    command.erase(command.find_last_not_of(" \t\n\r\f\v") + 1);
    found.push_back(command);
  }
  return found;
}

TEST_CASE("a fenced block holds a command", "[mini-swe-agent]") {
  CHECK(fenced_commands("look\n```bash\nls -la\n```\n", "bash", 9) == Commands{"ls -la"});
  CHECK(fenced_commands("```bash  \n\n  ls\n\nwc x  \n```", "bash", 9) == Commands{"ls\n\nwc x"});
  CHECK(fenced_commands("```bash\na\n```\n```bash\nb\n```", "bash", 9) == Commands{"a", "b"});
  CHECK(fenced_commands("```bash\na\n```\n```bash\nb\n```", "bash", 1) == Commands{"a"});
  CHECK(fenced_commands("```tool_call\na\n```", "tool_call", 9) == Commands{"a"});
  SECTION("and other texts hold none") {
    CHECK(fenced_commands("", "bash", 9).empty());
    CHECK(fenced_commands("```bash ls\n```", "bash", 9).empty());
    CHECK(fenced_commands("```bash\nls", "bash", 9).empty());
    CHECK(fenced_commands("```bash\n```", "bash", 9).empty());
    CHECK(fenced_commands("```sh\nls\n```", "bash", 9).empty());
    CHECK(fenced_commands("```bash", "bash", 9).empty());
  }
  SECTION("an empty block is a block") {
    CHECK(fenced_commands("```bash\n\n```", "bash", 9) == Commands{""});
  }
}

TEST_CASE("fenced blocks are those that the tool's own pattern finds", "[mini-swe-agent]") {
  std::mt19937 random(20);
  const std::string pieces[] = {"```bash", "```", "\n", " ", "x", "\n```", "```bash\n", "\n\n"};
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (std::size_t i = random() % 14; i > 0; --i) text += pieces[random() % std::size(pieces)];
    CAPTURE(text);
    const Commands found = fenced_commands(text, "bash", 100);
    CHECK(std::vector<std::string>(found.begin(), found.end()) == blocks_by_pattern(text));
  }
}

TEST_CASE("searching fenced blocks is linear", "[mini-swe-agent]") {
  for (const char* piece : {"```bash ", "```bash\n x ", "```bash\n\n\n x"}) {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += piece;
    CHECK(fenced_commands(text, "bash", 2).empty());
  }
}

TEST_CASE("only patterns of the usual form name a fence", "[mini-swe-agent]") {
  CHECK(fence_word(R"(```bash\s*\n(.*?)\n```)") == "bash");
  CHECK(fence_word(R"(```my_tool-2\s*\n(.*?)\n```)") == "my_tool-2");
  CHECK_FALSE(fence_word(R"(```\s*\n(.*?)\n```)"));
  CHECK_FALSE(fence_word(R"(```(?:bash|sh)\s*\n(.*?)\n```)"));
  CHECK_FALSE(fence_word("<run>(.*?)</run>"));
  CHECK_FALSE(fence_word(""));
}

TEST_CASE("the task stands between the description's tags", "[mini-swe-agent]") {
  CHECK(task_in_prompt("Hi\n<pr_description>\n Mend the clock. \n</pr_description>\nRules") == "Mend the clock.");
  CHECK(task_in_prompt("Mend the clock.") == "Mend the clock.");
  CHECK(task_in_prompt("a <pr_description> b") == "a <pr_description> b");
}

}  // namespace
}  // namespace memuse::ingest
