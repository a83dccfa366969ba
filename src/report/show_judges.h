#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/records.h"
#include "report/show.h"

namespace memuse::report {

/// A judgement set with what is known of it beyond its record.
struct JudgementSetFacts {
  JudgementSetRecord set;
  std::uint64_t spans = 0;                               ///< that a judge has to answer for in this database
  std::map<std::string, std::uint64_t> returned_models;  ///< model ids that endpoints returned, with spans
};

/// All judgement sets: how far each is, what it cost, what it rests on.
[[nodiscard]] std::string show_judges(const std::vector<JudgementSetFacts>& sets, const ShowOptions& options);
/// The same; what is not known is null.
[[nodiscard]] nlohmann::ordered_json show_judges_json(const std::vector<JudgementSetFacts>& sets);

}  // namespace memuse::report
