#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "model/episode.h"
#include "model/records.h"
#include "report/exports.h"
#include "report/show.h"
#include "report/table.h"
#include "report/tables.h"
#include "rules/profile.h"
#include "workflow/judge_job.h"

namespace memuse::workflow {

/// An item with the episodes of its run in which it was delivered, in order.
struct ItemHistory {
  report::ItemRecord item;
  std::vector<EpisodeSpansRecord> episodes;
};

/// A database opened for reading, with the judgement set that all results rest on. Belongs to one thread.
class Study {
 public:
  /// Opens `database`. `judge` names the judgement set as `choose_judgement_set` knows it (`tracer/1`, `#3`); empty for
  /// the only one, or the only one that does not hold labels. Throws Error when there is no database, no such set, or
  /// several to choose from.
  explicit Study(const std::string& database, const std::string& judge = "");
  /// For what does not depend on any judge's answers: opens `database` whatever sets it has and uses none.
  static Study without_answers(const std::string& database);
  ~Study();
  Study(Study&&) noexcept;
  Study& operator=(Study&&) = delete;
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;

  /// The judgement set in use; its `judge` is empty when nothing was judged yet.
  [[nodiscard]] const JudgementSetRecord& judgement_set() const;

  /// All profiles, in one pass over the database.
  [[nodiscard]] rules::StudyProfile profile() const;
  /// The table of that name (`profile`, `runs`, `units`); throws Error(usage) for another name.
  [[nodiscard]] report::Table table(const std::string& name, report::Pooling pooling) const;
  /// Writes an export: `spans`, `entries`, `deliveries`, `episodes` or `profiles`; throws Error(usage) for another
  /// name.
  void write_export(const std::string& kind, report::ExportFormat format, std::ostream& out) const;

  /// All episodes of a run, in order. `name` is `CONFIGURATION/RUN`, or the run's name alone when only one has it.
  [[nodiscard]] std::vector<EpisodeSpansRecord> run(const std::string& name) const;
  /// One episode: its id, `RUN/EPISODE`, `CONFIGURATION/RUN/EPISODE`, or at least 6 digits of its uid. Throws
  /// Error(usage) that lists the candidates when there is none or more than one.
  [[nodiscard]] EpisodeSpansRecord episode(const std::string& name) const;
  /// Every item of that id, one for each configuration, run and store that has it, with the episodes that delivered it.
  /// Throws Error(usage) when there is none.
  [[nodiscard]] std::vector<ItemHistory> items(const std::string& item) const;

  /// How a span was judged in the set in use; nothing when it was not, or by a judge that keeps no record.
  [[nodiscard]] std::optional<JudgementDetails> judging(const EpisodeRecord& record, std::uint32_t span) const;

  /// Reads the episode again from its source, with the outcome and the probe that the database has for it. Nothing,
  /// with `why` set, when the source is gone or has changed.
  [[nodiscard]] std::optional<Episode> source(const EpisodeRecord& record, const SourceRoots& roots,
                                              std::string& why) const;

 private:
  struct Parts;
  explicit Study(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// Names of all tables and exports, for help texts and errors.
const std::vector<std::string>& table_names();
const std::vector<std::string>& export_names();

}  // namespace memuse::workflow
