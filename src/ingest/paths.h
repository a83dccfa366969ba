#pragma once

#include <filesystem>
#include <string>

namespace memuse::ingest {

/// One name for a place however it was written: absolute, without `.`, `..` and a slash at its end. Links are not
/// followed, and nothing needs to exist.
std::filesystem::path full_path(const std::string& path);

}  // namespace memuse::ingest
