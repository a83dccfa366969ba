#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chat_message.h"
#include "ingest/diagnostic_log.h"
#include "ingest/json.h"
#include "ingest/otel_attributes.h"
#include "ingest/record_fields.h"

namespace memuse::ingest {

/// What a span stands for.
enum class OtelSpanKind : std::uint8_t { model, tool, agent, scorer, other };

/// An event of a span.
struct OtelEvent {
  std::string_view name;
  OtelAttributes attributes;
};

/// One span. Texts are those of the `SharedTexts` it was read with.
struct OtelSpan {
  std::string_view trace;
  std::string_view id;
  std::string_view parent;
  std::string_view name;
  double start = 0;       ///< for ordering: seconds, on the clock of its service
  std::string_view time;  ///< the same as text, in UTC when it was a number
  bool failed = false;
  OtelSpanKind kind = OtelSpanKind::other;
  OtelAttributes attributes;
  std::vector<OtelEvent> events;
  std::string_view session;  ///< of the export's trace, where the platform keeps it apart
  std::string sha256;        ///< of its record
  RecordPlace place;
};

/// Adds the spans in a record: an OTLP request or file (`resourceSpans`), a list of spans, a span, or an export of
/// Langfuse (`trace` and `observations`). What is no span is reported.
void read_otel_spans(const JsonValue& record, RecordPlace place, SharedTexts& texts, std::vector<OtelSpan>& spans,
                     DiagnosticLog& log);

}  // namespace memuse::ingest
