#pragma once

#include <optional>
#include <string>
#include <vector>

#include "attribution/facts.h"
#include "model/judging_work.h"
#include "model/records.h"
#include "report/table.h"
#include "report/tables.h"
#include "workflow/price_source.h"
#include "workflow/study.h"

namespace memuse::workflow {

/// What `memuse tables` is asked for, the names of tables aside.
struct TableJobOptions {
  std::string baseline;  ///< configuration to compare with; empty for the one that the manifest named
  report::TableOptions tables;
  PriceSource prices;  ///< for calls without a recorded cost
};

/// All tables of a study, from one pass over its database (`origins` asks it again). The study must outlive it.
class StudyTables {
 public:
  /// Reads the study. Throws Error(usage) when the baseline or a configuration of a group is not in it, or when two
  /// groups have one name.
  StudyTables(const Study& study, TableJobOptions options);

  /// The table of that name, one of `table_names`. Throws Error(usage) for another name, and when `lacks` something.
  [[nodiscard]] report::Table table(const std::string& name) const;

  /// Why the table of that name cannot be made of this study; nothing when it can.
  [[nodiscard]] std::optional<std::string> lacks(const std::string& name) const;

  /// How the tables were made: for their manifest.
  [[nodiscard]] rules::TokenEstimator token_estimator() const { return facts_.profile.estimator; }
  [[nodiscard]] const stats::Resampling& resampling() const { return options_.tables.resampling; }
  [[nodiscard]] const PriceSource& prices() const { return options_.prices; }

 private:
  [[nodiscard]] report::Table units() const;

  const Study* study_;
  TableJobOptions options_;
  attribution::StudyFacts facts_;
  JudgementSetRecord set_;
  std::vector<JudgingWork> judging_;
};

/// Names of all tables, for help texts and errors.
const std::vector<std::string>& table_names();

}  // namespace memuse::workflow
