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

/// The actions that an answer without tool calls holds as text: `commands[].keystrokes` of a JSON answer (terminus-2),
/// or `<function=…><parameter=…>` (OpenHands). Their texts are kept by `recorder`.
std::vector<Action> actions_in_text(std::string_view text, EpisodeRecorder& recorder);

/// Turns the steps of ATIF segments, one segment after another, into steps and messages of one episode.
class AtifSteps {
 public:
  explicit AtifSteps(EpisodeRecorder& recorder) : recorder_(recorder) {}

  /// Takes the steps of the next segment, whose faults go to `log`. All that stands before it leaves the visible input.
  void take_segment(const JsonValue& steps, DocumentPlaces& places, DiagnosticLog& log);
  /// Counts the calls of a sub-agent's document as side calls.
  void take_subagent(const JsonValue& document, DiagnosticLog& log);

  /// True when content left the input at a place that only the usual signs show.
  [[nodiscard]] bool inferred_boundary() const { return inferred_boundary_; }

 private:
  void take(const JsonValue& value, DocumentPlaces& places);
  void take_system(RecordFields& fields, std::string_view text, const JsonValue* observation);
  void take_user(std::string_view text, bool copied);
  void take_call(RecordFields& fields, std::string_view text, const JsonValue* observation);
  void read_metrics(StepRecord& step, const JsonValue& metrics, RecordPlace place);
  std::string_view text_of(const JsonValue* content, RecordPlace place);
  void add_results_as_messages(const JsonValue* observation, Role role, RecordPlace place);
  void add_message(Role role, Origin origin, std::string_view text);
  void drop_all();

  EpisodeRecorder& recorder_;
  DiagnosticLog* log_ = nullptr;  // of the document that is being read
  std::size_t segment_ = 0;
  std::size_t steps_in_segment_ = 0;
  bool counts_calls_ = false;  // some step of the segment has metrics or a number of calls
  bool inferred_boundary_ = false;
  bool task_seen_ = false;
  bool system_only_ = true;  // nothing but system steps so far
  std::string_view step_id_;
  std::uint32_t parts_ = 0;        // messages made of the current step
  std::size_t first_visible_ = 0;  // messages from here on are in the input
};

}  // namespace memuse::ingest
