#pragma once

#include <string>

#include "cli/commands.h"
#include "report/exports.h"

namespace memuse::cli {

/// Runs to read, and how, for commands that print tables (whose `--format` is that of the table): traces,
/// `--trace-format`, `--configuration`, `--run`, `--rules`, `--outcomes`, `--jobs`, `--max-record-bytes`.
void add_run_arguments(CLI::App& command, TraceOptions& options);

/// CSV for a file called `*.csv`, else JSON Lines.
[[nodiscard]] report::ExportFormat row_format(const std::string& path);

}  // namespace memuse::cli
