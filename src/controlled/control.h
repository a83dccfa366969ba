#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controlled/declaration.h"
#include "controlled/results.h"

// Whether a difference may be put down to the one factor that was declared.
//
// What the rows record about a strategy wins over what its author declared: a declaration says what was meant, a row
// what was run. A component that neither names, that changes from row to row, or that only some rows name is unknown,
// and an unknown component may differ.

namespace memuse::controlled {

/// What is known of a component of a strategy.
struct EffectiveComponent {
  enum class Source : std::uint8_t {
    undeclared,     ///< nobody says
    declared,       ///< the declaration says; rows are silent
    rows,           ///< every row says the same
    partly_stated,  ///< some rows say it, the others and the declaration are silent
    mixed           ///< rows say different things
  };
  Source source = Source::undeclared;
  std::optional<std::string> value;     ///< known for `declared` and `rows` only
  std::optional<std::string> declared;  ///< what the declaration says
  bool contradicted = false;            ///< some row says something else than the declaration
};

[[nodiscard]] std::string_view name(EffectiveComponent::Source source);

using EffectiveComponents = ByComponent<EffectiveComponent>;

[[nodiscard]] EffectiveComponents effective_components(const Strategy& strategy, std::size_t index,
                                                       const Results& results);

/// One reason why a difference is not controlled.
struct Confound {
  enum class Kind : std::uint8_t {
    differs,               ///< another component differs
    unknown,               ///< another component, or the factor, is not known on a side
    no_factor,             ///< no factor was declared
    factor_is_the_same,    ///< both sides have the same value of the factor
    no_matched_instances,  ///< there is nothing to compare
    same_rows              ///< a strategy was compared with itself: the same rows were taken for both sides
  };
  Kind kind = Kind::differs;
  std::optional<Component> component;
  std::string sentence;  ///< "embedding_model differs too (a against b)"
};

[[nodiscard]] std::string_view name(Confound::Kind kind);

/// The ruling on one comparison.
struct Control {
  std::vector<Confound> confounds;    ///< empty: controlled
  std::vector<Component> came_with;   ///< components that differ because they only exist with the factor
  std::vector<std::string> warnings;  ///< what a reader should know though it decides nothing
  [[nodiscard]] bool controlled() const { return confounds.empty(); }
};

/// What is compared.
struct MatchedRows {
  std::size_t instances = 0;
  bool same_rows = false;  ///< every execution of the one side stands in the row of its counterpart
};

/// Rules on a comparison from what is known of both sides.
[[nodiscard]] Control rule_on(const Comparison& comparison, const Declaration& declaration,
                              const std::vector<EffectiveComponents>& components, const MatchedRows& matched);

}  // namespace memuse::controlled
