#include "figures/category_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/csv.h"
#include "model/text.h"

namespace memuse::figures {
namespace {

std::optional<double> finite(std::optional<double> value) {
  return value.has_value() && std::isfinite(*value) ? value : std::nullopt;
}

/// Both bounds or none.
std::optional<Interval> finite(const std::optional<Interval>& interval) {
  const bool whole = interval.has_value() && std::isfinite(interval->first) && std::isfinite(interval->second);
  return whole ? interval : std::nullopt;
}

}  // namespace

Estimate estimate_of(const CategoryChart& chart, std::size_t series, std::size_t category) {
  const std::vector<Estimate>& values = chart.series[series].values;
  if (category >= values.size()) return {};
  return {finite(values[category].value), finite(values[category].interval), values[category].note};
}

std::string data_field(std::optional<double> number) {
  const std::optional<double> known = finite(number);
  return known.has_value() ? csv_number(*known) : std::string();
}

std::string data_field(const std::string& text) {
  return csv_text(printable(text));
}

std::string category_data(const CategoryChart& chart) {
  std::string out = "category_id,series_id,value,low,high,note,category,series\n";
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    for (std::size_t c = 0; c < chart.categories.size(); ++c) {
      const Estimate estimate = estimate_of(chart, s, c);
      const bool bounded = estimate.interval.has_value();
      out += fmt::format("{},{},{},{},{},{},{},{}\n", c + 1, s + 1, data_field(estimate.value),
                         bounded ? csv_number(estimate.interval->first) : "",
                         bounded ? csv_number(estimate.interval->second) : "", data_field(estimate.note),
                         data_field(chart.categories[c]), data_field(chart.series[s].name));
    }
  }
  return out;
}

std::vector<double> all_values(const CategoryChart& chart) {
  std::vector<double> values;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    for (std::size_t c = 0; c < chart.categories.size(); ++c) {
      const Estimate estimate = estimate_of(chart, s, c);
      if (!estimate.value.has_value()) continue;
      values.push_back(*estimate.value);
      if (!estimate.interval.has_value()) continue;
      values.push_back(estimate.interval->first);
      values.push_back(estimate.interval->second);
    }
  }
  return values;
}

std::vector<std::string> series_names(const CategoryChart& chart) {
  std::vector<std::string> names;
  for (const Series& series : chart.series) names.push_back(series.name);
  return names;
}

bool has_values(const CategoryChart& chart, std::size_t series, const ScaledAxis& axis) {
  for (std::size_t c = 0; c < chart.categories.size(); ++c) {
    const Estimate estimate = estimate_of(chart, series, c);
    if (estimate.value.has_value() && axis.holds(*estimate.value)) return true;
  }
  return false;
}

bool has_intervals(const CategoryChart& chart, std::size_t series, const ScaledAxis& axis) {
  for (std::size_t c = 0; c < chart.categories.size(); ++c) {
    const Estimate estimate = estimate_of(chart, series, c);
    if (estimate.value.has_value() && axis.holds(*estimate.value) && estimate.interval.has_value()) return true;
  }
  return false;
}

std::optional<std::string> left_out_by(const ScaledAxis& axis, const std::vector<double>& values) {
  const auto count = std::count_if(values.begin(), values.end(), [&axis](double value) { return !axis.holds(value); });
  if (count == 0) return std::nullopt;
  return fmt::format("{} number{} not above 0 {} not drawn: the axis is logarithmic", count, count == 1 ? "" : "s",
                     count == 1 ? "is" : "are");
}

}  // namespace memuse::figures
