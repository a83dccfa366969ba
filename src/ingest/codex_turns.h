#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ingest/episode_recorder.h"
#include "ingest/record_fields.h"

namespace memuse::ingest {

/// Puts the parts of answers, which stand in records of their own, together to steps. A part that comes when results
/// (or the tokens of the answer) have been seen begins the next step.
class CodexTurns {
 public:
  CodexTurns(EpisodeRecorder& recorder, DiagnosticLog& log) : recorder_(recorder), log_(log) {}

  /// What the next step gets when its first part comes.
  void set_model(std::string_view model) { model_ = recorder_.keep(model); }

  void add_reasoning(std::string_view text, std::string_view time, RecordPlace place);
  void add_text(std::string_view text, std::string_view id, std::string_view time, RecordPlace place);
  /// `arguments` is JSON text, or any text, which then becomes a JSON string.
  void add_action(std::string_view id, std::string_view name, std::string_view arguments, std::string_view time,
                  RecordPlace place);
  /// A result of an action of the open step becomes its result, any other a message of its own, with a note.
  void add_result(std::string_view action, std::string_view text, RecordPlace place);
  /// A message that is no answer. It stands behind the open step, whose results may still come. Returns a number by
  /// which `index_of` finds it later.
  std::size_t add_message(Role role, Origin origin, std::string_view text, std::string_view id, RecordPlace place);

  /// The open step's answer is complete.
  void end_answer() { ended_ = step_.has_value(); }
  /// The open step, null when there is none.
  [[nodiscard]] StepRecord* open() { return step_ ? &*step_ : nullptr; }
  [[nodiscard]] bool knows_action(std::string_view id) const { return open_actions_.contains(id); }
  /// Writes the open step and the messages behind it.
  void flush();
  /// Index in the episode of a message that has been written.
  [[nodiscard]] std::uint32_t index_of(std::size_t message) const { return index_[message]; }

  /// Everything that is visible now leaves the input, but for the first `kept` messages.
  void drop_from(std::size_t kept);

 private:
  StepRecord& step(std::string_view time, RecordPlace place);
  std::string_view new_id(std::string_view wanted, RecordPlace place);

  EpisodeRecorder& recorder_;
  DiagnosticLog& log_;
  std::string_view model_;
  std::optional<StepRecord> step_;
  std::string response_;
  std::string reasoning_;
  bool spoke_ = false;
  bool ended_ = false;
  std::unordered_map<std::string_view, bool> open_actions_;  // of the open step: answered?
  std::vector<MessageRecord> behind_;                        // the open step
  std::vector<std::uint32_t> index_;                         // of messages, by their numbers
  std::unordered_set<std::string_view> ids_;
  std::vector<std::uint32_t> live_;  // messages that have not been dropped, ascending
  std::size_t taken_ = 0;            // messages of the episode that have been put into live_
};

}  // namespace memuse::ingest
