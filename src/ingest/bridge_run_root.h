#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/byte_stream.h"
#include "ingest/diagnostic_log.h"

// Where things lie in a run root of memory-bridge (docs/memory-bridge.md), and nothing about what is in them.

namespace memuse::ingest::bridge {

/// One of the recorder's folders of an instance: `<inner>/trajectory/<stamp>-memory-<hash>`.
struct RunDir {
  std::string name;
  std::string path;                      ///< below the root
  std::string log = "trajectory.jsonl";  ///< name of the log in it

  /// False for a log under a name of its own: what stands beside it need not belong to it.
  [[nodiscard]] bool whole() const { return log == "trajectory.jsonl"; }
};

/// One task of the run with its folders, as paths below the root; an empty path means that there is no such folder.
struct Instance {
  std::string id;
  std::string outer;  ///< preds.json, memory.json
  std::string inner;  ///< <id>.traj.json, trajectory/
  std::vector<RunDir> run_dirs;
};

/// Access to the files below one folder, the run root. Nothing outside it is ever opened: a link that leads out of it
/// counts as missing and is reported.
class RootFiles {
 public:
  explicit RootFiles(std::string root);

  [[nodiscard]] const std::string& root() const { return root_; }
  /// Last component of the root's absolute path; "" for the file system's root.
  [[nodiscard]] std::string name() const;
  /// Path for people and for `Episode::source`: the root as it was given, plus `below`.
  [[nodiscard]] std::string path(std::string_view below) const;
  [[nodiscard]] bool is_file(std::string_view below) const;
  [[nodiscard]] bool is_folder(std::string_view below) const;
  /// Something of that name stands there, of whatever kind and wherever it leads.
  [[nodiscard]] bool exists(std::string_view below) const;
  /// Names in a folder, sorted by bytes, hidden ones left out; empty when it cannot be listed.
  [[nodiscard]] std::vector<std::string> folders(std::string_view below) const;
  [[nodiscard]] std::vector<std::string> files(std::string_view below) const;
  /// Opens a file, from byte `offset` on. Throws ReadFault when it is missing or lies outside the root.
  [[nodiscard]] std::unique_ptr<ByteStream> open(std::string_view below, std::size_t offset = 0) const;

 private:
  [[nodiscard]] bool inside(const std::filesystem::path& path) const;
  [[nodiscard]] std::vector<std::string> list(std::string_view below, bool folders) const;

  std::string root_;
  std::filesystem::path real_root_;
};

/// `a` and `b` joined by a slash; one of them when the other is empty.
std::string join(std::string_view a, std::string_view b);

/// Names sorted by their leading number, then as text: the order of the entries of `calls/`.
void sort_numerically(std::vector<std::string>& names);

/// True for a folder with `runs/<agent>/` and something of an instance, or an order file, in it.
bool is_run_root(const std::string& folder);
/// True for a folder of one instance (outer or inner) or of one recorded run.
bool is_instance_folder(const std::string& folder);
/// True for the first bytes of a `trajectory.jsonl`.
bool looks_like_log(std::string_view head);

/// What a path inside or at a run root means.
struct Location {
  std::string root;                    ///< the run root; the folder itself when it lies in none
  std::optional<Instance> instance;    ///< the instance that the path names; none for a whole root
  std::optional<std::string> run_dir;  ///< name of the run dir that the path names
};
/// Finds the run root that `path` (a folder, or a file of an instance) belongs to, by the layout of names alone.
Location locate(const std::string& path);

/// The instance of that id in the root, with the folders that exist.
Instance find_instance(const RootFiles& files, const std::string& id);
/// Ids of the instances that have a folder, sorted.
std::vector<std::string> instance_folders(const RootFiles& files);

}  // namespace memuse::ingest::bridge
