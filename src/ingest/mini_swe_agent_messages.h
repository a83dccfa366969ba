#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/document.h"
#include "ingest/episode_recorder.h"
#include "ingest/json.h"
#include "ingest/record_fields.h"

namespace memuse::ingest {

/// Turns the messages of one mini-swe-agent run into steps, results and messages of an episode. A turn of the model
/// opens a step; what answers its actions becomes their results; the rest up to the next turn stays as messages.
class MiniConversation {
 public:
  /// `fence` is the word of the code blocks that hold actions; empty when the document does not say it.
  MiniConversation(EpisodeRecorder& recorder, DiagnosticLog& log, DocumentPlaces& places, std::string_view fence)
      : recorder_(recorder), log_(log), places_(places), fence_(fence) {}

  /// Takes the next message. `last`: no other follows.
  void take(const JsonValue& message, bool last);
  /// To be called behind the last message. `submission` is what the run's summary gives: it is kept as a message that
  /// no input shows when it is another text than that with which the messages end.
  void finish(std::string_view submission);

  /// Answers of the model: those that are stored, and those of which only a rejection tells.
  [[nodiscard]] std::uint64_t answers() const { return recorder_.episode().step_count(); }
  /// The first step whose prompt has far fewer tokens than the one before: its input was cut.
  [[nodiscard]] std::optional<std::uint32_t> shortened_step() const { return shortened_step_; }
  /// `exit_status` of the exit message.
  [[nodiscard]] std::string_view exit_status() const { return exit_status_; }

 private:
  /// What a message or its provider's answer says beside its text.
  struct Extra {
    const JsonValue* actions = nullptr;
    const JsonValue* response = nullptr;
    std::string_view interrupt;
    std::string_view exit_status;
    std::optional<std::string_view> submission;
    std::optional<double> cost;
    std::optional<double> time;
    bool present = false;
    bool executed = false;  // tells what came of a command
  };

  Extra read_extra(RecordFields& message);
  /// The text of `content`: a string, or the texts of its parts, a line end between them.
  std::string_view text_of(const JsonValue* content, const RecordFields& message);

  /// These two are false for a message that was set aside.
  bool take_kind(RecordFields& fields, bool last);
  bool take_role(std::string_view role, RecordFields& fields, bool last);
  void set_aside(RecordFields& fields, Fault fault, const std::string& detail);
  void take_answer(RecordFields& fields);
  void take_response_object(RecordFields& fields);
  void take_tool_result(RecordFields& fields, std::string_view action, const JsonValue* content);
  void take_user(RecordFields& fields, bool last);
  void take_system(RecordFields& fields);
  void take_exit(RecordFields& fields);
  void take_rejected_answer(const Extra& extra, RecordFields& fields);

  void read_tool_calls(const JsonValue& calls, RecordPlace place);
  void push_action(const Action& action);
  void add_action(std::string_view id, std::string_view name, const JsonValue* arguments);
  void add_command(std::string_view id, std::string_view command);
  void add_listed_actions(const JsonValue& actions, RecordPlace place);
  void add_fenced_action(std::string_view text);
  void read_output_items(const JsonValue& output, RecordPlace place, std::string& response, std::string& reasoning);
  void read_answer_facts(StepRecord& step, const Extra& extra, RecordFields& fields);
  void read_usage(StepRecord& step, const JsonValue& usage, RecordPlace place);

  void open_step(RecordFields& fields);
  void add_result(std::string_view action, std::string_view text);
  void add_message(Role role, Origin origin, std::string_view text, bool never_sent = false);
  void flush();
  std::string_view message_id();
  std::string_view fence();

  struct PendingMessage {
    MessageRecord record;
    bool never_sent = false;
  };

  EpisodeRecorder& recorder_;
  DiagnosticLog& log_;
  DocumentPlaces& places_;
  std::string_view fence_;
  bool mswea_fence_in_prompt_ = false;

  std::size_t index_ = 0;  // of the current message
  bool task_seen_ = false;
  std::optional<StepRecord> step_;                            // the open step
  std::unordered_map<std::string_view, std::uint32_t> open_;  // its unanswered actions that have an id
  std::uint32_t open_unnamed_ = 0;                            // and those that have none
  bool fenced_ = false;                                       // its action, if any, is read from its text
  std::vector<PendingMessage> after_step_;                    // messages behind the open step

  std::optional<std::uint64_t> last_prompt_;
  std::uint64_t last_reasoning_ = 0;
  std::optional<std::uint32_t> shortened_step_;
  std::string_view exit_status_;
  std::optional<std::string_view> final_text_;
};

}  // namespace memuse::ingest
