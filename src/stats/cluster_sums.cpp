#include "stats/cluster_sums.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace memuse::stats {
namespace {

struct ClusterValue {
  std::uint32_t cluster;
  double value;
};

/// Ascending by cluster, then value. A value that is no number comes last, so that the order is one with it, too.
bool precedes(const ClusterValue& a, const ClusterValue& b) {
  if (a.cluster != b.cluster) return a.cluster < b.cluster;
  if (std::isnan(a.value) || std::isnan(b.value)) return !std::isnan(a.value);
  return a.value < b.value;
}

}  // namespace

ClusterSums::ClusterSums(std::size_t columns, std::vector<double> sums) : columns_(columns), sums_(std::move(sums)) {
  assert(columns_ > 0 && sums_.size() % columns_ == 0);
}

std::vector<double> ClusterSums::totals() const {
  std::vector<double> totals(columns_, 0.0);
  for (std::size_t i = 0; i < sums_.size(); ++i) totals[i % columns_] += sums_[i];
  return totals;
}

void RowsByCluster::add(std::string_view cluster, std::span<const double> values) {
  assert(values.size() == columns_);
  auto found = numbers_.find(cluster);
  if (found == numbers_.end())
    found = numbers_.emplace(std::string(cluster), static_cast<std::uint32_t>(numbers_.size())).first;
  cluster_of_row_.push_back(found->second);
  values_.insert(values_.end(), values.begin(), values.end());
}

ClusterSums RowsByCluster::sums() const {
  std::vector<std::uint32_t> rank(numbers_.size());
  std::uint32_t next = 0;
  for (const auto& [name, number] : numbers_) rank[number] = next++;

  std::vector<double> sums(numbers_.size() * columns_, 0.0);
  std::vector<ClusterValue> column_values(cluster_of_row_.size());
  for (std::size_t column = 0; column < columns_; ++column) {
    for (std::size_t row = 0; row < column_values.size(); ++row)
      column_values[row] = {rank[cluster_of_row_[row]], values_[row * columns_ + column]};
    std::sort(column_values.begin(), column_values.end(), precedes);
    for (const ClusterValue& value : column_values) sums[value.cluster * columns_ + column] += value.value;
  }
  return {columns_, std::move(sums)};
}

}  // namespace memuse::stats
