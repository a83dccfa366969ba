// Tables of a made-up study against the chances that it was made with: four configurations, four runs, 500 tasks, one
// seed. Every number must lie in the bounds that chance keeps in 99.9 of 100 cases.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/chance_bounds.h"
#include "support/program.h"
#include "support/synthetic_study.h"

using memuse::rules::Measure;
using memuse::test::Bounds;
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

/// The cell of a row (of a group, where it matters) and a column.
nlohmann::json cell_of(const nlohmann::json& table, const std::string& row, const std::string& column,
                       const std::string& group = {}) {
  for (const nlohmann::json& candidate : table.at("rows")) {
    if (candidate.at("key") != row || (!group.empty() && candidate.at("group") != group)) continue;
    for (std::size_t i = 0; i < table.at("columns").size(); ++i) {
      if (table["columns"][i].at("key") == column) return candidate.at("cells").at(i);
    }
  }
  throw std::runtime_error("no cell " + group + "/" + row + "/" + column);
}

double value_of(const nlohmann::json& table, const std::string& row, const std::string& column,
                const std::string& group = {}) {
  return cell_of(table, row, column, group).at("value").get<double>();
}

std::uint64_t count_of(const nlohmann::json& table, const std::string& row, const std::string& column,
                       const std::string& group = {}) {
  return cell_of(table, row, column, group).at("value").get<std::uint64_t>();
}

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
    check_inside("resolved", value_of(success, name, "resolved"),
                 mean_bounds(configuration.resolved, resolve_variance(study, configuration)));
    if (!configuration.memory) continue;
    check_inside("difference", value_of(success, name, "difference") / 100.0,
                 mean_bounds(configuration.resolved - none.resolved,
                             resolve_variance(study, configuration) + resolve_variance(study, none)));

    const LabelChances& chances = configuration.labels;
    const auto spans = static_cast<double>(count_of(profile, "profiled_spans", name));
    CHECK(spans > 2000);
    for (const Measure measure :
         {Measure::relevance, Measure::corroboration, Measure::information_gain, Measure::acted_on, Measure::benefit,
          Measure::harm, Measure::contradicted, Measure::novelty_null, Measure::influence_null, Measure::effect_null}) {
      const double chance = chances.chance(measure);
      const std::string key(memuse::rules::info(measure).key);
      check_inside(key, value_of(profile, key, name),
                   mean_bounds(chance, chance * (1.0 - chance) * kMeanOfInverse / spans));
    }

    const std::uint64_t relevant = count_of(use, "relevant", name);
    const double unused = 1.0 - chances.influence_null - chances.acted_on - chances.selected - chances.referenced;
    const double unused_share = value_of(use, "unused_share", name);
    check_inside("unused", unused_share, share_bounds(relevant, unused));
    const auto unused_entries = static_cast<std::uint64_t>(std::llround(unused_share * static_cast<double>(relevant)));
    check_inside("novel among unused", value_of(use, "novel_among_unused_share", name),
                 share_bounds(unused_entries, chances.novel));
    const std::uint64_t acted_on = count_of(use, "acted_on", name);
    check_inside("acted on of relevant", static_cast<double>(acted_on) / static_cast<double>(relevant),
                 share_bounds(relevant, chances.acted_on));
    check_inside("improved", value_of(use, "improved_share", name), share_bounds(acted_on, chances.improved));
    check_inside("harmed", value_of(use, "harmed_share", name), share_bounds(acted_on, chances.harmed));
    check_inside("undetermined", value_of(use, "undetermined_share", name),
                 share_bounds(acted_on, chances.effect_null));
    check_inside("no effect", value_of(use, "no_effect_share", name),
                 share_bounds(acted_on, 1.0 - chances.improved - chances.harmed - chances.effect_null));
    check_inside("delay", value_of(use, "delay_median", name),
                 memuse::test::median_bounds(acted_on, 0, chances.longest_delay));
    // What is planted of entries and of outcomes is independent.
    check_inside("failed with beneficial use", value_of(use, "beneficial_failed_share", name),
                 share_bounds(count_of(use, "beneficial_known", name), 1.0 - configuration.resolved));
    check_inside("succeeded with harmful use", value_of(use, "harmful_succeeded_share", name),
                 share_bounds(count_of(use, "harmful_known", name), configuration.resolved));

    std::uint64_t assessed = 0;
    for (const auto& form : configuration.forms) {
      assessed += count_of(forms, form.form + "/" + std::string(memuse::name(form.route)), "assessed", name);
    }
    for (const auto& form : configuration.forms) {
      const std::string key = form.form + "/" + std::string(memuse::name(form.route));
      INFO(key);
      const std::uint64_t entries = count_of(forms, key, "assessed", name);
      check_inside("share of entries", static_cast<double>(entries) / static_cast<double>(assessed),
                   mean_bounds(form.share,
                               form.share * (1.0 - form.share) * kEntriesTimesEntries / static_cast<double>(assessed)));
      check_inside("relevant", value_of(forms, key, "relevant_rate", name), share_bounds(entries, chances.relevant));
      check_inside("acted on", value_of(forms, key, "acted_on_rate", name),
                   share_bounds(entries, chances.chance(Measure::acted_on)));
      check_inside("harmful", static_cast<double>(count_of(forms, key, "harmful", name)) / static_cast<double>(entries),
                   share_bounds(entries, chances.chance(Measure::harm)));
    }

    const auto with_entries =
        static_cast<double>(count_of(units, "judged", name) + count_of(units, "automatic_neutral", name));
    const double part = configuration.restatements - std::floor(configuration.restatements);
    const double restatements =
        value_of(units, "restatement_share", name) * static_cast<double>(count_of(units, "deliveries", name));
    check_inside("restatements per span", restatements / with_entries,
                 mean_bounds(configuration.restatements, part * (1.0 - part) / with_entries));
  }
}
