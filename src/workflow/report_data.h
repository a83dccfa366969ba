#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "report/report_index.h"
#include "workflow/study.h"
#include "workflow/table_job.h"

namespace memuse::workflow {

/// What a report is made of.
struct ReportOptions {
  std::string database;
  std::string judge;  ///< as `choose_judgement_set` knows it
  SourceRoots roots;  ///< for sources that have moved
  TableJobOptions tables;
};

/// The objects of a report (docs/report-data.md). Belongs to one thread.
class ReportData {
 public:
  /// Reads the study once. Throws what `Study` and `StudyTables` throw.
  explicit ReportData(ReportOptions options);

  [[nodiscard]] const report::ReportIndex& index() const { return index_; }
  [[nodiscard]] const Study& study() const { return study_; }

  /// Judge, judgement sets, all tables, refused spans.
  [[nodiscard]] nlohmann::ordered_json study_json() const;
  /// The page of an episode, read again from its source. `limit`: bytes kept of each text. Throws Error(usage) when
  /// there is no such episode.
  [[nodiscard]] nlohmann::ordered_json episode_json(const std::string& uid, std::optional<std::size_t> limit) const;
  [[nodiscard]] nlohmann::ordered_json episode_json(const EpisodeSpansRecord& record,
                                                    std::optional<std::size_t> limit) const;
  /// The lineage of an item. Throws Error(usage) when there is no such item.
  [[nodiscard]] nlohmann::ordered_json item_json(const report::ItemKey& key) const;

 private:
  [[nodiscard]] nlohmann::ordered_json tables_json() const;

  ReportOptions options_;
  Study study_;
  report::ReportIndex index_;
};

}  // namespace memuse::workflow
