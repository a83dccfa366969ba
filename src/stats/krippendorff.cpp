#include "stats/krippendorff.h"

#include <cassert>
#include <cmath>

namespace memuse::stats {

void Coincidences::add_unit(std::span<const std::optional<std::size_t>> ratings) {
  std::vector<std::uint64_t> counts(categories_, 0);
  std::uint64_t given = 0;
  for (const std::optional<std::size_t>& rating : ratings) {
    if (!rating) continue;
    assert(*rating < categories_);
    ++counts[*rating];
    ++given;
  }
  if (given < 2) return;
  if (pairs_by_ratings_.size() < given - 1)
    pairs_by_ratings_.resize(given - 1, std::vector<std::uint64_t>(categories_ * categories_, 0));
  std::vector<std::uint64_t>& pairs = pairs_by_ratings_[given - 2];
  for (std::size_t c = 0; c < categories_; ++c)
    for (std::size_t k = 0; k < categories_; ++k)
      pairs[c * categories_ + k] += c == k ? counts[c] * (counts[c] - (counts[c] > 0 ? 1 : 0)) : counts[c] * counts[k];
}

std::vector<double> Coincidences::values() const {
  std::vector<double> values(categories_ * categories_, 0.0);
  for (std::size_t extra = 0; extra < pairs_by_ratings_.size(); ++extra)
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += static_cast<double>(pairs_by_ratings_[extra][i]) / static_cast<double>(extra + 1);
  return values;
}

std::optional<double> krippendorff_alpha(std::span<const double> coincidences, Scale scale) {
  const auto categories = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(coincidences.size()))));
  assert(categories * categories == coincidences.size());
  std::vector<double> totals(categories, 0.0);
  double n = 0.0;
  for (std::size_t i = 0; i < coincidences.size(); ++i) {
    totals[i / categories] += coincidences[i];
    n += coincidences[i];
  }
  double observed = 0.0;
  double expected = 0.0;
  for (std::size_t c = 0; c < categories; ++c) {
    double between = 0.0;  // ratings in the categories strictly between c and k
    for (std::size_t k = c + 1; k < categories; ++k) {
      const double distance = totals[c] / 2.0 + between + totals[k] / 2.0;
      const double difference = scale == Scale::nominal ? 1.0 : distance * distance;
      observed += coincidences[c * categories + k] * difference;
      expected += totals[c] * totals[k] * difference;
      between += totals[k];
    }
  }
  if (!(n > 1.0) || !(expected > 0.0)) return std::nullopt;
  return 1.0 - (n - 1.0) * observed / expected;
}

}  // namespace memuse::stats
