#include "merit/analysis.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "merit/grouping.h"

namespace memuse::merit {
namespace {

constexpr std::string_view kHardTier = "hard";

/// A comparison that waits for its rows to be resampled.
struct Task {
  Comparison* comparison = nullptr;
  const GroupRows* rows = nullptr;
};

Comparison compare_clean(const std::string& first, const std::string& second, bool dependent) {
  return {{first, {}, std::nullopt}, {second, {}, std::nullopt}, dependent, std::nullopt, std::nullopt};
}

std::vector<Harm> harms_of(const std::string& condition, const std::vector<GroupRow>& rows) {
  std::set<std::pair<std::string_view, std::optional<double>>> settings;
  for (const GroupRow& row : rows) {
    const Setting& setting = row.episode->setting;
    if (row.episode->condition == condition && !setting.clean()) settings.emplace(setting.mode, setting.rate);
  }
  std::vector<Harm> harms;
  for (const auto& [mode, rate] : settings) {
    Harm harm;
    harm.comparison = compare_clean(condition, condition, true);
    harm.comparison.second.mode = mode;
    harm.comparison.second.rate = rate;
    for (const GroupRow& row : rows_of(rows, harm.comparison.second, true)) harm.damaged.add(row.episode->success);
    harms.push_back(std::move(harm));
  }
  return harms;
}

/// Where a condition stands in the ranking by CAMU.
double camu_rank(const Economy& economy) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (economy.camu) return *economy.camu;
  switch (economy.verdict) {
    case CostVerdict::dominates:
      return kInfinite;
    case CostVerdict::ratio:
    case CostVerdict::equal:
      return 0.0;
    case CostVerdict::dominated:
    case CostVerdict::cheaper_worse:
      break;
  }
  return -kInfinite;
}

/// A condition with what it is ranked by.
struct Ranked {
  std::string_view condition;
  double success = 0.0;
  double camu = 0.0;
};

/// Names of the conditions, best first, and their ranks.
std::pair<std::vector<std::string>, std::vector<std::uint64_t>> ranking(std::vector<Ranked> order,
                                                                        double Ranked::*value) {
  std::stable_sort(order.begin(), order.end(),
                   [value](const Ranked& a, const Ranked& b) { return a.*value > b.*value; });
  std::vector<std::string> names;
  std::vector<std::uint64_t> ranks;
  for (std::size_t i = 0; i < order.size(); ++i) {
    names.emplace_back(order[i].condition);
    const bool tied = i > 0 && !(order[i - 1].*value > order[i].*value);
    ranks.push_back(tied ? ranks.back() : i + 1);
  }
  return {std::move(names), std::move(ranks)};
}

Rankings rankings_of(const std::vector<const ConditionMeasures*>& conditions) {
  std::vector<Ranked> rows;
  for (const ConditionMeasures* condition : conditions) {
    rows.push_back({condition->condition, *condition->dependent.value(), camu_rank(*condition->economy)});
  }
  Rankings rankings;
  std::tie(rankings.by_success, rankings.success_ranks) = ranking(rows, &Ranked::success);
  std::tie(rankings.by_camu, rankings.camu_ranks) = ranking(rows, &Ranked::camu);
  for (const Ranked& a : rows) {
    for (const Ranked& b : rows) {
      rankings.reversed = rankings.reversed || (a.success > b.success && a.camu < b.camu);
    }
  }
  return rankings;
}

std::optional<NoEconomy> no_economy(const Group& group, const AnalysisOptions& options) {
  const ConditionMeasures* baseline = group.find(options.baseline);
  if (baseline == nullptr || baseline->dependent.n == 0) return NoEconomy::no_baseline;
  const bool priced = std::all_of(group.conditions.begin(), group.conditions.end(),
                                  [](const ConditionMeasures& c) { return c.cost_usd.n == c.n; });
  const bool all_free = std::all_of(group.conditions.begin(), group.conditions.end(),
                                    [](const ConditionMeasures& c) { return c.cost_usd.sum == 0.0; });
  if (priced && all_free) return NoEconomy::free;
  return baseline->cost_usd.n == baseline->n ? std::nullopt : std::optional(NoEconomy::unpriced);
}

void add_economy(Group& group, const AnalysisOptions& options) {
  group.no_economy = no_economy(group, options);
  if (group.no_economy) return;
  const ConditionMeasures& baseline = *group.find(options.baseline);
  std::vector<const ConditionMeasures*> rankable;
  bool all = true;
  for (ConditionMeasures& condition : group.conditions) {
    if (condition.condition == options.baseline || condition.dependent.n == 0) continue;
    condition.economy = economy(condition, baseline, options.as_published);
    if (condition.economy) rankable.push_back(&condition);
    if (!condition.economy) all = false;
  }
  if (!all) group.no_economy = NoEconomy::unpriced;
  if (!all || rankable.empty()) return;
  group.rankings = rankings_of(rankable);
}

void add_comparisons(Group& group, const std::vector<GroupRow>& rows, const AnalysisOptions& options) {
  const bool has_baseline = group.find(options.baseline) != nullptr;
  const ConditionMeasures* replay = group.find(options.replay);
  const std::optional<double> replayed = replay != nullptr ? replay->dependent.value() : std::nullopt;
  for (ConditionMeasures& condition : group.conditions) {
    condition.harms = harms_of(condition.condition, rows);
    if (has_baseline && condition.condition != options.baseline) {
      condition.h1 = compare_clean(condition.condition, options.baseline, true);
      condition.h2 = compare_clean(condition.condition, options.baseline, false);
    }
    if (replayed && condition.condition != options.replay) {
      AgainstReplay against{compare_clean(condition.condition, options.replay, true), std::nullopt};
      const std::optional<double> own = condition.dependent.value();
      if (own && *replayed > 0) against.ratio = *own / *replayed;
      condition.replay = std::move(against);
    }
  }
}

void fill(GroupRows& rows, const AnalysisOptions& options) {
  count(rows);
  std::set<std::string_view> conditions;
  for (const GroupRow& row : rows.rows) conditions.insert(row.episode->condition);
  Group& group = rows.group;
  for (const std::string_view condition : conditions) {
    group.conditions.push_back(measure(std::string(condition), rows.rows));
  }
  add_comparisons(group, rows.rows, options);
  add_economy(group, options);
}

void collect(GroupRows& rows, std::vector<Task>& tasks) {
  for (ConditionMeasures& condition : rows.group.conditions) {
    if (condition.h1) tasks.push_back({&*condition.h1, &rows});
    if (condition.h2) tasks.push_back({&*condition.h2, &rows});
    if (condition.replay) tasks.push_back({&condition.replay->dependent, &rows});
    for (Harm& harm : condition.harms) tasks.push_back({&harm.comparison, &rows});
  }
}

/// Holm within H1, H2 and H3 of one group.
void adjust_families(Group& group) {
  std::vector<Comparison*> h1, h2, h3;
  for (ConditionMeasures& condition : group.conditions) {
    if (condition.h1) h1.push_back(&*condition.h1);
    if (condition.h2) h2.push_back(&*condition.h2);
    for (Harm& harm : condition.harms) h3.push_back(&harm.comparison);
  }
  for (const std::vector<Comparison*>& family : {h1, h2, h3}) adjust(family);
}

/// The hard tier of each model, its domains pooled.
std::vector<GroupRows> hard_tiers(const std::vector<GroupRows>& cells) {
  std::vector<GroupRows> hard;
  std::vector<const GroupRows*> members;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].group.tier == kHardTier) members.push_back(&cells[i]);
    const bool last_of_model = i + 1 == cells.size() || cells[i + 1].group.model != cells[i].group.model;
    if (!last_of_model || members.empty()) continue;
    hard.push_back(pooled(members, false));
    members.clear();
  }
  return hard;
}

/// The groups that the comparisons of a declared family are made over.
std::vector<GroupRows> groups_for(const FamilyDeclaration& family, const std::vector<GroupRows>& cells) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::vector<std::pair<Key, std::vector<const GroupRows*>>> members;
  for (const GroupRows& cell : cells) {
    const Group& group = cell.group;
    if (!family.takes(group.model, group.domain, group.tier)) continue;
    const Key key{group.model, family.over == Over::cell ? group.name() : std::string(),
                  family.over == Over::model ? std::string() : group.tier};
    const auto known =
        std::find_if(members.begin(), members.end(), [&](const auto& entry) { return entry.first == key; });
    if (known == members.end()) {
      members.push_back({key, {&cell}});
    } else {
      known->second.push_back(&cell);
    }
  }
  std::vector<GroupRows> groups;
  for (const auto& [key, list] : members) {
    groups.push_back(family.over == Over::cell ? *list.front() : pooled(list, family.over == Over::model));
  }
  return groups;
}

/// A declared family with the groups that its comparisons are made over.
struct FamilyWork {
  FamilyResult result;
  std::vector<GroupRows> groups;
  std::vector<std::size_t> group_of;  ///< by comparison
};

FamilyWork prepare(const FamilyDeclaration& declaration, const std::vector<GroupRows>& cells) {
  FamilyWork work{{declaration, {}}, groups_for(declaration, cells), {}};
  for (std::size_t i = 0; i < work.groups.size(); ++i) {
    for (const auto& [first, second] : declaration.comparisons) {
      work.result.comparisons.push_back({work.groups[i].group.model,
                                         work.groups[i].group.name(),
                                         {first, second, declaration.dependent, std::nullopt, std::nullopt}});
      work.group_of.push_back(i);
    }
  }
  return work;
}

void count_scoring(const ScoredEpisodes& episodes, Analysis& analysis) {
  analysis.episodes = episodes.rows.size();
  for (const ScoredEpisode& row : episodes.rows) {
    if (!row.pre_satisfied) ++analysis.unchecked;
    if (!row.pre_satisfied.value_or(false)) continue;
    ++analysis.pre_satisfied;
    if (*row.outcome) ++analysis.corrected;
  }
  std::copy(std::begin(episodes.not_scored), std::end(episodes.not_scored), std::begin(analysis.not_scored));
  analysis.met_again = episodes.met_again;
  analysis.met_again_example = episodes.met_again_example;
  analysis.attempts = episodes.attempts;
}

}  // namespace

std::string_view sentence(NoEconomy reason) {
  switch (reason) {
    case NoEconomy::no_baseline:
      return "there is no baseline";
    case NoEconomy::free:
      return "all costs are 0";
    case NoEconomy::unpriced:
      break;
  }
  return "costs are not known for all episodes";
}

std::string Group::name() const {
  if (all_tiers) return "all cells";
  if (all_domains) return fmt::format("all domains, {}", tier);
  if (!domain.empty() && !tier.empty()) return fmt::format("{}-{}", domain, tier);
  if (!directories.empty()) return directories.front();
  return domain.empty() && tier.empty() ? std::string("all episodes") : domain + tier;
}

const ConditionMeasures* Group::find(std::string_view condition) const {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const ConditionMeasures& c) { return c.condition == condition; });
  return found != conditions.end() && found->n > 0 ? &*found : nullptr;
}

Analysis analyse(const ScoredEpisodes& episodes, const AnalysisOptions& options) {
  Analysis analysis;
  analysis.options = options;
  count_scoring(episodes, analysis);

  std::vector<GroupRows> cells = cells_of(episodes);
  std::vector<GroupRows> pools = pools_of(cells);
  tbb::parallel_for(std::size_t{0}, cells.size() + pools.size(),
                    [&](std::size_t i) { fill(i < cells.size() ? cells[i] : pools[i - cells.size()], options); });

  // Tasks point into what is filled here, so nothing of it moves until they have run.
  std::vector<Task> tasks;
  for (GroupRows& cell : cells) collect(cell, tasks);
  for (GroupRows& pool : pools) collect(pool, tasks);
  const std::vector<GroupRows> hard = hard_tiers(cells);
  for (const GroupRows& tier : hard) {
    for (const char* condition : {"C3", "C4"}) {
      analysis.hard_tier.push_back({tier.group.model, compare_clean(condition, "C2", true)});
    }
  }
  for (std::size_t i = 0; i < analysis.hard_tier.size(); ++i) {
    tasks.push_back({&analysis.hard_tier[i].comparison, &hard[i / 2]});
  }
  std::vector<FamilyWork> families;
  for (const FamilyDeclaration& declaration : options.families) families.push_back(prepare(declaration, cells));
  for (FamilyWork& family : families) {
    for (std::size_t i = 0; i < family.group_of.size(); ++i) {
      tasks.push_back({&family.result.comparisons[i].comparison, &family.groups[family.group_of[i]]});
    }
  }

  tbb::parallel_for(std::size_t{0}, tasks.size(),
                    [&](std::size_t i) { run(*tasks[i].comparison, tasks[i].rows->rows, options.resampling); });

  for (GroupRows& cell : cells) adjust_families(cell.group);
  for (GroupRows& pool : pools) adjust_families(pool.group);
  for (FamilyWork& family : families) {
    std::vector<Comparison*> members;
    for (PlacedComparison& placed : family.result.comparisons) members.push_back(&placed.comparison);
    adjust(members);
    analysis.families.push_back(std::move(family.result));
  }
  for (GroupRows& cell : cells) analysis.cells.push_back(std::move(cell.group));
  for (GroupRows& pool : pools) analysis.pools.push_back(std::move(pool.group));
  return analysis;
}

}  // namespace memuse::merit
