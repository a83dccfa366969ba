#pragma once

#include <string>
#include <vector>

#include "attribution/facts.h"
#include "model/judging_work.h"
#include "model/records.h"
#include "report/table.h"
#include "rules/call_cost.h"
#include "rules/profile.h"
#include "stats/bootstrap.h"

// The tables of point-of-use attribution. Names and contents: docs on tables; every
// number's definition: semantics.md §7 and §8, version `kRuleSet`.

namespace memuse::report {

/// What the columns of a table stand for.
enum class Pooling : std::uint8_t {
  configurations,  ///< one column per configuration, pooled over its runs
  runs             ///< one column per run
};

/// Configurations that count as one (table `forms`).
struct ConfigurationGroup {
  std::string name;
  std::vector<std::string> configurations;
};

/// How the tables of a study are made.
struct TableOptions {
  Pooling pooling = Pooling::configurations;
  bool intervals = false;          ///< in `profile`, `use` and `forms`; `success` always has them
  stats::Resampling resampling{};  ///< of whole tasks, or arcs; 0 resamples for no intervals at all
  std::vector<ConfigurationGroup> groups;
  std::string cost_sentence;  ///< how costs were found (`workflow::PriceSource::sentence`)
};

/// `success`: a row per configuration (or run): resolved, difference to the baseline, cost.
[[nodiscard]] Table success_table(const attribution::StudyFacts& study, const JudgementSetRecord& set,
                                  const TableOptions& options);

/// `use`: what became of relevant entries and of those acted on, delays, episodes with beneficial and harmful use.
[[nodiscard]] Table use_table(const attribution::StudyFacts& study, const JudgementSetRecord& set,
                              const TableOptions& options);

/// `difficulty`: tasks by the number of baseline runs that solved them. The study must name a baseline.
[[nodiscard]] Table difficulty_table(const attribution::StudyFacts& study, const JudgementSetRecord& set,
                                     const TableOptions& options);

/// `forms`: shares and rates by delivery form, for each configuration, run or group of configurations.
[[nodiscard]] Table forms_table(const attribution::StudyFacts& study, const JudgementSetRecord& set,
                                const TableOptions& options);

/// `profile` with intervals, where `options` ask for them.
[[nodiscard]] Table profile_table(const attribution::StudyFacts& study, const JudgementSetRecord& set,
                                  const TableOptions& options);

/// `profile`: six axes, contradicted and uncertainty shares, yields, token efficiency, coverage, volume. `set` is the
/// judgement set behind the answers; its `judge` is empty when nothing was judged.
[[nodiscard]] Table profile_table(const rules::StudyProfile& study, const JudgementSetRecord& set,
                                  Pooling pooling = Pooling::configurations);

/// `runs`: one row per run, and for every configuration with several runs their mean ± sample standard deviation,
/// minimum and maximum.
[[nodiscard]] Table runs_table(const rules::StudyProfile& study, const JudgementSetRecord& set);

/// What the retained episodes of a run cost, with estimates.
struct RunCost {
  std::string configuration, run;
  rules::CallCost agent, side;
};

/// `units`: deliveries, costs, spans by status, triage by verdict, reasons of unresolved spans, the judge's work.
[[nodiscard]] Table units_table(const rules::StudyProfile& study, const JudgementSetRecord& set,
                                Pooling pooling = Pooling::configurations, const std::vector<JudgingWork>& judging = {},
                                const std::vector<RunCost>& costs = {});

}  // namespace memuse::report
