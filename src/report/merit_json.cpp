#include "report/merit_json.h"

#include <cmath>

namespace memuse::report {
namespace {

using Json = nlohmann::ordered_json;
using merit::Comparison;
using merit::ConditionMeasures;
using merit::Group;

Json number(const std::optional<double>& value) {
  if (!value || std::isnan(*value)) return nullptr;
  if (std::isinf(*value)) return *value > 0 ? "inf" : "-inf";
  return *value;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json side_json(const merit::Side& side) {
  return {{"condition", side.condition}, {"mode", text_or_null(side.mode)}, {"rate", number(side.rate)}};
}

/// Difference, interval, p: the part that all comparisons have.
Json difference_json(const Comparison& comparison) {
  Json json{{"delta", nullptr}, {"ci_low", nullptr}, {"ci_high", nullptr}, {"p", nullptr}, {"p_holm", nullptr}};
  if (!comparison.difference) return json;
  const merit::Difference& difference = *comparison.difference;
  json["delta"] = number(difference.value);
  if (difference.interval) {
    json["ci_low"] = number(difference.interval->low);
    json["ci_high"] = number(difference.interval->high);
  }
  json["p"] = number(difference.p);
  json["p_holm"] = number(comparison.p_holm);
  json["shared_arcs"] = difference.arcs;
  json["first"] = number(difference.first.value());
  json["first_n"] = difference.first.n;
  json["second"] = number(difference.second.value());
  json["second_n"] = difference.second.n;
  return json;
}

Json placed_json(const Comparison& comparison) {
  Json json{{"comparison", merit::name(comparison)},
            {"first_side", side_json(comparison.first)},
            {"second_side", side_json(comparison.second)},
            {"episodes", comparison.dependent ? "dependent" : "independent"}};
  json.update(difference_json(comparison));
  return json;
}

Json harm_json(const merit::Harm& harm) {
  Json json{{"mode", harm.comparison.second.mode},
            {"rate", number(harm.comparison.second.rate)},
            {"n_corrupted_dependent", harm.damaged.n},
            {"tsr_corrupted", number(harm.damaged.value())},
            {"shared_arcs", 0},
            {"tsr_clean_shared_arcs", nullptr},
            {"tsr_corrupted_shared_arcs", nullptr},
            {"smh", nullptr}};
  const Json difference = difference_json(harm.comparison);
  for (const char* key : {"ci_low", "ci_high", "p", "p_holm"}) json[key] = difference.at(key);
  if (!harm.comparison.difference) return json;
  json["shared_arcs"] = difference.at("shared_arcs");
  json["tsr_clean_shared_arcs"] = difference.at("first");
  json["tsr_corrupted_shared_arcs"] = difference.at("second");
  json["smh"] = difference.at("delta");
  return json;
}

void add_seeds(const ConditionMeasures& condition, Json& json) {
  Json dependent = Json::object();
  Json independent = Json::object();
  for (const merit::SeedMeasures& seed : condition.seeds) {
    dependent[seed.seed] = number(seed.dependent.value());
    independent[seed.seed] = number(seed.independent.value());
  }
  json["tsr_dependent_by_seed"] = std::move(dependent);
  json["tsr_independent_by_seed"] = std::move(independent);
  const auto& spread = condition.seed_spread;
  json["tsr_dependent_seed_mean"] = spread ? number(spread->mean) : Json(nullptr);
  json["tsr_dependent_seed_sd"] = spread ? number(spread->deviation) : Json(nullptr);
  json["tsr_dependent_seed_gap"] = number(condition.seed_gap());
}

void add_spending(const ConditionMeasures& condition, Json& json) {
  const auto add = [&json](const std::string& name, const merit::Mean& mean) {
    json["mean_" + name] = number(mean.value());
    json[name + "_n"] = mean.n;
  };
  add("tokens", condition.tokens);
  add("memory_tokens", condition.memory_tokens);
  add("cost_usd", condition.cost_usd);
  add("agent_cost_usd", condition.agent_cost_usd);
  add("memory_cost_usd", condition.memory_cost_usd);
  add("seconds", condition.seconds);
}

void add_economy(const ConditionMeasures& condition, Json& json) {
  for (const char* key : {"delta_tsr_dependent", "delta_cost_usd", "cost_verdict", "camu", "break_even_usd"}) {
    json[key] = nullptr;
  }
  if (!condition.economy) return;
  json["delta_tsr_dependent"] = number(condition.economy->delta_success);
  json["delta_cost_usd"] = number(condition.economy->delta_cost_usd);
  json["cost_verdict"] = merit::name(condition.economy->verdict);
  json["camu"] = number(condition.economy->camu);
  json["break_even_usd"] = number(condition.economy->break_even_usd);
}

Json condition_json(const ConditionMeasures& condition) {
  Json json{{"n", condition.n},
            {"n_dependent", condition.dependent.n},
            {"n_independent", condition.independent.n},
            {"tsr_dependent", number(condition.dependent.value())},
            {"tsr_independent", number(condition.independent.value())},
            {"pre_satisfied", condition.pre_satisfied},
            {"pre_satisfied_unknown", condition.unchecked},
            {"mur_n", condition.use.n},
            {"mur", number(condition.use.value())},
            {"ignore_rate", number(condition.ignore_rate())},
            {"mur_unknown", condition.use_unknown},
            {"mur_recomputed_n", condition.use_recomputed.n},
            {"mur_recomputed", number(condition.use_recomputed.value())}};
  add_spending(condition, json);
  add_seeds(condition, json);
  if (condition.h1) json["h1_dependent_vs_baseline"] = difference_json(*condition.h1);
  if (condition.h2) json["h2_independent_vs_baseline"] = difference_json(*condition.h2);
  if (condition.replay) {
    json["replay_control"] = difference_json(condition.replay->dependent);
    json["replay_control"].erase("p_holm");
    json["replay_control"]["ratio"] = number(condition.replay->ratio);
  }
  json["smh"] = Json::array();
  for (const merit::Harm& harm : condition.harms) json["smh"].push_back(harm_json(harm));
  add_economy(condition, json);
  return json;
}

Json rankings_json(const Group& group) {
  if (!group.rankings) {
    Json json{{"skipped", true}};
    if (group.no_economy) json["reason"] = merit::sentence(*group.no_economy);
    return json;
  }
  return {{"skipped", false},
          {"tsr_ranking", group.rankings->by_success},
          {"camu_ranking", group.rankings->by_camu},
          {"rankings_differ", group.rankings->differ()}};
}

Json group_json(const Group& group) {
  Json json{{"name", group.name()},
            {"model", text_or_null(group.model)},
            {"domain", text_or_null(group.domain)},
            {"difficulty", text_or_null(group.tier)},
            {"pooled_domains", group.all_domains},
            {"pooled_tiers", group.all_tiers},
            {"directories", group.directories},
            {"rows", group.rows},
            {"clean_rows", group.clean_rows},
            {"corrupted_rows", group.damaged_rows},
            {"arcs_clean", group.arcs_clean},
            {"arcs_corrupted", group.arcs_damaged},
            {"seeds", group.seeds},
            {"conditions", Json::object()}};
  for (const ConditionMeasures& condition : group.conditions) {
    json["conditions"][condition.condition] = condition_json(condition);
  }
  json["h4"] = rankings_json(group);
  return json;
}

Json bootstrap_json(const merit::Resampling& resampling) {
  return {{"resampler", merit::name(resampling.resampler)},
          {"resamples", resampling.resamples},
          {"seed", resampling.seed},
          {"cluster", "arc"},
          {"confidence", 0.95}};
}

Json episodes_json(const merit::Analysis& analysis) {
  return {{"scored", analysis.episodes},
          {"pre_satisfied", analysis.pre_satisfied},
          {"pre_satisfied_recorded_as_success", analysis.corrected},
          {"pre_satisfied_unknown", analysis.unchecked},
          {"without_outcome", analysis.not_scored[static_cast<std::size_t>(merit::NotScored::no_outcome)]},
          {"without_dependence", analysis.not_scored[static_cast<std::size_t>(merit::NotScored::no_dependence)]},
          {"repeated_attempts", analysis.attempts},
          {"met_in_another_file", analysis.met_again}};
}

}  // namespace

Json merit_json(const merit::Analysis& analysis) {
  Json json{{"format", "memuse-merit/1"},
            {"baseline", analysis.options.baseline},
            {"replay", analysis.options.replay},
            {"as_published", analysis.options.as_published},
            {"bootstrap", bootstrap_json(analysis.options.resampling)},
            {"episodes", episodes_json(analysis)},
            {"cells", Json::array()},
            {"pools", Json::array()},
            {"hard_tier_contrasts", Json::array()},
            {"families", Json::array()}};
  for (const Group& cell : analysis.cells) json["cells"].push_back(group_json(cell));
  for (const Group& pool : analysis.pools) json["pools"].push_back(group_json(pool));
  for (const merit::HardTierContrast& contrast : analysis.hard_tier) {
    Json item{{"model", text_or_null(contrast.model)}};
    item.update(placed_json(contrast.comparison));
    item.erase("p_holm");
    json["hard_tier_contrasts"].push_back(std::move(item));
  }
  for (const merit::FamilyResult& family : analysis.families) {
    Json comparisons = Json::array();
    for (const merit::PlacedComparison& placed : family.comparisons) {
      Json item{{"model", text_or_null(placed.model)}, {"over", placed.place}};
      item.update(placed_json(placed.comparison));
      comparisons.push_back(std::move(item));
    }
    json["families"].push_back({{"name", family.declaration.name},
                                {"over", merit::name(family.declaration.over)},
                                {"comparisons", std::move(comparisons)}});
  }
  return json;
}

}  // namespace memuse::report
