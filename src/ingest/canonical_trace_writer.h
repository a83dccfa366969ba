#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/episode.h"

namespace memuse::ingest {

/// Takes one line of a trace, line feed included; the view is valid during the call only.
using LineSink = std::function<void(std::string_view)>;

/// Prints `episode` as memuse-trace/1 (docs/trace-format.md): one line per record in the order of the line clock, the
/// fields of each in the order of the format's table, those that the episode does not have left out. Reading it gives
/// the same episode again, but for its source and the distances on its line clock; printing that gives the same bytes.
/// A drop stands right before the step that no longer shows its messages. A message without an id that a line has to
/// name gets one.
void write_canonical_trace(const Episode& episode, const LineSink& sink);

/// The same as one string.
std::string write_canonical_trace(const Episode& episode);

}  // namespace memuse::ingest
