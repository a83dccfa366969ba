#pragma once

#include "ingest/adapter.h"

namespace memuse::ingest {

/// Spans of model calls as OpenTelemetry's GenAI conventions, OpenInference, OpenLLMetry and the Vercel AI SDK write
/// them: OTLP JSON, one span per line or in a list, Langfuse exports (docs/opentelemetry.md). The calls of a
/// conversation are put together as those of a chat log are.
const Adapter& otel_adapter();

}  // namespace memuse::ingest
