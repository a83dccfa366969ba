#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "view/server.h"
#include "workflow/progress.h"
#include "workflow/report_data.h"

namespace memuse::workflow {

/// How large a report may become.
struct ReportSize {
  std::uint64_t most_bytes = std::uint64_t{30} << 20;
  /// Bytes kept of each text; nothing: as many as fit.
  std::optional<std::size_t> text_limit;
  std::size_t most_items = 2000;  ///< items with their lineage; all are listed
};

/// What a report came to.
struct ReportSummary {
  std::uint64_t bytes = 0;
  std::uint64_t episodes = 0, episodes_with_details = 0, sources_missing = 0;
  std::uint64_t items = 0, items_with_lineage = 0;
  std::optional<std::size_t> text_limit;  ///< nothing: texts are whole
  bool interrupted = false;               ///< nothing was written
};

/// Writes a report as one page of HTML that needs nothing else. Texts are shortened until it fits; when even that is
/// not enough, details of episodes are left out, those with nothing to tell first. The same database gives the same
/// bytes. `stop` ends it before anything is written.
ReportSummary write_report(const ReportOptions& options, const ReportSize& size, std::ostream& out, Progress& progress,
                           const std::atomic<bool>& stop);

/// Answers what the page of a served report asks for (docs/report-data.md): `/api/study`, `/api/episodes`,
/// `/api/items`, `/api/episode?uid=…`, `/api/item?configuration=…&run=…&store=…&item=…`. One question at a time.
[[nodiscard]] view::Server::Api report_api(const ReportOptions& options);

}  // namespace memuse::workflow
