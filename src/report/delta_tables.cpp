#include "report/delta_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "report/decimals.h"
#include "report/delta_words.h"
#include "report/show_common.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using controlled::ComparisonResult;
using controlled::Component;
using controlled::Cost;
using controlled::EffectiveComponent;
using controlled::Failures;
using controlled::PairedEstimate;

std::string short_name(const std::string& name) {
  return shortened(name, kShownBytes);
}

Cell percent(double share, const std::optional<stats::Interval>& interval) {
  Cell cell = Cell::percent(share, kPercentDecimals);
  if (interval) cell.interval = std::pair(interval->low, interval->high);
  return cell;
}

/// Index (from 1) of the note with that text, added when it is new.
std::size_t note_of(Table& table, const std::string& text) {
  const auto found = std::find(table.notes.begin(), table.notes.end(), text);
  if (found != table.notes.end()) return static_cast<std::size_t>(found - table.notes.begin()) + 1;
  table.notes.push_back(text);
  return table.notes.size();
}

std::string factor_of(const controlled::Comparison& comparison) {
  return comparison.factor ? std::string(controlled::name(*comparison.factor)) : std::string("no factor");
}

std::string heading(const DeltaReport& report, std::size_t index) {
  const controlled::Comparison& comparison = report.declaration.comparisons[index];
  return fmt::format("{} ({}{})", short_name(comparison.name), factor_of(comparison),
                     report.study.comparisons[index].control.controlled() ? "" : "; not controlled");
}

std::vector<Cell> estimate_cells(const std::optional<PairedEstimate>& estimate) {
  if (!estimate) return std::vector<Cell>(7);
  return {Cell::count(estimate->n),
          percent(estimate->first, estimate->first_interval),
          percent(estimate->second, estimate->second_interval),
          percent(estimate->difference, estimate->difference_interval),
          Cell::count(estimate->only_first),
          Cell::count(estimate->only_second),
          Cell::number(estimate->p, kPDecimals)};
}

std::vector<Column> estimate_columns(std::string label) {
  return {{"label", std::move(label), Align::left},
          {"n", "n"},
          {"first", "First %"},
          {"second", "Second %"},
          {"difference", "Difference"},
          {"only_first", "Only first"},
          {"only_second", "Only second"},
          {"p", "p"}};
}

constexpr const char* kEstimateWords =
    "First and second: mean score on the n instances that both sides have, in % (several runs of an instance count as "
    "their mean). Difference in points, first minus second, paired by instance. Only first, only second: instances on "
    "which that side alone is right (scores higher); p: McNemar's exact test on them";

bool any_graded(const DeltaReport& report) {
  return std::any_of(report.study.comparisons.begin(), report.study.comparisons.end(),
                     [](const auto& result) { return result.estimates[1] && !result.estimates[1]->binary; });
}

Table comparisons_table(const DeltaReport& report) {
  Table table;
  table.title = "Comparisons";
  table.columns = estimate_columns("Failures");
  table.columns.push_back({"p_holm", "Holm p"});
  table.columns.push_back({"controlled", "Controlled", Align::left});
  for (std::size_t i = 0; i < report.study.comparisons.size(); ++i) {
    const ComparisonResult& result = report.study.comparisons[i];
    for (const Failures failures : controlled::kFailureTreatments) {
      if (failures == Failures::as_wrong && !result.has_failures) continue;
      const auto& estimate = result.estimates[static_cast<std::size_t>(failures)];
      const char* label = !result.has_failures ? "none" : failures == Failures::excluded ? "excluded" : "as wrong";
      Row row{fmt::format("{}: {}", report.declaration.comparisons[i].name, label), heading(report, i), {}};
      row.cells = estimate_cells(estimate);
      row.cells.insert(row.cells.begin(), Cell::text(label));
      row.cells.push_back(Cell::number(estimate ? estimate->p_holm : std::nullopt, kPDecimals));
      row.cells.push_back(Cell::text(result.control.controlled() ? "yes" : "no"));
      table.rows.push_back(std::move(row));
    }
  }
  table.caption = fmt::format(
      "{}{}; Holm p: adjusted over the {}. Failures: executions that broke down, left out or counted as wrong.{}{}",
      kEstimateWords, any_graded(report) ? " (with graded or averaged scores: the exact sign test)" : "",
      plural(report.study.comparisons.size(), "declared comparison"), resampling_words(report), row_words(report));
  return table;
}

Table conclusions_table(const DeltaReport& report) {
  Table table;
  table.title = "Conclusions";
  table.columns = {{"comparison", "Comparison", Align::left, 30},
                   {"factor", "Factor", Align::left},
                   {"conclusion", "Conclusion", Align::left, 60}};
  table.label_columns = 3;
  for (std::size_t i = 0; i < report.study.comparisons.size(); ++i) {
    const controlled::Comparison& comparison = report.declaration.comparisons[i];
    table.rows.push_back({comparison.name,
                          "",
                          {Cell::text(short_name(comparison.name)), Cell::text(factor_of(comparison)),
                           Cell::text(conclusion(report, i))}});
  }
  return table;
}

Table types_table(const DeltaReport& report) {
  Table table;
  table.title = "Comparisons by question type";
  table.columns = estimate_columns("Question type");
  for (std::size_t i = 0; i < report.study.comparisons.size(); ++i) {
    for (const controlled::TypeResult& type : report.study.comparisons[i].types) {
      const std::string label = type.abstention     ? "(abstention)"
                                : type.type.empty() ? "(no type)"
                                                    : short_name(type.type);
      Row row{fmt::format("{}: {}", report.declaration.comparisons[i].name, label), heading(report, i), {}};
      row.cells = estimate_cells(type.estimates[static_cast<std::size_t>(Failures::excluded)]);
      row.cells.insert(row.cells.begin(), Cell::text(label));
      table.rows.push_back(std::move(row));
    }
  }
  table.caption = fmt::format(
      "{}, not adjusted for the number of types. Failed executions left out. (abstention): all questions whose right "
      "answer is to decline; they count in their type, too.{}",
      kEstimateWords, resampling_words(report));
  return table;
}

Cell refusal_cell(Table& table, const controlled::Refusals& refusals, std::optional<double> share) {
  Cell cell = Cell::percent(share, kPercentDecimals);
  if (refusals.stated == 0 || refusals.stated == refusals.scored) return cell;
  return cell.with_note(
      note_of(table, fmt::format("Of the {} of {} scored executions that state it.", with_separators(refusals.stated),
                                 with_separators(refusals.scored))));
}

Cell accuracy_cell(const std::optional<controlled::Accuracy>& accuracy) {
  return accuracy ? percent(accuracy->mean, accuracy->interval) : Cell::missing();
}

Table strategies_table(const DeltaReport& report) {
  Table table;
  table.title = "Strategies, each on its own instances";
  table.columns = {{"strategy", "Strategy", Align::left, 30},
                   {"instances", "Instances"},
                   {"executions", "Executions"},
                   {"failed", "Failed"},
                   {"unscored", "Not scored"},
                   {"accuracy", "Accuracy %"},
                   {"accuracy_failures_wrong", "Failures as wrong %"},
                   {"refused", "Refused %"},
                   {"refused_errors", "Refused % of errors"}};
  for (std::size_t i = 0; i < report.study.summaries.size(); ++i) {
    const controlled::StrategySummary& summary = report.study.summaries[i];
    const std::string& name = report.declaration.strategies[i].name;
    table.rows.push_back(
        {name,
         "",
         {Cell::text(short_name(name)), Cell::count(summary.instances), Cell::count(summary.executions),
          Cell::count(summary.failed), Cell::count(summary.unscored), accuracy_cell(summary.accuracy[0]),
          accuracy_cell(summary.accuracy[1]), refusal_cell(table, summary.refusals, summary.refusals.share()),
          refusal_cell(table, summary.refusals, summary.refusals.share_of_errors())}});
  }
  table.caption =
      "Accuracy: mean score over instances, failed executions left out or counted as wrong. Strategies may have "
      "different instances here: compare them in the comparisons. Refused: scored executions whose declared field says "
      "so, as a share of scored executions and of the score that was lost (the errors)." +
      resampling_words(report);
  return table;
}

constexpr std::array<int, controlled::kAmountCount> kAmountDecimals{1, 1, 4, 0, 2, 4};
constexpr std::array<const char*, controlled::kAmountCount> kAmountTitles{"Write calls", "Write seconds", "Write $",
                                                                          "Read tokens", "Read seconds",  "Read $"};

Cell cost_cell(Table& table, const Cost& cost, std::size_t amount, bool per_execution) {
  const auto value = per_execution ? cost.per_execution() : cost.total();
  Cell cell = Cell::number(value, kAmountDecimals[amount]);
  if (value || cost.stated == 0) return cell;
  return cell.with_note(note_of(table, fmt::format("Only {} of {} executions state it.", with_separators(cost.stated),
                                                   with_separators(cost.executions))));
}

void add_cost_rows(const DeltaReport& report, bool per_execution, Table& table) {
  const char* group = per_execution ? "Per execution" : "In all";
  for (std::size_t i = 0; i < report.study.summaries.size(); ++i) {
    const std::string& name = report.declaration.strategies[i].name;
    Row row{fmt::format("{}: {}", group, name), group, {Cell::text(short_name(name))}};
    for (std::size_t amount = 0; amount < controlled::kAmountCount; ++amount) {
      row.cells.push_back(cost_cell(table, report.study.summaries[i].costs[amount], amount, per_execution));
    }
    table.rows.push_back(std::move(row));
  }
}

Table costs_table(const DeltaReport& report) {
  Table table;
  table.title = "Cost of the write path and of the read path";
  table.columns.push_back({"strategy", "Strategy", Align::left, 30});
  for (std::size_t i = 0; i < controlled::kAmountCount; ++i) {
    table.columns.push_back({std::string(controlled::name(controlled::kAmounts[i])), kAmountTitles[i]});
  }
  add_cost_rows(report, false, table);
  add_cost_rows(report, true, table);
  for (std::size_t i = 0; i < report.study.comparisons.size(); ++i) {
    const std::string& name = report.declaration.comparisons[i].name;
    Row row{"Difference per execution: " + name, "Difference per execution", {Cell::text(short_name(name))}};
    for (std::size_t amount = 0; amount < controlled::kAmountCount; ++amount) {
      row.cells.push_back(Cell::number(report.study.comparisons[i].cost_differences[amount], kAmountDecimals[amount]));
    }
    table.rows.push_back(std::move(row));
  }
  table.caption =
      "Over all executions of a strategy, failed ones included. The write path builds the memory, the read path "
      "answers "
      "from it. Differences: first minus second, on the instances that are compared. A dash: not stated by every "
      "execution, or a total for other instances, too.";
  return table;
}

Cell component_cell(Table& table, const EffectiveComponent& component) {
  using Source = EffectiveComponent::Source;
  if (component.source == Source::mixed) return Cell::text("(mixed)");
  if (!component.value) {
    if (component.source != Source::partly_stated) return Cell::missing();
    return Cell::missing().with_note(note_of(table, "Only some rows state it, and it is not declared."));
  }
  const Cell cell = Cell::text(short_name(*component.value));
  if (component.contradicted) {
    return cell.with_note(
        note_of(table, fmt::format("Stated by the rows; declared as {}.", short_name(*component.declared))));
  }
  if (component.declared) return cell;
  return cell.with_note(note_of(table, "Stated by the rows; not declared."));
}

Table components_table(const DeltaReport& report) {
  Table table;
  table.title = "Components of the strategies";
  table.columns.push_back({"component", "Component", Align::left});
  for (const controlled::Strategy& strategy : report.declaration.strategies) {
    table.columns.push_back({strategy.name, short_name(strategy.name), Align::left, 24});
  }
  for (const Component component : controlled::kComponents) {
    const std::string name(controlled::name(component));
    Row row{name, "", {Cell::text(name)}};
    for (const controlled::EffectiveComponents& known : report.study.components) {
      row.cells.push_back(component_cell(table, known[component]));
    }
    table.rows.push_back(std::move(row));
  }
  table.caption =
      "What the rows state counts before what was declared. none: the strategy has no such component. (mixed): the "
      "rows "
      "state different values. A dash: not known.";
  return table;
}

std::string flip_words(const controlled::FamilyPair& pair) {
  constexpr std::size_t kListed = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(pair.flips.size(), kListed); ++i) {
    text += fmt::format("{}{} and {}", i == 0 ? "" : ", ", short_name(pair.flips[i].first),
                        short_name(pair.flips[i].second));
  }
  if (pair.flips.size() > kListed) text += fmt::format(" and {} more", pair.flips.size() - kListed);
  return text.empty() ? "no pair changes its order" : "changed order: " + text;
}

Table ranks_table(const DeltaReport& report) {
  Table table;
  table.title = "Ranking of the strategies by family of reader models";
  table.columns = {{"strategy", "Strategy", Align::left, 30},
                   {"first", "First family %"},
                   {"first_rank", "Rank"},
                   {"second", "Second family %"},
                   {"second_rank", "Rank"}};
  for (const controlled::FamilyPair& pair : report.study.ranks.pairs) {
    const std::string tau = pair.tau ? fmt::format("{:.2f}", *pair.tau) : std::string("not defined");
    const std::string group = fmt::format("{} and {}: n = {}, Kendall's tau-b {}, {}", short_name(pair.first),
                                          short_name(pair.second), with_separators(pair.n), tau, flip_words(pair));
    for (const controlled::RankedStrategy& strategy : pair.strategies) {
      const auto rank = [](double value) { return Cell::number(value, value == static_cast<int>(value) ? 0 : 1); };
      table.rows.push_back(
          {fmt::format("{}, {}: {}", pair.first, pair.second, strategy.name),
           group,
           {Cell::text(short_name(strategy.name)), Cell::percent(strategy.first, kPercentDecimals),
            rank(strategy.first_rank), Cell::percent(strategy.second, kPercentDecimals), rank(strategy.second_rank)}});
    }
  }
  table.caption =
      "Mean score on the n instances that all strategies of both families have, failed executions left out; rank 1 is "
      "best.";
  for (const std::string& warning : report.study.ranks.warnings) table.caption += fmt::format(" Warning: {}.", warning);
  return table;
}

Cell reason_cell(const std::optional<controlled::DropReason>& reason) {
  return reason ? Cell::text(std::string(controlled::name(*reason))) : Cell::text("");
}

Table dropped_table(const DeltaReport& report) {
  Table table;
  table.title = "Instances that are not compared";
  table.columns = {
      {"instance", "Instance", Align::left}, {"first", "First", Align::left}, {"second", "Second", Align::left}};
  for (std::size_t i = 0; i < report.study.comparisons.size(); ++i) {
    for (const controlled::DroppedInstance& dropped : report.study.comparisons[i].dropped) {
      const std::string& instance = report.results.instances()[dropped.instance];
      table.rows.push_back({fmt::format("{}: {}", report.declaration.comparisons[i].name, instance),
                            heading(report, i),
                            {Cell::text(instance), reason_cell(dropped.first), reason_cell(dropped.second)}});
    }
  }
  table.caption =
      "Why a side has no score. missing: no result; failed: every execution broke down; unscored: nobody said whether "
      "it "
      "is right; contradicted: two rows of one run differ.";
  return table;
}

Table checklist_table(const DeltaReport& report) {
  Table table;
  table.title = "Checklist";
  table.columns = {{"item", "Item", Align::left, 41}, {"state", "State", Align::left}, {"why", "Why", Align::left, 40}};
  table.label_columns = 3;
  for (const controlled::CheckItem& item : report.study.checklist) {
    table.rows.push_back(
        {item.key,
         "",
         {Cell::text(item.title), Cell::text(std::string(controlled::name(item.state))), Cell::text(item.why)}});
  }
  return table;
}

using TableMaker = Table (*)(const DeltaReport&);
const std::vector<std::pair<std::string, TableMaker>>& makers() {
  static const std::vector<std::pair<std::string, TableMaker>> all{{"comparisons", comparisons_table},
                                                                   {"conclusions", conclusions_table},
                                                                   {"types", types_table},
                                                                   {"strategies", strategies_table},
                                                                   {"costs", costs_table},
                                                                   {"components", components_table},
                                                                   {"ranks", ranks_table},
                                                                   {"dropped", dropped_table},
                                                                   {"checklist", checklist_table}};
  return all;
}

}  // namespace

const std::vector<std::string>& delta_table_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, make] : makers()) all.push_back(name);
    return all;
  }();
  return names;
}

Table delta_table(const DeltaReport& report, const std::string& name) {
  const auto found =
      std::find_if(makers().begin(), makers().end(), [&](const auto& maker) { return maker.first == name; });
  if (found == makers().end()) return {};
  Table table = found->second(report);
  table.name = name;
  return table;
}

}  // namespace memuse::report
