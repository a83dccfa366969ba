#include "ingest/codex_rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ingest/json_fields.h"
#include "ingest/stated_totals.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

/// A string, or the texts of parts with a line end between them.
std::string parts_text(const JsonValue* value) {
  if (value == nullptr) return {};
  if (const auto text = value->as_string()) return std::string(*text);
  if (value->kind == JsonKind::object) return parts_text(value->field("content"));
  std::string all;
  if (value->kind != JsonKind::array) return all;
  for (const JsonValue& part : JsonChildren(*value)) {
    const std::string_view text = part.as_string().value_or(string_in(&part, "text"));
    if (!all.empty() && !text.empty()) all += '\n';
    all += text;
  }
  return all;
}

/// A user message that holds context and no prompt.
bool is_context(std::string_view text) {
  constexpr std::array<std::string_view, 8> kStarts{
      "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<skill>",
      "<turn_aborted>",        "<hook_context>",      "<user_shell_command>"};
  while (const std::size_t space = white_space_length(text)) text.remove_prefix(space);
  return std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

}  // namespace

void CodexRollout::take(const JsonValue& record, RecordPlace place) {
  const std::string_view type = string_in(&record, "type");
  const std::string_view time = string_in(&record, "timestamp");
  const JsonValue* payload = object_in(&record, "payload");
  if (payload == nullptr) {
    // The oldest releases wrote meta and items without a wrapper.
    if (type.empty() && !string_in(&record, "id").empty()) return take_meta(record, place);
    if (type.empty() && record.field("record_type") == nullptr) {
      return log_.add(Severity::error, Fault::missing_field, place.line, place.byte, "`record.type` (a string)");
    }
    return take_item(record, time, place);
  }
  if (type == "session_meta") return take_meta(*payload, place);
  if (type == "turn_context") return take_context(*payload);
  if (type == "response_item") return take_item(*payload, time, place);
  if (type == "event_msg") return take_event(*payload, place);
  if (type == "compacted") return take_compaction(*payload, place);
  log_.count_unknown_type(type, place.line, place.byte);
}

void CodexRollout::add_tag(std::string_view key, std::string_view value) {
  if (value.empty()) return;
  const auto after =
      std::find_if(episode_.tags.begin(), episode_.tags.end(), [&](const Tag& tag) { return tag.key >= key; });
  if (after != episode_.tags.end() && after->key == key) return;
  episode_.tags.insert(after, {recorder_.keep(key), recorder_.keep(value)});
}

/// Only the first counts: a resumed file repeats it, and a fork has that of its parent behind its own.
void CodexRollout::take_meta(const JsonValue& meta, RecordPlace place) {
  if (meta_seen_) return;
  meta_seen_ = true;
  episode_.id = recorder_.keep(string_in(&meta, "id"));
  add_tag("cli_version", string_in(&meta, "cli_version"));
  add_tag("originator", string_in(&meta, "originator"));
  add_tag("forked_from", string_in(&meta, "forked_from_id"));
  add_tag("branch", string_in(object_in(&meta, "git"), "branch"));
  if (const JsonValue* source = object_in(&meta, "source")) {
    add_tag("kind", "sub-agent");
    for (const JsonValue& kind : JsonChildren(*source)) {
      const JsonValue* inner = &kind;
      while (inner != nullptr && inner->kind == JsonKind::object && inner->field("parent_thread_id") == nullptr) {
        inner = inner->first_child;
      }
      episode_.group = recorder_.keep(string_in(inner, "parent_thread_id"));
      if (!episode_.group.empty()) break;
    }
    if (episode_.group.empty()) episode_.group = recorder_.keep(string_in(source, "parent_thread_id"));
  }
  std::string_view base = string_in(object_in(&meta, "base_instructions"), "text");
  if (base.empty()) base = string_in(&meta, "instructions");
  if (base.empty() || !episode_.messages.empty() || turns_.open() != nullptr) return;
  turns_.add_message(Role::system, Origin::system, base, {}, place);
  has_base_ = true;
}

void CodexRollout::take_context(const JsonValue& context) {
  const std::string_view model = string_in(&context, "model");
  if (model.empty()) return;
  turns_.set_model(model);
  if (episode_.model.empty()) episode_.model = recorder_.keep(model);
}

void CodexRollout::take_item(const JsonValue& item, std::string_view time, RecordPlace place) {
  const std::string_view type = string_in(&item, "type");
  if (time.empty()) time = string_in(&item, "timestamp");
  if (type == "message") return take_message(item, time, place);
  if (type == "reasoning") {
    unanswered_prompt_ = false;
    std::string text = parts_text(item.field("summary"));
    const std::string content = parts_text(item.field("content"));
    if (!text.empty() && !content.empty()) text += '\n';
    return turns_.add_reasoning(text + content, time, place);
  }
  if (type.ends_with("_call_output") || type == "tool_search_output") {
    return turns_.add_result(string_in(&item, "call_id"), parts_text(item.field("output")), place);
  }
  if (type.ends_with("_call")) return take_call(type, item, time, place);
  // Kept by the tool for itself, or content that only the provider can read.
  constexpr std::array<std::string_view, 4> kQuiet{"ghost_snapshot", "compaction", "context_compaction",
                                                   "compaction_trigger"};
  if (is_one_of(type, kQuiet) || (type.empty() && item.field("record_type") != nullptr)) return;
  log_.count_unknown_type(fmt::format("item {}", type), place.line, place.byte);
}

void CodexRollout::take_message(const JsonValue& item, std::string_view time, RecordPlace place) {
  const std::string_view role = string_in(&item, "role");
  const std::string text = parts_text(item.field("content"));
  const std::string_view id = string_in(&item, "id");
  if (role == "assistant") {
    unanswered_prompt_ = false;
    return turns_.add_text(text, id, time, place);
  }
  if (role == "developer" || role == "system") {
    turns_.add_message(Role::system, Origin::system, text, id, place);
  } else if (role == "user") {
    Prompt prompt;
    prompt.context = is_context(text);
    prompt.claimed = prompt_follows_ && !prompt.context;
    if (prompt.claimed) prompt_follows_ = false;
    prompt.message = turns_.add_message(Role::user, Origin::other, text, id, place);
    if (prompt.claimed) typed_.push_back(prompt.message);
    prompts_.push_back(prompt);
    unanswered_prompt_ = !prompt.context;
  } else {
    log_.add(Severity::error, Fault::unknown_value, place.line, place.byte,
             fmt::format("`message.role` is \"{}\"; the message was set aside", shortened(role, 60)));
  }
}

void CodexRollout::take_call(std::string_view type, const JsonValue& item, std::string_view time, RecordPlace place) {
  unanswered_prompt_ = false;
  std::string_view id = string_in(&item, "call_id");
  if (id.empty()) id = string_in(&item, "id");
  std::string_view name = string_in(&item, "name");
  if (name.empty()) name = type.substr(0, type.size() - std::string_view("_call").size());
  std::string arguments = "null";
  for (const std::string_view field : {"arguments", "input", "action"}) {
    const JsonValue* value = item.field(field);
    if (value == nullptr || value->is_null()) continue;
    arguments = value->kind == JsonKind::string ? std::string(value->text) : json_text(*value);
    break;
  }
  turns_.add_action(id, name, arguments, time, place);
}

void CodexRollout::take_event(const JsonValue& event, RecordPlace place) {
  const std::string_view type = string_in(&event, "type");
  if (type == "token_count") return take_tokens(event, place);
  if (type == "user_message") return take_prompt_event(event);
  if (type == "thread_rolled_back") return take_rollback(event, place);
  if (type == "task_started" || type == "turn_started") {
    episode_.end_reason.reset();
  } else if (type == "task_complete" || type == "turn_complete") {
    episode_.end_reason = "task_complete";
  } else if (type == "turn_aborted") {
    const std::string_view reason = string_in(&event, "reason");
    episode_.end_reason = recorder_.keep(reason.empty() ? "turn_aborted" : fmt::format("turn_aborted: {}", reason));
  }
  // All other events repeat, for the screen, what stands in items.
}

/// Events tell which user message a person typed: the one right before, in some releases the one behind.
void CodexRollout::take_prompt_event(const JsonValue& event) {
  saw_prompt_event_ = true;
  if (unanswered_prompt_ && !prompts_.back().claimed) {
    prompts_.back().claimed = true;
    typed_.push_back(prompts_.back().message);
    return;
  }
  prompt_follows_ = true;
  if (episode_.task_text.empty() && typed_.empty()) episode_.task_text = recorder_.keep(string_in(&event, "message"));
}

/// Counts are repeated before and after the tools ran; only another total is another call.
void CodexRollout::take_tokens(const JsonValue& event, RecordPlace place) {
  const JsonValue* info = object_in(&event, "info");
  const JsonValue* total = object_in(info, "total_token_usage");
  const JsonValue* last = object_in(info, "last_token_usage");
  const auto sum = whole_in(total, "total_tokens");
  if (!sum || last == nullptr || sum == total_tokens_) return;
  const bool first = !total_tokens_;
  total_tokens_ = sum;
  stated_.usage.input = whole_in(total, "input_tokens");
  stated_.usage.cached_input = whole_in(total, "cached_input_tokens");
  stated_.usage.output = whole_in(total, "output_tokens");
  Usage usage;
  usage.input = whole_in(last, "input_tokens");
  usage.cached_input = whole_in(last, "cached_input_tokens");
  usage.output = whole_in(last, "output_tokens");
  StepRecord* step = turns_.open();
  if (step != nullptr && !step->usage.input) {
    step->usage = usage;
    turns_.end_answer();
    return;
  }
  // In a file that begins in the middle, the first count may be that of a call before it.
  if (first && whole_in(last, "total_tokens") != sum) return;
  log_.add(Severity::note, Fault::under_recorded, place.line, place.byte,
           "a call of the model was counted whose answer is not in the file");
  SideCall call;
  call.purpose = "answer not recorded";
  call.usage = usage;
  call.model = episode_.model;
  recorder_.tick();
  recorder_.add_side_call(call);
}

void CodexRollout::take_rollback(const JsonValue& event, RecordPlace place) {
  const auto turns = whole_in(&event, "num_turns");
  turns_.flush();
  if (!turns || *turns == 0 || *turns > typed_.size()) {
    return report_unknown_input(place, "turns were taken back; the file does not show which");
  }
  const std::size_t kept = typed_.size() - static_cast<std::size_t>(*turns);
  turns_.drop_from(turns_.index_of(typed_[kept]));
  typed_.resize(kept);
}

/// What stands in the compacted history replaces all that was sent before, but for the base instructions.
void CodexRollout::take_compaction(const JsonValue& compaction, RecordPlace place) {
  turns_.drop_from(has_base_ ? 1 : 0);
  typed_.clear();
  const JsonValue* history = compaction.field("replacement_history");
  if (history == nullptr || history->kind != JsonKind::array) {
    const std::string_view summary = string_in(&compaction, "message");
    if (!summary.empty()) turns_.add_message(Role::user, Origin::other, summary, {}, place);
    return report_unknown_input(place, "the file does not say which user messages a compaction kept");
  }
  std::size_t without_text = 0;
  for (const JsonValue& item : JsonChildren(*history)) {
    const std::string_view type = string_in(&item, "type");
    const std::string_view role = string_in(&item, "role");
    if (type == "message" && !role.empty()) {
      const Role as = role == "assistant" ? Role::assistant : role == "user" ? Role::user : Role::system;
      turns_.add_message(as, as == Role::system ? Origin::system : Origin::other, parts_text(item.field("content")), {},
                         place);
    } else if (type.ends_with("_output")) {
      turns_.add_message(Role::tool, Origin::other, parts_text(item.field("output")), {}, place);
    } else if (type.empty()) {
      ++without_text;
    }
  }
  if (without_text == 0) return;
  report_unknown_input(place, fmt::format("{} item(s) of a compacted history are not in the file", without_text));
}

void CodexRollout::report_unknown_input(RecordPlace place, const std::string& why) {
  input_known_ = false;
  log_.add(Severity::note, Fault::shortened_input, place.line, place.byte, why);
}

/// Says of each user message whether a person typed it: by the events, or without any by how it begins.
void CodexRollout::settle_prompts() {
  bool first = true;
  for (const Prompt& prompt : prompts_) {
    if (saw_prompt_event_ ? !prompt.claimed : prompt.context) continue;
    Message& message = episode_.messages[turns_.index_of(prompt.message)];
    message.origin = first ? Origin::task : Origin::user;
    if (first && episode_.task_text.empty()) episode_.task_text = episode_.texts[message.versions.front().text];
    first = false;
  }
}

std::optional<Episode> CodexRollout::finish() {
  turns_.flush();
  settle_prompts();
  if (episode_.steps.empty() && episode_.task_text.empty()) return std::nullopt;
  if (!meta_seen_) {
    log_.add(Severity::note, Fault::under_recorded, 1, 0,
             "the file has no `session_meta`: it starts inside a conversation");
  }
  episode_.visibility = meta_seen_ && has_base_ && input_known_ ? VisibilityGrade::rebuilt : VisibilityGrade::partial;
  reconcile_totals(episode_, stated_, {1, 0}, log_);
  return recorder_.take();
}

}  // namespace memuse::ingest
