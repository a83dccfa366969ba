#include "merit/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "stats/bootstrap.h"
#include "stats/holm.h"
#include "stats/merit_bootstrap.h"

namespace memuse::merit {
namespace {

using Arcs = std::unordered_set<std::string_view>;

Arcs arcs_of(std::span<const GroupRow> rows) {
  Arcs arcs;
  for (const GroupRow& row : rows) arcs.insert(row.arc);
  return arcs;
}

Share share_in(std::span<const GroupRow> rows, const Arcs& arcs) {
  Share share;
  for (const GroupRow& row : rows) {
    if (arcs.contains(row.arc)) share.add(row.episode->success);
  }
  return share;
}

std::optional<Difference> by_merit(std::span<const GroupRow> first, std::span<const GroupRow> second) {
  const auto episodes = [](std::span<const GroupRow> rows) {
    std::vector<stats::MeritEpisode> list;
    for (const GroupRow& row : rows) list.push_back({row.arc, row.episode->success});
    return list;
  };
  const auto found = stats::merit_difference(episodes(first), episodes(second));
  if (!found) return std::nullopt;
  Difference difference;
  difference.value = found->value;
  difference.interval = found->interval;
  difference.p = found->p;
  difference.arcs = found->arcs;
  return difference;
}

std::optional<Difference> by_clusters(std::span<const GroupRow> first, std::span<const GroupRow> second,
                                      const Resampling& resampling) {
  const auto rows = [](std::span<const GroupRow> side) {
    std::vector<stats::Row> list;
    for (const GroupRow& row : side) list.push_back({row.arc, row.episode->success ? 1.0 : 0.0});
    return list;
  };
  stats::Resampling how;
  how.resamples = resampling.resamples;
  how.seed = resampling.seed;
  const auto found = stats::ratio_difference(rows(first), rows(second), how);
  if (!found) return std::nullopt;
  Difference difference;
  difference.value = found->value;
  difference.interval = found->interval;
  difference.p = found->p;
  difference.arcs = found->clusters;
  return difference;
}

}  // namespace

std::string_view name(Resampler resampler) {
  return resampler == Resampler::merit ? stats::kMeritResampler : std::string_view("clusters");
}

std::string name(const Side& side) {
  if (side.mode.empty()) return side.condition;
  return side.rate ? fmt::format("{} {}@{}", side.condition, side.mode, *side.rate)
                   : fmt::format("{} {}", side.condition, side.mode);
}

std::string name(const Comparison& comparison) {
  return fmt::format("{} - {}", name(comparison.first), name(comparison.second));
}

std::vector<GroupRow> rows_of(std::span<const GroupRow> rows, const Side& side, bool dependent) {
  std::vector<GroupRow> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found), [&](const GroupRow& row) {
    const ScoredEpisode& episode = *row.episode;
    return episode.dependent == dependent && episode.condition == side.condition && episode.setting.mode == side.mode &&
           episode.setting.rate == side.rate;
  });
  return found;
}

void run(Comparison& comparison, std::span<const GroupRow> rows, const Resampling& resampling) {
  const std::vector<GroupRow> first = rows_of(rows, comparison.first, comparison.dependent);
  const std::vector<GroupRow> second = rows_of(rows, comparison.second, comparison.dependent);
  comparison.difference =
      resampling.resampler == Resampler::merit ? by_merit(first, second) : by_clusters(first, second, resampling);
  if (!comparison.difference) return;
  comparison.difference->first = share_in(first, arcs_of(second));
  comparison.difference->second = share_in(second, arcs_of(first));
}

void adjust(std::span<Comparison* const> family) {
  std::vector<std::optional<double>> p_values;
  for (const Comparison* comparison : family) {
    p_values.push_back(comparison->difference ? comparison->difference->p : std::nullopt);
  }
  const std::vector<std::optional<double>> adjusted = stats::holm_adjusted(p_values);
  for (std::size_t i = 0; i < family.size(); ++i) family[i]->p_holm = adjusted[i];
}

}  // namespace memuse::merit
