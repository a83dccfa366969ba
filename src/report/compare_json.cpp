#include <algorithm>

#include "model/version.h"
#include "report/compare_tables.h"
#include "report/compare_words.h"
#include "report/exports.h"

namespace memuse::report {
namespace {

using attribution::Comparison;
using attribution::MeasureDifference;

std::string_view unit_name(attribution::ComparedUnit unit) {
  switch (unit) {
    case attribution::ComparedUnit::share:
      return "share";
    case attribution::ComparedUnit::dollars:
      return "usd_per_episode";
    case attribution::ComparedUnit::per_hundred_spans:
      return "per_hundred_spans";
    case attribution::ComparedUnit::per_million_tokens:
      return "per_million_tokens";
    case attribution::ComparedUnit::tokens:
      return "tokens_per_episode";
  }
  return {};
}

Json names_json(const CompareReport& report, const std::vector<attribution::NameId>& ids) {
  Json list = Json::array();
  for (const attribution::NameId id : ids) list.push_back(report.study.name(id));
  return list;
}

Json measure_json(const MeasureDifference& row) {
  Json interval(nullptr);
  if (row.interval) interval = {row.interval->low, row.interval->high};
  return {{"measure", row.measure->key},
          {"unit", unit_name(row.measure->unit)},
          {"first", or_null(row.first)},
          {"second", or_null(row.second)},
          {"difference", or_null(row.difference)},
          {"interval", interval},
          {"p", or_null(row.p)},
          {"p_method", or_null(std::string(p_method_name(row.p_method)))},
          {"holm_p", or_null(row.holm_p)},
          {"in_family", row.in_family},
          {"events", {row.events_first, row.events_second}},
          {"few_events", row.few_events}};
}

Json factor_json(const attribution::FactorState& state) {
  return {{"factor", attribution::name(state.factor)},
          {"state", attribution::name(state.state)},
          {"first", state.first},
          {"second", state.second}};
}

Json comparison_json(const CompareReport& report, const Comparison& comparison) {
  Json measures = Json::array();
  for (const MeasureDifference& row : comparison.measures) measures.push_back(measure_json(row));
  Json factors = Json::array();
  for (const attribution::FactorState& state : comparison.factors) factors.push_back(factor_json(state));
  const auto& pairing = comparison.pairing;
  return {{"second", comparison.second},
          {"matched_tasks", pairing.tasks.size()},
          {"clusters", pairing.clusters()},
          {"episodes", {pairing.first_episodes().size(), pairing.second_episodes().size()}},
          {"episodes_without_result", {comparison.without_result_first, comparison.without_result_second}},
          {"episodes_of_unknown_cost", {comparison.cost_unknown_first, comparison.cost_unknown_second}},
          {"episodes_of_estimated_cost", {comparison.cost_estimated_first, comparison.cost_estimated_second}},
          {"unmatched",
           {{"first", names_json(report, pairing.only_first)},
            {"second", names_json(report, pairing.only_second)},
            {"episodes_without_task", {pairing.unnamed_first, pairing.unnamed_second}}}},
          {"factors", std::move(factors)},
          {"warnings", warnings_of(comparison, report.declared)},
          {"measures", std::move(measures)}};
}

}  // namespace

nlohmann::ordered_json compare_json(const CompareReport& report) {
  const stats::Resampling& resampling = report.request.resampling;
  Json comparisons = Json::array();
  for (const Comparison& comparison : report.comparisons) comparisons.push_back(comparison_json(report, comparison));
  return {{"compare", "memuse-compare/1"},
          {"rule_set", kRuleSet},
          {"judge", or_null(report.set.judge)},
          {"token_estimator", rules::name(report.study.profile.estimator)},
          {"first", report.request.first},
          {"declared_factor", attribution::name(report.declared)},
          {"resampling",
           {{"method", method_name(resampling.method)},
            {"resamples", resampling.resamples},
            {"seed", resampling.seed},
            {"confidence", resampling.confidence}}},
          {"family", {{"name", report.family_name}, {"measures", report.request.family}}},
          {"caption", compare_caption(report)},
          {"comparisons", std::move(comparisons)}};
}

}  // namespace memuse::report
