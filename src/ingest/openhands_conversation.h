#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ingest/episode_recorder.h"
#include "ingest/record_fields.h"

namespace memuse::ingest {

/// Builds the conversation of one OpenHands episode from its events: actions of one answer become one step, their
/// observations its results, and a condensation takes events out of the input and puts a summary in. Texts may be
/// short-lived; they are kept.
class OpenHandsConversation {
 public:
  OpenHandsConversation(EpisodeRecorder& recorder, DiagnosticLog& log) : recorder_(recorder), log_(log) {}

  /// What an answer's first action says of it.
  struct Answer {
    std::string_view response;  ///< id of the answer; empty: an answer of its own
    std::string_view text;
    std::string_view reasoning;
    std::string_view time;
    std::string_view model;
  };

  /// An event that puts nothing into the input, but counts where a condensation counts events.
  void add_silent(std::string_view event);
  void add_message(std::string_view event, Role role, Origin origin, std::string_view text);
  /// The step of that answer; a new one unless it is the open one.
  StepRecord& answer(std::string_view event, const Answer& answer);
  /// An action of the open step, done by the event.
  void add_action(std::string_view event, const Action& action);
  /// The result of the call of that id, or of the action that is the event `cause`. With neither, of the first open
  /// action. A result that answers none of the open step's actions becomes a message, with a note.
  void add_result(std::string_view event, std::string_view call, std::string_view cause, std::string_view text,
                  RecordPlace place);

  /// The events for which `forgotten` is true leave the input; the summary stands behind the first `offset` of those
  /// that are left (at the end without one), in place of the summary before it.
  void condense(const std::function<bool(std::string_view event)>& forgotten, std::optional<std::string_view> summary,
                std::optional<std::uint64_t> offset);
  void finish() { flush(); }

  /// The open step, null when there is none.
  [[nodiscard]] StepRecord* open() { return step_ ? &*step_ : nullptr; }
  [[nodiscard]] bool knows(std::string_view response) const { return responses_.contains(std::string(response)); }

 private:
  /// An event that is part of the input.
  struct ViewEvent {
    std::string_view id;
    std::uint32_t group = 0;  ///< of an answer, its actions and results; 0 for none
    bool summary = false;
    std::vector<std::uint32_t> messages;
  };
  struct OpenAction {
    std::string_view event;
    std::string_view call;
    bool answered = false;
  };
  struct WaitingMessage {
    std::size_t view = 0;
    MessageRecord message;
  };

  std::string_view new_id(std::string_view wanted);
  std::size_t add_view(std::string_view event, std::uint32_t group);
  OpenAction* action_for(std::string_view call, std::string_view cause);
  [[nodiscard]] bool may_condense();
  void flush();
  void put_anew(std::size_t first);

  EpisodeRecorder& recorder_;
  DiagnosticLog& log_;
  std::vector<ViewEvent> view_;
  std::optional<StepRecord> step_;
  std::string_view response_;  // id of the open step's answer
  std::vector<OpenAction> actions_;
  std::unordered_map<std::string_view, std::size_t> action_by_call_;
  std::unordered_map<std::string_view, std::size_t> action_by_event_;
  std::size_t first_open_ = 0;             // no action before it waits for its result
  std::size_t open_actions_ = 0;           // that wait for their results
  std::vector<std::size_t> result_views_;  // of the open step's results
  std::size_t step_view_ = 0;              // where the open step's response stands
  std::uint32_t groups_ = 0;
  std::uint64_t condensing_ = 0;        // work that condensations have cost
  std::vector<WaitingMessage> behind_;  // the open step, whose results are not all there
  std::unordered_set<std::string_view> ids_;
  std::unordered_set<std::string> responses_;
};

}  // namespace memuse::ingest
