#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ingest/json.h"
#include "ingest/openhands_conversation.h"

namespace memuse::ingest {

/// Builds an episode from the events of an OpenHands history (`action` and `observation`).
class OpenHandsEvents {
 public:
  OpenHandsEvents(EpisodeRecorder& recorder, DiagnosticLog& log)
      : recorder_(recorder), log_(log), conversation_(recorder, log) {}

  /// The tool cuts what it sends of an observation to that many characters.
  void cut_observations(std::optional<std::uint64_t> most) { most_characters_ = most; }
  /// Tokens and cost by answer (`metrics` of an evaluation); to be told before the events.
  void take_metrics(const JsonValue& metrics);
  /// An event, or several in an array (old files have pairs).
  void take(const JsonValue& event, RecordPlace place);
  void finish();

  /// True when a system prompt was among the events.
  [[nodiscard]] bool has_system() const { return has_system_; }
  /// True when something was said or done.
  [[nodiscard]] bool has_turns() const { return task_seen_ || !recorder_.episode().steps.empty(); }
  /// True when the last thing that the agent did was to say that it is done.
  [[nodiscard]] bool finished() const { return finished_; }

 private:
  struct AnswerCost {
    std::string response;
    Usage usage;
    std::optional<double> cost;
    bool used = false;
  };

  void take_action(std::string_view type, const JsonValue& event, RecordPlace place);
  void take_message(const JsonValue& event, const JsonValue& args);
  void take_agent_action(std::string_view type, const JsonValue& event, const JsonValue& args);
  void take_condensation(const JsonValue& args);
  void take_observation(std::string_view type, const JsonValue& event, RecordPlace place);
  void read_cost(StepRecord& step, std::string_view response, const JsonValue* model_response);
  void settle_costs();

  EpisodeRecorder& recorder_;
  DiagnosticLog& log_;
  OpenHandsConversation conversation_;
  std::optional<std::uint64_t> most_characters_;
  std::vector<AnswerCost> costs_;
  std::map<std::string, std::size_t, std::less<>> cost_by_response_;
  std::vector<std::size_t> steps_without_id_;  // by index
  std::size_t steps_begun_ = 0;
  std::unordered_set<std::string> shown_knowledge_;
  std::string event_;  // id of the event that is being taken
  std::uint64_t events_ = 0;
  bool has_system_ = false;
  bool task_seen_ = false;
  bool finished_ = false;
};

/// Tokens in the usage of a chat completion: `prompt_tokens` includes the cached part.
Usage completion_usage(const JsonValue* usage);

}  // namespace memuse::ingest
