#include "chat/json_text.h"

#include <array>
#include <cctype>
#include <stdexcept>

#include "model/text.h"

namespace memuse::chat {
namespace {

using nlohmann::json;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxValues = 1'000'000;

struct TooMuch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The code unit of a `\uXXXX` escape at the start of `text`.
std::optional<unsigned> escaped_unit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(2, 4)) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    const int digit = std::isdigit(static_cast<unsigned char>(c)) != 0 ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value * 16 + static_cast<unsigned>(digit);
  }
  return value;
}

bool is_high(std::optional<unsigned> unit) {
  return unit && *unit >= 0xD800 && *unit < 0xDC00;
}
bool is_low(std::optional<unsigned> unit) {
  return unit && *unit >= 0xDC00 && *unit < 0xE000;
}

/// JSON text in which escapes of half a surrogate pair, which no UTF-8 can hold, are `\ufffd`.
std::string without_lone_surrogates(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = text[0] == '\\' && text.size() > 1 ? 2 : 1;
    const auto unit = escaped_unit(text);
    if (is_high(unit) && is_low(escaped_unit(text.substr(6)))) {
      length = 12;
    } else if (is_high(unit) || is_low(unit)) {
      out += "\\ufffd";
      text.remove_prefix(6);
      continue;
    }
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

json parse_bounded(std::string_view text) {
  std::size_t values = 0;
  const auto bound = [&values](int depth, json::parse_event_t, const json&) {
    if (depth > kMaxDepth) throw TooMuch("JSON of more than 100 levels");
    if (++values > kMaxValues) throw TooMuch("JSON of more than a million values");
    return true;
  };
  return json::parse(text.begin(), text.end(), bound);
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t valid = valid_utf8_prefix(text);
    out += text.substr(0, valid);
    text.remove_prefix(valid);
    if (text.empty()) break;
    out += kReplacement;
    text.remove_prefix(1);
  }
  return out;
}

ParsedJson parse_json(std::string_view text) {
  try {
    return {parse_bounded(without_lone_surrogates(valid_utf8(text))), ""};
  } catch (const TooMuch& fault) {
    return {std::nullopt, fault.what()};
  } catch (const json::exception&) {
    return {std::nullopt, text.empty() ? "an empty text" : "invalid JSON"};
  }
}

std::string dump_line(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string dump_line(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

const json& member(const json& object, std::string_view key) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string string_at(const json& object, std::string_view key) {
  const json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace memuse::chat
