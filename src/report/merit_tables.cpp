#include "report/merit_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "model/text.h"
#include "report/decimals.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using merit::Analysis;
using merit::Comparison;
using merit::ConditionMeasures;
using merit::Group;

bool several_models(const Analysis& analysis) {
  return std::any_of(analysis.cells.begin(), analysis.cells.end(),
                     [&](const Group& cell) { return cell.model != analysis.cells.front().model; });
}

std::string model_text(const std::string& model) {
  return model.empty() ? std::string("model not recorded") : model;
}

/// `d1, easy`, with the model before it when there are several.
std::string heading(const Analysis& analysis, const std::string& model, const std::string& place) {
  return several_models(analysis) ? fmt::format("{}: {}", model_text(model), place) : place;
}

std::string heading(const Analysis& analysis, const Group& group) {
  return heading(analysis, group.model, group.name());
}

/// Cells, then what is pooled from them.
std::vector<const Group*> groups_of(const Analysis& analysis) {
  std::vector<const Group*> groups;
  for (const Group& cell : analysis.cells) groups.push_back(&cell);
  for (const Group& pool : analysis.pools) groups.push_back(&pool);
  return groups;
}

std::string key_of(const Group& group, std::string_view what) {
  return fmt::format("{}/{}/{}", group.model, group.name(), what);
}

Cell rate(const merit::Share& share) {
  return Cell::percent(share.value(), kPercentDecimals);
}

Cell difference_cell(const Comparison& comparison) {
  if (!comparison.difference) return Cell::missing();
  Cell cell = Cell::percent(comparison.difference->value, kPercentDecimals);
  if (const auto& interval = comparison.difference->interval) {
    cell.interval = std::pair(interval->low, interval->high);
  }
  return cell;
}

Cell p_cell(const std::optional<double>& p) {
  return Cell::number(p, kPDecimals);
}

Cell money(const std::optional<double>& dollars) {
  if (dollars && std::isinf(*dollars)) return Cell::text("inf");
  return Cell::number(dollars, dollars == 0.0 ? 0 : 6);
}

std::string resampling_sentence(const Analysis& analysis) {
  const merit::Resampling& how = analysis.options.resampling;
  const std::string_view which = how.resampler == merit::Resampler::merit
                                     ? "MERIT's own resampler (Python's random.Random)"
                                     : "percentile interval";
  if (how.resamples == 0) return " No intervals were asked for.";
  return fmt::format(
      " In brackets: 95 % bootstrap intervals, {} resamples of whole arcs, the same for both sides, seed {}, {}; p is "
      "two-sided. Where all arcs agree every resample is the same, and the interval is a point: no proof of certainty.",
      with_separators(how.resamples), how.seed, which);
}

std::string pool_sentence(const Analysis& analysis) {
  if (analysis.pools.empty()) return {};
  return " Pools take all episodes of their cells together, each with the same weight; an arc is a cell's arc.";
}

std::string scoring_sentence(const Analysis& analysis) {
  std::string text = " Success counts only where the goal did not hold before the episode";
  text += analysis.pre_satisfied == 0
              ? "; no episode here has one that did."
              : fmt::format(
                    ": of all {} scored episodes, damaged and independent ones as well, {} arrived with it and "
                    "count as failures.",
                    with_separators(analysis.episodes), with_separators(analysis.pre_satisfied));
  if (analysis.unchecked > 0) {
    text += fmt::format(" For {} of them it is not recorded whether it did; their success is taken as it is.",
                        with_separators(analysis.unchecked));
  }
  return text;
}

constexpr std::size_t kMostSeedColumns = 20;  ///< a table with more cannot be read

constexpr const char* kDash = " A dash: not recorded, or nothing to compute it from.";

/// Adds a row for each condition of each group.
void add_condition_rows(const Analysis& analysis, Table& table,
                        const std::function<std::vector<Cell>(const Group&, const ConditionMeasures&)>& cells) {
  for (const Group* group : groups_of(analysis)) {
    for (const ConditionMeasures& condition : group->conditions) {
      std::vector<Cell> row{Cell::text(condition.condition)};
      std::vector<Cell> rest = cells(*group, condition);
      if (rest.empty()) continue;
      row.insert(row.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
      table.rows.push_back({key_of(*group, condition.condition), heading(analysis, *group), std::move(row)});
    }
  }
}

/// Says of columns of the measures that they are over fewer episodes than n.
std::string gaps_sentence(const Analysis& analysis) {
  std::uint64_t use_unknown = 0;
  bool partial[3] = {};
  for (const Group& cell : analysis.cells) {
    for (const ConditionMeasures& c : cell.conditions) {
      use_unknown += c.use_unknown;
      const std::uint64_t known[3] = {c.tokens.n, c.cost_usd.n, c.seconds.n};
      for (std::size_t i = 0; i < 3; ++i) partial[i] = partial[i] || (known[i] > 0 && known[i] < c.n);
    }
  }
  std::string text;
  if (use_unknown > 0) {
    text += fmt::format(
        " Of {} dependent episodes whose memory held every value, use is not known; they are in neither "
        "share.",
        with_separators(use_unknown));
  }
  constexpr const char* kNames[3] = {"tokens", "USD", "seconds"};
  std::string names;
  for (std::size_t i = 0; i < 3; ++i) {
    if (partial[i]) names += (names.empty() ? "" : ", ") + std::string(kNames[i]);
  }
  if (!names.empty()) {
    text +=
        fmt::format(" Not every episode states its {}: the mean is over those that do (n of each in --json).", names);
  }
  return text;
}

Table measures_table(const Analysis& analysis) {
  Table table;
  table.title = "Task-level utility of memory";
  table.columns = {{"condition", "Condition", Align::left},
                   {"n_dependent", "n dep."},
                   {"tsr_dependent", "Dep. %"},
                   {"n_independent", "n ind."},
                   {"tsr_independent", "Ind. %"},
                   {"mur_n", "Held"},
                   {"mur", "MUR %"},
                   {"ignore_rate", "Ignored %"},
                   {"tokens", "Tokens"},
                   {"cost_usd", "USD"},
                   {"seconds", "Seconds"}};
  add_condition_rows(analysis, table, [](const Group&, const ConditionMeasures& c) -> std::vector<Cell> {
    if (c.n == 0) return {};
    return {Cell::count(c.dependent.n),
            rate(c.dependent),
            Cell::count(c.independent.n),
            rate(c.independent),
            Cell::count(c.use.n),
            rate(c.use),
            Cell::percent(c.ignore_rate(), kPercentDecimals),
            Cell::number(c.tokens.value(), 0),
            money(c.cost_usd.value()),
            Cell::number(c.seconds.value(), 2)};
  });
  table.caption =
      "Clean episodes only. Dep., ind.: success rate (TSR) of tasks that depend on memory and of those that do not. "
      "Held: dependent episodes whose memory held every gold value; MUR: of these, those whose executed tool calls "
      "carried "
      "every gold value; ignored: the rest. Tokens (prompt and completion, summed over calls, without the memory "
      "system's), US dollars (agent and memory system) and seconds per episode." +
      gaps_sentence(analysis) + scoring_sentence(analysis) + pool_sentence(analysis) + kDash;
  return table;
}

/// Distinct tiers of all cells in the order of the cells.
std::vector<std::string> tiers_of(const Analysis& analysis) {
  std::vector<std::string> tiers;
  for (const char* known : {"easy", "medium", "hard"}) {
    for (const Group& cell : analysis.cells) {
      if (cell.tier == known) {
        tiers.emplace_back(known);
        break;
      }
    }
  }
  for (const Group& cell : analysis.cells) {
    if (std::find(tiers.begin(), tiers.end(), cell.tier) == tiers.end()) tiers.push_back(cell.tier);
  }
  return tiers;
}

Table difficulty_table(const Analysis& analysis) {
  Table table;
  table.title = "Dependent-task success by difficulty";
  table.columns = {{"condition", "Condition", Align::left}};
  const std::vector<std::string> tiers = tiers_of(analysis);
  for (const std::string& tier : tiers) {
    const std::string name = tier.empty() ? "tier not recorded" : tier;
    table.columns.push_back({name, name + ", %"});
    table.columns.push_back({name + "_n", "n"});
  }
  // One block of rows for each model and domain, and one over all domains.
  std::vector<std::pair<std::string, std::vector<const Group*>>> blocks;
  const auto add = [&](const Group& group, const std::string& name) {
    const std::string title = heading(analysis, group.model, name);
    const auto known = std::find_if(blocks.begin(), blocks.end(), [&](const auto& b) { return b.first == title; });
    if (known == blocks.end()) {
      blocks.push_back({title, {&group}});
    } else {
      known->second.push_back(&group);
    }
  };
  for (const Group& cell : analysis.cells) {
    add(cell, cell.domain.empty() || cell.tier.empty() ? cell.name() : cell.domain);
  }
  bool pools_domains = false;
  for (const Group& pool : analysis.pools) {
    if (pool.all_tiers) continue;
    add(pool, "all domains");
    pools_domains = true;
  }
  for (const auto& [title, groups] : blocks) {
    std::set<std::string> conditions;
    for (const Group* group : groups) {
      for (const ConditionMeasures& condition : group->conditions) conditions.insert(condition.condition);
    }
    for (const std::string& condition : conditions) {
      Row row{title + "/" + condition, title, {Cell::text(condition)}};
      for (const std::string& tier : tiers) {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group* g) { return g->tier == tier; });
        const ConditionMeasures* measures = group == groups.end() ? nullptr : (*group)->find(condition);
        row.cells.push_back(measures != nullptr ? rate(measures->dependent) : Cell::missing());
        row.cells.push_back(measures != nullptr ? Cell::count(measures->dependent.n) : Cell::missing());
      }
      table.rows.push_back(std::move(row));
    }
  }
  table.caption = "Success rate of clean episodes whose task depends on memory, with their number." +
                  scoring_sentence(analysis) + (pools_domains ? pool_sentence(analysis) : std::string()) + kDash;
  return table;
}

Table harm_table(const Analysis& analysis) {
  Table table;
  table.title = "Stale-memory harm";
  table.columns = {{"condition", "Condition", Align::left},
                   {"damage", "Damage", Align::left},
                   {"n", "n"},
                   {"tsr_damaged", "TSR damaged %"},
                   {"arcs", "Arcs"},
                   {"tsr_clean", "TSR clean %"},
                   {"harm", "Harm, points"},
                   {"p", "p"},
                   {"p_holm", "p Holm"}};
  table.label_columns = 2;
  for (const Group* group : groups_of(analysis)) {
    for (const ConditionMeasures& condition : group->conditions) {
      for (const merit::Harm& harm : condition.harms) {
        const Comparison& comparison = harm.comparison;
        const std::string damage = comparison.second.rate
                                       ? fmt::format("{} {}", comparison.second.mode, *comparison.second.rate)
                                       : comparison.second.mode;
        const auto& difference = comparison.difference;
        table.rows.push_back({key_of(*group, name(comparison.second)),
                              heading(analysis, *group),
                              {Cell::text(condition.condition), Cell::text(damage), Cell::count(harm.damaged.n),
                               rate(harm.damaged), Cell::count(difference ? difference->arcs : 0),
                               difference ? rate(difference->first) : Cell::missing(), difference_cell(comparison),
                               p_cell(difference ? difference->p : std::nullopt), p_cell(comparison.p_holm)}});
      }
    }
  }
  if (table.rows.empty()) {
    table.caption = "No episode here met a memory that was damaged on purpose.";
    return table;
  }
  table.caption =
      "Dependent episodes. Harm: success with clean memory minus success with damaged memory, same condition, over the "
      "arcs that have both; negative where damage did not hurt. TSR damaged: over all damaged episodes; TSR clean: "
      "over "
      "those arcs." +
      resampling_sentence(analysis) + " Holm: within all damages and conditions of a group." + pool_sentence(analysis) +
      kDash;
  return table;
}

void add_hypothesis(const Analysis& analysis, const std::string& model, const std::string& place,
                    const std::string& family, const Comparison& comparison, Table& table) {
  const auto& difference = comparison.difference;
  table.rows.push_back(
      {fmt::format("{}/{}/{}/{}", model, place, family, name(comparison)),
       heading(analysis, model, place),
       {Cell::text(family), Cell::text(name(comparison)),
        Cell::text(comparison.dependent ? "dependent" : "independent"), Cell::count(difference ? difference->arcs : 0),
        difference_cell(comparison), p_cell(difference ? difference->p : std::nullopt), p_cell(comparison.p_holm)}});
}

Table hypotheses_table(const Analysis& analysis) {
  Table table;
  table.title = "Hypotheses";
  table.columns = {{"family", "Family", Align::left},
                   {"comparison", "Comparison", Align::left},
                   {"episodes", "Tasks", Align::left},
                   {"arcs", "Arcs"},
                   {"difference", "Difference, points"},
                   {"p", "p"},
                   {"p_holm", "p Holm"}};
  table.label_columns = 2;
  for (const Group* group : groups_of(analysis)) {
    const auto add = [&](const char* family, const Comparison& comparison) {
      add_hypothesis(analysis, group->model, group->name(), family, comparison, table);
    };
    for (const ConditionMeasures& c : group->conditions) {
      if (c.h1) add("H1", *c.h1);
    }
    for (const ConditionMeasures& c : group->conditions) {
      if (c.h2) add("H2", *c.h2);
    }
    for (const ConditionMeasures& c : group->conditions) {
      for (const merit::Harm& harm : c.harms) add("H3", harm.comparison);
    }
  }
  for (const merit::HardTierContrast& contrast : analysis.hard_tier) {
    if (!contrast.comparison.difference) continue;
    add_hypothesis(analysis, contrast.model, "all domains, hard", "hard-tier", contrast.comparison, table);
  }
  for (const merit::FamilyResult& family : analysis.families) {
    for (const merit::PlacedComparison& placed : family.comparisons) {
      add_hypothesis(analysis, placed.model, placed.place, family.declaration.name, placed.comparison, table);
    }
  }
  table.caption = fmt::format(
      "Differences of success rates, in points, over the arcs that both sides have. H1: each condition against {}, "
      "dependent tasks; H2: the same, independent tasks; H3: clean against damaged memory; hard-tier: not adjusted. p "
      "Holm: adjusted within the family, for H1, H2 and H3 in each group by itself, for a declared family over all its "
      "comparisons. H4 stands in the table of costs.",
      analysis.options.baseline);
  table.caption += resampling_sentence(analysis) + scoring_sentence(analysis) + pool_sentence(analysis) + kDash;
  return table;
}

/// The rank of a condition in a ranking, from 1; equal ones share it. `positions`: by its place in the list, as MERIT.
Cell rank_cell(const std::vector<std::string>& ranking, const std::vector<std::uint64_t>& ranks, bool positions,
               const std::string& condition) {
  const auto found = std::find(ranking.begin(), ranking.end(), condition);
  if (found == ranking.end()) return Cell::missing();
  const auto at = static_cast<std::size_t>(found - ranking.begin());
  return Cell::count(positions ? at + 1 : ranks[at]);
}

Cell camu_cell(const merit::Economy& economy) {
  if (economy.camu && std::isinf(*economy.camu)) return Cell::text("inf");
  if (economy.camu) return Cell::number(economy.camu, std::fabs(*economy.camu) < 100 ? 2 : 0);
  return Cell::text(std::string(name(economy.verdict)));
}

std::string h4_sentences(const Analysis& analysis) {
  const bool as_published = analysis.options.as_published;
  std::vector<std::string> differ, same;
  std::set<std::string> skipped;
  for (const Group& cell : analysis.cells) {
    if (cell.rankings) {
      const bool differs = as_published ? cell.rankings->differ() : cell.rankings->reversed;
      (differs ? differ : same).push_back(heading(analysis, cell));
    } else if (cell.no_economy) {
      skipped.insert(fmt::format("{} ({})", heading(analysis, cell), sentence(*cell.no_economy)));
    }
  }
  const auto listed = [](const auto& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  std::string text = " H4, rankings by success and by CAMU differ:";
  text += differ.empty() ? " in no cell" : " in " + listed(differ);
  if (!same.empty()) text += "; not in " + listed(same);
  if (!skipped.empty()) text += "; not computed for " + listed(skipped);
  return text + (as_published ? "; ties stand in the order of the names."
                              : "; they differ where one condition is better than another by success and worse by "
                                "CAMU. Ties share a rank.");
}

Table cost_table(const Analysis& analysis) {
  Table table;
  table.title = "Cost and what it buys";
  table.columns = {{"condition", "Condition", Align::left},
                   {"cost_usd", "USD per episode"},
                   {"memory_cost_usd", "of it memory"},
                   {"delta_cost_usd", "Δ USD"},
                   {"delta_tsr", "Δ TSR, points"},
                   {"camu", "CAMU"},
                   {"break_even_usd", "Break-even, USD"},
                   {"rank_tsr", "Rank TSR"},
                   {"rank_camu", "Rank CAMU"}};
  const bool positions = analysis.options.as_published;
  add_condition_rows(analysis, table, [positions](const Group& group, const ConditionMeasures& c) -> std::vector<Cell> {
    if (c.n == 0) return {};
    std::vector<Cell> cells{money(c.cost_usd.value()), money(c.memory_cost_usd.value())};
    if (!c.economy) {
      cells.resize(8);
      return cells;
    }
    cells.push_back(money(c.economy->delta_cost_usd));
    cells.push_back(Cell::percent(c.economy->delta_success, kPercentDecimals));
    cells.push_back(camu_cell(*c.economy));
    cells.push_back(money(c.economy->break_even_usd));
    if (!group.rankings) {
      cells.resize(8);
      return cells;
    }
    const merit::Rankings& rankings = *group.rankings;
    cells.push_back(rank_cell(rankings.by_success, rankings.success_ranks, positions, c.condition));
    cells.push_back(rank_cell(rankings.by_camu, rankings.camu_ranks, positions, c.condition));
    return cells;
  });
  table.caption = fmt::format(
      "Clean episodes, against {}. USD per episode: agent and memory system. CAMU: gain in dependent success, as a "
      "fraction, per dollar of extra cost. Break-even: the value of a solved task, in dollars, from which on the extra "
      "cost pays; negative where the condition is cheaper.",
      analysis.options.baseline);
  table.caption +=
      analysis.options.as_published
          ? " As published: CAMU is infinite where the condition is not dearer, whatever the gain."
          : " Where the condition is not dearer: `dominates` (better, or as good and cheaper), `dominated` "
            "(as dear and worse), `cheaper and worse`, or `equal`.";
  table.caption += h4_sentences(analysis) + scoring_sentence(analysis) + pool_sentence(analysis) + kDash;
  return table;
}

Table seeds_table(const Analysis& analysis) {
  Table table;
  table.title = "Seeds";
  table.columns = {{"condition", "Condition", Align::left}, {"seeds", "Seeds"}};
  std::vector<std::string> seeds;
  for (const Group& cell : analysis.cells) seeds.insert(seeds.end(), cell.seeds.begin(), cell.seeds.end());
  std::sort(seeds.begin(), seeds.end(), [](const auto& a, const auto& b) { return merit::seed_less(a, b); });
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  const std::size_t all_seeds = seeds.size();
  if (all_seeds > kMostSeedColumns) seeds.clear();
  for (const std::string& seed : seeds) table.columns.push_back({"seed_" + seed, "Seed " + seed + ", %"});
  table.columns.push_back({"mean", "Mean ± sd"});
  table.columns.push_back({"gap", "Gap, points"});
  add_condition_rows(analysis, table, [&](const Group&, const ConditionMeasures& c) -> std::vector<Cell> {
    if (!c.seed_spread) return {};
    std::vector<Cell> cells{Cell::count(c.seed_spread->n)};
    for (const std::string& seed : seeds) {
      const auto found =
          std::find_if(c.seeds.begin(), c.seeds.end(), [&](const merit::SeedMeasures& s) { return s.seed == seed; });
      cells.push_back(found == c.seeds.end() ? Cell::missing() : rate(found->dependent));
    }
    cells.push_back(Cell::percent(c.seed_spread->mean, kPercentDecimals).with_deviation(c.seed_spread->deviation));
    cells.push_back(Cell::percent(c.seed_gap(), kPercentDecimals));
    return cells;
  });
  table.caption =
      "Success rate of clean dependent episodes by seed; mean of the seeds' rates with their sample standard "
      "deviation; "
      "gap: largest difference between two seeds.";
  if (all_seeds > kMostSeedColumns) {
    table.caption += fmt::format(" The rates of the {} seeds themselves are left out (--json has them).",
                                 with_separators(all_seeds));
  }
  table.caption += scoring_sentence(analysis) + pool_sentence(analysis) + kDash;
  return table;
}

Table replay_table(const Analysis& analysis) {
  const std::string& replay = analysis.options.replay;
  Table table;
  table.title = "Against full replay";
  table.columns = {{"condition", "Condition", Align::left},
                   {"n", "n"},
                   {"tsr", "TSR dep. %"},
                   {"difference", "Difference, points"},
                   {"p", "p"},
                   {"ratio", "Ratio"},
                   {"tokens", "Tokens"}};
  add_condition_rows(analysis, table, [&](const Group& group, const ConditionMeasures& c) -> std::vector<Cell> {
    if (group.find(replay) == nullptr || c.dependent.n == 0) return {};
    const bool control = c.condition == replay;
    return {Cell::count(c.dependent.n),
            rate(c.dependent),
            control || !c.replay ? Cell::missing() : difference_cell(c.replay->dependent),
            p_cell(control || !c.replay || !c.replay->dependent.difference ? std::nullopt
                                                                           : c.replay->dependent.difference->p),
            control || !c.replay ? Cell::missing() : Cell::number(c.replay->ratio, 2),
            Cell::number(c.tokens.value(), 0)};
  });
  if (table.rows.empty()) {
    table.caption =
        fmt::format("There is no condition {} here; --replay names the one that replays all transcripts.", replay);
    return table;
  }
  table.caption = fmt::format(
      "{0} shows the agent all earlier transcripts: what it solves then bounds what any memory can be asked for, model "
      "by model. Clean dependent episodes; difference: condition minus {0} over the arcs that both have; ratio: of the "
      "success rates over all episodes. p is not adjusted.",
      replay);
  table.caption += resampling_sentence(analysis) + scoring_sentence(analysis) + pool_sentence(analysis) + kDash;
  return table;
}

struct NamedTable {
  const char* name;
  Table (*make)(const Analysis&);
};
constexpr NamedTable kTables[] = {{"measures", measures_table}, {"difficulty", difficulty_table},
                                  {"harm", harm_table},         {"hypotheses", hypotheses_table},
                                  {"cost", cost_table},         {"seeds", seeds_table},
                                  {"replay", replay_table}};

}  // namespace

const std::vector<std::string>& merit_table_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const NamedTable& table : kTables) list.emplace_back(table.name);
    return list;
  }();
  return names;
}

Table merit_table(const Analysis& analysis, std::string_view name, MeritGroups groups) {
  if (groups == MeritGroups::cells && name != "difficulty" && !analysis.pools.empty()) {
    Analysis cells = analysis;
    cells.pools.clear();
    return merit_table(cells, name);
  }
  for (const NamedTable& named : kTables) {
    if (named.name != name) continue;
    Table table = named.make(analysis);
    table.name = fmt::format("merit-{}", name);
    return table;
  }
  return {};
}

Table without_empty_columns(Table table) {
  if (table.rows.empty()) return table;
  std::string left_out;
  for (std::size_t column = table.columns.size(); column-- > table.label_columns;) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(),
                                   [column](const Row& row) { return row.cells[column].kind == Cell::Kind::missing; });
    if (!empty) continue;
    left_out = table.columns[column].name + (left_out.empty() ? "" : ", ") + left_out;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (Row& row : table.rows) row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(column));
  }
  if (!left_out.empty()) table.caption += fmt::format(" Left out, since no row has it: {}.", left_out);
  return table;
}

std::string merit_summary(const Analysis& analysis) {
  std::set<std::string> models;
  for (const Group& cell : analysis.cells) models.insert(model_text(cell.model));
  std::string model_list;
  for (const std::string& model : models) model_list += (model_list.empty() ? "" : ", ") + model;
  std::string text = fmt::format("{} scored episodes in {} {} ({}).", with_separators(analysis.episodes),
                                 analysis.cells.size(), analysis.cells.size() == 1 ? "cell" : "cells", model_list);
  const auto add = [&text](std::uint64_t count, std::string_view words) {
    if (count > 0) text += fmt::format(" {} {}.", with_separators(count), words);
  };
  add(analysis.pre_satisfied, "arrived with their goal already met and count as failures");
  add(analysis.corrected, "of these have a success on record");
  add(analysis.unchecked,
      "do not say whether their goal was met before (as rows from before that check do not); their success is taken as "
      "it is");
  const std::string& baseline = analysis.options.baseline;
  if (std::none_of(analysis.cells.begin(), analysis.cells.end(),
                   [&](const Group& cell) { return cell.find(baseline) != nullptr; })) {
    text += fmt::format(" There is no condition {}: no H1, H2, CAMU; --baseline names the one without memory.",
                        printable(baseline));
  }
  add(analysis.attempts, "repeat a task of their condition and count as further attempts");
  add(analysis.not_scored[static_cast<std::size_t>(merit::NotScored::no_outcome)], "have no outcome and are left out");
  add(analysis.not_scored[static_cast<std::size_t>(merit::NotScored::no_dependence)],
      "do not say whether their task depends on memory and are left out");
  return text;
}

}  // namespace memuse::report
