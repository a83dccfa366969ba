#pragma once

#include <string_view>
#include <vector>

namespace memuse::ingest {

/// A file of `rules/`, compiled into the program.
struct RulePreset {
  std::string_view name;  ///< of the file, without `.json`
  std::string_view json;
};

/// All presets, sorted by name.
const std::vector<RulePreset>& rule_presets();

}  // namespace memuse::ingest
