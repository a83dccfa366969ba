#pragma once

#include <string>

#include "rules/call_cost.h"

namespace memuse::workflow {

/// The price table that costs are estimated with, and how a caption or manifest names it.
struct PriceSource {
  rules::PriceOf price_of;  ///< empty: nothing is estimated
  std::string name;         ///< `shipped`, or the file's name without its folders; empty without a table
  std::string date;         ///< the day its prices were noted
  std::string sha256;       ///< of its bytes

  [[nodiscard]] bool is_used() const { return static_cast<bool>(price_of); }
  /// For captions: "A call without a recorded cost counts with tokens × price, an estimate by …".
  [[nodiscard]] std::string sentence() const;
};

/// What `--prices` names: `shipped` for the table that is part of the program, else a file; empty for none. Throws
/// Error(usage) when the file is no price table.
[[nodiscard]] PriceSource load_prices(const std::string& option);

}  // namespace memuse::workflow
