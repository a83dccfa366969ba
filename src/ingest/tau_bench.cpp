#include "ingest/tau_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "ingest/chat_parts.h"
#include "ingest/document.h"
#include "ingest/episode_recorder.h"
#include "ingest/instance_names.h"
#include "ingest/json.h"
#include "ingest/json_document.h"
#include "ingest/json_head.h"
#include "ingest/record_fields.h"
#include "model/text.h"

// Each run of a task is an episode with a byte range of its own. The agent sees the messages and never `info.task`,
// which holds the instruction of the simulated user and the solution.

namespace memuse::ingest {
namespace {

constexpr std::string_view kApiOutput = "API output: ";
constexpr std::string_view kRespond = "respond";

/// The domain that a file's name says: nothing in the file does.
std::string_view domain_in_name(std::string_view name) {
  for (const std::string_view domain : {"airline", "retail", "telecom"}) {
    for (std::size_t at = name.find(domain); at != std::string_view::npos; at = name.find(domain, at + 1)) {
      const std::size_t end = at + domain.size();
      const auto is_border = [](char c) { return c == '-' || c == '_' || c == '.'; };
      if ((at == 0 || is_border(name[at - 1])) && (end == name.size() || is_border(name[end]))) return domain;
    }
  }
  return {};
}

/// Where the bytes of a run lie.
struct RunBytes {
  std::string_view text;
  std::size_t readable = 0;  ///< bytes that may be read from the start of `text`
  RecordPlace place;         ///< in the file
};

/// Reads one run of one task.
class TaskRunReader {
 public:
  TaskRunReader(const std::string& path, const ReadOptions& options, DiagnosticLog& log, RecordPlace place)
      : path_(path), options_(options), log_(log), place_(place) {}

  /// The episode, or nothing when it cannot be used; the log then says why.
  std::optional<Episode> read(const RunBytes& bytes, JsonParser& parser);

 private:
  bool read_run(const JsonValue& root);
  void read_info(const JsonValue& info);
  void read_reference(const JsonValue& task);
  void name_episode(std::string_view task_id, std::optional<std::uint64_t> trial);
  void read_outcome(std::optional<double> reward);
  void take(const JsonValue& message, std::size_t index);
  void take_answer(RecordFields& fields);
  void add_reply(std::string_view text);
  void take_result(std::string_view action, std::string_view text);
  void take_message(Role role, Origin origin, std::string_view text);
  void flush();
  std::string_view text_of(const JsonValue* content, RecordFields& fields);

  const std::string& path_;
  const ReadOptions& options_;
  DiagnosticLog& log_;
  RecordPlace place_;
  EpisodeRecorder recorder_;
  Episode& episode_ = recorder_.episode();
  std::string_view message_id_;
  bool task_seen_ = false;
  std::optional<StepRecord> step_;  // waits for its results
};

std::optional<Episode> TaskRunReader::read(const RunBytes& bytes, JsonParser& parser) {
  JsonFault fault;
  log_.begin_document(place_.line, place_.byte, place_.byte + bytes.text.size());
  const JsonValue* root = parser.parse(bytes.text, bytes.readable, episode_.arena, fault);
  if (root == nullptr) {
    log_.add(Severity::error, fault.fault, place_.line, place_.byte + fault.byte,
             fmt::format("{}{}the run was set aside", fault.detail, fault.detail.empty() ? "" : "; "));
    return std::nullopt;
  }
  log_.in_parts();
  report_repairs(parser, {place_.line, place_.byte}, log_);
  if (!read_run(*root)) return std::nullopt;
  SourcePlace& source = episode_.source;
  source.path = path_;
  source.format = tau_bench_adapter().name();
  source.format_version = "1";
  source.line = place_.line;
  source.byte_begin = place_.byte;
  source.byte_end = place_.byte + bytes.text.size();
  source.sha256 = sha256_hex(bytes.text);
  return recorder_.take();
}

bool TaskRunReader::read_run(const JsonValue& root) {
  RecordFields fields(root, "run", place_, log_);
  const auto task_id = fields.string_or_number("task_id");
  const JsonValue* messages = fields.array("traj");
  if (!task_id || messages == nullptr) {
    fields.report(Severity::error, Fault::missing_field,
                  !task_id ? "`run.task_id` (a number or a string)" : "`run.traj` (an array)");
    log_.add(Severity::error, Fault::episode_set_aside, place_.line, place_.byte, "");
    return false;
  }
  episode_.delivery_grade = DeliveryGrade::not_recorded;
  episode_.visibility = VisibilityGrade::rebuilt;
  name_episode(*task_id, fields.whole("trial"));
  read_outcome(fields.number("reward"));
  if (const JsonValue* info = fields.object("info")) read_info(*info);
  fields.count_unknown();
  std::size_t index = 0;
  for (const JsonValue& message : JsonChildren(*messages)) take(message, index++);
  flush();
  return true;
}

/// Model and domain stand in the file's name only, so that name is the configuration. A trial is one pass over the
/// tasks, which is what a run is.
void TaskRunReader::name_episode(std::string_view task_id, std::optional<std::uint64_t> trial) {
  const std::string file = instance_of_path(path_);
  const std::string trial_name = trial ? fmt::format("trial-{}", *trial) : std::string();
  episode_.task_id = task_id;
  episode_.id = recorder_.keep(fmt::format("{}.task-{}{}{}", file, task_id, trial ? "." : "", trial_name));
  episode_.domain = recorder_.keep(domain_in_name(file));
  episode_.configuration = recorder_.keep(options_.configuration.empty() ? file : options_.configuration);
  std::string run = options_.run;
  if (!trial_name.empty()) {
    run += run.empty() ? trial_name : "-" + trial_name;
  } else if (run.empty()) {
    run = run_folder_of_path(path_, file);
  }
  episode_.run = recorder_.keep(run.empty() ? std::string("r1") : run);
}

void TaskRunReader::read_outcome(std::optional<double> reward) {
  if (!reward) return;
  Outcome outcome;
  outcome.reward = reward;
  constexpr double kTolerance = 1e-6;  // as the benchmark itself counts successes
  if (*reward >= 1 - kTolerance && *reward <= 1 + kTolerance) outcome.resolved = true;
  if (*reward >= -kTolerance && *reward <= kTolerance) outcome.resolved = false;
  outcome.source = "tau-bench reward";
  episode_.outcome = outcome;
}

void TaskRunReader::read_info(const JsonValue& info) {
  RecordFields fields(info, "info", place_, log_);
  if (fields.any("error") != nullptr) episode_.end_reason = "error";
  if (const JsonValue* task = fields.object("task")) read_reference(*task);
  if (const auto cost = fields.number("user_cost"); cost && *cost > 0) {
    SideCall call;
    call.purpose = "simulated user";
    call.cost_usd = cost;
    recorder_.tick();
    recorder_.add_side_call(call);
  }
  for (const std::string_view known : {"source", "reward_info", "traceback"}) fields.any(known);
  fields.count_unknown();
}

/// The solution: the actions and outputs that the reward compares with.
void TaskRunReader::read_reference(const JsonValue& task) {
  std::string text;
  for (const std::string_view part : {"actions", "outputs"}) {
    const JsonValue* value = task.field(part);
    if (value == nullptr || value->kind != JsonKind::array || value->children == 0) continue;
    if (!text.empty()) text += '\n';
    text += fmt::format("{}: {}", part, to_json(*value));
  }
  if (!text.empty()) episode_.reference = Reference{"expected actions and outputs", recorder_.keep(text)};
}

std::string_view TaskRunReader::text_of(const JsonValue* content, RecordFields& fields) {
  if (content == nullptr) return {};
  if (const auto text = content->as_string()) return *text;
  fields.report(Severity::warning, Fault::wrong_type, "`traj.content` should be a string");
  recorder_.mark_damaged();
  return {};
}

void TaskRunReader::take(const JsonValue& message, std::size_t index) {
  RecordFields fields(message, "traj", place_, log_);
  message_id_ = recorder_.keep(fmt::format("m{}", index));
  const auto role = message.kind == JsonKind::object ? fields.string("role") : std::nullopt;
  if (role == "assistant") {
    take_answer(fields);
  } else if (role == "tool") {
    fields.any("name");
    take_result(or_empty(fields.string("tool_call_id")), text_of(fields.any("content"), fields));
  } else if (role == "user") {
    const std::string_view text = text_of(fields.any("content"), fields);
    if (step_ && text.starts_with(kApiOutput)) {
      take_result({}, text);
    } else {
      take_message(Role::user, task_seen_ ? Origin::user : Origin::task, text);
      if (!task_seen_) episode_.task_text = text;
      task_seen_ = true;
    }
  } else if (role == "system") {
    take_message(Role::system, Origin::system, text_of(fields.any("content"), fields));
  } else {
    fields.report(Severity::error, Fault::unknown_value,
                  fmt::format("traj[{}] has no known `role`; the message was set aside", index));
    recorder_.mark_damaged();
    return;
  }
  for (const std::string_view known : {"tool_calls", "tool_call_id", "name", "function_call", "refusal", "audio",
                                       "annotations", "reasoning_content", "provider_specific_fields"}) {
    fields.any(known);
  }
  fields.count_unknown();
}

void TaskRunReader::take_answer(RecordFields& fields) {
  flush();
  StepRecord& step = step_.emplace();
  step.id = message_id_;
  step.response = text_of(fields.any("content"), fields);
  step.reasoning = or_empty(fields.string("reasoning_content"));
  for (const JsonValue* call : fields.objects("tool_calls")) {
    step.actions.push_back(tool_call_action(*call, recorder_.episode().arena));
  }
  if (step.actions.empty() && !is_blank(*step.response)) add_reply(*step.response);
}

/// An answer without a tool call is said to the user, unless a text strategy wrote its call as text behind `Action:`.
void TaskRunReader::add_reply(std::string_view text) {
  constexpr std::string_view kAction = "Action:";
  constexpr std::ptrdiff_t kMaxBraces = 1000;  // a parser that recurses must not be given more
  const std::size_t at = text.rfind(kAction);
  if (at != std::string_view::npos) {
    const std::string_view written = text.substr(at + kAction.size());
    const bool nested =
        std::count_if(written.begin(), written.end(), [](char c) { return c == '{' || c == '['; }) > kMaxBraces;
    const auto value = nested ? nlohmann::json() : nlohmann::json::parse(written, nullptr, false);
    if (value.is_object() && value.contains("name") && value["name"].is_string()) {
      const auto arguments = value.find("arguments");
      step_->actions.push_back({{},
                                recorder_.keep(value["name"].get<std::string>()),
                                recorder_.keep(arguments == value.end() ? "null" : arguments->dump())});
      return;
    }
  }
  const nlohmann::json arguments{{"content", std::string(text)}};
  step_->actions.push_back(
      {{}, kRespond, recorder_.keep(arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))});
}

void TaskRunReader::take_result(std::string_view action, std::string_view text) {
  const auto answers = [&] {
    return std::any_of(step_->actions.begin(), step_->actions.end(), [&](const Action& a) { return a.id == action; });
  };
  if (!step_ || !answers()) {
    log_.add(Severity::note, Fault::unmatched_result, place_.line, place_.byte,
             fmt::format("message {} answers no call before it", message_id_));
    return take_message(Role::tool, Origin::other, text);
  }
  step_->results.push_back({message_id_, action, text});
}

void TaskRunReader::take_message(Role role, Origin origin, std::string_view text) {
  flush();
  recorder_.tick();
  recorder_.add_message({message_id_, role, origin, false, text});
}

void TaskRunReader::flush() {
  if (!step_) return;
  recorder_.tick();
  recorder_.add_step(std::move(*step_));
  step_.reset();
}

/// Reads a file of runs, or the bytes of one.
class RunsReader {
 public:
  RunsReader(const std::string& path, const ReadOptions& options, const EpisodeSink& sink, DiagnosticLog& log)
      : path_(path), options_(options), sink_(sink), log_(log) {}

  void read(const Document& document) {
    if (is_too_long(document, options_, log_)) return;
    places_.emplace(document);
    const std::size_t first = document.text().find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return;
    document.text()[first] == '[' ? read_array(document) : read_objects(document);
  }

 private:
  void read_array(const Document& document) {
    Arena arena;
    JsonParser whole(std::max(options_.max_record_bytes, document.text().size()));
    JsonFault fault;
    const JsonValue* root = whole.parse(document.text(), document.readable(), arena, fault, JsonRoot::container);
    if (root == nullptr) return report_unparsed(fault, *places_, log_);
    for (const JsonValue& run : JsonChildren(*root)) {
      if (run.kind != JsonKind::object) {
        const RecordPlace place = places_->at(run.byte);
        log_.begin_document(place.line, place.byte, place.byte + run.text.size());
        log_.add(Severity::error, Fault::not_an_object, place.line, place.byte, "a run of a task was expected");
        continue;
      }
      read_run(document, run.byte, run.text.size());
    }
  }

  /// One object over several lines, or one on each line.
  void read_objects(const Document& document) {
    const std::string_view text = document.text();
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    const std::size_t line_end = std::min(text.find('\n', first), text.size());
    Arena arena;
    JsonFault fault;
    JsonParser parser(std::max(options_.max_record_bytes, text.size()));
    const bool by_line = line_end < last && parser.parse(text.substr(first, line_end - first),
                                                         document.readable() - first, arena, fault) != nullptr;
    if (!by_line) return read_run(document, first, last + 1 - first);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      const std::size_t from = line.find_first_not_of(" \t\r");
      if (from != std::string_view::npos) {
        read_run(document, begin + from, line.find_last_not_of(" \t\r") + 1 - from);
      }
      begin = end + 1;
    }
  }

  void read_run(const Document& document, std::size_t begin, std::size_t size) {
    const RunBytes bytes{document.text().substr(begin, size), document.readable() - begin, places_->at(begin)};
    if (auto episode = TaskRunReader(path_, options_, log_, bytes.place).read(bytes, parser_))
      sink_(std::move(*episode));
  }

  const std::string& path_;
  const ReadOptions& options_;
  const EpisodeSink& sink_;
  DiagnosticLog& log_;
  std::optional<DocumentPlaces> places_;
  JsonParser parser_{options_.max_record_bytes};
};

class TauBenchAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "tau-bench"; }
  [[nodiscard]] std::string_view description() const override { return "task runs of tau-bench with their rewards"; }

  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override {
    bool task = false;
    bool reward = false;
    bool messages = false;
    scan_json_head(head, [&](std::string_view path, std::optional<std::string_view> text) {
      if (text) return true;
      if (path.starts_with("#/")) path.remove_prefix(2);
      task = task || path == "task_id";
      reward = reward || path == "reward";
      messages = messages || path == "traj" || path == "info/reward_info";
      return !(task && reward && messages);
    });
    if (!task || !reward || !messages) return std::nullopt;
    return "1";
  }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    const Document document(std::move(stream), options.max_record_bytes);
    RunsReader(path, options, sink, log).read(document);
  }

  void read_again(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                  DiagnosticLog& log) const override {
    const EpisodeSink at_place = [&](Episode&& episode) {
      const std::uint64_t bytes = episode.source.byte_end - episode.source.byte_begin;
      episode.source.line = place.line;
      episode.source.byte_begin = place.byte_begin;
      episode.source.byte_end = place.byte_begin + bytes;
      sink(std::move(episode));
    };
    Adapter::read_again(place, options, at_place, log);
  }
};

}  // namespace

const Adapter& tau_bench_adapter() {
  static const TauBenchAdapter adapter;
  return adapter;
}

}  // namespace memuse::ingest
