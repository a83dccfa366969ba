#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "controlled/declaration.h"
#include "ingest/paths.h"
#include "model/error.h"
#include "model/text.h"
#include "workflow/delta_declaration.h"
#include "workflow/delta_files.h"
#include "workflow/delta_job.h"

namespace memuse::workflow {
namespace {

using Json = nlohmann::ordered_json;
using controlled::Component;
using controlled::ResultRow;

/// What the rows of one strategy say of one component: one value in every row, or nothing that can be used.
struct Seen {
  std::optional<std::string> value;
  std::uint64_t rows = 0;
  bool mixed = false;
};

struct FoundStrategy {
  std::uint64_t rows = 0;
  controlled::ByComponent<Seen> components;
  std::string file;  ///< of a strategy that its rows do not name

  void take(const ResultRow& row) {
    ++rows;
    for (const Component component : controlled::kComponents) {
      const auto& stated = row.components[component];
      if (!stated) continue;
      Seen& seen = components[component];
      ++seen.rows;
      if (!seen.value) seen.value = std::string(*stated);
      if (*seen.value != *stated) seen.mixed = true;
    }
  }

  /// The component's value, if every row states it.
  [[nodiscard]] std::optional<std::string> value(Component component) const {
    const Seen& seen = components[component];
    return seen.mixed || seen.rows < rows ? std::nullopt : seen.value;
  }
};

using FoundStrategies = std::map<std::string, FoundStrategy>;

/// The path as it is to stand in a declaration in `folder`; the whole one when nobody knows where it will lie.
std::string path_seen_from(const std::string& folder, const std::string& path) {
  if (folder.empty()) return ingest::full_path(path).string();
  const std::filesystem::path from = ingest::full_path(folder);
  const std::filesystem::path relative = ingest::full_path(path).lexically_relative(from);
  return relative.empty() ? path : relative.string();
}

Json draft_of(const std::string& name, const FoundStrategy& found, const std::string& folder) {
  Json strategy{{"name", name}};
  if (!found.file.empty()) strategy["results"] = path_seen_from(folder, found.file);
  strategy["role"] = nullptr;
  Json components = Json::object();
  for (const Component component : controlled::kComponents) {
    const auto value = found.value(component);
    components[std::string(controlled::name(component))] = value ? Json(*value) : Json(nullptr);
  }
  strategy["components"] = std::move(components);
  return strategy;
}

[[noreturn]] void refuse_same_name(const std::string& name) {
  throw Error(
      ExitCode::usage,
      fmt::format("two files would both be strategy `{}`; rename one, or add a `strategy` column", printable(name)));
}

/// Every other strategy against the first; which factor is meant only the author knows.
Json draft_comparisons(const FoundStrategies& strategies) {
  Json comparisons = Json::array();
  for (auto other = strategies.begin(); other != strategies.end(); ++other) {
    if (other == strategies.begin()) continue;
    comparisons.push_back({{"first", other->first}, {"second", strategies.begin()->first}, {"factor", nullptr}});
  }
  return comparisons;
}

}  // namespace

std::string delta_draft(const std::vector<std::string>& results, const std::string& folder,
                        std::vector<Diagnostic>& diagnostics) {
  FoundStrategies strategies;
  std::set<std::string> shared;
  for (const std::string& path : results) {
    const std::string stem = std::filesystem::path(path).stem().string();
    const auto take = [&](const ResultRow& row, std::uint64_t) -> std::string {
      const std::string name = row.strategy.empty() ? stem : std::string(row.strategy);
      const auto [found, added] = strategies.try_emplace(name);
      if (strategies.size() > kMaxStrategies) {
        throw Error(ExitCode::usage, "the results name more than 1,000 strategies; is `strategy` the right column?");
      }
      if (row.strategy.empty()) {
        if (!found->second.file.empty() && found->second.file != path) refuse_same_name(stem);
        found->second.file = path;
      } else {
        shared.insert(path_seen_from(folder, path));
      }
      found->second.take(row);
      return {};
    };
    read_result_file(path, {}, take, diagnostics);
  }
  if (strategies.empty()) throw Error(ExitCode::usage, "the results hold no row that could be used");
  Json document{{"format", kDeltaFormat}};
  document["results"] = Json(shared);
  Json families = Json::object();
  document["strategies"] = Json::array();
  for (const auto& [name, found] : strategies) {
    document["strategies"].push_back(draft_of(name, found, folder));
    if (const auto model = found.value(Component::reader_model)) families[*model] = nullptr;
  }
  document["comparisons"] = draft_comparisons(strategies);
  document["model_families"] = std::move(families);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace memuse::workflow
