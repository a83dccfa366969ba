#include "controlled/study.h"

#include <catch2/catch.hpp>

#include "controlled/study_builder.h"

using namespace memuse;
using Catch::Matchers::Contains;
using controlled::Amount;
using controlled::CheckItem;
using controlled::Component;
using controlled::Failures;
using controlled::Role;
using test::StudyBuilder;

namespace {

const CheckItem& item(const controlled::Study& study, const std::string& key) {
  for (const CheckItem& line : study.checklist) {
    if (line.key == key) return line;
  }
  FAIL("no line " + key);
  return study.checklist.front();
}

/// `instance` has to outlive the row.
controlled::ResultRow row(std::string_view instance, double score) {
  controlled::ResultRow made;
  made.instance = instance;
  made.score = score;
  return made;
}

}  // namespace

TEST_CASE("failures: excluded drops the instance, as wrong counts it 0, both are adjusted apart") {
  StudyBuilder builder;
  builder.strategy("a", {{Component::memory_method, "facts"}}).strategy("b").compare(0, 1, Component::memory_method);
  builder.answer(0, "q1", 1.0).answer(1, "q1", 1.0).answer(0, "q2", 1.0).answer(1, "q2", 0.0);
  builder.failure(0, "q3").answer(1, "q3", 1.0);
  const auto study = builder.study(0);
  const auto& result = study.comparisons[0];
  CHECK(result.has_failures);
  CHECK(result.estimates[0]->n == 2);
  CHECK(result.estimates[0]->difference == 0.5);
  CHECK(result.estimates[1]->n == 3);
  CHECK(result.estimates[1]->difference == 0.0);
  CHECK(study.summaries[0].failed == 1);
  CHECK(study.summaries[0].failure_reasons.at(0) == std::pair<std::string, std::uint64_t>("timeout", 1));
  CHECK(study.summaries[0].accuracy[0]->mean == 1.0);
  CHECK(study.summaries[0].accuracy[1]->mean == Approx(2.0 / 3.0));
}

TEST_CASE("question types add up to the whole, abstention questions count in their type and apart") {
  StudyBuilder builder;
  builder.strategy("a", {{Component::memory_method, "facts"}}).strategy("b").compare(0, 1, Component::memory_method);
  for (int i = 0; i < 12; ++i) {
    for (std::size_t s = 0; s < 2; ++s) {
      const std::string instance = "q" + std::to_string(i);
      controlled::ResultRow made = row(instance, (i + static_cast<int>(s)) % 3 == 0 ? 1.0 : 0.0);
      made.question_type = i % 4 == 0 ? "order" : "update";
      made.abstention = i == 5;
      builder.add(s, made);
    }
  }
  const auto study = builder.study(0);
  const auto& types = study.comparisons[0].types;
  REQUIRE(types.size() == 3);
  CHECK(types[0].type == "order");
  CHECK(types[1].type == "update");
  CHECK(types[2].abstention);
  CHECK(types[2].estimates[0]->n == 1);
  CHECK(types[0].estimates[0]->n + types[1].estimates[0]->n == study.comparisons[0].estimates[0]->n);
  CHECK(types[0].estimates[0]->only_first + types[1].estimates[0]->only_first ==
        study.comparisons[0].estimates[0]->only_first);
}

TEST_CASE("instances without a type stand in a line of their own, unless none has one") {
  StudyBuilder builder;
  builder.strategy("a", {{Component::memory_method, "facts"}}).strategy("b").compare(0, 1, Component::memory_method);
  for (std::size_t s = 0; s < 2; ++s) builder.answer(s, "q1", 1.0, "", "update").answer(s, "q2", 1.0);
  const auto types = builder.study(0).comparisons[0].types;
  REQUIRE(types.size() == 2);
  CHECK(types[1].type.empty());
  CHECK(types[1].estimates[0]->n == 1);
  StudyBuilder untyped;
  untyped.strategy("a", {{Component::memory_method, "facts"}}).strategy("b").compare(0, 1, Component::memory_method);
  for (std::size_t s = 0; s < 2; ++s) untyped.answer(s, "q1", 1.0);
  CHECK(untyped.study(0).comparisons[0].types.empty());
}

TEST_CASE("refusals are shares of scored executions and of lost score, over those that state it") {
  StudyBuilder builder;
  builder.strategy("a");
  const auto add = [&](const std::string& instance, double score, std::optional<bool> refused) {
    controlled::ResultRow made = row(instance, score);
    made.refused = refused;
    builder.add(0, made);
  };
  add("q1", 0.0, true);
  add("q2", 0.0, false);
  add("q3", 0.0, false);
  add("q4", 1.0, true);  // declining was right
  add("q5", 0.0, std::nullopt);
  builder.failure(0, "q6");
  const auto refusals = builder.study(0).summaries[0].refusals;
  CHECK(refusals.scored == 5);
  CHECK(refusals.stated == 4);
  CHECK(*refusals.share() == 0.5);
  CHECK(*refusals.share_of_errors() == Approx(1.0 / 3.0));
}

TEST_CASE("refusals that nobody states are unknown, not 0") {
  StudyBuilder builder;
  builder.strategy("a").answer(0, "q1", 0.0);
  const auto refusals = builder.study(0).summaries[0].refusals;
  CHECK_FALSE(refusals.share());
  CHECK_FALSE(refusals.share_of_errors());
}

TEST_CASE("a cost that some executions do not state has no total, a declared one has") {
  StudyBuilder builder;
  builder.strategy("a", {{Component::memory_method, "facts"}}).strategy("b").compare(0, 1, Component::memory_method);
  builder.declaration.strategies[1].write_path = controlled::WritePathTotals{10.0, 4.0, std::nullopt};
  controlled::ResultRow first = row("q1", 1.0);
  first.amounts[static_cast<std::size_t>(Amount::write_calls)] = 6.0;
  first.amounts[static_cast<std::size_t>(Amount::write_seconds)] = 1.0;
  controlled::ResultRow second = row("q2", 1.0);
  second.amounts[static_cast<std::size_t>(Amount::write_calls)] = 2.0;
  builder.add(0, first).add(0, second).answer(1, "q1", 1.0).answer(1, "q2", 1.0);
  const auto study = builder.study(0);
  const auto& costs = study.summaries[0].costs;
  CHECK(costs[static_cast<std::size_t>(Amount::write_calls)].total() == 8.0);
  CHECK_FALSE(costs[static_cast<std::size_t>(Amount::write_seconds)].total());
  CHECK_FALSE(costs[static_cast<std::size_t>(Amount::write_dollars)].total());
  CHECK(study.comparisons[0].cost_differences[static_cast<std::size_t>(Amount::write_calls)] == -1.0);
  CHECK_FALSE(study.comparisons[0].cost_differences[static_cast<std::size_t>(Amount::write_seconds)]);
  CHECK(item(study, "write_path_cost").state == CheckItem::State::not_met);
}

TEST_CASE("cost differences are between the matched instances, a declared total needs all of them") {
  const auto difference = [](bool declared) {
    StudyBuilder builder;
    builder.strategy("a", {{Component::memory_method, "facts"}}).strategy("b").compare(0, 1, Component::memory_method);
    if (declared) builder.declaration.strategies[1].write_path = controlled::WritePathTotals{10.0, {}, {}};
    const auto add = [&](std::size_t strategy, const std::string& instance, std::optional<double> calls) {
      controlled::ResultRow made = row(instance, 1.0);
      made.amounts[static_cast<std::size_t>(Amount::write_calls)] = calls;
      builder.add(strategy, made);
    };
    add(0, "q1", 6.0);
    add(0, "q2", 2.0);
    add(0, "only a", 100.0);
    add(1, "q1", declared ? std::nullopt : std::optional(1.0));
    add(1, "q2", declared ? std::nullopt : std::optional(2.0));
    return builder.study(0).comparisons[0].cost_differences[static_cast<std::size_t>(Amount::write_calls)];
  };
  CHECK(difference(false) == 2.5);  // (6 + 2) / 2 - (1 + 2) / 2
  CHECK_FALSE(difference(true));
}

TEST_CASE("ranks: a pair that changes its order between families is named, on instances that all share") {
  StudyBuilder builder;
  for (const char* model : {"m1", "m2"}) {
    for (const char* method : {"x", "y", "z"}) {
      builder.strategy(std::string(method) + "/" + model,
                       {{Component::memory_method, method}, {Component::reader_model, model}});
      builder.declaration.strategies.back().ranked_as = method;
    }
  }
  builder.declaration.model_families = {{"m1", "North"}, {"m2", "South"}};
  // x, y, z get 3, 2, 1 of 4 right in the north; 2, 3, 1 in the south.
  const std::array<int, 6> right{3, 2, 1, 2, 3, 1};
  for (std::size_t s = 0; s < 6; ++s) {
    for (int i = 0; i < 4; ++i) builder.answer(s, "q" + std::to_string(i), i < right[s] ? 1.0 : 0.0);
  }
  builder.answer(0, "only x", 0.0);
  const auto ranks = builder.study(0).ranks;
  CHECK(ranks.families == std::vector<std::string>{"North", "South"});
  CHECK(ranks.warnings.empty());
  REQUIRE(ranks.pairs.size() == 1);
  CHECK(ranks.pairs[0].n == 4);
  CHECK(*ranks.pairs[0].tau == Approx(1.0 / 3.0));
  REQUIRE(ranks.pairs[0].flips.size() == 1);
  CHECK(ranks.pairs[0].flips[0] == std::pair<std::string, std::string>("x", "y"));
  CHECK(ranks.pairs[0].strategies[0].first_rank == 1.0);
  CHECK(ranks.pairs[0].strategies[0].second_rank == 2.0);
}

TEST_CASE("ranks: no family is guessed, and what is ranked as one has to be one") {
  StudyBuilder builder;
  builder.strategy("x1", {{Component::reader_model, "m1"}}).strategy("x2", {{Component::reader_model, "m2"}});
  builder.strategy("y", {{Component::reader_model, "unheard of"}}).strategy("z", {{Component::reader_model, ""}});
  builder.declaration.strategies[0].ranked_as = builder.declaration.strategies[1].ranked_as = "x";
  builder.declaration.strategies[1].components[Component::top_k] = "20";
  builder.declaration.model_families = {{"m1", "North"}, {"m2", "South"}};
  for (std::size_t s = 0; s < 4; ++s) builder.answer(s, "q1", 1.0);
  const auto ranks = builder.study(0).ranks;
  CHECK(ranks.models_without_family == std::vector<std::string>{"unheard of"});
  CHECK(ranks.strategies_without_model == std::vector<std::string>{"z"});
  CHECK(ranks.pairs.empty());
  REQUIRE(ranks.warnings.size() == 1);
  CHECK_THAT(ranks.warnings[0], Contains("top_k"));
}

TEST_CASE("ranks: families without a common instance are named, and do not meet the checklist") {
  StudyBuilder builder;
  for (const char* model : {"m1", "m2"}) {
    for (const char* method : {"x", "y"}) {
      builder.strategy(std::string(method) + "/" + model,
                       {{Component::memory_method, method}, {Component::reader_model, model}});
      builder.declaration.strategies.back().ranked_as = method;
    }
  }
  const std::string only_first = "only m1";
  const std::string only_second = "only m2";
  for (std::size_t strategy = 0; strategy < 4; ++strategy) {
    builder.answer(strategy, strategy < 2 ? only_first : only_second, 1.0);
  }
  builder.declaration.model_families = {{"m1", "North"}, {"m2", "South"}};
  const auto study = builder.study(0);
  CHECK(study.ranks.pairs.empty());
  REQUIRE(study.ranks.warnings.size() == 1);
  CHECK_THAT(study.ranks.warnings[0], Contains("North and South have 2 strategies in common"));
  CHECK(item(study, "model_families").state == CheckItem::State::not_met);
}

TEST_CASE("the checklist: six lines, each met when the study has it") {
  StudyBuilder builder;
  builder.strategy("facts", {{Component::memory_method, "facts"}}).strategy("rag");
  builder.strategy("random", {{Component::retrieval, "random"}});
  builder.strategy("rag/e2", {{Component::embedding_model, "e2"}});
  builder.strategy("rag/south", {{Component::reader_model, "m2"}});
  builder.strategy("facts/south", {{Component::memory_method, "facts"}, {Component::reader_model, "m2"}});
  builder.declaration.strategies[4].ranked_as = "rag";
  builder.declaration.strategies[5].ranked_as = "facts";
  builder.declaration.strategies[1].role = Role::verbatim_rag;
  builder.declaration.strategies[2].role = Role::random_retrieval;
  builder.declaration.model_families = {{"usual reader_model", "North"}, {"m2", "South"}};
  builder.compare(0, 1, Component::memory_method).compare(3, 1, Component::embedding_model);
  for (std::size_t s = 0; s < 6; ++s) {
    builder.declaration.strategies[s].write_path = controlled::WritePathTotals{1.0, 1.0, 1.0};
    builder.answer(s, "q1", 1.0).answer(s, "q2", 0.0);
  }
  const auto study = builder.study(0);
  REQUIRE(study.checklist.size() == 6);
  for (const CheckItem& line : study.checklist) {
    INFO(line.key << ": " << line.why);
    CHECK(line.state == CheckItem::State::met);
  }
}

TEST_CASE("the checklist: what is not there is not met, what is not known cannot be told") {
  StudyBuilder builder;
  builder.strategy("facts", {{Component::memory_method, "facts"}});
  builder.strategy("rag", {{Component::embedding_model, ""}});
  builder.strategy("random");
  builder.declaration.strategies[1].role = Role::verbatim_rag;
  builder.declaration.strategies[2].role = Role::random_retrieval;
  builder.compare(0, 1, Component::embedding_model);
  builder.answer(0, "q1", 1.0).answer(1, "q1", 1.0).answer(0, "q2", 1.0);
  const auto study = builder.study(0);
  using State = CheckItem::State;
  CHECK(item(study, "verbatim_rag").state == State::not_met);
  CHECK_THAT(item(study, "verbatim_rag").why, Contains("not named"));
  CHECK(item(study, "random_retrieval").state == State::cannot_tell);
  CHECK(item(study, "model_families").state == State::cannot_tell);
  CHECK(item(study, "embedding_swap").state == State::not_met);
  CHECK(item(study, "write_path_cost").state == State::not_met);
  CHECK(item(study, "matched_instances").state == State::not_met);
  CHECK_THAT(item(study, "matched_instances").why, Contains("1 dropped"));
}
