#include "report/compare_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "report/profile_columns.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using attribution::Comparison;

constexpr std::size_t kShownName = 60;

std::string side_name(const std::string& configuration) {
  return shortened(printable(configuration), kShownName);
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_separators(count), noun, count == 1 ? "" : "s");
}

/// "36 matched tasks (108 and 107 episodes)".
std::string matched_words(const Comparison& comparison) {
  const auto& pairing = comparison.pairing;
  return fmt::format("{} ({} and {} episodes)", counted(pairing.tasks.size(), "matched task"),
                     with_separators(pairing.first_episodes().size()),
                     with_separators(pairing.second_episodes().size()));
}

std::string unmatched_words(const CompareReport& report, const Comparison& comparison) {
  const auto& pairing = comparison.pairing;
  const std::uint64_t unnamed = pairing.unnamed_first + pairing.unnamed_second;
  if (pairing.only_first.empty() && pairing.only_second.empty() && unnamed == 0) return {};
  std::string out = fmt::format("left out: {} of {} and {} of {}", counted(pairing.only_first.size(), "task"),
                                side_name(report.request.first), with_separators(pairing.only_second.size()),
                                side_name(comparison.second));
  if (unnamed > 0) out += fmt::format(", {} that name no task", counted(unnamed, "episode"));
  return out;
}

std::string sides_sentences(const CompareReport& report) {
  std::string out;
  for (const Comparison& comparison : report.comparisons) {
    out += report.comparisons.size() == 1 ? std::string("n = ") : fmt::format("{}: n = ", side_name(comparison.second));
    out += matched_words(comparison);
    if (const std::string left_out = unmatched_words(report, comparison); !left_out.empty()) out += "; " + left_out;
    if (comparison.without_result_first + comparison.without_result_second > 0) {
      out += fmt::format("; {} and {} episodes without a result count as not resolved",
                         with_separators(comparison.without_result_first),
                         with_separators(comparison.without_result_second));
    }
    out += ". ";
  }
  return out;
}

/// Clusters are arcs when some matched tasks share one.
bool has_arcs(const CompareReport& report) {
  return std::any_of(report.comparisons.begin(), report.comparisons.end(), [](const Comparison& comparison) {
    return comparison.pairing.clusters() < comparison.pairing.tasks.size();
  });
}

std::string method_sentences(const CompareReport& report) {
  const stats::Resampling& resampling = report.request.resampling;
  const char* unit = has_arcs(report) ? "arcs (tasks that name none alone), all their runs together"
                                      : "tasks, all runs of a task together";
  if (resampling.resamples == 0) return "No intervals: nothing was resampled. ";
  return fmt::format(
      "Brackets: {:g} % intervals, {} of the paired bootstrap over {}; {} resamples, seed {}. p: two-sided, from the "
      "same resamples unless a note says otherwise. ",
      resampling.confidence * 100.0, resampling.method == stats::IntervalMethod::bca ? "BCa" : "percentiles", unit,
      with_separators(resampling.resamples), resampling.seed);
}

std::string family_sentence(const CompareReport& report) {
  std::string measures;
  std::size_t tests = 0;
  for (const Comparison& comparison : report.comparisons) {
    for (const attribution::MeasureDifference& row : comparison.measures) {
      if (row.in_family && row.p) ++tests;
    }
  }
  for (const attribution::ComparedMeasure& measure : attribution::compared_measures()) {
    const auto& family = report.request.family;
    if (std::find(family.begin(), family.end(), measure.key) == family.end()) continue;
    if (!measures.empty()) measures += ", ";
    measures += measure.key;
  }
  return fmt::format("Holm p: adjusted over the {} of the family “{}” ({}{}). ", counted(tests, "test"),
                     side_name(report.family_name), measures,
                     report.comparisons.size() == 1 ? "" : "; every comparison");
}

std::string cost_sentences(const CompareReport& report) {
  std::string out = "Cost: agent and memory system, retained episodes whose cost is known in full. ";
  out += report.cost_sentence + " ";
  for (const Comparison& comparison : report.comparisons) {
    const std::uint64_t unknown = comparison.cost_unknown_first + comparison.cost_unknown_second;
    const std::uint64_t estimated = comparison.cost_estimated_first + comparison.cost_estimated_second;
    if (unknown + estimated == 0) continue;
    if (report.comparisons.size() > 1) out += fmt::format("{}: ", side_name(comparison.second));
    out += fmt::format("{} and {} matched episodes of unknown cost, {} and {} with an estimated part. ",
                       with_separators(comparison.cost_unknown_first), with_separators(comparison.cost_unknown_second),
                       with_separators(comparison.cost_estimated_first),
                       with_separators(comparison.cost_estimated_second));
  }
  return out;
}

}  // namespace

std::vector<std::string> warnings_of(const Comparison& comparison, attribution::Factor declared) {
  std::vector<std::string> warnings = attribution::confounds(comparison, declared);
  for (std::string& warning : warnings) {
    warning += fmt::format(": what differs may not be due to the declared factor, {}", attribution::name(declared));
  }
  if (comparison.pairing.tasks.empty()) warnings.emplace_back("no task is on both sides, so nothing can be compared");
  return warnings;
}

std::string compare_caption(const CompareReport& report) {
  return fmt::format(
      "Difference: the compared configuration minus {}; in points where a row says %. Values are over matched tasks "
      "only. {}{}{}{}Shares are mean entry shares of profiled spans; yields are per 100 profiled spans; token "
      "efficiency "
      "is beneficial entries per million delivered tokens. {}",
      side_name(report.request.first), sides_sentences(report), method_sentences(report), family_sentence(report),
      cost_sentences(report), provenance(report.study.profile, report.set));
}

std::string_view method_name(stats::IntervalMethod method) {
  return method == stats::IntervalMethod::bca ? "bca" : "percentile";
}

std::string_view p_method_name(attribution::PMethod method) {
  switch (method) {
    case attribution::PMethod::none:
      return {};
    case attribution::PMethod::bootstrap:
      return "bootstrap";
    case attribution::PMethod::mcnemar:
      return "mcnemar_exact";
  }
  return {};
}

}  // namespace memuse::report
