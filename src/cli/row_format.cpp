#include "cli/row_format.h"

namespace memuse::cli {

report::ExportFormat row_format(const std::string& path) {
  return path.ends_with(".csv") ? report::ExportFormat::csv : report::ExportFormat::jsonl;
}

}  // namespace memuse::cli
