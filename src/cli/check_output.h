#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "workflow/check_job.h"

namespace memuse::cli {

/// What of a check is shown.
struct CheckView {
  bool verbose = false;  ///< name every file and every fault
  bool matches = false;  ///< of the delivery rules
  bool rules = false;    ///< delivery rules were given, so that none are suggested
};

/// What `check` prints (docs/check.md).
std::string check_text(const workflow::CheckReport& report, const CheckView& view);
/// The same in full (schemas/check-report-1.schema.json).
nlohmann::ordered_json check_json(const workflow::CheckReport& report, const CheckView& view);

}  // namespace memuse::cli
