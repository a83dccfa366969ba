#include "ingest/bridge_payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/sha256.h"
#include "model/text.h"

namespace memuse::ingest::bridge {
namespace {

/// Fields of the envelope, and those under which a message may stand.
constexpr std::array<std::string_view, 21> kCommonFields{"type",          "seq",     "ts",           "timestamp",
                                                         "time",          "at",      "proxy_source", "turn",
                                                         "msg",           "kept",    "message",      "data",
                                                         "role",          "content", "tool_calls",   "tool_call_id",
                                                         "annotation_id", "payload", "binding",      "trace_session_id",
                                                         "extensions"};

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Code points of valid UTF-8.
std::uint64_t characters(std::string_view text) {
  return static_cast<std::uint64_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// The line of a cure memory up to its text, as the bridge renders it.
std::string cure_prefix(const JsonValue& extension) {
  const JsonValue* project = extension.field("project_id");
  const bool general = project == nullptr || project->is_null();
  const JsonValue* verify = extension.field("needs_verification");
  const bool needs_verification = verify != nullptr && verify->as_bool().value_or(false);
  return fmt::format("- [{}:{}{}] {}: ", text_at(extension, {"memory_type"}), general ? "general" : "repo",
                     needs_verification ? " needs_verification" : "", text_at(extension, {"key"}));
}

}  // namespace

void count_unknown_fields(const JsonValue& object, std::string_view type, const std::vector<std::string_view>& known,
                          RecordPlace place, DiagnosticLog& log) {
  for (const JsonValue& field : JsonChildren(object)) {
    const bool common = std::find(kCommonFields.begin(), kCommonFields.end(), field.key) != kCommonFields.end();
    if (!common && !contains(known, field.key)) log.count_unknown_field(type, field.key, place.line, place.byte);
  }
}

PayloadReader::PayloadReader(std::string_view type, const JsonValue& event, RecordPlace place, Arena& arena,
                             DiagnosticLog& log)
    : type_(type), event_(event), payload_(event.field("payload")), place_(place), arena_(arena), log_(log) {
  if (payload_ != nullptr && payload_->kind != JsonKind::object) payload_ = nullptr;
  known_ = {"trace_session_id",
            "extensions",
            "requested_by",
            "handled_by",
            "error_codes",
            "change_id",
            "evidence",
            "completeness",
            "trigger",
            "main_step",
            "from_role",
            "to_role",
            "state_evidence",
            "binding_status",
            "status",
            "after_role_call_index",
            "proofs"};
}

const JsonValue* PayloadReader::find(std::string_view field) {
  known_.push_back(field);
  const JsonValue* value = payload_ == nullptr ? nullptr : payload_->field(field);
  if (value == nullptr) value = event_.field(field);
  return value != nullptr && value->is_null() ? nullptr : value;
}

std::string_view PayloadReader::text(std::string_view field) {
  const JsonValue* value = find(field);
  return value == nullptr ? std::string_view{} : value->as_string().value_or(std::string_view{});
}

std::optional<std::uint64_t> PayloadReader::whole(std::string_view field) {
  return whole_of(find(field));
}

const JsonValue* PayloadReader::object(std::string_view field) {
  const JsonValue* value = find(field);
  return value != nullptr && value->kind == JsonKind::object ? value : nullptr;
}

const JsonValue* PayloadReader::array(std::string_view field) {
  const JsonValue* value = find(field);
  return value != nullptr && value->kind == JsonKind::array ? value : nullptr;
}

ContentRef PayloadReader::content_of(const JsonValue& value) {
  ContentRef content;
  if (const auto text = value.as_string()) {
    content.text = text;
    return content;
  }
  content.sha256 = text_at(value, {"sha256"});
  const JsonValue* text = value.field("text");
  content.text = text == nullptr ? std::nullopt : text->as_string();
  if (!content.text) return content;
  const auto bytes = whole_of(value.field("bytes"));
  const auto chars = whole_of(value.field("chars"));
  if ((!content.sha256.empty() && sha256_hex(*content.text) != content.sha256) ||
      (bytes && *bytes != content.text->size()) || (chars && *chars != characters(*content.text))) {
    log_.add(Severity::warning, Fault::inconsistent_record, place_.line, place_.byte,
             fmt::format("in `{}`: a text does not have the digest, bytes or characters that stand beside it", type_));
  }
  return content;
}

ContentRef PayloadReader::content(std::string_view field) {
  const JsonValue* value = find(field);
  return value == nullptr ? ContentRef{} : content_of(*value);
}

MemoryRef PayloadReader::ref(const JsonValue& value) {
  MemoryRef ref;
  ref.version = text_at(value, {"version_id"});
  if (const std::string_view item = text_at(value, {"item_id"}); !item.empty()) ref.item = item;
  ref.name_space = text_at(value, {"namespace"});
  ref.operation_local = text_at(value, {"identity_strength"}) == "operation_local";
  if (const JsonValue* content = value.field("content")) ref.content = content_of(*content);
  if (const JsonValue* cure = at_path(value, {"extensions", "cure"})) {
    ref.key = text_at(*cure, {"key"});
    if (!ref.key.empty()) ref.line_prefix = arena_.keep(cure_prefix(*cure));
  } else if (ref.item == "persona") {
    ref.line_prefix = "- (user profile) ";
  }
  if (ref.line_prefix.empty()) ref.line_prefix = "- ";
  return ref;
}

std::vector<MemoryRef> PayloadReader::refs(std::string_view field) {
  std::vector<MemoryRef> refs;
  if (const JsonValue* list = array(field)) {
    for (const JsonValue& value : JsonChildren(*list)) {
      if (value.kind == JsonKind::object) refs.push_back(ref(value));
    }
  }
  return refs;
}

std::vector<MemoryRef> PayloadReader::returned() {
  std::vector<std::pair<std::uint64_t, MemoryRef>> hits;
  if (const JsonValue* list = array("returned")) {
    for (const JsonValue& hit : JsonChildren(*list)) {
      const JsonValue* memory = hit.field("memory");
      const auto ordinal = whole_of(hit.field("ordinal")).value_or(hits.size());
      if (memory != nullptr && memory->kind == JsonKind::object) hits.emplace_back(ordinal, ref(*memory));
    }
  }
  std::stable_sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<MemoryRef> refs;
  refs.reserve(hits.size());
  for (auto& [ordinal, memory] : hits) refs.push_back(std::move(memory));
  return refs;
}

std::vector<std::uint32_t> PayloadReader::source_steps(std::uint64_t largest) {
  std::vector<std::uint32_t> steps;
  if (const JsonValue* inputs = array("inputs")) {
    for (const JsonValue& input : JsonChildren(*inputs)) {
      // Step 0 holds the system prompt and the task, which no call of the agent wrote.
      const auto step = whole_of(input.field("source_step"));
      if (step && *step > 0 && *step <= largest) steps.push_back(static_cast<std::uint32_t>(*step));
    }
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

const JsonValue* PayloadReader::extension_value(std::string_view field) {
  const JsonValue* extensions = object("extensions");
  if (extensions == nullptr) return nullptr;
  for (const JsonValue& adapter : JsonChildren(*extensions)) {
    if (const JsonValue* value = adapter.field(field)) return value;
  }
  return nullptr;
}

std::string_view PayloadReader::extension(std::string_view field) {
  const JsonValue* value = extension_value(field);
  return value == nullptr ? std::string_view{} : value->as_string().value_or(std::string_view{});
}

const JsonValue* PayloadReader::binding(std::string_view field) {
  const JsonValue* value = at_path(event_, {"binding", field});
  if (value == nullptr) value = event_.field(field);
  return value != nullptr && value->is_null() ? nullptr : value;
}

void PayloadReader::count_unknown() {
  count_unknown_fields(event_, type_, known_, place_, log_);
  if (payload_ != nullptr) count_unknown_fields(*payload_, type_, known_, place_, log_);
}

ChangeEvent read_change(PayloadReader& payload) {
  ChangeEvent change;
  change.operation = payload.text("operation_id");
  change.action = payload.text("action");
  change.before = payload.refs("before");
  change.after = payload.refs("after");
  change.index = payload.whole("change_index");
  change.count = payload.whole("change_count");
  if (const JsonValue* relationships = payload.array("relationships")) {
    for (const JsonValue& relationship : JsonChildren(*relationships)) {
      const std::string_view from = text_at(relationship, {"from_version_id"});
      if (text_at(relationship, {"type"}) == "supersedes" && !from.empty()) change.superseded.push_back(from);
    }
  }
  return change;
}

DeliveryEvent read_delivery(PayloadReader& payload) {
  DeliveryEvent delivery;
  delivery.id = payload.text("delivery_id");
  delivery.search = payload.text("search_operation_id");
  delivery.main_step = payload.whole("main_step");
  delivery.status = payload.text("status");
  if (const JsonValue* placement = payload.object("placement")) {
    if (const JsonValue* content = placement->field("content")) delivery.content = payload.content_of(*content);
  }
  delivery.memories = payload.refs("memories");
  delivery.after_call = whole_of(payload.binding("after_role_call_index"));
  if (const JsonValue* status = payload.binding("binding_status")) {
    delivery.binding_status = status->as_string().value_or(std::string_view{});
  }
  delivery.message_index = whole_of(payload.extension_value("msg_index"));
  if (const JsonValue* proofs = payload.binding("proofs"); proofs != nullptr && proofs->kind == JsonKind::array) {
    for (const JsonValue& proof : JsonChildren(*proofs)) {
      if (delivery.content.sha256.empty()) delivery.content.sha256 = text_at(proof, {"content_sha256"});
      if (!delivery.message_index) delivery.message_index = whole_of(proof.field("msg_index"));
    }
  }
  if (const JsonValue* cached = payload.extension_value("cached")) delivery.cached = cached->as_bool().value_or(false);
  return delivery;
}

}  // namespace memuse::ingest::bridge
