#include <fmt/format.h>

#include "report/delta_tables.h"
#include "report/delta_words.h"

namespace memuse::report {
namespace {

using Json = nlohmann::ordered_json;
using controlled::Component;
using controlled::Failures;

Json known_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json known_or_null(const std::optional<std::string>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json with_interval(double value, const std::optional<stats::Interval>& interval) {
  return {{"value", value},
          {"low", interval ? Json(interval->low) : Json(nullptr)},
          {"high", interval ? Json(interval->high) : Json(nullptr)}};
}

/// An object with a member for each treatment of failures.
template <typename Value, typename ToJson>
Json by_failures(const std::array<std::optional<Value>, 2>& values, ToJson to_json) {
  Json json = Json::object();
  for (const Failures failures : controlled::kFailureTreatments) {
    const auto& value = values[static_cast<std::size_t>(failures)];
    json[fmt::format("failures_{}", controlled::name(failures))] = value ? to_json(*value) : Json(nullptr);
  }
  return json;
}

Json estimate_json(const controlled::PairedEstimate& estimate) {
  return {{"n", estimate.n},
          {"first", with_interval(estimate.first, estimate.first_interval)},
          {"second", with_interval(estimate.second, estimate.second_interval)},
          {"difference", with_interval(estimate.difference, estimate.difference_interval)},
          {"only_first", estimate.only_first},
          {"only_second", estimate.only_second},
          {"test", estimate.binary ? "mcnemar_exact" : "sign_exact"},
          {"p", estimate.p},
          {"p_holm", known_or_null(estimate.p_holm)}};
}

Json type_json(const controlled::TypeResult& type) {
  // The sides of a type have no interval: an interval of their difference is what a reader needs.
  const auto estimate = [](const controlled::PairedEstimate& value) {
    return Json{{"n", value.n},
                {"first", value.first},
                {"second", value.second},
                {"difference", with_interval(value.difference, value.difference_interval)},
                {"only_first", value.only_first},
                {"only_second", value.only_second},
                {"test", value.binary ? "mcnemar_exact" : "sign_exact"},
                {"p", value.p}};
  };
  return {{"type", type.type.empty() ? Json(nullptr) : Json(type.type)},
          {"abstention", type.abstention},
          {"estimates", by_failures(type.estimates, estimate)}};
}

Json component_json(const controlled::EffectiveComponent& known, const controlled::StatedComponent& stated) {
  Json json{{"value", known_or_null(known.value)},
            {"source", controlled::name(known.source)},
            {"declared", known_or_null(known.declared)},
            {"contradicted", known.contradicted},
            {"stated", Json::array()}};
  for (const controlled::StatedValue& value : stated.values) {
    json["stated"].push_back({{"value", value.value}, {"rows", value.rows}});
  }
  if (stated.rows_beyond > 0) json["rows_with_other_values"] = stated.rows_beyond;
  return json;
}

Json cost_json(const controlled::Cost& cost) {
  return {{"total", known_or_null(cost.total())},
          {"per_execution", known_or_null(cost.per_execution())},
          {"stated_sum", cost.stated > 0 ? Json(cost.sum) : Json(nullptr)},
          {"stated_by", cost.declared ? Json("declaration") : Json(cost.stated)}};
}

Json strategy_json(const DeltaReport& report, std::size_t index) {
  const controlled::Strategy& strategy = report.declaration.strategies[index];
  const controlled::StrategySummary& summary = report.study.summaries[index];
  Json json{{"name", strategy.name},
            {"role", strategy.role ? Json(controlled::name(*strategy.role)) : Json(nullptr)},
            {"ranked_as", strategy.ranked_as},
            {"components", Json::object()},
            {"rows", summary.rows},
            {"executions", summary.executions},
            {"instances", summary.instances},
            {"failed", summary.failed},
            {"failure_reasons", Json::array()},
            {"unscored", summary.unscored},
            {"contradicted_instances", summary.contradicted}};
  for (const Component component : controlled::kComponents) {
    json["components"][std::string(controlled::name(component))] =
        component_json(report.study.components[index][component], report.results.stated(index, component));
  }
  for (const auto& [reason, count] : summary.failure_reasons) {
    json["failure_reasons"].push_back({{"reason", reason}, {"executions", count}});
  }
  json["accuracy"] = by_failures(summary.accuracy, [](const controlled::Accuracy& accuracy) {
    Json value = with_interval(accuracy.mean, accuracy.interval);
    value["n"] = accuracy.n;
    return value;
  });
  json["refusals"] = {{"scored", summary.refusals.scored},
                      {"stated", summary.refusals.stated},
                      {"refused", summary.refusals.refused},
                      {"share", known_or_null(summary.refusals.share())},
                      {"share_of_errors", known_or_null(summary.refusals.share_of_errors())}};
  for (std::size_t i = 0; i < controlled::kAmountCount; ++i) {
    json["costs"][std::string(controlled::name(controlled::kAmounts[i]))] = cost_json(summary.costs[i]);
  }
  return json;
}

Json reason_json(const std::optional<controlled::DropReason>& reason) {
  return reason ? Json(controlled::name(*reason)) : Json(nullptr);
}

Json comparison_json(const DeltaReport& report, std::size_t index) {
  const controlled::Comparison& comparison = report.declaration.comparisons[index];
  const controlled::ComparisonResult& result = report.study.comparisons[index];
  Json json{{"name", comparison.name},
            {"first", report.declaration.strategies[comparison.first].name},
            {"second", report.declaration.strategies[comparison.second].name},
            {"factor", comparison.factor ? Json(controlled::name(*comparison.factor)) : Json(nullptr)},
            {"controlled", result.control.controlled()},
            {"confounds", Json::array()},
            {"came_with", Json::array()},
            {"warnings", result.control.warnings},
            {"conclusion", conclusion(report, index)},
            {"estimates", by_failures(result.estimates, estimate_json)},
            {"question_types", Json::array()},
            {"dropped", Json::array()},
            {"cost_differences_per_execution", Json::object()}};
  for (const controlled::Confound& confound : result.control.confounds) {
    json["confounds"].push_back(
        {{"kind", controlled::name(confound.kind)},
         {"component", confound.component ? Json(controlled::name(*confound.component)) : Json(nullptr)},
         {"sentence", confound.sentence}});
  }
  for (const Component component : result.control.came_with) json["came_with"].push_back(controlled::name(component));
  for (const controlled::TypeResult& type : result.types) json["question_types"].push_back(type_json(type));
  for (const controlled::DroppedInstance& dropped : result.dropped) {
    json["dropped"].push_back({{"instance", report.results.instances()[dropped.instance]},
                               {"first", reason_json(dropped.first)},
                               {"second", reason_json(dropped.second)}});
  }
  for (std::size_t i = 0; i < controlled::kAmountCount; ++i) {
    json["cost_differences_per_execution"][std::string(controlled::name(controlled::kAmounts[i]))] =
        known_or_null(result.cost_differences[i]);
  }
  return json;
}

Json ranks_json(const controlled::RankStability& ranks) {
  Json json{{"families", ranks.families},
            {"models_without_family", ranks.models_without_family},
            {"strategies_without_model", ranks.strategies_without_model},
            {"pairs", Json::array()},
            {"warnings", ranks.warnings}};
  for (const controlled::FamilyPair& pair : ranks.pairs) {
    Json item{{"first", pair.first},         {"second", pair.second}, {"n", pair.n}, {"tau_b", known_or_null(pair.tau)},
              {"strategies", Json::array()}, {"flips", Json::array()}};
    for (const controlled::RankedStrategy& strategy : pair.strategies) {
      item["strategies"].push_back({{"name", strategy.name},
                                    {"first", strategy.first},
                                    {"first_rank", strategy.first_rank},
                                    {"second", strategy.second},
                                    {"second_rank", strategy.second_rank}});
    }
    for (const auto& [a, b] : pair.flips) item["flips"].push_back(Json::array({a, b}));
    json["pairs"].push_back(std::move(item));
  }
  return json;
}

}  // namespace

Json delta_json(const DeltaReport& report) {
  Json json{{"all_controlled", report.study.all_controlled()},
            {"strategies", Json::array()},
            {"comparisons", Json::array()},
            {"ranks", ranks_json(report.study.ranks)},
            {"checklist", Json::array()}};
  for (std::size_t i = 0; i < report.declaration.strategies.size(); ++i) {
    json["strategies"].push_back(strategy_json(report, i));
  }
  for (std::size_t i = 0; i < report.declaration.comparisons.size(); ++i) {
    json["comparisons"].push_back(comparison_json(report, i));
  }
  for (const controlled::CheckItem& item : report.study.checklist) {
    json["checklist"].push_back(
        {{"key", item.key}, {"title", item.title}, {"state", controlled::name(item.state)}, {"why", item.why}});
  }
  json["rows"] = {{"repeated", report.results.repeated_rows()},
                  {"not_selected", report.rows_not_selected},
                  {"undeclared_strategies", Json::object()},
                  {"instances_with_mixed_types", report.results.mixed_types().size()}};
  for (const auto& [name, rows] : report.undeclared) json["rows"]["undeclared_strategies"][name] = rows;
  json["bootstrap"] = {{"unit", "instance"},
                       {"resamples", report.resampling.resamples},
                       {"seed", report.resampling.seed},
                       {"confidence", report.resampling.confidence},
                       {"method", "percentile"}};
  return json;
}

}  // namespace memuse::report
