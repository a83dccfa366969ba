#include "report/action_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace memuse::report {
namespace {

constexpr std::size_t kLargestParsed = std::size_t{4} << 20;  // bytes of arguments that are worth parsing for display
constexpr std::size_t kDeepestParsed = 32;
constexpr std::size_t kMostArguments = 64;
constexpr std::size_t kContextBytes = 320;  // on either side of a marked value
constexpr std::size_t kContextLines = 4;
constexpr std::size_t kEnoughSummary = 12;  // bytes of arguments that tell one action from another

/// Nesting depth of JSON text, without parsing it.
std::size_t nesting(std::string_view json) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

/// Recursion is bounded by `kDeepestParsed`.
void flatten(const nlohmann::ordered_json& value, const std::string& path, std::vector<Argument>& out) {
  if (out.size() >= kMostArguments) return;
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.items())
      flatten(member, path.empty() ? key : fmt::format("{}.{}", path, key), out);
  } else if (value.is_array() && !value.empty()) {
    for (std::size_t i = 0; i < value.size(); ++i) flatten(value[i], fmt::format("{}[{}]", path, i), out);
  } else if (value.is_string()) {
    out.push_back({path, value.get<std::string>()});
  } else {
    out.push_back({path, value.dump()});
  }
}

bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t length) {
  const std::size_t end = begin + length;
  const bool left = begin == 0 || !is_word(text[begin - 1]) || !is_word(text[begin]);
  const bool right = end == text.size() || !is_word(text[end]) || !is_word(text[end - 1]);
  return left && right;
}

bool inside_character(std::string_view text, std::size_t at) {
  return at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

Excerpt excerpt_of(std::string_view text, std::size_t begin, std::size_t length) {
  std::size_t from = begin;
  for (std::size_t lines = 0; from > 0 && begin - from < kContextBytes; --from) {
    if (text[from - 1] == '\n' && ++lines == kContextLines) break;
  }
  while (inside_character(text, from)) --from;
  const std::size_t end = begin + length;
  std::size_t to = end;
  for (std::size_t lines = 0; to < text.size() && to - end < kContextBytes; ++to) {
    if (text[to] == '\n' && ++lines == kContextLines) break;
  }
  while (inside_character(text, to)) ++to;
  return {std::string(text.substr(from, begin - from)), std::string(text.substr(begin, length)),
          std::string(text.substr(end, to - end)), from > 0, to < text.size()};
}

/// The evidence in one text: the value inside the quote, else the value alone, else the quote.
std::optional<Excerpt> look_in(std::string_view text, const Evidence& evidence) {
  const std::size_t quote = evidence.quote.empty() ? std::string_view::npos : text.find(evidence.quote);
  if (quote != std::string_view::npos) {
    if (evidence.value.empty()) return excerpt_of(text, quote, evidence.quote.size());
    if (const auto at = find_value(text.substr(quote, evidence.quote.size()), evidence.value)) {
      return excerpt_of(text, quote + *at, evidence.value.size());
    }
  }
  if (evidence.value.empty()) return std::nullopt;
  if (const auto at = find_value(text, evidence.value)) return excerpt_of(text, *at, evidence.value.size());
  return std::nullopt;
}

std::optional<Sighting> look_in_actions(const Step& step, std::uint32_t number, const Evidence& evidence) {
  for (std::size_t i = 0; i < step.actions.size(); ++i) {
    for (const Argument& argument : arguments_of(step.actions[i])) {
      if (auto excerpt = look_in(argument.text, evidence))
        return Sighting{number, i, argument.name, std::move(*excerpt)};
    }
    if (auto excerpt = look_in(step.actions[i].arguments, evidence)) {
      return Sighting{number, i, "arguments", std::move(*excerpt)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Argument> arguments_of(const Action& action) {
  const std::string_view raw = action.arguments;
  std::vector<Argument> out;
  if (raw.size() <= kLargestParsed && nesting(raw) <= kDeepestParsed) {
    const auto parsed = nlohmann::ordered_json::parse(raw, nullptr, false);
    if (!parsed.is_discarded()) {
      flatten(parsed, "", out);
      return out;
    }
  }
  out.push_back({"", std::string(raw)});
  return out;
}

std::string action_summary(const Action& action) {
  std::string first;
  for (const Argument& argument : arguments_of(action)) {
    if (!first.empty()) first += ' ';
    first += argument.text.substr(0, 200);
    if (first.size() >= kEnoughSummary) break;
  }
  std::replace_if(
      first.begin(), first.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  if (first.empty() || first == "null" || first == "{}") return std::string(action.name);
  return fmt::format("{}: {}", action.name, first);
}

std::optional<std::size_t> find_value(std::string_view text, std::string_view value) {
  if (value.empty()) return std::nullopt;
  const std::size_t first = text.find(value);
  if (first == std::string_view::npos) return std::nullopt;
  for (std::size_t at = first; at != std::string_view::npos; at = text.find(value, at + value.size())) {
    if (stands_alone(text, at, value.size())) return at;
  }
  return first;
}

std::optional<Sighting> find_evidence(const Episode& episode, const Evidence& evidence) {
  if (!evidence.step || *evidence.step == 0 || *evidence.step > episode.step_count()) return std::nullopt;
  const std::uint32_t number = *evidence.step;
  const Step& step = episode.steps[number - 1];
  if (auto sighting = look_in_actions(step, number, evidence)) return sighting;
  if (auto excerpt = look_in(step.response, evidence)) {
    return Sighting{number, std::nullopt, "response", std::move(*excerpt)};
  }
  if (auto excerpt = look_in(step.reasoning, evidence)) {
    return Sighting{number, std::nullopt, "reasoning", std::move(*excerpt)};
  }
  return std::nullopt;
}

}  // namespace memuse::report
