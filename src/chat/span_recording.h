#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chat/chat_model.h"

namespace memuse::chat {

/// What of a request a recording keeps: hashes, to know it again and to say what differs.
struct RequestMark {
  std::string sha256;   ///< of to_json(ChatRequest)
  std::string options;  ///< of the same without the messages: tools, limits, temperature, seed
  std::string opening;  ///< of the messages before the first reply: instructions and task
  std::string last;     ///< of the last message
  std::size_t messages = 0;
};
RequestMark mark_of(const ChatRequest& request);

/// One recorded exchange.
struct Exchange {
  std::uint32_t call = 0;
  RequestMark request;
  ChatOutcome outcome;
};

/// One line without its line feed.
std::string to_line(const Exchange& exchange);
/// Throws nlohmann exceptions and std::runtime_error on another form.
Exchange exchange_from_line(std::string_view line);

/// `<uid>-S<span>.jsonl`. Throws Error(usage) for a uid that is not of hex digits, as it comes from outside.
std::string span_file_name(const CallPlace& place);

/// Writes `bytes` as the whole of a file, durably and at once: a crash leaves the old file or the new one. Throws
/// Error(environment).
void write_whole(const std::filesystem::path& file, std::string_view bytes);
/// Appends durably. Throws Error(environment).
void append_to(const std::filesystem::path& file, std::string_view bytes);
/// Throws Error(usage) for a file that is missing, no regular one or larger than `max_bytes`.
std::string read_bounded(const std::filesystem::path& file, std::uint64_t max_bytes);

}  // namespace memuse::chat
