#include "ingest/merit_flags.h"

#include <algorithm>

#include "ingest/json.h"
#include "ingest/line_reader.h"
#include "ingest/merit_python_repr.h"

namespace memuse::ingest {

std::string printed_arguments(const std::vector<Step>& steps) {
  JsonParser parser;
  std::string printed;
  bool first = true;
  for (const Step& step : steps) {
    for (const Action& action : step.actions) {
      if (!first) printed += " | ";
      first = false;
      // Inside an array, since arguments may be any JSON and the parser takes containers.
      std::string json = "[";
      json += action.arguments.empty() ? std::string_view("null") : action.arguments;
      json += ']';
      const std::size_t size = json.size();
      json.append(LineReader::kPadding, '\0');
      Arena arena;
      JsonFault fault;
      const JsonValue* array =
          parser.parse(std::string_view(json).substr(0, size), json.size(), arena, fault, JsonRoot::container);
      // Text that is no JSON was printed by something else; it is searched as it stands.
      const bool is_json = array != nullptr && array->children == 1;
      printed += is_json ? python_repr(*array->first_child) : std::string(action.arguments);
    }
  }
  return printed;
}

std::optional<bool> merit_utilized(const Episode& episode) {
  if (!episode.probe || episode.probe->gold.empty() || !episode.probe->memory_had_fact) return std::nullopt;
  if (!*episode.probe->memory_had_fact) return false;
  if (episode.visibility == VisibilityGrade::unknown) return std::nullopt;
  const std::string printed = printed_arguments(episode.steps);
  return std::all_of(episode.probe->gold.begin(), episode.probe->gold.end(),
                     [&printed](std::string_view value) { return printed.find(value) != std::string::npos; });
}

}  // namespace memuse::ingest
