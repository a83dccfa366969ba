#include "ingest/atif_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "ingest/json_fields.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::ptrdiff_t kMaxBrackets = 2000;  // a parser that recurses must not be given more

/// A call of a model stands behind the step.
bool is_call(const JsonValue& step) {
  const JsonValue* count = step.field("llm_call_count");
  if (count != nullptr && count->as_unsigned()) return *count->as_unsigned() > 0;
  return object_in(&step, "metrics") != nullptr;
}

bool is_copied(const JsonValue& step) {
  const JsonValue* copied = step.field("is_copied_context");
  return copied != nullptr && copied->as_bool().value_or(false);
}

bool refers_to_subagent(const JsonValue* observation) {
  const JsonValue* results = array_in(observation, "results");
  if (results == nullptr) return false;
  for (const JsonValue& result : JsonChildren(*results)) {
    if (array_in(&result, "subagent_trajectory_ref") != nullptr) return true;
  }
  return false;
}

std::string dumped(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void add_function_blocks(std::string_view text, EpisodeRecorder& recorder, std::vector<Action>& actions) {
  constexpr std::string_view kFunction = "<function=";
  constexpr std::string_view kFunctionEnd = "</function>";
  constexpr std::string_view kParameter = "<parameter=";
  constexpr std::string_view kParameterEnd = "</parameter>";
  for (std::size_t at = text.find(kFunction); at != std::string_view::npos;) {
    const std::size_t name = at + kFunction.size();
    const std::size_t name_end = text.find('>', name);
    const std::size_t end = text.find(kFunctionEnd, name);
    if (name_end == std::string_view::npos || end == std::string_view::npos || end < name_end) return;
    const std::string_view body = text.substr(name_end + 1, end - name_end - 1);
    nlohmann::json arguments = nlohmann::json::object();
    for (std::size_t from = body.find(kParameter); from != std::string_view::npos;) {
      const std::size_t key = from + kParameter.size();
      const std::size_t key_end = body.find('>', key);
      const std::size_t value_end = body.find(kParameterEnd, key);
      if (key_end == std::string_view::npos || value_end == std::string_view::npos || value_end < key_end) break;
      arguments[std::string(body.substr(key, key_end - key))] =
          std::string(body.substr(key_end + 1, value_end - key_end - 1));
      from = body.find(kParameter, value_end);
    }
    actions.push_back({{}, recorder.keep(text.substr(name, name_end - name)), recorder.keep(dumped(arguments))});
    at = text.find(kFunction, end);
  }
}

}  // namespace

std::vector<Action> actions_in_text(std::string_view text, EpisodeRecorder& recorder) {
  std::vector<Action> actions;
  const std::size_t open = text.find('{');
  const std::size_t close = text.rfind('}');
  const bool nested =
      std::count_if(text.begin(), text.end(), [](char c) { return c == '{' || c == '['; }) > kMaxBrackets;
  if (!nested && open != std::string_view::npos && close != std::string_view::npos && open < close) {
    const auto answer = nlohmann::json::parse(text.substr(open, close + 1 - open), nullptr, false);
    if (answer.is_object() && answer.contains("commands") && answer["commands"].is_array()) {
      for (const nlohmann::json& command : answer["commands"]) {
        if (!command.is_object() || !command.contains("keystrokes")) continue;
        actions.push_back({{}, "keystrokes", recorder.keep(dumped(command))});
      }
      return actions;
    }
  }
  add_function_blocks(text, recorder, actions);
  return actions;
}

void AtifSteps::take_segment(const JsonValue& steps, DocumentPlaces& places, DiagnosticLog& log) {
  log_ = &log;
  if (segment_ > 0) drop_all();
  ++segment_;
  counts_calls_ = false;
  steps_in_segment_ = 0;
  for (const JsonValue& step : JsonChildren(steps)) {
    counts_calls_ = counts_calls_ || object_in(&step, "metrics") != nullptr || step.field("llm_call_count") != nullptr;
  }
  for (const JsonValue& step : JsonChildren(steps)) take(step, places);
}

void AtifSteps::take(const JsonValue& value, DocumentPlaces& places) {
  const RecordPlace place = places.at(value.byte);
  RecordFields fields(value, "step", place, *log_);
  const auto source = value.kind == JsonKind::object ? fields.string("source") : std::nullopt;
  if (source != "system" && source != "user" && source != "agent") {
    fields.report(Severity::error, Fault::unknown_value,
                  "`step.source` is not system, user or agent; it was set aside");
    recorder_.mark_damaged();
    return;
  }
  fields.any("step_id");
  step_id_ = recorder_.keep(fmt::format("s{}.{}", segment_, ++steps_in_segment_));
  parts_ = 0;
  const std::string_view text = text_of(fields.any("message"), place);
  const JsonValue* observation = fields.object("observation");
  const bool copied = is_copied(value);
  if (source == "system") {
    take_system(fields, text, observation);
  } else if (source == "user") {
    take_user(text, copied);
    add_results_as_messages(observation, Role::user, place);
  } else if (!copied && (is_call(value) || !counts_calls_)) {
    take_call(fields, text, observation);
  } else {
    add_message(Role::assistant, Origin::other, text);
    add_results_as_messages(observation, Role::tool, place);
  }
  system_only_ = system_only_ && source == "system";
  for (const std::string_view known : {"timestamp", "model_name", "reasoning_content", "reasoning_effort", "tool_calls",
                                       "metrics", "llm_call_count", "is_copied_context", "extra"}) {
    fields.any(known);
  }
  fields.count_unknown();
}

/// A compaction replaces all that stands before it. Up to 1.6 it is known by the sub-agents that made the summary.
void AtifSteps::take_system(RecordFields& fields, std::string_view text, const JsonValue* observation) {
  const JsonValue* management = object_in(fields.object("extra"), "context_management");
  if (management != nullptr && string_in(management, "type") == "compaction") {
    drop_all();
  } else if (refers_to_subagent(observation)) {
    drop_all();
    inferred_boundary_ = true;
  }
  add_message(Role::system, system_only_ ? Origin::system : Origin::other, text);
  add_results_as_messages(observation, Role::system, fields.place());
}

void AtifSteps::take_user(std::string_view text, bool copied) {
  Origin origin = copied ? Origin::other : Origin::user;
  if (!task_seen_) {
    task_seen_ = true;
    origin = Origin::task;
    constexpr std::string_view kTask = "Task Description:\n";
    const std::size_t at = text.find(kTask);
    recorder_.episode().task_text = at == std::string_view::npos ? text : text.substr(at + kTask.size());
  }
  add_message(Role::user, origin, text);
}

void AtifSteps::take_call(RecordFields& fields, std::string_view text, const JsonValue* observation) {
  StepRecord step;
  step.id = step_id_;
  step.response = text;
  step.reasoning = or_empty(fields.string("reasoning_content"));
  step.time = or_empty(fields.string("timestamp"));
  step.model = or_empty(fields.string("model_name"));
  if (step.model.empty()) step.model = recorder_.episode().model;
  for (const JsonValue* call : fields.objects("tool_calls")) {
    const JsonValue* arguments = call->field("arguments");
    step.actions.push_back({string_in(call, "tool_call_id"), string_in(call, "function_name"),
                            arguments == nullptr ? std::string_view("null") : recorder_.keep(to_json(*arguments))});
  }
  if (step.actions.empty()) step.actions = actions_in_text(text, recorder_);
  if (const JsonValue* metrics = fields.object("metrics")) read_metrics(step, *metrics, fields.place());
  if (const JsonValue* results = array_in(observation, "results")) {
    for (const JsonValue& result : JsonChildren(*results)) {
      const JsonValue* content = result.field("content");
      const std::string_view call = string_in(&result, "source_call_id");
      const bool nothing = content == nullptr || content->is_null();
      if (nothing && call.empty()) continue;
      const std::string_view id = recorder_.keep(fmt::format("{}.r{}", step_id_, step.results.size()));
      step.results.push_back({id, call, text_of(content, fields.place())});
    }
  }
  // Several calls in one step: the inputs of the later ones are not told.
  if (fields.whole("llm_call_count").value_or(1) > 1) recorder_.mark_damaged();
  recorder_.tick();
  recorder_.add_step(std::move(step));
}

void AtifSteps::read_metrics(StepRecord& step, const JsonValue& metrics, RecordPlace place) {
  RecordFields fields(metrics, "metrics", place, *log_);
  step.usage.input = fields.whole("prompt_tokens");
  step.usage.cached_input = fields.whole("cached_tokens");
  step.usage.output = fields.whole("completion_tokens");
  step.cost_usd = fields.number("cost_usd");
  for (const std::string_view known : {"prompt_token_ids", "completion_token_ids", "logprobs", "extra"}) {
    fields.any(known);
  }
  fields.count_unknown();
}

void AtifSteps::take_subagent(const JsonValue& document, DiagnosticLog& log) {
  log_ = &log;
  const JsonValue* agent = object_in(&document, "agent");
  const std::string_view name = agent == nullptr ? std::string_view{} : string_in(agent, "name");
  const std::string_view model = agent == nullptr ? std::string_view{} : string_in(agent, "model_name");
  const JsonValue* steps = array_in(&document, "steps");
  if (steps == nullptr) return;
  for (const JsonValue& value : JsonChildren(*steps)) {
    const JsonValue* metrics = object_in(&value, "metrics");
    if (string_in(&value, "source") != "agent" || is_copied(value) || metrics == nullptr) continue;
    StepRecord step;
    read_metrics(step, *metrics, {});
    const std::string_view own_model = string_in(&value, "model_name");
    recorder_.tick();
    SideCall call;
    call.purpose = name.empty() ? std::string_view("sub-agent") : name;
    call.usage = step.usage;
    call.cost_usd = step.cost_usd;
    call.model = own_model.empty() ? model : own_model;
    recorder_.add_side_call(call);
  }
}

std::string_view AtifSteps::text_of(const JsonValue* content, RecordPlace place) {
  if (content == nullptr || content->is_null()) return {};
  if (const auto text = content->as_string()) return *text;
  if (content->kind != JsonKind::array) {
    log_->add(Severity::warning, Fault::wrong_type, place.line, place.byte, "content should be a string or parts");
    recorder_.mark_damaged();
    return {};
  }
  std::vector<std::string_view> texts;
  for (const JsonValue& part : JsonChildren(*content)) {
    const JsonValue* text = part.field("text");
    if (text != nullptr && text->as_string()) {
      texts.push_back(text->text);
    } else {  // an image: the model saw something that is not here
      log_->count_unknown_type(fmt::format("content part {}", string_in(&part, "type")), place.line, place.byte);
      recorder_.mark_damaged();
    }
  }
  if (texts.size() == 1) return texts.front();
  return recorder_.keep(fmt::format("{}", fmt::join(texts, "\n")));
}

void AtifSteps::add_results_as_messages(const JsonValue* observation, Role role, RecordPlace place) {
  const JsonValue* results = array_in(observation, "results");
  if (results == nullptr) return;
  for (const JsonValue& result : JsonChildren(*results)) {
    const std::string_view text = text_of(result.field("content"), place);
    if (!text.empty()) add_message(role, Origin::other, text);
  }
}

void AtifSteps::add_message(Role role, Origin origin, std::string_view text) {
  recorder_.tick();
  recorder_.add_message({recorder_.keep(fmt::format("{}.m{}", step_id_, parts_++)), role, origin, false, text});
}

void AtifSteps::drop_all() {
  const std::size_t end = recorder_.episode().messages.size();
  for (std::size_t at = first_visible_; at < end; ++at) {
    recorder_.tick();
    recorder_.drop_message(static_cast<std::uint32_t>(at));
  }
  first_visible_ = end;
}

}  // namespace memuse::ingest
