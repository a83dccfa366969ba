#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "attribution/facts.h"
#include "attribution/ratio.h"
#include "report/table.h"
#include "report/tables.h"
#include "stats/bootstrap.h"

// What the tables over episodes share: whose episodes a column or a group of rows is about, and how intervals are
// shown.

namespace memuse::report {

/// A configuration, a run or a group, with its episodes.
struct EpisodeColumn {
  std::string key;
  std::string name;
  std::string configuration;       ///< empty for a group
  attribution::Episodes episodes;  ///< live as long as the study
  bool with_effects = false;       ///< some effect can have been assessed
  std::uint64_t profiled_spans = 0;
};

/// Configurations or runs, in the order and under the keys of the other tables.
[[nodiscard]] std::vector<EpisodeColumn> episode_columns(const attribution::StudyFacts& study, Pooling pooling);

/// A column over any episodes.
[[nodiscard]] EpisodeColumn episode_column(const attribution::StudyFacts& study, std::string key, std::string name,
                                           attribution::Episodes episodes);

/// Index (from 1) of the note with that text, added when it is new.
[[nodiscard]] std::size_t add_note(Table& table, const std::string& text);

/// The cell with the interval of the estimate, or the mark that says why there is none. A missing cell stays as it is.
[[nodiscard]] Cell with_interval(Table& table, Cell cell, const attribution::RatioEstimate& estimate);

/// The bootstrap of `resampling` in words: "95 % bootstrap intervals (percentile), 10,000 resamples of whole tasks
/// (n = 8), seed 0". Of whole arcs where the study has them.
[[nodiscard]] std::string resampling_words(const attribution::StudyFacts& study, const stats::Resampling& resampling);

/// " In brackets: …." for tables whose intervals are asked for; empty for others.
[[nodiscard]] std::string interval_words(const attribution::StudyFacts& study, const TableOptions& options);

/// The resampling of a table with optional intervals: none when they are not asked for.
[[nodiscard]] stats::Resampling optional_resampling(const TableOptions& options);

/// `part` / `whole`; nothing when `whole` is 0.
[[nodiscard]] std::optional<double> share_of(std::uint64_t part, std::uint64_t whole);

}  // namespace memuse::report
