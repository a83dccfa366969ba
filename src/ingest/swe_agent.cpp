#include "ingest/swe_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "ingest/document.h"
#include "ingest/episode_names.h"
#include "ingest/episode_recorder.h"
#include "ingest/instance_names.h"
#include "ingest/json.h"
#include "ingest/json_document.h"
#include "ingest/record_fields.h"
#include "ingest/swe_agent_conversation.h"
#include "ingest/swe_agent_detection.h"
#include "ingest/swe_agent_messages.h"
#include "model/text.h"

// Reads one trajectory of SWE-agent. The tool rewrites the whole document after every step, so a file is one episode,
// used whole or not at all. Settings and summary are read here; steps and history in SweConversation.

namespace memuse::ingest {
namespace {

/// JSON text inside a document, parsed. The tree lives as long as this; its strings as long as the arena.
class EmbeddedJson {
 public:
  EmbeddedJson(std::string_view text, Arena& arena) : bytes_(text), parser_(std::max<std::size_t>(text.size(), 1)) {
    bytes_.resize(text.size() + JsonParser::kPadding);
    JsonFault fault;
    root_ = parser_.parse(std::string_view(bytes_).substr(0, text.size()), bytes_.size(), arena, fault);
  }
  /// The object, or null when the text is none.
  [[nodiscard]] const JsonValue* root() const { return root_; }

 private:
  std::string bytes_;
  JsonParser parser_;
  const JsonValue* root_ = nullptr;
};

/// What the settings of a run say (`replay_config`).
struct RunSettings {
  bool known = false;
  std::string_view model_name;
  std::string_view problem_id;
  std::optional<SweElision> elision;   ///< present when the inputs can be rebuilt from the history
  std::string_view unknown_processor;  ///< one that changes the history in a way that is not replayed
};

/// What `info` says of a run.
struct SweRunSummary {
  std::string_view exit_status;
  std::string_view submission;
  std::optional<std::uint64_t> api_calls;
  AgentTotals totals;
};

/// Reads one document.
class SweRunReader {
 public:
  SweRunReader(const std::string& path, const ReadOptions& options, DiagnosticLog& log)
      : path_(path), options_(options), log_(log) {}

  /// The episode, or nothing when the document cannot be used; `log` then says why.
  std::optional<Episode> read(const Document& document);

 private:
  bool read_root(const JsonValue& root);
  void read_settings(const JsonValue& config, RecordPlace place);
  void read_processors(const JsonValue& processors);
  void read_info(const JsonValue& info, RecordPlace place);
  void name_episode();
  void keep_main_agent(std::vector<SweMessage>& history);
  void finish(const std::vector<SweStep>& steps, const SweConversation& conversation);
  void grade(const SweConversation& conversation);

  const std::string& path_;
  const ReadOptions& options_;
  DiagnosticLog& log_;
  EpisodeRecorder recorder_;
  Episode& episode_ = recorder_.episode();
  std::optional<DocumentPlaces> places_;
  std::unique_ptr<EmbeddedJson> embedded_settings_;
  RunSettings settings_;
  SweRunSummary summary_;
  std::uint64_t attempts_ = 0;
};

std::optional<Episode> SweRunReader::read(const Document& document) {
  places_.emplace(document);
  JsonParser parser(longest_text(document, options_));
  const JsonValue* root = parse_document(document, parser, episode_.arena, *places_, options_, log_);
  if (root == nullptr || !read_root(*root)) return std::nullopt;
  set_whole_source(episode_.source, path_, swe_agent_adapter().name(), document, options_);
  return recorder_.take();
}

/// The generation that the steps and messages show.
std::string_view generation_of(const std::vector<SweStep>& steps, const std::vector<SweMessage>& history) {
  const auto any = [&](auto&& says) { return std::any_of(steps.begin(), steps.end(), says); };
  if (any([](const SweStep& step) { return step.query.has_value(); })) return kSweAgent11;
  if (any([](const SweStep& step) { return step.processed || step.state_is_object; })) return kSweAgent10;
  if (any([](const SweStep& step) { return step.state_is_text; })) return kSweAgent0;
  return !history.empty() && history.front().agent == "primary" ? kSweAgent0 : kSweAgent10;
}

bool SweRunReader::read_root(const JsonValue& root) {
  episode_.delivery_grade = DeliveryGrade::not_recorded;
  const RecordPlace place = places_->at(0);
  RecordFields fields(root, "run", place, log_);
  const JsonValue* trajectory = fields.array("trajectory");
  const JsonValue* history = fields.array("history");
  if (trajectory == nullptr && history == nullptr) {
    fields.report(Severity::error, Fault::missing_field, "`run.trajectory` or `run.history` (an array)");
    log_.add(Severity::error, Fault::episode_set_aside, place.line, place.byte, "");
    return false;
  }
  if (const JsonValue* config = fields.any("replay_config")) read_settings(*config, place);
  if (const JsonValue* info = fields.object("info")) read_info(*info, place);
  if (const JsonValue* attempts = fields.array("attempts")) attempts_ = attempts->children;
  add_tag(episode_, "environment", or_empty(fields.string("environment")));
  if (attempts_ > 0) add_tag(episode_, "attempts", recorder_.keep(fmt::format("{}", attempts_)));
  fields.count_unknown();
  name_episode();

  SweMessageReader reader(recorder_, log_, *places_);
  std::vector<SweStep> steps;
  std::vector<SweMessage> messages;
  if (trajectory != nullptr) steps = reader.steps(*trajectory);
  if (history != nullptr) messages = reader.messages(*history, "history");
  keep_main_agent(messages);
  episode_.source.format_version = generation_of(steps, messages);
  SweConversation conversation(recorder_);
  conversation.elide(settings_.elision);
  conversation.take(steps, messages);
  finish(steps, conversation);
  return true;
}

/// `replay_config` is an object, or its JSON text.
void SweRunReader::read_settings(const JsonValue& config, RecordPlace place) {
  const JsonValue* root = &config;
  if (const auto text = config.as_string()) {
    embedded_settings_ = std::make_unique<EmbeddedJson>(*text, episode_.arena);
    root = embedded_settings_->root();
  }
  if (root == nullptr || root->kind != JsonKind::object) {
    log_.add(Severity::warning, Fault::wrong_type, place.line, place.byte,
             "`run.replay_config` should be an object, or the JSON text of one");
    return;
  }
  settings_.known = true;
  settings_.elision.emplace();
  // Not counted below here: these are the tool's settings, and every release has its own.
  RecordFields fields(*root, "replay_config", place, log_);
  if (const JsonValue* problem = fields.object("problem_statement")) {
    settings_.problem_id = or_empty(RecordFields(*problem, "problem_statement", place, log_).string_or_number("id"));
  }
  const JsonValue* agent = fields.object("agent");
  if (agent == nullptr) return;
  RecordFields agent_fields(*agent, "agent", place, log_);
  if (const JsonValue* model = agent_fields.object("model")) {
    settings_.model_name = or_empty(RecordFields(*model, "model", place, log_).string("name"));
  }
  if (const JsonValue* processors = agent_fields.array("history_processors")) read_processors(*processors);
}

/// Only what changes texts matters. The tags that one processor sets decide what another hides, so the two together are
/// not replayed.
void SweRunReader::read_processors(const JsonValue& processors) {
  constexpr std::array kHarmless{"default", "cache_control"};
  bool hides = false;
  bool tags = false;
  for (const JsonValue& processor : JsonChildren(processors)) {
    const JsonValue* field = processor.field("type");
    const std::string_view type = field == nullptr ? std::string_view{} : or_empty(field->as_string());
    if (std::find(kHarmless.begin(), kHarmless.end(), type) != kHarmless.end()) continue;
    if (type == "tag_tool_call_observations") {
      tags = true;
    } else if (type == "last_n_observations" && !hides) {
      hides = true;
      settings_.elision.emplace(processor);
    } else {
      settings_.unknown_processor = type.empty() ? "without type" : type;
    }
  }
  if (hides && tags) settings_.unknown_processor = "tag_tool_call_observations";
  if (!settings_.unknown_processor.empty()) settings_.elision.reset();
}

void SweRunReader::read_info(const JsonValue& info, RecordPlace place) {
  RecordFields fields(info, "info", place, log_);
  summary_.exit_status = or_empty(fields.string("exit_status"));
  summary_.submission = or_empty(fields.string("submission"));
  add_tag(episode_, "swe_agent_version", or_empty(fields.string("swe_agent_version")));
  if (const JsonValue* stats = fields.object("model_stats")) {
    RecordFields parts(*stats, "info.model_stats", place, log_);
    const auto positive = [&](std::string_view field) {
      const auto value = parts.whole(field);
      return value && *value > 0 ? value : std::nullopt;
    };
    // Replays and demonstrations by people have 0 everywhere, which is no count of anything.
    summary_.api_calls = summary_.totals.calls = positive("api_calls");
    summary_.totals.usage.input = positive("tokens_sent");
    summary_.totals.usage.output = positive("tokens_received");
    const auto cost = parts.number("instance_cost");
    if (cost && *cost > 0) summary_.totals.cost_usd = cost;
    parts.any("total_cost");  // of a whole batch
    parts.count_unknown();
  }
  for (const std::string_view known : {"edited_files30", "edited_files50", "edited_files70", "summarizer", "review",
                                       "swe_agent_hash", "swe_rex_version", "swe_rex_hash"}) {
    fields.any(known);
  }
  fields.count_unknown();
}

/// As for mini-swe-agent: a trajectory names neither configuration nor run, so the user does, or else the model and the
/// folder of the run stand for them.
void SweRunReader::name_episode() {
  episode_.task_id = settings_.problem_id.empty() ? recorder_.keep(instance_of_path(path_)) : settings_.problem_id;
  episode_.id = episode_.task_id;
  episode_.repo = recorder_.keep(repository_of_instance(episode_.task_id));
  episode_.model = settings_.model_name;
  name_configuration(episode_, options_, model_without_route(settings_.model_name), log_, {1, 0},
                     "no settings that name the model either");
  name_run(episode_, options_, run_folder_of_path(path_, episode_.task_id));
}

/// The history of a sub-agent is another conversation.
void SweRunReader::keep_main_agent(std::vector<SweMessage>& history) {
  if (history.empty()) return;
  const std::string_view main = history.front().agent;
  history.erase(std::remove_if(history.begin(), history.end(),
                               [&](const SweMessage& m) { return !m.agent.empty() && m.agent != main; }),
                history.end());
}

void SweRunReader::finish(const std::vector<SweStep>& steps, const SweConversation& conversation) {
  if (!summary_.exit_status.empty()) episode_.end_reason = summary_.exit_status;
  const bool shown = std::any_of(steps.rbegin(), steps.rend(),
                                 [&](const SweStep& step) { return step.observation == summary_.submission; });
  if (!is_blank(summary_.submission) && !shown) {
    recorder_.tick();
    recorder_.drop_message(
        recorder_.add_message({"info.submission", Role::user, Origin::other, false, summary_.submission}));
  }
  const AgentTotals& totals = summary_.totals;
  if (totals.calls || totals.usage.input || totals.usage.output || totals.cost_usd) episode_.totals = totals;
  if (summary_.api_calls && *summary_.api_calls != episode_.steps.size() && attempts_ == 0) {
    log_.add(Severity::note, Fault::stated_count, 1, 0,
             fmt::format("`api_calls` is {}, the trajectory holds {} answers of the model: a call failed, or was asked "
                         "again without a trace",
                         *summary_.api_calls, episode_.steps.size()));
  }
  grade(conversation);
}

void SweRunReader::grade(const SweConversation& conversation) {
  const bool damaged = episode_.visibility == VisibilityGrade::partial;
  const auto partial = [&](const std::string& why) {
    episode_.visibility = VisibilityGrade::partial;
    log_.add(Severity::note, Fault::shortened_input, 1, 0, why);
  };
  if (conversation.exact()) {
    episode_.visibility = damaged ? VisibilityGrade::partial : VisibilityGrade::exact;
  } else if (conversation.follows_inputs()) {
    if (!conversation.stated()) return partial("some steps state no input");
    episode_.visibility = damaged ? VisibilityGrade::partial : VisibilityGrade::rebuilt;
  } else if (!settings_.known) {
    episode_.visibility = VisibilityGrade::unknown;
  } else if (!settings_.unknown_processor.empty()) {
    partial(fmt::format("the history processor `{}` is not replayed", shortened(settings_.unknown_processor, 60)));
  } else if (conversation.gap()) {
    partial("a step has no place in the history");
  } else {
    episode_.visibility = damaged ? VisibilityGrade::partial : VisibilityGrade::rebuilt;
  }
}

class SweAgentAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "swe-agent"; }
  [[nodiscard]] std::string_view description() const override { return "trajectories of SWE-agent (*.traj)"; }
  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override {
    return detect_swe_agent(head);
  }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    const Document document(std::move(stream), options.max_record_bytes);
    if (auto episode = SweRunReader(path, options, log).read(document)) sink(std::move(*episode));
  }
};

}  // namespace

const Adapter& swe_agent_adapter() {
  static const SweAgentAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
