#pragma once

#include <string>
#include <string_view>

#include "ingest/adapter.h"
#include "ingest/diagnostic_log.h"
#include "ingest/record_fields.h"
#include "model/episode.h"

// What harnesses that know neither configurations nor runs leave open, filled in the same way for all of them.

namespace memuse::ingest {

/// Names the configuration of an episode: as the user does, else by `stand_in` (a model's name without its route, an
/// agent's name), else `unnamed` with a warning at `place` that says what `lacks`. The texts must live in the episode's
/// arena or, of the options, are copied there.
void name_configuration(Episode& episode, const ReadOptions& options, std::string_view stand_in, DiagnosticLog& log,
                        RecordPlace place, std::string_view lacks = "no model is named either");

/// Names the run of an episode: as the user does, else by the folder that holds the run, else `r1`.
void name_run(Episode& episode, const ReadOptions& options, const std::string& folder);

/// Adds a tag in the order of the keys, unless its value is empty. The views must live in the episode's arena.
void add_tag(Episode& episode, std::string_view key, std::string_view value);

}  // namespace memuse::ingest
