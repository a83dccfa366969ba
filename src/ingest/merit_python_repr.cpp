#include "ingest/merit_python_repr.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <system_error>

namespace memuse::ingest {
namespace {

/// `str.isprintable` of one character: no control, format, surrogate, private, unassigned or separator but the space.
bool is_printable(utf8proc_int32_t character) {
  if (character == ' ') return true;
  switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

void append_escaped(std::string& out, utf8proc_int32_t character) {
  constexpr utf8proc_int32_t kTwoDigits = 0x100;
  constexpr utf8proc_int32_t kFourDigits = 0x10000;
  const auto end = std::back_inserter(out);
  if (character < kTwoDigits) {
    fmt::format_to(end, "\\x{:02x}", character);
  } else if (character < kFourDigits) {
    fmt::format_to(end, "\\u{:04x}", character);
  } else {
    fmt::format_to(end, "\\U{:08x}", character);
  }
}

void append_string(std::string& out, std::string_view text) {
  const bool double_quoted = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = double_quoted ? '"' : '\'';
  out += quote;
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t character = -1;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at);
    const utf8proc_ssize_t length =
        utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - at), &character);
    const std::size_t taken = length > 0 ? static_cast<std::size_t>(length) : 1;
    if (character == quote || character == '\\') {
      out += '\\';
      out += static_cast<char>(character);
    } else if (character == '\n') {
      out += "\\n";
    } else if (character == '\r') {
      out += "\\r";
    } else if (character == '\t') {
      out += "\\t";
    } else if (length > 0 && !is_printable(character)) {
      append_escaped(out, character);
    } else {
      out += text.substr(at, taken);
    }
    at += taken;
  }
  out += quote;
}

/// A number with a fraction or an exponent is a float: the shortest digits that give it back, an exponent below 1e-4
/// and from 1e16 on. Anything else is an integer of any size.
void append_number(std::string& out, std::string_view digits) {
  if (digits.find_first_of(".eE") == std::string_view::npos) {
    out += digits == "-0" ? "0" : digits;
    return;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too large or too small for a double: from_chars leaves the value alone.
    const std::size_t exponent = digits.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && digits.substr(exponent + 1).starts_with('-');
    value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    if (digits.starts_with('-')) value = -value;
  }
  const std::string printed = fmt::format("{}", value);
  out += printed;
  if (printed.find_first_of(".en") == std::string::npos) out += ".0";
}

void append_repr(std::string& out, const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::null:
      out += "None";
      break;
    case JsonKind::boolean:
      out += value.boolean ? "True" : "False";
      break;
    case JsonKind::number:
      append_number(out, value.text);
      break;
    case JsonKind::string:
      append_string(out, value.text);
      break;
    case JsonKind::array:
    case JsonKind::object: {
      const bool is_object = value.kind == JsonKind::object;
      out += is_object ? '{' : '[';
      const char* separator = "";
      for (const JsonValue& child : JsonChildren(value)) {
        out += separator;
        separator = ", ";
        if (is_object) {
          append_string(out, child.key);
          out += ": ";
        }
        append_repr(out, child);  // as deep as JsonParser::kMaxDepth at most
      }
      out += is_object ? '}' : ']';
      break;
    }
  }
}

}  // namespace

std::string python_repr(const JsonValue& value) {
  std::string out;
  append_repr(out, value);
  return out;
}

}  // namespace memuse::ingest
