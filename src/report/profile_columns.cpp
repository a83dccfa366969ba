#include "report/profile_columns.h"

#include <fmt/format.h>

#include "model/version.h"
#include "report/text_layout.h"

namespace memuse::report {

std::vector<ProfileColumn> profile_columns(const rules::StudyProfile& study, Pooling pooling) {
  std::vector<ProfileColumn> columns;
  for (const auto& configuration : study.configurations) {
    if (pooling == Pooling::configurations) {
      columns.push_back({configuration.configuration, configuration.configuration, &configuration.pooled});
      continue;
    }
    for (const auto& run : configuration.runs) {
      columns.push_back(
          {configuration.configuration + "/" + run.run, configuration.configuration + " / " + run.run, &run.profile});
    }
  }
  return columns;
}

Table table_over(const std::vector<ProfileColumn>& columns, std::string name, std::string title,
                 std::string label_heading) {
  Table table;
  table.name = std::move(name);
  table.title = std::move(title);
  table.columns.push_back({"label", std::move(label_heading), Align::left});
  for (const ProfileColumn& column : columns) table.columns.push_back({column.key, column.name, Align::right});
  return table;
}

std::string provenance(const rules::StudyProfile& study, const JudgementSetRecord& set) {
  const std::string_view rules_name = set.rules.empty() ? kRuleSet : std::string_view(set.rules);
  std::string out = set.judge.empty() ? fmt::format("Nothing was judged; rule set {}", rules_name)
                                      : fmt::format("Judge {}; rule set {}", set.judge, rules_name);
  out += fmt::format("; delivered tokens: {}.", study.estimator == rules::TokenEstimator::recorded
                                                    ? "as recorded"
                                                    : "estimated from the placed text (utf8-bytes/4)");
  if (!study.baseline.empty()) out += fmt::format(" Baseline: {}.", study.baseline);
  if (!set.judge.empty() && (!study.assessed.relevance || !study.assessed.accuracy)) {
    const char* what = study.assessed.accuracy    ? "relevance"
                       : study.assessed.relevance ? "accuracy"
                                                  : "relevance and accuracy";
    out += fmt::format(" This judge does not assess {}.", what);
  }
  if (study.assessed.effects_need_probe) {
    std::uint64_t spans = 0;
    std::uint64_t with_probe = 0;
    for (const auto& configuration : study.configurations) {
      spans += configuration.pooled.counts.profiled_spans;
      with_probe += configuration.pooled.counts.profiled_spans_with_probe;
    }
    out += fmt::format(" It assesses effects only in episodes with a probe: {} of {} profiled spans.",
                       grouped(fmt::format("{}", with_probe)), grouped(fmt::format("{}", spans)));
  }
  return out;
}

std::string sample_sizes(const std::vector<ProfileColumn>& columns) {
  std::uint64_t spans = 0;
  for (const ProfileColumn& column : columns) spans += column.profile->counts.profiled_spans;
  return fmt::format("n = {} profiled spans.", grouped(fmt::format("{}", spans)));
}

}  // namespace memuse::report
