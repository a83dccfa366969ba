#include "figures/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "figures/text_metrics.h"

namespace memuse::figures {
namespace {

struct Range {
  double low = 0.0;
  double high = 1.0;
};

/// `text` of a number with its whole part grouped by thousands.
std::string with_separators(std::string text) {
  const std::size_t start = text.front() == '-' ? 1 : 0;
  std::size_t place = std::min(text.find('.'), text.size());
  while (place > start + 3) {
    place -= 3;
    text.insert(place, ",");
  }
  return text;
}

std::string number_label(double value, int decimals) {
  if (std::abs(value) >= 1e7 || decimals > 5) return fmt::format("{:.3g}", value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return std::abs(value) >= 10'000 ? with_separators(std::move(text)) : text;
}

/// The least of 1, 2, 5 times a power of ten that is not below `least`.
double nice_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1.0 - 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

ScaledAxis linear_axis(const ValueAxis& axis, Range range, std::size_t most) {
  if (!(range.high > range.low)) {
    const double room = range.low == 0.0 ? 1.0 : std::abs(range.low) * 0.1;
    if (!axis.low.has_value()) range.low -= axis.high.has_value() ? room : room / 2;
    range.high = range.low + room;
  }
  const double step = nice_step((range.high - range.low) / static_cast<double>(std::max<std::size_t>(most, 1)));
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  const bool keep_low = axis.low.has_value() && range.low == *axis.low;
  const bool keep_high = axis.high.has_value() && range.high == *axis.high;
  const double slack = 1e-9;
  const double first = keep_low ? std::ceil(range.low / step - slack) : std::floor(range.low / step + slack);
  const double last = keep_high ? std::floor(range.high / step + slack) : std::ceil(range.high / step - slack);
  ScaledAxis scaled{Scale::linear, keep_low ? range.low : first * step, keep_high ? range.high : last * step, {}};
  // Counted in whole numbers: far from 0, adding 1 to a double may change nothing.
  const double count = std::min(last - first, 2.0 * static_cast<double>(most) + 2.0);
  for (int i = 0; i <= count; ++i) {
    const double place = (first + i) * step;
    scaled.ticks.push_back({place, number_label(place, decimals)});
  }
  return scaled;
}

std::string power_label(double value) {
  const double exponent = std::floor(std::log10(value) + 1e-9);
  if (exponent < -4 || exponent > 6) return fmt::format("{:.0e}", value);
  return number_label(value, std::max(0, static_cast<int>(-exponent)));
}

ScaledAxis log_axis(const ValueAxis& axis, Range range, std::size_t most) {
  const bool keep_low = axis.low.has_value() && range.low == *axis.low;
  const bool keep_high = axis.high.has_value() && range.high == *axis.high;
  // A quotient of the bounds, or room around them, could overflow: bounds stay where doubles are normal.
  const auto bounded = [](double value) {
    return std::clamp(value, std::numeric_limits<double>::min(), std::numeric_limits<double>::max());
  };
  range = {bounded(range.low), bounded(range.high)};
  const double decades = std::log10(range.high) - std::log10(range.low);
  // Points shall not sit on the frame: a little room around them.
  const double room = std::pow(10.0, std::max(decades, 0.3) * 0.08);
  ScaledAxis scaled{Scale::log,
                    bounded(keep_low ? range.low : range.low / room),
                    bounded(keep_high ? range.high : range.high * room),
                    {}};
  const double shown = std::log10(scaled.high) - std::log10(scaled.low);
  const double every = std::max(1.0, std::ceil(shown / static_cast<double>(std::max<std::size_t>(most, 1))));
  const double first = std::floor(std::log10(scaled.low));
  for (double power = first; power <= std::log10(scaled.high); power += 1.0) {
    for (int factor = 1; factor <= 9; ++factor) {
      const double place = factor * std::pow(10.0, power);
      if (!std::isfinite(place) || place < scaled.low * (1 - 1e-9) || place > scaled.high * (1 + 1e-9)) continue;
      const bool decade = factor == 1 && std::fmod(std::abs(power), every) == 0.0;
      const bool between = shown < 2.2 && (factor == 2 || factor == 5);
      const bool labelled = decade || (every == 1.0 && between) || (shown < 0.7 && factor % 2 == 0 && factor != 8);
      scaled.ticks.push_back({place, labelled ? power_label(place) : std::string()});
    }
  }
  return scaled;
}

}  // namespace

double ScaledAxis::fraction(double value) const {
  if (scale == Scale::log) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return (value - low) / (high - low);
}

bool ScaledAxis::holds(double value) const {
  return std::isfinite(value) && (scale == Scale::linear || value > 0.0);
}

double ScaledAxis::label_width(double font_size) const {
  double widest = 0.0;
  for (const Tick& tick : ticks) widest = std::max(widest, text_width(tick.label, font_size));
  return widest;
}

ScaledAxis scale_axis(const ValueAxis& axis, const std::vector<double>& values, std::size_t most) {
  std::vector<double> all;
  const auto take = [&](double value) {
    if (std::isfinite(value) && (axis.scale == Scale::linear || value > 0.0)) all.push_back(value);
  };
  for (const double value : values) take(value);
  if (axis.low.has_value()) take(*axis.low);
  if (axis.high.has_value()) take(*axis.high);
  if (all.empty()) all = {axis.scale == Scale::log ? 0.1 : 0.0, 1.0};
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  const Range range{*low, *high};
  return axis.scale == Scale::log ? log_axis(axis, range, most) : linear_axis(axis, range, most);
}

}  // namespace memuse::figures
