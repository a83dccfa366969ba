#include "ingest/mini_swe_agent_text.h"

#include <catch2/catch.hpp>
#include <filesystem>
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

TEST_CASE("an instance id names its repository", "[mini-swe-agent]") {
  CHECK(repository_of_instance("harbor__tide-clock-17") == "harbor/tide-clock");
  CHECK(repository_of_instance("harbor__tide__clock-17") == "harbor/tide__clock");
  CHECK(repository_of_instance("harbor__tide").empty());
  CHECK(repository_of_instance("harbor__tide-x1").empty());
  CHECK(repository_of_instance("harbor__-1").empty());
  CHECK(repository_of_instance("__tide-1").empty());
  CHECK(repository_of_instance("tide-1").empty());
  CHECK(repository_of_instance("").empty());
}

TEST_CASE("a routing prefix is no part of a model's name", "[mini-swe-agent]") {
  CHECK(model_without_route("lab/small-1") == "small-1");
  CHECK(model_without_route("@lab/small-1") == "small-1");
  CHECK(model_without_route("small-1") == "small-1");
  CHECK(model_without_route("lab/") == "lab/");
}

TEST_CASE("instance and run are named by file and folder, however the path is given", "[mini-swe-agent]") {
  CHECK(instance_of_path("runs/a/x__y-1.traj.json") == "x__y-1");
  CHECK(instance_of_path("last.json") == "last");
  CHECK(run_folder_of_path("/data/first/x__y-1.traj.json", "x__y-1") == "first");
  CHECK(run_folder_of_path("/data/first/x__y-1/x__y-1.traj.json", "x__y-1") == "first");
  CHECK(run_folder_of_path("/data/first/x__y-1/x__y-1.traj.json", "other") == "first");
  CHECK(run_folder_of_path("/data/first/./deep/../x.traj.json", "x") == "first");
  CHECK(run_folder_of_path("/x.traj.json", "x").empty());
  const std::string here = std::filesystem::current_path().filename().string();
  CHECK(run_folder_of_path("x.traj.json", "x") == here);
  CHECK(run_folder_of_path("./x.traj.json", "x") == here);
  CHECK(run_folder_of_path((std::filesystem::current_path() / "x.traj.json").string(), "x") == here);
}

TEST_CASE("seconds become a time in UTC", "[mini-swe-agent]") {
  CHECK(utc_time(0) == "1970-01-01T00:00:00.000Z");
  CHECK(utc_time(1709210096.7894) == "2024-02-29T12:34:56.789Z");
  CHECK(utc_time(253402300799.9999) == "9999-12-31T23:59:59.999Z");
  CHECK_FALSE(utc_time(-1));
  CHECK_FALSE(utc_time(253402300800.0));
  CHECK_FALSE(utc_time(1e300));
}

}  // namespace
}  // namespace memuse::ingest
