#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/codex_turns.h"
#include "ingest/json.h"

namespace memuse::ingest {

/// Builds the episode of a stream of `codex exec --json`: what the agent did, without the prompt and without what the
/// model was sent.
class CodexExec {
 public:
  explicit CodexExec(DiagnosticLog& log) : log_(log), turns_(recorder_, log) {}

  void take(const JsonValue& record, RecordPlace place);
  void mark_damaged() {}  // the input is not known anyhow
  /// The episode; nothing when no item of an agent was in it.
  std::optional<Episode> finish();

 private:
  void take_item(const JsonValue& item, bool completed, RecordPlace place);
  void take_work(const JsonValue& item, std::string_view type, bool completed, RecordPlace place);
  void add_usage(const JsonValue* usage);

  EpisodeRecorder recorder_;
  Episode& episode_ = recorder_.episode();
  DiagnosticLog& log_;
  CodexTurns turns_;
};

}  // namespace memuse::ingest
