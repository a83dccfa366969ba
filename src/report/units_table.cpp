#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "model/text.h"
#include "report/profile_columns.h"
#include "report/tables.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using rules::Profile;

constexpr std::size_t kReasonsShown = 8;
constexpr const char* kDeliveries = "Deliveries";
constexpr const char* kGrades = "Episodes, by what their traces tell";
constexpr const char* kCost = "Recorded cost, US dollars";
constexpr const char* kEstimates = "Estimated cost (tokens × price) of calls without a recorded one, US dollars";
constexpr const char* kSpans = "Spans";
constexpr const char* kTriage = "Triage of judged and automatic spans";
constexpr const char* kJudge = "Work of the judge";
constexpr const char* kReasons = "Unresolved, by reason";

void add_count(Table& table, const std::vector<ProfileColumn>& columns, const char* key, const char* group,
               const char* label, std::uint64_t rules::Counts::*member) {
  add_row(table, columns, key, group, label,
          [member](const Profile& profile) { return Cell::count(profile.counts.*member); });
}

template <typename Grade>
void add_grade(Table& table, const std::vector<ProfileColumn>& columns, Grade grade, const char* key,
               const char* label) {
  add_row(table, columns, key, kGrades, label,
          [grade](const Profile& profile) { return Cell::count(profile.counts.episodes_of(grade)); });
}

void add_grades(Table& table, const std::vector<ProfileColumn>& columns) {
  add_grade(table, columns, VisibilityGrade::exact, "input_exact", "Visible input exact");
  add_grade(table, columns, VisibilityGrade::rebuilt, "input_rebuilt", "Visible input rebuilt");
  add_grade(table, columns, VisibilityGrade::partial, "input_partial", "Visible input known in part");
  add_grade(table, columns, VisibilityGrade::unknown, "input_unknown", "Visible input unknown (no spans)");
  add_grade(table, columns, DeliveryGrade::annotated, "deliveries_annotated", "Deliveries annotated");
  add_grade(table, columns, DeliveryGrade::by_rule, "deliveries_by_rule", "Deliveries found by a rule");
  add_grade(table, columns, DeliveryGrade::not_recorded, "deliveries_not_recorded", "Deliveries not recorded");
  add_grade(table, columns, DeliveryGrade::none, "deliveries_none", "No memory");
}

void add_deliveries(Table& table, const std::vector<ProfileColumn>& columns) {
  add_count(table, columns, "deliveries", kDeliveries, "Deliveries", &rules::Counts::deliveries);
  add_row(table, columns, "restatement_share", kDeliveries, "Restatements %",
          [](const Profile& profile) { return Cell::percent(profile.value(rules::Measure::restatement_share)); });
  add_count(table, columns, "attempts_set_aside", kDeliveries, "Episodes set aside (earlier attempts)",
            &rules::Counts::attempts_set_aside);
  add_count(table, columns, "unconsumed", kDeliveries, "Unconsumed (not among them)", &rules::Counts::unconsumed);
}

void add_cost(Table& table, const std::vector<ProfileColumn>& columns, const char* key, const char* label,
              rules::Cost rules::Counts::*member) {
  add_row(table, columns, key, kCost, label,
          [member](const Profile& profile) { return Cell::number((profile.counts.*member).known(), 4); });
}

void add_costs(Table& table, const std::vector<ProfileColumn>& columns) {
  add_cost(table, columns, "agent_cost_usd", "Agent", &rules::Counts::agent_cost);
  add_cost(table, columns, "side_cost_usd", "Side models (the memory system)", &rules::Counts::side_cost);
  add_row(table, columns, "calls_without_cost", kCost, "Calls without a recorded cost", [](const Profile& profile) {
    return Cell::count(profile.counts.agent_cost.calls_without_cost + profile.counts.side_cost.calls_without_cost);
  });
  add_cost(table, columns, "attempts_set_aside_cost_usd", "Attempts set aside (not among them)",
           &rules::Counts::attempts_set_aside_cost);
}

bool is_of_column(const ProfileColumn& column, const std::string& configuration, const std::string& run,
                  Pooling pooling) {
  return column.key == (pooling == Pooling::runs ? configuration + "/" + run : configuration);
}

/// Rows of estimates: what a price table adds to the recorded costs.
void add_estimates(Table& table, const std::vector<ProfileColumn>& columns, const std::vector<RunCost>& costs,
                   Pooling pooling) {
  Row agent{"agent_estimated_usd", kEstimates, {Cell::text("Agent")}};
  Row side{"side_estimated_usd", kEstimates, {Cell::text("Side models")}};
  Row unknown{"calls_of_unknown_cost", kEstimates, {Cell::text("Calls neither recorded nor estimated")}};
  for (const ProfileColumn& column : columns) {
    rules::CallCost of_agent;
    rules::CallCost of_side;
    for (const RunCost& cost : costs) {
      if (!is_of_column(column, cost.configuration, cost.run, pooling)) continue;
      of_agent += cost.agent;
      of_side += cost.side;
    }
    const auto estimated = [](const rules::CallCost& cost) {
      return cost.estimated_calls > 0 ? Cell::number(cost.estimated_usd, 4) : Cell::missing();
    };
    agent.cells.push_back(estimated(of_agent));
    side.cells.push_back(estimated(of_side));
    unknown.cells.push_back(Cell::count(of_agent.unknown_calls + of_side.unknown_calls));
  }
  for (Row* row : {&agent, &side, &unknown}) table.rows.push_back(std::move(*row));
}

/// Calls of the judge for the spans of a column.
CallTotals judging_of(const ProfileColumn& column, const std::vector<JudgingWork>& judging, Pooling pooling) {
  CallTotals sum;
  for (const JudgingWork& run : judging) {
    if (!is_of_column(column, run.configuration, run.run, pooling)) continue;
    sum.calls += run.totals.calls;
    sum.input_tokens += run.totals.input_tokens;
    sum.cached_input_tokens += run.totals.cached_input_tokens;
    sum.output_tokens += run.totals.output_tokens;
    sum.calls_without_tokens += run.totals.calls_without_tokens;
    sum.cost_usd += run.totals.cost_usd;
    sum.calls_without_cost += run.totals.calls_without_cost;
  }
  return sum;
}

/// One row of the judge's work; nothing where it is not known.
template <typename MakeCell>
void add_judging_row(Table& table, const std::vector<CallTotals>& work, const char* key, const char* label,
                     const MakeCell& cell) {
  Row row{key, kJudge, {Cell::text(label)}};
  for (const CallTotals& totals : work) row.cells.push_back(cell(totals));
  table.rows.push_back(std::move(row));
}

void add_judging(Table& table, const std::vector<ProfileColumn>& columns, const std::vector<JudgingWork>& judging,
                 Pooling pooling) {
  std::vector<CallTotals> work;
  for (const ProfileColumn& column : columns) work.push_back(judging_of(column, judging, pooling));
  const auto tokens = [](const CallTotals& totals, std::uint64_t count) {
    return totals.calls > totals.calls_without_tokens ? Cell::count(count) : Cell::missing();
  };
  add_judging_row(table, work, "judge_calls", "Calls", [](const CallTotals& w) { return Cell::count(w.calls); });
  add_judging_row(table, work, "judge_uncached_input_tokens", "Input tokens, uncached", [&](const CallTotals& w) {
    return tokens(w, w.input_tokens - std::min(w.cached_input_tokens, w.input_tokens));
  });
  add_judging_row(table, work, "judge_cached_input_tokens", "Input tokens, cached",
                  [&](const CallTotals& w) { return tokens(w, std::min(w.cached_input_tokens, w.input_tokens)); });
  add_judging_row(table, work, "judge_output_tokens", "Output tokens",
                  [&](const CallTotals& w) { return tokens(w, w.output_tokens); });
  add_judging_row(table, work, "judge_cost_usd", "Cost, US dollars", [](const CallTotals& w) {
    return w.calls > w.calls_without_cost || w.cost_usd > 0.0 ? Cell::number(w.cost_usd, 2) : Cell::missing();
  });
}

void add_spans(Table& table, const std::vector<ProfileColumn>& columns) {
  add_row(table, columns, "spans", kSpans, "Spans",
          [](const Profile& profile) { return Cell::count(profile.counts.spans()); });
  add_count(table, columns, "judged", kSpans, "Judged", &rules::Counts::profiled_spans);
  add_count(table, columns, "automatic_neutral", kSpans, "Automatic neutral", &rules::Counts::automatic_spans);
  add_count(table, columns, "empty", kSpans, "Empty", &rules::Counts::empty_spans);
  add_count(table, columns, "unresolved", kSpans, "Unresolved", &rules::Counts::unresolved_spans);
  add_count(table, columns, "not_judged", kSpans, "Not judged", &rules::Counts::not_judged_spans);
}

std::string capitalised(std::string_view word) {
  std::string out(word);
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

/// False when no judge could have found such a verdict in these spans: a 0 would be a claim.
bool is_assessed_verdict(Verdict verdict, const rules::Counts& counts, rules::AssessedSignals assessed) {
  if (counts.triaged() == 0) return false;
  const bool rests_on_effects =
      verdict == Verdict::beneficial || verdict == Verdict::mixed || verdict == Verdict::harmful;
  if (!rests_on_effects) return true;
  if (counts.profiled_spans == 0) return counts.not_judged_spans + counts.unresolved_spans == 0;
  return !assessed.effects_need_probe || counts.profiled_spans_with_probe > 0;
}

void add_triage(Table& table, const std::vector<ProfileColumn>& columns, rules::AssessedSignals assessed) {
  for (const Verdict verdict :
       {Verdict::beneficial, Verdict::mixed, Verdict::harmful, Verdict::undetermined, Verdict::neutral}) {
    const std::string key(name(verdict));
    add_row(table, columns, key, kTriage, capitalised(key), [verdict, assessed](const Profile& profile) {
      if (!is_assessed_verdict(verdict, profile.counts, assessed)) return Cell::missing();
      return Cell::count(profile.counts.verdict_count(verdict));
    });
    add_row(table, columns, key + "_share", kTriage, capitalised(key) + " %",
            [verdict, assessed](const Profile& profile) {
              if (!is_assessed_verdict(verdict, profile.counts, assessed)) return Cell::missing();
              return Cell::percent(static_cast<double>(profile.counts.verdict_count(verdict)) /
                                   static_cast<double>(profile.counts.triaged()));
            });
  }
}

/// The kind of a reason: reasons themselves name spans' files and bytes, so no two are alike.
std::string reason_class(const std::string& reason) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kClasses{{
      {"shown; needed for", "required evidence not read"},
      {"does not stand in", "quote not found where it is cited"},
      {"outside the window", "anchor outside the window"},
      {"redundant", "novelty against the rules"},
      {"output limit", "cut off at the output limit"},
      {"refused", "the model refused"},
      {"called no tool", "no answer"},
  }};
  for (const auto& [words, name] : kClasses) {
    if (reason.find(words) != std::string::npos) return std::string(name);
  }
  constexpr std::size_t kShown = 60;
  return shortened(reason.substr(0, reason.find(';')), kShown);
}

/// Counts by kind.
std::map<std::string, std::uint64_t> reason_classes(const Profile& profile) {
  std::map<std::string, std::uint64_t> classes;
  for (const auto& [reason, count] : profile.unresolved_reasons) classes[reason_class(reason)] += count;
  return classes;
}

/// The most frequent reasons over all columns, then by name.
std::vector<std::string> frequent_reasons(const std::vector<ProfileColumn>& columns) {
  std::map<std::string, std::uint64_t> counts;
  for (const ProfileColumn& column : columns) {
    for (const auto& [reason, count] : reason_classes(*column.profile)) counts[reason] += count;
  }
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : counts) reasons.push_back(reason);
  std::stable_sort(reasons.begin(), reasons.end(),
                   [&counts](const std::string& a, const std::string& b) { return counts[a] > counts[b]; });
  return reasons;
}

void add_reasons(Table& table, const std::vector<ProfileColumn>& columns) {
  std::vector<std::string> reasons = frequent_reasons(columns);
  const std::vector<std::string> rest(
      reasons.begin() + static_cast<std::ptrdiff_t>(std::min(kReasonsShown, reasons.size())), reasons.end());
  reasons.resize(reasons.size() - rest.size());
  const auto count_of = [](const Profile& profile, const std::string& reason) {
    const std::map<std::string, std::uint64_t> classes = reason_classes(profile);
    const auto found = classes.find(reason);
    return found == classes.end() ? std::uint64_t{0} : found->second;
  };
  for (const std::string& reason : reasons) {
    add_row(table, columns, "unresolved: " + reason, kReasons, reason.empty() ? "(no reason given)" : reason,
            [&](const Profile& profile) { return Cell::count(count_of(profile, reason)); });
  }
  if (rest.empty()) return;
  add_row(table, columns, "unresolved: other", kReasons, fmt::format("{} other reasons", rest.size()),
          [&](const Profile& profile) {
            std::uint64_t sum = 0;
            for (const std::string& reason : rest) sum += count_of(profile, reason);
            return Cell::count(sum);
          });
}

std::string judge_work(const JudgementSetRecord& set) {
  if (set.judge.empty()) return {};
  if (set.calls == 0) return "The judge made no model calls.";
  if (set.calls_without_tokens == set.calls) {
    return fmt::format("The judge's work over the whole judgement set: {} calls; their tokens were not counted.",
                       with_separators(set.calls));
  }
  const std::uint64_t cached = std::min(set.cached_input_tokens, set.input_tokens);
  return fmt::format(
      "The judge's work over the whole judgement set: {} calls; input tokens {} uncached and {} cached; output tokens "
      "{}; "
      "cost {}.",
      with_separators(set.calls), with_separators(set.input_tokens - cached), with_separators(cached),
      with_separators(set.output_tokens),
      set.cost_usd ? fmt::format("{:.2f} US dollars", *set.cost_usd) : std::string("not known"));
}

}  // namespace

Table units_table(const rules::StudyProfile& study, const JudgementSetRecord& set, Pooling pooling,
                  const std::vector<JudgingWork>& judging, const std::vector<RunCost>& costs) {
  const std::vector<ProfileColumn> columns = profile_columns(study, pooling);
  Table table = table_over(columns, "units", "Units of analysis", "");
  add_grades(table, columns);
  add_deliveries(table, columns);
  add_costs(table, columns);
  if (!costs.empty()) add_estimates(table, columns, costs, pooling);
  add_spans(table, columns);
  add_triage(table, columns, study.assessed);
  add_reasons(table, columns);
  // Judging has its costs only where a judge makes calls.
  if (set.calls > 0 && !judging.empty()) add_judging(table, columns, judging, pooling);
  std::uint64_t triaged = 0;
  for (const ProfileColumn& column : columns) triaged += column.profile->counts.triaged();
  table.caption = fmt::format(
      "A restatement is a delivery that repeats what a visible one shows. Triage shares are over judged and automatic "
      "spans (n = {}); empty, unresolved and not judged ones stay outside. Costs are over retained attempts, as the "
      "traces "
      "record them; a dash: none recorded. {} {}",
      with_separators(triaged), judge_work(set), provenance(study, set));
  return table;
}

}  // namespace memuse::report
