#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/episode.h"
#include "value_tracing/sightings.h"

namespace memuse::report {

/// "step 3, set_config, argument value", "delivery 1, entry 2 (item a.b)", "message of the user, before step 1".
[[nodiscard]] std::string place_of(const value_tracing::ValueSighting& sighting);

/// The cited line with the value as «value», safe to print.
[[nodiscard]] std::string quote_text(const value_tracing::Quote& quote);

/// Columns of a sighting in a row: `<prefix>_place` in words, `<prefix>_step`, `<prefix>_quote`; null without one.
void put_sighting(nlohmann::ordered_json& row, const std::string& prefix,
                  const std::optional<value_tracing::ValueSighting>& sighting);

/// Everything about a sighting: kind, step, delivery or action or message, argument, bytes, quote. Null without one.
[[nodiscard]] nlohmann::ordered_json sighting_json(const std::optional<value_tracing::ValueSighting>& sighting);

}  // namespace memuse::report
