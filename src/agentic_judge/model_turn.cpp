#include "agentic_judge/model_turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "agentic_judge/judge_tools.h"
#include "judge/strict_json.h"
#include "model/text.h"

namespace memuse::agentic_judge {
namespace {

using nlohmann::json;

constexpr std::size_t kMostObjects = 16;  ///< of one reply that are looked at
/// Of a call in text: an answer is inside, and two levels around it.
constexpr judge::JsonLimits kCallInText{std::size_t{4} << 20U, 10};

/// True when the object has the field; false for what has no unique meaning, which `parse_answer` explains better.
bool has_field(const std::string& object, const char* field) {
  // Nothing deep: the finder of objects has bounded it.
  const json parsed = json::parse(object, nullptr, false);
  return parsed.is_object() && parsed.contains(field);
}

chat::ToolCall answer_call(std::string object) {
  return {"", std::string(kSubmitAnswer), std::move(object)};
}

ModelTurn native_turn(const chat::ChatMessage& reply) {
  ModelTurn turn;
  turn.calls = reply.tool_calls;
  if (!turn.calls.empty()) return turn;
  for (std::string& object : json_objects_in(reply.text, kMostObjects)) {
    if (!has_field(object, "entries")) continue;
    turn.calls.push_back(answer_call(std::move(object)));
    turn.by_message = true;
    return turn;
  }
  turn.complaint =
      "Your reply called no tool. Read with list_files, read_file and search; when you have read what the labels need, "
      "call submit_answer.";
  return turn;
}

/// The call that an object stands for; what is wrong goes to `complaint`.
std::optional<chat::ToolCall> call_in(const std::string& object, std::string& complaint) {
  std::vector<std::string> faults;
  const std::optional<json> parsed = judge::parse_strict_json(object, kCallInText, faults);
  if (!parsed) {
    complaint = "Your reply could not be read: " + faults.front() + ".";
    return std::nullopt;
  }
  if (parsed->contains("entries") && !parsed->contains("tool")) return answer_call(object);
  const auto tool = parsed->find("tool");
  if (tool == parsed->end() || !tool->is_string()) {
    complaint = "Your reply holds a JSON object without the name of a tool.";
    return std::nullopt;
  }
  for (const auto& [name, value] : parsed->items()) {
    if (name == "tool" || name == "arguments") continue;
    complaint =
        fmt::format("Your reply has a field \"{}\" beside \"tool\" and \"arguments\".", printable(shortened(name, 60)));
    return std::nullopt;
  }
  const json arguments = parsed->value("arguments", json::object());
  return chat::ToolCall{"", tool->get<std::string>(), arguments.dump()};
}

ModelTurn json_turn(const chat::ChatMessage& reply) {
  ModelTurn turn;
  turn.by_message = true;
  std::string complaint = "Your reply holds no JSON object.";
  for (const std::string& object : json_objects_in(reply.text, kMostObjects)) {
    if (std::optional<chat::ToolCall> call = call_in(object, complaint)) {
      turn.calls.push_back(std::move(*call));
      return turn;
    }
  }
  turn.complaint = complaint + R"( Reply with one JSON object {"tool": "…", "arguments": {…}} and nothing else.)";
  return turn;
}

}  // namespace

ModelTurn read_turn(const chat::ChatMessage& reply, ToolProtocol protocol) {
  return protocol == ToolProtocol::native ? native_turn(reply) : json_turn(reply);
}

bool arguments_are_whole(const ModelTurn& turn) {
  return std::all_of(turn.calls.begin(), turn.calls.end(), [](const chat::ToolCall& call) {
    return is_blank(call.arguments) || json::accept(call.arguments);
  });
}

}  // namespace memuse::agentic_judge
