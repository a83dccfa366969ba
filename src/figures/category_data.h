#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "figures/figure.h"
#include "figures/ticks.h"

// What bars, lines and dots share: their data file and what of it can be drawn.

namespace memuse::figures {

/// The estimate of a series for a category; an empty one where the series is too short.
[[nodiscard]] Estimate estimate_of(const CategoryChart& chart, std::size_t series, std::size_t category);

/// `category_id,series_id,value,low,high,note,category,series`, series by series.
[[nodiscard]] std::string category_data(const CategoryChart& chart);

/// All finite numbers: values and bounds of intervals.
[[nodiscard]] std::vector<double> all_values(const CategoryChart& chart);

[[nodiscard]] std::vector<std::string> series_names(const CategoryChart& chart);

/// Is there a value, or an interval, of `series` that `axis` can hold?
[[nodiscard]] bool has_values(const CategoryChart& chart, std::size_t series, const ScaledAxis& axis);
[[nodiscard]] bool has_intervals(const CategoryChart& chart, std::size_t series, const ScaledAxis& axis);

/// Says how many values a log axis leaves out; nullopt when none.
[[nodiscard]] std::optional<std::string> left_out_by(const ScaledAxis& axis, const std::vector<double>& values);

/// `number` as a field of the data file: empty when missing or not finite.
[[nodiscard]] std::string data_field(std::optional<double> number);
/// A text as a field of the data file, always on one line.
[[nodiscard]] std::string data_field(const std::string& text);

}  // namespace memuse::figures
