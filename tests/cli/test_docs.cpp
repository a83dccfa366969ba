// Examples in the README and in docs/ are run. A block marked `console` holds commands behind "$ " and, below each,
// what it prints; a line "…" stands for any number of lines. A command without output below it only has to succeed.

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "support/program.h"

using memuse::test::ProgramResult;
using memuse::test::read_file;
using memuse::test::run_shell;
using memuse::test::shell_quoted;
using memuse::test::TemporaryFolder;

namespace {

struct Example {
  std::string command;
  std::vector<std::string> output;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<Example> examples_of(const std::filesystem::path& page) {
  std::vector<Example> examples;
  bool inside = false;
  for (const std::string& line : lines_of(read_file(page))) {
    if (line.rfind("```", 0) == 0) {
      inside = line == "```console";
    } else if (inside && line.rfind("$ ", 0) == 0) {
      examples.push_back({line.substr(2), {}});
    } else if (inside && !examples.empty()) {
      examples.back().output.push_back(line);
    }
  }
  return examples;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// True when `actual` from `at` on is `expected` from `from` on, "…" standing for any lines.
bool matches(const std::vector<std::string>& expected, std::size_t from, const std::vector<std::string>& actual,
             std::size_t at) {
  if (from == expected.size()) return at == actual.size();
  if (without_trailing_spaces(expected[from]) == "…") {
    for (std::size_t rest = at; rest <= actual.size(); ++rest) {
      if (matches(expected, from + 1, actual, rest)) return true;
    }
    return false;
  }
  return at < actual.size() && without_trailing_spaces(actual[at]) == without_trailing_spaces(expected[from]) &&
         matches(expected, from + 1, actual, at + 1);
}

}  // namespace

TEST_CASE("the commands of the README and the docs do what the pages show", "[docs]") {
  const std::filesystem::path root(MEMUSE_SOURCE_DIR);
  std::vector<std::filesystem::path> pages{root / "README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  std::sort(pages.begin() + 1, pages.end());
  std::size_t run = 0;
  for (const std::filesystem::path& page : pages) {
    const std::vector<Example> examples = examples_of(page);
    if (examples.empty()) continue;
    // Every page starts afresh, in a folder that looks like the checkout with the program on the path.
    const TemporaryFolder folder;
    for (const char* name : {"examples", "schemas"}) {
      std::filesystem::copy(root / name, folder.path() / name, std::filesystem::copy_options::recursive);
    }
    const std::string prelude =
        "cd " + shell_quoted(folder.path().string()) +
        " && export PATH=" + shell_quoted(std::filesystem::path(MEMUSE_BINARY).parent_path().string()) + ":$PATH && ";
    for (const Example& example : examples) {
      const ProgramResult result = run_shell(prelude + example.command);
      INFO(page.filename().string() << ": " << example.command << "\n" << result.out << result.err);
      CHECK(result.exit_code == 0);
      if (!example.output.empty()) CHECK(matches(example.output, 0, lines_of(result.out), 0));
      ++run;
    }
  }
  CHECK(run > 0);
}
