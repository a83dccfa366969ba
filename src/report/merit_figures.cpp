#include "report/merit_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "figures/pareto.h"

namespace memuse::report {
namespace {

using figures::CategoryChart;
using figures::Estimate;
using figures::Figure;
using merit::Analysis;
using merit::ConditionMeasures;
using merit::Group;

constexpr double kPercent = 100.0;

/// A plain file name from texts that may be anything.
std::string file_name(std::string text) {
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (!plain) c = '_';
  }
  return text;
}

std::set<std::string> conditions_of(const std::vector<const Group*>& groups) {
  std::set<std::string> conditions;
  for (const Group* group : groups) {
    for (const ConditionMeasures& condition : group->conditions) {
      if (condition.n > 0) conditions.insert(condition.condition);
    }
  }
  return conditions;
}

Estimate share_estimate(const ConditionMeasures* measures) {
  Estimate estimate;
  if (measures == nullptr || measures->dependent.n == 0) return estimate;
  estimate.value = *measures->dependent.value() * kPercent;
  estimate.note = fmt::format("n = {}", measures->dependent.n);
  return estimate;
}

figures::ValueAxis percent_axis(std::string label) {
  return {std::move(label), figures::Scale::linear, 0.0, kPercent};
}

std::vector<std::string> models_of(const Analysis& analysis) {
  std::vector<std::string> models;
  for (const Group& cell : analysis.cells) {
    if (models.empty() || models.back() != cell.model) models.push_back(cell.model);
  }
  return models;
}

/// Ends the name of a figure of one model among several.
std::string model_suffix(const Analysis& analysis, const std::string& model) {
  return models_of(analysis).size() > 1 ? "-" + file_name(model) : std::string();
}

/// For each model and domain (or all domains) with several tiers: a line per condition.
void add_ladders(const Analysis& analysis, std::vector<Figure>& figures) {
  std::vector<std::pair<std::pair<std::string, std::string>, std::vector<const Group*>>> ladders;
  const auto add = [&](const Group& group, const std::string& domain) {
    const std::pair key(group.model, domain);
    const auto known = std::find_if(ladders.begin(), ladders.end(), [&](const auto& l) { return l.first == key; });
    if (known == ladders.end()) {
      ladders.push_back({key, {&group}});
    } else {
      known->second.push_back(&group);
    }
  };
  for (const Group& cell : analysis.cells) {
    if (!cell.domain.empty() && !cell.tier.empty()) add(cell, cell.domain);
  }
  for (const Group& pool : analysis.pools) {
    if (!pool.all_tiers) add(pool, "all");
  }
  for (const auto& [key, tiers] : ladders) {
    if (tiers.size() < 2) continue;
    CategoryChart chart;
    chart.mark = CategoryChart::Mark::lines;
    chart.category_label = "Difficulty";
    chart.axis = percent_axis("Dependent-task success (%)");
    for (const Group* tier : tiers) chart.categories.push_back(tier->tier);
    for (const std::string& condition : conditions_of(tiers)) {
      figures::Series series{condition, {}};
      for (const Group* tier : tiers) series.values.push_back(share_estimate(tier->find(condition)));
      chart.series.push_back(std::move(series));
    }
    figures.push_back({fmt::format("merit-difficulty-{}{}", file_name(key.second), model_suffix(analysis, key.first)),
                       fmt::format("Success of clean dependent episodes by difficulty, {}, {}.",
                                   key.first.empty() ? std::string("model not recorded") : key.first,
                                   key.second == "all" ? std::string("all domains") : key.second),
                       figures::Width::one_column, std::nullopt, std::move(chart)});
  }
}

/// Cells of one model.
std::vector<const Group*> cells_of(const Analysis& analysis, const std::string& model) {
  std::vector<const Group*> cells;
  for (const Group& cell : analysis.cells) {
    if (cell.model == model) cells.push_back(&cell);
  }
  return cells;
}

void add_ignored(const Analysis& analysis, const std::string& model, std::vector<Figure>& figures) {
  const std::vector<const Group*> cells = cells_of(analysis, model);
  CategoryChart chart;
  chart.axis = percent_axis("Ignored what memory held (%)");
  for (const Group* cell : cells) chart.categories.push_back(cell->name());
  for (const std::string& condition : conditions_of(cells)) {
    figures::Series series{condition, {}};
    bool any = false;
    for (const Group* cell : cells) {
      const ConditionMeasures* measures = cell->find(condition);
      Estimate estimate;
      if (measures != nullptr && measures->use.n > 0) {
        estimate.value = *measures->ignore_rate() * kPercent;
        estimate.note = fmt::format("{}", measures->use.n);
        any = true;
      }
      series.values.push_back(std::move(estimate));
    }
    if (any) chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return;
  figures.push_back(
      {"merit-ignored" + model_suffix(analysis, model),
       "Share of clean dependent episodes whose memory held every gold value and whose tool calls did not "
       "carry them all. Above the bars: episodes whose memory held every gold value.",
       figures::Width::two_columns, std::nullopt, std::move(chart)});
}

void add_harm(const Analysis& analysis, const std::string& model, std::vector<Figure>& figures) {
  for (const Group* cell : cells_of(analysis, model)) {
    std::set<std::pair<std::string, std::optional<double>>> settings;
    for (const ConditionMeasures& condition : cell->conditions) {
      for (const merit::Harm& harm : condition.harms) {
        settings.emplace(harm.comparison.second.mode, harm.comparison.second.rate);
      }
    }
    if (settings.empty()) continue;
    CategoryChart chart;
    chart.axis.label = "Harm (points)";
    chart.reference = 0.0;
    for (const auto& [mode, rate] : settings) {
      chart.categories.push_back(rate ? fmt::format("{} {}", mode, *rate) : mode);
    }
    for (const ConditionMeasures& condition : cell->conditions) {
      if (condition.harms.empty()) continue;
      figures::Series series{condition.condition, {}};
      for (const auto& [mode, rate] : settings) {
        Estimate estimate;
        for (const merit::Harm& harm : condition.harms) {
          const merit::Side& side = harm.comparison.second;
          if (side.mode != mode || side.rate != rate || !harm.comparison.difference) continue;
          estimate.value = harm.comparison.difference->value * kPercent;
          if (const auto& interval = harm.comparison.difference->interval) {
            estimate.interval = std::pair(interval->low * kPercent, interval->high * kPercent);
          }
        }
        series.values.push_back(std::move(estimate));
      }
      chart.series.push_back(std::move(series));
    }
    figures.push_back({fmt::format("merit-harm-{}{}", file_name(cell->name()), model_suffix(analysis, model)),
                       fmt::format("Success with clean memory minus success with damaged memory, {}; 95 % bootstrap "
                                   "intervals over arcs.",
                                   cell->name()),
                       figures::Width::two_columns, std::nullopt, std::move(chart)});
  }
}

void add_cost(const Analysis& analysis, const std::string& model, std::vector<Figure>& figures) {
  for (const Group* cell : cells_of(analysis, model)) {
    if (!cell->rankings) continue;
    figures::ScatterChart chart;
    chart.x.label = "US dollars per episode";
    chart.y = percent_axis("Dependent-task success (%)");
    std::vector<std::pair<double, double>> places;
    for (const ConditionMeasures& condition : cell->conditions) {
      const std::optional<double> cost = condition.cost_usd.value();
      if (!cost || condition.dependent.n == 0) continue;
      places.emplace_back(*cost, *condition.dependent.value() * kPercent);
      chart.points.push_back({condition.condition, condition.condition, places.back().first, places.back().second,
                              std::nullopt, std::nullopt});
    }
    for (const std::size_t index : figures::pareto_front(places)) chart.front.push_back(places[index]);
    figures.push_back({fmt::format("merit-cost-{}{}", file_name(cell->name()), model_suffix(analysis, model)),
                       fmt::format("Cost (agent and memory system) against success of clean dependent episodes, {}; "
                                   "steps: the Pareto front.",
                                   cell->name()),
                       figures::Width::one_column, std::nullopt, std::move(chart)});
  }
}

/// The hard tier of each model: the pool over its domains, or its only hard cell.
const Group* hard_tier(const Analysis& analysis, const std::string& model) {
  for (const Group& pool : analysis.pools) {
    if (pool.model == model && pool.tier == "hard" && !pool.all_tiers) return &pool;
  }
  for (const Group& cell : analysis.cells) {
    if (cell.model == model && cell.tier == "hard") return &cell;
  }
  return nullptr;
}

void add_hard_tier(const Analysis& analysis, std::vector<Figure>& figures) {
  std::vector<const Group*> groups;
  for (const std::string& model : models_of(analysis)) {
    if (const Group* group = hard_tier(analysis, model)) groups.push_back(group);
  }
  if (groups.empty()) return;
  CategoryChart chart;
  chart.axis = percent_axis("Dependent-task success (%)");
  for (const Group* group : groups) chart.categories.push_back(group->model.empty() ? "not recorded" : group->model);
  chart.category_label = "Model";
  for (const std::string& condition : conditions_of(groups)) {
    figures::Series series{condition, {}};
    for (const Group* group : groups) series.values.push_back(share_estimate(group->find(condition)));
    for (Estimate& estimate : series.values) estimate.note.clear();
    chart.series.push_back(std::move(series));
  }
  figures.push_back({"merit-hard-tier",
                     "Success of clean dependent episodes on the hard tier by model, domains pooled.",
                     figures::Width::two_columns, std::nullopt, std::move(chart)});
}

/// Names that became the same file name are told apart by a number.
void make_names_unique(std::vector<Figure>& figures) {
  std::set<std::string> taken;
  for (Figure& figure : figures) {
    const std::string name = figure.name;
    for (int copy = 2; !taken.insert(figure.name).second; ++copy) figure.name = fmt::format("{}-{}", name, copy);
  }
}

}  // namespace

std::vector<Figure> merit_figures(const Analysis& analysis) {
  std::vector<Figure> figures;
  add_ladders(analysis, figures);
  for (const std::string& model : models_of(analysis)) {
    add_ignored(analysis, model, figures);
    add_harm(analysis, model, figures);
    add_cost(analysis, model, figures);
  }
  add_hard_tier(analysis, figures);
  make_names_unique(figures);
  return figures;
}

}  // namespace memuse::report
