#include "stats/merit_bootstrap.h"

#include <algorithm>
#include <map>
#include <vector>

#include "stats/python_random.h"

namespace memuse::stats {
namespace {

/// Places of the ends among the sorted differences, from 0.
constexpr std::size_t kLowItem = 250;
constexpr std::size_t kHighItem = 9750;

struct Successes {
  std::uint64_t successes = 0;
  std::uint64_t episodes = 0;

  void add(const Successes& other) {
    successes += other.successes;
    episodes += other.episodes;
  }
  [[nodiscard]] double rate() const { return static_cast<double>(successes) / static_cast<double>(episodes); }
};

struct BothSides {
  Successes first;
  Successes second;

  void add(const BothSides& other) {
    first.add(other.first);
    second.add(other.second);
  }
  [[nodiscard]] double difference() const { return first.rate() - second.rate(); }
};

/// Counts of the arcs that both sides have, in the order of their names.
std::vector<BothSides> shared_arcs(std::span<const MeritEpisode> first, std::span<const MeritEpisode> second) {
  std::map<std::string_view, BothSides> arcs;
  for (const MeritEpisode& episode : first) arcs[episode.arc].first.add({episode.success ? 1U : 0U, 1});
  for (const MeritEpisode& episode : second) arcs[episode.arc].second.add({episode.success ? 1U : 0U, 1});
  std::vector<BothSides> shared;
  for (const auto& [name, counts] : arcs)
    if (counts.first.episodes > 0 && counts.second.episodes > 0) shared.push_back(counts);
  return shared;
}

}  // namespace

std::optional<MeritDifference> merit_difference(std::span<const MeritEpisode> first,
                                                std::span<const MeritEpisode> second) {
  const std::vector<BothSides> arcs = shared_arcs(first, second);
  if (arcs.empty()) return std::nullopt;

  PythonRandom random(kMeritSeed);
  const auto count = static_cast<std::uint32_t>(arcs.size());
  std::vector<double> differences(kMeritResamples);
  for (double& difference : differences) {
    BothSides drawn;
    for (std::uint32_t i = 0; i < count; ++i) drawn.add(arcs[random.below(count)]);
    difference = drawn.difference();
  }
  std::sort(differences.begin(), differences.end());

  BothSides all;
  for (const BothSides& arc : arcs) all.add(arc);
  MeritDifference result;
  result.value = all.difference();
  result.interval = {differences[kLowItem], differences[kHighItem]};
  result.p = *two_sided_p(differences, 0.0);
  result.arcs = arcs.size();
  result.first = all.first.rate();
  result.second = all.second.rate();
  return result;
}

}  // namespace memuse::stats
