#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/merit_flags.h"
#include "judge/episodes.h"
#include "value_tracing/value_trace.h"

namespace memuse::test {

/// The fields of an episode line for a probe.
inline Json probe_fields(const std::vector<std::string>& gold, const std::vector<std::string>& stale = {},
                         const Json& more = Json::object()) {
  Json probe = {{"dependent", true}, {"gold", gold}, {"stale", stale}};
  probe.update(more);
  return {{"probe", probe}};
}

inline Episode episode_of(const EpisodeText& text) {
  std::vector<Episode> episodes = ingest::read_canonical_trace(text.text(), {});
  REQUIRE(episodes.size() == 1);
  return std::move(episodes.front());
}

inline value_tracing::EpisodeTrace trace_of(const Episode& episode, const value_tracing::TraceOptions& options = {}) {
  return value_tracing::trace_values(episode, ingest::printed_arguments(episode.steps), options);
}

/// What became of one gold value when a note was placed and one command followed.
inline value_tracing::GoldTrace trace_note(std::string_view gold, std::string_view note, std::string_view command,
                                           std::string_view says = "I go on.") {
  EpisodeText text("Put the service in order.", probe_fields({std::string(gold)}));
  text.notes({{"N-1", std::string(note)}}).step(says, command);
  const value_tracing::EpisodeTrace trace = trace_of(episode_of(text));
  REQUIRE(trace.gold.size() == 1);
  return trace.gold.front();
}

}  // namespace memuse::test
