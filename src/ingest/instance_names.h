#pragma once

#include <string>
#include <string_view>

// Names of tasks, models and runs as harnesses around SWE-bench form them.

namespace memuse::ingest {

/// `owner/name` of a SWE-bench instance id (`owner__name-123`); empty for other ids.
std::string repository_of_instance(std::string_view instance_id);

/// Last part of a model name with routing prefixes: `model` for `provider/model`.
std::string_view model_without_route(std::string_view model_name);

/// The name of a folder by its last part: an archive is called like the folder that it would be unpacked to, `runs` for
/// `runs.tar.zst!`.
std::string name_of_folder(const std::string& folder);

/// File name without `.traj.json`, or else without its last extension.
std::string instance_of_path(const std::string& path);

/// Name of the folder that holds the run's trajectories: the file's folder, or the one above it when the tool has given
/// the instance a folder of its own. An archive counts as a folder with its name without suffixes.
/// The same for a relative and an absolute path; empty at the root.
std::string run_folder_of_path(const std::string& path, std::string_view instance_id);

}  // namespace memuse::ingest
