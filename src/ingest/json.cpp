#include "ingest/json.h"

#include <simdjson.h>

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kPoolBlock = 256;
/// Ways in which a key can look at a glance (`looks_of_key`).
constexpr std::size_t kLooks = 256;
constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

bool is_json_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string_view trim_end(std::string_view text) {
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

std::size_t looks_of_key(std::string_view key) {
  if (key.empty()) return 0;
  const auto letter = [](char c) { return static_cast<std::size_t>(static_cast<unsigned char>(c)); };
  return (key.size() * 37 + letter(key.front()) * 11 + letter(key[key.size() / 2]) * 5 + letter(key.back())) % kLooks;
}

std::optional<std::uint32_t> hex4(std::string_view text) {
  std::uint32_t value = 0;
  if (text.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, value, 16);
  if (error != std::errc{} || end != text.data() + 4) return std::nullopt;
  return value;
}

bool is_high_surrogate(std::uint32_t c) {
  return c >= 0xD800 && c <= 0xDBFF;
}
bool is_surrogate(std::uint32_t c) {
  return c >= 0xD800 && c <= 0xDFFF;
}

/// True when the \uXXXX at `at` starts a well-formed pair.
bool is_pair(std::string_view content, std::size_t at, std::uint32_t first) {
  if (!is_high_surrogate(first) || at + 12 > content.size() || content.substr(at + 6, 2) != "\\u") return false;
  const auto second = hex4(content.substr(at + 8));
  return second && *second >= 0xDC00 && *second <= 0xDFFF;
}

/// The number of digits at the start of `text`, which they are taken from.
std::size_t take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  text.remove_prefix(count);
  return count;
}

/// The grammar of a JSON number (RFC 8259); simdjson's and the library's readers are each laxer somewhere.
bool is_json_number(std::string_view text) {
  const auto skip = [&](char one, char other) {
    const bool found = !text.empty() && (text.front() == one || text.front() == other);
    if (found) text.remove_prefix(1);
    return found;
  };
  skip('-', '-');
  const bool leads_with_zero = text.substr(0, 1) == "0";
  const std::size_t whole = take_digits(text);
  if (whole == 0 || (leads_with_zero && whole > 1)) return false;
  if (skip('.', '.') && take_digits(text) == 0) return false;
  if (skip('e', 'E')) {
    skip('+', '-');
    if (take_digits(text) == 0) return false;
  }
  return text.empty();
}

/// A number that is surely in the range of a double: without an exponent, and of few digits.
bool is_plain_number(std::string_view number) {
  constexpr std::size_t kFew = 300;  // doubles reach beyond 10^308
  return number.size() <= kFew && number.find_first_of("eE") == std::string_view::npos;
}

/// `content` with every lone surrogate escape written as U+FFFD.
std::string without_lone_surrogates(std::string_view content) {
  std::string out;
  out.reserve(content.size());
  for (std::size_t i = 0; i < content.size();) {
    if (content[i] != '\\' || i + 1 >= content.size()) {
      out += content[i++];
      continue;
    }
    if (content[i + 1] != 'u') {
      out += content.substr(i, 2);
      i += 2;
      continue;
    }
    const auto code = hex4(content.substr(i + 2));
    if (code && is_pair(content, i, *code)) {
      out += content.substr(i, 12);
      i += 12;
    } else if (code && is_surrogate(*code)) {
      out += kReplacementCharacter;
      i += 6;
    } else {
      out += content.substr(i, 2);
      i += 2;
    }
  }
  return out;
}

Fault fault_of(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return Fault::invalid_utf8;
    case simdjson::DEPTH_ERROR:
      return Fault::nesting_too_deep;
    case simdjson::CAPACITY:
      return Fault::line_too_long;
    default:
      return Fault::invalid_json;
  }
}

/// Unwinds a half-built tree; never leaves this file.
struct Failure {
  Fault fault;
  std::string detail;
  const char* place = nullptr;
};

}  // namespace

static_assert(JsonParser::kMaxBytes == simdjson::SIMDJSON_MAXSIZE_BYTES);
static_assert(JsonParser::kPadding >= simdjson::SIMDJSON_PADDING);

struct JsonParser::Implementation {
  using Value = simdjson::ondemand::value;

  explicit Implementation(std::size_t max_bytes) : parser_(max_bytes) {}

  const JsonValue* parse(std::string_view text, std::size_t readable, Arena& arena, JsonFault& fault, JsonRoot wanted);
  JsonValue* new_value();
  JsonValue* build_root(JsonRoot wanted, Arena& arena);
  void build(Value value, JsonValue& out, std::uint32_t depth, Arena& arena);
  void build_object(simdjson::ondemand::object object, JsonValue& out, std::uint32_t depth, Arena& arena);
  void build_array(simdjson::ondemand::array array, JsonValue& out, std::uint32_t depth, Arena& arena);
  void note_duplicates(const JsonValue& object);
  std::string_view decode(std::string_view quoted_content, Arena& arena);
  std::string_view decode_key(const char* key, Arena& arena);
  std::string_view raw_until_here(const char* begin);

  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  std::vector<std::vector<JsonValue>> pool_;  // blocks, so that addresses stay
  std::size_t pool_used_ = 0;
  std::string_view text_;
  bool may_have_surrogates_ = false;  // somewhere in the record: most have none, and then no string is looked through
  JsonRepairs repairs_;
};

JsonParser::JsonParser(std::size_t max_bytes) : implementation_(std::make_unique<Implementation>(max_bytes)) {}
JsonParser::~JsonParser() = default;

const JsonValue* JsonParser::parse(std::string_view text, std::size_t readable, Arena& arena, JsonFault& fault,
                                   JsonRoot wanted) {
  forget();
  return implementation_->parse(text, readable, arena, fault, wanted);
}

const JsonValue* JsonParser::parse_next(std::string_view text, std::size_t readable, Arena& arena, JsonFault& fault,
                                        JsonRoot wanted) {
  return implementation_->parse(text, readable, arena, fault, wanted);
}

void JsonParser::forget() {
  implementation_->pool_used_ = 0;
}

std::size_t JsonParser::values() const {
  return implementation_->pool_used_;
}

const JsonRepairs& JsonParser::repairs() const {
  return implementation_->repairs_;
}

const JsonValue* JsonValue::field(std::string_view name) const {
  if (kind != JsonKind::object) return nullptr;
  for (const JsonValue* child = first_child; child != nullptr; child = child->next) {
    if (same_key(child->key, name)) return child;
  }
  return nullptr;
}

std::optional<std::string_view> JsonValue::as_string() const {
  if (kind != JsonKind::string) return std::nullopt;
  return text;
}

std::optional<bool> JsonValue::as_bool() const {
  if (kind != JsonKind::boolean) return std::nullopt;
  return boolean;
}

std::optional<std::uint64_t> JsonValue::as_unsigned() const {
  if (kind != JsonKind::number) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  const auto real = as_double();
  constexpr double kExact = 9007199254740992.0;  // 2^53: larger doubles are not exact integers
  if (!real || *real < 0 || *real > kExact || std::floor(*real) != *real) return std::nullopt;
  return static_cast<std::uint64_t>(*real);
}

std::optional<double> JsonValue::as_double() const {
  if (kind != JsonKind::number) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool has_surrogate_escape(std::string_view raw) {
  // This runs over every byte of every record: most blocks have no such escape, and are not looked at more closely.
  constexpr std::size_t kBlock = 1024;
  for (std::size_t begin = 0; begin < raw.size(); begin += kBlock) {
    const std::string_view block = raw.substr(begin, kBlock + 2);
    if (!holds_pair(block, '\\', 'u')) continue;
    for (std::size_t at = block.find("\\u"); at != std::string_view::npos; at = block.find("\\u", at + 2)) {
      if (at + 2 < block.size() && (block[at + 2] == 'd' || block[at + 2] == 'D')) return true;
    }
  }
  return false;
}

namespace {

void append_escape(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default: {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(c) >> 4U];
      out += kDigits[static_cast<unsigned char>(c) & 0x0FU];
    }
  }
}

}  // namespace

// The library's writer decodes every character; commands and arguments of every step pass through here.
void append_json_string(std::string_view text, std::string& out) {
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  out += '"';
  std::size_t plain = 0;  // begin of what needs no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) >= 0x20 && text[i] != '"' && text[i] != '\\') continue;
    out.append(text, plain, i - plain);
    append_escape(text[i], out);
    plain = i + 1;
  }
  out.append(text, plain);
  out += '"';
}

namespace {

void append_json(const JsonValue& value, std::string& out) {
  switch (value.kind) {
    case JsonKind::null:
      out += "null";
      return;
    case JsonKind::boolean:
      out += value.boolean ? "true" : "false";
      return;
    case JsonKind::number:
      out += value.text;
      return;
    case JsonKind::string:
      append_json_string(value.text, out);
      return;
    case JsonKind::array:
    case JsonKind::object: {
      const bool is_object = value.kind == JsonKind::object;
      out += is_object ? '{' : '[';
      for (const JsonValue& child : JsonChildren(value)) {
        if (&child != value.first_child) out += ',';
        if (is_object) {
          append_json_string(child.key, out);
          out += ':';
        }
        append_json(child, out);
      }
      out += is_object ? '}' : ']';
    }
  }
}

}  // namespace

std::string to_json(const JsonValue& value) {
  std::string out;
  append_json(value, out);
  return out;
}

std::string_view recorded_json(const JsonValue& value, Arena& arena) {
  const bool is_container = value.kind == JsonKind::object || value.kind == JsonKind::array;
  return arena.keep(is_container && !has_surrogate_escape(value.text) ? value.text : to_json(value));
}

std::string_view arguments_json(const JsonValue* value, Arena& arena) {
  if (value == nullptr || value->is_null()) return "null";
  const auto text = value->as_string();
  const std::size_t first = text ? text->find_first_not_of(" \t\r\n") : std::string_view::npos;
  const bool may_hold_json = first != std::string_view::npos && ((*text)[first] == '{' || (*text)[first] == '[');
  if (may_hold_json && nlohmann::json::accept(*text)) return *text;
  return recorded_json(*value, arena);
}

JsonValue* JsonParser::Implementation::new_value() {
  if (pool_used_ == pool_.size() * kPoolBlock) pool_.emplace_back(kPoolBlock);
  JsonValue& value = pool_[pool_used_ / kPoolBlock][pool_used_ % kPoolBlock];
  ++pool_used_;
  value = JsonValue{};
  return &value;
}

std::string_view JsonParser::Implementation::decode(std::string_view quoted_content, Arena& arena) {
  const auto unescape = [&](const char* content, std::size_t size) {
    auto* place = reinterpret_cast<std::uint8_t*>(arena.reserve(size));
    simdjson::ondemand::raw_json_string raw(reinterpret_cast<const std::uint8_t*>(content));
    return parser_.unescape(raw, place);
  };
  const auto or_fail = [&](simdjson::simdjson_result<std::string_view> result) {
    std::string_view decoded;
    if (std::move(result).get(decoded) != simdjson::SUCCESS) {
      throw Failure{Fault::invalid_json, "a string has an escape that JSON does not know", quoted_content.data()};
    }
    return arena.commit(decoded.size());
  };
  // simdjson 3.0.1 turns some lone surrogates into bytes that are not UTF-8, and refuses others.
  if (!may_have_surrogates_ || !has_surrogate_escape(quoted_content))
    return or_fail(unescape(quoted_content.data(), quoted_content.size()));
  std::string repaired = without_lone_surrogates(quoted_content);
  const std::size_t size = repaired.size();
  if (repaired != quoted_content) ++repairs_.strings;
  repaired += '"';
  repaired.append(simdjson::SIMDJSON_PADDING, ' ');
  return or_fail(unescape(repaired.data(), size));
}

/// The key behind whose opening quote `key` points; nearly none has an escape.
std::string_view JsonParser::Implementation::decode_key(const char* key, Arena& arena) {
  const auto rest = static_cast<std::size_t>(text_.data() + text_.size() - key);
  const char* end = static_cast<const char*>(std::memchr(key, '"', rest));
  // simdjson has checked that there is a closing quote.
  if (end == nullptr) throw Failure{Fault::invalid_json, "a key has no end", key};
  const std::string_view plain(key, static_cast<std::size_t>(end - key));
  if (plain.find('\\') == std::string_view::npos) return arena.keep(plain);
  end = key;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  return decode(std::string_view(key, static_cast<std::size_t>(end - key)), arena);
}

/// Raw JSON of the container that started at `begin` and whose children have just been walked.
std::string_view JsonParser::Implementation::raw_until_here(const char* begin) {
  const char* here = nullptr;
  if (document_.current_location().get(here) != simdjson::SUCCESS) here = text_.data() + text_.size();
  return trim_end(std::string_view(begin, static_cast<std::size_t>(here - begin)));
}

void JsonParser::Implementation::note_duplicates(const JsonValue& object) {
  constexpr std::uint32_t kFew = 24;
  if (object.children <= kFew) {
    for (const JsonValue& field : JsonChildren(object)) {
      if (object.field(field.key) != &field) repairs_.duplicate_keys.push_back(field.key);
    }
    return;
  }
  // A hostile object with very many fields must not be compared pairwise.
  std::vector<std::string_view> keys;
  keys.reserve(object.children);
  for (const JsonValue& field : JsonChildren(object)) keys.push_back(field.key);
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i] == keys[i - 1]) repairs_.duplicate_keys.push_back(keys[i]);
  }
}

void JsonParser::Implementation::build_object(simdjson::ondemand::object object, JsonValue& out, std::uint32_t depth,
                                              Arena& arena) {
  out.kind = JsonKind::object;
  JsonValue* last = nullptr;
  std::bitset<kLooks> seen;  // keys that look different are different
  bool may_repeat = false;
  for (auto field_result : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(field_result).get(field))
      throw Failure{fault_of(error), simdjson::error_message(error)};
    const char* key = field.key().raw();
    JsonValue* child = new_value();
    child->key = decode_key(key, arena);
    build(field.value(), *child, depth + 1, arena);
    (last == nullptr ? out.first_child : last->next) = child;
    last = child;
    ++out.children;
    const std::size_t looks = looks_of_key(child->key);
    may_repeat = may_repeat || seen.test(looks);
    seen.set(looks);
  }
  if (may_repeat) note_duplicates(out);
}

void JsonParser::Implementation::build_array(simdjson::ondemand::array array, JsonValue& out, std::uint32_t depth,
                                             Arena& arena) {
  out.kind = JsonKind::array;
  JsonValue* last = nullptr;
  for (auto element_result : array) {
    Value element;
    if (const auto error = std::move(element_result).get(element))
      throw Failure{fault_of(error), simdjson::error_message(error)};
    JsonValue* child = new_value();
    build(element, *child, depth + 1, arena);
    (last == nullptr ? out.first_child : last->next) = child;
    last = child;
    ++out.children;
  }
}

void JsonParser::Implementation::build(Value value, JsonValue& out, std::uint32_t depth, Arena& arena) {
  const std::string_view token = value.raw_json_token();
  const char* begin = token.data();
  out.byte = static_cast<std::size_t>(begin - text_.data());
  const auto check = [&](simdjson::error_code error) {
    if (error) throw Failure{fault_of(error), simdjson::error_message(error), begin};
  };
  simdjson::ondemand::json_type type{};
  check(value.type().get(type));
  if (depth >= kMaxDepth &&
      (type == simdjson::ondemand::json_type::object || type == simdjson::ondemand::json_type::array)) {
    throw Failure{Fault::nesting_too_deep, "more than 64 levels", begin};
  }
  switch (type) {
    case simdjson::ondemand::json_type::object: {
      simdjson::ondemand::object object;
      check(value.get_object().get(object));
      build_object(object, out, depth, arena);
      out.text = raw_until_here(begin);
      break;
    }
    case simdjson::ondemand::json_type::array: {
      simdjson::ondemand::array array;
      check(value.get_array().get(array));
      build_array(array, out, depth, arena);
      out.text = raw_until_here(begin);
      break;
    }
    case simdjson::ondemand::json_type::string: {
      simdjson::ondemand::raw_json_string raw;
      check(value.get_raw_json_string().get(raw));
      const std::string_view quoted = trim_end(token);
      out.kind = JsonKind::string;
      out.text = decode(quoted.substr(1, quoted.size() - 2), arena);
      break;
    }
    case simdjson::ondemand::json_type::number: {
      // The digits are kept: identifiers and costs may be larger or finer than a machine number.
      const std::string_view digits = trim_end(token);
      if (!is_json_number(digits))
        throw Failure{Fault::invalid_json, "a number is not written as JSON wants it", begin};
      out.kind = JsonKind::number;
      out.text = arena.keep(digits);
      if (is_plain_number(digits)) break;
      double ignored = 0;
      const auto error = value.get_double().get(ignored);
      if (error == simdjson::NUMBER_ERROR && !out.as_double()) {
        throw Failure{Fault::invalid_json, "a number is beyond the range of a double", begin};
      }
      if (error != simdjson::NUMBER_ERROR) check(error);
      break;
    }
    case simdjson::ondemand::json_type::boolean:
      out.kind = JsonKind::boolean;
      check(value.get_bool().get(out.boolean));
      break;
    case simdjson::ondemand::json_type::null:
      // Not a plain bool: `is_null` fails for literals that only start like null.
      if (bool is_null = false; value.is_null().get(is_null) != simdjson::SUCCESS || !is_null)
        throw Failure{Fault::invalid_json, "an unknown literal", begin};
      break;
  }
}

JsonValue* JsonParser::Implementation::build_root(JsonRoot wanted, Arena& arena) {
  simdjson::ondemand::json_type type{};
  const bool typed = document_.type().get(type) == simdjson::SUCCESS;
  JsonValue* root = new_value();
  if (typed && type == simdjson::ondemand::json_type::object) {
    simdjson::ondemand::object object;
    if (const auto error = document_.get_object().get(object)) {
      throw Failure{fault_of(error), simdjson::error_message(error)};
    }
    build_object(object, *root, 0, arena);
  } else if (typed && type == simdjson::ondemand::json_type::array && wanted == JsonRoot::container) {
    simdjson::ondemand::array array;
    if (const auto error = document_.get_array().get(array)) {
      throw Failure{fault_of(error), simdjson::error_message(error)};
    }
    build_array(array, *root, 0, arena);
  } else {
    throw Failure{Fault::not_an_object, "", text_.data()};
  }
  root->text = text_;
  return root;
}

const JsonValue* JsonParser::Implementation::parse(std::string_view text, std::size_t readable, Arena& arena,
                                                   JsonFault& fault, JsonRoot wanted) {
  repairs_.strings = 0;
  repairs_.duplicate_keys.clear();
  text_ = text;
  may_have_surrogates_ = has_surrogate_escape(text);
  try {
    if (const auto error =
            parser_.iterate(simdjson::padded_string_view(text.data(), text.size(), readable)).get(document_)) {
      // `document_` is still that of the record before: its location means nothing here.
      const std::size_t valid = error == simdjson::UTF8_ERROR ? valid_utf8_prefix(text) : 0;
      throw Failure{fault_of(error), simdjson::error_message(error), text.data() + valid};
    }
    JsonValue* root = build_root(wanted, arena);
    // At the end of the text there is no current location (document::at_end came after 3.0.1).
    const char* here = nullptr;
    if (document_.current_location().get(here) == simdjson::SUCCESS) {
      throw Failure{Fault::trailing_content, "", here};
    }
    return root;
  } catch (const Failure& failure) {
    fault.fault = failure.fault;
    fault.detail = failure.detail;
    const char* place = failure.place;
    if (place == nullptr && document_.current_location().get(place) != simdjson::SUCCESS) place = text.data();
    const bool inside = place >= text.data() && place <= text.data() + text.size();
    fault.byte = inside ? static_cast<std::size_t>(place - text.data()) : 0;
    return nullptr;
  }
}

}  // namespace memuse::ingest
