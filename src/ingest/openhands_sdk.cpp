#include "ingest/openhands_sdk.h"

#include <fmt/format.h>

#include <array>
#include <unordered_set>

#include "ingest/json_fields.h"
#include "ingest/openhands_events.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

/// Kinds that are no part of what the model is sent.
constexpr std::array<std::string_view, 7> kAsideKinds{
    "PauseEvent", "LLMCompletionLogEvent", "HookExecutionEvent",    "CondensationRequest",
    "TokenEvent", "StreamingDeltaEvent",   "ConversationErrorEvent"};

}  // namespace

void OpenHandsSdk::take(const JsonValue& event, RecordPlace place) {
  event_ = string_in(&event, "id");
  if (event_.empty()) event_ = fmt::format("e{}", events_);
  ++events_;
  const std::string_view kind = string_in(&event, "kind");
  if (kind == "SystemPromptEvent") {
    take_system(event);
  } else if (kind == "MessageEvent") {
    take_message(event);
  } else if (kind == "ActionEvent") {
    take_action(event);
  } else if (kind == "ObservationEvent" || kind == "AgentErrorEvent" || kind == "UserRejectObservation") {
    take_result(kind, event, place);
  } else if (kind == "Condensation") {
    take_condensation(event);
  } else if (kind == "ConversationStateUpdateEvent") {
    take_state(event);
  } else if (kind.empty()) {
    log_.add(Severity::error, Fault::missing_field, place.line, place.byte, "`event.kind` (a string)");
    recorder_.mark_damaged();
  } else if (!is_one_of(kind, kAsideKinds)) {
    log_.count_unknown_type(kind, place.line, place.byte);
  }
}

/// The texts of parts, a line end between them.
std::string OpenHandsSdk::text_of(const JsonValue* content) {
  if (content == nullptr) return {};
  if (const auto text = content->as_string()) return std::string(*text);
  std::string all;
  if (content->kind != JsonKind::array) return all;
  for (const JsonValue& part : JsonChildren(*content)) {
    if (string_in(&part, "type") == "image") recorder_.mark_damaged();
    const std::string_view text = part.as_string().value_or(string_in(&part, "text"));
    if (!all.empty() && !text.empty()) all += '\n';
    all += text;
  }
  return all;
}

void OpenHandsSdk::take_system(const JsonValue& event) {
  has_system_ = true;
  conversation_.add_message(event_, Role::system, Origin::system,
                            string_in(object_in(&event, "system_prompt"), "text"));
  const std::string_view dynamic = string_in(object_in(&event, "dynamic_context"), "text");
  if (!dynamic.empty()) {
    conversation_.add_message(event_ + ".dynamic", Role::system, Origin::system, dynamic);
  }
}

/// What skills add stands beside the message, and is sent behind it.
void OpenHandsSdk::take_message(const JsonValue& event) {
  const JsonValue* message = object_in(&event, "llm_message");
  std::string text = text_of(message == nullptr ? nullptr : message->field("content"));
  if (string_in(&event, "source") == "agent") {
    conversation_.answer(event_, {string_in(&event, "llm_response_id"), text, string_in(message, "reasoning_content"),
                                  string_in(&event, "timestamp"), model_});
    return;
  }
  if (!task_seen_) recorder_.episode().task_text = recorder_.keep(text);
  const std::string more = text_of(event.field("extended_content"));
  if (!more.empty()) text += (text.empty() ? "" : "\n") + more;
  conversation_.add_message(event_, Role::user, task_seen_ ? Origin::user : Origin::task, text);
  task_seen_ = true;
}

void OpenHandsSdk::take_action(const JsonValue& event) {
  conversation_.answer(event_, {string_in(&event, "llm_response_id"), text_of(event.field("thought")),
                                string_in(&event, "reasoning_content"), string_in(&event, "timestamp"), model_});
  const JsonValue* call = object_in(&event, "tool_call");
  const JsonValue* arguments = call == nullptr ? event.field("action") : call->field("arguments");
  conversation_.add_action(event_, {string_in(&event, "tool_call_id"), string_in(&event, "tool_name"),
                                    arguments_json(arguments, recorder_.episode().arena)});
}

void OpenHandsSdk::take_result(std::string_view kind, const JsonValue& event, RecordPlace place) {
  std::string text;
  if (kind == "ObservationEvent") {
    const JsonValue* observation = object_in(&event, "observation");
    text = text_of(observation == nullptr ? nullptr : observation->field("content"));
  } else {
    text = string_in(&event, kind == "AgentErrorEvent" ? "error" : "rejection_reason");
  }
  conversation_.add_result(event_, string_in(&event, "tool_call_id"), string_in(&event, "action_id"), text, place);
}

void OpenHandsSdk::take_condensation(const JsonValue& event) {
  std::unordered_set<std::string> ids;
  if (const JsonValue* list = array_in(&event, "forgotten_event_ids")) {
    for (const JsonValue& id : JsonChildren(*list)) ids.emplace(id.text);
  }
  const JsonValue* summary = event.field("summary");
  conversation_.condense([&](std::string_view id) { return ids.contains(std::string(id)); },
                         summary == nullptr ? std::nullopt : summary->as_string(), whole_in(&event, "summary_offset"));
}

/// The counts grow over the conversation, so the last one counts.
void OpenHandsSdk::take_state(const JsonValue& event) {
  const JsonValue* metrics = object_in(object_in(&event, "value"), "usage_to_metrics");
  if (string_in(&event, "key") != "stats" || metrics == nullptr) return;
  Episode& episode = recorder_.episode();
  const auto cost_in = [](const JsonValue* usage) {
    const auto cost = number_in(usage, "accumulated_cost");
    return cost && *cost > 0 ? cost : std::nullopt;
  };
  if (const JsonValue* agent = object_in(metrics, "default")) {
    model_ = string_in(agent, "model_name");
    if (episode.model.empty()) episode.model = recorder_.keep(model_);
    AgentTotals totals;
    totals.usage = completion_usage(object_in(agent, "accumulated_token_usage"));
    totals.cost_usd = cost_in(agent);
    episode.totals = totals;
  }
  if (const JsonValue* condenser = object_in(metrics, "condenser")) {
    SideCall call;
    call.purpose = "condenser";
    call.usage = completion_usage(object_in(condenser, "accumulated_token_usage"));
    call.cost_usd = cost_in(condenser);
    call.model = recorder_.keep(string_in(condenser, "model_name"));
    if (call.usage.input.value_or(0) > 0) condenser_ = call;
  }
}

void OpenHandsSdk::finish() {
  conversation_.finish();
  if (!condenser_) return;
  recorder_.tick();
  recorder_.add_side_call(*condenser_);
}

}  // namespace memuse::ingest
