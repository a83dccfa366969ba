#include "attribution/pairing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace memuse::attribution {
namespace {

std::map<NameId, Episodes> by_task(const Episodes& episodes, std::uint64_t& unnamed) {
  std::map<NameId, Episodes> tasks;
  for (const EpisodeFacts* facts : episodes) {
    if (facts->task == 0) {
      ++unnamed;
    } else {
      tasks[facts->task].push_back(facts);
    }
  }
  return tasks;
}

Episodes joined(const std::vector<PairedTask>& tasks, Episodes PairedTask::*side) {
  Episodes all;
  for (const PairedTask& task : tasks) all.insert(all.end(), (task.*side).begin(), (task.*side).end());
  return all;
}

void add_side(const Episodes& episodes, std::span<const Ratio> ratios, std::size_t offset, double* line) {
  for (const EpisodeFacts* facts : episodes) {
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      line[4 * i + offset] += ratios[i].numerator(*facts);
      line[4 * i + offset + 1] += ratios[i].denominator(*facts);
    }
  }
}

std::optional<double> side_value(std::span<const double> sums, std::size_t column, double factor) {
  if (sums[column + 1] == 0.0) return std::nullopt;
  return factor * sums[column] / sums[column + 1];
}

stats::Statistic difference_of_columns(std::size_t first, double factor) {
  return [first, factor](std::span<const double> sums) -> std::optional<double> {
    const auto of_first = side_value(sums, first, factor);
    const auto of_second = side_value(sums, first + 2, factor);
    if (!of_first || !of_second) return std::nullopt;
    return *of_first - *of_second;
  };
}

std::uint64_t side_events(const Episodes& episodes, const Ratio& ratio) {
  double events = 0.0;
  for (const EpisodeFacts* facts : episodes) events += ratio.events(*facts);
  return static_cast<std::uint64_t>(std::llround(events));
}

}  // namespace

Episodes Pairing::first_episodes() const {
  return joined(tasks, &PairedTask::first);
}

Episodes Pairing::second_episodes() const {
  return joined(tasks, &PairedTask::second);
}

std::size_t Pairing::clusters() const {
  std::set<std::uint32_t> clusters;
  for (const PairedTask& task : tasks) clusters.insert(task.cluster);
  return clusters.size();
}

Pairing pair_by_task(const Episodes& first, const Episodes& second) {
  Pairing pairing;
  std::map<NameId, Episodes> of_first = by_task(first, pairing.unnamed_first);
  std::map<NameId, Episodes> of_second = by_task(second, pairing.unnamed_second);
  for (auto& [task, episodes] : of_first) {
    const auto match = of_second.find(task);
    if (match == of_second.end()) {
      pairing.only_first.push_back(task);
      continue;
    }
    const std::uint32_t cluster = episodes.front()->cluster;
    pairing.tasks.push_back({task, cluster, std::move(episodes), std::move(match->second)});
  }
  for (const auto& [task, episodes] : of_second) {
    if (!of_first.contains(task)) pairing.only_second.push_back(task);
  }
  return pairing;
}

stats::ClusterSums paired_sums(const Pairing& pairing, std::span<const Ratio> ratios) {
  std::map<std::uint32_t, std::size_t> lines;  // cluster → its line
  for (const PairedTask& task : pairing.tasks) lines.emplace(task.cluster, 0);
  std::size_t next = 0;
  for (auto& [cluster, line] : lines) line = next++;
  const std::size_t columns = 4 * ratios.size();
  std::vector<double> sums(lines.size() * columns, 0.0);
  for (const PairedTask& task : pairing.tasks) {
    double* line = sums.data() + lines.at(task.cluster) * columns;
    add_side(task.first, ratios, 0, line);
    add_side(task.second, ratios, 2, line);
  }
  return {columns, std::move(sums)};
}

std::vector<Difference> paired_differences(const Pairing& pairing, std::span<const Ratio> ratios,
                                           const stats::Resampling& resampling) {
  std::vector<Difference> differences(ratios.size());
  if (ratios.empty()) return differences;
  const stats::ClusterSums sums = paired_sums(pairing, ratios);
  const std::vector<double> totals = sums.totals();
  const Episodes first = pairing.first_episodes();
  const Episodes second = pairing.second_episodes();
  std::vector<stats::Statistic> statistics;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    Difference& difference = differences[i];
    difference.first = side_value(totals, 4 * i, ratios[i].factor);
    difference.second = side_value(totals, 4 * i + 2, ratios[i].factor);
    difference.value = difference_of_columns(4 * i, ratios[i].factor)(totals);
    difference.events_first = side_events(first, ratios[i]);
    difference.events_second = side_events(second, ratios[i]);
    difference.few_events = difference.events_first + difference.events_second < kFewEvents;
    if (difference.few_events || !difference.value || resampling.resamples == 0) continue;
    statistics.push_back(difference_of_columns(4 * i, ratios[i].factor));
    places.push_back(i);
  }
  if (statistics.empty()) return differences;
  const auto bootstrapped = stats::bootstrap_each(sums, statistics, resampling, 0.0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!bootstrapped[i]) continue;
    differences[places[i]].interval = bootstrapped[i]->interval;
    differences[places[i]].p = bootstrapped[i]->p;
  }
  return differences;
}

}  // namespace memuse::attribution
