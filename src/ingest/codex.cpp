#include "ingest/codex.h"

#include <fmt/format.h>

#include <utility>

#include "ingest/codex_detection.h"
#include "ingest/codex_exec.h"
#include "ingest/codex_rollout.h"
#include "ingest/episode_names.h"
#include "ingest/instance_names.h"
#include "ingest/json_fields.h"
#include "ingest/json_records.h"
#include "model/sha256.h"

// A file is one episode. Which of the two formats it has is told by its first record that can be used.

namespace memuse::ingest {
namespace {

constexpr std::string_view kCodex = "codex";

bool is_exec_record(const JsonValue& record) {
  const std::string_view type = string_in(&record, "type");
  return type.starts_with("thread.") || type.starts_with("turn.") || type.starts_with("item.");
}

/// Fills in what no record says.
void name_episode(Episode& episode, const std::string& path, const ReadOptions& options, DiagnosticLog& log) {
  if (episode.id.empty()) episode.id = episode.arena.keep(instance_of_path(path));
  episode.task_id = episode.id;
  if (episode.group.empty()) episode.group = episode.id;
  episode.delivery_grade = DeliveryGrade::not_recorded;
  name_configuration(episode, options, model_without_route(episode.model), log, {1, 0});
  name_run(episode, options, run_folder_of_path(path, episode.id));
}

/// Reads all records with one of the two builders, the first of which is there already.
template <typename Builder>
void read_records(JsonRecordReader& records, JsonRecord record, std::string_view version, const std::string& path,
                  const ReadOptions& options, const EpisodeSink& sink, DiagnosticLog& log) {
  Builder builder(log);
  Sha256 hash(options.hash_sources);
  SourcePlace source;
  do {
    hash.update(record.text);
    hash.update("\n");
    builder.take(*record.value, record.place);
  } while (records.next(record));
  if (records.lost() > 0) builder.mark_damaged();
  auto episode = builder.finish();
  if (!episode) {
    log.list(Severity::warning, Fault::episode_set_aside, 1, 0, "the file holds no prompt and no answer");
    log.set_all_aside(Fault::episode_set_aside, "the file holds no prompt and no answer");
    return;
  }
  source.byte_end = records.end();  // behind lost lines too: they count for how well the input is known
  source.path = path;
  source.format = kCodex;
  source.format_version = version;
  source.line = 1;
  source.sha256 = hash.finish_hex();
  episode->source = std::move(source);
  name_episode(*episode, path, options, log);
  sink(std::move(*episode));
}

class CodexAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return kCodex; }
  [[nodiscard]] std::string_view description() const override {
    return "rollouts of the OpenAI Codex CLI and streams of `codex exec --json`";
  }
  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override { return detect_codex(head); }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    JsonRecordReader records(std::move(stream), options, log);
    JsonRecord first;
    if (!records.next(first)) return;
    if (is_exec_record(*first.value)) {
      read_records<CodexExec>(records, first, kCodexExec, path, options, sink, log);
    } else {
      read_records<CodexRollout>(records, first, kCodexRollout, path, options, sink, log);
    }
  }
};

}  // namespace

const Adapter& codex_adapter() {
  static const CodexAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
