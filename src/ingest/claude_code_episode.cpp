#include "ingest/claude_code_episode.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ingest/claude_code_text.h"
#include "ingest/json_fields.h"
#include "model/text.h"

// The path through the tree of records decides what a call sees: when a record hangs on another one than the last, what
// stands between was left (a rewind), and leaves the visible input. Records of one answer, the results of its tool
// calls, and what the tool adds to these share one node, since parallel results are siblings in the tree.

namespace memuse::ingest {
namespace {

constexpr std::string_view kSynthetic = "<synthetic>";

bool is_tool_use(std::string_view type) {
  return type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use";
}

}  // namespace

void ClaudeConversation::cover(std::string_view text, RecordPlace place, std::uint64_t end) {
  hash_.update(text);
  hash_.update("\n");
  SourcePlace& source = recorder_.episode().source;
  if (source.line == 0) {
    source.line = place.line;
    source.byte_begin = place.byte;
  }
  source.byte_end = std::max(source.byte_end, end);
}

void ClaudeConversation::note_fact(std::string_view key, std::string_view value) {
  if (value.empty()) return;
  const auto after = std::lower_bound(facts_.begin(), facts_.end(), key,
                                      [](const Tag& tag, std::string_view wanted) { return tag.key < wanted; });
  if (after != facts_.end() && after->key == key) return;
  facts_.insert(after, {keep(key), keep(value)});
}

void ClaudeConversation::report(Severity severity, Fault fault, RecordPlace place, const std::string& detail) {
  log_.add(severity, fault, place.line, place.byte, detail);
}

/// Ids of records are unique, and so are those of answers; should one be missing or stand twice, the line names it.
std::string_view ClaudeConversation::new_id(std::string_view wanted, RecordPlace place) {
  std::string id(wanted);
  if (id.empty()) id = fmt::format("line-{}", place.line);
  if (ids_.contains(id)) id += fmt::format("+{}", ids_.size());
  if (ids_.contains(id)) return {};
  const std::string_view kept = keep(id);
  ids_.insert(kept);
  return kept;
}

void ClaudeConversation::bind(std::string_view uuid, Node node) {
  if (!uuid.empty()) nodes_.emplace(std::string(uuid), node);
}

ClaudeConversation::Node ClaudeConversation::parent_of(const ClaudeEnvelope& envelope, RecordPlace place) {
  const bool first = !started_;
  started_ = true;
  if (!envelope.parent) return tree_.tip();
  if (envelope.parent->empty()) return ConversationTree::kRoot;
  const auto found = nodes_.find(std::string(*envelope.parent));
  if (found != nodes_.end()) return found->second;
  if (first && kind_ == Kind::session) {
    report(Severity::note, Fault::under_recorded, place,
           "the file starts inside a conversation: the parent of its first record is not in it");
  }
  return tree_.tip();
}

bool ClaudeConversation::is_call(Node node) const {
  if (node >= events_of_node_.size() || events_of_node_[node].empty()) return false;
  return events_[events_of_node_[node].front()].kind == Event::Kind::step;
}

void ClaudeConversation::leave(std::vector<Node> nodes) {
  if (nodes.empty()) return;
  Event drop;
  drop.kind = Event::Kind::drop_nodes;
  drop.nodes = std::move(nodes);
  events_.push_back(std::move(drop));
}

void ClaudeConversation::move_to(Node node, RecordPlace place) {
  ConversationTree::Move move = tree_.move_to(node);
  leave(std::move(move.left));
  if (move.reached || left_branch_reported_) return;
  left_branch_reported_ = true;
  report(Severity::note, Fault::shortened_input, place,
         "the record continues a branch that had been left; what stood on that branch is not shown again");
}

ClaudeConversation::Event& ClaudeConversation::add_event(Event::Kind kind, Node node) {
  if (events_of_node_.size() <= node) events_of_node_.resize(node + std::size_t{1});
  events_of_node_[node].push_back(events_.size());
  events_.emplace_back();
  events_.back().kind = kind;
  return events_.back();
}

void ClaudeConversation::link(const ClaudeEnvelope& envelope) {
  if (envelope.uuid.empty()) return;
  if (!envelope.parent) return bind(envelope.uuid, tree_.tip());
  if (envelope.parent->empty()) return bind(envelope.uuid, ConversationTree::kRoot);
  const auto found = nodes_.find(std::string(*envelope.parent));
  if (found != nodes_.end()) bind(envelope.uuid, Node{found->second});
}

void ClaudeConversation::add_message(const ClaudeEnvelope& envelope, const MessageRecord& message, RecordPlace place) {
  const Node parent = parent_of(envelope, place);
  move_to(parent, place);
  // What the tool adds to a turn belongs to it, wherever among the turn's parallel results it hangs.
  const bool part_of_turn = envelope.meta && tree_.tip() == parent && is_call(parent);
  const Node node = part_of_turn ? parent : tree_.add();
  Event& event = add_event(Event::Kind::message, node);
  event.message = message;
  event.message.id = new_id(envelope.uuid, place);
  event.message.text = keep(message.text);
  bind(envelope.uuid, node);
}

void ClaudeConversation::take_user(const ClaudeEnvelope& envelope, const JsonValue& message, RecordPlace place) {
  const JsonValue* content = message.field("content");
  const bool answers =
      content != nullptr && content->kind == JsonKind::array && take_results(envelope, *content, place);
  const std::string text = claude_content_text(content);
  if (answers && text.empty()) return;
  const ClaudePrompt prompt = classify_claude_prompt(text);
  const bool by_person =
      !answers && !envelope.meta && !envelope.compact_summary && prompt == ClaudePrompt::person && !text.empty();
  MessageRecord record;
  record.origin = Origin::other;
  record.text = text;
  if (by_person) {
    record.origin = prompted_ ? Origin::user : Origin::task;
    if (!prompted_) recorder_.episode().task_text = keep(text);
    prompted_ = true;
  }
  ClaudeEnvelope of_message = envelope;
  if (answers) {  // its place in the tree is that of the results
    of_message.meta = true;
    of_message.parent = envelope.uuid;
    if (envelope.uuid.empty()) of_message.parent.reset();
    of_message.uuid = {};
  }
  add_message(of_message, record, place);
}

/// True when the content holds results; each goes to the call that asked for it.
bool ClaudeConversation::take_results(const ClaudeEnvelope& envelope, const JsonValue& content, RecordPlace place) {
  bool any = false;
  for (const JsonValue& block : JsonChildren(content)) {
    if (string_in(&block, "type") != "tool_result") continue;
    any = true;
    add_result(envelope, string_in(&block, "tool_use_id"), claude_content_text(block.field("content")), place);
  }
  return any;
}

void ClaudeConversation::add_result(const ClaudeEnvelope& envelope, std::string_view action, std::string_view text,
                                    RecordPlace place) {
  const auto open = actions_.find(action);
  if (open != actions_.end() && !open->second.answered) {
    open->second.answered = true;
    bind(envelope.uuid, open->second.node);
    started_ = true;
    events_[open->second.event].step.results.push_back({new_id(envelope.uuid, place), open->first, keep(text)});
    return;
  }
  report(Severity::note, Fault::unmatched_result, place,
         action.empty() ? "no `tool_use_id`" : fmt::format("`{}`", shortened(action, 60)));
  MessageRecord record;
  record.role = Role::tool;
  record.text = text;
  add_message(envelope, record, place);
}

void ClaudeConversation::take_attachment(const ClaudeEnvelope& envelope, const JsonValue& attachment,
                                         RecordPlace place) {
  const auto sent = claude_attachment(attachment);
  if (!sent) {
    log_.count_unknown_type(fmt::format("attachment {}", string_in(&attachment, "type")), place.line, place.byte,
                            Loss::part);
    return link(envelope);
  }
  MessageRecord record;
  record.role = sent->role;
  record.origin = sent->origin;
  record.text = sent->text;
  ClaudeEnvelope of_message = envelope;
  of_message.meta = sent->origin != Origin::user;
  add_message(of_message, record, place);
}

void ClaudeConversation::take_system(const ClaudeEnvelope& envelope, const JsonValue& record, RecordPlace place) {
  const std::string_view subtype = string_in(&record, "subtype");
  if (subtype == "compact_boundary") {
    started_ = true;
    move_to(ConversationTree::kRoot, place);
    bind(envelope.uuid, tree_.add());
    return;
  }
  link(envelope);
  if (subtype != "microcompact_boundary") return;
  const JsonValue* metadata = object_in(&record, "microcompactMetadata");
  const JsonValue* ids = metadata == nullptr ? nullptr : metadata->field("compactedToolIds");
  if (ids == nullptr || ids->kind != JsonKind::array) {
    report(Severity::note, Fault::shortened_input, place,
           "old results were cleared here; the record does not say which");
    return;
  }
  Event drop;
  drop.kind = Event::Kind::drop_results;
  for (const JsonValue& id : JsonChildren(*ids)) {
    const auto action = actions_.find(id.as_string().value_or(std::string_view{}));
    if (action != actions_.end()) drop.results.push_back(action->first);
  }
  events_.push_back(std::move(drop));
}

void ClaudeConversation::take_assistant(const ClaudeEnvelope& envelope, const JsonValue& message, RecordPlace place) {
  const JsonValue* content = message.field("content");
  if (envelope.api_error || string_in(&message, "model") == kSynthetic) {  // written by the tool, no model was called
    MessageRecord record;
    record.role = Role::assistant;
    const std::string text = claude_content_text(content);
    record.text = text;
    return add_message(envelope, record, place);
  }
  std::string key(string_in(&message, "id"));
  if (key.empty()) key = envelope.request;
  if (key.empty()) key = envelope.uuid;
  if (key.empty()) key = fmt::format("line-{}", place.line);
  if (kind_ == Kind::compaction) return take_side_call(message, key, envelope, place);
  Event& call = call_of(key, envelope, message, place);
  const Call& known = calls_by_id_.at(key);
  bind(envelope.uuid, known.node);
  add_blocks(call, known.node, known.event, content, place);
  read_usage(call.step.usage, message);
  if (envelope.cost_usd && !call.step.cost_usd) call.step.cost_usd = envelope.cost_usd;
}

ClaudeConversation::Event& ClaudeConversation::call_of(const std::string& key, const ClaudeEnvelope& envelope,
                                                       const JsonValue& message, RecordPlace place) {
  const auto known = calls_by_id_.find(key);
  if (known != calls_by_id_.end()) return events_[known->second.event];
  const Node parent = parent_of(envelope, place);
  move_to(parent, place);
  const Node node = tree_.add();
  calls_by_id_.emplace(key, Call{node, events_.size()});
  ++calls_;
  Event& call = add_event(Event::Kind::step, node);
  call.step.id = new_id(key, place);
  call.step.time = keep(envelope.timestamp);
  call.step.model = keep(string_in(&message, "model"));
  return call;
}

/// The summarising call of a compaction is no step of an agent: it counts for cost.
void ClaudeConversation::take_side_call(const JsonValue& message, const std::string& key,
                                        const ClaudeEnvelope& envelope, RecordPlace place) {
  const auto known = calls_by_id_.find(key);
  if (known == calls_by_id_.end()) {
    calls_by_id_.emplace(key, Call{tree_.tip(), events_.size()});
    ++calls_;
    Event& event = add_event(Event::Kind::side_call, tree_.tip());
    event.side_call.purpose = "compaction";
    event.side_call.model = keep(string_in(&message, "model"));
    event.side_call.cost_usd = envelope.cost_usd;
  }
  read_usage(events_[calls_by_id_.at(key).event].side_call.usage, message);
  const std::string text = claude_content_text(message.field("content"));
  if (text.empty()) return link(envelope);
  MessageRecord record;
  record.role = Role::assistant;
  record.text = text;
  add_message(envelope, record, place);
}

void ClaudeConversation::add_blocks(Event& call, Node node, std::size_t event, const JsonValue* content,
                                    RecordPlace place) {
  const auto append = [](std::string& all, std::string_view text) {
    if (!all.empty() && !text.empty()) all += '\n';
    all += text;
  };
  if (content == nullptr) return;
  if (const auto text = content->as_string()) {
    call.spoke = true;
    return append(call.response, *text);
  }
  for (const JsonValue& block : JsonChildren(*content)) {
    const std::string_view type = string_in(&block, "type");
    if (type == "text") {
      call.spoke = true;
      append(call.response, string_in(&block, "text"));
    } else if (type == "thinking") {
      append(call.reasoning, string_in(&block, "thinking"));
    } else if (is_tool_use(type)) {
      add_action(call, node, event, block, place);
    } else if (type.ends_with("_tool_result")) {  // of a tool that the provider runs inside the call
      const JsonValue* result = block.field("content");
      const std::string_view text = result == nullptr ? std::string_view{} : keep(json_text(*result));
      call.step.results.push_back({{}, keep(string_in(&block, "tool_use_id")), text});
    } else if (type != "redacted_thinking") {
      log_.count_unknown_type(fmt::format("block {}", type), place.line, place.byte, Loss::part);
    }
  }
}

void ClaudeConversation::add_action(Event& call, Node node, std::size_t event, const JsonValue& block,
                                    RecordPlace place) {
  Action action;
  action.id = keep(string_in(&block, "id"));
  action.name = keep(string_in(&block, "name"));
  const JsonValue* input = block.field("input");
  action.arguments = input == nullptr ? std::string_view("null") : keep(json_text(*input));
  if (!action.id.empty() && !actions_.emplace(action.id, OpenAction{event, node, false}).second) {
    return report(Severity::warning, Fault::duplicate_message, place,
                  fmt::format("tool call `{}`", shortened(action.id, 60)));
  }
  call.step.actions.push_back(action);
}

/// The parts of a prompt add up. The number of output tokens is mostly that of the moment when the answer began; it
/// counts only in a record that says how the answer ended.
void ClaudeConversation::read_usage(Usage& usage, const JsonValue& message) {
  const JsonValue* tokens = object_in(&message, "usage");
  if (tokens == nullptr) return;
  const auto count = [tokens](std::string_view name) -> std::optional<std::uint64_t> {
    const JsonValue* value = tokens->field(name);
    return value == nullptr ? std::nullopt : value->as_unsigned();
  };
  const auto fresh = count("input_tokens");
  const auto read = count("cache_read_input_tokens");
  if (fresh && !usage.input) {
    usage.input = *fresh + count("cache_creation_input_tokens").value_or(0) + read.value_or(0);
    usage.cached_input = read;
  }
  if (!string_in(&message, "stop_reason").empty()) usage.output = count("output_tokens");
}

void ClaudeConversation::place_event(Event& event) {
  recorder_.tick();
  switch (event.kind) {
    case Event::Kind::message:
      event.first_message = recorder_.add_message(event.message);
      event.messages = 1;
      return;
    case Event::Kind::step: {
      event.step.reasoning = keep(event.reasoning);
      if (event.spoke) event.step.response = keep(event.response);
      const auto first = static_cast<std::uint32_t>(recorder_.episode().messages.size());
      recorder_.add_step(std::move(event.step));
      event.messages = static_cast<std::uint32_t>(recorder_.episode().messages.size()) - first;
      if (event.messages > 0) event.first_message = first;
      return;
    }
    case Event::Kind::side_call:
      return recorder_.add_side_call(event.side_call);
    case Event::Kind::drop_nodes:
      for (const Node node : event.nodes) {
        if (node >= events_of_node_.size()) continue;
        for (const std::size_t left : events_of_node_[node]) drop_event(events_[left]);
      }
      return;
    case Event::Kind::drop_results:
      return drop_results(event);
  }
}

void ClaudeConversation::drop_event(const Event& event) {
  if (!event.first_message) return;
  for (std::uint32_t i = 0; i < event.messages; ++i) recorder_.drop_message(*event.first_message + i);
}

void ClaudeConversation::drop_results(const Event& event) {
  const std::unordered_set<std::string_view> cleared(event.results.begin(), event.results.end());
  std::unordered_set<std::size_t> steps;
  for (const std::string_view id : cleared) steps.insert(actions_.at(id).event);
  for (const std::size_t step : steps) {
    if (!events_[step].first_message) continue;
    const std::uint32_t number = recorder_.episode().messages[*events_[step].first_message].of_step;
    for (const Result& result : recorder_.episode().steps[number - 1].results) {
      if (cleared.contains(result.action)) recorder_.drop_message(result.message);
    }
  }
}

Episode ClaudeConversation::finish() {
  for (Event& event : events_) place_event(event);
  Episode& episode = recorder_.episode();
  episode.id = keep(id_);
  episode.task_id = episode.id;
  episode.group = keep(session_);
  episode.visibility = VisibilityGrade::partial;
  episode.delivery_grade = DeliveryGrade::not_recorded;
  episode.tags = facts_;
  if (!episode.steps.empty()) {
    episode.model = episode.steps.front().model;
  } else if (!episode.side_calls.empty()) {
    episode.model = episode.side_calls.front().model;
  }
  episode.source.sha256 = hash_.finish_hex();
  return recorder_.take();
}

}  // namespace memuse::ingest
