#include "attribution/comparison.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "attribution/compared_factors.h"
#include "attribution/ratio.h"
#include "attribution/summaries.h"
#include "stats/holm.h"
#include "stats/mcnemar.h"

namespace memuse::attribution {
namespace {

using rules::Measure;

ComparedMeasure of_profile(Measure measure, ComparedUnit unit) {
  const rules::MeasureInfo& info = rules::info(measure);
  return {info.key, info.label, info.definition, unit, measure};
}

std::vector<ComparedMeasure> all_measures() {
  std::vector<ComparedMeasure> all{of_profile(Measure::resolved, ComparedUnit::share),
                                   {"cost", "Cost per episode",
                                    "US dollars, agent and memory system, over the episodes "
                                    "whose cost is known in full",
                                    ComparedUnit::dollars, std::nullopt},
                                   {"delivered_tokens", "Delivered tokens per episode",
                                    "of all deliveries, restatements included", ComparedUnit::tokens, std::nullopt}};
  for (const Measure axis : {Measure::relevance, Measure::corroboration, Measure::information_gain, Measure::acted_on,
                             Measure::benefit, Measure::harm, Measure::contradicted}) {
    all.push_back(of_profile(axis, ComparedUnit::share));
  }
  all.push_back(of_profile(Measure::beneficial_yield, ComparedUnit::per_hundred_spans));
  all.push_back(of_profile(Measure::harmful_yield, ComparedUnit::per_hundred_spans));
  all.push_back(of_profile(Measure::token_efficiency, ComparedUnit::per_million_tokens));
  return all;
}

/// Nothing stays nothing: no −0 in any output.
double negated(double value) {
  return 0.0 - value;
}

double has_whole_cost(const EpisodeFacts& facts) {
  return facts.cost.usd() ? 1.0 : 0.0;
}

double has_recorded_deliveries(const EpisodeFacts& facts) {
  return facts.deliveries_recorded ? 1.0 : 0.0;
}

Ratio ratio_of(const ComparedMeasure& measure, rules::TokenEstimator estimator) {
  if (measure.profile) return measure_ratio(*measure.profile, estimator);
  if (measure.unit == ComparedUnit::dollars) {
    return {[](const EpisodeFacts& facts) { return facts.cost.usd().value_or(0.0); }, has_whole_cost, has_whole_cost};
  }
  const auto tokens = [estimator](const EpisodeFacts& facts) {
    return facts.deliveries_recorded ? static_cast<double>(facts.tokens(estimator)) : 0.0;
  };
  return {tokens, has_recorded_deliveries, has_recorded_deliveries};
}

bool is_about_effects(Measure measure) {
  switch (measure) {
    case Measure::benefit:
    case Measure::harm:
    case Measure::beneficial_yield:
    case Measure::harmful_yield:
    case Measure::token_efficiency:
      return true;
    default:
      return false;
  }
}

/// True when the judge assesses the measure in these episodes: else its sums say nothing.
bool is_assessed_in(const Episodes& episodes, Measure measure, const StudyFacts& study, const rules::Profile& profile) {
  if (measure == Measure::resolved) return true;
  if (!profile.value(measure)) return false;
  return !is_about_effects(measure) || effects_assessed(episodes, study.profile.assessed);
}

const rules::Profile& profile_of(const StudyFacts& study, const std::string& configuration) {
  const auto& all = study.profile.configurations;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& known) { return known.configuration == configuration; });
  assert(found != all.end());
  return found->pooled;
}

/// Every side has one execution of every task, and tasks are what is resampled.
bool has_single_executions(const Pairing& pairing) {
  return pairing.clusters() == pairing.tasks.size() &&
         std::all_of(pairing.tasks.begin(), pairing.tasks.end(),
                     [](const PairedTask& task) { return task.first.size() == 1 && task.second.size() == 1; });
}

/// One pair of configurations, still without adjusted p-values.
class OneComparison {
 public:
  OneComparison(const StudyFacts& study, const ComparisonRequest& request, const std::string& second)
      : study_(study), request_(request) {
    const Episodes of_first = episodes_of(study, request.first);
    const Episodes of_second = episodes_of(study, second);
    comparison_.second = second;
    comparison_.pairing = pair_by_task(of_first, of_second);
    comparison_.factors = compare_factors(study, of_first, of_second, comparison_.pairing);
    first_ = comparison_.pairing.first_episodes();
    second_ = comparison_.pairing.second_episodes();
  }

  Comparison take() {
    count();
    compare_measures();
    if (has_single_executions(comparison_.pairing)) test_resolved_exactly();
    return std::move(comparison_);
  }

 private:
  void count() {
    const CostSum first = sum_costs(first_);
    const CostSum second = sum_costs(second_);
    comparison_.cost_unknown_first = first.episodes_without_full_cost;
    comparison_.cost_unknown_second = second.episodes_without_full_cost;
    comparison_.cost_estimated_first = first.episodes_estimated;
    comparison_.cost_estimated_second = second.episodes_estimated;
    const auto has_no_result = [](const EpisodeFacts* facts) { return !facts->resolved; };
    comparison_.without_result_first =
        static_cast<std::uint64_t>(std::count_if(first_.begin(), first_.end(), has_no_result));
    comparison_.without_result_second =
        static_cast<std::uint64_t>(std::count_if(second_.begin(), second_.end(), has_no_result));
  }

  void compare_measures() {
    const auto& measures = compared_measures();
    std::vector<Ratio> ratios;
    for (const ComparedMeasure& measure : measures) {
      ratios.push_back(ratio_of(measure, study_.profile.estimator));
    }
    const std::vector<Difference> differences = paired_differences(comparison_.pairing, ratios, request_.resampling);
    for (std::size_t i = 0; i < measures.size(); ++i) {
      comparison_.measures.push_back(measured(measures[i], differences[i]));
    }
  }

  /// From first minus second to second minus first: only signs change.
  MeasureDifference measured(const ComparedMeasure& measure, const Difference& difference) const {
    MeasureDifference row;
    row.measure = &measure;
    row.in_family = std::find(request_.family.begin(), request_.family.end(), measure.key) != request_.family.end();
    const bool in_first = is_assessed(measure, first_, request_.first);
    const bool in_second = is_assessed(measure, second_, comparison_.second);
    if (in_first) row.first = difference.first;
    if (in_second) row.second = difference.second;
    if (!in_first || !in_second || !difference.value) return row;
    row.difference = negated(*difference.value);
    row.events_first = difference.events_first;
    row.events_second = difference.events_second;
    row.few_events = difference.few_events;
    if (difference.interval) {
      row.interval = stats::Interval{negated(difference.interval->high), negated(difference.interval->low)};
    }
    row.p = difference.p;
    if (row.p) row.p_method = PMethod::bootstrap;
    return row;
  }

  bool is_assessed(const ComparedMeasure& measure, const Episodes& episodes, const std::string& configuration) const {
    return !measure.profile || is_assessed_in(episodes, *measure.profile, study_, profile_of(study_, configuration));
  }

  void test_resolved_exactly() {
    for (const PairedTask& task : comparison_.pairing.tasks) {
      const bool first = task.first.front()->resolved == true;
      const bool second = task.second.front()->resolved == true;
      if (first && !second) ++comparison_.discordant_first;
      if (second && !first) ++comparison_.discordant_second;
    }
    for (MeasureDifference& row : comparison_.measures) {
      if (row.measure->profile != Measure::resolved || !row.difference) continue;
      row.p = stats::mcnemar_exact(comparison_.discordant_first, comparison_.discordant_second);
      row.p_method = PMethod::mcnemar;
    }
  }

  const StudyFacts& study_;
  const ComparisonRequest& request_;
  Comparison comparison_;
  Episodes first_, second_;
};

void adjust(std::vector<Comparison>& comparisons) {
  std::vector<std::optional<double>> p_values;
  for (const Comparison& comparison : comparisons) {
    for (const MeasureDifference& row : comparison.measures) {
      if (row.in_family) p_values.push_back(row.p);
    }
  }
  const std::vector<std::optional<double>> adjusted = stats::holm_adjusted(p_values);
  std::size_t next = 0;
  for (Comparison& comparison : comparisons) {
    for (MeasureDifference& row : comparison.measures) {
      if (row.in_family) row.holm_p = adjusted[next++];
    }
  }
}

}  // namespace

const std::vector<ComparedMeasure>& compared_measures() {
  static const std::vector<ComparedMeasure> all = all_measures();
  return all;
}

const std::vector<std::string>& default_family() {
  static const std::vector<std::string> family{"resolved", "cost", "acted_on", "benefit", "harm", "token_efficiency"};
  return family;
}

std::vector<Comparison> compare_configurations(const StudyFacts& study, const ComparisonRequest& request) {
  std::vector<Comparison> comparisons;
  for (const std::string& second : request.seconds) {
    comparisons.push_back(OneComparison(study, request, second).take());
  }
  adjust(comparisons);
  return comparisons;
}

}  // namespace memuse::attribution
