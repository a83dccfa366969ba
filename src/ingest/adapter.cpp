#include "ingest/adapter.h"

#include "ingest/canonical_trace.h"

namespace memuse::ingest {

const std::vector<const Adapter*>& adapters() {
  static const std::vector<const Adapter*> all{&canonical_trace_adapter()};
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

}  // namespace memuse::ingest
