#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/episode.h"

namespace memuse::ingest {

/// The arguments of all actions as MERIT prints them: Python's printed form of each, joined by ` | `.
std::string printed_arguments(const std::vector<Step>& steps);

/// MERIT's flag `memory_utilized` as its definition gives it: memory held the fact, and every gold value is a substring
/// of the printed arguments (tool outputs and answers do not count). False whenever memory did not hold the fact.
/// Nothing when the episode has no gold values, does not say whether memory held the fact, or has no recorded actions
/// (visibility `unknown`).
std::optional<bool> merit_utilized(const Episode& episode);

}  // namespace memuse::ingest
