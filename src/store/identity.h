#pragma once

#include <string>
#include <string_view>

#include "model/episode.h"

namespace memuse::store {

/// Content id of an episode: the first 32 hex digits of SHA-256 over configuration, run, episode id, task id, the
/// SHA-256 of its source bytes and a digest of everything the adapter made of them. Each field is framed by its length,
/// so no two episodes share a byte sequence. Neither path nor place nor time of ingest takes part,
/// nor outcome and probe, which files of their own may change.
std::string episode_uid(const Episode& episode);

}  // namespace memuse::store
