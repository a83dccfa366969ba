#include "agentic_judge/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memuse::agentic_judge {
namespace {

constexpr std::uint64_t kMessageBytes = 16;  ///< what a message costs beside its text
constexpr std::size_t kNamedRanges = 6;

std::uint64_t size_of(const chat::ChatMessage& message) {
  std::uint64_t bytes = kMessageBytes + message.text.size();
  for (const chat::ToolCall& call : message.tool_calls)
    bytes += call.id.size() + call.name.size() + call.arguments.size();
  if (message.as_received.is_null()) return bytes;
  const std::string received = message.as_received.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return std::max<std::uint64_t>(bytes, received.size());
}

/// What stands in the place of a result that the model has seen.
std::string gone(const std::vector<evidence::ShownRange>& shown) {
  if (shown.empty()) return "[This result was dropped to save room. Call the tool again to see it.]";
  std::string ranges;
  for (std::size_t i = 0; i < std::min(shown.size(), kNamedRanges); ++i) {
    ranges +=
        fmt::format("{}bytes {}-{} of {}", i == 0 ? "" : ", ", shown[i].range.begin, shown[i].range.end, shown[i].file);
  }
  if (shown.size() > kNamedRanges) ranges += fmt::format(" and {} more places", shown.size() - kNamedRanges);
  return fmt::format(
      "[This result was dropped to save room. It showed {}. That counts as read; read it again where you need its "
      "words.]",
      ranges);
}

constexpr const char* kNeverShown =
    "[This result is not shown: the conversation has no room left for it. It does not count as read. Read one file at "
    "a time, or fewer bytes at once.]";

}  // namespace

Conversation::Conversation(chat::ChatRequest settings, std::string system, std::string first)
    : request_(std::move(settings)) {
  request_.messages.clear();
  for (const chat::ToolSpec& tool : request_.tools) {
    tool_bytes_ += tool.name.size() + tool.description.size() + tool.parameters.dump().size();
  }
  chat::ChatMessage instructions;
  instructions.role = chat::ChatRole::system;
  instructions.text = std::move(system);
  add(std::move(instructions), {});
  add_message(std::move(first));
}

void Conversation::add(chat::ChatMessage message, Note note) {
  note.bytes = size_of(message);
  message_bytes_ += note.bytes;
  request_.messages.push_back(std::move(message));
  notes_.push_back(std::move(note));
}

void Conversation::add_message(std::string text) {
  chat::ChatMessage message;
  message.text = std::move(text);
  add(std::move(message), {});
}

void Conversation::add_reply(const chat::ChatMessage& reply) {
  if (reply.text.empty() && reply.tool_calls.empty()) return;
  chat::ChatMessage message = reply;
  message.role = chat::ChatRole::assistant;
  add(std::move(message), {});
}

void Conversation::add_result(const chat::ToolCall& call, bool by_message, evidence::ToolResult result) {
  Note note;
  // What says how to do better is short and has to be read.
  note.state = result.failed ? State::plain : State::unsent;
  note.shown = std::move(result.shown);
  chat::ChatMessage message;
  if (by_message) {
    note.heading = fmt::format("Result of {}:\n", call.name);
  } else {
    message.role = chat::ChatRole::tool;
    message.tool_call_id = call.id;
  }
  message.text = note.heading + result.text;
  add(std::move(message), std::move(note));
}

const chat::ChatRequest& Conversation::request(std::string_view forced_tool) {
  request_.forced_tool = forced_tool;
  return request_;
}

std::vector<evidence::ShownRange> Conversation::mark_sent() {
  std::vector<evidence::ShownRange> seen;
  for (Note& note : notes_) {
    if (note.state != State::unsent) continue;
    note.state = State::sent;
    seen.insert(seen.end(), note.shown.begin(), note.shown.end());
  }
  return seen;
}

bool Conversation::drop(std::size_t index, const std::string& text) {
  Note& note = notes_[index];
  chat::ChatMessage& message = request_.messages[index];
  if (note.heading.size() + text.size() >= message.text.size()) return false;  // nothing would be won
  message.text = note.heading + text;
  message_bytes_ -= note.bytes;
  note.bytes = size_of(message);
  message_bytes_ += note.bytes;
  note.state = State::dropped;
  return true;
}

bool Conversation::make_room(std::uint64_t most, std::uint64_t goal) {
  if (bytes() <= most) return false;
  bool dropped = false;
  for (std::size_t i = 0; i < notes_.size() && bytes() > goal; ++i) {
    if (notes_[i].state == State::sent) dropped = drop(i, gone(notes_[i].shown)) || dropped;
  }
  for (std::size_t i = notes_.size(); i-- > 0 && bytes() > most;) {
    if (notes_[i].state == State::unsent) dropped = drop(i, kNeverShown) || dropped;
  }
  return dropped;
}

}  // namespace memuse::agentic_judge
