#pragma once

#include <string>

#include "model/episode.h"
#include "model/span.h"

namespace memuse::test {

/// The rules of semantics.md §2–§4 and trace-format.md, done the slow and obvious way: every visible input is written
/// out as a list of texts, and every question is answered by looking at all of them.
EpisodeSpans reference_spans(const Episode& episode);

/// Everything in `spans`, as lines that can be compared and read.
std::string describe(const EpisodeSpans& spans);

}  // namespace memuse::test
