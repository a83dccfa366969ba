#include "agentic_judge/judge_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace memuse::agentic_judge {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kDeepestObject = 32;
constexpr std::size_t kMostLooks = 4;  ///< times that a byte of prose is looked at, on average

/// A schema of an object that takes these properties and no others.
ordered_json object_schema(ordered_json properties, std::vector<std::string> required) {
  ordered_json schema{{"type", "object"}, {"properties", std::move(properties)}};
  // Older drafts of JSON Schema know no empty list here.
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

ordered_json described(std::string_view type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}

/// One of the values, given as text, or null.
ordered_json choice(std::vector<std::string> values, bool nullable, std::string_view description) {
  ordered_json all = ordered_json::array();
  for (std::string& value : values) all.push_back(std::move(value));
  if (nullable) all.push_back(nullptr);
  const ordered_json type = nullable ? ordered_json::array({"string", "null"}) : ordered_json("string");
  return {{"type", type}, {"enum", std::move(all)}, {"description", description}};
}

ordered_json evidence_schema() {
  ordered_json properties;
  properties["step"] = {
      {"type", {"integer", "null"}},
      {"minimum", 0},
      {"description", "number of the step that is quoted, 0 for the task; null when a file is cited"}};
  properties["file"] = {{"type", {"string", "null"}},
                        {"description", "name of the evidence file that is quoted; null when a step is cited"}};
  properties["quote"] = described("string", "recorded words of that place, letter by letter");
  properties["supports"] =
      choice({"relevance", "accuracy", "novelty", "influence", "effect"}, false, "the label that it is for");
  return object_schema(std::move(properties), {"quote", "supports"});
}

// The order of the fields is a demand: whoever writes in this order has given reasons before labels.
ordered_json entry_schema() {
  ordered_json properties;
  properties["entry"] = {{"type", "integer"}, {"minimum", 0}, {"description", "number of the entry"}};
  properties["reason"] = described("string", "what the labels rest on, in one to three sentences");
  properties["evidence"] = {{"type", "array"}, {"items", evidence_schema()}};
  properties["relevance"] = described("boolean", "does the text apply to the task or to the agent's subgoal?");
  properties["accuracy"] =
      choice({"corroborated", "uncontradicted", "contradicted"}, false, "is the claim right in its situation?");
  properties["novelty"] = choice({"novel", "confirming", "redundant"}, true, "what was it to the agent on arrival?");
  properties["influence"] =
      choice({"none", "referenced", "selected", "acted_on"}, true, "what did it shape inside its window?");
  properties["anchors"] = {{"type", "array"},
                           {"items", {{"type", "integer"}, {"minimum", 1}}},
                           {"description", "steps inside the window where the influence shows"}};
  properties["effect"] =
      choice({"improved", "no_effect", "harmed"}, true, "what came of credited actions? null unless acted_on");
  std::vector<std::string> required;
  for (const auto& [name, schema] : properties.items()) required.push_back(name);
  return object_schema(std::move(properties), std::move(required));
}

ordered_json submit_schema() {
  ordered_json properties;
  properties["entries"] = {{"type", "array"}, {"items", entry_schema()}};
  return object_schema(std::move(properties), {"entries"});
}

ordered_json read_schema() {
  ordered_json properties;
  properties["file"] = described("string", "name of the file as the index gives it");
  properties["from"] = {{"type", "integer"}, {"minimum", 0}, {"description", "first byte; 0 when left out"}};
  properties["bytes"] = {
      {"type", "integer"}, {"minimum", 0}, {"description", "how many bytes; as many as one page has when left out"}};
  return object_schema(std::move(properties), {"file"});
}

ordered_json search_schema() {
  ordered_json properties;
  properties["pattern"] = described("string", "RE2 regular expression, matched line by line");
  properties["file"] = described("string", "name of one file; all files when left out");
  return object_schema(std::move(properties), {"pattern"});
}

/// Looks for the end of one object without building it.
class ObjectEnd : public nlohmann::json_sax<json> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool key(string_t& /*name*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return ++depth_ <= kDeepestObject; }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return ++depth_ <= kDeepestObject; }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  bool close() {
    --depth_;
    return true;
  }
  std::size_t depth_ = 0;
};

/// Where the parser stopped.
std::size_t position(std::istringstream& in, std::size_t size) {
  in.clear();
  const std::streamoff at = in.tellg();
  return at < 0 ? size : static_cast<std::size_t>(at);
}

}  // namespace

std::vector<chat::ToolSpec> judge_tools() {
  return {
      {"list_files", "Lists the evidence files with their sizes and what they hold.",
       object_schema(ordered_json::object(), {})},
      {"read_file", "Prints bytes of an evidence file, at most a page; the first line says how to go on.",
       read_schema()},
      {"search", "Prints the lines that match, with the bytes where they stand. Only these lines count as read.",
       search_schema()},
      {std::string(kSubmitAnswer),
       "Hands in the answer: one object for every entry that has to be answered, fields in the order of the schema.",
       submit_schema()}};
}

std::string tools_in_words() {
  std::string words;
  for (const chat::ToolSpec& tool : judge_tools()) {
    words += fmt::format("{}- `{}`: {}\n  {}", words.empty() ? "" : "\n", tool.name, tool.description,
                         tool.parameters.dump());
  }
  return words;
}

std::vector<std::string> json_objects_in(std::string_view text, std::size_t most) {
  std::vector<std::string> objects;
  std::istringstream in{std::string(text)};
  std::size_t looked_at = 0;
  for (std::size_t at = text.find('{'); at != std::string_view::npos && objects.size() < most;) {
    in.clear();
    in.seekg(static_cast<std::streamoff>(at));
    ObjectEnd handler;
    const bool parsed = json::sax_parse(in, &handler, json::input_format_t::json, false);
    const std::size_t end = position(in, text.size());
    if (parsed) objects.emplace_back(text.substr(at, end - at));
    // A brace of prose may be followed by an object that was taken for a part of it. Looking at everything again has a
    // limit; beyond it the search goes on where the parser stopped.
    looked_at += end - at;
    const bool again = looked_at / kMostLooks <= text.size();
    at = text.find('{', parsed ? end : std::max(at + 1, again ? at + 1 : end - 1));
  }
  return objects;
}

std::optional<std::string> json_object_in(std::string_view text) {
  std::vector<std::string> objects = json_objects_in(text, 1);
  if (objects.empty()) return std::nullopt;
  return std::move(objects.front());
}

}  // namespace memuse::agentic_judge
