#include "workflow/found_outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <tuple>

#include "ingest/container_kind.h"
#include "ingest/paths.h"
#include "model/text.h"
#include "workflow/study_plan.h"

namespace memuse::workflow {
namespace {

namespace fs = std::filesystem;

fs::path common_folder(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end() && *i == *j; ++i, ++j) common /= *i;
  return common;
}

bool lies_in(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

/// Calls `visit` with the folder of `path`, the one above and so on up to `top`, until it returns true.
template <typename Visit>
void visit_folders(const std::string& path, const std::string& top, Visit visit) {
  for (fs::path folder = ingest::full_path(path).parent_path();; folder = folder.parent_path()) {
    const std::string name = folder.string();
    if (!lies_in(name, top)) return;
    if (visit(name) || name == top || folder == folder.root_path()) return;
  }
}

}  // namespace

FoundOutcomes::FoundOutcomes(const std::vector<std::string>& inputs) {
  std::optional<fs::path> top;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    const fs::path path = ingest::full_path(input);
    fs::path folder = fs::is_directory(path, ignored) ? path : path.parent_path();
    if (ingest::is_archive(path.string())) folder = path.string() + "!";
    top = top ? common_folder(*top, folder) : folder;
  }
  if (top) top_ = top->string();
}

void FoundOutcomes::add_report(const std::string& path, std::vector<ingest::OutcomeRow> rows) {
  reports_.emplace(path, std::move(rows));
}

void FoundOutcomes::add_source(const std::string& path, const std::string& configuration, const std::string& run) {
  const Run key(configuration, run);
  visit_folders(path, top_, [&](const std::string& folder) {
    const auto [known, is_new] = folders_.try_emplace(folder, Folder{key, false});
    if (!is_new && known->second.run != key) known->second.several = true;
    return false;
  });
}

const FoundOutcomes::Folder* FoundOutcomes::deciding_folder(const std::string& path) const {
  const Folder* deciding = nullptr;
  visit_folders(path, top_, [&](const std::string& folder) {
    const auto known = folders_.find(folder);
    if (known == folders_.end()) return false;
    deciding = &known->second;
    return true;
  });
  return deciding;
}

std::string FoundOutcomes::reports_of(const std::string& configuration, const std::string& run) const {
  const Run wanted(configuration, run);
  const auto is_of_run = [&](const std::string& path) {
    const Folder* folder = deciding_folder(path);
    return folder != nullptr && !folder->several && folder->run == wanted;
  };
  std::string only;
  fs::path common;
  std::size_t count = 0;
  for (const auto& [path, rows] : reports_) {
    if (!is_of_run(path)) continue;
    only = path;
    const fs::path parent = fs::path(path).parent_path();
    common = count++ == 0 ? parent : common_folder(common, parent);
  }
  if (count <= 1) return only;
  const std::string folder = common.string();
  const bool all_are = std::all_of(reports_.begin(), reports_.end(), [&](const auto& report) {
    return !lies_in(report.first, folder) || is_of_run(report.first);
  });
  return all_are ? folder : std::string();
}

std::vector<store::ScopedOutcome> FoundOutcomes::join(std::vector<Diagnostic>& diagnostics) const {
  const auto refuse = [&](const std::string& path, const std::string& why) {
    diagnostics.push_back({path, 0, 0, Severity::warning, Fault::ambiguous_outcome, printable(why), 1});
  };
  // By run and task: the verdict that counts, or none once two reports have disagreed.
  std::map<std::tuple<Run, std::string>, std::optional<store::ScopedOutcome>> joined;
  for (const auto& [path, rows] : reports_) {
    const Folder* folder = deciding_folder(path);
    if (folder == nullptr) continue;
    if (folder->several) {
      refuse(path, "several runs lie beside it");
      continue;
    }
    for (const ingest::OutcomeRow& row : rows) {
      store::ScopedOutcome outcome = scoped_outcome(row, {folder->run.first, folder->run.second}, path);
      outcome.found = true;
      const auto [known, is_new] = joined.try_emplace({folder->run, row.task_id}, outcome);
      if (is_new || !known->second || known->second->resolved == row.resolved) continue;
      refuse(path,
             fmt::format("task {} has another verdict in {}", shortened(row.task_id, 100), known->second->source));
      known->second.reset();
    }
  }
  std::vector<store::ScopedOutcome> outcomes;
  for (const auto& [key, outcome] : joined) {
    if (outcome) outcomes.push_back(*outcome);
  }
  return outcomes;
}

}  // namespace memuse::workflow
