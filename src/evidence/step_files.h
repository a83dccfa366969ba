#pragma once

#include <vector>

#include "evidence/episode_parts.h"

namespace memuse::evidence {

/// The step files of an episode: what is new in the input by name, then response, reasoning, actions and results.
std::vector<BuiltFile> step_files(const EpisodeEvidence::Parts& parts);

}  // namespace memuse::evidence
