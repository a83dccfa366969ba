#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controlled/components.h"

// What the author of a study says about it, before any result is looked at.

namespace memuse::controlled {

/// Strategies that a sound study has beside the ones it is about.
enum class Role : std::uint8_t {
  verbatim_rag,     ///< retrieval over the verbatim history: what any memory method must beat
  random_retrieval  ///< random entries instead of retrieved ones: what retrieval itself is worth
};

[[nodiscard]] std::string_view name(Role role);
[[nodiscard]] std::optional<Role> parse_role(std::string_view name);

/// What building the memory cost in all, where rows do not state it for each question.
struct WritePathTotals {
  std::optional<double> calls;    ///< model calls
  std::optional<double> seconds;  ///< wall time
  std::optional<double> dollars;
};

struct Strategy {
  std::string name;
  ByComponent<std::optional<std::string>> components;  ///< nothing: not declared
  std::optional<Role> role;
  /// The same under several reader models has one name here, so that rankings can be compared across model families.
  std::string ranked_as;
  std::optional<WritePathTotals> write_path;
};

/// Two strategies that are said to differ in one component.
struct Comparison {
  std::string name;
  std::size_t first = 0;            ///< index into `Declaration::strategies`
  std::size_t second = 0;           ///< the difference is first minus second
  std::optional<Component> factor;  ///< nothing: not declared, so nothing can be concluded
  /// Components that only exist with the factor: one side says `none` there. They do not count as a second factor.
  std::vector<Component> comes_with;
};

struct Declaration {
  std::vector<Strategy> strategies;
  std::vector<Comparison> comparisons;                ///< one family for Holm's correction
  std::map<std::string, std::string> model_families;  ///< reader model → family; never guessed
};

}  // namespace memuse::controlled
