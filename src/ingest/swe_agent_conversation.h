#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/episode_recorder.h"
#include "ingest/stated_input.h"
#include "ingest/swe_agent_elision.h"
#include "ingest/swe_agent_messages.h"

namespace memuse::ingest {

/// Turns the steps and the history of one SWE-agent run into steps and messages of an episode. Where steps state their
/// inputs, the inputs are those; otherwise the history is walked, and old observations are elided as its settings say.
class SweConversation {
 public:
  explicit SweConversation(EpisodeRecorder& recorder) : recorder_(recorder) {}

  /// How the run hid old observations; nothing when its settings are not known.
  void elide(std::optional<SweElision> elision) { elision_ = std::move(elision); }

  /// To be called once.
  void take(const std::vector<SweStep>& steps, const std::vector<SweMessage>& history);

  /// True when steps state inputs.
  [[nodiscard]] bool follows_inputs() const { return follows_inputs_; }
  /// True when every call's input is stated in its own step (`query`).
  [[nodiscard]] bool exact() const { return exact_; }
  /// True when the inputs rest on what steps state (`messages`), without a gap.
  [[nodiscard]] bool stated() const { return stated_; }
  /// True when a call has no place in the history, and others follow it.
  [[nodiscard]] bool gap() const { return gap_; }

 private:
  /// What is known of one call.
  struct Call {
    const SweStep* step = nullptr;
    const SweMessage* answer = nullptr;        ///< its answer in an input or the history
    std::vector<const SweMessage*> following;  ///< what answered it there
  };

  void take_stated(const std::vector<SweStep>& steps, const std::vector<SweMessage>& history);
  void take_history(const std::vector<SweStep>& steps, const std::vector<SweMessage>& history);
  std::vector<StatedMessage> wanted(const std::vector<SweMessage>& input, std::string_view prefix);
  void add_call(const Call& call, std::string_view id);
  void add_actions(StepRecord& step, const Call& call);
  void add_message(const SweMessage& message, std::string_view id);
  void add_unsent(std::string_view id, Role role, std::string_view text);
  Origin origin_of(const SweMessage& message);

  EpisodeRecorder& recorder_;
  std::optional<SweElision> elision_;
  bool task_seen_ = false;
  bool follows_inputs_ = false;
  bool exact_ = false;
  bool stated_ = false;
  bool gap_ = false;
};

/// The task in the first message to the agent: between the tags or headings of the usual templates, else all of it.
std::string_view swe_task_in_prompt(std::string_view prompt);

}  // namespace memuse::ingest
