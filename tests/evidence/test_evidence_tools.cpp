#include "evidence/evidence_tools.h"

#include <random>

#include "evidence/read_ledger.h"
#include "evidence_cases.h"
#include "model/text.h"

using namespace memuse;
using namespace memuse::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using evidence::EvidenceSet;
using evidence::ShownRange;
using evidence::ToolLimits;
using evidence::ToolResult;

namespace {

const EvidenceCase& scene() {
  static const EvidenceCase made = [] {
    EpisodeBuilder builder;
    std::string listing;
    std::string many_umlauts;
    for (int i = 0; i < 2500; ++i) many_umlauts += "ä";
    for (int i = 0; i < 200; ++i) listing += "zähler " + std::to_string(i) + " → größe\n";
    builder.step({.response = "I look.", .results = {{"r", listing}}});
    builder.step({.response = "Nothing.", .results = {{"r2", std::string(5000, 'x') + "needle" + many_umlauts}}});
    builder.message("m", "The gate takes a key.").delivery({.id = "d", .message = "m"}).step();
    return EvidenceCase(builder.build());
  }();
  return made;
}

/// What a result shows must be the bytes that it prints, no more and no less.
void check_shown(const EvidenceSet& set, const ToolResult& result) {
  for (const ShownRange& shown : result.shown) {
    const std::string text = text_of(set, shown.file);
    REQUIRE(shown.range.end <= text.size());
    const std::string part = text.substr(shown.range.begin, shown.range.end - shown.range.begin);
    CHECK_THAT(result.text, Contains(part));
    CHECK(valid_utf8_prefix(part) == part.size());
  }
}

}  // namespace

TEST_CASE("the index names every file and shows none") {
  const EvidenceSet set = scene().of(1);
  const ToolResult list = evidence::list_files(set);
  CHECK(list.shown.empty());
  CHECK_FALSE(list.failed);
  CHECK(list.text == evidence::file_index(set));
  for (const evidence::EvidenceFile& file : set.files()) {
    CHECK_THAT(list.text, Contains(file.name + "  " + std::to_string(file.bytes) + " bytes  " + file.summary));
  }
}

TEST_CASE("a read shows what it says, and how to go on") {
  const EvidenceSet set = scene().of(1);
  const std::string text = text_of(set, "target");
  const ToolResult whole = evidence::read_file(set, "target", 0, 0, {});
  CHECK(whole.text == "target: bytes 0-" + std::to_string(text.size()) + " of " + std::to_string(text.size()) +
                          "; the end of the file\n" + text);
  REQUIRE(whole.shown.size() == 1);
  CHECK(whole.shown.front().range == ByteRange{0, text.size()});
  const ToolResult part = evidence::read_file(set, "target", 5, 10, {});
  CHECK_THAT(part.text, StartsWith("target: bytes 5-15 of " + std::to_string(text.size()) + "; go on with from=15\n"));
  check_shown(set, part);
  const ToolResult beyond = evidence::read_file(set, "target", text.size() - 2, 1'000'000, {});
  CHECK(beyond.shown.front().range == ByteRange{text.size() - 2, text.size()});
}

TEST_CASE("pages of any size cover a file, cut at characters") {
  const EvidenceSet set = scene().of(1);
  const std::string name = "steps/0001";
  const std::string text = text_of(set, name);
  for (const std::uint64_t page : {1U, 2U, 3U, 7U, 100U, 60'000U}) {
    evidence::ReadLedger ledger;
    std::string joined;
    std::uint64_t from = 0;
    while (from < text.size()) {
      const ToolResult result = evidence::read_file(set, name, from, 0, {.page_bytes = page});
      REQUIRE(result.shown.size() == 1);
      const ByteRange shown = result.shown.front().range;
      REQUIRE(shown.begin == from);
      REQUIRE(shown.end > from);
      REQUIRE((shown.end - shown.begin <= page || shown.end - shown.begin <= 4));
      const std::string part = result.text.substr(result.text.find('\n') + 1);
      REQUIRE(part == text.substr(shown.begin, shown.end - shown.begin));
      REQUIRE(valid_utf8_prefix(part) == part.size());
      joined += part;
      ledger.add(name, shown);
      from = shown.end;
    }
    CHECK(joined == text);
    CHECK(ledger.covers(name, {0, text.size()}));
  }
}

TEST_CASE("a read may begin anywhere") {
  const EvidenceSet set = scene().of(1);
  const std::string text = text_of(set, "steps/0001");
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    const std::uint64_t from = random() % text.size();
    const ToolResult result = evidence::read_file(set, "steps/0001", from, random() % 50, {});
    REQUIRE(result.shown.size() == 1);
    CHECK(result.shown.front().range.begin <= from);
    CHECK(result.shown.front().range.begin + 4 > from);
    check_shown(set, result);
  }
}

TEST_CASE("wrong reads say how to do better and show nothing") {
  const EvidenceSet set = scene().of(1);
  for (const std::string name : {"", "diary", "steps/9999", "../task", "steps/0001/", "a\x1b[2J"}) {
    const ToolResult result = evidence::read_file(set, name, 0, 0, {});
    CHECK(result.failed);
    CHECK(result.shown.empty());
    CHECK_THAT(result.text, Contains("list_files"));
    CHECK(result.text.find('\x1b') == std::string::npos);
  }
  for (const std::uint64_t from : {std::uint64_t{1} << 40U, std::numeric_limits<std::uint64_t>::max()}) {
    const ToolResult result = evidence::read_file(set, "task", from, from, {});
    CHECK(result.failed);
    CHECK_THAT(result.text, Contains("past its end"));
  }
}

TEST_CASE("a search prints matching lines with their places") {
  const EvidenceSet set = scene().of(1);
  const ToolResult result = evidence::search(set, "zähler 19[0-9]", "", {});
  CHECK_THAT(result.text, StartsWith("10 lines match in all files. Each line: file:bytes: text\nsteps/0001:"));
  CHECK(result.shown.size() == 10);
  check_shown(set, result);
  for (const ShownRange& shown : result.shown) {
    const std::string text = text_of(set, shown.file);
    CHECK(text[shown.range.begin - 1] == '\n');
    CHECK(text[shown.range.end] == '\n');
  }
  CHECK_THAT(evidence::search(set, "(?i)GATE TAKES", "target", {}).text, StartsWith("2 lines match in target"));
  const ToolResult nothing = evidence::search(set, "zähler", "target", {});
  CHECK(nothing.text == "0 lines match in target\n");
  CHECK(nothing.shown.empty());
  CHECK_FALSE(nothing.failed);
}

TEST_CASE("a search is bounded and says what it left out") {
  const EvidenceSet set = scene().of(1);
  const ToolResult result = evidence::search(set, "zähler", "", {.search_bytes = 500});
  CHECK(result.text.size() < 800);
  CHECK(result.shown.size() < 20);
  CHECK_THAT(result.text,
             StartsWith("200 lines match in all files; " + std::to_string(200 - result.shown.size()) + " left out"));
  check_shown(set, result);
}

TEST_CASE("of a long line a search shows what is around the match") {
  const EvidenceSet set = scene().of(1);
  const ToolResult result = evidence::search(set, "needle", "", {});
  REQUIRE(result.shown.size() == 1);
  const ByteRange range = result.shown.front().range;
  CHECK(range.end - range.begin < 700);
  CHECK_THAT(result.text, Contains("… xxx") && Contains("needleää") && Contains("ä …"));
  check_shown(set, result);
  // A match that is long itself is cut too.
  const ToolResult all = evidence::search(set, "x+needleä+", "", {});
  REQUIRE(all.shown.size() == 1);
  CHECK(all.text.size() < 1500);
  check_shown(set, all);
}

TEST_CASE("patterns that RE2 refuses are failures, hostile ones cost little") {
  const EvidenceSet set = scene().of(1);
  for (const std::string pattern : {"", "(", "a(?=b)", "\\1", "x{5000}", "((a{100}){100}){100}", "\xFF"}) {
    const ToolResult result = evidence::search(set, pattern, "", {});
    INFO(pattern);
    CHECK(result.failed);
    CHECK(result.shown.empty());
    CHECK_FALSE(result.text.empty());
  }
  CHECK(evidence::search(set, std::string(3000, 'a'), "", {}).failed);
  CHECK(evidence::search(set, "a", "diary", {}).failed);
  CHECK_FALSE(evidence::search(set, "(x*)*(x*)*(x*)*(x*)*y", "", {}).failed);
  CHECK_FALSE(evidence::search(set, "(a?){200}$", "", {}).failed);
}
