#include "ingest/openhands_text.h"

#include <fmt/format.h>

#include <vector>

#include "ingest/json_fields.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

std::string command_text(const JsonValue& event) {
  const JsonValue* extras = object_in(&event, "extras");
  const JsonValue* metadata = object_in(extras, "metadata");
  std::string text =
      fmt::format("{}{}{}", string_in(metadata, "prefix"), string_in(&event, "content"), string_in(metadata, "suffix"));
  if (const auto folder = string_in(metadata, "working_dir"); !folder.empty()) {
    text += fmt::format("\n[Current working directory: {}]", folder);
  }
  if (const auto python = string_in(metadata, "py_interpreter_path"); !python.empty()) {
    text += fmt::format("\n[Python interpreter: {}]", python);
  }
  const auto exit_code = number_in(metadata == nullptr ? extras : metadata, "exit_code");
  if (exit_code && *exit_code != -1) text += fmt::format("\n[Command finished with exit code {}]", *exit_code);
  return text;
}

void add_tagged(std::string& text, std::string_view tag, std::string_view content) {
  if (is_blank(content)) return;
  text += fmt::format("{}<{}>\n{}\n</{}>", text.empty() ? "" : "\n", tag, content, tag);
}

std::string runtime_text(const JsonValue& extras) {
  std::string text;
  const auto add_line = [&](const std::string& line) { text += (text.empty() ? "" : "\n") + line; };
  if (const JsonValue* hosts = object_in(&extras, "runtime_hosts")) {
    for (const JsonValue& port : JsonChildren(*hosts)) add_line(fmt::format("* {} (port {})", port.key, to_json(port)));
  }
  if (const auto more = string_in(&extras, "additional_agent_instructions"); !more.empty()) add_line(std::string(more));
  if (const JsonValue* secrets = object_in(&extras, "custom_secrets_descriptions")) {
    for (const JsonValue& secret : JsonChildren(*secrets)) {
      add_line(fmt::format("* ${}: {}", secret.key, secret.as_string().value_or(std::string_view{})));
    }
  }
  if (const auto date = string_in(&extras, "date"); !date.empty()) {
    add_line(fmt::format("Today's date is {} (UTC).", date));
  }
  return text;
}

std::string workspace_text(const JsonValue& extras) {
  std::string text;
  const std::string_view name = string_in(&extras, "repo_name");
  const std::string_view folder = string_in(&extras, "repo_directory");
  if (!name.empty() || !folder.empty()) {
    add_tagged(text, "REPOSITORY_INFO", fmt::format("repository {} in directory {}", name, folder));
  }
  add_tagged(text, "REPOSITORY_INSTRUCTIONS", string_in(&extras, "repo_instructions"));
  add_tagged(text, "RUNTIME_INFORMATION", runtime_text(extras));
  add_tagged(text, "CONVERSATION_INSTRUCTIONS", string_in(&extras, "conversation_instructions"));
  return text;
}

}  // namespace

std::string openhands_observation_text(const JsonValue& event) {
  const std::string_view type = string_in(&event, "observation");
  if (type == "run") return command_text(event);
  std::string text(string_in(&event, "content"));
  if (type == "error") text += "\n[Error occurred in processing last action]";
  if (type == "user_rejected") text = "OBSERVATION:\n" + text + "\n[Last action has been rejected by the user]";
  return text;
}

std::string openhands_recall_text(const JsonValue& extras, std::unordered_set<std::string>& shown) {
  const bool knowledge = string_in(&extras, "recall_type") == "knowledge";
  std::string text = knowledge ? std::string() : workspace_text(extras);
  const JsonValue* agents = array_in(&extras, "microagent_knowledge");
  if (agents == nullptr) return text;
  for (const JsonValue& agent : JsonChildren(*agents)) {
    if (agent.kind != JsonKind::object) continue;
    if (knowledge && !shown.insert(std::string(string_in(&agent, "name"))).second) continue;
    add_tagged(text, "EXTRA_INFO",
               fmt::format("The following information has been included based on a keyword match for \"{}\".\n"
                           "It may or may not be relevant to the user's request.\n\n{}",
                           string_in(&agent, "trigger"), string_in(&agent, "content")));
  }
  return text;
}

std::string openhands_cut(std::string text, std::optional<std::uint64_t> most) {
  if (!most || text.size() <= *most) return text;
  std::vector<std::size_t> starts;  // of its characters
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (starts_character(text[at])) starts.push_back(at);
  }
  if (starts.size() <= *most) return text;
  const auto half = static_cast<std::size_t>(*most / 2);
  const std::size_t tail = half == 0 ? 0 : starts[starts.size() - half];  // as the tool does it: [-0:] is all
  return fmt::format("{}\n[... Observation truncated due to length ...]\n{}", text.substr(0, starts[half]),
                     text.substr(tail));
}

}  // namespace memuse::ingest
