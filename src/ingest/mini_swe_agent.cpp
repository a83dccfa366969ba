#include "ingest/mini_swe_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ingest/document.h"
#include "ingest/episode_names.h"
#include "ingest/episode_recorder.h"
#include "ingest/instance_names.h"
#include "ingest/json.h"
#include "ingest/json_document.h"
#include "ingest/mini_swe_agent_detection.h"
#include "ingest/mini_swe_agent_messages.h"
#include "ingest/mini_swe_agent_text.h"
#include "ingest/record_fields.h"

// Reads one trajectory of mini-swe-agent. The tool rewrites the whole document after every step, so a file is one
// episode, used whole or not at all. What is around the messages is read here; the messages in MiniConversation.

namespace memuse::ingest {
namespace {

constexpr std::size_t kLongestTag = 200;

/// True for the agents of the tool itself, which send every message that they keep. Forks name classes of their own.
bool is_stock_agent(std::string_view agent_type) {
  constexpr std::array kStockClasses{"DefaultAgent", "InteractiveAgent", "TextualAgent", "ProgressTrackingAgent"};
  if (!agent_type.starts_with("minisweagent.")) return false;
  const std::string_view agent = agent_type.substr(agent_type.rfind('.') + 1);
  return std::find(kStockClasses.begin(), kStockClasses.end(), agent) != kStockClasses.end();
}

/// What `info` says of a run.
struct RunSummary {
  std::string_view exit_status;
  std::string_view submission;
  std::string_view model_name;
  std::string_view agent_type;
  std::string_view action_regex;
  std::optional<std::uint64_t> api_calls;
  std::optional<double> cost;
  bool trims = false;  ///< a setting of a fork that sends only part of the messages
};

/// Reads one document.
class RunReader {
 public:
  RunReader(const std::string& path, const ReadOptions& options, DiagnosticLog& log)
      : path_(path), options_(options), log_(log) {}

  /// The episode, or nothing when the document cannot be used; `log` then says why.
  std::optional<Episode> read(const Document& document);

 private:
  bool read_root(const JsonValue& root);
  void read_info(const JsonValue& info, RecordPlace place);
  void read_config(const JsonValue& config, RecordPlace place);
  void read_messages(const JsonValue& messages);
  void name_episode(std::string_view instance_id);
  void grade(const MiniConversation& conversation);

  const std::string& path_;
  const ReadOptions& options_;
  DiagnosticLog& log_;
  EpisodeRecorder recorder_;
  Episode& episode_ = recorder_.episode();
  std::optional<DocumentPlaces> places_;
  RunSummary summary_;
};

std::optional<Episode> RunReader::read(const Document& document) {
  places_.emplace(document);
  JsonParser parser(longest_text(document, options_));
  const JsonValue* root =
      parse_document(document, parser, episode_.arena, *places_, options_, log_, JsonRoot::container);
  if (root == nullptr || !read_root(*root)) return std::nullopt;
  set_whole_source(episode_.source, path_, mini_swe_agent_adapter().name(), document, options_);
  return recorder_.take();
}

bool RunReader::read_root(const JsonValue& root) {
  episode_.delivery_grade = DeliveryGrade::not_recorded;
  if (root.kind == JsonKind::array) {
    episode_.source.format_version = kMiniBare;
    name_episode({});
    read_messages(root);
    return true;
  }
  const RecordPlace place = places_->at(0);
  RecordFields fields(root, "run", place, log_);
  const std::string_view format = or_empty(fields.string("trajectory_format"));
  const auto version = mini_format_version(format);
  if (version) episode_.source.format_version = *version;
  if (!format.empty() && !version) {
    fields.report(Severity::warning, Fault::unknown_schema,
                  fmt::format("`trajectory_format` is \"{}\"; read as mini-swe-agent", shortened(format, 60)));
  }
  const JsonValue* messages = fields.array("messages");
  if (messages == nullptr) {
    fields.report(Severity::error, Fault::missing_field, "`run.messages` (an array)");
    log_.add(Severity::error, Fault::episode_set_aside, place.line, place.byte, "");
    return false;
  }
  if (const JsonValue* info = fields.object("info")) read_info(*info, place);
  name_episode(or_empty(fields.string_or_number("instance_id")));
  fields.count_unknown();
  read_messages(*messages);
  return true;
}

void RunReader::read_info(const JsonValue& info, RecordPlace place) {
  RecordFields fields(info, "info", place, log_);
  summary_.exit_status = or_empty(fields.string("exit_status"));
  summary_.submission = or_empty(fields.string("submission"));
  add_tag(episode_, "mini_version", or_empty(fields.string_or_number("mini_version")));
  if (const JsonValue* stats = fields.object("model_stats")) {
    RecordFields parts(*stats, "info.model_stats", place, log_);
    summary_.api_calls = parts.whole("api_calls");
    summary_.cost = parts.number("instance_cost");
    parts.count_unknown();
  }
  if (const JsonValue* config = fields.object("config")) read_config(*config, place);
  if (const JsonValue* repair = fields.any("patch_repair")) {
    add_tag(episode_, "patch_repair",
            recorder_.keep(shortened(repair->as_string().value_or(to_json(*repair)), kLongestTag)));
  }
  fields.any("traceback");
  fields.any("exception_str");
  fields.count_unknown();
}

void RunReader::read_config(const JsonValue& config, RecordPlace place) {
  RecordFields fields(config, "info.config", place, log_);
  summary_.agent_type = or_empty(fields.string("agent_type"));
  add_tag(episode_, "agent_type", summary_.agent_type);
  // Not counted below here: these are the tool's settings, and every release has its own.
  if (const JsonValue* agent = fields.object("agent")) {
    RecordFields parts(*agent, "info.config.agent", place, log_);
    summary_.action_regex = or_empty(parts.string("action_regex"));
    summary_.trims = parts.any("max_context_tokens") != nullptr;
  }
  if (const JsonValue* model = fields.object("model")) {
    RecordFields parts(*model, "info.config.model", place, log_);
    summary_.model_name = or_empty(parts.string("model_name"));
    if (const auto regex = parts.string("action_regex")) summary_.action_regex = *regex;
  }
  for (const std::string_view known : {"environment", "model_type", "environment_type"}) fields.any(known);
  fields.count_unknown();
}

/// A trajectory names neither configuration nor run: the user does, or else the model and the folder of the run stand
/// for them.
void RunReader::name_episode(std::string_view instance_id) {
  episode_.task_id = instance_id.empty() ? recorder_.keep(instance_of_path(path_)) : instance_id;
  episode_.id = episode_.task_id;
  episode_.repo = recorder_.keep(repository_of_instance(episode_.task_id));
  episode_.model = summary_.model_name;
  name_configuration(episode_, options_, model_without_route(summary_.model_name), log_, {1, 0},
                     "no `model_name` either");
  name_run(episode_, options_, run_folder_of_path(path_, episode_.task_id));
}

void RunReader::read_messages(const JsonValue& messages) {
  const auto fence = fence_word(summary_.action_regex);
  if (!summary_.action_regex.empty() && !fence) {
    log_.add(Severity::warning, Fault::unknown_value, 1, 0,
             fmt::format("`action_regex` \"{}\" has not the usual form; fenced blocks of the usual kind were taken",
                         shortened(summary_.action_regex, 80)));
  }
  MiniConversation conversation(recorder_, log_, *places_, or_empty(fence));
  for (const JsonValue& message : JsonChildren(messages)) conversation.take(message, message.next == nullptr);
  conversation.finish(summary_.submission);

  if (episode_.model.empty() && !episode_.steps.empty()) episode_.model = episode_.steps.front().model;
  const std::string_view reason = summary_.exit_status.empty() ? conversation.exit_status() : summary_.exit_status;
  if (!reason.empty()) episode_.end_reason = reason;
  if (summary_.api_calls || summary_.cost) {
    AgentTotals totals;
    totals.calls = summary_.api_calls;
    // The tool writes 0 for models without a price.
    if (summary_.cost && *summary_.cost > 0) totals.cost_usd = summary_.cost;
    episode_.totals = totals;
  }
  if (summary_.api_calls && *summary_.api_calls != conversation.answers()) {
    log_.add(Severity::note, Fault::stated_count, 1, 0,
             fmt::format("`api_calls` is {}, the messages hold {} answers of the model: a call failed, or its answer "
                         "was not kept",
                         *summary_.api_calls, conversation.answers()));
  }
  grade(conversation);
}

/// The stock agent sends all messages before a call; who else sent them may have sent less.
void RunReader::grade(const MiniConversation& conversation) {
  const bool damaged = episode_.visibility == VisibilityGrade::partial;
  const auto shortened = [&](const std::string& why) {
    episode_.visibility = VisibilityGrade::partial;
    log_.add(Severity::note, Fault::shortened_input, 1, 0, why);
  };
  if (summary_.trims) {
    shortened("the setting `max_context_tokens` cuts what is sent");
  } else if (conversation.shortened_step()) {
    shortened(
        fmt::format("the prompt of step {} has far fewer tokens than the one before", *conversation.shortened_step()));
  } else if (!summary_.agent_type.empty() && !is_stock_agent(summary_.agent_type)) {
    shortened(fmt::format("the agent `{}` is not the tool's own and may have done so",
                          memuse::shortened(summary_.agent_type, 100)));
  } else if (!damaged) {
    episode_.visibility = summary_.agent_type.empty() ? VisibilityGrade::unknown : VisibilityGrade::rebuilt;
  }
}

class MiniSweAgentAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "mini-swe-agent"; }
  [[nodiscard]] std::string_view description() const override {
    return "trajectories of mini-swe-agent v1 and v2 (*.traj.json)";
  }
  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override {
    return detect_mini_swe_agent(head);
  }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    const Document document(std::move(stream), options.max_record_bytes);
    if (is_mini_condenser_log(document.text().substr(0, kDetectionBytes))) {
      log.add(Severity::warning, Fault::side_log, 1, 0,
              "inputs of the condenser of a mini-swe-agent fork; the run is in its *.traj.json");
      return;
    }
    if (auto episode = RunReader(path, options, log).read(document)) sink(std::move(*episode));
  }
};

}  // namespace

const Adapter& mini_swe_agent_adapter() {
  static const MiniSweAgentAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
