#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"
#include "model/records.h"
#include "report/action_text.h"
#include "report/show.h"

// Pieces that the terminal views share.

namespace memuse::report {

/// ANSI styles that do nothing when colour is off.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap_in("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return wrap_in("2", text); }
  /// A verdict or an effect in its colour.
  [[nodiscard]] std::string judged(std::string_view word, std::string_view text) const;
  /// Lines in which «…» is set in bold.
  [[nodiscard]] std::string emphasised(std::string_view lines) const;

 private:
  [[nodiscard]] std::string wrap_in(const char* code, std::string_view text) const;
  bool on_;
};

/// A horizontal rule with its line feed.
[[nodiscard]] std::string rule(std::size_t width);

/// "Label     text", wrapped under the text.
[[nodiscard]] std::string field(std::string_view label, std::string_view text, std::size_t width);

/// Safe to print, on one line.
[[nodiscard]] std::string safe(std::string_view text);

/// "resolved (by checker), reward 1", "not resolved", "outcome unknown".
[[nodiscard]] std::string outcome_text(const EpisodeRecord& episode);

/// "configuration c · run r1 · task t (position 3) · repository x".
[[nodiscard]] std::string place_text(const EpisodeRecord& episode);

/// "S3", "S3 E0".
[[nodiscard]] std::string span_label(std::uint32_t span);
[[nodiscard]] std::string entry_label(std::uint32_t span, std::uint32_t entry);

/// "item A, version A.1", or "no item id".
[[nodiscard]] std::string item_text(const EntryRecord& entry);

/// "relevance true · accuracy corroborated · …", null as "—".
[[nodiscard]] std::string labels_text(const Labels& labels);

/// "acted on → improved", "none", "influence open".
[[nodiscard]] std::string use_text(const Labels& labels);

/// `text` with the first occurrence of `value` as «value»; both become safe, lines are kept.
[[nodiscard]] std::string marked(std::string_view text, std::string_view value);

/// The excerpt with «…» around its marked part and "…" where text was left out.
[[nodiscard]] std::string excerpt_text(const Excerpt& excerpt);

/// "2 beneficial, 1 neutral" over the spans of a record, with those without verdict by status.
[[nodiscard]] std::string verdicts_text(const std::vector<SpanRecord>& spans);

/// "12 deliveries, 3 of them restatements, 1 unconsumed".
[[nodiscard]] std::string deliveries_text(const EpisodeSpansRecord& record);

/// `count` and the word, with an "s" (or "ies" for "y") when it is not one.
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view word);

}  // namespace memuse::report
