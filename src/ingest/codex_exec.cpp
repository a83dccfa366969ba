#include "ingest/codex_exec.h"

#include <fmt/format.h>

#include "ingest/json_fields.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

/// JSON object of those of the fields that the item has.
std::string fields_json(const JsonValue& item, std::initializer_list<std::string_view> names) {
  std::string all;
  for (const std::string_view name : names) {
    const JsonValue* value = item.field(name);
    if (value == nullptr) continue;
    all += fmt::format("{}\"{}\":{}", all.empty() ? "" : ",", name, json_text(*value));
  }
  return fmt::format("{{{}}}", all);
}

void add_count(std::optional<std::uint64_t>& sum, const JsonValue& usage, std::string_view name) {
  const JsonValue* value = usage.field(name);
  const auto count = value == nullptr ? std::nullopt : value->as_unsigned();
  if (count) sum = sum.value_or(0) + *count;
}

}  // namespace

void CodexExec::take(const JsonValue& record, RecordPlace place) {
  const std::string_view type = string_in(&record, "type");
  if (type == "thread.started") {
    if (episode_.id.empty()) episode_.id = recorder_.keep(string_in(&record, "thread_id"));
  } else if (type == "turn.started") {
    episode_.end_reason.reset();
    turns_.end_answer();
  } else if (type == "item.started" || type == "item.completed") {
    if (const JsonValue* item = object_in(&record, "item")) take_item(*item, type == "item.completed", place);
  } else if (type == "turn.completed") {
    episode_.end_reason = "turn.completed";
    add_usage(object_in(&record, "usage"));
  } else if (type == "turn.failed") {
    episode_.end_reason = "turn.failed";
  } else if (type != "item.updated" && type != "error") {
    log_.count_unknown_type(type, place.line, place.byte);
  }
}

/// The tokens of a turn are those of all its calls together.
void CodexExec::add_usage(const JsonValue* usage) {
  if (usage == nullptr) return;
  if (!episode_.totals) episode_.totals.emplace();
  Usage& totals = episode_.totals->usage;
  add_count(totals.input, *usage, "input_tokens");
  add_count(totals.cached_input, *usage, "cached_input_tokens");
  add_count(totals.output, *usage, "output_tokens");
}

void CodexExec::take_item(const JsonValue& item, bool completed, RecordPlace place) {
  const std::string_view type = string_in(&item, "type");
  if (type == "reasoning" || type == "agent_message") {
    if (!completed) return;
    const StepRecord* open = turns_.open();
    if (open != nullptr && !open->actions.empty()) turns_.end_answer();
    const std::string_view text = string_in(&item, "text");
    if (type == "reasoning") return turns_.add_reasoning(text, {}, place);
    return turns_.add_text(text, string_in(&item, "id"), {}, place);
  }
  if (type != "error") take_work(item, type, completed, place);
}

void CodexExec::take_work(const JsonValue& item, std::string_view type, bool completed, RecordPlace place) {
  const std::string_view id = string_in(&item, "id");
  const bool known = !id.empty() && turns_.knows_action(id);
  if (type == "command_execution") {
    if (!known) turns_.add_action(id, type, fields_json(item, {"command"}), {}, place);
    if (completed) turns_.add_result(id, string_in(&item, "aggregated_output"), place);
  } else if (type == "mcp_tool_call") {
    const std::string name = fmt::format("mcp__{}__{}", string_in(&item, "server"), string_in(&item, "tool"));
    if (!known) turns_.add_action(id, name, fields_json(item, {"arguments"}), {}, place);
    const JsonValue* result = item.field("result");
    if (result == nullptr || result->is_null()) result = item.field("error");
    if (completed && result != nullptr && !result->is_null()) turns_.add_result(id, json_text(*result), place);
  } else if (type == "file_change" || type == "web_search" || type == "todo_list") {
    if (!known) turns_.add_action(id, type, fields_json(item, {"changes", "query", "items"}), {}, place);
  } else {
    log_.count_unknown_type(fmt::format("item {}", type), place.line, place.byte);
  }
}

std::optional<Episode> CodexExec::finish() {
  turns_.flush();
  if (episode_.steps.empty()) return std::nullopt;
  episode_.visibility = VisibilityGrade::unknown;
  return recorder_.take();
}

}  // namespace memuse::ingest
