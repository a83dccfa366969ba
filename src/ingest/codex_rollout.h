#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/codex_turns.h"
#include "ingest/json.h"

namespace memuse::ingest {

/// Builds the episode of a rollout file of Codex from its records.
class CodexRollout {
 public:
  explicit CodexRollout(DiagnosticLog& log) : log_(log), turns_(recorder_, log) {}

  void take(const JsonValue& record, RecordPlace place);
  /// A record was lost: what the model saw is no longer known.
  void mark_damaged() { input_known_ = false; }
  /// The episode; without an id when the file has no `session_meta`. Nothing when it holds no prompt and no answer.
  std::optional<Episode> finish();

 private:
  struct Prompt {
    std::size_t message = 0;
    bool context = false;  // by its beginning: not typed by a person
    bool claimed = false;  // an event says that a person typed it
  };

  void take_meta(const JsonValue& meta, RecordPlace place);
  void take_context(const JsonValue& context);
  void take_item(const JsonValue& item, std::string_view time, RecordPlace place);
  void take_message(const JsonValue& item, std::string_view time, RecordPlace place);
  void take_call(std::string_view type, const JsonValue& item, std::string_view time, RecordPlace place);
  void take_event(const JsonValue& event, RecordPlace place);
  void take_prompt_event(const JsonValue& event);
  void take_tokens(const JsonValue& event, RecordPlace place);
  void take_rollback(const JsonValue& event, RecordPlace place);
  void take_compaction(const JsonValue& compaction, RecordPlace place);
  void report_unknown_input(RecordPlace place, const std::string& why);
  void add_tag(std::string_view key, std::string_view value);
  void settle_prompts();

  EpisodeRecorder recorder_;
  Episode& episode_ = recorder_.episode();
  DiagnosticLog& log_;
  CodexTurns turns_;
  std::vector<Prompt> prompts_;
  std::vector<std::size_t> typed_;  // messages that a person typed, by the numbers of CodexTurns
  bool unanswered_prompt_ = false;  // the last prompt in prompts_ has no answer yet
  bool prompt_follows_ = false;     // an event has told of a prompt whose message is not there yet
  bool saw_prompt_event_ = false;
  bool has_base_ = false;
  bool meta_seen_ = false;
  bool input_known_ = true;
  std::optional<std::uint64_t> total_tokens_;  // at the last count
  AgentTotals stated_;                         // the same, by kind; grows over the session
};

}  // namespace memuse::ingest
