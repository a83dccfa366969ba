#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agreement/agreement.h"
#include "model/records.h"
#include "report/table.h"
#include "stats/bootstrap.h"

namespace memuse::report {

/// An agreement with what belongs into its caption.
struct AgreementReport {
  agreement::Agreement agreement;        ///< raters under the names to print
  std::vector<JudgementSetRecord> sets;  ///< the raters' sets, in the same order
  stats::Resampling resampling;          ///< how intervals were made; 0 resamples for none
};

/// `agreement`: for each pair of sets, and for all together when there are more than two, a line per signal that both
/// assess: n, agreement, Cohen's kappa plain and weighted, Krippendorff's alpha, with their intervals.
[[nodiscard]] Table agreement_table(const AgreementReport& report);

/// A confusion matrix for each pair and signal with entries in common: first set down, second across.
[[nodiscard]] std::vector<Table> confusion_tables(const AgreementReport& report);

/// Everything, for programs; missing numbers are null.
[[nodiscard]] nlohmann::ordered_json agreement_json(const AgreementReport& report);

/// The sentence of a caption on how the set agrees with labels: " Agreement with label:ada on 134 entries: influence
/// kappa 0.84, effect kappa 0.79."; empty when no labels overlap with it.
[[nodiscard]] std::string agreement_sentence(const JudgementSetRecord& set);

/// "partial: 40 of 1,204 spans (a sample with seed 7)." with a space before it; empty for a set without a sample.
[[nodiscard]] std::string sample_sentence(const JudgementSetRecord& set);

}  // namespace memuse::report
