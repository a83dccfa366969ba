#include "ingest/openhands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ingest/document.h"
#include "ingest/episode_names.h"
#include "ingest/episode_recorder.h"
#include "ingest/instance_names.h"
#include "ingest/json_document.h"
#include "ingest/json_fields.h"
#include "ingest/json_records.h"
#include "ingest/openhands_detection.h"
#include "ingest/openhands_events.h"
#include "ingest/openhands_sdk.h"
#include "ingest/peeked_stream.h"
#include "ingest/record_fields.h"
#include "ingest/stated_totals.h"
#include "model/sha256.h"
#include "model/text.h"

// A line of an evaluation is an episode, and so is an array of events, a file of SDK events, or a conversation folder
// of the SDK. What around the events is read here.

namespace memuse::ingest {
namespace {

/// What every reading is given.
struct OpenHandsInput {
  const std::string& path;
  const ReadOptions& options;
  const EpisodeSink& sink;
  DiagnosticLog& log;
};

/// Fills in what no record says, as for mini-swe-agent.
void name_openhands_episode(Episode& episode, const OpenHandsInput& input) {
  if (episode.id.empty()) episode.id = episode.arena.keep(instance_of_path(input.path));
  episode.task_id = episode.id;
  episode.delivery_grade = DeliveryGrade::not_recorded;
  if (episode.model.empty() && !episode.steps.empty()) episode.model = episode.steps.front().model;
  name_configuration(episode, input.options, model_without_route(episode.model), input.log, {1, 0});
  name_run(episode, input.options, run_folder_of_path(input.path, episode.id));
}

void note_partial(Episode& episode, DiagnosticLog& log, RecordPlace place, const std::string& why) {
  episode.visibility = VisibilityGrade::partial;
  log.add(Severity::note, Fault::shortened_input, place.line, place.byte, why);
}

/// Rebuilt where the system prompt is there and nothing says that less was sent.
void grade_openhands(Episode& episode, bool has_system, DiagnosticLog& log, RecordPlace place) {
  if (episode.visibility == VisibilityGrade::partial) return;
  episode.visibility = VisibilityGrade::rebuilt;
  if (!has_system) note_partial(episode, log, place, "the system prompt is not among the events");
}

/// One line of an evaluation or of the resolver.
class OpenHandsLine {
 public:
  OpenHandsLine(const OpenHandsInput& input, RecordPlace place)
      : input_(input), place_(place), events_(recorder_, input.log) {}

  std::optional<Episode> read(const JsonValue& root);

 private:
  void read_metadata(const JsonValue& metadata);
  void read_result(const JsonValue* result);
  void read_issue(const JsonValue& issue);
  void read_end(std::string_view error);

  const OpenHandsInput& input_;
  RecordPlace place_;
  EpisodeRecorder recorder_;
  Episode& episode_ = recorder_.episode();
  OpenHandsEvents events_;
  std::string_view patch_;
  std::string condenser_;  // that sends less without an event of it
};

std::optional<Episode> OpenHandsLine::read(const JsonValue& root) {
  input_.log.in_parts();
  RecordFields fields(root, "episode", place_, input_.log);
  episode_.id = recorder_.keep(or_empty(fields.string_or_number("instance_id")));
  if (const JsonValue* issue = fields.object("issue")) read_issue(*issue);
  const std::string error(or_empty(fields.string("error")));
  const JsonValue* history = fields.array("history");
  if (history == nullptr) {
    input_.log.add(Severity::warning, Fault::episode_set_aside, place_.line, place_.byte,
                   fmt::format("`{}` has no history{}{}", shortened(episode_.id, 80), error.empty() ? "" : ": ",
                               shortened(error, 120)));
    return std::nullopt;
  }
  if (const JsonValue* metadata = fields.object("metadata")) read_metadata(*metadata);
  read_result(fields.object("test_result"));
  if (const auto patch = fields.string("git_patch")) patch_ = recorder_.keep(*patch);
  const JsonValue* metrics = fields.object("metrics");
  if (metrics != nullptr) events_.take_metrics(*metrics);
  if (const JsonValue* instance = fields.object("instance")) {
    episode_.repo = recorder_.keep(string_in(instance, "repo"));
  }
  if (episode_.repo.empty()) episode_.repo = recorder_.keep(repository_of_instance(episode_.id));
  // The resolver's `success` is the guess of a model.
  for (const std::string_view known :
       {"instruction", "issue_type", "base_commit", "success", "comment_success", "result_explanation"}) {
    fields.any(known);
  }
  fields.count_unknown();
  for (const JsonValue& event : JsonChildren(*history)) events_.take(event, place_);
  events_.finish();
  const auto cost = number_in(metrics, "accumulated_cost");
  if (cost && *cost > 0) {
    episode_.totals.emplace();
    episode_.totals->cost_usd = cost;
  }
  AgentTotals stated;  // the cost is compared where all totals are
  stated.usage = completion_usage(object_in(metrics, "accumulated_token_usage"));
  reconcile_totals(episode_, stated, place_, input_.log);
  read_end(error);
  grade_openhands(episode_, events_.has_system(), input_.log, place_);
  if (!condenser_.empty()) {
    note_partial(episode_, input_.log, place_,
                 fmt::format("the condenser `{}` tells of nothing that it hides", condenser_));
  }
  return recorder_.take();
}

void OpenHandsLine::read_metadata(const JsonValue& metadata) {
  constexpr std::array<std::string_view, 3> kHiding{"recent", "observation_masking", "browser_output_masking"};
  const JsonValue* model = object_in(&metadata, "llm_config");
  episode_.model = recorder_.keep(string_in(model, "model"));
  events_.cut_observations(whole_in(model, "max_message_chars"));
  const std::string_view condenser = string_in(object_in(&metadata, "condenser_config"), "type");
  if (is_one_of(condenser, kHiding)) condenser_ = condenser;
  add_tag(episode_, "agent_class", recorder_.keep(string_in(&metadata, "agent_class")));
  add_tag(episode_, "dataset", recorder_.keep(shortened(string_in(&metadata, "dataset"), 200)));
}

void OpenHandsLine::read_result(const JsonValue* result) {
  if (result == nullptr) return;
  patch_ = recorder_.keep(string_in(result, "git_patch"));
  const JsonValue* report = object_in(result, "report");
  const JsonValue* resolved = report == nullptr ? nullptr : report->field("resolved");
  if (resolved == nullptr || !resolved->as_bool()) return;
  Outcome outcome;
  outcome.resolved = resolved->as_bool();
  outcome.source = "OpenHands report";
  episode_.outcome = outcome;
}

void OpenHandsLine::read_issue(const JsonValue& issue) {
  const std::string_view owner = string_in(&issue, "owner");
  const std::string_view repo = string_in(&issue, "repo");
  const JsonValue* number = issue.field("number");
  episode_.repo = recorder_.keep(fmt::format("{}/{}", owner, repo));
  if (!episode_.id.empty()) return;
  episode_.id = recorder_.keep(fmt::format("{}#{}", episode_.repo, number == nullptr ? "" : number->text));
}

/// A line is written when its run is over; the patch is what was left of it, and no input shows it.
void OpenHandsLine::read_end(std::string_view error) {
  if (!error.empty()) {
    episode_.end_reason = recorder_.keep(shortened(error, 200));
  } else {
    episode_.end_reason = events_.finished() ? std::string_view("finish") : std::string_view("ended");
  }
  if (is_blank(patch_)) return;
  recorder_.tick();
  recorder_.drop_message(recorder_.add_message({"git_patch", Role::user, Origin::other, false, patch_}));
}

void set_source(Episode& episode, const OpenHandsInput& input, std::string_view version, RecordPlace place,
                std::uint64_t end, std::string sha256) {
  SourcePlace& source = episode.source;
  source.path = input.path;
  source.format = openhands_adapter().name();
  source.format_version = version;
  source.line = place.line;
  source.byte_begin = place.byte;
  source.byte_end = end;
  source.sha256 = std::move(sha256);
}

void read_line(const OpenHandsInput& input, const JsonRecord& record) {
  auto episode = OpenHandsLine(input, record.place).read(*record.value);
  if (!episode) return;
  const bool resolver = record.value->field("issue") != nullptr;
  set_source(*episode, input, resolver ? kOpenHandsResolver : kOpenHandsOutput, record.place,
             record.place.byte + record.text.size(), sha256_hex(record.text));
  name_openhands_episode(*episode, input);
  input.sink(std::move(*episode));
}

/// There is no episode in what was read.
void set_aside_whole(const OpenHandsInput& input, const std::string& why) {
  input.log.list(Severity::warning, Fault::episode_set_aside, 0, 0, why);
  input.log.set_all_aside(Fault::episode_set_aside, why);
}

/// Records of the SDK's events, which are one episode.
void read_sdk_records(const OpenHandsInput& input, JsonRecordReader& records, JsonRecord record) {
  EpisodeRecorder recorder;
  OpenHandsSdk sdk(recorder, input.log);
  Sha256 hash(input.options.hash_sources);
  do {
    hash.update(record.text);
    hash.update("\n");
    sdk.take(*record.value, record.place);
  } while (records.next(record));
  sdk.finish();
  if (!sdk.has_turns()) {
    return set_aside_whole(input, "the file holds no prompt and no answer");
  }
  if (records.lost() > 0) recorder.mark_damaged();
  grade_openhands(recorder.episode(), sdk.has_system(), input.log, {1, 0});
  Episode episode = recorder.take();
  set_source(episode, input, kOpenHandsSdk, {1, 0}, records.end(), hash.finish_hex());
  name_openhands_episode(episode, input);
  input.sink(std::move(episode));
}

void read_event_array(const OpenHandsInput& input, std::unique_ptr<ByteStream> stream) {
  const Document document(std::move(stream), input.options.max_record_bytes);
  DocumentPlaces places(document);
  Arena arena;
  JsonParser parser(longest_text(document, input.options));
  const JsonValue* root =
      parse_document(document, parser, arena, places, input.options, input.log, JsonRoot::container);
  if (root == nullptr) return;
  EpisodeRecorder recorder;
  OpenHandsEvents events(recorder, input.log);
  for (const JsonValue& event : JsonChildren(*root)) events.take(event, places.at(event.byte));
  events.finish();
  if (!events.has_turns()) {
    return input.log.add(Severity::warning, Fault::episode_set_aside, 1, 0, "the file holds no prompt and no answer");
  }
  if (events.finished()) recorder.episode().end_reason = "finish";
  grade_openhands(recorder.episode(), events.has_system(), input.log, {1, 0});
  Episode episode = recorder.take();
  set_source(episode, input, kOpenHandsEvents, {1, 0}, document.size(),
             input.options.hash_sources ? document.sha256() : std::string{});
  name_openhands_episode(episode, input);
  input.sink(std::move(episode));
}

/// The files of a conversation folder's events, in order. Links are not followed.
std::vector<std::filesystem::path> event_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder / "events", failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    std::error_code unknown;
    const bool regular = entry->symlink_status(unknown).type() == std::filesystem::file_type::regular;
    if (regular && name.starts_with("event-") && name.ends_with(".json")) files.push_back(entry->path());
  }
  if (failure) throw ReadFault{failure.message()};
  std::sort(files.begin(), files.end());
  return files;
}

/// Reads a small file of a conversation folder; null, with its fault in the log, when it cannot be used.
class FolderFile {
 public:
  FolderFile(const std::filesystem::path& file, const OpenHandsInput& input)
      : document_(open_file(file.string()), input.options.max_record_bytes) {
    DiagnosticLog own = input.log.for_file(file.string());
    own.begin_document(1, 0, document_.too_long() ? std::nullopt : std::optional<std::uint64_t>(document_.size()));
    JsonFault fault;
    if (document_.too_long()) {
      own.add(Severity::error, Fault::line_too_long, 0, 0,
              fmt::format("more than {} bytes", input.options.max_record_bytes));
    } else {
      root_ = parser_.parse(document_.text(), document_.readable(), arena_, fault);
      if (root_ == nullptr) own.add(Severity::error, fault.fault, 1, fault.byte, fault.detail);
    }
    input.log.absorb(std::move(own));
  }

  [[nodiscard]] const JsonValue* root() const { return root_; }
  [[nodiscard]] const Document& document() const { return document_; }

 private:
  Document document_;
  Arena arena_;
  JsonParser parser_;
  const JsonValue* root_ = nullptr;
};

void read_conversation_folder(const OpenHandsInput& input) {
  EpisodeRecorder recorder;
  OpenHandsSdk sdk(recorder, input.log);
  Episode& episode = recorder.episode();
  Sha256 hash(input.options.hash_sources);
  std::uint64_t size = 0;
  const std::filesystem::path folder(input.path);
  const FolderFile state(folder / "base_state.json", input);
  hash.update(state.document().text());
  if (state.root() != nullptr) {
    episode.id = recorder.keep(string_in(state.root(), "id"));
    episode.model = recorder.keep(string_in(object_in(object_in(state.root(), "agent"), "llm"), "model"));
  }
  std::uint64_t number = 0;
  for (const std::filesystem::path& path : event_files(folder)) {
    const FolderFile file(path, input);
    hash.update(file.document().text());
    size += file.document().size();
    ++number;
    file.root() == nullptr ? recorder.mark_damaged() : sdk.take(*file.root(), {number, 0});
  }
  sdk.finish();
  if (!sdk.has_turns()) {
    return set_aside_whole(input, "the folder holds no prompt and no answer");
  }
  grade_openhands(episode, sdk.has_system(), input.log, {0, 0});
  Episode finished = recorder.take();
  set_source(finished, input, kOpenHandsSdk, {1, 0}, size, hash.finish_hex());
  name_openhands_episode(finished, input);
  input.sink(std::move(finished));
}

bool is_conversation_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  const auto type = [&](const std::filesystem::path& path) {
    return std::filesystem::symlink_status(path, failure).type();
  };
  return type(folder / "base_state.json") == std::filesystem::file_type::regular &&
         type(folder / "events") == std::filesystem::file_type::directory;
}

class OpenHandsAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "openhands"; }
  [[nodiscard]] std::string_view description() const override {
    return "OpenHands: output.jsonl, exported events, events of its SDK";
  }
  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override {
    return detect_openhands(head);
  }
  [[nodiscard]] std::optional<std::string> claims(const std::filesystem::path& folder) const override {
    return is_conversation_folder(folder) ? std::optional(std::string(kOpenHandsSdk)) : std::nullopt;
  }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    const OpenHandsInput input{path, options, sink, log};
    auto peeked = std::make_unique<PeekedStream>(std::move(stream));
    const std::size_t start = peeked->head().find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (start != std::string_view::npos && peeked->head()[start] == '[') {
      return read_event_array(input, std::move(peeked));
    }
    JsonRecordReader records(std::move(peeked), options, log);
    JsonRecord record;
    if (!records.next(record)) return;
    if (record.value->field("kind") != nullptr) return read_sdk_records(input, records, record);
    do {
      read_line(input, record);
    } while (records.next(record));
  }

  void read_folder(const std::string& path, const ReadOptions& options, const EpisodeSink& sink,
                   DiagnosticLog& log) const override {
    read_conversation_folder({path, options, sink, log});
  }

  void read_again(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                  DiagnosticLog& log) const override {
    std::error_code failure;
    if (!std::filesystem::is_directory(place.path, failure)) return Adapter::read_again(place, options, sink, log);
    read_conversation_folder({place.path, options, sink, log});
  }
};

}  // namespace

const Adapter& openhands_adapter() {
  static const OpenHandsAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
