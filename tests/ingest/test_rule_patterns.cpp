#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ingest/python_literal.h"
#include "ingest/rule_pattern.h"

namespace memuse::ingest {
namespace {

RegionRule region(const std::string& begin, const std::string& end, const std::string& until = {}) {
  RegionRule rule{Pattern(begin, PatternUse::opening), std::nullopt, std::nullopt};
  if (!end.empty()) rule.end.emplace(end, PatternUse::closing);
  if (!until.empty()) rule.until.emplace(until, PatternUse::opening);
  return rule;
}

/// The contents of the stretches.
std::vector<std::string> contents(const RegionRule& rule, std::string_view text,
                                  RegionOrder order = RegionOrder::blocks) {
  std::vector<std::string> found;
  const auto regions = find_regions(rule, text, order, 1000);
  REQUIRE(regions.has_value());
  std::size_t last = 0;
  for (const Region& part : *regions) {
    CHECK(part.begin >= last);
    CHECK(part.begin <= part.content_begin);
    CHECK(part.content_begin <= part.content_end);
    CHECK(part.content_end <= part.end);
    REQUIRE(part.end <= text.size());
    last = part.end;
    found.emplace_back(text.substr(part.content_begin, part.content_end - part.content_begin));
  }
  return found;
}

using Texts = std::vector<std::string>;

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("regions: marks stand at the ends of lines, and only pairs count") {
  const RegionRule rule = region("<m>", "</m>");
  CHECK(contents(rule, "<m>\na\n</m>") == Texts{"\na\n"});
  CHECK(contents(rule, "<m>a</m>") == Texts{"a"});
  CHECK(contents(rule, "x\n<m>a</m> \nb\n<m>c\n</m>\n") == Texts{"a", "c\n"});
  CHECK(contents(rule, "see <m>a</m>").empty());
  CHECK(contents(rule, "<m>a</m> and so on").empty());
  CHECK(contents(rule, "<m>\nno end").empty());
  CHECK(contents(rule, "no begin\n</m>").empty());
  CHECK(contents(rule, "").empty());
}

TEST_CASE("regions: a pair inside a pair is part of its text") {
  const RegionRule rule = region("<m>", "</m>");
  CHECK(contents(rule, "<m>\na\n<m>\nb\n</m>\nc\n</m>\nd") == Texts{"\na\n<m>\nb\n</m>\nc\n"});
  CHECK(contents(rule, "<m>\na\n<m>\nb\n</m>\nc") == Texts{"\nb\n"});
  CHECK(contents(rule, "<m>\na\n</m>\nb\n</m>") == Texts{"\na\n"});
}

TEST_CASE("regions: a mark that opens and closes is taken in turns") {
  CHECK(contents(region("---", "---"), "---\na\n---\nb\n---\nc\n---") == Texts{"\na\n", "\nc\n"});
}

TEST_CASE("regions: a list goes from mark to mark, a block over its own marks") {
  const RegionRule rule = region("- ", "", "=");
  CHECK(contents(rule, "- a\n b\n- c\n= d\n- e", RegionOrder::list) == Texts{"a\n b", "c", "e"});
  CHECK(contents(rule, "- a\n b\n- c\n= d\n- e") == Texts{"a\n b\n- c", "e"});
  CHECK(contents(region("<v>", "</v>"), "<v>a\n<v>b</v>\n</v>", RegionOrder::list) == Texts{"a\n<v>b"});
}

TEST_CASE("regions: the content may start inside the mark, and marks may be empty") {
  CHECK(contents(region("(?P<content>)note: ", ""), "x\nnote: a\n") == Texts{"note: a"});
  CHECK(contents(region("\\A", "", "b"), "a\nb\nc") == Texts{"a"});
  CHECK(contents(region("x*", ""), "a\nb", RegionOrder::list) == Texts{"a", "b"});
  CHECK(contents(region("\\A", ""), "\n\n") == Texts{""});
}

TEST_CASE("regions: line patterns never look over a line end") {
  CHECK(contents(region("(?s)a.*", "", ".*"), "a\nb\nc") == Texts{""});
  CHECK(contents(region("a[^b]*", "", ".*"), "a\nb") == Texts{""});
  CHECK(contents(region("a\\s*b", ""), "a\nb").empty());
}

TEST_CASE("regions: more marks than the limit is no match at all") {
  const RegionRule rule = region("<m>", "</m>");
  const std::string two = "<m>\n</m>\n<m>\n</m>\n";
  CHECK(find_regions(rule, two, RegionOrder::blocks, 2)->size() == 2);
  CHECK_FALSE(find_regions(rule, two, RegionOrder::blocks, 1).has_value());
}

TEST_CASE("patterns: what RE2 refuses, and what is too large, is a fault with a reason") {
  for (const char* pattern : {"(", "a)(b", "(?=x)", "\\1", "[z-a]", "(?P<a>x)(?P<a>y)", "*", "a{1001}"}) {
    INFO(pattern);
    for (const auto use : {PatternUse::text, PatternUse::opening, PatternUse::closing}) {
      CHECK_THROWS_AS(Pattern(pattern, use), PatternFault);
    }
  }
  CHECK_THROWS_AS(Pattern(std::string(5000, 'a'), PatternUse::text), PatternFault);
  CHECK_THROWS_AS(Pattern("((((a{1,100}){1,100}){1,100}){1,100}){1,100}", PatternUse::text), PatternFault);
  CHECK_THROWS_AS(Pattern("(?:\\pL{1,500}\\pN{1,500}){1,2}", PatternUse::text), PatternFault);
}

TEST_CASE("regions: hostile texts take time that grows with their length alone", "[hostile]") {
  // 100,000 near matches, then five times as many: at most about five times as long (with room for a busy machine).
  const std::vector<std::pair<RegionRule, std::string>> cases = [] {
    std::vector<std::pair<RegionRule, std::string>> all;
    all.emplace_back(region("<m>", "</m>"), "<m>\nfoo\n<mm>\n</m\n");  // openings that never close
    all.emplace_back(region("<m>", "</m>"), "</m>\n");                 // closings that never opened
    all.emplace_back(region("<m>(?:.*x)?", "</m>"), "<m>\nx <m>\n");
    all.emplace_back(region("(?:a+)+b|a", "c"), "aaaaaaaaaaaaaaaaaaaa\n");  // catastrophic with backtracking
    all.emplace_back(region("(?:.*)*", "(?:.*)*z"), "<m> y\n");
    return all;
  }();
  for (const auto& [rule, unit] : cases) {
    const std::string small = repeated(unit, 20'000);
    const std::string large = repeated(unit, 200'000);
    for (const auto order : {RegionOrder::blocks, RegionOrder::list}) {
      const double once = seconds([&, &r = rule] { find_regions(r, small, order, 1'000'000); });
      const double ten_times = seconds([&, &r = rule] { find_regions(r, large, order, 1'000'000); });
      INFO(unit << ": " << once << " s and " << ten_times << " s");
      CHECK(ten_times < 40 * once + 0.5);
    }
  }
  const std::string one_line = repeated("<m>", 3'000'000);
  CHECK(seconds([&] { find_regions(region("<m>", "</m>"), one_line, RegionOrder::blocks, 10'000); }) < 10);
}

TEST_CASE("python literals: what repr prints becomes the same value in JSON") {
  const auto value = [](std::string_view python) {
    const auto translated = python_to_json(python);
    REQUIRE(translated.has_value());
    return nlohmann::json::parse(translated->json);
  };
  using nlohmann::json;
  CHECK(value("[]") == json::array());
  CHECK(value("{'a': 1, 'b': -2.5, 'c': None, 'd': True, 'e': False}") ==
        json({{"a", 1}, {"b", -2.5}, {"c", nullptr}, {"d", true}, {"e", false}}));
  CHECK(value("('x',)") == json::array({"x"}));
  CHECK(value("[('x', 1e-05), ()]") == json::array({json::array({"x", 1e-05}), json::array()}));
  CHECK(value(R"(["it's", 'say "x"', 'a\nb\t\\\'', '\x41\u00e9\U0001f600'])") ==
        json::array({"it's", "say \"x\"", "a\nb\t\\'", "A\u00e9\U0001F600"}));
  CHECK(value("[Note(key='k', value={'content': 'c'}, score=0.5), Note(1, 2)]") ==
        json::array({{{"key", "k"}, {"value", {{"content", "c"}}}, {"score", 0.5}}, json::array({1, 2})}));
}

TEST_CASE("python literals: anything else is refused") {
  for (const char* text : {"", "[", "[1", "]", "(]", "'open", "'bad \\q'", "name", "f(", "'\\ud800'", "{'a': }", "1..2",
                           "lambda: 1", "[1] x", "'\\x4'"}) {
    INFO(text);
    const auto translated = python_to_json(text);
    // What the translation lets through, the JSON parser must refuse.
    if (translated) CHECK_FALSE(nlohmann::json::accept(translated->json));
  }
  CHECK_FALSE(python_to_json(repeated("[", 100'000)).has_value());
  CHECK(python_to_json(repeated("[", 64) + repeated("]", 64)).has_value());
  CHECK_FALSE(python_to_json(repeated("[", 65) + repeated("]", 65)).has_value());
}

TEST_CASE("python literals: strings are traced back to their places") {
  const std::string python = "[{'id': 'a', 'text': \"it's here\"}]";
  const auto translated = python_to_json(python);
  REQUIRE(translated.has_value());
  std::size_t found = 0;
  for (const auto& origin : translated->strings) {
    for (const std::string word : {"id", "a", "text", "it's here"}) {
      if (translated->json.compare(origin.json, word.size() + 1, word + "\"") != 0) continue;
      CHECK(python.compare(origin.python, word.size(), word) == 0);
      ++found;
    }
  }
  CHECK(found == 4);
}

}  // namespace memuse::ingest
