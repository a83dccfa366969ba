#include "workflow/manifest_draft.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "ingest/csv_rows.h"
#include "ingest/manifest.h"

namespace memuse::workflow {
namespace {

namespace fs = std::filesystem;
using Runs = std::set<std::pair<std::string, std::string>>;  // configuration, run

/// The path as it is to stand in a manifest in `folder`.
std::string seen_from(const std::string& folder, const std::string& path) {
  std::error_code error;
  const fs::path from = fs::absolute(folder.empty() ? "." : folder, error).lexically_normal();
  const fs::path to = fs::absolute(path, error).lexically_normal();
  if (error) return path;
  const fs::path relative = to.lexically_relative(from);
  // A manifest far away from the traces is better with whole paths than with a climb through the file system.
  const auto climbs = std::count(relative.begin(), relative.end(), fs::path(".."));
  return relative.empty() || climbs > 2 ? to.string() : relative.string();
}

std::string row(const std::string& path, const Runs& runs) {
  const bool one = runs.size() == 1;
  std::string line = ingest::csv_cell(path);
  line += "," + (one ? ingest::csv_cell(runs.begin()->first) : "");
  line += "," + (one ? ingest::csv_cell(runs.begin()->second) : "");
  return line + ",,,\n";
}

}  // namespace

std::string manifest_draft(const std::vector<ingest::FileReport>& files, const std::string& folder) {
  std::map<std::string, std::vector<const ingest::FileReport*>> by_folder;
  std::map<std::string, Runs> runs_of_folder;
  for (const ingest::FileReport& file : files) {
    if (file.episodes == 0) continue;
    const std::string parent = fs::path(file.path).parent_path().string();
    by_folder[parent].push_back(&file);
    runs_of_folder[parent].insert(file.runs.begin(), file.runs.end());
  }
  std::string text;
  for (const std::string& column : ingest::manifest_columns()) text += (text.empty() ? "" : ",") + column;
  text += '\n';
  for (const auto& [parent, members] : by_folder) {
    const Runs& runs = runs_of_folder[parent];
    if (runs.size() == 1 && members.size() > 1) {
      text += row(seen_from(folder, parent.empty() ? "." : parent), runs);
      continue;
    }
    for (const ingest::FileReport* file : members) text += row(seen_from(folder, file->path), file->runs);
  }
  return text;
}

}  // namespace memuse::workflow
