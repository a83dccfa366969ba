#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "graph/lineage_graph.h"

// The lineage graph as GraphML, DOT and JSON. Texts may be anything: each format gets them escaped. What it cannot hold
// (control characters in XML and DOT, invalid UTF-8 anywhere) becomes U+FFFD.

namespace memuse::report {

enum class GraphFormat : std::uint8_t { graphml, dot, json };
/// `graphml`, `dot` or `json`.
[[nodiscard]] std::optional<GraphFormat> parse_graph_format(std::string_view name);

/// Writes what it is given at once; nothing is kept.
class GraphWriter : public graph::GraphSink {
 public:
  /// Ends the document. No call may follow.
  virtual void finish() = 0;
};

/// A writer to `out`, which must outlive it; the document is begun.
[[nodiscard]] std::unique_ptr<GraphWriter> graph_writer(GraphFormat format, std::ostream& out);

}  // namespace memuse::report
