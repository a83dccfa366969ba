#pragma once

#include <string>

#include "model/records.h"

namespace memuse {

/// The model calls of a judge for the spans of one run, those that decided nothing included.
struct JudgingWork {
  std::string configuration, run;
  CallTotals totals;
};

}  // namespace memuse
