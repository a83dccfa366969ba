#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/episode.h"

namespace memuse::ingest {

/// A message to be added. Like every view handed to an `EpisodeRecorder`, its texts must live in the episode's arena.
struct MessageRecord {
  std::string_view id;  ///< unique in the episode; empty for a message that nothing refers to
  Role role = Role::user;
  Origin origin = Origin::other;
  bool transient = false;  ///< in the next step's input only
  std::string_view text;
};

/// What came back for an action.
struct ResultRecord {
  std::string_view id;      ///< of the message that it becomes; may be empty
  std::string_view action;  ///< id of the action it answers; empty if not known
  std::string_view text;
};

/// One model call with what followed it.
struct StepRecord {
  std::string_view id;                       ///< of the response as a message; may be empty
  std::optional<std::string_view> response;  ///< nothing (and no id): the response is no message of the conversation
  std::string_view reasoning;
  std::vector<Action> actions;
  std::vector<ResultRecord> results;
  Usage usage;
  std::optional<double> cost_usd;
  std::string_view time;
  std::string_view model;
  bool persist = true;  ///< response and results stay in the inputs of later steps
};

/// Builds an episode from its events in the order in which they happened, with the meaning that the lines of a
/// memuse-trace/1 have: every adapter says what happened, and here alone stands what that makes of visibility,
/// consuming steps and the line clock. Fields of the episode itself (names, grades, outcome) are set through
/// `episode()`.
class EpisodeRecorder {
 public:
  [[nodiscard]] Episode& episode() { return episode_; }
  [[nodiscard]] const Episode& episode() const { return episode_; }
  /// Copies a text into the episode's arena.
  std::string_view keep(std::string_view text) { return episode_.arena.keep(text); }

  /// The step whose input is being built.
  [[nodiscard]] std::uint32_t next_step() const { return episode_.step_count() + 1; }
  /// Index of the message with that id.
  [[nodiscard]] std::optional<std::uint32_t> message_index(std::string_view id) const;
  /// Text of a message as it stands now.
  [[nodiscard]] std::string_view message_text(std::uint32_t index) const;

  /// Starts an event: moves the line clock on. Each function below is one event and belongs to the last `tick`.
  void tick() { ++episode_.lines; }

  /// Adds a message and returns its index. The id must be new.
  std::uint32_t add_message(const MessageRecord& record);
  /// The message leaves the input of the next step and all later ones.
  void drop_message(std::uint32_t index);
  /// The message has another text from the next step on.
  void rewrite_message(std::uint32_t index, std::string_view text);
  /// Adds the next step; deliveries and searches since the last one get it as theirs. Message ids must be new.
  void add_step(StepRecord record);
  /// Order and consuming step are set here.
  void add_delivery(Delivery delivery);
  /// Order and step are set here.
  void add_search(Search search);
  /// Order and `after_step` are set here.
  void add_memory_operation(MemoryOperation operation);
  /// Order is set here.
  void add_side_call(SideCall call);

  /// Something that the model saw was lost: the visible input is no longer known exactly.
  void mark_damaged();
  /// Hands the episode over; the recorder is spent.
  Episode take() { return std::move(episode_); }

 private:
  std::uint32_t insert_message(Message message, std::string_view text);
  std::uint32_t follow_up(std::string_view id, Role role, std::string_view text, bool persist);

  Episode episode_;
  std::unordered_map<std::string_view, std::uint32_t> message_by_id_;
  std::size_t first_pending_delivery_ = 0;  // deliveries from here on wait for their consuming step
  std::size_t first_pending_search_ = 0;
};

}  // namespace memuse::ingest
