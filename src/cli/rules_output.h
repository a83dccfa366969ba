#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "workflow/rule_matches.h"

namespace memuse::cli {

/// What `check --show-matches` prints.
std::string matches_text(const workflow::RuleMatches& matches);
nlohmann::ordered_json matches_json(const workflow::RuleMatches& matches);

/// Presets that would find something; empty when none would.
std::string suggestions_text(const workflow::RuleSuggestions& suggestions);
nlohmann::ordered_json suggestions_json(const workflow::RuleSuggestions& suggestions);

/// The presets, one a line; with `names`, the rules of these files and presets.
std::string rules_text(const std::vector<std::string>& names);
nlohmann::ordered_json rules_json(const std::vector<std::string>& names);

}  // namespace memuse::cli
