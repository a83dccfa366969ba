#include "rules/verdict.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace memuse;

namespace {

template <typename Enum>
std::vector<std::optional<Enum>> all_with_null(int count) {
  std::vector<std::optional<Enum>> values{std::nullopt};
  for (int i = 0; i < count; ++i) values.push_back(static_cast<Enum>(i));
  return values;
}

std::vector<Labels> all_labels() {
  std::vector<Labels> all;
  for (const auto& relevance : {std::optional<bool>{}, std::optional<bool>{false}, std::optional<bool>{true}})
    for (const auto& accuracy : all_with_null<Accuracy>(3))
      for (const auto& novelty : all_with_null<Novelty>(3))
        for (const auto& influence : all_with_null<Influence>(4))
          for (const auto& effect : all_with_null<Effect>(3))
            all.push_back({relevance, accuracy, novelty, influence, effect});
  return all;
}

/// The table of semantics.md §7, one letter per (influence, effect): + beneficial, - harmful, ? open, . neither.
/// Columns: effect null, improved, no_effect, harmed. Rows: influence null, none, referenced, selected, acted_on.
constexpr const char* kClasses[] = {"????", "....", "....", "....", "?+.-"};

char class_of(const Labels& labels) {
  const std::size_t row = labels.influence ? 1 + static_cast<std::size_t>(*labels.influence) : 0;
  const std::size_t column = labels.effect ? 1 + static_cast<std::size_t>(*labels.effect) : 0;
  return kClasses[row][column];
}

/// The verdict as words, by looking at which class letters occur.
std::string expected_verdict(const std::string& classes) {
  const auto has = [&classes](char letter) { return classes.find(letter) != std::string::npos; };
  if (has('+')) return has('-') ? "mixed" : "beneficial";
  if (has('-')) return "harmful";
  return has('?') ? "undetermined" : "neutral";
}

std::string verdict_name(const std::vector<Labels>& labels) {
  return std::string(name(rules::span_verdict(labels)));
}

}  // namespace

TEST_CASE("one entry: every combination of the five signals") {
  const auto all = all_labels();
  REQUIRE(all.size() == 3 * 4 * 4 * 5 * 4);
  for (const Labels& labels : all) {
    const char letter = class_of(labels);
    REQUIRE(rules::is_beneficial(labels) == (letter == '+'));
    REQUIRE(rules::is_harmful(labels) == (letter == '-'));
    REQUIRE(rules::is_unsettled(labels) == (letter == '?'));
    REQUIRE(verdict_name({labels}) == expected_verdict(std::string(1, letter)));
  }
}

TEST_CASE("two and three entries: every combination of influence and effect") {
  std::vector<Labels> kinds;
  for (const auto& influence : all_with_null<Influence>(4))
    for (const auto& effect : all_with_null<Effect>(3)) kinds.push_back({true, {}, Novelty::novel, influence, effect});
  REQUIRE(kinds.size() == 20);
  for (const Labels& a : kinds) {
    for (const Labels& b : kinds) {
      const std::string two{class_of(a), class_of(b)};
      REQUIRE(verdict_name({a, b}) == expected_verdict(two));
      for (const Labels& c : kinds) REQUIRE(verdict_name({a, b, c}) == expected_verdict(two + class_of(c)));
    }
  }
}

TEST_CASE("worked verdicts") {
  const Labels improved{true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved};
  const Labels harmed{true, Accuracy::contradicted, Novelty::novel, Influence::acted_on, Effect::harmed};
  const Labels open{true, {}, {}, {}, {}};
  const Labels nothing{false, {}, Novelty::redundant, Influence::none, {}};
  CHECK(rules::span_verdict({}) == Verdict::neutral);
  CHECK(rules::span_verdict(std::vector{improved, open, harmed}) == Verdict::mixed);
  CHECK(rules::span_verdict(std::vector{open, improved}) == Verdict::beneficial);
  CHECK(rules::span_verdict(std::vector{open, harmed}) == Verdict::harmful);
  CHECK(rules::span_verdict(std::vector{nothing, open}) == Verdict::undetermined);
  CHECK(rules::span_verdict(std::vector{nothing, nothing}) == Verdict::neutral);
}

TEST_CASE("every verdict has a rule in words, and no two the same") {
  std::vector<std::string_view> seen;
  for (int i = 0; i < 5; ++i) {
    const std::string_view rule = rules::verdict_rule(static_cast<Verdict>(i));
    CHECK_FALSE(rule.empty());
    CHECK(std::find(seen.begin(), seen.end(), rule) == seen.end());
    seen.push_back(rule);
  }
  CHECK(kRuleSet == "memuse-rules/1");
}
