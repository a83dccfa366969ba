#include "rules/share_sum.h"

namespace memuse::rules {

void ShareSum::add(std::uint64_t numerator, std::uint64_t denominator) {
  ++count_;
  if (numerator != 0) numerators_[denominator] += numerator;
}

void ShareSum::merge(const ShareSum& other) {
  count_ += other.count_;
  for (const auto& [denominator, numerator] : other.numerators_) numerators_[denominator] += numerator;
}

std::optional<double> ShareSum::mean() const {
  if (count_ == 0) return std::nullopt;
  double sum = 0.0;
  for (const auto& [denominator, numerator] : numerators_) {
    sum += static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  return sum / static_cast<double>(count_);
}

}  // namespace memuse::rules
