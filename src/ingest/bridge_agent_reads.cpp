#include "ingest/bridge_agent_reads.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ingest/bridge_json_file.h"
#include "ingest/json.h"

namespace memuse::ingest::bridge {
namespace {

struct Endpoint {
  std::string_view marker, field, placeholder;
  bool scene;
};

constexpr std::array<Endpoint, 2> kEndpoints{{
    {"/v3/scenario/read", "path", "<scene-file>", true},
    {"/v3/conversation/search", "query", "<query>", false},
}};

/// The command of a tool call; empty when it has none.
std::string command_of(const Action& action) {
  std::string padded(action.arguments);
  padded.resize(action.arguments.size() + JsonParser::kPadding);
  Arena arena;
  JsonFault fault;
  JsonParser parser(std::max<std::size_t>(padded.size(), 64));
  const JsonValue* root =
      parser.parse(std::string_view(padded).substr(0, action.arguments.size()), padded.size(), arena, fault);
  return root == nullptr ? std::string{} : std::string(text_at(*root, {"command"}));
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  const std::size_t next = text.find_first_not_of(" \t\n", at);
  return next == std::string_view::npos ? text.size() : next;
}

/// The value of `"field": "value"` in a command, with plain or backslash-escaped quotes.
std::optional<std::string> quoted_value(std::string_view command, std::string_view field) {
  for (const std::string_view quote : {"\"", "\\\""}) {
    const std::string name = std::string(quote) + std::string(field) + std::string(quote);
    for (std::size_t at = command.find(name); at != std::string_view::npos; at = command.find(name, at + 1)) {
      std::size_t value = skip_spaces(command, at + name.size());
      if (value >= command.size() || command[value] != ':') continue;
      value = skip_spaces(command, value + 1);
      if (!command.substr(value).starts_with(quote)) continue;
      value += quote.size();
      const std::size_t end = command.find(quote, value);
      if (end != std::string_view::npos && end > value) return std::string(command.substr(value, end - value));
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<AgentRead> reads_of(const Action& action) {
  std::vector<AgentRead> reads;
  const auto marked = [&](const Endpoint& endpoint) {
    return action.arguments.find(endpoint.marker) != std::string_view::npos;
  };
  // JSON may escape slashes, but no writer seen does; most commands are told apart here without being parsed.
  if (std::none_of(kEndpoints.begin(), kEndpoints.end(), marked)) return reads;
  const std::string command = command_of(action);
  for (const Endpoint& endpoint : kEndpoints) {
    if (command.find(endpoint.marker) == std::string::npos) continue;
    const auto value = quoted_value(command, endpoint.field);
    if (value && *value != endpoint.placeholder) reads.push_back({endpoint.scene, *value});
  }
  return reads;
}

ByteRange output_range(std::string_view observation) {
  constexpr std::string_view kOpen = "<output>\n";
  constexpr std::string_view kClose = "\n</output>";
  const std::size_t open = observation.find(kOpen);
  const std::size_t close = observation.rfind(kClose);
  if (open == std::string_view::npos || close == std::string_view::npos || close + 1 < open + kOpen.size()) {
    return {0, observation.size()};
  }
  const std::size_t begin = open + kOpen.size();
  return {begin, std::max(begin, close)};
}

}  // namespace memuse::ingest::bridge
