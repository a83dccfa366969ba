#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bridge_chat.h"
#include "ingest/bridge_json_file.h"
#include "ingest/record_fields.h"

// The event log `trajectory.jsonl` as typed records in the order of `seq`. What the events mean together is said
// elsewhere (bridge_replay, bridge_episode).

namespace memuse::ingest::bridge {

/// Text that an event carries, or says why it does not.
struct ContentRef {
  std::optional<std::string_view> text;
  std::string_view sha256;
};

/// One version of a memory.
struct MemoryRef {
  std::string_view version;
  std::optional<std::string_view> item;
  std::string_view name_space;
  bool operation_local = false;  ///< a candidate that never became a row
  ContentRef content;
  std::string_view key;          ///< cure: the key that the line shows
  std::string_view line_prefix;  ///< what stands before the text on its line in the block
};

struct SearchEvent {
  std::string_view operation;
  std::string_view query;
  std::optional<std::uint64_t> main_step;
  std::vector<MemoryRef> returned;
  std::optional<std::uint64_t> matched;
  bool started = false, ended = false, completed = false;
};

struct GenerationEvent {
  std::string_view operation;
  std::vector<std::uint32_t> source_steps;
  std::vector<MemoryRef> produced;
  std::optional<std::uint64_t> change_count;
  std::string_view status;
  bool started = false, ended = false;
};

struct ChangeEvent {
  std::string_view operation, action;
  std::vector<MemoryRef> before, after;
  std::vector<std::string_view> superseded;
  std::optional<std::uint64_t> index, count;
};

struct DeliveryEvent {
  std::string_view id, search, status, binding_status;
  std::optional<std::uint64_t> main_step, after_call, message_index;
  ContentRef content;
  std::vector<MemoryRef> memories;
  bool cached = false;
};

enum class EventKind : std::uint8_t {
  message,
  retracted,
  rewritten,
  turn_start,
  turn_end,
  agent_start,
  agent_end,
  role_bind,
  search,
  generation,
  generation_end,
  change,
  delivery
};

struct LogEvent {
  EventKind kind = EventKind::message;
  std::uint64_t seq = 0;
  RecordPlace place;
  std::string_view lane, time;
  std::optional<std::uint64_t> turn;
  std::optional<std::uint64_t> number;  ///< `msg` or `kept`
  std::size_t index = 0;                ///< in the list of its kind
};

/// One session's part of a log.
struct EventLog {
  std::vector<LogEvent> events;      ///< by `seq`
  std::deque<ChatMessage> messages;  ///< those that only requests show come last
  std::vector<SearchEvent> searches;
  std::vector<GenerationEvent> generations;
  std::vector<ChangeEvent> changes;
  std::vector<DeliveryEvent> deliveries;

  bool session = false;  ///< there is a `memory_session`
  std::string_view instance_id, adapter, adapter_version, task, scope;
  std::string_view main_lane, memory_lane;  ///< as bound; empty when not

  bool lost_lines = false;  ///< a line could not be used
  bool cut_off = false;     ///< the last line is not whole
  bool ended = false;       ///< there is an `agent_end`
  std::uint64_t turns = 0, messages_ended = 0;
  std::uint64_t doubts = 0;  ///< faults of the frame: order, doubled messages, turns not closed

  std::uint64_t line = 1, byte_begin = 0, byte_end = 0;
  std::string sha256;  ///< over that range
};

/// Where a session begins in a log file.
struct SessionStart {
  std::uint64_t line = 1, byte = 0;
  std::string trace_session_id;  ///< empty when the file has no session
};

/// The sessions of a log file; one, from its first byte, when it has none or a single one.
std::vector<SessionStart> find_sessions(std::unique_ptr<ByteStream> stream, const ReadOptions& options);

/// Reads one session: `stream` stands at its start, `end` is where the next one begins. Texts go into `arena`.
/// `log` gets the faults of the file, with line and byte.
EventLog read_log(std::unique_ptr<ByteStream> stream, const SessionStart& start, std::optional<std::uint64_t> end,
                  const ReadOptions& options, Arena& arena, DiagnosticLog& log);

}  // namespace memuse::ingest::bridge
