#include "ingest/mini_swe_agent_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ingest/mini_swe_agent_text.h"
#include "ingest/utc_time.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

/// The one tool of the stock agent, and what its text actions are run by.
constexpr std::string_view kShell = "bash";
constexpr std::string_view kNewFence = "mswea_bash_command";
/// How an observation of the stock templates begins.
constexpr std::string_view kObservation = "<returncode>";

constexpr std::string_view kUsage = "usage.";

/// Marks fields as known that are not used.
void pass_over(RecordFields& fields, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) fields.any(name);
}

const JsonValue* object_or_null(const JsonValue* value) {
  return value != nullptr && value->kind == JsonKind::object ? value : nullptr;
}

/// The message in a chat completion: `choices[0].message`.
const JsonValue* first_choice(const JsonValue* response) {
  const JsonValue* choices = response == nullptr ? nullptr : response->field("choices");
  if (choices == nullptr || choices->kind != JsonKind::array || choices->first_child == nullptr) return nullptr;
  return object_or_null(choices->first_child->field("message"));
}

std::string_view string_field(const JsonValue* object, std::string_view name) {
  const JsonValue* value = object == nullptr ? nullptr : object->field(name);
  return value == nullptr ? std::string_view{} : or_empty(value->as_string());
}

/// What a model thought, under the names that providers have for it.
std::string_view reasoning_of(const JsonValue* message) {
  const std::string_view reasoning = string_field(message, "reasoning_content");
  return reasoning.empty() ? string_field(message, "reasoning") : reasoning;
}

}  // namespace

std::string_view MiniConversation::message_id() {
  std::string id("m");
  const fmt::format_int number(index_);
  id.append(number.data(), number.size());
  return recorder_.keep(id);
}

/// The word of the document's own pattern; without one, the newer word if the prompts show it.
std::string_view MiniConversation::fence() {
  if (!fence_.empty()) return fence_;
  return mswea_fence_in_prompt_ ? kNewFence : kShell;
}

void MiniConversation::take(const JsonValue& message, bool last) {
  const RecordPlace place = places_.at(message.byte);
  RecordFields fields(message, "messages", place, log_);
  if (message.kind != JsonKind::object) {
    set_aside(fields, Fault::not_an_object, fmt::format("messages[{}]", index_));
  } else if (take_kind(fields, last)) {
    fields.count_unknown();
  }
  ++index_;
}

void MiniConversation::set_aside(RecordFields& fields, Fault fault, const std::string& detail) {
  fields.report(Severity::error, fault, detail);
  recorder_.mark_damaged();
}

bool MiniConversation::take_kind(RecordFields& fields, bool last) {
  const auto role = fields.string("role");
  const auto type = fields.string("type");
  const auto object = fields.string("object");
  if (object == "response" || (!role && !type && fields.any("output") != nullptr)) {
    take_response_object(fields);
    return true;
  }
  if (role) return take_role(*role, fields, last);
  if (type == "function_call_output") {
    take_tool_result(fields, or_empty(fields.string("call_id")), fields.any("output"));
    pass_over(fields, {"id", "status"});
    return true;
  }
  set_aside(fields, Fault::missing_field, "`messages.role` (a string)");
  return false;
}

bool MiniConversation::take_role(std::string_view role, RecordFields& fields, bool last) {
  if (role == "assistant") {
    take_answer(fields);
  } else if (role == "user") {
    take_user(fields, last);
  } else if (role == "tool" || role == "function") {
    take_tool_result(fields, or_empty(fields.string("tool_call_id")), fields.any("content"));
  } else if (role == "system" || role == "developer") {
    take_system(fields);
  } else if (role == "exit") {
    take_exit(fields);
  } else {
    set_aside(fields, Fault::unknown_value,
              fmt::format("`messages.role` is \"{}\"; the message was set aside", shortened(role, 60)));
    return false;
  }
  return true;
}

MiniConversation::Extra MiniConversation::read_extra(RecordFields& message) {
  Extra extra;
  extra.time = message.number("timestamp");
  const JsonValue* object = message.object("extra");
  if (object == nullptr) return extra;
  RecordFields fields(*object, "messages.extra", message.place(), log_);
  extra.present = true;
  extra.actions = fields.array("actions");
  extra.response = object_or_null(fields.any("response"));
  extra.interrupt = or_empty(fields.string("interrupt_type"));
  extra.exit_status = or_empty(fields.string("exit_status"));
  extra.submission = fields.string("submission");
  extra.cost = fields.number("cost");
  if (const auto time = fields.number("timestamp")) extra.time = time;
  const bool output = fields.any("raw_output") != nullptr;
  const bool code = fields.any("returncode") != nullptr;
  extra.executed = output || code;
  pass_over(fields, {"exception_info", "exception", "exception_type", "exception_str", "traceback"});
  fields.count_unknown();
  return extra;
}

std::string_view MiniConversation::text_of(const JsonValue* content, const RecordFields& message) {
  if (content == nullptr) return {};
  if (const auto text = content->as_string()) return *text;
  if (content->kind != JsonKind::array) {
    log_.add(Severity::warning, Fault::wrong_type, message.place().line, message.place().byte,
             "`messages.content` should be a string or an array of parts");
    recorder_.mark_damaged();
    return {};
  }
  std::vector<std::string_view> texts;
  for (const JsonValue& part : JsonChildren(*content)) {
    const JsonValue* text = part.field("text");
    if (part.kind == JsonKind::string) {
      texts.push_back(part.text);
    } else if (text != nullptr && text->as_string()) {
      texts.push_back(text->text);
    } else {  // an image, say: the model saw something that is not here
      const std::string_view type = string_field(&part, "type");
      log_.count_unknown_type(fmt::format("content part {}", type.empty() ? "without type" : type),
                              message.place().line, message.place().byte);
      recorder_.mark_damaged();
    }
  }
  if (texts.size() == 1) return texts.front();
  return recorder_.keep(fmt::format("{}", fmt::join(texts, "\n")));
}

void MiniConversation::open_step(RecordFields& fields) {
  flush();
  step_.emplace();
  step_->id = message_id();
  fenced_ = false;
  // Known, and not used: copies, or what only the provider's interface needs.
  pass_over(fields, {"function_call", "provider_specific_fields", "reasoning_details", "thinking_blocks", "refusal",
                     "annotations", "audio", "images", "name", "cache_control"});
}

void MiniConversation::take_answer(RecordFields& fields) {
  open_step(fields);
  const Extra extra = read_extra(fields);
  const JsonValue* choice = first_choice(extra.response);
  step_->response = text_of(fields.any("content"), fields);
  const std::string_view own = or_empty(fields.string("reasoning_content"));
  const std::string_view other = or_empty(fields.string("reasoning"));
  step_->reasoning = !own.empty() ? own : !other.empty() ? other : reasoning_of(choice);
  read_answer_facts(*step_, extra, fields);

  // The raw answer holds the tool calls once more; only those of the message count.
  const JsonValue* calls = fields.array("tool_calls");
  if (calls != nullptr) read_tool_calls(*calls, fields.place());
  if (extra.actions != nullptr) add_listed_actions(*extra.actions, fields.place());
  if (calls == nullptr && extra.actions == nullptr) {
    fenced_ = true;
    add_fenced_action(*step_->response);
  }
}

/// An answer of the Responses interface: an object without a role, its parts in `output`.
void MiniConversation::take_response_object(RecordFields& fields) {
  open_step(fields);
  const Extra extra = read_extra(fields);
  std::string response;
  std::string reasoning;
  if (const JsonValue* output = fields.array("output")) {
    read_output_items(*output, fields.place(), response, reasoning);
  }
  step_->response = recorder_.keep(response);
  step_->reasoning = recorder_.keep(reasoning);
  read_answer_facts(*step_, extra, fields);
  if (extra.actions != nullptr) add_listed_actions(*extra.actions, fields.place());
  // The rest of the object repeats the request and its settings.
  pass_over(fields, {"id",
                     "created_at",
                     "error",
                     "incomplete_details",
                     "instructions",
                     "metadata",
                     "temperature",
                     "tool_choice",
                     "tools",
                     "top_p",
                     "status",
                     "max_output_tokens",
                     "text",
                     "previous_response_id",
                     "reasoning",
                     "truncation",
                     "parallel_tool_calls",
                     "user",
                     "store",
                     "background",
                     "completed_at",
                     "conversation",
                     "max_tool_calls",
                     "prompt",
                     "prompt_cache_key",
                     "safety_identifier",
                     "service_tier",
                     "top_logprobs",
                     "content",
                     "prompt_cache_retention",
                     "frequency_penalty",
                     "presence_penalty",
                     "billing"});
}

void MiniConversation::read_output_items(const JsonValue& output, RecordPlace place, std::string& response,
                                         std::string& reasoning) {
  const auto append = [](std::string& to, const JsonValue* parts) {
    if (parts == nullptr || parts->kind != JsonKind::array) return;
    for (const JsonValue& part : JsonChildren(*parts)) {
      const std::string_view text = string_field(&part, "text");
      if (!to.empty() && !text.empty()) to += '\n';
      to += text;
    }
  };
  for (const JsonValue& item : JsonChildren(output)) {
    const std::string_view type = string_field(&item, "type");
    if (type == "message") {
      append(response, item.field("content"));
    } else if (type == "reasoning") {
      append(reasoning, item.field("summary"));
      append(reasoning, item.field("content"));
    } else if (type == "function_call") {
      add_action(string_field(&item, "call_id"), string_field(&item, "name"), item.field("arguments"));
    } else {
      log_.count_unknown_type(fmt::format("output item {}", type.empty() ? "without type" : type), place.line,
                              place.byte);
    }
  }
}

/// Model, time, cost and tokens of an answer: beside the message, in the provider's answer, or in the answer object
/// itself.
void MiniConversation::read_answer_facts(StepRecord& step, const Extra& extra, RecordFields& fields) {
  const JsonValue* own_usage = fields.object("usage");
  const JsonValue* usage = own_usage;
  step.model = or_empty(fields.string("model"));
  std::optional<double> time = extra.time;
  std::optional<double> cost = extra.cost;
  if (extra.response != nullptr) {
    if (usage == nullptr) usage = object_or_null(extra.response->field("usage"));
    if (step.model.empty()) step.model = string_field(extra.response, "model");
    const JsonValue* created = extra.response->field("created");
    if (!time && created != nullptr) time = created->as_double();
  }
  if (!time && own_usage != nullptr) time = fields.number("created_at");
  if (usage != nullptr) {
    read_usage(step, *usage, fields.place());
    const JsonValue* charged = usage->field("cost");
    if (!cost && charged != nullptr) cost = charged->as_double();
  }
  // The tool writes 0 for models without a price.
  if (cost && *cost > 0) step.cost_usd = cost;
  if (!time) return;
  if (const auto text = utc_time(*time)) {
    step.time = recorder_.keep(*text);
  } else {
    fields.report(Severity::warning, Fault::unknown_value, fmt::format("{} is no time in seconds; dropped", *time));
  }
}

void MiniConversation::read_usage(StepRecord& step, const JsonValue& usage, RecordPlace place) {
  RecordFields fields(usage, "usage", place, log_);
  const auto first_of = [&fields](std::string_view chat, std::string_view responses) {
    const auto value = fields.whole(chat);
    return value ? value : fields.whole(responses);
  };
  // The objects' paths; their names stand behind `usage.`.
  const auto detail = [&](const char* chat, const char* responses,
                          std::string_view name) -> std::optional<std::uint64_t> {
    for (const char* path : {chat, responses}) {
      const JsonValue* details = fields.object(std::string_view(path).substr(kUsage.size()));
      if (details != nullptr) return RecordFields(*details, path, place, log_).whole(name);
    }
    return std::nullopt;
  };
  step.usage.input = first_of("prompt_tokens", "input_tokens");
  step.usage.output = first_of("completion_tokens", "output_tokens");
  step.usage.cached_input = detail("usage.prompt_tokens_details", "usage.input_tokens_details", "cached_tokens");
  if (!step.usage.cached_input) step.usage.cached_input = fields.whole("prompt_cache_hit_tokens");

  // A prompt only grows while messages are only added. It shrinks a little all the same: another provider behind the
  // same name counts in its own way (up to 4 % seen), and thoughts that were counted in one prompt leave the next.
  const std::uint64_t prompt = step.usage.input.value_or(0);
  if (prompt == 0) return;
  if (last_prompt_ && !shortened_step_) {
    const std::uint64_t allowed = *last_prompt_ / 10 + last_reasoning_;
    if (prompt<*last_prompt_&& * last_prompt_ - prompt> allowed) shortened_step_ = recorder_.next_step();
  }
  last_prompt_ = prompt;
  last_reasoning_ =
      detail("usage.completion_tokens_details", "usage.output_tokens_details", "reasoning_tokens").value_or(0);
}

void MiniConversation::read_tool_calls(const JsonValue& calls, RecordPlace place) {
  for (const JsonValue& call : JsonChildren(calls)) {
    if (call.kind != JsonKind::object) {
      log_.add(Severity::warning, Fault::wrong_type, place.line, place.byte,
               "`messages.tool_calls` should be an array of objects");
      continue;
    }
    const JsonValue* function = object_or_null(call.field("function"));
    add_action(string_field(&call, "id"), string_field(function, "name"),
               function == nullptr ? nullptr : function->field("arguments"));
  }
}

void MiniConversation::push_action(const Action& action) {
  if (action.id.empty()) {
    ++open_unnamed_;
  } else {
    ++open_[action.id];
  }
  step_->actions.push_back(action);
}

void MiniConversation::add_action(std::string_view id, std::string_view name, const JsonValue* arguments) {
  push_action({id, name, arguments_json(arguments, recorder_.episode().arena)});
}

void MiniConversation::add_command(std::string_view id, std::string_view command) {
  Action action;
  action.id = id;
  action.name = kShell;
  std::string arguments = "{\"command\":";
  append_json_string(command, arguments);
  action.arguments = recorder_.keep(arguments += '}');
  push_action(action);
}

/// `extra.actions` lists what was run. With tool calls it repeats them, by id; with text actions it is all there is.
void MiniConversation::add_listed_actions(const JsonValue& actions, RecordPlace place) {
  const bool has_calls = !step_->actions.empty();
  for (const JsonValue& action : JsonChildren(actions)) {
    const JsonValue* command = action.field("command");
    const std::string_view id = string_field(&action, "tool_call_id");
    if (has_calls && (id.empty() || open_.count(id) > 0)) continue;
    if (command == nullptr || !command->as_string()) {
      log_.add(Severity::warning, Fault::missing_field, place.line, place.byte,
               "`messages.extra.actions.command` (a string)");
      continue;
    }
    add_command(id, command->text);
  }
}

/// v1: the one fenced block of the text. With none, or more than one, nothing was run.
void MiniConversation::add_fenced_action(std::string_view text) {
  const std::vector<std::string_view> commands = fenced_commands(text, fence(), 2);
  if (commands.size() == 1) add_command({}, commands.front());
}

void MiniConversation::take_tool_result(RecordFields& fields, std::string_view action, const JsonValue* content) {
  read_extra(fields);
  pass_over(fields, {"name", "cache_control"});
  const std::string_view text = text_of(content, fields);
  final_text_.reset();
  const auto open = open_.find(action);
  if (step_ && open != open_.end() && open->second > 0) {
    --open->second;
    return add_result(action, text);
  }
  fields.report(Severity::note, Fault::unmatched_result,
                action.empty() ? "no `tool_call_id`" : fmt::format("`{}`", shortened(action, 60)));
  add_message(Role::tool, Origin::other, text);
}

void MiniConversation::take_user(RecordFields& fields, bool last) {
  const Extra extra = read_extra(fields);
  pass_over(fields, {"name", "cache_control"});
  const std::string_view text = text_of(fields.any("content"), fields);
  if (last) final_text_ = text;
  if (extra.response != nullptr && !extra.interrupt.empty()) take_rejected_answer(extra, fields);
  const bool answers_step = step_ && extra.interrupt.empty() && step_->results.size() < step_->actions.size();
  if (answers_step && open_unnamed_ > 0 && (fenced_ ? after_step_.empty() : extra.executed)) {
    --open_unnamed_;
    return add_result({}, text);
  }
  if (step_ && fenced_ && step_->actions.empty() && after_step_.empty() && text.starts_with(kObservation)) {
    fields.report(Severity::note, Fault::unmatched_result, "the text before it shows no action that was understood");
    return add_result({}, text);
  }
  if (!task_seen_ && !step_ && recorder_.episode().steps.empty()) {
    task_seen_ = true;
    mswea_fence_in_prompt_ = mswea_fence_in_prompt_ || text.find(kNewFence) != std::string_view::npos;
    recorder_.episode().task_text = task_in_prompt(text);
    return add_message(Role::user, Origin::task, text);
  }
  // The harness speaks as the user too: it rejects answers without one action, and puts the end of a v1 run last.
  const bool by_harness = extra.interrupt == "FormatError" || extra.executed || last ||
                          (step_ && fenced_ && step_->actions.empty() && after_step_.empty());
  add_message(Role::user, by_harness ? Origin::other : Origin::user, text);
}

/// Newer releases keep an answer that could not be used in the extra of its rejection only: a call was made and paid,
/// and the next call does not see its text.
void MiniConversation::take_rejected_answer(const Extra& extra, RecordFields& fields) {
  flush();
  const JsonValue* choice = first_choice(extra.response);
  StepRecord step;
  step.response = choice == nullptr ? std::string_view{} : text_of(choice->field("content"), fields);
  step.reasoning = reasoning_of(choice);
  step.persist = false;
  read_answer_facts(step, extra, fields);
  recorder_.tick();
  recorder_.add_step(std::move(step));
}

void MiniConversation::take_system(RecordFields& fields) {
  read_extra(fields);
  pass_over(fields, {"name", "cache_control"});
  const std::string_view text = text_of(fields.any("content"), fields);
  mswea_fence_in_prompt_ = mswea_fence_in_prompt_ || text.find(kNewFence) != std::string_view::npos;
  add_message(Role::system, Origin::system, text);
}

/// The end of a v2 run, for the record only.
void MiniConversation::take_exit(RecordFields& fields) {
  const Extra extra = read_extra(fields);
  const std::string_view text = text_of(fields.any("content"), fields);
  exit_status_ = extra.exit_status;
  final_text_ = extra.submission.value_or(text);
  if (!text.empty()) add_message(Role::user, Origin::other, text, true);
}

void MiniConversation::add_result(std::string_view action, std::string_view text) {
  step_->results.push_back({message_id(), action, text});
}

void MiniConversation::add_message(Role role, Origin origin, std::string_view text, bool never_sent) {
  PendingMessage message{{message_id(), role, origin, false, text}, never_sent};
  after_step_.push_back(message);
  if (!step_) flush();
}

void MiniConversation::flush() {
  if (step_) {
    recorder_.tick();
    recorder_.add_step(std::move(*step_));
    step_.reset();
    open_.clear();
    open_unnamed_ = 0;
  }
  for (const PendingMessage& message : after_step_) {
    recorder_.tick();
    const std::uint32_t index = recorder_.add_message(message.record);
    if (message.never_sent) recorder_.drop_message(index);
  }
  after_step_.clear();
}

void MiniConversation::finish(std::string_view submission) {
  flush();
  if (submission.empty() || final_text_ == submission) return;
  after_step_.push_back({{"info.submission", Role::user, Origin::other, false, submission}, true});
  flush();
}

}  // namespace memuse::ingest
