#pragma once

#include <map>
#include <set>
#include <string>

#include "store/database.h"

namespace memuse::store {

/// Keeps a text of delivery rules under its SHA-256 (`EpisodeRecord::delivery_rules`), which it returns. Must come
/// before the episodes whose deliveries these rules found.
std::string put_delivery_rules(Database& database, const std::string& rules);

/// All texts of delivery rules by their SHA-256.
std::map<std::string, std::string> delivery_rules(const Database& database);

/// Says of configurations whether they are the baseline. A study has one: naming another takes the place of the first;
/// otherwise what was said of other configurations stays.
void set_baselines(Database& database, const std::map<std::string, bool>& baselines);

/// The configurations that the others are compared with.
std::set<std::string> baselines(const Database& database);

}  // namespace memuse::store
