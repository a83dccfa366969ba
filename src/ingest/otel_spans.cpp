#include "ingest/otel_spans.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "ingest/chat_call.h"
#include "ingest/inner_json.h"
#include "ingest/json_fields.h"
#include "ingest/utc_time.h"
#include "model/sha256.h"

namespace memuse::ingest {
namespace {

constexpr double kMillisecondError = 1e-3;  // of a time of this century in a double

std::string_view first_string(const JsonValue& record, std::initializer_list<std::string_view> names) {
  for (const std::string_view field : names) {
    const std::string_view text = string_in(&record, field);
    if (!text.empty()) return text;
  }
  return {};
}

const JsonValue* first_field(const JsonValue& record, std::initializer_list<std::string_view> names) {
  for (const std::string_view field : names) {
    const JsonValue* value = record.field(field);
    if (value != nullptr && !value->is_null()) return value;
  }
  return nullptr;
}

std::optional<double> digits_as_number(const JsonValue& value) {
  if (const auto number = value.as_double()) return number;
  const auto text = value.as_string();
  if (!text || text->empty() || text->find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  return error == std::errc() && end == text->data() + text->size() ? std::optional(number) : std::nullopt;
}

void read_start(const JsonValue* value, OtelSpan& span, SharedTexts& texts) {
  if (value == nullptr) return;
  if (auto number = digits_as_number(*value)) {
    constexpr double kMostSeconds = 1e11;  // more is no count of seconds, but of milli-, micro- or nanoseconds
    for (int steps = 0; steps < 3 && *number > kMostSeconds; ++steps) *number /= 1000;
    span.start = *number;
    // Millisecond by millisecond: a double just below one would be printed as the one before.
    const double milliseconds = std::floor(*number * 1000 + kMillisecondError);
    if (const auto text = utc_time((milliseconds + 0.5) / 1000)) span.time = texts.keep(*text);
  } else if (const auto text = value->as_string()) {
    span.time = texts.keep(*text);
    span.start = seconds_of_time(*text).value_or(0);
  }
}

OtelSpanKind kind_of_openinference(std::string_view kind) {
  if (kind == "LLM") return OtelSpanKind::model;
  if (kind == "TOOL") return OtelSpanKind::tool;
  if (kind == "AGENT") return OtelSpanKind::agent;
  if (kind == "EVALUATOR" || kind == "GUARDRAIL") return OtelSpanKind::scorer;
  return OtelSpanKind::other;
}

OtelSpanKind kind_of_operation(std::string_view operation) {
  if (operation == "chat" || operation == "text_completion" || operation == "generate_content") {
    return OtelSpanKind::model;
  }
  if (operation == "execute_tool") return OtelSpanKind::tool;
  if (operation == "invoke_agent" || operation == "create_agent") return OtelSpanKind::agent;
  return OtelSpanKind::other;
}

OtelSpanKind kind_of_ai_sdk(std::string_view operation) {
  if (operation.ends_with(".doGenerate") || operation.ends_with(".doStream")) return OtelSpanKind::model;
  if (operation == "ai.toolCall") return OtelSpanKind::tool;
  return OtelSpanKind::other;
}

OtelSpanKind kind_of_observation(std::string_view type) {
  if (type == "GENERATION") return OtelSpanKind::model;
  if (type == "TOOL") return OtelSpanKind::tool;
  if (type == "AGENT") return OtelSpanKind::agent;
  if (type == "EVALUATOR" || type == "GUARDRAIL") return OtelSpanKind::scorer;
  return OtelSpanKind::other;
}

/// One family decides: the first whose key of identity is there.
OtelSpanKind kind_of_span(const OtelAttributes& attributes, std::string_view observation_type) {
  const std::string_view openinference = attributes.text({"openinference.span.kind"});
  if (!openinference.empty()) return kind_of_openinference(openinference);
  const std::string_view ai_sdk = attributes.text({"ai.operationId"});
  if (!ai_sdk.empty()) return kind_of_ai_sdk(ai_sdk);
  const std::string_view operation = attributes.text({"gen_ai.operation.name"});
  if (!operation.empty()) return kind_of_operation(operation);
  const std::string_view request = attributes.text({"llm.request.type"});
  if (request == "chat" || request == "completion") return OtelSpanKind::model;
  const std::string_view traceloop = attributes.text({"traceloop.span.kind"});
  if (traceloop == "tool") return OtelSpanKind::tool;
  if (traceloop == "agent") return OtelSpanKind::agent;
  if (attributes.find("gen_ai.tool.call.id") != nullptr) return OtelSpanKind::tool;
  if (!observation_type.empty()) return kind_of_observation(observation_type);
  const bool request_seen = attributes.find("gen_ai.request.model") != nullptr;
  const bool counted = attributes.any_under("gen_ai.usage.") || attributes.any_under("gen_ai.prompt.");
  return request_seen && counted ? OtelSpanKind::model : OtelSpanKind::other;
}

bool is_failed(const JsonValue& record) {
  const std::string_view level = string_in(&record, "level");
  const std::string_view code = string_in(&record, "status_code");
  if (level == "ERROR" || code == "ERROR" || code == "STATUS_CODE_ERROR") return true;
  const JsonValue* status = object_in(&record, "status");
  if (status == nullptr) return false;
  constexpr std::uint64_t kErrorCode = 2;
  const std::string_view name = first_string(*status, {"code", "status_code"});
  return whole_in(status, "code") == kErrorCode || name == "ERROR" || name == "STATUS_CODE_ERROR";
}

void read_events(const JsonValue* events, OtelSpan& span, SharedTexts& texts) {
  if (events == nullptr || events->kind != JsonKind::array) return;
  for (const JsonValue& value : JsonChildren(*events)) {
    const std::string_view name = string_in(&value, "name");
    if (!name.starts_with("gen_ai.")) continue;
    OtelEvent& event = span.events.emplace_back();
    event.name = texts.keep(name);
    event.attributes.add(value.field("attributes"), texts);
    if (name == "gen_ai.client.inference.operation.details") span.attributes.add(value.field("attributes"), texts);
  }
}

void read_ids(const JsonValue& record, OtelSpan& span, SharedTexts& texts) {
  const JsonValue* context = object_in(&record, "context");
  const JsonValue& ids = context == nullptr ? record : *context;
  span.trace = texts.keep(first_string(ids, {"traceId", "trace_id"}));
  span.id = texts.keep(first_string(ids, {"spanId", "span_id"}));
  span.parent = texts.keep(first_string(record, {"parentSpanId", "parent_span_id", "parent_id", "parentId"}));
}

bool is_span(const JsonValue& record) {
  if (record.kind != JsonKind::object) return false;
  const bool ids = object_in(&record, "context") != nullptr || !string_in(&record, "spanId").empty() ||
                   !string_in(&record, "span_id").empty();
  return ids || record.field("attributes") != nullptr || !string_in(&record, "name").empty();
}

void read_span(const JsonValue& record, RecordPlace place, SharedTexts& texts, std::vector<OtelSpan>& spans) {
  OtelSpan span;
  read_ids(record, span, texts);
  span.name = texts.keep(string_in(&record, "name"));
  read_start(
      first_field(record, {"startTimeUnixNano", "start_time_unix_nano", "start_time", "start_timestamp", "startTime"}),
      span, texts);
  if (const JsonValue* attributes = first_field(record, {"attributes", "span_attributes", "SpanAttributes"})) {
    Arena arena;
    const InnerJson inner(attributes, arena);  // dumps of tables have them as text
    span.attributes.add(inner.value(), texts);
  }
  read_events(record.field("events"), span, texts);
  span.failed = is_failed(record);
  span.kind = kind_of_span(span.attributes, {});
  span.sha256 = sha256_hex(record.text);
  span.place = place;
  spans.push_back(std::move(span));
}

void read_resource_spans(const JsonValue& record, RecordPlace place, SharedTexts& texts, std::vector<OtelSpan>& spans,
                         DiagnosticLog& log) {
  for (const JsonValue& resource : JsonChildren(*array_in(&record, "resourceSpans"))) {
    const JsonValue* scopes = array_in(&resource, "scopeSpans");
    if (scopes == nullptr) scopes = array_in(&resource, "instrumentationLibrarySpans");
    if (scopes == nullptr) continue;
    for (const JsonValue& scope : JsonChildren(*scopes)) {
      const JsonValue* list = array_in(&scope, "spans");
      if (list == nullptr) continue;
      for (const JsonValue& span : JsonChildren(*list)) {
        if (is_span(span)) {
          read_span(span, place, texts, spans);
        } else {
          log.add(Severity::error, Fault::wrong_type, place.line, span.byte, "an element of `spans` is no span");
        }
      }
    }
  }
}

/// The platform has moved some attributes to fields of its own.
void read_observation(const JsonValue& record, std::string_view session, RecordPlace place, SharedTexts& texts,
                      std::vector<OtelSpan>& spans) {
  OtelSpan span;
  span.trace = texts.keep(string_in(&record, "traceId"));
  span.id = texts.keep(string_in(&record, "id"));
  span.parent = texts.keep(string_in(&record, "parentObservationId"));
  span.name = texts.keep(string_in(&record, "name"));
  span.session = session;
  read_start(record.field("startTime"), span, texts);
  if (const JsonValue* metadata = record.field("metadata")) {
    Arena arena;
    const InnerJson inner(metadata, arena);
    span.attributes.add(object_in(inner.value(), "attributes"), texts);
  }
  constexpr std::array<std::string_view, 3> kMoved{"input", "output", "model"};
  for (const std::string_view field : kMoved) {
    const JsonValue* value = record.field(field);
    if (value != nullptr) span.attributes.add("langfuse:" + std::string(field), *value, texts);
  }
  for (const std::string_view field : {"usageDetails", "costDetails"}) {
    const JsonValue* details = object_in(&record, field);
    if (details == nullptr) continue;
    for (const JsonValue& part : JsonChildren(*details)) {
      span.attributes.add("langfuse:" + std::string(field) + "." + std::string(part.key), part, texts);
    }
  }
  span.failed = is_failed(record);
  span.kind = kind_of_span(span.attributes, string_in(&record, "type"));
  span.sha256 = sha256_hex(record.text);
  span.place = place;
  spans.push_back(std::move(span));
}

}  // namespace

void read_otel_spans(const JsonValue& record, RecordPlace place, SharedTexts& texts, std::vector<OtelSpan>& spans,
                     DiagnosticLog& log) {
  if (array_in(&record, "resourceSpans") != nullptr) {
    read_resource_spans(record, place, texts, spans, log);
  } else if (const JsonValue* observations = array_in(&record, "observations")) {
    const std::string_view session = texts.keep(string_in(object_in(&record, "trace"), "sessionId"));
    for (const JsonValue& observation : JsonChildren(*observations)) {
      if (observation.kind == JsonKind::object) read_observation(observation, session, place, texts, spans);
    }
  } else if (record.kind == JsonKind::array) {
    for (const JsonValue& inner : JsonChildren(record)) {
      if (inner.kind == JsonKind::object) {
        read_otel_spans(inner, place, texts, spans, log);
      } else {
        log.add(Severity::error, Fault::wrong_type, place.line, inner.byte, "an element of the list is no span");
      }
    }
  } else if (is_span(record)) {
    read_span(record, place, texts, spans);
  } else {
    log.add(Severity::warning, Fault::unknown_type, place.line, place.byte, "the record holds no span");
  }
}

}  // namespace memuse::ingest
