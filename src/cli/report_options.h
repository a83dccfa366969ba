#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "workflow/report_job.h"

namespace memuse::cli {

/// What `report` and `view` are both asked.
struct ReportArguments {
  std::string database;
  std::string judge;
  std::vector<std::string> source_roots;
  std::string baseline;
  std::string prices;
};

void add_report_arguments(CLI::App& command, ReportArguments& arguments);

/// Throws Error(usage) for wrong ones.
[[nodiscard]] workflow::ReportOptions report_options(const ReportArguments& arguments);

}  // namespace memuse::cli
