#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "report/graph_writers.h"
#include "workflow/study.h"

namespace memuse::workflow {

struct LineageExport {
  std::string database, judge;
  report::GraphFormat format = report::GraphFormat::graphml;
  /// Only the lineage of this item; the whole study when there is none.
  std::optional<ItemName> item;
};

/// Writes the lineage graph of a study, streamed. Throws Error(usage) when there is no such item.
void write_lineage_graph(const LineageExport& options, std::ostream& out);

}  // namespace memuse::workflow
