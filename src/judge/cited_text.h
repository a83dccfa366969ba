#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/checks.h"
#include "model/episode.h"
#include "model/labels.h"
#include "model/span.h"

namespace memuse::judge {

/// A place that evidence cites: a step, or an evidence file of semantics.md §6.
struct CitedPlace {
  std::optional<std::uint32_t> step;
  std::string file;
  friend auto operator<=>(const CitedPlace&, const CitedPlace&) = default;
};

/// The place that a piece of evidence names; `steps/0003` is step 3, `task` is step 0.
CitedPlace cited_place(const Evidence& evidence);
/// "step 3" or "file target", for messages.
std::string in_words(const CitedPlace& place);

/// The texts of the places that an answer about one span may cite. Each is put together once.
class CitedTexts {
 public:
  CitedTexts(const Episode& episode, const Span& span, const CheckOptions& options)
      : episode_(episode), span_(span), options_(options) {}

  /// True when there is such a step or file.
  [[nodiscard]] bool exists(const CitedPlace& place) const;
  /// True when the quote stands there, white space folded.
  bool holds(const CitedPlace& place, std::string_view quote);
  /// True when the quote is a whole line there.
  bool is_line(const CitedPlace& place, std::string_view quote);
  /// True when what the quote shows was before the agent when the delivery was consumed.
  bool visible_before(const CitedPlace& place, std::string_view quote);

 private:
  /// Texts as recorded; a fault in a judge's answer is no reason to trust its lines.
  [[nodiscard]] std::vector<std::string> texts_of(const CitedPlace& place) const;
  [[nodiscard]] std::vector<std::string> step_texts(std::uint32_t step) const;
  [[nodiscard]] std::vector<std::string> message_texts(bool with_steps) const;
  [[nodiscard]] std::vector<std::string> delivery_texts(bool only_visible) const;
  [[nodiscard]] std::vector<std::string> target_texts() const;
  const std::vector<std::string>& folded(const CitedPlace& place);

  const Episode& episode_;
  const Span& span_;
  const CheckOptions& options_;
  std::map<CitedPlace, std::vector<std::string>> folded_;
};

}  // namespace memuse::judge
