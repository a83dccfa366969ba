#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controlled/declaration.h"

namespace memuse::workflow {

/// More strategies than this are no study.
inline constexpr std::size_t kMaxStrategies = 1000;

/// `"format"` of a declaration (schemas/delta-1.schema.json).
inline constexpr const char* kDeltaFormat = "memuse-delta/1";

/// Which rows are a strategy's.
struct RowSelection {
  std::string strategy;            ///< the strategy that the rows name; the strategy's own name unless declared
  std::optional<std::string> run;  ///< only rows of this run
  controlled::ByComponent<std::optional<std::string>> components;  ///< only rows that state these values
};

/// A declaration file: what is compared, and where the results are.
struct DeltaDeclaration {
  controlled::Declaration declaration;
  std::vector<std::string> results;                      ///< files whose rows name their strategies
  std::vector<std::vector<std::string>> strategy_files;  ///< by strategy: files whose rows need not name it
  std::vector<RowSelection> selections;                  ///< by strategy
  std::string reference;                                 ///< LongMemEval's questions, for their types; may be empty
};

/// Reads a declaration. Paths in it start at its folder. Throws Error(usage) with all faults, each with the path to the
/// wrong key and what is allowed there.
[[nodiscard]] DeltaDeclaration read_delta_declaration(const std::string& path);

}  // namespace memuse::workflow
