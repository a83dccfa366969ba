#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "merit/comparison.h"

// Families of comparisons that a user declares (`--family FILE`, schemas/families-1.schema.json).

namespace memuse::merit {

/// What one comparison of a family is made over.
enum class Over : std::uint8_t {
  cell,  ///< one for each model, domain and tier
  tier,  ///< one for each model and tier, all domains pooled
  model  ///< one for each model, all its cells pooled
};
[[nodiscard]] std::string_view name(Over over);

/// One family: all its p-values are adjusted together.
struct FamilyDeclaration {
  std::string name;
  bool dependent = true;
  Over over = Over::cell;
  std::vector<std::pair<Side, Side>> comparisons;
  std::vector<std::string> models, domains, tiers;  ///< those that count; empty: all

  /// True when rows of that model, domain and tier count.
  [[nodiscard]] bool takes(std::string_view model, std::string_view domain, std::string_view tier) const;
};

/// Reads a file of families. Throws Error(usage) that names `file` and the place in it for anything that is not exactly
/// as declared: unknown keys, wrong types, a family without comparisons, a side compared with itself, a name twice.
[[nodiscard]] std::vector<FamilyDeclaration> parse_families(std::string_view json, const std::string& file);

}  // namespace memuse::merit
