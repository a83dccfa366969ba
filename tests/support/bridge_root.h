#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/text.h"
#include "support/temporary_folder.h"

// Writes small run roots of memory-bridge with consistent ids, digests and counters. The project, the agent and all
// texts are invented.

namespace memuse::test {

using Json = nlohmann::ordered_json;

inline Json content_ref(const std::string& text) {
  const auto chars =
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return {{"availability", "inline"},
          {"sha256", sha256_hex(text)},
          {"bytes", text.size()},
          {"chars", chars},
          {"text", text}};
}

/// Which integration the root is written for.
enum class BridgeKind { cure, mem0, tencentdb };

struct BridgeMemory {
  int row = 0;
  std::string item, type, key, text;
  bool repo = true;
};

/// One instance's recording, written call by call.
class BridgeInstance {
 public:
  BridgeInstance(std::filesystem::path root, BridgeKind kind, std::string id, const std::string& task)
      : root_(std::move(root)), kind_(kind), id_(std::move(id)), task_(task) {
    history_.push_back({{"role", "system"}, {"content", "You mend small programs from a shell."}});
    history_.push_back({{"role", "user"}, {"content", "<issue>\n" + task + "\n</issue>\nMend it."}});
    emit("agent_start", "");
    Json session{
        {"session_kind", "episode"}, {"adapter", adapter()}, {"instance_id", id_}, {"task", content_ref(task)}};
    session["extensions"][name()] = {{"session_id", id_ + "-s"}, {"scope", "run"}};
    annotate("memory_session", "MAIN", session);
    annotate("memory_role_bind", "MAIN", {{"logical_role", "main"}, {"adapter", adapter()}});
    annotate("memory_role_bind", "EXTRACT", {{"logical_role", "memory"}, {"adapter", adapter()}});
  }

  Json ref(const BridgeMemory& memory) const {
    Json out{{"version_id", version(memory)},
             {"identity_strength", "native_stable"},
             {"item_id", memory.item},
             {"namespace", name_space()},
             {"content", content_ref(memory.text)}};
    if (kind_ == BridgeKind::cure) {
      out["extensions"]["cure"] = {{"store_id", memory.row},
                                   {"memory_type", memory.type},
                                   {"key", memory.key},
                                   {"project_id", memory.repo ? Json("meadow__tinycal") : Json(nullptr)}};
    } else {
      out["extensions"][name()] = {{"run_id", "meadow__tinycal-7-s"}};
    }
    return out;
  }

  std::string version(const BridgeMemory& memory) const {
    return fmt::format("{}:{:.12}", memory.row, sha256_hex(memory.text));
  }
  static std::string name_space() { return sha256_hex("/srv/meadow/store"); }

  /// A search; its memories stay placed until the next one.
  void search(const std::vector<BridgeMemory>& found, const std::string& status = "completed") {
    search_ = fmt::format("search-{}-{}", id_, ++searches_);
    placed_ = found;
    annotate("memory_search_start", "EXTRACT",
             {{"operation_id", search_}, {"query", content_ref(task_)}, {"main_step", step_ + 1}});
    Json end{{"operation_id", search_}, {"status", status}, {"returned", Json::array()}};
    for (std::size_t i = 0; i < found.size(); ++i)
      end["returned"].push_back({{"ordinal", i}, {"memory", ref(found[i])}});
    end["matched_count"] = {{"value", found.size()}, {"precision", "exact"}};
    annotate("memory_search_end", "EXTRACT", end);
    fresh_ = true;
  }

  /// One step of the agent: places the block of the last search, answers, runs `command`, gets `output`.
  void step(const std::string& says, const std::string& command, const std::string& output) {
    ++step_;
    std::vector<Json> request = history_;
    const std::string block = placed_.empty() ? "" : block_text();
    if (!block.empty()) request.push_back({{"role", "user"}, {"content", block}});
    const std::string call = fmt::format("call-{}-{}", id_, step_);
    Json reply{{"role", "assistant"}, {"content", says}};
    reply["tool_calls"] =
        Json::array({{{"id", call},
                      {"type", "function"},
                      {"function", {{"name", "bash"}, {"arguments", Json{{"command", command}}.dump()}}}}});
    model_call("MAIN", request, reply);
    if (!block.empty()) deliver(block, request.size() - 1);
    history_.push_back(reply);
    history_.push_back({{"role", "tool"},
                        {"tool_call_id", call},
                        {"content", "<returncode>0</returncode>\n<output>\n" + output + "\n</output>"}});
  }

  /// A generation of the memory lane; `changes` are (action, before, after).
  struct Change {
    std::string action;
    std::vector<BridgeMemory> before, after;
  };
  void generate(const std::vector<Change>& changes, bool final = false) {
    const std::string operation = fmt::format("generation-{}-{}", id_, ++generations_);
    Json start{{"operation_id", operation}, {"trigger", final ? "final" : "step"}, {"inputs", Json::array()}};
    for (int i = 1; i <= step_; ++i) {
      start["inputs"].push_back({{"input_id", std::to_string(i)},
                                 {"kind", "message"},
                                 {"role", "assistant"},
                                 {"source_step", i},
                                 {"content", content_ref(fmt::format("step {}", i))}});
    }
    annotate("memory_generate_start", "EXTRACT", start);
    model_call("EXTRACT", {{{"role", "system"}, {"content", "Extract."}}, {{"role", "user"}, {"content", operation}}},
               {{"role", "assistant"}, {"content", "done " + operation}});
    Json produced = Json::array();
    for (std::size_t i = 0; i < changes.size(); ++i) {
      Json change{{"operation_id", operation},   {"change_id", fmt::format("{}-{}", operation, i)},
                  {"action", changes[i].action}, {"before", Json::array()},
                  {"after", Json::array()},      {"relationships", Json::array()},
                  {"change_index", i},           {"change_count", changes.size()}};
      if (kind_ == BridgeKind::cure) {
        for (const BridgeMemory& memory : changes[i].before) change["before"].push_back(ref(memory));
      }
      for (const BridgeMemory& memory : changes[i].after) {
        change["after"].push_back(ref(memory));
        produced.push_back(ref(memory));
      }
      annotate("memory_change", "EXTRACT", change);
    }
    annotate("memory_generate_end", "EXTRACT",
             {{"operation_id", operation},
              {"status", "completed"},
              {"produced", produced},
              {"change_count", changes.size()}});
  }

  void query_call() {
    model_call("QUERY", {{{"role", "user"}, {"content", fmt::format("query {} {}", id_, step_)}}},
               {{"role", "assistant"}, {"content", fmt::format("line {} {}", id_, step_)}});
  }

  /// The agent shortens its history: a note in place of all but the last `keep` messages.
  void compact(const std::string& note, std::size_t keep) {
    std::vector<Json> shorter{history_[0], history_[1], {{"role", "user"}, {"content", note}}};
    shorter.insert(shorter.end(), history_.end() - static_cast<std::ptrdiff_t>(keep), history_.end());
    history_ = std::move(shorter);
  }

  [[nodiscard]] std::filesystem::path outer() const { return root_ / "runs/mini-swe-agent" / id_; }
  [[nodiscard]] std::filesystem::path run_dir() const {
    return outer() / id_ / "trajectory" / ("20310102-030405-memory-" + sha256_hex(id_).substr(0, 6));
  }

  /// Writes everything.
  void finish() {
    emit("agent_end", "");
    std::string log;
    for (const Json& event : events_) log += event.dump() + "\n";
    write(run_dir() / "trajectory.jsonl", log);
    write(run_dir() / "run.json",
          Json{{"status", "stopped"}, {"call_count", calls_}, {"turn_count", calls_}, {"message_count", messages_}}
              .dump());
    write(outer() / "memory.json",
          Json{{"instance_id", id_},
               {"scope", "run"},
               {"enabled", true},
               {"available", true},
               {"counts", {{"recall_injections", deliveries_}, {"recall_cache_hits", cached_}}},
               {"events", recalls_}}
              .dump());
    Json agent{{"info",
                {{"exit_status", "Submitted"},
                 {"model_stats", {{"instance_cost", 0.0}, {"api_calls", step_}}},
                 {"config", {{"model", {{"model_name", "openai/field-mouse"}}}}}}},
               {"messages", Json::array()}};
    for (Json message : history_) {
      if (message["role"] == "assistant") {
        message["extra"] = {{"response", {{"model", "field-mouse"}, {"usage", usage(message)}}}, {"cost", 0.0}};
      }
      agent["messages"].push_back(message);
    }
    agent["messages"].push_back({{"role", "exit"}, {"content", "diff"}});
    write(outer() / id_ / (id_ + ".traj.json"), agent.dump());
  }

  static void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

 private:
  std::string name() const {
    return kind_ == BridgeKind::cure ? "cure" : kind_ == BridgeKind::mem0 ? "mem0" : "tencentdb";
  }
  Json adapter() const { return {{"name", name()}, {"version", "0.1"}}; }
  static Json usage(const Json& reply) {
    return {{"prompt_tokens", 100}, {"completion_tokens", reply["content"].get<std::string>().size()}};
  }

  Json& emit(const std::string& type, const std::string& lane) {
    Json event{
        {"seq", ++seq_}, {"ts", fmt::format("2031-01-02T03:{:02}:{:02}Z", seq_ / 60, seq_ % 60)}, {"type", type}};
    if (!lane.empty()) event["proxy_source"] = lane;
    events_.push_back(std::move(event));
    return events_.back();
  }

  Json& annotate(const std::string& type, const std::string& lane, Json payload) {
    Json& event = emit(type, lane);
    event["annotation_id"] = fmt::format("annotation-{}-{}", id_, seq_);
    payload["trace_session_id"] = "session-" + id_;
    event["payload"] = std::move(payload);
    return event;
  }

  /// What a recorder does that compares each request with the one before: a rewrite, then what is new.
  void model_call(const std::string& lane, const std::vector<Json>& request, const Json& reply) {
    std::vector<Json>& live = live_[lane];
    ++calls_;
    const auto turn_event = [&](const std::string& type) -> Json& {
      Json& event = emit(type, lane);
      event["turn"] = calls_;
      return event;
    };
    turn_event("turn_start");
    std::size_t kept = 0;
    while (kept < live.size() && kept < request.size() && live[kept] == request[kept]) ++kept;
    if (kept < live.size()) turn_event("history_rewritten")["kept"] = kept;
    live.resize(kept);
    const auto record = [&](const Json& message) {
      Json& event = turn_event("message_end");
      event["msg"] = live.size();
      event["message"] = message;
      live.push_back(message);
      ++messages_;
    };
    for (std::size_t i = kept; i < request.size(); ++i) record(request[i]);
    record(reply);
    turn_event("turn_end");
    std::string label = lane;
    std::transform(label.begin(), label.end(), label.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::filesystem::path folder = run_dir() / "calls" / fmt::format("{:04}-{}", calls_, label);
    write(folder / "request.json", Json{{"model", "field-mouse"}, {"messages", request}}.dump());
    write(folder / "response.json",
          Json{{"model", "field-mouse"}, {"choices", Json::array({{{"message", reply}}})}, {"usage", usage(reply)}}
              .dump());
    if (lane == "MAIN") ++main_calls_;
  }

  std::string line(const BridgeMemory& memory) const {
    std::string text =
        kind_ == BridgeKind::cure
            ? fmt::format("- [{}:{}] {}: {}", memory.type, memory.repo ? "repo" : "general", memory.key, memory.text)
            : "- " + memory.text;
    constexpr std::size_t kLongest = 160;
    if (text.size() > kLongest) return text.substr(0, kLongest) + " ...[truncated]";
    return text + " (from an earlier episode)";
  }

  std::string block_text() const {
    std::string text = "Notes from the store, for background only.\n\n";
    if (kind_ == BridgeKind::tencentdb) {
      text +=
          "## Persistent Memory (TencentDB Agent Memory)\nlead\n\n## Scenario Files (L2 index)\n"
          "- scenes/dates.md \xE2\x80\x94 heat 3, updated 2031-01-01 \xE2\x80\x94 how dates are parsed\n"
          "Read one with curl -d '{\"path\": \"<scene-file>\"}' host/v3/scenario/read\n\n";
    }
    text += kind_ == BridgeKind::cure ? "## CURE Memory Policy\nCheck first.\n\n## Relevant Approved Memories"
                                      : "## Recalled Memories";
    for (const BridgeMemory& memory : placed_) text += "\n" + line(memory);
    return text;
  }

  void deliver(const std::string& block, std::size_t index) {
    Json payload{{"delivery_id", fmt::format("delivery-{}-{}", id_, ++deliveries_)},
                 {"search_operation_id", search_},
                 {"main_step", step_},
                 {"status", "placed"}};
    payload["placement"] = {{"kind", "prompt_message"}, {"content", content_ref(block)}};
    payload["memories"] = Json::array();
    for (const BridgeMemory& memory : placed_) payload["memories"].push_back(ref(memory));
    payload["extensions"][name()] = {{"msg_index", index}};
    if (!fresh_) {
      payload["extensions"][name()]["cached"] = true;
      ++cached_;
    }
    fresh_ = false;
    annotate("memory_delivery", "MAIN", payload)["binding"] = {
        {"after_role_call_index", main_calls_ - 1},
        {"proofs",
         Json::array({{{"kind", "canonical_message"}, {"msg_index", index}, {"content_sha256", sha256_hex(block)}}})},
        {"binding_status", "bound"}};
    recalls_.push_back({{"kind", "recall"}, {"step", step_}, {"n_memories", placed_.size()}, {"chars", block.size()}});
  }

  std::filesystem::path root_;
  BridgeKind kind_;
  std::string id_, task_, search_;
  std::vector<Json> events_, history_;
  std::map<std::string, std::vector<Json>> live_;
  std::vector<BridgeMemory> placed_;
  Json recalls_ = Json::array();
  int seq_ = 0, step_ = 0, calls_ = 0, main_calls_ = 0, messages_ = 0, searches_ = 0, generations_ = 0, deliveries_ = 0,
      cached_ = 0;
  bool fresh_ = false;
};

/// Four memories of an invented calendar program; the last one is longer than a line of the block.
struct BridgeMemories {
  BridgeMemory tests{1, "item-tests", "workflow", "run_tests", "Run the calendar tests with: make check TZ=UTC"};
  BridgeMemory wrong{2, "item-leap", "fact", "leap_days", "Leap days are computed in week.py and are wrong there."};
  BridgeMemory right{3, "item-leap", "fact", "leap_days",
                     "Leap days are computed in year.py; week.py only prints them."};
  BridgeMemory longer{
      4, "item-zone", "fact", "zone_table",
      "The zone table is built when zones.py is first imported, so that a test which changes the zone must "
      "import the module again, or else it sees the table of the machine that it runs on."};
};

/// A run root with two short instances:
/// tinycal-7, four steps, unresolved: an empty search at step 1; [wrong, tests] placed at steps 3 and 4.
/// tinycal-9, five steps, resolved: [tests, right] at steps 1-3, the history compacted before step 3;
/// [right, longer] at steps 4 and 5.
inline void write_bridge_root(const std::filesystem::path& root, BridgeKind kind = BridgeKind::cure) {
  const BridgeMemories m;
  BridgeInstance first(root, kind, "meadow__tinycal-7", "The calendar forgets the last day of February.");
  first.search({});
  first.step("I look around.", "ls", "week.py year.py");
  first.step("I run the tests.", "make check TZ=UTC", "1 failed");
  first.generate({{"create", {}, {m.tests}}, {"create", {}, {m.wrong}}});
  first.query_call();
  first.search({m.wrong, m.tests});
  first.step("The note points to week.py.", "sed -i s/28/29/ week.py", "");
  first.step("Submit.", "submit", "done");
  first.generate({{"update", {m.wrong}, {m.right}}, {"noop", {m.tests}, {m.tests}}}, true);
  first.finish();

  BridgeInstance second(root, kind, "meadow__tinycal-9", "Times are shown in the wrong zone.");
  second.search({m.tests, m.right});
  second.step("First the tests.", "make check TZ=UTC", "2 failed");
  second.step("Look at the zones.", "cat zones.py", "TABLE = build()");
  second.compact("[shortened] Tests fail in the zones.", 2);
  second.step("The table is built at import.", "grep -n build zones.py", "3: def build():");
  second.generate({{"create", {}, {m.longer}}});
  second.search({m.right, m.longer});
  second.step("Build it late.", "sed -i s/TABLE/late/ zones.py", "");
  second.step("Submit.", "submit", "done");
  second.generate({}, true);
  second.finish();

  BridgeInstance::write(root / "instance-ids.txt", "# order\nmeadow__tinycal-7\n\nmeadow__tinycal-9\n");
  BridgeInstance::write(
      root / "local-eval/here-local/field.here-local.json",
      Json{{"resolved_ids", {"meadow__tinycal-9"}}, {"unresolved_ids", {"meadow__tinycal-7"}}}.dump());
}

}  // namespace memuse::test
