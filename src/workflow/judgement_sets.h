#pragma once

#include <string>
#include <vector>

#include "model/records.h"
#include "report/show_judges.h"
#include "store/database.h"

// Naming judgement sets on the command line, and what is known about them.

namespace memuse::workflow {

/// How the judge of a set of labels is named: `label:NAME`.
inline constexpr const char* kLabelPrefix = "label:";
[[nodiscard]] bool is_label_set(const JudgementSetRecord& set);

/// The one set that is meant. `name` is `#ID`, a judge (`tracer/1`, `label:ada`, a model), or a judge without its
/// version (`tracer`). An empty name means the only set there is, or else the only one that does not hold labels; a set
/// without id and judge when nothing was judged. Throws Error(usage) that lists the candidates when no set or several
/// match.
[[nodiscard]] JudgementSetRecord choose_judgement_set(const std::vector<JudgementSetRecord>& sets,
                                                      const std::string& name);

/// "#3 label:ada (labels true, reads not recorded)": what tells sets apart.
[[nodiscard]] std::string set_summary(const JudgementSetRecord& set);

/// How `set` agrees with every other set of labels that has entries in common with it, by id. Reads the answers once,
/// and only when there are such sets.
[[nodiscard]] std::vector<KnownAgreement> known_agreements(const store::Database& database,
                                                           const JudgementSetRecord& set);

/// All sets of the database, by id.
[[nodiscard]] std::vector<report::JudgementSetFacts> judgement_set_facts(const std::string& database);

}  // namespace memuse::workflow
