#include "ingest/merit_records.h"

#include "ingest/merit_python_repr.h"
#include "ingest/merit_transcript.h"

namespace memuse::ingest {
namespace {

std::string_view or_empty(std::optional<std::string_view> text) {
  return text.value_or(std::string_view{});
}

void read_common(RecordFields& fields, MeritCommon& common) {
  common.episode_id = or_empty(fields.required_string("episode_id"));
  common.task_id = or_empty(fields.required_string("task_id"));
  common.model = or_empty(fields.string("model"));
  common.prompt_tokens = fields.whole("prompt_tokens");
  common.completion_tokens = fields.whole("completion_tokens");
  common.wall_seconds = fields.number("wall_seconds");
}

void read_corruption(RecordFields& fields, MeritRow& row) {
  const auto mode = fields.string("corrupt_mode");
  const JsonValue* rate = fields.any("corrupt_rate");
  if (!mode || mode->empty() || *mode == "none") return;
  row.corrupt_mode = *mode;
  if (rate == nullptr || rate->kind != JsonKind::number) return;
  row.corrupt_rate = rate->text;
  row.rate = rate->as_double();
}

bool is_plain(const JsonValue& arguments) {
  return (arguments.kind == JsonKind::object || arguments.kind == JsonKind::array) &&
         !has_surrogate_escape(arguments.text);
}

std::vector<MeritCall> read_calls(RecordFields& trace, RecordPlace place, Arena& arena, DiagnosticLog& log) {
  std::vector<MeritCall> calls;
  for (const JsonValue* element : trace.objects("tool_calls")) {
    RecordFields fields(*element, "trace.tool_calls", place, log);
    MeritCall call;
    call.name = or_empty(fields.string("name"));
    call.out = or_empty(fields.string("out"));
    const JsonValue* arguments = fields.any("args");
    call.arguments = "null";
    std::string printed = "None";
    if (arguments != nullptr) {
      call.arguments = arena.keep(is_plain(*arguments) ? std::string(arguments->text) : to_json(*arguments));
      printed = python_repr(*arguments);
    }
    call.line = tool_line(call.name, printed, call.out);
    fields.count_unknown();
    calls.push_back(std::move(call));
  }
  return calls;
}

/// Length of the digits at the start of `text`.
std::size_t digits_length(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

}  // namespace

std::optional<MeritKind> merit_kind(const JsonValue& record) {
  if (record.field("transcript") != nullptr || record.field("tool_calls") != nullptr) return MeritKind::trace;
  if (record.field("condition") != nullptr || record.field("success") != nullptr) return MeritKind::row;
  return std::nullopt;
}

std::optional<MeritRow> read_merit_row(const JsonValue& record, RecordPlace place, DiagnosticLog& log) {
  RecordFields fields(record, "row", place, log);
  MeritRow row;
  read_common(fields, row);
  row.condition = or_empty(fields.required_string("condition"));
  row.seed = or_empty(fields.string_or_number("seed"));
  row.domain = or_empty(fields.string("domain"));
  row.difficulty = or_empty(fields.string("difficulty"));
  read_corruption(fields, row);
  row.arc_id = or_empty(fields.string("arc_id"));
  row.episode_index = fields.whole("episode_index");
  row.kind = or_empty(fields.string("kind"));
  row.dependent = fields.boolean("dependent");
  row.success = fields.boolean("success");
  row.pre_satisfied = fields.boolean("pre_satisfied");
  row.memory_had_fact = fields.boolean("memory_had_fact");
  row.memory_utilized = fields.boolean("memory_utilized");
  row.cost_usd = fields.number("cost_usd");
  row.memory_tokens = fields.whole("memory_tokens");
  row.memory_cost_usd = fields.number("memory_cost_usd");
  fields.count_unknown();
  if (!fields.complete()) return std::nullopt;
  return row;
}

std::optional<MeritTrace> read_merit_trace(const JsonValue& record, RecordPlace place, Arena& arena,
                                           DiagnosticLog& log) {
  RecordFields fields(record, "trace", place, log);
  MeritTrace trace;
  read_common(fields, trace);
  trace.memory = or_empty(fields.string("memory"));
  trace.calls = read_calls(fields, place, arena, log);
  trace.transcript = or_empty(fields.required_string("transcript"));
  fields.count_unknown();
  if (!fields.complete()) return std::nullopt;
  return trace;
}

MeritTaskName read_task_name(std::string_view task_id) {
  constexpr std::string_view kArc = "arc";
  MeritTaskName name;
  const std::size_t arc = task_id.find(kArc);
  if (arc == std::string_view::npos) return name;
  const std::size_t seed = arc + kArc.size();
  const std::size_t seed_end = seed + digits_length(task_id.substr(seed));
  if (seed_end == seed || !task_id.substr(seed_end).starts_with('-')) return name;
  const std::size_t arc_end = seed_end + 1 + digits_length(task_id.substr(seed_end + 1));
  const std::string_view rest = task_id.substr(arc_end);
  if (arc_end == seed_end + 1 || !rest.starts_with("-e")) return name;
  name.arc_id = task_id.substr(0, arc_end);
  name.seed = task_id.substr(seed, seed_end - seed);
  name.episode_index = rest.substr(2, digits_length(rest.substr(2)));
  return name;
}

}  // namespace memuse::ingest
