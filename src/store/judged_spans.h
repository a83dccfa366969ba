#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "store/database.h"

namespace memuse::store {

/// A span that a judge has to answer for, with what a sample is stratified by.
struct JudgedSpanFacts {
  std::string uid;  ///< of the episode
  std::uint32_t span = 0;
  std::string configuration, run;
  std::string form;  ///< of the target delivery
};

/// Every span with routing `judged` (semantics.md §4) of the retained attempts, episode after episode, its spans in
/// ascending order. One span is in memory at a time.
void for_each_judged_span(const Database& database, const std::function<void(const JudgedSpanFacts&)>& callback);

/// Number of the spans that `for_each_judged_span` visits.
std::uint64_t judged_span_count(const Database& database);

}  // namespace memuse::store
