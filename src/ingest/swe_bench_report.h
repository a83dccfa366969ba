#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/byte_stream.h"
#include "ingest/diagnostic_log.h"
#include "ingest/json.h"
#include "ingest/task_files.h"

namespace memuse::ingest {

/// True when the first bytes of a file look like an evaluation report of SWE-bench's harness.
bool looks_like_swe_bench_report(std::string_view head);

/// The outcomes that a report states; nothing when `root` is no such report. Known shapes: of a run (`resolved_ids`,
/// `unresolved_ids`; older: `resolved` beside `no_generation`), of an instance under its id, and of an instance alone,
/// whose id is then the file's name (`ID.report.json`) or its folder's (`ID/report.json`). A task that was not graded
/// (harness error, no prediction, empty patch) has no verdict and no row.
std::optional<std::vector<OutcomeRow>> swe_bench_outcomes(const JsonValue& root, std::string_view path);

/// Reads one report. A file that is none has no rows; what is wrong with one goes to `log`.
std::vector<OutcomeRow> read_swe_bench_report(std::unique_ptr<ByteStream> stream, const std::string& path,
                                              DiagnosticLog& log);
std::vector<OutcomeRow> read_swe_bench_report(const std::string& path, DiagnosticLog& log);

}  // namespace memuse::ingest
