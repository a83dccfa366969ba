#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/episode.h"
#include "model/records.h"

namespace memuse::report {

struct EpisodePageOptions {
  /// Bytes kept of each text (`parts_json`); nothing: all of them.
  std::optional<std::size_t> text_limit;
  std::string judge;  ///< of the judgement set behind the labels; empty when there is none
  /// How a span was judged; nothing for a judge that keeps no record. May be empty.
  std::function<std::optional<JudgementDetails>(std::uint32_t span)> details;
  std::string source_missing;  ///< why there is no episode
};

/// Everything that the page of one episode shows (docs/report-data.md, "episode"): its record, its spans with entries,
/// labels, reasons, quotes and the ledger of reads, and the transcript with memory and quotes marked. With a null
/// pointer there is no transcript.
[[nodiscard]] nlohmann::ordered_json episode_page_json(const Episode* episode, const EpisodeSpansRecord& record,
                                                       const EpisodePageOptions& options);

}  // namespace memuse::report
