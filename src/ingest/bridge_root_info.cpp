#include "ingest/bridge_root_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "ingest/bridge_log.h"
#include "ingest/line_reader.h"

namespace memuse::ingest::bridge {
namespace {

constexpr std::size_t kLogHeadLines = 64;
constexpr std::string_view kOrderFile = "instance-ids.txt";
constexpr std::string_view kDriverLog = "memory-arm.log";
constexpr std::string_view kEvaluations = "local-eval";

template <typename Take>
void each_line(const ReadContext& context, std::string_view below, Take take) {
  if (!context.files.is_file(below)) return;
  try {
    LineReader lines(context.files.open(below), context.options.max_record_bytes);
    Line line;
    while (lines.next(line)) {
      std::string_view text = line.text;
      while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
      const std::size_t begin = text.find_first_not_of(" \t");
      if (begin != std::string_view::npos) take(text.substr(begin));
    }
  } catch (const ReadFault& fault) {
    DiagnosticLog log = context.log.for_file(context.files.path(below));
    log.add(Severity::error, Fault::unreadable_file, 0, 0, fault.reason);
    context.log.absorb(std::move(log));
  }
}

std::string_view word_behind(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + mark.size());
  return line.substr(0, line.find_first_of(" \t"));
}

/// What the driver's log tells.
struct DriverLog {
  std::string integration;
  std::vector<std::string> runs;  ///< ids by their last RUN line
};

DriverLog read_driver_log(const ReadContext& context) {
  DriverLog out;
  each_line(context, kDriverLog, [&](std::string_view line) {
    if (const auto name = word_behind(line, " integration="); !name.empty()) out.integration = name;
    const std::size_t stamp = line.find("] ");
    if (stamp == std::string_view::npos || !line.substr(stamp).starts_with("] RUN ")) return;
    if (const auto id = word_behind(line, "] RUN "); !id.empty()) out.runs.emplace_back(id);
  });
  // Only the last start of an instance says when the run that is here took place.
  std::set<std::string> seen;
  std::vector<std::string> last;
  for (auto run = out.runs.rbegin(); run != out.runs.rend(); ++run) {
    if (seen.insert(*run).second) last.push_back(*run);
  }
  std::reverse(last.begin(), last.end());
  out.runs = std::move(last);
  return out;
}

std::vector<std::string> read_order_file(const ReadContext& context) {
  std::vector<std::string> ids;
  std::set<std::string, std::less<>> seen;
  each_line(context, kOrderFile, [&](std::string_view line) {
    if (!line.starts_with('#') && seen.emplace(line).second) ids.emplace_back(line);
  });
  return ids;
}

/// The order file's order, unless the stamps of the driver's log say that the instances ran in another one.
std::vector<std::string> execution_order(const ReadContext& context, const DriverLog& driver) {
  std::vector<std::string> listed = read_order_file(context);
  if (listed.empty()) return driver.runs;
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < listed.size(); ++i) place.emplace(listed[i], i);
  std::vector<std::string> ran;
  for (const std::string& id : driver.runs) {
    if (place.contains(id)) ran.push_back(id);
  }
  const bool agree =
      std::is_sorted(ran.begin(), ran.end(), [&](const auto& a, const auto& b) { return place.at(a) < place.at(b); });
  if (agree) return listed;
  DiagnosticLog log = context.log.for_file(context.files.path(kOrderFile));
  log.add(Severity::warning, Fault::inconsistent_record, 0, 0,
          fmt::format("{} started the instances in another order; its order was used", kDriverLog));
  context.log.absorb(std::move(log));
  // Instances that it does not name keep their places; the others take the places left in the order of their start.
  const std::set<std::string> moved(ran.begin(), ran.end());
  auto next = ran.begin();
  for (std::string& id : listed) {
    if (moved.contains(id)) id = *next++;
  }
  return listed;
}

std::string adapter_of_integration(const std::string& integration) {
  return integration == "cure_memory" ? "cure" : integration;
}

/// The adapter that the first recorded session names.
std::string adapter_of_sessions(const ReadContext& context, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    for (const RunDir& dir : find_instance(context.files, id).run_dirs) {
      const std::string below = join(dir.path, "trajectory.jsonl");
      if (!context.files.is_file(below)) continue;
      LineReader lines(context.files.open(below), context.options.max_record_bytes);
      JsonParser parser(context.options.max_record_bytes);
      Line line;
      for (std::size_t i = 0; i < kLogHeadLines && lines.next(line); ++i) {
        if (line.text.find("\"memory_session\"") == std::string_view::npos) continue;
        Arena scratch;
        JsonFault fault;
        const JsonValue* event = parser.parse(line.text, lines.readable(line.text), scratch, fault);
        if (event == nullptr) continue;
        std::string_view name = text_at(*event, {"payload", "adapter", "name"});
        if (name.empty()) name = text_at(*event, {"adapter", "name"});
        if (!name.empty()) return std::string(name);
      }
    }
  }
  return {};
}

std::string adapter_of_root(const ReadContext& context, const DriverLog& driver, const std::vector<std::string>& ids) {
  if (!driver.integration.empty()) return adapter_of_integration(driver.integration);
  for (const std::string& agent : context.files.folders("runs")) {
    if (context.files.is_file(join(join("runs", agent), "cure_memory.sqlite3"))) return "cure";
  }
  if (context.files.is_folder("tdai")) return "tencentdb";
  if (context.files.is_folder("mem0-server") || context.files.is_folder("mem0")) return "mem0";
  try {
    return adapter_of_sessions(context, ids);
  } catch (const ReadFault&) {
    return {};  // the file's own reading reports it
  }
}

struct VerdictList {
  std::string_view field, kind;
  std::optional<bool> resolved;
};

void take_report(const JsonValue& report, const std::string& source, RootInfo& info, DiagnosticLog& log) {
  // The lists of verdicts come first: `incomplete_ids` of an older report may name what was graded since.
  const VerdictList lists[] = {{"resolved_ids", "resolved", true},
                               {"unresolved_ids", "unresolved", false},
                               {"error_ids", "error", std::nullopt},
                               {"empty_patch_ids", "empty_patch", std::nullopt},
                               {"incomplete_ids", "incomplete", std::nullopt}};
  for (const VerdictList& list : lists) {
    const JsonValue* ids = report.field(list.field);
    if (ids == nullptr || ids->kind != JsonKind::array) continue;
    for (const JsonValue& value : JsonChildren(*ids)) {
      const auto id = value.as_string();
      if (!id) continue;
      const auto [known, is_new] =
          info.verdicts.try_emplace(std::string(*id), Verdict{list.resolved, std::string(list.kind), source});
      if (!is_new && known->second.resolved && list.resolved && known->second.resolved != list.resolved) {
        log.add(Severity::warning, Fault::inconsistent_record, 0, 0,
                fmt::format("the verdict of {} differs from that in {}, which was used", *id, known->second.source));
      }
    }
  }
}

/// Reports of one evaluation, newest first: those whose name ends in that of the folder, else all.
std::vector<std::string> reports_in(const ReadContext& context, const std::string& run_id) {
  const std::string folder = join(kEvaluations, run_id);
  std::vector<std::string> named;
  std::vector<std::string> all;
  for (const std::string& name : context.files.files(folder)) {
    if (!name.ends_with(".json")) continue;
    (name.ends_with("." + run_id + ".json") ? named : all).push_back(join(folder, name));
  }
  std::vector<std::string>& reports = named.empty() ? all : named;
  std::stable_sort(reports.begin(), reports.end(), [&](const std::string& a, const std::string& b) {
    std::error_code error;
    const auto time = [&](const std::string& below) {
      return std::filesystem::last_write_time(context.files.path(below), error);
    };
    return time(a) > time(b);
  });
  return std::move(reports);
}

}  // namespace

RootInfo read_root_info(const ReadContext& context) {
  RootInfo info;
  const DriverLog driver = read_driver_log(context);
  info.order = execution_order(context, driver);
  for (const std::string& id : info.order) info.position.emplace(id, info.position.size() + 1);
  for (std::string& id : instance_folders(context.files)) {
    if (!info.position.contains(id)) info.order.push_back(std::move(id));
  }
  info.adapter = adapter_of_root(context, driver, info.order);
  for (const std::string& run_id : context.files.folders(kEvaluations)) {
    for (const std::string& report : reports_in(context, run_id)) {
      Arena scratch;
      const auto file = JsonFile::read(context, report, scratch);
      if (file == nullptr) continue;
      DiagnosticLog log = context.log.for_file(context.files.path(report));
      take_report(file->root(), report, info, log);
      context.log.absorb(std::move(log));
    }
  }
  return info;
}

std::optional<Verdict> verdict_of(const ReadContext& context, const RootInfo& info, const std::string& id) {
  if (const auto known = info.verdicts.find(id); known != info.verdicts.end()) return known->second;
  if (id.find('/') != std::string::npos || id == "..") return std::nullopt;
  for (const std::string& run_id : context.files.folders(kEvaluations)) {
    const std::string logs = join(join(kEvaluations, run_id), "logs/run_evaluation/" + run_id);
    for (const std::string& model : context.files.folders(logs)) {
      const std::string report = join(join(join(logs, model), id), "report.json");
      Arena scratch;
      const auto file = JsonFile::read(context, report, scratch);
      if (file == nullptr) continue;
      const JsonValue* resolved = at_path(file->root(), {id, "resolved"});
      const auto value = resolved == nullptr ? std::nullopt : resolved->as_bool();
      if (value) return Verdict{value, *value ? "resolved" : "unresolved", report};
    }
  }
  return std::nullopt;
}

}  // namespace memuse::ingest::bridge
