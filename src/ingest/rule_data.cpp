#include "ingest/rule_data.h"

#include <charconv>

#include "ingest/python_literal.h"

namespace memuse::ingest {
namespace {

const JsonValue* parse(std::string_view text, JsonParser& parser, Arena& arena) {
  if (text.empty()) return nullptr;
  const std::string_view kept = arena.keep(text);  // has the slack behind it that the parser may read
  JsonFault fault;
  return parser.parse(kept, kept.size() + Arena::kSlack, arena, fault, JsonRoot::container);
}

std::optional<DecodedText> decode_json(const MappedText& text, JsonParser& parser, Arena& arena) {
  const JsonValue* root = parse(text.text(), parser, arena);
  if (root == nullptr) return std::nullopt;
  return DecodedText{root, text};
}

/// All lines that are JSON values, as one array. A listing may be cut, and other lines may stand between.
std::optional<DecodedText> decode_json_lines(const MappedText& text, JsonParser& parser, Arena& arena) {
  std::string joined = "[";
  MappedText mapped(text, {});
  const std::string_view all = text.text();
  Arena scratch;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t line_feed = std::min(all.find('\n', begin), all.size());
    const std::string_view line = all.substr(begin, line_feed - begin);
    if (!line.empty() && (line.front() == '{' || line.front() == '[') && parse(line, parser, scratch) != nullptr) {
      if (joined.size() > 1) joined += ',';
      if (const auto there = text.place(begin)) mapped.add_step(joined.size(), *there);
      joined += line;
    }
    begin = line_feed + 1;
  }
  if (joined.size() == 1) return std::nullopt;
  joined += ']';
  mapped.set_text(arena.keep(joined));
  return decode_json(mapped, parser, arena);
}

std::optional<DecodedText> decode_python(const MappedText& text, JsonParser& parser, Arena& arena) {
  const auto translated = python_to_json(text.text());
  if (!translated) return std::nullopt;
  MappedText mapped(text, arena.keep(translated->json));
  for (const PythonAsJson::Origin& origin : translated->strings) {
    if (const auto there = text.place(origin.python)) mapped.add_step(origin.json, *there);
  }
  return decode_json(mapped, parser, arena);
}

std::optional<MappedText> string_at(const DecodedText& data, const std::vector<std::string>& path) {
  const JsonValue* value = value_at(*data.root, path);
  if (value == nullptr || value->kind != JsonKind::string) return std::nullopt;
  MappedText mapped(data.json, value->text);
  if (const auto there = data.json.place(value->byte + 1)) mapped.add_step(0, *there);
  return mapped;
}

const JsonValue* child(const JsonValue& from, const std::string& name) {
  if (from.kind == JsonKind::object) return from.field(name);
  if (from.kind != JsonKind::array) return nullptr;
  std::uint32_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc{} || end != name.data() + name.size() || index >= from.children) return nullptr;
  const JsonValue* element = from.first_child;
  for (; index > 0; --index) element = element->next;
  return element;
}

struct Collector {
  const std::vector<std::string>& path;
  std::size_t limit;
  std::vector<const JsonValue*> found;
  bool reached = false;

  void walk(const JsonValue& from, std::size_t depth) {
    if (found.size() > limit) return;
    if (depth == path.size()) {
      reached = true;
      found.push_back(&from);
      return;
    }
    if (path[depth] != "*") {
      if (const JsonValue* next = child(from, path[depth])) walk(*next, depth + 1);
      return;
    }
    if (from.kind != JsonKind::array && from.kind != JsonKind::object) return;
    reached = true;  // an empty list is a list
    for (const JsonValue& element : JsonChildren(from)) walk(element, depth + 1);
  }
};

}  // namespace

std::optional<DecodedText> decode_text(const std::vector<DecodeStep>& steps, const MappedText& text, JsonParser& parser,
                                       Arena& arena) {
  std::optional<MappedText> current = text;
  std::optional<DecodedText> data;
  for (const DecodeStep& step : steps) {
    switch (step.kind) {
      case DecodeStep::Kind::at:
        current = string_at(*data, step.path);
        if (!current) return std::nullopt;
        continue;
      case DecodeStep::Kind::json:
        data = decode_json(*current, parser, arena);
        break;
      case DecodeStep::Kind::json_lines:
        data = decode_json_lines(*current, parser, arena);
        break;
      case DecodeStep::Kind::python:
        data = decode_python(*current, parser, arena);
        break;
    }
    if (!data) return std::nullopt;
  }
  return data;
}

const JsonValue* value_at(const JsonValue& from, const std::vector<std::string>& path) {
  const JsonValue* value = &from;
  for (const std::string& name : path) {
    value = child(*value, name);
    if (value == nullptr) return nullptr;
  }
  return value;
}

std::optional<std::vector<const JsonValue*>> values_at(const JsonValue& from, const std::vector<std::string>& path,
                                                       std::size_t limit) {
  Collector collector{path, limit, {}};
  collector.walk(from, 0);
  if (!collector.reached) return std::nullopt;
  return std::move(collector.found);
}

std::optional<std::string_view> value_text(const JsonValue& value, Arena& arena) {
  switch (value.kind) {
    case JsonKind::null:
      return std::nullopt;
    case JsonKind::boolean:
      return value.boolean ? std::string_view("true") : std::string_view("false");
    case JsonKind::string:
      return value.text;
    case JsonKind::number:
      return arena.keep(value.text);
    case JsonKind::array:
    case JsonKind::object:
      break;
  }
  return arena.keep(to_json(value));
}

}  // namespace memuse::ingest
