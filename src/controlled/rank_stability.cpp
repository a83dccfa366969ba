#include "controlled/rank_stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/text.h"
#include "stats/rank.h"

namespace memuse::controlled {
namespace {

using Members = std::vector<std::size_t>;        ///< indices of strategies
using ByLabel = std::map<std::string, Members>;  ///< `ranked_as` → strategies
using ByFamily = std::map<std::string, ByLabel>;
using Scores = std::vector<std::vector<InstanceScore>>;

bool has_score(const std::vector<InstanceScore>& scores) {
  for (const InstanceScore& instance : scores) {
    if (instance.score(Failures::excluded)) return true;
  }
  return false;
}

/// How many of the strategies have a score for each instance.
std::vector<std::uint32_t> coverage(const Members& strategies, const Scores& scores, std::size_t instances) {
  std::vector<std::uint32_t> count(instances, 0);
  for (const std::size_t strategy : strategies) {
    for (const InstanceScore& instance : scores[strategy]) {
      if (instance.score(Failures::excluded)) ++count[instance.instance];
    }
  }
  return count;
}

/// Mean over the strategies of their mean scores on the instances that all `wanted` strategies cover; rounded, so that
/// the same scores in another order tie.
double mean_accuracy(const Members& strategies, const Scores& scores, const std::vector<std::uint32_t>& covered,
                     std::size_t wanted, std::size_t n) {
  double sum = 0.0;
  for (const std::size_t strategy : strategies) {
    for (const InstanceScore& instance : scores[strategy]) {
      if (covered[instance.instance] != wanted) continue;
      sum += *instance.score(Failures::excluded);
    }
  }
  constexpr double kSteps = 1e12;
  const double mean = sum / (static_cast<double>(n) * static_cast<double>(strategies.size()));
  return std::round(mean * kSteps) / kSteps;
}

/// Ranks from 1 for the best.
std::vector<double> ranks_of(const std::vector<double>& accuracies) {
  std::vector<double> lost;
  lost.reserve(accuracies.size());
  for (const double accuracy : accuracies) lost.push_back(-accuracy);
  return stats::mid_ranks(lost);
}

void add_flips(FamilyPair& pair) {
  for (const RankedStrategy& a : pair.strategies) {
    for (const RankedStrategy& b : pair.strategies) {
      if (a.first > b.first && a.second < b.second) pair.flips.emplace_back(a.name, b.name);
    }
  }
}

std::optional<FamilyPair> compare(const std::string& first_name, const ByLabel& first, const std::string& second_name,
                                  const ByLabel& second, const Scores& scores, std::size_t instances,
                                  std::vector<std::string>& warnings) {
  FamilyPair pair;
  pair.first = first_name;
  pair.second = second_name;
  Members involved;
  std::vector<std::string> labels;
  for (const auto& [label, members] : first) {
    const auto other = second.find(label);
    if (other == second.end()) continue;
    labels.push_back(label);
    involved.insert(involved.end(), members.begin(), members.end());
    involved.insert(involved.end(), other->second.begin(), other->second.end());
  }
  if (labels.size() < 2) return std::nullopt;
  const std::vector<std::uint32_t> covered = coverage(involved, scores, instances);
  pair.n = static_cast<std::size_t>(std::count(covered.begin(), covered.end(), involved.size()));
  if (pair.n == 0) {
    warnings.push_back(fmt::format("{} and {} have {} strategies in common, but no instance that all of them scored",
                                   printable(first_name), printable(second_name), labels.size()));
    return std::nullopt;
  }
  std::vector<double> of_first;
  std::vector<double> of_second;
  for (const std::string& label : labels) {
    of_first.push_back(mean_accuracy(first.at(label), scores, covered, involved.size(), pair.n));
    of_second.push_back(mean_accuracy(second.at(label), scores, covered, involved.size(), pair.n));
  }
  const std::vector<double> first_ranks = ranks_of(of_first);
  const std::vector<double> second_ranks = ranks_of(of_second);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    pair.strategies.push_back({labels[i], of_first[i], of_second[i], first_ranks[i], second_ranks[i]});
  }
  pair.tau = stats::kendall_tau(of_first, of_second);
  add_flips(pair);
  return pair;
}

/// A name stands for one thing under several reader models: everything else must be known and equal.
void warn_of_differences(const std::string& label, const Members& members, const Declaration& declaration,
                         const std::vector<EffectiveComponents>& components, std::vector<std::string>& warnings) {
  for (const std::size_t member : members) {
    for (const Component component : kComponents) {
      if (component == Component::reader_model) continue;
      const auto& reference = components[members.front()][component].value;
      const auto& value = components[member][component].value;
      if (value && reference && *value == *reference) continue;
      if (member == members.front() && value) continue;
      warnings.push_back(fmt::format("{} and {} are ranked as {}, but {} differs or is not known",
                                     printable(declaration.strategies[members.front()].name),
                                     printable(declaration.strategies[member].name), printable(label),
                                     name(component)));
    }
  }
}

}  // namespace

RankStability rank_stability(const Declaration& declaration, const std::vector<EffectiveComponents>& components,
                             const Scores& scores, std::size_t instances) {
  RankStability stability;
  ByFamily families;
  ByLabel everywhere;
  std::set<std::string> without_family;
  for (std::size_t i = 0; i < declaration.strategies.size(); ++i) {
    if (!has_score(scores[i])) continue;
    const Strategy& strategy = declaration.strategies[i];
    const auto& model = components[i][Component::reader_model].value;
    if (!model) {
      stability.strategies_without_model.push_back(strategy.name);
      continue;
    }
    const auto family = declaration.model_families.find(*model);
    if (family == declaration.model_families.end()) {
      without_family.insert(*model);
      continue;
    }
    families[family->second][strategy.ranked_as].push_back(i);
    everywhere[strategy.ranked_as].push_back(i);
  }
  stability.models_without_family.assign(without_family.begin(), without_family.end());
  for (auto a = families.begin(); a != families.end(); ++a) {
    stability.families.push_back(a->first);
    for (auto b = std::next(a); b != families.end(); ++b) {
      if (auto pair = compare(a->first, a->second, b->first, b->second, scores, instances, stability.warnings)) {
        stability.pairs.push_back(std::move(*pair));
      }
    }
  }
  for (const auto& [label, members] : everywhere) {
    if (members.size() < 2) continue;
    warn_of_differences(label, members, declaration, components, stability.warnings);
  }
  return stability;
}

}  // namespace memuse::controlled
