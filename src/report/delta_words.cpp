#include "report/delta_words.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "model/text.h"
#include "report/show_common.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using controlled::ComparisonResult;
using controlled::PairedEstimate;

constexpr double kLevel = 0.05;

std::string shortened_name(const std::string& name) {
  return shortened(name, kShownBytes);
}

std::string p_words(double p) {
  return p < 0.0001 ? std::string("p < 0.0001") : fmt::format("p = {:.4f}", p);
}

/// " [2.5, 22.5]", in points.
std::string interval_words(const std::optional<stats::Interval>& interval) {
  return interval ? fmt::format(" [{:.1f}, {:.1f}]", interval->low * 100.0, interval->high * 100.0) : std::string();
}

/// "rag scores 12.5 [2.5, 22.5] points higher than notes (Holm's p = 0.0120: clear at 5 %)".
std::string difference_words(const PairedEstimate& estimate, const std::string& first, const std::string& second) {
  const bool lower = estimate.difference < 0.0;
  std::optional<stats::Interval> interval = estimate.difference_interval;
  if (interval && lower) interval = stats::Interval{-interval->high, -interval->low};
  std::string text = fmt::format("{} scores {:.1f}{} points {} than {}", first, std::fabs(estimate.difference) * 100.0,
                                 interval_words(interval), lower ? "lower" : "higher", second);
  if (!estimate.p_holm) return text;
  return text + fmt::format(" (Holm's {}: {} at 5 %)", p_words(*estimate.p_holm),
                            *estimate.p_holm < kLevel ? "clear" : "not clear");
}

std::string withheld_words(const ComparisonResult& result) {
  std::string text = "Withheld: not controlled. ";
  for (std::size_t i = 0; i < result.control.confounds.size(); ++i) {
    text += (i == 0 ? "" : "; ") + result.control.confounds[i].sentence;
  }
  return text + ".";
}

std::string controlled_words(const DeltaReport& report, std::size_t index) {
  const controlled::Comparison& comparison = report.declaration.comparisons[index];
  const ComparisonResult& result = report.study.comparisons[index];
  const std::string first = shortened_name(report.declaration.strategies[comparison.first].name);
  const std::string second = shortened_name(report.declaration.strategies[comparison.second].name);
  std::string factor(controlled::name(*comparison.factor));
  for (const controlled::Component component : result.control.came_with) {
    factor += fmt::format("{}{}", component == result.control.came_with.front() ? " and what comes with it: " : ", ",
                          controlled::name(component));
  }
  std::string text =
      fmt::format("Controlled: only {} differs. {}", factor, difference_words(*result.estimates[0], first, second));
  if (result.has_failures && result.estimates[1]) {
    text += "; with failures as wrong, " + difference_words(*result.estimates[1], first, second);
  }
  return text + ".";
}

/// "3 missing", "1 failed" of one side.
void add_reasons(const std::map<controlled::DropReason, std::uint64_t>& counts, const std::string& side,
                 std::string& text) {
  for (const auto& [reason, count] : counts) {
    text +=
        fmt::format("{}{} {} in {}", text.empty() ? "" : ", ", with_separators(count), controlled::name(reason), side);
  }
}

}  // namespace

std::string conclusion(const DeltaReport& report, std::size_t comparison) {
  const ComparisonResult& result = report.study.comparisons[comparison];
  std::string text = result.control.controlled() ? controlled_words(report, comparison) : withheld_words(result);
  for (const std::string& warning : result.control.warnings) text += fmt::format(" Warning: {}.", warning);
  const std::string dropped = dropped_words(report, comparison);
  if (!dropped.empty()) text += fmt::format(" Warning: the instance sets differ; {}.", dropped);
  return text;
}

std::string dropped_words(const DeltaReport& report, std::size_t comparison) {
  const controlled::Comparison& declared = report.declaration.comparisons[comparison];
  const auto& dropped = report.study.comparisons[comparison].dropped;
  if (dropped.empty()) return {};
  std::map<controlled::DropReason, std::uint64_t> first;
  std::map<controlled::DropReason, std::uint64_t> second;
  for (const controlled::DroppedInstance& instance : dropped) {
    if (instance.first) ++first[*instance.first];
    if (instance.second) ++second[*instance.second];
  }
  std::string reasons;
  add_reasons(first, shortened_name(report.declaration.strategies[declared.first].name), reasons);
  add_reasons(second, shortened_name(report.declaration.strategies[declared.second].name), reasons);
  return fmt::format("{} dropped: {}", plural(dropped.size(), "instance"), reasons);
}

std::string resampling_words(const DeltaReport& report) {
  if (report.resampling.resamples == 0) return " No intervals were asked for.";
  return fmt::format(" In brackets: {:g} % percentile bootstrap intervals, {} resamples of instances, seed {}.",
                     report.resampling.confidence * 100.0, with_separators(report.resampling.resamples),
                     report.resampling.seed);
}

std::string row_words(const DeltaReport& report) {
  std::string text;
  if (report.results.repeated_rows() > 0) {
    text += fmt::format(" {} repeated, counted once.", plural(report.results.repeated_rows(), "row"));
  }
  if (report.rows_not_selected > 0) {
    text += fmt::format(" {} left out by select.", plural(report.rows_not_selected, "row"));
  }
  if (!report.undeclared.empty()) {
    std::uint64_t rows = 0;
    for (const auto& [name, count] : report.undeclared) rows += count;
    text += fmt::format(" {} of {} not declared ({}{}) left out.", plural(rows, "row"),
                        plural(report.undeclared.size(), "strategy"), shortened_name(report.undeclared.front().first),
                        report.undeclared.size() > 1 ? ", …" : "");
  }
  if (!report.results.mixed_types().empty()) {
    text += fmt::format(" {} with contradicting question types, counted in no type.",
                        plural(report.results.mixed_types().size(), "instance"));
  }
  return text;
}

}  // namespace memuse::report
