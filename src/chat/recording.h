#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "chat/chat_model.h"

// A recording is a folder: `recording.json` says what was asked (judge, settings), and one JSON Lines file per span,
// `<episode uid>-S<span>.jsonl`, has one exchange a line in the order of the calls: the request's hash and the reply.
// No key and no host is ever in it.

namespace memuse::chat {

/// Passes every call to `model` and writes the replies into `folder`, durably before they are handed on. Failed calls
/// are not recorded. Throws Error(environment) when the folder cannot be written, and Error(usage) when it holds a
/// recording with another description.
std::unique_ptr<ChatModel> record(std::unique_ptr<ChatModel> model, const std::filesystem::path& folder,
                                  const nlohmann::ordered_json& description);

/// Answers from a recording, without a network. A request that differs from the recorded one at its place is a
/// `ChatFault::not_recorded` whose message says which call of which span, and what differs.
std::unique_ptr<ChatModel> replay(const std::filesystem::path& folder);

/// The description that a recording was made with. Throws Error(usage) when the folder holds none.
nlohmann::ordered_json recording_description(const std::filesystem::path& folder);

}  // namespace memuse::chat
