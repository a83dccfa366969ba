#include "graph/origins.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace memuse::graph {
namespace {

void count_traced(const EpisodeNode& source, const EpisodeNode& target, OriginCounts& counts) {
  ++counts.traced;
  if (source.resolved) {
    ++counts.outcome_known;
    if (!*source.resolved) ++counts.from_failed;
  }
  if (!source.repo.empty() && !target.repo.empty()) {
    ++counts.repositories_known;
    if (source.repo != target.repo) ++counts.from_another_repository;
  }
  if (const auto gap = position_gap(source, target)) counts.gaps.push_back(*gap);
}

void count_origin(const RunOriginFacts& facts, const OriginRow& row, OriginCounts& counts) {
  ++counts.beneficial;
  switch (row.origin.kind) {
    case OriginKind::earlier_episode:
      if (row.origin.identity == Identity::text) ++counts.traced_by_text;
      return count_traced(facts.episodes[facts.changes[*row.origin.change].episode],
                          facts.episodes[facts.exposures[row.exposure].episode], counts);
    case OriginKind::same_episode:
      ++counts.same_episode;
      return;
    case OriginKind::recorded_later:
      ++counts.recorded_later;
      return;
    case OriginKind::order_unknown:
      ++counts.order_unknown;
      return;
    case OriginKind::other_version:
      ++counts.other_version;
      return;
    case OriginKind::not_recorded:
      ++counts.not_recorded;
  }
}

}  // namespace

OriginCounts& OriginCounts::operator+=(const OriginCounts& other) {
  beneficial += other.beneficial;
  traced += other.traced;
  traced_by_text += other.traced_by_text;
  same_episode += other.same_episode;
  recorded_later += other.recorded_later;
  order_unknown += other.order_unknown;
  other_version += other.other_version;
  not_recorded += other.not_recorded;
  outcome_known += other.outcome_known;
  from_failed += other.from_failed;
  repositories_known += other.repositories_known;
  from_another_repository += other.from_another_repository;
  std::vector<std::int64_t> merged;
  std::merge(gaps.begin(), gaps.end(), other.gaps.begin(), other.gaps.end(), std::back_inserter(merged));
  gaps = std::move(merged);
  return *this;
}

std::optional<double> OriginCounts::median_gap() const {
  if (gaps.empty()) return std::nullopt;
  const std::size_t middle = gaps.size() / 2;
  const auto upper = static_cast<double>(gaps[middle]);
  return gaps.size() % 2 == 1 ? upper : (static_cast<double>(gaps[middle - 1]) + upper) / 2.0;
}

RunOrigins run_origins(RunOriginFacts facts) {
  RunOrigins out;
  out.facts = std::move(facts);
  const CreatorIndex creators(out.facts.episodes, out.facts.changes);
  for (std::size_t i = 0; i < out.facts.exposures.size(); ++i) {
    out.rows.push_back({i, creators.creator_of(out.facts.exposures[i])});
    count_origin(out.facts, out.rows.back(), out.counts);
  }
  std::sort(out.counts.gaps.begin(), out.counts.gaps.end());
  return out;
}

}  // namespace memuse::graph
