#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "attribution/facts.h"
#include "figures/figure.h"
#include "model/records.h"
#include "report/tables.h"
#include "rules/profile.h"

// The figures of point-of-use attribution over a study. Every number is that of the table of the same name; captions
// say what is drawn, what is left out, and what it rests on. A list is empty when there is nothing to draw.

namespace memuse::report {

/// A line of the radar, or a colour, for no more than this many series can be told apart in print.
inline constexpr std::size_t kMostSeries = 8;

/// Whose entries a bar or a group of rows is about.
struct EpisodeSet {
  std::string name;
  attribution::Episodes episodes;  ///< live as long as the study
};

/// Configurations, or runs, in the order of the tables.
[[nodiscard]] std::vector<EpisodeSet> episode_sets(const attribution::StudyFacts& study, Pooling pooling);

/// `radar`: the six axes of configurations that have a profile, eight to a figure; or, for runs, `radar-CONFIGURATION`
/// with a line per run for each of them.
[[nodiscard]] std::vector<figures::Figure> radar_figures(const rules::StudyProfile& study,
                                                         const JudgementSetRecord& set, Pooling pooling);

/// `variation`: the six axes of every run, with mean and standard deviation per configuration.
[[nodiscard]] std::vector<figures::Figure> variation_figures(const rules::StudyProfile& study,
                                                             const JudgementSetRecord& set);

/// `effects`: what came of the entries that were acted on.
[[nodiscard]] std::vector<figures::Figure> effects_figures(const attribution::StudyFacts& study,
                                                           const JudgementSetRecord& set,
                                                           const std::vector<EpisodeSet>& sets);

/// `forms`: the share of delivered tokens against the share of beneficial entries, for each delivery form. Forms
/// without benefit and with less than 0.1 % of the tokens are not drawn, but counted in the shares.
[[nodiscard]] std::vector<figures::Figure> forms_figures(const attribution::StudyFacts& study,
                                                         const JudgementSetRecord& set,
                                                         const std::vector<EpisodeSet>& sets, figures::Scale scale);

/// A plain file name from texts that may be anything: other characters become `_`; of at most `most` bytes.
[[nodiscard]] std::string figure_file_name(std::string text, std::size_t most = 60);
/// Names that became the same are told apart by a number.
void make_figure_names_unique(std::vector<figures::Figure>& figures);

}  // namespace memuse::report
