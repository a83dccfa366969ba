#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ingest/claude_code_tree.h"
#include "ingest/episode_recorder.h"
#include "ingest/json.h"
#include "ingest/record_fields.h"
#include "model/sha256.h"

namespace memuse::ingest {

/// What stands around the content of a record. Texts are those of the record.
struct ClaudeEnvelope {
  std::string_view type;
  std::string_view uuid;
  std::optional<std::string_view> parent;  ///< empty: a root. Nothing: the record does not say
  std::string_view session;
  std::string_view agent;
  std::string_view timestamp;
  std::string_view request;
  bool sidechain = false;
  bool meta = false;
  bool compact_summary = false;
  bool api_error = false;
  std::optional<double> cost_usd;
};

/// Builds one episode from the records of one conversation of Claude Code: a session, the part of one behind a /clear,
/// or a sub-agent. A call's records may stand apart, so everything is kept until `finish`.
class ClaudeConversation {
 public:
  enum class Kind : std::uint8_t { session, later_part, sub_agent, compaction };

  ClaudeConversation(std::string id, std::string session, Kind kind, DiagnosticLog& log)
      : id_(std::move(id)), session_(std::move(session)), kind_(kind), log_(log) {}

  /// Counts the bytes of a record as part of the episode.
  void cover(std::string_view text, RecordPlace place, std::uint64_t end);
  /// Keeps what the envelope says of the session as a whole (version, branch, …).
  void note_fact(std::string_view key, std::string_view value);

  void take_user(const ClaudeEnvelope& envelope, const JsonValue& message, RecordPlace place);
  void take_assistant(const ClaudeEnvelope& envelope, const JsonValue& message, RecordPlace place);
  void take_attachment(const ClaudeEnvelope& envelope, const JsonValue& attachment, RecordPlace place);
  void take_system(const ClaudeEnvelope& envelope, const JsonValue& record, RecordPlace place);
  /// A record without content that stands between others in the tree.
  void link(const ClaudeEnvelope& envelope);

  /// True when the conversation holds something that makes it an episode: a prompt or a call.
  [[nodiscard]] bool has_turns() const { return prompted_ || calls_ > 0; }
  [[nodiscard]] bool knows(std::string_view uuid) const { return nodes_.contains(std::string(uuid)); }

  /// The episode, complete but for the names that its source does not give (configuration, run) and for the path.
  Episode finish();

 private:
  using Node = ConversationTree::Node;
  struct Call {
    Node node = ConversationTree::kRoot;
    std::size_t event = 0;
  };
  /// One thing that happened. Of a step, the texts are collected here until it is complete.
  struct Event {
    enum class Kind : std::uint8_t { message, step, side_call, drop_nodes, drop_results } kind = Kind::message;
    MessageRecord message;
    StepRecord step;
    std::string response;
    std::string reasoning;
    bool spoke = false;  // the answer holds a text
    SideCall side_call;
    std::vector<Node> nodes;
    std::vector<std::string_view> results;       // ids of the actions whose results are dropped
    std::optional<std::uint32_t> first_message;  // index in the episode, once it is built
    std::uint32_t messages = 0;
  };
  /// An action and where its call stands.
  struct OpenAction {
    std::size_t event = 0;
    Node node = ConversationTree::kRoot;
    bool answered = false;
  };

  std::string_view keep(std::string_view text) { return recorder_.keep(text); }
  std::string_view new_id(std::string_view wanted, RecordPlace place);
  void report(Severity severity, Fault fault, RecordPlace place, const std::string& detail);

  /// Where the parent of a record stands; the end of the path when that is not known.
  Node parent_of(const ClaudeEnvelope& envelope, RecordPlace place);
  [[nodiscard]] bool is_call(Node node) const;
  void move_to(Node node, RecordPlace place);
  void leave(std::vector<Node> nodes);
  void bind(std::string_view uuid, Node node);
  Event& add_event(Event::Kind kind, Node node);
  void add_message(const ClaudeEnvelope& envelope, const MessageRecord& message, RecordPlace place);

  bool take_results(const ClaudeEnvelope& envelope, const JsonValue& content, RecordPlace place);
  void add_result(const ClaudeEnvelope& envelope, std::string_view action, std::string_view text, RecordPlace place);
  void take_side_call(const JsonValue& message, const std::string& key, const ClaudeEnvelope& envelope,
                      RecordPlace place);
  Event& call_of(const std::string& key, const ClaudeEnvelope& envelope, const JsonValue& message, RecordPlace place);
  void add_blocks(Event& call, Node node, std::size_t event, const JsonValue* content, RecordPlace place);
  void add_action(Event& call, Node node, std::size_t event, const JsonValue& block, RecordPlace place);
  static void read_usage(Usage& usage, const JsonValue& message);

  void place_event(Event& event);
  void drop_event(const Event& event);
  void drop_results(const Event& event);

  std::string id_;
  std::string session_;
  Kind kind_;
  DiagnosticLog& log_;
  EpisodeRecorder recorder_;
  Sha256 hash_;
  ConversationTree tree_;
  std::vector<std::vector<std::size_t>> events_of_node_{1};
  std::vector<Event> events_;
  std::unordered_map<std::string, Node> nodes_;  // by uuid
  std::unordered_map<std::string, Call> calls_by_id_;
  std::unordered_map<std::string_view, OpenAction> actions_;
  std::unordered_set<std::string_view> ids_;  // of messages
  std::vector<Tag> facts_;
  std::uint64_t calls_ = 0;
  bool prompted_ = false;
  bool started_ = false;
  bool left_branch_reported_ = false;
};

}  // namespace memuse::ingest
