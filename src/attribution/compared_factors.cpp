#include "attribution/compared_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "model/text.h"

namespace memuse::attribution {
namespace {

constexpr std::array<std::pair<Factor, std::string_view>, 6> kFactorNames{{{Factor::memory, "memory"},
                                                                           {Factor::model, "model"},
                                                                           {Factor::seed, "seed"},
                                                                           {Factor::tasks, "tasks"},
                                                                           {Factor::runs, "runs"},
                                                                           {Factor::repositories, "repositories"}}};

std::vector<std::string> values_of(const StudyFacts& study, const Episodes& episodes, NameId EpisodeFacts::*field) {
  std::set<NameId> ids;
  for (const EpisodeFacts* facts : episodes) ids.insert(facts->*field);
  std::vector<std::string> values;
  for (const NameId id : ids) values.push_back(study.name(id));
  return values;
}

FactorState::State state_of(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  const auto is_silent = [](const std::vector<std::string>& values) {
    return std::find(values.begin(), values.end(), std::string()) != values.end();
  };
  // An episode that does not say could have any value.
  if (is_silent(first) || is_silent(second)) return FactorState::State::unknown;
  return first == second ? FactorState::State::same : FactorState::State::differs;
}

FactorState by_field(const StudyFacts& study, Factor factor, const Episodes& first, const Episodes& second,
                     NameId EpisodeFacts::*field) {
  FactorState state{factor, FactorState::State::same, values_of(study, first, field), values_of(study, second, field)};
  state.state = state_of(state.first, state.second);
  return state;
}

std::vector<std::string> names_of(const StudyFacts& study, const std::vector<NameId>& ids) {
  std::vector<std::string> names;
  for (const NameId id : ids) names.push_back(study.name(id));
  return names;
}

FactorState tasks_state(const StudyFacts& study, const Pairing& pairing) {
  FactorState state{Factor::tasks, FactorState::State::same, names_of(study, pairing.only_first),
                    names_of(study, pairing.only_second)};
  if (!state.first.empty() || !state.second.empty()) {
    state.state = FactorState::State::differs;
  } else if (pairing.unnamed_first + pairing.unnamed_second > 0) {
    state.state = FactorState::State::unknown;
  }
  return state;
}

/// Runs differ when their number does: their names are the study's own affair.
FactorState runs_state(const StudyFacts& study, const Episodes& first, const Episodes& second) {
  FactorState state = by_field(study, Factor::runs, first, second, &EpisodeFacts::run);
  state.state = state.first.size() == state.second.size() ? FactorState::State::same : FactorState::State::differs;
  return state;
}

std::string listed(const std::vector<std::string>& values) {
  constexpr std::size_t kListed = 3;
  constexpr std::size_t kShown = 40;
  std::string out;
  for (std::size_t i = 0; i < std::min(values.size(), kListed); ++i) {
    if (i > 0) out += ", ";
    out += values[i].empty() ? std::string("not recorded") : shortened(printable(values[i]), kShown);
  }
  if (values.size() > kListed) out += fmt::format(" and {} more", values.size() - kListed);
  return out;
}

std::string differs_sentence(const FactorState& state) {
  switch (state.factor) {
    case Factor::memory:
      break;
    case Factor::model:
      return fmt::format("the models differ ({} against {})", listed(state.first), listed(state.second));
    case Factor::seed:
      return fmt::format("the seeds differ ({} against {})", listed(state.first), listed(state.second));
    case Factor::tasks:
      return fmt::format("the task sets differ ({} on the first side only, {} on the second only; they are left out)",
                         state.first.size(), state.second.size());
    case Factor::runs:
      return fmt::format("the numbers of runs differ ({} against {})", state.first.size(), state.second.size());
    case Factor::repositories:
      return fmt::format("the repositories differ ({} against {})", listed(state.first), listed(state.second));
  }
  return {};
}

std::string unknown_sentence(const FactorState& state) {
  switch (state.factor) {
    case Factor::model:
      return "not every episode records its model, so the models may differ";
    case Factor::tasks:
      return "some episodes name no task and match nothing";
    default:
      return {};
  }
}

}  // namespace

std::string_view name(Factor factor) {
  return kFactorNames[static_cast<std::size_t>(factor)].second;
}

std::optional<Factor> parse_factor(std::string_view text) {
  for (const auto& [factor, factor_name] : kFactorNames) {
    if (factor_name == text) return factor;
  }
  return std::nullopt;
}

std::string_view name(FactorState::State state) {
  switch (state) {
    case FactorState::State::same:
      return "same";
    case FactorState::State::differs:
      return "differs";
    case FactorState::State::unknown:
      break;
  }
  return "unknown";
}

std::vector<FactorState> compare_factors(const StudyFacts& study, const Episodes& first, const Episodes& second,
                                         const Pairing& pairing) {
  // A configuration is one memory system set up one way (semantics.md §1), so two of them differ in it.
  FactorState memory = by_field(study, Factor::memory, first, second, &EpisodeFacts::configuration);
  memory.state = FactorState::State::differs;
  return {std::move(memory),
          by_field(study, Factor::model, first, second, &EpisodeFacts::model),
          by_field(study, Factor::seed, first, second, &EpisodeFacts::seed),
          tasks_state(study, pairing),
          runs_state(study, first, second),
          by_field(study, Factor::repositories, first, second, &EpisodeFacts::repo)};
}

std::vector<std::string> confounds(const Comparison& comparison, Factor declared) {
  std::vector<std::string> sentences;
  for (const FactorState& state : comparison.factors) {
    const bool is_declared = state.factor == declared;
    if (is_declared && state.state == FactorState::State::same) {
      sentences.push_back(fmt::format("the declared factor ({}) is the same on both sides", name(declared)));
    }
    // Another factor than memory was declared: two configurations may still be the same memory system.
    if (is_declared || state.factor == Factor::memory) continue;
    std::string sentence = state.state == FactorState::State::differs   ? differs_sentence(state)
                           : state.state == FactorState::State::unknown ? unknown_sentence(state)
                                                                        : std::string();
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace memuse::attribution
