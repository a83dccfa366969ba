#include "ingest/claude_code_text.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ingest/json_fields.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::string_view kReminder = "<system-reminder>\n";
constexpr std::string_view kReminderEnd = "\n</system-reminder>";

std::string reminder(std::string_view text) {
  return fmt::format("{}{}{}", kReminder, text, kReminderEnd);
}

/// The words behind the path of an instructions file.
std::string_view label_of(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kLabels{{
      {"Project", " (project instructions, checked into the codebase)"},
      {"Local", " (user's private project instructions, not checked in)"},
      {"User", " (user's private global instructions for all projects)"},
      {"AutoMem", " (user's auto-memory, persists across conversations)"},
      {"TeamMem", " (shared team memory, synced across the organization)"},
  }};
  for (const auto& [name, label] : kLabels) {
    if (name == type) return label;
  }
  return {};
}

void add_file(std::string& all, std::string_view path, std::string_view label, std::string_view content) {
  if (!all.empty()) all += "\n\n";
  all += fmt::format("Contents of {}{}:\n\n{}", path, label, content);
}

/// The files of a list, each under its path; empty when none has a text.
std::string files_text(const JsonValue* files) {
  std::string all;
  if (files == nullptr || files->kind != JsonKind::array) return all;
  for (const JsonValue& file : JsonChildren(*files)) {
    const std::string_view content = string_in(&file, "content");
    if (!content.empty()) add_file(all, string_in(&file, "path"), label_of(string_in(&file, "type")), content);
  }
  return all;
}

/// A string, or strings in an array, a line end between them; objects with a text count as that text.
std::string plain_text(const JsonValue* value) {
  if (value == nullptr) return {};
  if (value->kind != JsonKind::array) return std::string(value->as_string().value_or(std::string_view{}));
  std::string all;
  for (const JsonValue& part : JsonChildren(*value)) {
    const std::string_view text = part.as_string().value_or(string_in(&part, "text"));
    if (text.empty()) continue;
    if (!all.empty()) all += '\n';
    all += text;
  }
  return all;
}

std::optional<ClaudeAttachment> memory(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return ClaudeAttachment{Role::user, Origin::memory, reminder(text)};
}

std::optional<ClaudeAttachment> hook(const JsonValue& attachment, std::string_view what) {
  const std::string text = plain_text(attachment.field("content"));
  if (is_blank(text)) return std::nullopt;
  if (text.starts_with(kReminder)) return ClaudeAttachment{Role::user, Origin::other, text};
  std::string_view name = string_in(&attachment, "hookName");
  if (name.empty()) name = string_in(&attachment, "hookEvent");
  return ClaudeAttachment{Role::user, Origin::other, reminder(fmt::format("{} {}: {}", name, what, text))};
}

std::optional<ClaudeAttachment> bare(const JsonValue* content, Role role, Origin origin) {
  std::string text = plain_text(content);
  if (is_blank(text)) return std::nullopt;
  return ClaudeAttachment{role, origin, std::move(text)};
}

}  // namespace

ClaudePrompt classify_claude_prompt(std::string_view text) {
  constexpr std::array<std::string_view, 8> kHarness{
      "<command-name>", "<command-message>",   "<command-args>",       "<local-command-",
      "<bash-",         "<task-notification>", "[Request interrupted", "<system-reminder>"};
  while (const std::size_t space = white_space_length(text)) text.remove_prefix(space);
  for (const std::string_view start : kHarness) {
    if (!text.starts_with(start)) continue;
    const bool clear = start.starts_with("<command-") &&
                       text.substr(0, 400).find("<command-name>/clear</command-name>") != std::string_view::npos;
    return clear ? ClaudePrompt::clear : ClaudePrompt::harness;
  }
  return ClaudePrompt::person;
}

std::string claude_run_folder(const std::string& path, std::string_view session) {
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failure);
  if (failure) return {};
  std::filesystem::path folder = absolute.lexically_normal().parent_path();
  if (folder.filename() == "subagents") folder = folder.parent_path();
  if (folder.filename() == session) folder = folder.parent_path();
  return printable(folder.filename().string());
}

std::string claude_content_text(const JsonValue* content) {
  return plain_text(content);
}

std::optional<ClaudeAttachment> claude_attachment(const JsonValue& attachment) {
  const std::string_view type = string_in(&attachment, "type");
  if (type == "instructions") return memory(files_text(attachment.field("files")));
  if (type == "relevant_memories") return memory(files_text(attachment.field("memories")));
  if (type == "nested_memory") {
    const JsonValue* file = object_in(&attachment, "content");
    std::string_view path = string_in(file, "path");
    if (path.empty()) path = string_in(&attachment, "path");
    std::string text;
    const std::string_view content = file == nullptr ? string_in(&attachment, "content") : string_in(file, "content");
    if (!content.empty()) add_file(text, path, {}, content);
    return memory(text);
  }
  if (type == "hook_additional_context") return hook(attachment, "hook additional context");
  if (type == "hook_success") return hook(attachment, "hook success");
  if (type == "skill_listing") {
    const std::string text = plain_text(attachment.field("content"));
    if (is_blank(text)) return std::nullopt;
    return ClaudeAttachment{
        Role::user, Origin::other,
        reminder(fmt::format("The following skills are available for use with the Skill tool:\n\n{}", text))};
  }
  if (type == "queued_command") return bare(attachment.field("prompt"), Role::user, Origin::user);
  if (type == "prompt_snapshot") return bare(attachment.field("content"), Role::system, Origin::system);
  return std::nullopt;
}

}  // namespace memuse::ingest
