#include "ingest/bridge_sidecars.h"

#include <fmt/format.h>

#include <filesystem>

namespace memuse::ingest::bridge {
namespace {

std::string hash_line(const JsonFile& file, const std::string& below) {
  return fmt::format("{}  {}", file.sha256(), std::filesystem::path(below).filename().string());
}

/// A cost of 0.0 stands for "not in the price table" as well as for "free"; it counts as unknown.
std::optional<double> cost_of(const JsonValue* value) {
  const auto cost = value == nullptr ? std::nullopt : value->as_double();
  return cost && *cost > 0 ? cost : std::nullopt;
}

/// Which adapter wrote a memory.json, by the fields that only it has; empty when that is open.
std::string_view adapter_of(const JsonValue& root) {
  if (root.field("cure_system_path") != nullptr || root.field("db_path") != nullptr) return "cure";
  const JsonValue* counts = root.field("counts");
  if (counts == nullptr) return {};
  if (counts->field("agent_scene_reads") != nullptr) return "tencentdb";
  return counts->field("search_calls") != nullptr ? "mem0" : "";
}

void read_memory_events(const JsonValue& events, MemoryFile& memory) {
  for (const JsonValue& event : JsonChildren(events)) {
    const std::string_view kind = text_at(event, {"kind"});
    const auto step = whole_of(event.field("step"));
    if (kind == "recall" && step) {
      memory.recalls.push_back({*step, whole_of(event.field("n_memories")), whole_of(event.field("chars"))});
    } else if (kind == "annotation") {
      memory.annotations.push_back({text_at(event, {"reason"}), step});
    }
  }
}

AgentFile::Reply read_reply(const JsonValue& message, Arena& arena) {
  AgentFile::Reply reply;
  const JsonValue* extra = message.field("extra");
  if (extra == nullptr) return reply;
  reply.usage = usage_of(at_path(*extra, {"response", "usage"}));
  reply.model = arena.keep(text_at(*extra, {"response", "model"}));
  reply.cost_usd = cost_of(extra->field("cost"));
  return reply;
}

}  // namespace

MemoryFile read_memory_file(const ReadContext& context, const std::string& below, Arena& arena,
                            std::vector<std::string>& hashes) {
  MemoryFile memory;
  const auto file = JsonFile::read(context, below, arena);
  if (file == nullptr) return memory;
  hashes.push_back(hash_line(*file, below));
  const JsonValue& root = file->root();
  memory.present = true;
  const auto flag = [&](std::string_view field) {
    const JsonValue* value = root.field(field);
    return value == nullptr ? std::nullopt : value->as_bool();
  };
  memory.enabled = flag("enabled");
  memory.available = flag("available");
  memory.scope = text_at(root, {"scope"});
  memory.session_id = text_at(root, {"session_id"});
  memory.adapter = adapter_of(root);
  memory.store_key = text_at(root, {"db_path"});
  if (memory.store_key.empty()) memory.store_key = text_at(root, {"effective_user_id"});
  if (const JsonValue* counts = root.field("counts")) {
    memory.recall_injections = whole_of(counts->field("recall_injections"));
    memory.recall_cache_hits = whole_of(counts->field("recall_cache_hits"));
    memory.search_errors = whole_of(counts->field("search_errors"));
  }
  if (const JsonValue* events = root.field("events"); events != nullptr && events->kind == JsonKind::array) {
    read_memory_events(*events, memory);
  }
  return memory;
}

AgentFile read_agent_file(const ReadContext& context, const std::string& below, Arena& arena,
                          std::vector<std::string>& hashes) {
  AgentFile agent;
  const auto file = JsonFile::read(context, below, arena);
  if (file == nullptr) return agent;
  hashes.push_back(hash_line(*file, below));
  const JsonValue& root = file->root();
  agent.present = true;
  agent.exit_status = text_at(root, {"info", "exit_status"});
  agent.model = text_at(root, {"info", "config", "model", "model_name"});
  agent.agent_type = text_at(root, {"info", "config", "agent_type"});
  if (const JsonValue* stats = at_path(root, {"info", "model_stats"})) {
    agent.api_calls = whole_of(stats->field("api_calls"));
    agent.cost_usd = cost_of(stats->field("instance_cost"));
  }
  const JsonValue* messages = root.field("messages");
  if (messages == nullptr || messages->kind != JsonKind::array) return agent;
  for (const JsonValue& value : JsonChildren(*messages)) {
    // The `exit` message is the harness's note of how it ended; nobody was sent it.
    auto message = read_chat_message(value, arena);
    if (!message) continue;
    agent.replies.push_back(message->role == Role::assistant ? read_reply(value, arena) : AgentFile::Reply{});
    agent.messages.push_back(std::move(*message));
  }
  return agent;
}

RunFile read_run_file(const ReadContext& context, const std::string& below, Arena& arena,
                      std::vector<std::string>& hashes) {
  RunFile run;
  const auto file = JsonFile::read(context, below, arena);
  if (file == nullptr) return run;
  hashes.push_back(hash_line(*file, below));
  const JsonValue& root = file->root();
  run.present = true;
  run.status = text_at(root, {"status"});
  run.calls = whole_of(root.field("call_count"));
  run.turns = whole_of(root.field("turn_count"));
  run.messages = whole_of(root.field("message_count"));
  if (const JsonValue* lanes = at_path(root, {"usage", "by_lane"})) {
    for (const JsonValue& lane : JsonChildren(*lanes))
      run.usage_by_lane.emplace_back(arena.keep(lane.key), usage_of(&lane));
  }
  return run;
}

}  // namespace memuse::ingest::bridge
