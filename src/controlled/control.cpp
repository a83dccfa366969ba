#include "controlled/control.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"

namespace memuse::controlled {
namespace {

using Source = EffectiveComponent::Source;

constexpr std::size_t kShown = 60;  ///< bytes of a value in a sentence; a prompt may be a whole page

std::string shown(const std::string& value) {
  return printable(shortened(value, kShown));
}

/// Why a component is not known, as the end of a sentence about it.
std::string unknown_words(const EffectiveComponent& component, const std::string& strategy) {
  switch (component.source) {
    case Source::mixed:
      return fmt::format("changes from row to row in {}", shown(strategy));
    case Source::partly_stated:
      return fmt::format("is stated by only some rows of {} and not declared", shown(strategy));
    case Source::undeclared:
    case Source::declared:
    case Source::rows:
      break;
  }
  return fmt::format("is not declared for {}", shown(strategy));
}

bool is_absent(const EffectiveComponent& component) {
  return component.value.has_value() && *component.value == kAbsent;
}

/// Both sides of one comparison.
class Ruling {
 public:
  Ruling(const Comparison& comparison, const Declaration& declaration,
         const std::vector<EffectiveComponents>& components)
      : comparison_(comparison),
        first_name_(declaration.strategies[comparison.first].name),
        second_name_(declaration.strategies[comparison.second].name),
        first_(components[comparison.first]),
        second_(components[comparison.second]) {}

  Control rule(const MatchedRows& matched) {
    if (!comparison_.factor) add(Confound::Kind::no_factor, std::nullopt, "no factor was declared");
    for (const Component component : kComponents) rule_on_component(component);
    if (matched.instances == 0) {
      add(Confound::Kind::no_matched_instances, std::nullopt, "no instance was scored under both strategies");
    }
    if (matched.same_rows) add(Confound::Kind::same_rows, std::nullopt, "both sides are the same rows");
    warn_of_contradictions();
    return std::move(control_);
  }

 private:
  void add(Confound::Kind kind, std::optional<Component> component, std::string sentence) {
    control_.confounds.push_back({kind, component, std::move(sentence)});
  }

  void rule_on_component(Component component) {
    const EffectiveComponent& first = first_[component];
    const EffectiveComponent& second = second_[component];
    if (!first.value || !second.value) return add_unknown(component);
    const bool same = *first.value == *second.value;
    if (component == comparison_.factor) {
      if (same) {
        add(Confound::Kind::factor_is_the_same, component,
            fmt::format("the declared factor {} is the same on both sides ({})", name(component), shown(*first.value)));
      }
      return;
    }
    if (same) return;
    if (comes_with_factor(component)) {
      control_.came_with.push_back(component);
      return;
    }
    add(Confound::Kind::differs, component,
        fmt::format("{} differs too ({} against {})", name(component), shown(*first.value), shown(*second.value)));
    if (component == Component::judge || component == Component::judge_prompt) {
      control_.warnings.push_back(
          fmt::format("the answers were judged differently ({}): scores are not on one scale", name(component)));
    }
  }

  void add_unknown(Component component) {
    std::string words;
    if (!first_[component].value) words = unknown_words(first_[component], first_name_);
    if (!second_[component].value) {
      words += (words.empty() ? "" : " and ") + unknown_words(second_[component], second_name_);
    }
    add(Confound::Kind::unknown, component, fmt::format("{} {}", name(component), words));
  }

  [[nodiscard]] bool comes_with_factor(Component component) const {
    const auto& listed = comparison_.comes_with;
    if (std::find(listed.begin(), listed.end(), component) == listed.end()) return false;
    const bool without_first = is_absent(first_[component]);
    const bool without_second = is_absent(second_[component]);
    if (!without_first && !without_second) return false;
    if (!comparison_.factor) return true;
    const bool no_factor_first = is_absent(first_[*comparison_.factor]);
    const bool no_factor_second = is_absent(second_[*comparison_.factor]);
    // The factor may be another kind of memory on both sides (full context, say). Where a side is without the factor,
    // it is that side that is without what comes with it.
    if (!no_factor_first && !no_factor_second) return true;
    return without_first == no_factor_first && without_second == no_factor_second;
  }

  void warn_of_contradictions() {
    for (const Component component : kComponents) {
      warn_of_contradiction(component, first_[component], first_name_);
      warn_of_contradiction(component, second_[component], second_name_);
    }
  }

  void warn_of_contradiction(Component component, const EffectiveComponent& known, const std::string& strategy) {
    if (!known.contradicted) return;
    const std::string rows = known.value ? shown(*known.value) : std::string("several values");
    control_.warnings.push_back(fmt::format("{} of {} is declared as {}, but its rows say {}: the rows count",
                                            name(component), shown(strategy), shown(*known.declared), rows));
  }

  const Comparison& comparison_;
  const std::string& first_name_;
  const std::string& second_name_;
  const EffectiveComponents& first_;
  const EffectiveComponents& second_;
  Control control_;
};

EffectiveComponent effective(const std::optional<std::string>& declared, const StatedComponent& stated,
                             std::uint64_t rows) {
  EffectiveComponent known;
  known.declared = declared;
  const auto says_otherwise = [&](const StatedValue& value) { return value.value != *declared; };
  known.contradicted =
      declared && (stated.rows_beyond > 0 || std::any_of(stated.values.begin(), stated.values.end(), says_otherwise));
  if (stated.values.empty()) {
    known.value = declared;
    known.source = declared ? Source::declared : Source::undeclared;
    return known;
  }
  const bool every_row = stated.values.front().rows == rows;
  // Rows that are silent are taken to be as declared.
  const bool one_value = stated.values.size() == 1 && (every_row || !known.contradicted);
  if (!one_value) {
    known.source = Source::mixed;
  } else if (!every_row && !declared) {
    known.source = Source::partly_stated;
  } else {
    known.source = Source::rows;
    known.value = stated.values.front().value;
  }
  return known;
}

}  // namespace

std::string_view name(Source source) {
  switch (source) {
    case Source::undeclared:
      return "undeclared";
    case Source::declared:
      return "declared";
    case Source::rows:
      return "rows";
    case Source::partly_stated:
      return "partly_stated";
    case Source::mixed:
      return "mixed";
  }
  return "";
}

std::string_view name(Confound::Kind kind) {
  switch (kind) {
    case Confound::Kind::differs:
      return "differs";
    case Confound::Kind::unknown:
      return "unknown";
    case Confound::Kind::no_factor:
      return "no_factor";
    case Confound::Kind::factor_is_the_same:
      return "factor_is_the_same";
    case Confound::Kind::no_matched_instances:
      return "no_matched_instances";
    case Confound::Kind::same_rows:
      return "same_rows";
  }
  return "";
}

EffectiveComponents effective_components(const Strategy& strategy, std::size_t index, const Results& results) {
  EffectiveComponents known;
  for (const Component component : kComponents) {
    known[component] = effective(strategy.components[component], results.stated(index, component), results.rows(index));
  }
  return known;
}

Control rule_on(const Comparison& comparison, const Declaration& declaration,
                const std::vector<EffectiveComponents>& components, const MatchedRows& matched) {
  return Ruling(comparison, declaration, components).rule(matched);
}

}  // namespace memuse::controlled
