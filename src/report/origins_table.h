#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/origins.h"
#include "model/records.h"
#include "report/table.h"
#include "report/tables.h"

namespace memuse::report {

/// The table `origins`: where beneficial entries come from (semantics.md §9), one column per configuration or per run.
class OriginsTable {
 public:
  explicit OriginsTable(Pooling pooling) : pooling_(pooling) {}
  /// Runs come by configuration and run.
  void add(const graph::RunOrigins& run);
  /// `set` is the judgement set behind the answers; its `judge` is empty when nothing was judged.
  [[nodiscard]] Table finish(const JudgementSetRecord& set) const;

 private:
  struct Column {
    std::string key, name;
    bool judged = false;            ///< beneficial entries can be told
    bool records_creation = false;  ///< their origins can
    graph::OriginCounts counts;
  };
  [[nodiscard]] std::string caption(const JudgementSetRecord& set) const;

  Pooling pooling_;
  std::vector<Column> columns_;
};

/// The list of beneficial entries with their origins, one row each, for `memuse graph origins --list`.
class OriginsList {
 public:
  OriginsList();
  void add(const graph::RunOrigins& run);
  [[nodiscard]] Table finish(const JudgementSetRecord& set) &&;

 private:
  Table table_;
};

}  // namespace memuse::report
