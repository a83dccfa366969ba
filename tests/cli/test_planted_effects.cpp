// Tables of a made-up study against the chances that it was made with: four configurations, four runs, 500 tasks, one
// seed. Every number must lie in the bounds that chance keeps in 99.9 of 100 cases.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/chance_bounds.h"
#include "support/json_table.h"
#include "support/program.h"
#include "support/synthetic_study.h"

using memuse::rules::Measure;
using memuse::test::Bounds;
using memuse::test::json_count;
using memuse::test::json_value;
using memuse::test::LabelChances;
using memuse::test::mean_bounds;
using memuse::test::memuse_output;
using memuse::test::share_bounds;
using memuse::test::SyntheticConfiguration;
using memuse::test::SyntheticStudy;

namespace {

constexpr std::uint64_t kPlantedSeed = 1;

/// Spans have one, two, three, one, … entries.
constexpr double kMeanOfInverse = (1.0 + 1.0 / 2.0 + 1.0 / 3.0) / 3.0;
constexpr double kEntriesTimesEntries = (1.0 + 4.0 + 9.0) / (1.0 + 2.0 + 3.0);

/// The planted study, written once, with its tables.
class PlantedStudy {
 public:
  PlantedStudy() : study(memuse::test::planted_study(kPlantedSeed)) {
    memuse::test::write_study(folder_.database().string(), study.source(), "none");
  }

  [[nodiscard]] nlohmann::json table(const std::vector<std::string>& command) const {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--db", folder_.database().string(), "--json"});
    return nlohmann::json::parse(memuse_output(arguments));
  }

  SyntheticStudy study;

 private:
  memuse::test::TemporaryFolder folder_;
};

void check_inside(const std::string& what, double value, const Bounds& bounds) {
  INFO(what << ": " << value << " in [" << bounds.low << ", " << bounds.high << "]");
  CHECK(bounds.hold(value));
}

/// Of the resolve rate over the study's episodes: the mean of p (1 - p) over tasks whose chances lie evenly spread.
double resolve_variance(const SyntheticStudy& study, const SyntheticConfiguration& configuration) {
  const double mean = configuration.resolved;
  const double spread = study.difficulty_spread * study.difficulty_spread / 12.0;
  return (mean * (1.0 - mean) - spread) / (study.runs * study.tasks);
}

}  // namespace

TEST_CASE("planted effects come out of the tables inside the bounds of chance") {
  const PlantedStudy planted;
  const SyntheticStudy& study = planted.study;
  const SyntheticConfiguration& none = study.configurations.front();

  const nlohmann::json success = planted.table({"tables", "success", "--resamples", "200"});
  const nlohmann::json profile = planted.table({"tables", "profile"});
  const nlohmann::json use = planted.table({"tables", "use"});
  const nlohmann::json forms = planted.table({"tables", "forms"});
  const nlohmann::json units = planted.table({"tables", "units"});

  for (const SyntheticConfiguration& configuration : study.configurations) {
    const std::string& name = configuration.name;
    INFO(name);
    check_inside("resolved", json_value(success, name, "resolved"),
                 mean_bounds(configuration.resolved, resolve_variance(study, configuration)));
    if (!configuration.memory) continue;
    check_inside("difference", json_value(success, name, "difference"),
                 mean_bounds(configuration.resolved - none.resolved,
                             resolve_variance(study, configuration) + resolve_variance(study, none)));

    const LabelChances& chances = configuration.labels;
    const auto spans = static_cast<double>(json_count(profile, "profiled_spans", name));
    CHECK(spans > 2000);
    for (const Measure measure :
         {Measure::relevance, Measure::corroboration, Measure::information_gain, Measure::acted_on, Measure::benefit,
          Measure::harm, Measure::contradicted, Measure::novelty_null, Measure::influence_null, Measure::effect_null}) {
      const double chance = chances.chance(measure);
      const std::string key(memuse::rules::info(measure).key);
      check_inside(key, json_value(profile, key, name),
                   mean_bounds(chance, chance * (1.0 - chance) * kMeanOfInverse / spans));
    }

    const std::uint64_t relevant = json_count(use, "relevant", name);
    const double unused = 1.0 - chances.influence_null - chances.acted_on - chances.selected - chances.referenced;
    const double unused_share = json_value(use, "unused_share", name);
    check_inside("unused", unused_share, share_bounds(relevant, unused));
    const auto unused_entries = static_cast<std::uint64_t>(std::llround(unused_share * static_cast<double>(relevant)));
    check_inside("novel among unused", json_value(use, "novel_among_unused_share", name),
                 share_bounds(unused_entries, chances.novel));
    const std::uint64_t acted_on = json_count(use, "acted_on", name);
    check_inside("acted on of relevant", static_cast<double>(acted_on) / static_cast<double>(relevant),
                 share_bounds(relevant, chances.acted_on));
    check_inside("improved", json_value(use, "improved_share", name), share_bounds(acted_on, chances.improved));
    check_inside("harmed", json_value(use, "harmed_share", name), share_bounds(acted_on, chances.harmed));
    check_inside("undetermined", json_value(use, "undetermined_share", name),
                 share_bounds(acted_on, chances.effect_null));
    check_inside("no effect", json_value(use, "no_effect_share", name),
                 share_bounds(acted_on, 1.0 - chances.improved - chances.harmed - chances.effect_null));
    check_inside("delay", json_value(use, "delay_median", name),
                 memuse::test::median_bounds(acted_on, 0, chances.longest_delay));
    // What is planted of entries and of outcomes is independent.
    check_inside("failed with beneficial use", json_value(use, "beneficial_failed_share", name),
                 share_bounds(json_count(use, "beneficial_known", name), 1.0 - configuration.resolved));
    check_inside("succeeded with harmful use", json_value(use, "harmful_succeeded_share", name),
                 share_bounds(json_count(use, "harmful_known", name), configuration.resolved));

    std::uint64_t assessed = 0;
    for (const auto& form : configuration.forms) {
      assessed += json_count(forms, form.form + "/" + std::string(memuse::name(form.route)), "assessed", name);
    }
    for (const auto& form : configuration.forms) {
      const std::string key = form.form + "/" + std::string(memuse::name(form.route));
      INFO(key);
      const std::uint64_t entries = json_count(forms, key, "assessed", name);
      check_inside("share of entries", static_cast<double>(entries) / static_cast<double>(assessed),
                   mean_bounds(form.share,
                               form.share * (1.0 - form.share) * kEntriesTimesEntries / static_cast<double>(assessed)));
      check_inside("relevant", json_value(forms, key, "relevant_rate", name), share_bounds(entries, chances.relevant));
      check_inside("acted on", json_value(forms, key, "acted_on_rate", name),
                   share_bounds(entries, chances.chance(Measure::acted_on)));
      check_inside("harmful",
                   static_cast<double>(json_count(forms, key, "harmful", name)) / static_cast<double>(entries),
                   share_bounds(entries, chances.chance(Measure::harm)));
    }

    const auto with_entries =
        static_cast<double>(json_count(units, "judged", name) + json_count(units, "automatic_neutral", name));
    const double part = configuration.restatements - std::floor(configuration.restatements);
    const double restatements =
        json_value(units, "restatement_share", name) * static_cast<double>(json_count(units, "deliveries", name));
    check_inside("restatements per span", restatements / with_entries,
                 mean_bounds(configuration.restatements, part * (1.0 - part) / with_entries));
  }
}
