#include "stats/kappa.h"

#include <cassert>

namespace memuse::stats {
namespace {

/// 1 - observed / expected disagreement, where `disagreement(i, j)` weighs a pair of categories. The expectation keeps
/// each rater's own totals.
template <typename Disagreement>
std::optional<double> chance_corrected(const ConfusionMatrix& matrix, const Disagreement& disagreement) {
  const std::size_t size = matrix.categories();
  std::vector<double> first(size, 0.0);
  std::vector<double> second(size, 0.0);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      first[i] += matrix.count(i, j);
      second[j] += matrix.count(i, j);
    }
  double observed = 0.0;
  double expected_times_n = 0.0;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      observed += disagreement(i, j) * matrix.count(i, j);
      expected_times_n += disagreement(i, j) * first[i] * second[j];
    }
  if (!(expected_times_n > 0.0)) return std::nullopt;
  return 1.0 - matrix.n() * observed / expected_times_n;
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::size_t categories, std::span<const double> counts)
    : categories_(categories), counts_(counts.begin(), counts.end()) {
  assert(counts.empty() || counts.size() == categories * categories);
  counts_.resize(categories * categories, 0.0);
}

void ConfusionMatrix::add(std::size_t first, std::size_t second, double weight) {
  assert(first < categories_ && second < categories_);
  counts_[first * categories_ + second] += weight;
}

double ConfusionMatrix::n() const {
  double sum = 0.0;
  for (const double count : counts_) sum += count;
  return sum;
}

std::optional<double> ConfusionMatrix::agreement() const {
  const double pairs = n();
  if (!(pairs > 0.0)) return std::nullopt;
  double same = 0.0;
  for (std::size_t i = 0; i < categories_; ++i) same += count(i, i);
  return same / pairs;
}

ConfusionMatrix ConfusionMatrix::restricted_to(std::span<const std::size_t> kept) const {
  ConfusionMatrix part(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i)
    for (std::size_t j = 0; j < kept.size(); ++j) part.add(i, j, count(kept[i], kept[j]));
  return part;
}

std::optional<double> cohen_kappa(const ConfusionMatrix& matrix) {
  return chance_corrected(matrix, [](std::size_t i, std::size_t j) { return i == j ? 0.0 : 1.0; });
}

std::optional<double> linear_weighted_kappa(const ConfusionMatrix& matrix) {
  return chance_corrected(matrix,
                          [](std::size_t i, std::size_t j) { return static_cast<double>(i > j ? i - j : j - i); });
}

}  // namespace memuse::stats
