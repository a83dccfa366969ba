#include "ingest/swe_bench_report.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "ingest/document.h"
#include "model/arena.h"

namespace memuse::ingest {
namespace {

bool holds(std::string_view text, std::string_view key) {
  return text.find(key) != std::string_view::npos;
}

/// Task id of a report that does not name it.
std::string id_from_path(std::string_view path) {
  const std::filesystem::path file(path);
  std::string name = file.filename().string();
  for (const std::string_view ending : {".json", ".report"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name == "report" ? file.parent_path().filename().string() : name;
}

bool is_instance_report(const JsonValue& value) {
  return value.kind == JsonKind::object && value.field("resolved") != nullptr &&
         (value.field("patch_is_None") != nullptr || value.field("patch_exists") != nullptr ||
          value.field("patch_successfully_applied") != nullptr || value.field("tests_status") != nullptr);
}

void add_row(std::vector<OutcomeRow>& rows, std::string_view task, std::optional<bool> resolved) {
  if (task.empty() || !resolved) return;
  OutcomeRow row;
  row.task_id = task;
  row.resolved = resolved;
  row.line = 1;
  rows.push_back(std::move(row));
}

void add_list(std::vector<OutcomeRow>& rows, const JsonValue* list, bool resolved) {
  if (list == nullptr || list->kind != JsonKind::array) return;
  for (const JsonValue& id : JsonChildren(*list)) {
    if (const auto text = id.as_string()) add_row(rows, *text, resolved);
  }
}

bool is_array(const JsonValue* value) {
  return value != nullptr && value->kind == JsonKind::array;
}

}  // namespace

bool looks_like_swe_bench_report(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos || head[first] != '{') return false;
  if (holds(head, "\"resolved_ids\"") || holds(head, "\"completed_ids\"")) return true;
  if (!holds(head, "\"resolved\"")) return false;
  return holds(head, "\"patch_is_None\"") || holds(head, "\"patch_exists\"") ||
         holds(head, "\"patch_successfully_applied\"") || holds(head, "\"no_generation\"");
}

std::optional<std::vector<OutcomeRow>> swe_bench_outcomes(const JsonValue& root, std::string_view path) {
  if (root.kind != JsonKind::object) return std::nullopt;
  std::vector<OutcomeRow> rows;
  if (is_array(root.field("resolved_ids"))) {
    add_list(rows, root.field("resolved_ids"), true);
    add_list(rows, root.field("unresolved_ids"), false);
    return rows;
  }
  if (is_array(root.field("resolved")) && is_array(root.field("no_generation"))) {
    add_list(rows, root.field("resolved"), true);
    return rows;
  }
  if (is_instance_report(root)) {
    add_row(rows, id_from_path(path), root.field("resolved")->as_bool());
    return rows;
  }
  if (root.first_child == nullptr) return std::nullopt;
  for (const JsonValue& report : JsonChildren(root)) {
    if (!is_instance_report(report)) return std::nullopt;
    add_row(rows, report.key, report.field("resolved")->as_bool());
  }
  return rows;
}

std::vector<OutcomeRow> read_swe_bench_report(std::unique_ptr<ByteStream> stream, const std::string& path,
                                              DiagnosticLog& log) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  const Document document(std::move(stream), kMaxBytes);
  if (document.too_long()) {
    log.add(Severity::error, Fault::line_too_long, 0, 0, "an evaluation report of more than 64 MiB");
    return {};
  }
  if (!looks_like_swe_bench_report(document.text())) return {};
  JsonParser parser;
  Arena arena;
  JsonFault fault;
  const JsonValue* root = parser.parse(document.text(), document.readable(), arena, fault);
  if (root == nullptr) {
    log.add(Severity::error, fault.fault, 0, fault.byte, fault.detail);
    return {};
  }
  return swe_bench_outcomes(*root, path).value_or(std::vector<OutcomeRow>{});
}

std::vector<OutcomeRow> read_swe_bench_report(const std::string& path, DiagnosticLog& log) {
  try {
    return read_swe_bench_report(open_file(path), path, log);
  } catch (const ReadFault& fault) {
    log.add(Severity::error, Fault::unreadable_file, 0, 0, fault.reason);
    return {};
  }
}

}  // namespace memuse::ingest
