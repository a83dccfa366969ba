#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/item_lineage.h"
#include "model/episode.h"
#include "model/records.h"

// What a person wants to look at in the terminal, and the same as JSON. All text of traces and judges is made safe
// before it is printed. Views that need the text of an episode take it as read again from its source; with a null
// pointer they show what the record alone holds, and say so.

namespace memuse::report {

struct ShowOptions {
  std::size_t width = 100;  ///< columns of the terminal
  bool colour = false;      ///< ANSI colours
  std::string judge;        ///< of the judgement set behind the labels; empty when there is none
  /// How the span to show was judged; nothing for a judge that keeps no record.
  std::optional<JudgementDetails> details = std::nullopt;
};

/// Everything that speaks for and against the verdict of span `number`. Throws `Error` (usage) if there is no such
/// span.
[[nodiscard]] std::string show_span(const Episode* episode, const EpisodeSpansRecord& record, std::uint32_t number,
                                    const ShowOptions& options);
[[nodiscard]] nlohmann::ordered_json show_span_json(const Episode* episode, const EpisodeSpansRecord& record,
                                                    std::uint32_t number, const ShowOptions& options);

/// One episode: outcome, a line per step, a line per span.
[[nodiscard]] std::string show_episode(const Episode* episode, const EpisodeSpansRecord& record,
                                       const ShowOptions& options);
[[nodiscard]] nlohmann::ordered_json show_episode_json(const Episode* episode, const EpisodeSpansRecord& record,
                                                       const ShowOptions& options);

/// One run: a line per episode. `records` are its episodes in the order of `export_before`.
[[nodiscard]] std::string show_run(std::span<const EpisodeSpansRecord> records, const ShowOptions& options);
[[nodiscard]] nlohmann::ordered_json show_run_json(std::span<const EpisodeSpansRecord> records,
                                                   const ShowOptions& options);

/// One item: its versions and who made them, where they were delivered and what came of it.
[[nodiscard]] std::string show_item(const graph::ItemLineage& lineage, const ShowOptions& options);
[[nodiscard]] nlohmann::ordered_json show_item_json(const graph::ItemLineage& lineage, const ShowOptions& options);

/// The steps of an episode with a credit window marked: `1 2 [3==5*===9] 10`, anchors with a star.
[[nodiscard]] std::string step_line(const Window& window, std::span<const std::uint32_t> anchors, std::uint32_t steps);

}  // namespace memuse::report
