#include "chat/protocol.h"

#include <fmt/format.h>

#include <set>

#include "chat/json_text.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

using nlohmann::json;

/// An error body beyond this is not looked at.
constexpr std::size_t kErrorBytes = std::size_t{1} << 20;
/// So much of a text that is no JSON is kept.
constexpr std::size_t kRawBytes = 1'000;

/// Not shortened here: a key must be taken out first, and a cut one would not be found.
std::string one_line(std::string_view text) {
  return printable(normalise_text(valid_utf8(text)));
}

/// The message of an error object, with its type or code where the message does not name it.
std::string words_of(const json& error) {
  if (error.is_string()) return error.get<std::string>();
  std::string text = string_at(error, "message");
  for (const char* key : {"code", "type"}) {
    const std::string word = string_at(error, key);
    if (!word.empty() && text.find(word) == std::string::npos) text += text.empty() ? word : " (" + word + ")";
    if (!word.empty()) break;
  }
  return text.empty() ? dump_line(error) : text;
}

/// The text between `<title>` and `</title>`.
std::string page_title(std::string_view page) {
  const std::size_t begin = page.find("<title>");
  const std::size_t end = page.find("</title>");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return "";
  return std::string(page.substr(begin + 7, end - begin - 7));
}

}  // namespace

std::optional<std::string> reported_error(const json& value) {
  if (!value.is_object()) return std::nullopt;
  if (const json& error = member(value, "error"); !error.is_null()) return one_line(words_of(error));
  if (string_at(value, "object") == "error" || string_at(value, "type") == "error") return one_line(words_of(value));
  return std::nullopt;
}

std::string error_words(std::string_view body) {
  const std::string_view text = trimmed(body.substr(0, kErrorBytes));
  if (text.empty()) return "no text";
  if (text.front() == '<') {
    const std::string title = page_title(text);
    return title.empty() ? "an HTML page" : "an HTML page, “" + one_line(title) + "”";
  }
  if (text.front() == '{') {
    const ParsedJson parsed = parse_json(text);
    if (parsed.value) {
      if (const auto error = reported_error(*parsed.value)) return *error;
      for (const char* key : {"message", "detail"}) {
        if (const std::string words = string_at(*parsed.value, key); !words.empty()) return one_line(words);
      }
    }
  }
  return one_line(text.substr(0, kRawBytes));
}

json arguments_object(const std::string& arguments) {
  if (is_blank(arguments)) return json::object();
  ParsedJson parsed = parse_json(arguments);
  if (parsed.value && parsed.value->is_object()) return std::move(*parsed.value);
  return {{"unreadable_arguments", valid_utf8(arguments)}};
}

std::optional<std::uint64_t> count_at(const json& object, std::string_view key) {
  const json& value = member(object, key);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  return std::nullopt;
}

void name_calls(const ChatRequest& request, ChatMessage& message) {
  std::size_t before = 0;
  for (const ChatMessage& earlier : request.messages) before += earlier.tool_calls.size();
  std::set<std::string> taken;
  for (ToolCall& call : message.tool_calls) {
    ++before;
    if (call.id.empty() || taken.count(call.id) != 0) call.id = fmt::format("call-{}", before);
    taken.insert(call.id);
  }
}

}  // namespace memuse::chat
