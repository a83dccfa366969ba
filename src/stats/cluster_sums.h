#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memuse::stats {

/// What a bootstrap resamples: for each cluster the sums, over its rows, of a fixed number of columns. Any quantity
/// that is a function of sums can be resampled from it without going back to the rows.
class ClusterSums {
 public:
  /// `sums` holds one line of `columns` values after another.
  ClusterSums(std::size_t columns, std::vector<double> sums);

  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t clusters() const { return sums_.size() / columns_; }
  /// Sums of one cluster; valid as long as the object.
  [[nodiscard]] std::span<const double> cluster(std::size_t index) const {
    return std::span(sums_).subspan(index * columns_, columns_);
  }
  /// Sums over all clusters.
  [[nodiscard]] std::vector<double> totals() const;

 private:
  std::size_t columns_;
  std::vector<double> sums_;
};

/// Groups rows by the name of their cluster.
///
/// The order of the rows does not matter, down to the last bit: clusters are sorted by name (as bytes), and the values
/// of a cluster are added in ascending order, each column for itself. Memory grows with the rows.
class RowsByCluster {
 public:
  /// `columns` must not be 0.
  explicit RowsByCluster(std::size_t columns) : columns_(columns) {}

  /// Adds a row of as many values as there are columns.
  void add(std::string_view cluster, std::span<const double> values);

  [[nodiscard]] ClusterSums sums() const;

 private:
  std::size_t columns_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;  ///< cluster names, numbered by first appearance
  std::vector<std::uint32_t> cluster_of_row_;
  std::vector<double> values_;
};

}  // namespace memuse::stats
