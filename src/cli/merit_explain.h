#pragma once

#include <string>

#include "cli/commands.h"
#include "workflow/value_tracing_job.h"

namespace memuse::cli {

/// Prints the lines behind the gold values of one episode, or writes them to the output: `--explain EPISODE`.
ExitCode print_explained_values(const workflow::ValueTracingOptions& options, const std::string& episode,
                                const TableOutput& output);

}  // namespace memuse::cli
