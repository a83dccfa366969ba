#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attribution/pairing.h"
#include "attribution/summaries.h"
#include "report/decimals.h"
#include "report/episode_columns.h"
#include "report/profile_columns.h"
#include "report/tables.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using attribution::CostSum;

/// Tasks that stand on one side only.
std::string unmatched_words(const attribution::Pairing& pairing, const std::string& name, const std::string& baseline) {
  const std::uint64_t own = pairing.only_first.size() + pairing.unnamed_first;
  const std::uint64_t others = pairing.only_second.size() + pairing.unnamed_second;
  return fmt::format("difference on the {} tasks in common; {} of {} and {} of {} have no counterpart",
                     with_separators(pairing.tasks.size()), with_separators(own), name, with_separators(others),
                     baseline);
}

/// Enough decimals to tell costs of this size apart.
int cost_decimals(const std::vector<CostSum>& costs) {
  double largest = 0.0;
  for (const CostSum& cost : costs) largest = std::max(largest, cost.per_episode().value_or(0.0));
  return largest >= 1.0 ? 2 : 4;
}

class SuccessTable {
 public:
  SuccessTable(const attribution::StudyFacts& study, const TableOptions& options)
      : study_(study), options_(options), baseline_name_(study.profile.baseline) {
    table_.name = "success";
    table_.title =
        options.pooling == Pooling::runs ? "Task success and cost by run" : "Task success and cost by configuration";
    table_.columns = {{"label", options.pooling == Pooling::runs ? "Run" : "Configuration", Align::left, 32},
                      {"runs", "Runs"},
                      {"episodes", "Episodes"},
                      {"resolved", "Resolved %"},
                      {"difference", "Difference, points"},
                      {"cost_per_episode", "Cost per episode, $"},
                      {"cost_increase", "Cost increase %"}};
    if (options.pooling == Pooling::runs)
      std::erase_if(table_.columns, [](const Column& c) { return c.key == "runs"; });
    baseline_ = attribution::episodes_of(study, baseline_name_);
    baseline_cost_ = attribution::sum_costs(baseline_);
    add_rows();
  }

  Table take() { return std::move(table_); }

 private:
  void add_rows() {
    std::vector<EpisodeColumn> lines = episode_columns(study_, options_.pooling);
    std::stable_partition(lines.begin(), lines.end(),
                          [this](const EpisodeColumn& line) { return line.configuration == baseline_name_; });
    std::vector<CostSum> costs{baseline_cost_};
    for (const EpisodeColumn& line : lines) costs.push_back(attribution::sum_costs(line.episodes));
    decimals_ = cost_decimals(costs);
    for (std::size_t i = 0; i < lines.size(); ++i) add_row(lines[i], costs[i + 1]);
  }

  void add_row(const EpisodeColumn& line, const CostSum& cost) {
    const bool per_run = options_.pooling == Pooling::runs;
    const auto& configuration = *std::find_if(
        study_.profile.configurations.begin(), study_.profile.configurations.end(),
        [&line](const rules::ConfigurationProfile& known) { return known.configuration == line.configuration; });
    const std::string label = per_run ? line.key.substr(line.configuration.size() + 1) : line.name;
    Row row{label, per_run ? line.configuration : std::string(), {Cell::text(label)}};
    if (!per_run) row.cells.push_back(Cell::count(configuration.runs.size()));
    row.cells.push_back(Cell::count(line.episodes.size()));
    row.cells.push_back(per_run ? resolved_of_run(configuration, label) : resolved_over_runs(configuration));
    row.cells.push_back(difference(line));
    row.cells.push_back(cost_cell(cost));
    row.cells.push_back(increase(line, cost));
    table_.rows.push_back(std::move(row));
  }

  static Cell resolved_over_runs(const rules::ConfigurationProfile& configuration) {
    const auto& spread = configuration.spread(rules::Measure::resolved);
    if (!spread) return Cell::missing();
    return Cell::percent(spread->mean, kPercentDecimals).with_deviation(spread->deviation);
  }

  static Cell resolved_of_run(const rules::ConfigurationProfile& configuration, const std::string& run) {
    for (const rules::RunProfile& known : configuration.runs) {
      if (known.run == run) return Cell::percent(known.profile.value(rules::Measure::resolved), kPercentDecimals);
    }
    return Cell::missing();
  }

  Cell difference(const EpisodeColumn& line) {
    if (baseline_.empty() || line.configuration == baseline_name_) return Cell::missing();
    const attribution::Pairing pairing = attribution::pair_by_task(line.episodes, baseline_);
    const attribution::Ratio resolved = attribution::measure_ratio(rules::Measure::resolved, study_.profile.estimator);
    const attribution::Difference found =
        attribution::paired_differences(pairing, std::span(&resolved, 1), options_.resampling).front();
    Cell cell = Cell::percent(found.value, kPercentDecimals);
    if (!found.value) return cell;
    const bool all_matched =
        pairing.only_first.size() + pairing.only_second.size() + pairing.unnamed_first + pairing.unnamed_second == 0;
    if (options_.resampling.resamples > 0) {
      attribution::RatioEstimate estimate;
      estimate.interval = found.interval;
      estimate.few_events = found.few_events;
      cell = with_interval(table_, cell, estimate);
    }
    if (!all_matched) {
      // The mark of a missing interval goes before: what was compared stands in the caption then.
      const std::string words = unmatched_words(pairing, line.name, baseline_name_);
      if (cell.note == 0) {
        cell = cell.with_note(add_note(table_, words));
      } else {
        table_.caption += fmt::format(" {}: {}.", line.name, words);
      }
    }
    return cell;
  }

  Cell cost_cell(const CostSum& cost) {
    Cell cell = Cell::number(cost.per_episode(), decimals_);
    if (cell.kind == Cell::Kind::missing || cost.episodes_without_full_cost + cost.episodes_estimated == 0) return cell;
    std::string words;
    if (cost.episodes_estimated > 0) {
      words = fmt::format("estimated in {} of {} episodes", with_separators(cost.episodes_estimated),
                          with_separators(cost.episodes));
    }
    if (cost.is_partial()) {
      words += fmt::format("{}without {} of {} episodes, whose cost is not known in full", words.empty() ? "" : "; ",
                           with_separators(cost.episodes_without_full_cost), with_separators(cost.episodes));
    }
    return cell.with_note(add_note(table_, words));
  }

  Cell increase(const EpisodeColumn& line, const CostSum& cost) {
    const auto own = cost.per_episode();
    const auto of_baseline = baseline_cost_.per_episode();
    if (baseline_.empty() || line.configuration == baseline_name_ || !own || !of_baseline || *of_baseline == 0.0) {
      return Cell::missing();
    }
    const Cell cell = Cell::percent(*own / *of_baseline - 1.0, kPercentDecimals);
    if (!cost.is_partial() && !baseline_cost_.is_partial()) return cell;
    return cell.with_note(add_note(table_, "from costs that are partly unknown"));
  }

  const attribution::StudyFacts& study_;
  const TableOptions& options_;
  const std::string& baseline_name_;
  attribution::Episodes baseline_;
  CostSum baseline_cost_;
  int decimals_ = 2;
  Table table_;
};

std::string baseline_words(const attribution::StudyFacts& study, const TableOptions& options) {
  if (study.profile.baseline.empty()) {
    return "No baseline is named (column `baseline` of the manifest, or --baseline), so nothing is compared.";
  }
  const std::string interval = options.resampling.resamples == 0
                                   ? std::string("no intervals were asked for")
                                   : fmt::format("in brackets: paired {}", resampling_words(study, options.resampling));
  return fmt::format(
      "Difference: to {} in percentage points, {}, over the tasks that both have; {}. Cost increase: over the "
      "baseline's cost per episode.",
      study.profile.baseline,
      options.pooling == Pooling::runs ? "all runs of the baseline together" : "all runs of a configuration together",
      interval);
}

std::string missing_words(const attribution::StudyFacts& study) {
  std::uint64_t without_result = 0;
  std::uint64_t calls_without_cost = 0;
  for (const attribution::EpisodeFacts& facts : study.episodes) {
    if (!facts.resolved) ++without_result;
    calls_without_cost += facts.cost.unknown_calls();
  }
  std::string words;
  if (without_result > 0) {
    words += fmt::format(" Episodes without a result: {} of {}.", with_separators(without_result),
                         with_separators(study.episodes.size()));
  }
  if (calls_without_cost > 0) {
    words += fmt::format(" Calls of unknown cost: {}.", with_separators(calls_without_cost));
  }
  return words;
}

}  // namespace

Table success_table(const attribution::StudyFacts& study, const JudgementSetRecord& set, const TableOptions& options) {
  Table table = SuccessTable(study, options).take();
  const char* resolved =
      options.pooling == Pooling::runs
          ? "Resolved: over all tasks of the run, those without a result counting as not resolved."
          : "Resolved: mean ± sample standard deviation over runs, each over all its tasks, those without a result "
            "counting as not resolved.";
  table.caption = fmt::format(
      "{} {} Cost: US dollars for the calls of agent and memory system, attempts set aside not among them, over the "
      "episodes whose cost is known in full. {}{}{} {} A dash: unknown, or nothing to compute it from.",
      resolved, baseline_words(study, options), options.cost_sentence, missing_words(study), table.caption,
      provenance(study.profile, set));
  return table;
}

}  // namespace memuse::report
