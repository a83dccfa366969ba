#include "ingest/claude_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "ingest/claude_code_detection.h"
#include "ingest/claude_code_episode.h"
#include "ingest/claude_code_text.h"
#include "ingest/episode_names.h"
#include "ingest/instance_names.h"
#include "ingest/json_fields.h"
#include "ingest/json_records.h"
#include "model/text.h"

// Sorts the records of a file into conversations: sessions, what follows a /clear, and sub-agents. What a conversation
// makes of them stands in ClaudeConversation.

namespace memuse::ingest {
namespace {

constexpr std::string_view kClaudeCode = "claude-code";
constexpr std::string_view kCompactionAgent = "acompact-";

/// Kinds of record that hold nothing of a conversation.
constexpr std::array<std::string_view, 5> kQuietTypes{"file-history-snapshot", "queue-operation", "pr-link",
                                                      "last-prompt", "mode"};

/// Fields that are known and not used.
constexpr std::array<std::string_view, 24> kUnusedFields{"logicalParentUuid",
                                                         "userType",
                                                         "toolUseResult",
                                                         "isVisibleInTranscriptOnly",
                                                         "durationMs",
                                                         "thinkingMetadata",
                                                         "todos",
                                                         "permissionMode",
                                                         "sourceToolAssistantUUID",
                                                         "sourceToolUseID",
                                                         "origin",
                                                         "cwd",
                                                         "subtype",
                                                         "content",
                                                         "compactMetadata",
                                                         "microcompactMetadata",
                                                         "hookCount",
                                                         "hookInfos",
                                                         "hookErrors",
                                                         "preventedContinuation",
                                                         "stopReason",
                                                         "hasOutput",
                                                         "level",
                                                         "toolUseID"};

/// Reads one file.
class SessionFile {
 public:
  SessionFile(const std::string& path, const ReadOptions& options, const EpisodeSink& sink, DiagnosticLog& log)
      : path_(path), options_(options), sink_(sink), log_(log) {}

  void take(const JsonRecord& record);
  void finish();

 private:
  struct Slot {
    std::unique_ptr<ClaudeConversation> conversation;
    bool from_progress = false;
  };

  static ClaudeEnvelope read_envelope(RecordFields& fields);
  bool is_repeated(const ClaudeEnvelope& envelope, const JsonValue* message, const RecordFields& fields);
  void take_title(std::string_view type, RecordFields& fields, const JsonRecord& record);
  void take_turn(const ClaudeEnvelope& envelope, RecordFields& fields, const JsonRecord& record);
  void take_progress(const ClaudeEnvelope& envelope, RecordFields& fields, const JsonRecord& record);
  void feed(ClaudeConversation& conversation, const ClaudeEnvelope& envelope, const JsonValue& message,
            RecordPlace place);

  std::size_t open(const std::string& key, std::string id, std::string_view session, ClaudeConversation::Kind kind);
  std::size_t session_of(std::string_view session);
  std::size_t sub_agent_of(const ClaudeEnvelope& envelope, RecordPlace place);
  std::size_t conversation_of(const ClaudeEnvelope& envelope, const JsonValue* message, RecordPlace place);
  void emit(Episode episode);

  const std::string& path_;
  const ReadOptions& options_;
  const EpisodeSink& sink_;
  DiagnosticLog& log_;
  std::vector<Slot> slots_;                                    // in the order in which they begin
  std::unordered_map<std::string, std::size_t> slot_by_key_;   // the latest part of a session, or a sub-agent
  std::unordered_map<std::string, std::size_t> parts_;         // of a session
  std::unordered_map<std::string, std::size_t> sidechain_of_;  // by uuid, for sub-agents that have no id
  std::unordered_map<std::string, Hash128> seen_;              // by uuid, what a record says
};

ClaudeEnvelope SessionFile::read_envelope(RecordFields& fields) {
  ClaudeEnvelope envelope;
  envelope.type = or_empty(fields.string("type"));
  envelope.uuid = or_empty(fields.string("uuid"));
  envelope.parent = fields.string("parentUuid");
  envelope.session = or_empty(fields.string("sessionId"));
  envelope.agent = or_empty(fields.string("agentId"));
  envelope.timestamp = or_empty(fields.string("timestamp"));
  envelope.request = or_empty(fields.string("requestId"));
  envelope.sidechain = fields.boolean("isSidechain").value_or(false);
  envelope.meta = fields.boolean("isMeta").value_or(false);
  envelope.compact_summary = fields.boolean("isCompactSummary").value_or(false);
  envelope.api_error = fields.boolean("isApiErrorMessage").value_or(false);
  envelope.cost_usd = fields.number("costUSD");
  return envelope;
}

void SessionFile::take(const JsonRecord& record) {
  RecordFields fields(*record.value, "record", record.place, log_);
  ClaudeEnvelope envelope = read_envelope(fields);
  // A null parent is a root; RecordFields takes null for absent.
  const JsonValue* parent = record.value->field("parentUuid");
  if (parent != nullptr && parent->is_null()) envelope.parent = std::string_view{};
  const std::string_view type = envelope.type;
  if (type.empty()) return fields.report(Severity::error, Fault::missing_field, "`record.type` (a string)");
  if (is_one_of(type, kQuietTypes)) return;
  if (type == "summary" || type == "custom-title" || type == "ai-title") return take_title(type, fields, record);
  constexpr std::array<std::string_view, 5> kTurns{"user", "assistant", "system", "attachment", "progress"};
  if (!is_one_of(type, kTurns)) return log_.count_unknown_type(type, record.place.line, record.place.byte);
  if (envelope.session.empty()) {
    return fields.report(Severity::error, Fault::missing_field, "`record.sessionId` (a string)");
  }
  if (type == "progress") return take_progress(envelope, fields, record);
  take_turn(envelope, fields, record);
}

/// Resumed sessions repeat records, with the same ids. The first one counts.
bool SessionFile::is_repeated(const ClaudeEnvelope& envelope, const JsonValue* message, const RecordFields& fields) {
  if (envelope.uuid.empty()) return false;
  const Hash128 content = hash128(message == nullptr ? std::string_view{} : message->text);
  const auto [known, fresh] = seen_.emplace(std::string(envelope.uuid), content);
  if (!fresh && !(known->second == content)) {
    log_.add(Severity::warning, Fault::duplicate_message, fields.place().line, fields.place().byte,
             fmt::format("`{}`, with another content", shortened(envelope.uuid, 60)));
  }
  return !fresh;
}

void SessionFile::take_title(std::string_view type, RecordFields& fields, const JsonRecord& record) {
  std::string_view title;
  ClaudeConversation* conversation = nullptr;
  if (type == "summary") {
    // Mostly of other sessions; only the leaf tells.
    title = or_empty(fields.string("summary"));
    const std::string_view leaf = or_empty(fields.string("leafUuid"));
    for (const Slot& slot : slots_) {
      if (slot.conversation->knows(leaf)) conversation = slot.conversation.get();
    }
  } else {
    title = or_empty(fields.string(type == "ai-title" ? "aiTitle" : "customTitle"));
    const auto slot = slot_by_key_.find(std::string(or_empty(fields.string("sessionId"))));
    if (slot != slot_by_key_.end()) conversation = slots_[slot->second].conversation.get();
  }
  if (conversation == nullptr || title.empty()) return;
  conversation->cover(record.text, record.place, record.end);
  conversation->note_fact(type == "summary" ? "summary" : type == "ai-title" ? "ai_title" : "title", title);
}

std::size_t SessionFile::open(const std::string& key, std::string id, std::string_view session,
                              ClaudeConversation::Kind kind) {
  Slot slot;
  slot.conversation = std::make_unique<ClaudeConversation>(std::move(id), std::string(session), kind, log_);
  slots_.push_back(std::move(slot));
  slot_by_key_[key] = slots_.size() - 1;
  return slots_.size() - 1;
}

std::size_t SessionFile::session_of(std::string_view session) {
  const std::string key(session);
  const auto known = slot_by_key_.find(key);
  if (known != slot_by_key_.end()) return known->second;
  parts_[key] = 1;
  return open(key, key, session, ClaudeConversation::Kind::session);
}

/// A sub-agent is known by its id, or (in old versions) by the tree it is in.
std::size_t SessionFile::sub_agent_of(const ClaudeEnvelope& envelope, RecordPlace place) {
  if (envelope.agent.empty() && envelope.parent) {
    const auto above = sidechain_of_.find(std::string(*envelope.parent));
    if (above != sidechain_of_.end()) {
      const std::size_t slot = above->second;
      if (!envelope.uuid.empty()) sidechain_of_.emplace(std::string(envelope.uuid), slot);
      return slot;
    }
  }
  std::string id;
  if (!envelope.agent.empty()) {
    id = fmt::format("{}/agent-{}", envelope.session, envelope.agent);
  } else if (!envelope.uuid.empty()) {
    id = fmt::format("{}/sidechain-{}", envelope.session, envelope.uuid);
  } else {
    id = fmt::format("{}/sidechain-line-{}", envelope.session, place.line);
  }
  const auto known = slot_by_key_.find(id);
  if (known != slot_by_key_.end()) return known->second;
  const auto kind = envelope.agent.starts_with(kCompactionAgent) ? ClaudeConversation::Kind::compaction
                                                                 : ClaudeConversation::Kind::sub_agent;
  const std::size_t slot = open(id, id, envelope.session, kind);
  ClaudeConversation& conversation = *slots_[slot].conversation;
  const bool compaction = kind == ClaudeConversation::Kind::compaction;
  conversation.note_fact("kind", compaction ? "compaction" : "sub-agent");
  conversation.note_fact("agent", envelope.agent);
  if (envelope.agent.empty() && !envelope.uuid.empty()) sidechain_of_.emplace(std::string(envelope.uuid), slot);
  return slot;
}

std::size_t SessionFile::conversation_of(const ClaudeEnvelope& envelope, const JsonValue* message, RecordPlace place) {
  if (envelope.sidechain) return sub_agent_of(envelope, place);
  const std::size_t current = session_of(envelope.session);
  const bool clears = envelope.type == "user" && message != nullptr && slots_[current].conversation->has_turns() &&
                      classify_claude_prompt(claude_content_text(message->field("content"))) == ClaudePrompt::clear;
  if (!clears) return current;
  const std::string key(envelope.session);
  return open(key, fmt::format("{}/part-{}", key, ++parts_[key]), envelope.session,
              ClaudeConversation::Kind::later_part);
}

void SessionFile::take_turn(const ClaudeEnvelope& envelope, RecordFields& fields, const JsonRecord& record) {
  const bool speaks = envelope.type == "user" || envelope.type == "assistant";
  const JsonValue* message = speaks ? fields.object("message") : nullptr;
  const JsonValue* attachment = envelope.type == "attachment" ? fields.object("attachment") : nullptr;
  if (speaks && message == nullptr) {
    return fields.report(Severity::error, Fault::missing_field, "`record.message` (an object)");
  }
  if (is_repeated(envelope, speaks ? message : attachment, fields)) return;
  const std::size_t slot = conversation_of(envelope, message, record.place);
  ClaudeConversation& conversation = *slots_[slot].conversation;
  if (slots_[slot].from_progress) return;  // counted there
  conversation.cover(record.text, record.place, record.end);
  conversation.note_fact("version", or_empty(fields.string("version")));
  conversation.note_fact("branch", or_empty(fields.string("gitBranch")));
  conversation.note_fact("slug", or_empty(fields.string("slug")));
  for (const std::string_view unused : kUnusedFields) fields.any(unused);
  fields.count_unknown();
  if (speaks) return feed(conversation, envelope, *message, record.place);
  if (attachment != nullptr) return conversation.take_attachment(envelope, *attachment, record.place);
  conversation.take_system(envelope, *record.value, record.place);
}

void SessionFile::feed(ClaudeConversation& conversation, const ClaudeEnvelope& envelope, const JsonValue& message,
                       RecordPlace place) {
  RecordFields fields(message, "message", place, log_);
  constexpr std::array<std::string_view, 12> kKnown{"id",
                                                    "type",
                                                    "role",
                                                    "model",
                                                    "content",
                                                    "stop_reason",
                                                    "stop_details",
                                                    "stop_sequence",
                                                    "usage",
                                                    "container",
                                                    "context_management",
                                                    "diagnostics"};
  for (const std::string_view known : kKnown) fields.any(known);
  fields.count_unknown();
  if (envelope.type == "user") {
    conversation.take_user(envelope, message, place);
  } else {
    conversation.take_assistant(envelope, message, place);
  }
}

/// Records of hooks and running tools stand between others in the tree. Those of sub-agents hold its messages too.
void SessionFile::take_progress(const ClaudeEnvelope& envelope, RecordFields& fields, const JsonRecord& record) {
  const std::size_t slot = envelope.sidechain ? sub_agent_of(envelope, record.place) : session_of(envelope.session);
  slots_[slot].conversation->cover(record.text, record.place, record.end);
  slots_[slot].conversation->link(envelope);
  const JsonValue* data = fields.object("data");
  if (string_in(data, "type") != "agent_progress") return;
  const JsonValue* wrapped = object_in(data, "message");
  const JsonValue* message = object_in(wrapped, "message");
  ClaudeEnvelope inner;
  inner.type = string_in(wrapped, "type");
  inner.agent = string_in(data, "agentId");
  if (message == nullptr || inner.agent.empty() || (inner.type != "user" && inner.type != "assistant")) return;
  inner.session = envelope.session;
  inner.uuid = string_in(wrapped, "uuid");
  if (inner.uuid.empty()) inner.uuid = envelope.uuid;
  inner.timestamp = string_in(wrapped, "timestamp");
  if (inner.timestamp.empty()) inner.timestamp = envelope.timestamp;
  inner.request = string_in(wrapped, "requestId");
  const std::size_t before = slots_.size();
  const std::size_t agent = sub_agent_of(inner, record.place);
  if (agent == before) slots_[agent].from_progress = true;
  ClaudeConversation& conversation = *slots_[agent].conversation;
  if (!slots_[agent].from_progress || conversation.knows(inner.uuid)) return;
  conversation.cover(record.text, record.place, record.end);
  conversation.note_fact("version", or_empty(fields.string("version")));
  feed(conversation, inner, *message, record.place);
}

void SessionFile::emit(Episode episode) {
  episode.source.path = path_;
  episode.source.format = kClaudeCode;
  const auto version =
      std::find_if(episode.tags.begin(), episode.tags.end(), [](const Tag& tag) { return tag.key == "version"; });
  if (version != episode.tags.end()) episode.source.format_version = version->value;
  name_configuration(episode, options_, model_without_route(episode.model), log_,
                     {episode.source.line, episode.source.byte_begin}, "no call of a model either");
  name_run(episode, options_, claude_run_folder(path_, episode.group));
  sink_(std::move(episode));
}

void SessionFile::finish() {
  for (Slot& slot : slots_) {
    if (slot.conversation->has_turns()) emit(slot.conversation->finish());
    slot.conversation.reset();
  }
}

class ClaudeCodeAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return kClaudeCode; }
  [[nodiscard]] std::string_view description() const override { return "sessions of Claude Code (JSON Lines)"; }
  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override {
    return detect_claude_code(head);
  }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    JsonRecordReader records(std::move(stream), options, log);
    SessionFile file(path, options, sink, log);
    JsonRecord record;
    while (records.next(record)) file.take(record);
    file.finish();
  }

  /// Which records belong to a conversation depends on those before them: the file is read from its start.
  void read_again(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                  DiagnosticLog& log) const override {
    SourcePlace from_start = place;
    from_start.byte_begin = 0;
    Adapter::read_again(from_start, options, sink, log);
  }
};

}  // namespace

const Adapter& claude_code_adapter() {
  static const ClaudeCodeAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
