#include "attribution/summaries.h"

#include <catch2/catch.hpp>

#include "random_study.h"

using namespace memuse;
using attribution::DifficultyLevel;
using attribution::StudyFacts;

TEST_CASE("use of memory in the small study") {
  const StudyFacts study = test::small_study();
  const auto cards = attribution::summarise_use(study, attribution::episodes_of(study, "cards"));
  CHECK(cards.profiled_spans == 5);
  CHECK(cards.assessed == 8);
  CHECK(cards.relevant == 7);
  CHECK(cards.unused == 2);
  CHECK(cards.novel_unused == 1);
  CHECK(cards.acted_on == 5);
  CHECK(cards.improved == 2);
  CHECK(cards.no_effect == 1);
  CHECK(cards.harmed == 1);
  CHECK(cards.undetermined == 1);
  REQUIRE(cards.delay);  // 0, 2, 2, 3, 8
  CHECK(cards.delay->n == 5);
  CHECK(cards.delay->lower_quartile == 2.0);
  CHECK(cards.delay->median == 2.0);
  CHECK(cards.delay->upper_quartile == 3.0);
  CHECK(cards.delay->max == 8);
  CHECK(cards.beneficial.episodes() == 2);
  CHECK(cards.beneficial.failed == 0);
  CHECK(cards.harmful.episodes() == 1);
  CHECK(cards.harmful.resolved == 1);
  const auto notes = attribution::summarise_use(study, attribution::episodes_of(study, "notes"));
  CHECK(notes.relevant == 1);
  CHECK_FALSE(notes.delay);
}

TEST_CASE("use adds up to the counts of the profile") {
  const StudyFacts study = test::study_of(test::random_study(7, 60), {}, "");
  REQUIRE(study.profile.configurations.size() >= 2);
  for (const auto& configuration : study.profile.configurations) {
    const auto use = attribution::summarise_use(study, attribution::episodes_of(study, configuration.configuration));
    const rules::Counts& counts = configuration.pooled.counts;
    CHECK(use.profiled_spans == counts.profiled_spans);
    CHECK(use.assessed == counts.assessed_entries);
    CHECK(use.improved == counts.beneficial_entries);
    CHECK(use.harmed == counts.harmful_entries);
    CHECK(use.improved + use.no_effect + use.harmed + use.undetermined == use.acted_on);
    std::uint64_t tokens = 0;
    std::uint64_t assessed = 0;
    std::uint64_t deliveries = 0;
    for (const auto& form :
         attribution::summarise_forms(study, attribution::episodes_of(study, configuration.configuration))) {
      tokens += form.tokens;
      assessed += form.assessed;
      deliveries += form.deliveries;
    }
    CHECK(tokens == counts.estimated_tokens);
    CHECK(assessed == counts.assessed_entries);
    CHECK(deliveries == counts.deliveries);
  }
}

TEST_CASE("costs: agent and memory system per retained episode - unknown ones are counted") {
  const StudyFacts study = test::small_study();
  const auto cards = attribution::sum_costs(attribution::episodes_of(study, "cards"));
  CHECK(*cards.per_episode() == Approx(0.15));
  CHECK_FALSE(cards.is_partial());
  const auto notes = attribution::sum_costs(attribution::episodes_of(study, "notes"));
  CHECK(*notes.per_episode() == Approx(0.2));
  CHECK(notes.is_partial());
  CHECK(notes.episodes_without_full_cost == 1);
  CHECK(notes.calls_without_cost == 1);
  const StudyFacts unknown = test::study_of({test::attempt("c", "r1", "t", true, {})}, {}, "");
  CHECK_FALSE(attribution::sum_costs(attribution::episodes_of(unknown, "c")).per_episode());
  const StudyFacts free_of_charge = test::study_of({test::attempt("c", "r1", "t", true, 0.0)}, {}, "");
  CHECK(attribution::sum_costs(attribution::episodes_of(free_of_charge, "c")).per_episode() == 0.0);
}

TEST_CASE("tasks by the number of baseline runs that solved them") {
  const StudyFacts study = test::small_study();
  const auto difficulty = attribution::group_by_difficulty(attribution::episodes_of(study, "base"),
                                                           attribution::episodes_of(study, "cards"));
  CHECK(difficulty.baseline_runs == 2);
  CHECK(difficulty.episodes_without_baseline == 2);
  REQUIRE(difficulty.levels.size() == 4);
  const DifficultyLevel& none = difficulty.levels[0];  // t3
  CHECK(none.solved_by == 0U);
  CHECK(none.tasks == 1);
  CHECK(none.episodes() == 2);
  CHECK(none.outcomes.resolved == 1);
  CHECK(none.with_acted_on == 2);
  CHECK(none.with_beneficial == 1);
  const DifficultyLevel& not_known = difficulty.levels[3];  // t5
  CHECK_FALSE(not_known.solved_by);
  CHECK(not_known.tasks == 1);
  CHECK(not_known.episodes() == 0);
}

TEST_CASE("effects count as assessed only where a judge could see them") {
  auto records = test::small_study_records();
  for (auto& record : records) record.episode.has_probe = false;
  const StudyFacts study = test::study_of(records);
  const auto cards = attribution::episodes_of(study, "cards");
  CHECK(attribution::effects_assessed(cards, {}));
  CHECK_FALSE(attribution::effects_assessed(cards, {true, true, true}));
  CHECK_FALSE(attribution::effects_assessed(attribution::episodes_of(study, "base"), {}));
}
