#include "ingest/bridge_json_file.h"

#include <charconv>

namespace memuse::ingest::bridge {
namespace {

std::optional<std::uint64_t> first_whole(const JsonValue& value, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto number = whole_of(value.field(name))) return number;
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<JsonFile> JsonFile::read(const ReadContext& context, const std::string& below, Arena& arena) {
  DiagnosticLog log = context.log.for_file(context.files.path(below));
  std::unique_ptr<JsonFile> file;
  if (!context.files.is_file(below)) {
    if (context.files.exists(below)) {
      log.add(Severity::error, Fault::unreadable_file, 0, 0, "not a regular file inside the run root");
    }
  } else {
    try {
      file.reset(new JsonFile(context.files.open(below), context.options.max_record_bytes));
      JsonFault fault;
      log.begin_document(
          1, 0, file->document_.too_long() ? std::nullopt : std::optional<std::uint64_t>(file->document_.size()));
      if (file->document_.too_long()) {
        log.add(Severity::error, Fault::line_too_long, 0, 0, "");
        file.reset();
      } else {
        file->root_ = file->parser_.parse(file->document_.text(), file->document_.readable(), arena, fault);
        if (file->root_ == nullptr) {
          log.add(Severity::error, fault.fault, 1, fault.byte, fault.detail);
          file.reset();
        }
      }
    } catch (const ReadFault& fault) {
      log.add(Severity::error, Fault::unreadable_file, 0, 0, fault.reason);
      file.reset();
    }
  }
  context.log.absorb(std::move(log));
  return file;
}

const JsonValue* at_path(const JsonValue& value, std::initializer_list<std::string_view> path) {
  const JsonValue* at = &value;
  for (const std::string_view name : path) {
    at = at->field(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string_view text_at(const JsonValue& value, std::initializer_list<std::string_view> path) {
  const JsonValue* found = at_path(value, path);
  return found == nullptr ? std::string_view{} : found->as_string().value_or(std::string_view{});
}

std::optional<std::uint64_t> whole_of(const JsonValue* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto number = value->as_unsigned()) return number;
  const auto text = value->as_string();
  if (!text || text->empty()) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (fault != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return number;
}

Usage usage_of(const JsonValue* value) {
  Usage usage;
  if (value == nullptr || value->kind != JsonKind::object) return usage;
  usage.input = first_whole(*value, {"prompt_tokens", "input_tokens"});
  usage.output = first_whole(*value, {"completion_tokens", "output_tokens"});
  if (const JsonValue* details = value->field("prompt_tokens_details")) {
    usage.cached_input = whole_of(details->field("cached_tokens"));
  }
  return usage;
}

}  // namespace memuse::ingest::bridge
