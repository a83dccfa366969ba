#include "ingest/bridge_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ingest/bridge_payload.h"
#include "ingest/line_reader.h"
#include "ingest/record_fields.h"
#include "ingest/utc_time.h"
#include "model/sha256.h"

namespace memuse::ingest::bridge {
namespace {

/// Longest step list that a generation keeps; its inputs name few different steps.
constexpr std::uint64_t kLargestStep = kNever - 1;

std::string_view time_of(const JsonValue& event, Arena& arena) {
  for (const std::string_view field : {"ts", "timestamp", "time", "at"}) {
    const JsonValue* value = event.field(field);
    if (value == nullptr) continue;
    if (const auto text = value->as_string()) return *text;
    if (auto number = value->as_double()) {
      // Milliseconds since 1970 are beyond any date in seconds.
      const double seconds = std::abs(*number) > 1e11 ? *number / 1000 : *number;
      if (const auto time = utc_time(seconds)) return arena.keep(*time);
    }
  }
  return {};
}

class LogReader {
 public:
  LogReader(const SessionStart& start, const ReadOptions& options, Arena& arena, DiagnosticLog& log)
      : start_(start), options_(options), arena_(arena), log_(log), parser_(options.max_record_bytes) {
    out_.line = start.line;
    out_.byte_begin = start.byte;
    out_.byte_end = start.byte;
  }

  EventLog read(std::unique_ptr<ByteStream> stream, std::optional<std::uint64_t> end) {
    LineReader lines(std::move(stream), options_.max_record_bytes);
    Line line;
    while ((!end || out_.byte_end < *end) && lines.next(line)) {
      hash_.update(line.text);
      if (line.terminated) hash_.update("\n");
      out_.byte_end = start_.byte + line.end;
      take_line(line, lines.readable(line.text));
    }
    out_.sha256 = hash_.finish_hex();
    std::stable_sort(out_.events.begin(), out_.events.end(),
                     [](const LogEvent& a, const LogEvent& b) { return a.seq < b.seq; });
    for (const auto& [turn, place] : open_turns_) {
      doubt(place, fmt::format("turn {} is never closed", turn));
    }
    return std::move(out_);
  }

 private:
  void doubt(RecordPlace place, const std::string& what) {
    ++out_.doubts;
    log_.add(Severity::warning, Fault::inconsistent_record, place.line, place.byte, what);
  }

  void take_line(const Line& line, std::size_t readable) {
    const RecordPlace place{start_.line - 1 + line.number, start_.byte + line.byte};
    if (line.too_long || !is_blank(line.text)) {
      log_.begin_record(place.line, place.byte,
                        start_.byte + (line.too_long ? line.end : line.byte + line.text.size()));
    }
    if (line.too_long) {
      out_.lost_lines = true;
      return log_.add(Severity::error, Fault::line_too_long, place.line, place.byte,
                      fmt::format("more than {} bytes", options_.max_record_bytes));
    }
    if (is_blank(line.text)) return;
    JsonFault fault;
    const JsonValue* record = parser_.parse(line.text, readable, arena_, fault);
    if (record == nullptr) {
      out_.lost_lines = true;
      out_.cut_off = !line.terminated;
      if (out_.cut_off && fault.fault == Fault::invalid_json) fault.fault = Fault::truncated_line;
      return log_.add(Severity::error, fault.fault, place.line, place.byte + fault.byte, fault.detail);
    }
    report_repairs(parser_, place, log_);
    take_event(*record, place);
  }

  /// The event's place in the order: its `seq`, or that of the event before.
  std::uint64_t seq_of(const JsonValue& record, RecordPlace place) {
    const auto seq = whole_of(record.field("seq"));
    if (!seq) {
      doubt(place, "an event without `seq`; taken in the order of the file");
    } else if (*seq <= last_seq_) {
      doubt(place, fmt::format("`seq` {} after {}", *seq, last_seq_));
    }
    last_seq_ = seq.value_or(last_seq_);
    return last_seq_;
  }

  void take_event(const JsonValue& record, RecordPlace place) {
    const auto type = record.field("type") == nullptr ? std::nullopt : record.field("type")->as_string();
    if (!type) {
      out_.lost_lines = true;
      return log_.add(Severity::error, Fault::missing_field, place.line, place.byte, "`type` (a string)");
    }
    LogEvent event;
    event.place = place;
    event.seq = seq_of(record, place);
    event.lane = text_at(record, {"proxy_source"});
    event.time = time_of(record, arena_);
    event.turn = whole_of(record.field("turn"));
    if (type->starts_with("memory_")) return take_annotation(*type, record, event);
    if (take_frame(*type, record, event)) {
      count_unknown_fields(record, *type, {}, place, log_);
    } else {
      log_.count_unknown_type(*type, place.line, place.byte);
    }
  }

  void add(EventKind kind, LogEvent event, std::size_t index = 0) {
    event.kind = kind;
    event.index = index;
    out_.events.push_back(event);
  }

  bool take_frame(std::string_view type, const JsonValue& record, LogEvent event) {
    if (type == "message_end") {
      take_message(record, event);
    } else if (type == "message_retracted" || type == "history_rewritten") {
      const bool rewritten = type == "history_rewritten";
      event.number = whole_of(record.field(rewritten ? "kept" : "msg"));
      add(rewritten ? EventKind::rewritten : EventKind::retracted, event);
    } else if (type == "turn_start") {
      ++out_.turns;
      if (event.turn && !open_turns_.emplace(*event.turn, event.place).second) {
        doubt(event.place, fmt::format("turn {} is opened twice", *event.turn));
      }
      add(EventKind::turn_start, event);
    } else if (type == "turn_end") {
      if (event.turn && open_turns_.erase(*event.turn) == 0) {
        doubt(event.place, fmt::format("turn {} is closed but not open", *event.turn));
      }
      add(EventKind::turn_end, event);
    } else if (type == "agent_start") {
      add(EventKind::agent_start, event);
    } else if (type == "agent_end") {
      out_.ended = true;
      add(EventKind::agent_end, event);
    } else {
      return false;
    }
    return true;
  }

  void take_message(const JsonValue& record, LogEvent event) {
    ++out_.messages_ended;
    event.number = whole_of(record.field("msg"));
    auto message = read_event_message(record, arena_);
    if (!message) {
      out_.lost_lines = true;
      return log_.add(Severity::error, Fault::missing_field, event.place.line, event.place.byte,
                      "`message_end` without a message that names a known role");
    }
    add(EventKind::message, event, out_.messages.size());
    out_.messages.push_back(std::move(*message));
  }

  void take_annotation(std::string_view type, const JsonValue& record, const LogEvent& event) {
    // The bridge posts again after a transport error; the recorder answers with the same id.
    const std::string_view id = text_at(record, {"annotation_id"});
    if (!id.empty() && !annotations_.insert(id).second) {
      return log_.add(Severity::note, Fault::inconsistent_record, event.place.line, event.place.byte,
                      fmt::format("`{}` with an annotation id that was there before; counted once", type));
    }
    PayloadReader payload(type, record, event.place, arena_, log_);
    if (type == "memory_session") {
      take_session(payload);
    } else if (type == "memory_role_bind") {
      (payload.text("logical_role") == "main" ? out_.main_lane : out_.memory_lane) = event.lane;
      payload.object("adapter");
      add(EventKind::role_bind, event);
    } else if (type == "memory_search_start" || type == "memory_search_end") {
      take_search(type == "memory_search_start", payload, event);
    } else if (type == "memory_generate_start" || type == "memory_generate_end") {
      take_generation(type == "memory_generate_start", payload, event);
    } else if (type == "memory_change") {
      add(EventKind::change, event, out_.changes.size());
      out_.changes.push_back(read_change(payload));
    } else if (type == "memory_delivery") {
      add(EventKind::delivery, event, out_.deliveries.size());
      out_.deliveries.push_back(read_delivery(payload));
    } else {
      log_.count_unknown_type(type, event.place.line, event.place.byte);
      return;
    }
    payload.count_unknown();
  }

  void take_session(PayloadReader& payload) {
    out_.session = true;
    out_.instance_id = payload.text("instance_id");
    out_.task = payload.content("task").text.value_or(std::string_view{});
    if (const JsonValue* adapter = payload.object("adapter")) {
      out_.adapter = text_at(*adapter, {"name"});
      out_.adapter_version = text_at(*adapter, {"version"});
    }
    out_.scope = payload.extension("scope");
    payload.text("session_kind");
  }

  void take_search(bool start, PayloadReader& payload, const LogEvent& event) {
    const std::string_view operation = payload.text("operation_id");
    const auto [at, is_new] = searches_.emplace(operation, out_.searches.size());
    if (is_new) {
      out_.searches.emplace_back().operation = operation;
      add(EventKind::search, event, at->second);
    }
    SearchEvent& search = out_.searches[at->second];
    if (start) {
      search.started = true;
      search.query = payload.content("query").text.value_or(std::string_view{});
      search.main_step = payload.whole("main_step");
    } else {
      search.ended = true;
      search.completed = payload.text("status") == "completed";
      search.returned = payload.returned();
      if (const JsonValue* matched = payload.object("matched_count"))
        search.matched = whole_of(matched->field("value"));
    }
  }

  void take_generation(bool start, PayloadReader& payload, const LogEvent& event) {
    const std::string_view operation = payload.text("operation_id");
    const auto [at, is_new] = generations_.emplace(operation, out_.generations.size());
    if (is_new) {
      out_.generations.emplace_back().operation = operation;
      add(EventKind::generation, event, at->second);
    }
    GenerationEvent& generation = out_.generations[at->second];
    if (start) {
      generation.started = true;
      generation.source_steps = payload.source_steps(kLargestStep);
    } else {
      generation.ended = true;
      generation.status = payload.text("status");
      generation.produced = payload.refs("produced");
      generation.change_count = payload.whole("change_count");
      add(EventKind::generation_end, event, at->second);
    }
  }

  const SessionStart& start_;
  const ReadOptions& options_;
  Arena& arena_;
  DiagnosticLog& log_;
  JsonParser parser_;
  EventLog out_;
  Sha256 hash_;
  std::uint64_t last_seq_ = 0;
  std::map<std::uint64_t, RecordPlace> open_turns_;
  std::unordered_set<std::string_view> annotations_;
  std::unordered_map<std::string_view, std::size_t> searches_, generations_;
};

}  // namespace

std::vector<SessionStart> find_sessions(std::unique_ptr<ByteStream> stream, const ReadOptions& options) {
  std::vector<SessionStart> sessions;
  std::unordered_set<std::string> seen;
  LineReader lines(std::move(stream), options.max_record_bytes);
  JsonParser parser(options.max_record_bytes);
  Line line;
  while (lines.next(line)) {
    if (line.text.find("\"memory_session\"") == std::string_view::npos) continue;
    Arena scratch;
    JsonFault fault;
    const JsonValue* record = parser.parse(line.text, lines.readable(line.text), scratch, fault);
    if (record == nullptr || text_at(*record, {"type"}) != "memory_session") continue;
    std::string_view id = text_at(*record, {"payload", "trace_session_id"});
    if (id.empty()) id = text_at(*record, {"trace_session_id"});
    if (seen.insert(std::string(id)).second) sessions.push_back({line.number, line.byte, std::string(id)});
  }
  if (sessions.empty()) sessions.emplace_back();
  sessions.front().line = 1;
  sessions.front().byte = 0;
  return sessions;
}

EventLog read_log(std::unique_ptr<ByteStream> stream, const SessionStart& start, std::optional<std::uint64_t> end,
                  const ReadOptions& options, Arena& arena, DiagnosticLog& log) {
  return LogReader(start, options, arena, log).read(std::move(stream), end);
}

}  // namespace memuse::ingest::bridge
