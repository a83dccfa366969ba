#pragma once

#include <string>

#include "cli/commands.h"
#include "report/exports.h"

namespace memuse::cli {

/// CSV for a file called `*.csv`, else JSON Lines.
[[nodiscard]] report::ExportFormat row_format(const std::string& path);

}  // namespace memuse::cli
