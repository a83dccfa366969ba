#include "stats/rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace memuse::stats {
namespace {

bool can_be_compared(std::span<const double> first, std::span<const double> second) {
  const auto is_nan = [](double value) { return std::isnan(value); };
  return first.size() == second.size() && first.size() >= 2 && std::none_of(first.begin(), first.end(), is_nan) &&
         std::none_of(second.begin(), second.end(), is_nan);
}

int sign_of_difference(double a, double b) {
  return (a > b ? 1 : 0) - (a < b ? 1 : 0);
}

}  // namespace

std::vector<double> mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + 1 + end) / 2.0;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = shared;
    begin = end;
  }
  return ranks;
}

std::optional<double> spearman_rho(std::span<const double> first, std::span<const double> second) {
  if (!can_be_compared(first, second)) return std::nullopt;
  const std::vector<double> a = mid_ranks(first);
  const std::vector<double> b = mid_ranks(second);
  const double mean = static_cast<double>(a.size() + 1) / 2.0;
  double products = 0.0;
  double squares_a = 0.0;
  double squares_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    products += (a[i] - mean) * (b[i] - mean);
    squares_a += (a[i] - mean) * (a[i] - mean);
    squares_b += (b[i] - mean) * (b[i] - mean);
  }
  if (squares_a == 0.0 || squares_b == 0.0) return std::nullopt;
  // One root of the product, not two roots: equal rankings then give 1 exactly.
  return std::clamp(products / std::sqrt(squares_a * squares_b), -1.0, 1.0);
}

std::optional<double> kendall_tau(std::span<const double> first, std::span<const double> second) {
  if (!can_be_compared(first, second)) return std::nullopt;
  std::int64_t score = 0;
  std::int64_t untied_first = 0;
  std::int64_t untied_second = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t j = i + 1; j < first.size(); ++j) {
      const int of_first = sign_of_difference(first[i], first[j]);
      const int of_second = sign_of_difference(second[i], second[j]);
      score += of_first * of_second;
      untied_first += of_first * of_first;
      untied_second += of_second * of_second;
    }
  if (untied_first == 0 || untied_second == 0) return std::nullopt;
  return static_cast<double>(score) / std::sqrt(static_cast<double>(untied_first) * static_cast<double>(untied_second));
}

}  // namespace memuse::stats
