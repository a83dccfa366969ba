#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "retrieval/question_finder.h"
#include "retrieval/score.h"
#include "retrieval/summary.h"

namespace memuse::retrieval {
namespace {

std::vector<Returned> items(const std::vector<std::string>& ids) {
  std::vector<Returned> all;
  for (const std::string& id : ids) all.push_back({{id, ""}, std::nullopt, std::nullopt});
  return all;
}

Returned versioned(const std::string& item, const std::string& version) {
  return {{item, version}, std::nullopt, std::nullopt};
}

GoldQuestion about(const std::vector<std::string>& relevant) {
  GoldQuestion question;
  question.id = "q";
  question.relevant = relevant;
  return question;
}

GoldQuestion abstention() {
  GoldQuestion question;
  question.id = "none";
  question.abstention = true;
  return question;
}

Supersession port() {
  return {{"port", "3"}, {{"port", "1"}, {"port", "2"}, {"old-port", ""}}, "7719", {"7720"}};
}

}  // namespace

TEST_CASE("precision recall and F1 among the first items") {
  const GoldQuestion question = about({"a", "b", "c"});
  const auto returned = items({"x", "a", "b", "y"});
  const DepthScore at1 = score_at(question, returned, 1);
  CHECK(at1.precision == 0.0);
  CHECK(at1.recall == 0.0);
  CHECK(at1.f1 == 0.0);
  const DepthScore at3 = score_at(question, returned, 3);
  CHECK(at3.precision == Approx(2.0 / 3.0));
  CHECK(at3.recall == Approx(2.0 / 3.0));
  CHECK(at3.f1 == Approx(2.0 / 3.0));
  const DepthScore all = score_at(question, returned, 0);
  CHECK(all.precision == 0.5);
  CHECK(all.f1 == Approx(2 * 0.5 * (2.0 / 3.0) / (0.5 + 2.0 / 3.0)));
  // Beyond what was returned nothing changes.
  CHECK(score_at(question, returned, 100).precision == 0.5);
}

TEST_CASE("an item that comes back twice counts once") {
  const DepthScore score = score_at(about({"a"}), {versioned("a", "1"), versioned("a", "2"), versioned("b", "1")}, 2);
  CHECK(score.returned == 2);
  CHECK(score.hits == 1);
  CHECK(score.precision == 0.5);
}

TEST_CASE("nothing returned is precision 0 except for abstention items") {
  CHECK(score_at(about({"a"}), {}, 5).precision == 0.0);
  CHECK(score_at(about({"a"}), {}, 5).recall == 0.0);
  CHECK(score_at(abstention(), {}, 5).precision == 1.0);
  CHECK(score_at(abstention(), {}, 5).f1 == 1.0);
  const DepthScore wrong = score_at(abstention(), items({"a"}), 5);
  CHECK(wrong.precision == 0.0);
  CHECK(wrong.recall == 1.0);
  CHECK(wrong.f1 == 0.0);
}

TEST_CASE("scores equal a slow count on random lists") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> relevant;
    for (char c = 'a'; c <= 'f'; ++c) {
      if (random() % 3 == 0) relevant.emplace_back(1, c);
    }
    if (relevant.empty()) relevant.emplace_back("a");
    std::vector<std::string> returned;
    for (std::size_t i = random() % 9; i > 0; --i) returned.emplace_back(1, static_cast<char>('a' + random() % 8));
    const std::size_t depth = random() % 6;
    std::vector<std::string> distinct;
    for (const std::string& id : returned) {
      if (std::find(distinct.begin(), distinct.end(), id) == distinct.end()) distinct.push_back(id);
    }
    if (depth != 0 && distinct.size() > depth) distinct.resize(depth);
    double hits = 0;
    for (const std::string& id : distinct) {
      if (std::find(relevant.begin(), relevant.end(), id) != relevant.end()) ++hits;
    }
    const DepthScore score = score_at(about(relevant), items(returned), depth);
    CHECK(score.precision == (distinct.empty() ? 0.0 : hits / static_cast<double>(distinct.size())));
    CHECK(score.recall == hits / static_cast<double>(relevant.size()));
    // F1 is also twice the hits over all that was returned and all that is relevant.
    CHECK(score.f1 == Approx(2 * hits / static_cast<double>(distinct.size() + relevant.size())));
  }
}

TEST_CASE("what was returned of a contradicted fact") {
  const Supersession fact = port();
  CHECK(fact_return(fact, {versioned("port", "3"), versioned("port", "1")}) == FactReturn::newest);
  CHECK(fact_return(fact, {versioned("port", "2"), versioned("port", "3")}) == FactReturn::stale_first);
  CHECK(fact_return(fact, {versioned("old-port", "9")}) == FactReturn::stale_only);
  CHECK(fact_return(fact, {versioned("host", "1")}) == FactReturn::not_returned);
  CHECK(fact_return(fact, {}) == FactReturn::not_returned);
  CHECK(fact_return(fact, {versioned("port", "")}) == FactReturn::unknown);
  // A version that the gold file does not name is neither.
  CHECK(fact_return(fact, {versioned("port", "4")}) == FactReturn::not_returned);
}

TEST_CASE("what was returned holds at the asked time") {
  GoldQuestion question = about({"a", "b"});
  CHECK_FALSE(temporal(question, items({"a"})).has_value());
  question.as_of = 100;
  const auto held = [](const std::string& item, std::optional<Moment> from, std::optional<Moment> to) {
    return Returned{{item, "1"}, from, to};
  };
  CHECK(temporal(question, {held("a", 100, 101)}) == Temporal::valid);
  CHECK(temporal(question, {held("a", 50, 100)}) == Temporal::invalid);
  CHECK(temporal(question, {held("a", 101, std::nullopt)}) == Temporal::invalid);
  CHECK(temporal(question, {held("a", std::nullopt, 200)}) == Temporal::valid);
  CHECK(temporal(question, {held("x", 0, 200)}) == Temporal::not_returned);
  CHECK(temporal(question, items({"a"})) == Temporal::unknown);
  CHECK(temporal(question, {held("a", 0, 200), held("b", 0, 50)}) == Temporal::invalid);
  // Only the first version of an item counts.
  CHECK(temporal(question, {held("a", 0, 200), held("a", 0, 50)}) == Temporal::valid);
  question.valid = {{"a", "2"}};
  CHECK(temporal(question, {versioned("a", "2")}) == Temporal::valid);
  CHECK(temporal(question, {versioned("a", "1")}) == Temporal::invalid);
  CHECK(temporal(question, {versioned("a", "")}) == Temporal::unknown);
}

TEST_CASE("an abstention item is not asked about time") {
  GoldQuestion question = abstention();
  question.as_of = 100;
  CHECK_FALSE(temporal(question, {}).has_value());
  CHECK_FALSE(temporal(question, items({"a"})).has_value());
}

TEST_CASE("a value is held as a whole only") {
  CHECK(holds_value("port=7719;", "7719"));
  CHECK_FALSE(holds_value("port=17719", "7719"));
  CHECK_FALSE(holds_value("port=77190", "7719"));
  CHECK(holds_value("77190 7719", "7719"));
  CHECK(holds_value("ポート7719です", "7719"));
  CHECK(holds_value("a-b", "-"));
  CHECK_FALSE(holds_value("", "x"));
  CHECK_FALSE(holds_value("x", ""));
}

TEST_CASE("percentiles are values of the list") {
  CHECK_FALSE(percentile({}, 0.5).has_value());
  CHECK(percentile({3.0}, 0.95) == 3.0);
  CHECK(percentile({4.0, 1.0, 3.0, 2.0}, 0.5) == 2.0);
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  CHECK(percentile(hundred, 0.95) == 95.0);
  CHECK(percentile(hundred, 0.5) == 50.0);
}

TEST_CASE("a question is found whole in a stored text") {
  const QuestionFinder finder({"When does the last ferry leave?", "When does the last ferry arrive?", "Short?", ""});
  CHECK(finder.searched() == 2);
  CHECK(finder.find("Quiz:  when DOES the\nlast ferry leave? At ten.") == std::vector<std::size_t>{0});
  CHECK(finder.find("When does the last ferry leav").empty());
  CHECK(finder.find("When does the last ferry leave? When does the last ferry arrive?") ==
        std::vector<std::size_t>{0, 1});
  CHECK(finder.find("Short?").empty());
  CHECK(QuestionFinder({}).find("anything that is long enough").empty());
}

TEST_CASE("of a long question the beginning is compared") {
  const std::string begun(QuestionFinder::kMostCompared, 'a');
  const QuestionFinder finder({begun + "b", begun.substr(1) + "b"});
  CHECK(finder.find(begun + "c") == std::vector<std::size_t>{0});
  CHECK(finder.find(begun + "b") == std::vector<std::size_t>{0, 1});
}

TEST_CASE("means over questions and sums over items") {
  std::vector<GoldQuestion> questions{about({"a"}), about({"b", "c"}), abstention()};
  questions[0].id = "q1";
  questions[1].id = "q2";
  questions[1].category = "two";
  std::vector<SearchResult> results(3);
  results[0].question = 0;
  results[0].returned = items({"a", "x", "y", "z"});  // 1/4, 1/1
  results[0].tokens = 40.0;
  results[1].question = 1;
  results[1].returned = items({"b"});  // 1/1, 1/2
  results[1].tokens = 10.0;
  results[2].question = 2;
  results[2].returned = items({"w"});  // 0, 1
  for (SearchResult& result : results) result.configuration = "c";
  ScoreOptions options;
  options.depths = {0};
  options.resampling.resamples = 500;
  const auto scored = score(questions, results, options.depths);
  const auto summaries = summarise(questions, scored, options);
  REQUIRE(summaries.size() == 1);
  REQUIRE(summaries[0].categories.size() == 3);  // without a category, two, all
  const CategorySummary& all = summaries[0].categories.back();
  CHECK(all.all);
  CHECK(all.n == 3);
  CHECK(all.depths[0].precision->value == Approx((0.25 + 1.0 + 0.0) / 3));
  CHECK(all.depths[0].recall->value == Approx((1.0 + 0.5 + 1.0) / 3));
  CHECK(all.depths[0].f1->value == Approx((0.4 + 2.0 / 3.0 + 0.0) / 3));
  CHECK(all.depths[0].micro_precision == Approx(2.0 / 6.0));
  CHECK(all.depths[0].micro_recall == Approx(2.0 / 3.0));
  CHECK(all.depths[0].micro_f1 == Approx(4.0 / 9.0));
  // Three questions are too few for an interval.
  CHECK_FALSE(all.depths[0].precision->interval.has_value());
  CHECK(all.cost.with_tokens == 2);
  CHECK(all.cost.tokens_p50 == 10.0);
  CHECK(all.cost.tokens_p95 == 40.0);
  CHECK_FALSE(all.cost.latency_p50.has_value());
  CHECK(summaries[0].abstention.n == 1);
  CHECK(summaries[0].abstention.right == 0);
  CHECK(summaries[0].newest_returned.n == 0);
  CHECK_FALSE(summaries[0].newest_returned.share.has_value());
}

TEST_CASE("a fact is returned and used only when both are seen") {
  GoldQuestion question = about({"port"});
  question.supersessions = {port()};
  const auto result_with = [](std::vector<Returned> returned, std::vector<ValueUse> uses) {
    SearchResult result;
    result.configuration = "c";
    result.returned = std::move(returned);
    result.uses = std::move(uses);
    return result;
  };
  const std::vector<SearchResult> results{
      result_with({versioned("port", "3")}, {ValueUse::newest}),
      result_with({versioned("port", "3")}, {ValueUse::none}), result_with({versioned("port", "1")}, {ValueUse::stale}),
      result_with({versioned("port", "3")}, {}), result_with({versioned("port", "")}, {ValueUse::newest})};
  ScoreOptions options;
  options.resampling.resamples = 0;
  const auto summary = summarise({question}, score({question}, results, options.depths), options).front();
  CHECK(summary.newest_returned.right == 3);
  CHECK(summary.newest_returned.n == 4);
  CHECK(summary.newest_returned.unknown == 1);
  CHECK(summary.newest_used.right == 1);
  CHECK(summary.newest_used.n == 3);
  CHECK(summary.newest_used.unknown == 2);
  CHECK(summary.stale_used == 1);
}

TEST_CASE("summaries do not depend on the order of the results") {
  std::vector<GoldQuestion> questions;
  std::vector<SearchResult> results;
  std::mt19937 random(3);
  for (std::size_t i = 0; i < 30; ++i) {
    questions.push_back(about({"a", "b"}));
    questions.back().id = "q" + std::to_string(i);
    SearchResult result;
    result.question = i;
    result.configuration = "c";
    for (std::size_t n = random() % 4; n > 0; --n) {
      result.returned.push_back(versioned(std::string(1, static_cast<char>('a' + random() % 4)), ""));
    }
    results.push_back(result);
  }
  ScoreOptions options;
  options.resampling.resamples = 200;
  const auto first = summarise(questions, score(questions, results, options.depths), options);
  std::reverse(results.begin(), results.end());
  const auto second = summarise(questions, score(questions, results, options.depths), options);
  const auto& a = first[0].categories.back().depths[0];
  const auto& b = second[0].categories.back().depths[0];
  REQUIRE(a.precision->interval.has_value());
  CHECK(a.precision->interval->low < a.precision->value);
  CHECK(a.precision->value == b.precision->value);
  CHECK(a.precision->interval == b.precision->interval);
}

}  // namespace memuse::retrieval
