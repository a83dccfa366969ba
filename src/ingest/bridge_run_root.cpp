#include "ingest/bridge_run_root.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "ingest/adapter.h"
#include "ingest/instance_names.h"
#include "ingest/json_head.h"
#include "ingest/paths.h"

namespace memuse::ingest::bridge {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLogName = "trajectory.jsonl";
constexpr std::string_view kRunDirs = "trajectory";
/// `runs/<agent>/<id>/<id>/trajectory/<run dir>/trajectory.jsonl`.
constexpr int kDeepest = 7;

/// Leading number of a name, the largest one when there is none.
std::uint64_t leading_number(const std::string& name) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  return fault == std::errc() ? number : ~std::uint64_t{0};
}

bool has_instance_shape(const RootFiles& files, const std::string& outer, const std::string& id) {
  return files.is_file(join(outer, "memory.json")) || files.is_folder(join(outer, id + "/" + std::string(kRunDirs))) ||
         files.is_file(join(outer, id + "/" + id + ".traj.json"));
}

std::vector<RunDir> run_dirs_in(const RootFiles& files, const std::string& inner) {
  std::vector<RunDir> dirs;
  const std::string folder = join(inner, kRunDirs);
  for (std::string& name : files.folders(folder)) {
    std::string path = join(folder, name);
    if (files.exists(join(path, kLogName)) || files.is_file(join(path, "run.json"))) {
      dirs.push_back({std::move(name), std::move(path), std::string(kLogName)});
    }
  }
  return dirs;
}

bool has_log(const RootFiles& files, std::string_view folder) {
  const std::string path = join(folder, kLogName);
  if (!files.is_file(path)) return false;
  try {
    return looks_like_log(read_up_to(*files.open(path), kDetectionBytes));
  } catch (const ReadFault&) {
    return false;
  }
}

std::string last_name(const std::string& folder) {
  return name_of_folder(full_path(folder).filename().string());
}

/// The instance of a folder that lies in no run root; what stands outside the folder is not looked at.
std::optional<Instance> lone_instance(const std::string& folder, std::optional<std::string>& run_dir) {
  const RootFiles files(folder);
  const std::string name = last_name(folder);
  Instance instance;
  instance.id = name;
  if (has_log(files, "")) {
    run_dir = name;
    instance.run_dirs.push_back({name, "", std::string(kLogName)});
    return instance;
  }
  instance.inner = files.is_folder(name) ? name : "";
  instance.run_dirs = run_dirs_in(files, instance.inner);
  return instance;
}

/// A log under another name: it is read without its surroundings.
Location lone_log(const std::string& path) {
  const fs::path file(path);
  const std::string name = file.stem().string();
  Location location{file.parent_path().string(), Instance{}, name};
  location.instance->id = name;
  location.instance->run_dirs.push_back({name, "", file.filename().string()});
  return location;
}

}  // namespace

std::string join(std::string_view a, std::string_view b) {
  if (a.empty()) return std::string(b);
  if (b.empty()) return std::string(a);
  return std::string(a) + (a.back() == '/' ? "" : "/") + std::string(b);
}

void sort_numerically(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(leading_number(a), std::string_view(a)) < std::pair(leading_number(b), std::string_view(b));
  });
}

RootFiles::RootFiles(std::string root) : root_(std::move(root)) {
  std::error_code error;
  real_root_ = fs::canonical(root_.empty() ? fs::path(".") : fs::path(root_), error);
}

std::string RootFiles::name() const {
  return last_name(root_.empty() ? "." : root_);
}

std::string RootFiles::path(std::string_view below) const {
  return join(root_, below);
}

bool RootFiles::inside(const fs::path& path) const {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error || real_root_.empty()) return false;
  const auto [end, rest] = std::mismatch(real_root_.begin(), real_root_.end(), real.begin(), real.end());
  return end == real_root_.end();
}

bool RootFiles::is_file(std::string_view below) const {
  std::error_code error;
  return fs::is_regular_file(path(below), error) && inside(path(below));
}

bool RootFiles::is_folder(std::string_view below) const {
  std::error_code error;
  return fs::is_directory(path(below), error) && inside(path(below));
}

bool RootFiles::exists(std::string_view below) const {
  std::error_code error;
  return fs::exists(fs::symlink_status(path(below), error));
}

std::vector<std::string> RootFiles::list(std::string_view below, bool folders) const {
  std::vector<std::string> names;
  if (!is_folder(below)) return names;
  std::error_code error;
  fs::directory_iterator entry(path(below), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(".")) continue;
    if (folders ? is_folder(join(below, name)) : is_file(join(below, name))) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> RootFiles::folders(std::string_view below) const {
  return list(below, true);
}

std::vector<std::string> RootFiles::files(std::string_view below) const {
  return list(below, false);
}

std::unique_ptr<ByteStream> RootFiles::open(std::string_view below, std::size_t offset) const {
  if (!is_file(below)) throw ReadFault{"no regular file inside the run root: " + path(below)};
  return open_file(path(below), offset);
}

bool looks_like_log(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || head[begin] != '{') return false;
  const std::size_t number = find_word(head, "\"seq\"");
  if (number == std::string_view::npos || !has_word(head, "\"type\"")) return false;
  return has_word(head, "\"proxy_source\"") || has_word(head, "\"memory_session\"") ||
         (number < 256 && has_word(head, "\"agent_start\""));
}

std::vector<std::string> instance_folders(const RootFiles& files) {
  std::vector<std::string> ids;
  for (const std::string& agent : files.folders("runs")) {
    for (std::string& id : files.folders(join("runs", agent))) {
      if (has_instance_shape(files, join("runs/" + agent, id), id)) ids.push_back(std::move(id));
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Instance find_instance(const RootFiles& files, const std::string& id) {
  Instance instance;
  instance.id = id;
  // An id comes from a file of the run: it must name one folder, not lead somewhere.
  if (id.empty() || id == "." || id == ".." || id.find('/') != std::string::npos) return instance;
  for (const std::string& agent : files.folders("runs")) {
    const std::string outer = join("runs/" + agent, id);
    if (!files.is_folder(outer)) continue;
    instance.outer = outer;
    if (files.is_folder(join(outer, id))) instance.inner = join(outer, id);
    instance.run_dirs = run_dirs_in(files, instance.inner);
    break;
  }
  return instance;
}

bool is_run_root(const std::string& folder) {
  const RootFiles files(folder);
  if (!files.is_folder("runs")) return false;
  if (files.is_file("instance-ids.txt")) return true;
  for (const std::string& agent : files.folders("runs")) {
    for (const std::string& id : files.folders(join("runs", agent))) {
      if (has_instance_shape(files, join("runs/" + agent, id), id)) return true;
    }
  }
  return false;
}

bool is_instance_folder(const std::string& folder) {
  const RootFiles files(folder);
  if (has_log(files, "") && files.is_file("run.json")) return true;
  const std::string name = last_name(folder);
  const auto recorded = [&](const std::string& inner) {
    const std::vector<RunDir> dirs = run_dirs_in(files, inner);
    return std::any_of(dirs.begin(), dirs.end(), [&](const RunDir& dir) { return has_log(files, dir.path); });
  };
  return recorded("") || (files.is_folder(name) && recorded(name));
}

Location locate(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error) && fs::path(path).filename() != kLogName) return lone_log(path);
  fs::path at = fs::path(path).lexically_normal();
  if (!at.has_filename()) at = at.parent_path();
  std::vector<std::string> below;  // names from `at` down to the path
  for (int depth = 0; depth <= kDeepest; ++depth) {
    const std::string root = at.empty() ? "." : at.string();
    const bool fits = below.empty() || (below.size() > 2 && below[0] == "runs");
    if (fits && is_run_root(root)) {
      const RootFiles files(at.string());
      Location location{at.string(), std::nullopt, std::nullopt};
      if (below.size() > 2) location.instance = find_instance(files, below[2]);
      if (below.size() > 5 && below[4] == kRunDirs) location.run_dir = below[5];
      return location;
    }
    if (!at.has_filename() || at.filename() == "..") break;
    below.insert(below.begin(), at.filename().string());
    at = at.parent_path();
  }
  const bool folder = fs::is_directory(path, error);
  const std::string lone = folder ? path : fs::path(path).parent_path().string();
  Location location{lone, std::nullopt, std::nullopt};
  location.instance = lone_instance(lone.empty() ? "." : lone, location.run_dir);
  return location;
}

}  // namespace memuse::ingest::bridge
