#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"
#include "model/labels.h"

// Finding, in what the agent did, the place that a judge's evidence speaks of.

namespace memuse::report {

/// One argument of an action as text: strings decoded, other values as JSON.
struct Argument {
  std::string
      name;  ///< path inside the arguments: `command`, `edits[0].new`; empty when they are not an object or array
  std::string text;
};

/// Arguments of an action, flattened. Malformed, huge or deeply nested JSON comes back as one argument with the raw
/// text.
[[nodiscard]] std::vector<Argument> arguments_of(const Action& action);

/// Name and first words of an action on one line: `bash: pytest -q tests/net`. Not yet safe to print.
[[nodiscard]] std::string action_summary(const Action& action);

/// A stretch of text with one part marked.
struct Excerpt {
  std::string before, marked, after;
  bool cut_before = false, cut_after = false;  ///< text was left out at that end
};

/// Where a piece of evidence shows in a step.
struct Sighting {
  std::uint32_t step = 0;
  std::optional<std::size_t> action;  ///< index into the step's actions; nothing: the agent's own words
  std::string place;                  ///< argument name, `response` or `reasoning`
  Excerpt excerpt;
};

/// The place in step `evidence.step` that holds the evidence's carried value (inside its quote, if the quote is there),
/// or its quote; arguments of actions first, then response and reasoning. Nothing when the step does not show it
/// literally.
[[nodiscard]] std::optional<Sighting> find_evidence(const Episode& episode, const Evidence& evidence);

/// Byte offset of `value` in `text`, preferring an occurrence that no letter or digit touches.
[[nodiscard]] std::optional<std::size_t> find_value(std::string_view text, std::string_view value);

}  // namespace memuse::report
