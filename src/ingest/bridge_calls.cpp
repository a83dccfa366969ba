#include "ingest/bridge_calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace memuse::ingest::bridge {
namespace {

/// The body of a request or response, which may stand under a key of its own.
const JsonValue& body_of(const JsonValue& root, std::string_view wanted) {
  if (root.field(wanted) != nullptr) return root;
  for (const std::string_view key : {"body", "request", "response", "json"}) {
    const JsonValue* body = root.field(key);
    if (body != nullptr && body->kind == JsonKind::object && body->field(wanted) != nullptr) return *body;
  }
  return root;
}

template <typename Take>
void each_message(const JsonValue& request, Arena& arena, Take take) {
  const JsonValue* messages = body_of(request, "messages").field("messages");
  if (messages == nullptr || messages->kind != JsonKind::array) return;
  for (const JsonValue& value : JsonChildren(*messages)) {
    if (auto message = read_chat_message(value, arena)) take(std::move(*message));
  }
}

void read_request(const JsonValue& root, CallFile& call, Arena& scratch, Arena& arena) {
  Hash128 last;
  each_message(root, scratch, [&](ChatMessage&& message) {
    call.context_without_last = call.context;
    last = message.content();
    call.context.add(last);
  });
  call.request = call.context.count > 0;
  call.model = arena.keep(text_at(body_of(root, "model"), {"model"}));
}

void read_response(const JsonValue& root, CallFile& call, Arena& scratch, Arena& arena) {
  const JsonValue& body = body_of(root, "choices");
  call.usage = usage_of(body.field("usage"));
  if (const std::string_view model = text_at(body, {"model"}); !model.empty()) call.model = arena.keep(model);
  const JsonValue* choices = body.field("choices");
  if (choices == nullptr || choices->first_child == nullptr) return;
  const JsonValue* message = choices->first_child->field("message");
  if (message == nullptr) return;
  if (const auto reply = read_chat_message(*message, scratch)) call.reply = reply->identity();
}

}  // namespace

CallFiles::CallFiles(const ReadContext& context, const std::string& run_dir, Arena& arena,
                     std::vector<std::string>& hashes) {
  const std::string folder = join(run_dir, "calls");
  std::vector<std::string> names = context.files.folders(folder);
  sort_numerically(names);
  for (const std::string& name : names) {
    CallFile call;
    call.path = join(join(folder, name), "request.json");
    for (const std::string_view file : {"request.json", "response.json"}) {
      Arena scratch;
      const auto json = JsonFile::read(context, join(join(folder, name), file), scratch);
      if (json == nullptr) continue;
      hashes.push_back(fmt::format("{}  calls/{}/{}", json->sha256(), name, file));
      (file == "request.json" ? read_request : read_response)(json->root(), call, scratch, arena);
    }
    const std::size_t index = calls_.size();
    if (call.request) {
      by_context_[call.context].push_back(index);
      by_context_without_last_[call.context_without_last].push_back(index);
    }
    if (call.reply) by_reply_[{call.reply->low, call.reply->high}].push_back(index);
    calls_.push_back(std::move(call));
  }
  taken_.resize(calls_.size());
}

std::size_t CallFiles::unpaired() const {
  return static_cast<std::size_t>(std::count(taken_.begin(), taken_.end(), false));
}

template <typename Key>
std::optional<std::size_t> CallFiles::take_from(std::map<Key, std::deque<std::size_t>>& index, const Key& key) {
  const auto found = index.find(key);
  if (found == index.end()) return std::nullopt;
  std::deque<std::size_t>& queue = found->second;
  while (!queue.empty()) {
    const std::size_t call = queue.front();
    queue.pop_front();
    if (taken_[call]) continue;
    taken_[call] = true;
    return call;
  }
  return std::nullopt;
}

std::optional<CallFiles::Pair> CallFiles::take(const ContextDigest& context, const Hash128& reply) {
  if (const auto call = take_from(by_context_, context)) return Pair{&calls_[*call], Match::context};
  if (const auto call = take_from(by_context_without_last_, context)) {
    return Pair{&calls_[*call], Match::context_without_last};
  }
  if (const auto call = take_from(by_reply_, {reply.low, reply.high})) return Pair{&calls_[*call], Match::reply};
  return std::nullopt;
}

std::vector<ChatMessage> CallFiles::request_messages(const ReadContext& context, const CallFile& call,
                                                     Arena& arena) const {
  std::vector<ChatMessage> messages;
  if (const auto json = JsonFile::read(context, call.path, arena)) {
    each_message(json->root(), arena, [&](ChatMessage&& message) { messages.push_back(std::move(message)); });
  }
  return messages;
}

}  // namespace memuse::ingest::bridge
