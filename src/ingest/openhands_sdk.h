#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingest/json.h"
#include "ingest/openhands_conversation.h"

namespace memuse::ingest {

/// Builds an episode from the events of the OpenHands SDK (`kind`).
class OpenHandsSdk {
 public:
  OpenHandsSdk(EpisodeRecorder& recorder, DiagnosticLog& log)
      : recorder_(recorder), log_(log), conversation_(recorder, log) {}

  void take(const JsonValue& event, RecordPlace place);
  void finish();

  /// True when the system prompt was among the events.
  [[nodiscard]] bool has_system() const { return has_system_; }
  /// True when something was said or done.
  [[nodiscard]] bool has_turns() const { return task_seen_ || !recorder_.episode().steps.empty(); }

 private:
  void take_system(const JsonValue& event);
  void take_message(const JsonValue& event);
  void take_action(const JsonValue& event);
  void take_result(std::string_view kind, const JsonValue& event, RecordPlace place);
  void take_condensation(const JsonValue& event);
  void take_state(const JsonValue& event);
  std::string text_of(const JsonValue* content);

  EpisodeRecorder& recorder_;
  DiagnosticLog& log_;
  OpenHandsConversation conversation_;
  std::string event_;
  std::uint64_t events_ = 0;
  std::optional<SideCall> condenser_;
  std::string model_;
  bool has_system_ = false;
  bool task_seen_ = false;
};

}  // namespace memuse::ingest
