#include "controlled/results.h"

#include <catch2/catch.hpp>

#include "controlled/outcomes.h"
#include "controlled/study_builder.h"

using namespace memuse;
using controlled::Failures;
using test::StudyBuilder;

TEST_CASE("rows in another order and in other files give the same executions") {
  StudyBuilder forward;
  forward.strategy("a").strategy("b");
  StudyBuilder backward = forward;
  for (std::size_t i = 0; i < 20; ++i) {
    forward.answer(i % 2, "q" + std::to_string(i), i % 3 == 0 ? 1.0 : 0.0, "r" + std::to_string(i % 4), "t");
  }
  for (std::size_t i = 20; i-- > 0;) {
    backward.answer(i % 2, "q" + std::to_string(i), i % 3 == 0 ? 1.0 : 0.0, "r" + std::to_string(i % 4), "t");
  }
  forward.rows().finish();
  backward.rows().finish();
  CHECK(forward.rows().instances() == backward.rows().instances());
  REQUIRE(forward.rows().executions().size() == 20);
  for (std::size_t i = 0; i < 20; ++i) {
    const auto& a = forward.rows().executions()[i];
    const auto& b = backward.rows().executions()[i];
    CHECK((a.strategy == b.strategy && a.instance == b.instance && a.run == b.run && a.score == b.score));
  }
}

TEST_CASE("a repeated row counts once, contradicting rows set the instance aside for that strategy only") {
  StudyBuilder builder;
  builder.strategy("a").strategy("b");
  builder.answer(0, "q1", 1.0).answer(0, "q1", 1.0).answer(0, "q2", 1.0).answer(0, "q2", 0.0).answer(0, "q3", 0.0);
  builder.answer(1, "q2", 1.0);
  controlled::Results& results = builder.rows();
  results.finish();
  CHECK(results.repeated_rows() == 1);
  REQUIRE(results.contradictions().size() == 1);
  CHECK(results.instances()[results.contradictions()[0].instance] == "q2");
  CHECK(results.contradictions()[0].first.line == 3);
  CHECK(results.contradictions()[0].second.line == 4);
  CHECK(results.executions().size() == 3);
  const auto scores = controlled::instance_scores(results, 2);
  REQUIRE(scores[0].size() == 3);
  CHECK(scores[0][1].contradicted);
  CHECK_FALSE(scores[0][1].score(Failures::as_wrong));
  CHECK(scores[1][0].score(Failures::excluded) == 1.0);
}

TEST_CASE("runs of one instance are told apart by their name and averaged") {
  StudyBuilder builder;
  builder.strategy("a");
  builder.answer(0, "q1", 1.0, "r1").answer(0, "q1", 0.0, "r2").failure(0, "q1", "r3");
  builder.rows().finish();
  CHECK(builder.rows().contradictions().empty());
  const auto scores = controlled::instance_scores(builder.rows(), 1);
  REQUIRE(scores[0].size() == 1);
  CHECK(scores[0][0].score(Failures::excluded) == 0.5);
  CHECK(scores[0][0].score(Failures::as_wrong) == Approx(1.0 / 3.0));
}

TEST_CASE("an instance with two question types has none") {
  StudyBuilder builder;
  builder.strategy("a").strategy("b");
  builder.answer(0, "q1", 1.0, "", "update").answer(1, "q1", 1.0, "", "order").answer(0, "q2", 1.0, "", "update");
  builder.rows().finish();
  CHECK(builder.rows().mixed_types().size() == 1);
  CHECK_FALSE(builder.rows().type_of(0));
  REQUIRE(builder.rows().type_of(1));
  CHECK(builder.rows().question_types()[*builder.rows().type_of(1)] == "update");
}

TEST_CASE("matching keeps what both sides scored and says why the rest is dropped") {
  StudyBuilder builder;
  builder.strategy("a").strategy("b");
  controlled::ResultRow unscored;
  unscored.instance = "unscored";
  builder.answer(0, "both", 1.0).answer(1, "both", 0.0);
  builder.answer(0, "only a", 1.0).answer(1, "only b", 1.0);
  builder.failure(0, "broke").answer(1, "broke", 1.0);
  builder.add(0, unscored).answer(1, "unscored", 1.0);
  builder.rows().finish();
  const auto scores = controlled::instance_scores(builder.rows(), 2);
  const auto excluded = controlled::match(scores[0], scores[1], Failures::excluded);
  REQUIRE(excluded.pairs.size() == 1);
  CHECK(builder.rows().instances()[excluded.pairs[0].instance] == "both");
  REQUIRE(excluded.dropped.size() == 4);
  using controlled::DropReason;
  const auto reason = [&](const std::string& name) {
    for (const auto& dropped : excluded.dropped) {
      if (builder.rows().instances()[dropped.instance] == name) return std::pair(dropped.first, dropped.second);
    }
    FAIL(name + " was not dropped");
    return std::pair<std::optional<DropReason>, std::optional<DropReason>>();
  };
  using Reasons = std::pair<std::optional<DropReason>, std::optional<DropReason>>;
  CHECK(reason("only a") == Reasons(std::nullopt, DropReason::missing));
  CHECK(reason("only b") == Reasons(DropReason::missing, std::nullopt));
  CHECK(reason("broke") == Reasons(DropReason::failed, std::nullopt));
  CHECK(reason("unscored") == Reasons(DropReason::unscored, std::nullopt));
  const auto as_wrong = controlled::match(scores[0], scores[1], Failures::as_wrong);
  CHECK(as_wrong.pairs.size() == 2);
}
