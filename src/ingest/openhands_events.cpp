#include "ingest/openhands_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "ingest/json_fields.h"
#include "ingest/openhands_text.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

/// Neither the view of the agent nor its condensers count these.
constexpr std::array<std::string_view, 4> kNoEvents{"null", "change_agent_state", "agent_state_changed", "condense"};
/// Actions that put nothing into the input.
constexpr std::array<std::string_view, 5> kSilentActions{"recall", "condensation_request", "pause", "resume", "stop"};

std::string event_id(const JsonValue& event, std::uint64_t number) {
  const JsonValue* id = event.field("id");
  const bool usable = id != nullptr && (id->kind == JsonKind::number || id->kind == JsonKind::string);
  return usable && !id->text.empty() ? std::string(id->text) : fmt::format("e{}", number);
}

std::optional<std::uint64_t> event_number(std::string_view id) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  return error == std::errc() && end == id.data() + id.size() ? std::optional(number) : std::nullopt;
}

const JsonValue* answer_message(const JsonValue* model_response) {
  const JsonValue* choices = array_in(model_response, "choices");
  return choices == nullptr || choices->first_child == nullptr ? nullptr : object_in(choices->first_child, "message");
}

/// JSON text of the arguments of that call in the answer; nothing when it is not there.
std::optional<std::string> call_arguments(const JsonValue* message, std::string_view call, Arena& arena) {
  const JsonValue* calls = array_in(message, "tool_calls");
  if (calls == nullptr) return std::nullopt;
  for (const JsonValue& value : JsonChildren(*calls)) {
    if (string_in(&value, "id") != call) continue;
    const JsonValue* function = object_in(&value, "function");
    return std::string(arguments_json(function == nullptr ? nullptr : function->field("arguments"), arena));
  }
  return std::nullopt;
}

bool has_images(const JsonValue& args) {
  const JsonValue* images = array_in(&args, "image_urls");
  return images != nullptr && images->children > 0;
}

}  // namespace

Usage completion_usage(const JsonValue* usage) {
  Usage read;
  read.input = whole_in(usage, "prompt_tokens");
  read.output = whole_in(usage, "completion_tokens");
  read.cached_input = whole_in(usage, "cache_read_tokens");
  if (!read.cached_input) read.cached_input = whole_in(object_in(usage, "prompt_tokens_details"), "cached_tokens");
  return read;
}

void OpenHandsEvents::take_metrics(const JsonValue& metrics) {
  const JsonValue* usages = array_in(&metrics, "token_usages");
  if (usages == nullptr) return;
  for (const JsonValue& usage : JsonChildren(*usages)) {
    AnswerCost cost{std::string(string_in(&usage, "response_id")), completion_usage(&usage), std::nullopt, false};
    if (!cost.response.empty()) cost_by_response_.emplace(cost.response, costs_.size());
    costs_.push_back(std::move(cost));
  }
  // Both lists grow with each call; where a call without a price is in one only, nothing says which.
  const JsonValue* prices = array_in(&metrics, "costs");
  if (prices == nullptr || prices->children != costs_.size()) return;
  std::size_t at = 0;
  for (const JsonValue& price : JsonChildren(*prices)) costs_[at++].cost = number_in(&price, "cost");
}

void OpenHandsEvents::take(const JsonValue& event, RecordPlace place) {
  if (event.kind == JsonKind::array) {
    for (const JsonValue& one : JsonChildren(event)) {
      if (one.kind == JsonKind::object) take(one, place);
    }
    return;
  }
  if (event.kind != JsonKind::object) {
    log_.add(Severity::error, Fault::not_an_object, place.line, place.byte, "an event was expected");
    return recorder_.mark_damaged();
  }
  event_ = event_id(event, events_++);
  const std::string_view action = string_in(&event, "action");
  const std::string_view observation = string_in(&event, "observation");
  if (!observation.empty()) {
    take_observation(observation, event, place);
  } else if (!action.empty()) {
    take_action(action, event, place);
  } else {
    log_.add(Severity::error, Fault::missing_field, place.line, place.byte,
             "`event.action` or `event.observation` (a string)");
    recorder_.mark_damaged();
  }
}

void OpenHandsEvents::take_action(std::string_view type, const JsonValue& event, RecordPlace /*place*/) {
  if (is_one_of(type, kNoEvents)) return;
  const JsonValue* inner = object_in(&event, "args");
  const JsonValue& args = inner == nullptr ? event : *inner;  // old files have them in the event itself
  const bool by_user = string_in(&event, "source") == "user";
  if (type == "system") {
    has_system_ = true;
    conversation_.add_message(event_, Role::system, Origin::system, string_in(&args, "content"));
  } else if (type == "condensation") {
    take_condensation(args);
  } else if (is_one_of(type, kSilentActions) || (by_user && type == "finish")) {
    conversation_.add_silent(event_);
  } else if (type == "message") {
    take_message(event, args);
  } else if (by_user) {
    const std::string_view command = string_in(&args, "command");
    conversation_.add_message(event_, Role::user, Origin::user,
                              fmt::format("User executed the command:\n{}", command.empty() ? type : command));
  } else {
    take_agent_action(type, event, args);
  }
}

void OpenHandsEvents::take_message(const JsonValue& event, const JsonValue& args) {
  const std::string_view source = string_in(&event, "source");
  const std::string_view text = string_in(&args, "content");
  if (source == "agent" || (source.empty() && task_seen_)) return take_agent_action("message", event, args);
  if (has_images(args)) recorder_.mark_damaged();
  if (!task_seen_) recorder_.episode().task_text = recorder_.keep(text);
  conversation_.add_message(event_, Role::user, task_seen_ ? Origin::user : Origin::task, text);
  task_seen_ = true;
}

/// The raw answer stands with each action that came of it; without one, what the action itself says is the answer.
void OpenHandsEvents::take_agent_action(std::string_view type, const JsonValue& event, const JsonValue& args) {
  const JsonValue* metadata = object_in(&event, "tool_call_metadata");
  const JsonValue* model_response = object_in(metadata, "model_response");
  const JsonValue* message = answer_message(model_response);
  OpenHandsConversation::Answer answer;
  answer.response = string_in(model_response, "id");
  answer.text = message == nullptr ? string_in(&args, "thought") : string_in(message, "content");
  if (type == "message") answer.text = string_in(&args, "content");
  answer.reasoning = string_in(message, "reasoning_content");
  answer.time = string_in(&event, "timestamp");
  answer.model = string_in(model_response, "model");
  const StepRecord* before = conversation_.open();
  const std::string_view before_id = before == nullptr ? std::string_view{} : before->id;
  StepRecord& step = conversation_.answer(event_, answer);
  if (before == nullptr || step.id != before_id) {
    if (answer.response.empty()) steps_without_id_.push_back(steps_begun_);
    ++steps_begun_;
    read_cost(step, answer.response, model_response);
  }
  finished_ = type == "finish";
  if (type == "message") return;
  const std::string_view call = string_in(metadata, "tool_call_id");
  const std::string_view function = string_in(metadata, "function_name");
  const auto arguments = call_arguments(message, call, recorder_.episode().arena);
  const std::string own = arguments ? *arguments : to_json(args);
  conversation_.add_action(event_, {call, function.empty() ? type : function, own});
}

void OpenHandsEvents::take_condensation(const JsonValue& args) {
  std::unordered_set<std::string> ids;
  if (const JsonValue* list = array_in(&args, "forgotten_event_ids")) {
    for (const JsonValue& id : JsonChildren(*list)) ids.emplace(id.text);
  }
  const auto first = whole_in(&args, "forgotten_events_start_id");
  const auto last = whole_in(&args, "forgotten_events_end_id");
  const auto forgotten = [&](std::string_view event) {
    if (ids.contains(std::string(event))) return true;
    const auto number = first && last ? event_number(event) : std::nullopt;
    return number && *first <= *number && *number <= *last;
  };
  const JsonValue* summary = args.field("summary");
  conversation_.condense(forgotten, summary == nullptr ? std::nullopt : summary->as_string(),
                         whole_in(&args, "summary_offset"));
}

void OpenHandsEvents::take_observation(std::string_view type, const JsonValue& event, RecordPlace place) {
  if (is_one_of(type, kNoEvents)) return;
  if (type == "recall") {
    const JsonValue* extras = object_in(&event, "extras");
    const std::string text = openhands_recall_text(extras == nullptr ? event : *extras, shown_knowledge_);
    if (text.empty()) return conversation_.add_silent(event_);
    return conversation_.add_message(event_, Role::user, Origin::other, text);
  }
  const std::string text = openhands_cut(openhands_observation_text(event), most_characters_);
  const JsonValue* metadata = object_in(&event, "tool_call_metadata");
  const JsonValue* cause = event.field("cause");
  const std::string_view source = string_in(&event, "source");
  if (metadata == nullptr && type == "run" && source == "user") {
    return conversation_.add_message(event_, Role::user, Origin::user,
                                     fmt::format("\nObserved result of command executed by user:\n{}", text));
  }
  const bool has_cause = cause != nullptr && !cause->is_null();
  if (metadata == nullptr && !has_cause && (type == "error" || conversation_.open() == nullptr)) {
    return conversation_.add_message(event_, Role::user, Origin::other, text);
  }
  conversation_.add_result(event_, string_in(metadata, "tool_call_id"), has_cause ? cause->text : std::string_view{},
                           text, place);
}

void OpenHandsEvents::read_cost(StepRecord& step, std::string_view response, const JsonValue* model_response) {
  step.usage = completion_usage(object_in(model_response, "usage"));
  const auto known = cost_by_response_.find(response);
  if (known == cost_by_response_.end()) return;
  AnswerCost& cost = costs_[known->second];
  cost.used = true;
  step.usage = cost.usage;
  step.cost_usd = cost.cost;
}

/// Answers that are a message only have no id in their event; what is left over in the order of the calls is theirs
/// when there are as many. Otherwise what is left are calls of which no event tells.
void OpenHandsEvents::settle_costs() {
  std::vector<const AnswerCost*> left;
  for (const AnswerCost& cost : costs_) {
    if (!cost.used) left.push_back(&cost);
  }
  Episode& episode = recorder_.episode();
  if (left.size() == steps_without_id_.size()) {
    for (std::size_t at = 0; at < left.size(); ++at) {
      Step& step = episode.steps[steps_without_id_[at]];
      step.usage = left[at]->usage;
      step.cost_usd = left[at]->cost;
    }
    return;
  }
  if (left.empty()) return;
  log_.add(Severity::note, Fault::stated_count, 1, 0,
           fmt::format("`token_usages` has {} calls of which no event tells; they count as side calls", left.size()));
  for (const AnswerCost* cost : left) {
    SideCall call;
    call.purpose = "in no event";
    call.usage = cost->usage;
    call.cost_usd = cost->cost;
    recorder_.tick();
    recorder_.add_side_call(call);
  }
}

void OpenHandsEvents::finish() {
  conversation_.finish();
  settle_costs();
}

}  // namespace memuse::ingest
