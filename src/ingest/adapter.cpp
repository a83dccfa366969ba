#include "ingest/adapter.h"

#include <utility>

#include "ingest/atif.h"
#include "ingest/bridge_adapter.h"
#include "ingest/canonical_trace.h"
#include "ingest/chat_log.h"
#include "ingest/claude_code.h"
#include "ingest/codex.h"
#include "ingest/inspect_log.h"
#include "ingest/merit_adapter.h"
#include "ingest/mini_swe_agent.h"
#include "ingest/openhands.h"
#include "ingest/otel.h"
#include "ingest/swe_agent.h"
#include "ingest/tau_bench.h"

namespace memuse::ingest {
std::optional<std::string> Adapter::claims(const std::filesystem::path& /*folder*/) const {
  return std::nullopt;
}

void Adapter::read_folder(const std::string& path, const ReadOptions& /*options*/, const EpisodeSink& /*sink*/,
                          DiagnosticLog& /*log*/) const {
  throw ReadFault{"a folder of format " + std::string(name()) + " cannot be read as one: " + path};
}

void Adapter::read_again(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                         DiagnosticLog& log) const {
  read(open_file_range(place.path, place.byte_begin, place.byte_end), place.path, options, sink, log);
}

const std::vector<const Adapter*>& adapters() {
  static const std::vector<const Adapter*> all{
      &bridge_adapter(),         &merit_adapter(),       &canonical_trace_adapter(),
      &mini_swe_agent_adapter(), &swe_agent_adapter(),   &tau_bench_adapter(),
      &atif_adapter(),           &claude_code_adapter(), &codex_adapter(),
      &openhands_adapter(),      &inspect_log_adapter(), &otel_adapter(),
      &chat_log_adapter()};
  return all;
}

const Adapter* find_adapter(std::string_view name) {
  for (const Adapter* adapter : adapters()) {
    if (adapter->name() == name) return adapter;
  }
  return nullptr;
}

std::optional<DetectedFormat> detect_format(std::string_view head) {
  for (const Adapter* adapter : adapters()) {
    if (auto version = adapter->detect(head)) return DetectedFormat{adapter, std::move(*version)};
  }
  return std::nullopt;
}

std::optional<DetectedFormat> detect_folder(const std::filesystem::path& folder) {
  for (const Adapter* adapter : adapters()) {
    if (auto version = adapter->claims(folder)) return DetectedFormat{adapter, std::move(*version)};
  }
  return std::nullopt;
}

}  // namespace memuse::ingest
