#include "workflow/manifest_draft.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "ingest/csv_rows.h"
#include "ingest/manifest.h"
#include "ingest/paths.h"
#include "workflow/found_outcomes.h"

namespace memuse::workflow {
namespace {

namespace fs = std::filesystem;
using Runs = std::set<std::pair<std::string, std::string>>;  // configuration, run

/// The path as it is to stand in a manifest in `folder`.
std::string seen_from(const std::string& folder, const std::string& path) {
  const fs::path from = ingest::full_path(folder.empty() ? "." : folder);
  const fs::path to = ingest::full_path(path);
  const fs::path relative = to.lexically_relative(from);
  // A manifest far away from the traces is better with whole paths than with a climb through the file system.
  const auto climbs = std::count(relative.begin(), relative.end(), fs::path(".."));
  return relative.empty() || climbs > 2 ? to.string() : relative.string();
}

std::string row(const std::string& folder, const std::string& path, const Runs& runs, const FoundOutcomes& found) {
  std::string configuration;
  std::string run;
  std::string outcomes;
  if (runs.size() == 1) {
    std::tie(configuration, run) = *runs.begin();
    outcomes = found.reports_of(configuration, run);
  }
  std::string line = ingest::csv_cell(seen_from(folder, path)) + "," + ingest::csv_cell(configuration) + "," +
                     ingest::csv_cell(run) + ",";
  if (!outcomes.empty()) line += ingest::csv_cell(seen_from(folder, outcomes));
  return line + ",,\n";
}

}  // namespace

std::string manifest_draft(const std::vector<ingest::FileReport>& files, const std::vector<std::string>& inputs,
                           const std::string& folder) {
  FoundOutcomes found(inputs);
  std::map<std::string, std::vector<const ingest::FileReport*>> by_folder;
  std::map<std::string, Runs> runs_of_folder;
  for (const ingest::FileReport& file : files) {
    if (file.format == ingest::kReportFormat) found.add_report(file.path, file.outcomes);
    for (const auto& [configuration, run] : file.runs) found.add_source(file.path, configuration, run);
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
      text += row(folder, parent.empty() ? "." : parent, runs, found);
      continue;
    }
    for (const ingest::FileReport* file : members) text += row(folder, file->path, file->runs, found);
  }
  return text;
}

}  // namespace memuse::workflow
