#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ingest/document.h"
#include "ingest/episode_recorder.h"
#include "ingest/json.h"
#include "ingest/record_fields.h"

namespace memuse::ingest {

/// One message of a history, or of an input that is stated in a step.
struct SweMessage {
  Role role = Role::user;
  bool demo = false;  ///< part of a demonstration
  std::size_t index = 0;
  std::string_view text;
  std::string_view agent;
  std::string_view thought;
  std::string_view action;
  std::string_view thinking;
  const JsonValue* tool_calls = nullptr;
  std::string_view tool_call;  ///< id of the call that it answers
  std::vector<std::string_view> tags;
  bool observation = false;  ///< `message_type` says so

  [[nodiscard]] bool is_answer() const { return role == Role::assistant && !demo; }
};

/// One item of `trajectory`.
struct SweStep {
  std::size_t index = 0;
  std::string_view response;
  std::string_view thought;
  std::string_view action;
  std::string_view observation;
  std::optional<std::vector<SweMessage>> query;      ///< the input of this call
  std::optional<std::vector<SweMessage>> processed;  ///< the input of the next call
  bool state_is_object = false;
  bool state_is_text = false;

  /// False for what the tool itself writes down when a run ends without the model: no call stands behind it.
  [[nodiscard]] bool is_call() const;
};

/// Reads messages and steps; what cannot be used is reported and marks the episode as damaged.
class SweMessageReader {
 public:
  SweMessageReader(EpisodeRecorder& recorder, DiagnosticLog& log, DocumentPlaces& places)
      : recorder_(recorder), log_(log), places_(places) {}

  /// `name` is that of the array in diagnostics.
  std::vector<SweMessage> messages(const JsonValue& array, std::string_view name);
  std::vector<SweStep> steps(const JsonValue& array);

 private:
  std::optional<SweMessage> message(const JsonValue& value, std::size_t index, std::string_view name);
  std::string_view text_of(const JsonValue* content, RecordFields& message);
  std::optional<std::vector<SweMessage>> stated(RecordFields& step, std::string_view field);

  EpisodeRecorder& recorder_;
  DiagnosticLog& log_;
  DocumentPlaces& places_;
};

}  // namespace memuse::ingest
