#pragma once

#include <nlohmann/json.hpp>

#include "merit/analysis.h"

namespace memuse::report {

/// All numbers of an analysis in one document (schemas/merit-1.schema.json), unrounded: rates as fractions, money in US
/// dollars, unknown values null. An infinite value, which only occurs as published, is the text `inf`.
[[nodiscard]] nlohmann::ordered_json merit_json(const merit::Analysis& analysis);

}  // namespace memuse::report
