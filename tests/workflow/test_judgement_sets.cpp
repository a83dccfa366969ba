#include "workflow/judgement_sets.h"

#include <catch2/catch.hpp>

#include "model/error.h"

using namespace memuse;
using Catch::Matchers::Contains;
using workflow::choose_judgement_set;

namespace {

JudgementSetRecord set(std::int64_t id, const std::string& judge, const std::string& settings = "{}") {
  JudgementSetRecord record;
  record.id = id;
  record.judge = judge;
  record.settings = settings;
  return record;
}

std::string refusal(const std::vector<JudgementSetRecord>& sets, const std::string& name) {
  try {
    (void)choose_judgement_set(sets, name);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a judgement set is named by its judge, without its version, or by its number") {
  const std::vector<JudgementSetRecord> sets{set(1, "tracer/1"), set(2, "label:ada"), set(5, "vendor/model"),
                                             set(6, "vendor/model", R"({"temperature": 1})"), set(7, "vendor")};
  CHECK(choose_judgement_set(sets, "tracer").id == 1);
  CHECK(choose_judgement_set(sets, "tracer/1").id == 1);
  CHECK(choose_judgement_set(sets, "label:ada").id == 2);
  CHECK(choose_judgement_set(sets, "#6").id == 6);
  // An exact name goes before names that begin with it.
  CHECK(choose_judgement_set(sets, "vendor").id == 7);
  CHECK_THAT(refusal(sets, "vendor/model"),
             Contains("#5 vendor/model\n  #6 vendor/model (temperature 1)") && !Contains("tracer"));
  CHECK_THAT(refusal(sets, "#4"), Contains("no answers of judge '#4'") && Contains("#1 tracer/1"));
  CHECK_THAT(refusal(sets, "label:ad"), Contains("no answers"));
  CHECK_THAT(refusal(sets, "#99999999999999999999"), Contains("no answers"));
  CHECK_THAT(refusal({}, "tracer"), Contains("memuse judge"));
}

TEST_CASE("without a name the only set is meant, or the only one beside labels") {
  CHECK(choose_judgement_set({}, "").judge.empty());
  CHECK(choose_judgement_set({set(3, "label:ada")}, "").id == 3);
  CHECK(choose_judgement_set({set(1, "label:ada"), set(2, "tracer/1"), set(3, "label:ben")}, "").id == 2);
  CHECK_THAT(
      refusal({set(1, "label:ada"), set(2, "tracer/1"), set(3, "model")}, ""),
      Contains("several judgement sets") && Contains("#2 tracer/1") && Contains("#3 model") && !Contains("label:ada"));
  CHECK_THAT(refusal({set(1, "label:ada"), set(2, "label:ben")}, ""), Contains("#1 label:ada"));
}

TEST_CASE("settings that are long or hostile do not spoil the list of sets") {
  CHECK(workflow::set_summary(set(1, "m", R"({"a": ")" + std::string(5000, 'x') + R"("})")).size() < 200);
  CHECK(workflow::set_summary(set(1, "m\x1b[0m", "not JSON")) == "#1 m\\x1b[0m");
}
