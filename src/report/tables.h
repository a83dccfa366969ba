#pragma once

#include "model/records.h"
#include "report/table.h"
#include "rules/profile.h"

// The tables of point-of-use attribution that need nothing but profiles. Names and contents: docs on tables; every
// number's definition: semantics.md §7 and §8, version `kRuleSet`.

namespace memuse::report {

/// What the columns of a table stand for.
enum class Pooling : std::uint8_t {
  configurations,  ///< one column per configuration, pooled over its runs
  runs             ///< one column per run
};

/// `profile`: six axes, contradicted and uncertainty shares, yields, token efficiency, coverage, volume. `set` is the
/// judgement set behind the answers; its `judge` is empty when nothing was judged.
[[nodiscard]] Table profile_table(const rules::StudyProfile& study, const JudgementSetRecord& set,
                                  Pooling pooling = Pooling::configurations);

/// `runs`: one row per run, and for every configuration with several runs their mean ± sample standard deviation,
/// minimum and maximum.
[[nodiscard]] Table runs_table(const rules::StudyProfile& study, const JudgementSetRecord& set);

/// `units`: deliveries, spans by status, triage by verdict, reasons of unresolved spans, the judge's work.
[[nodiscard]] Table units_table(const rules::StudyProfile& study, const JudgementSetRecord& set,
                                Pooling pooling = Pooling::configurations);

}  // namespace memuse::report
