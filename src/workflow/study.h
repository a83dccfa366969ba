#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "attribution/facts.h"
#include "graph/item_lineage.h"
#include "graph/origins.h"
#include "model/episode.h"
#include "model/judging_work.h"
#include "model/records.h"
#include "report/exports.h"
#include "report/show.h"
#include "report/table.h"
#include "report/tables.h"
#include "rules/profile.h"
#include "workflow/judge_job.h"
#include "workflow/output_manifest.h"

namespace memuse::workflow {

/// An item on the command line; an empty part does not restrict.
struct ItemName {
  std::string item, configuration, run, store;
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

  /// What the study is made of, with hashes: for manifests beside outputs.
  [[nodiscard]] StudyContents contents() const;

  /// All profiles, in one pass over the database.
  [[nodiscard]] rules::StudyProfile profile() const;
  /// Profiles and compact facts per episode, in one pass over the database.
  /// `price_of` puts a price on calls without a recorded cost.
  [[nodiscard]] attribution::StudyFacts facts(const rules::PriceOf& price_of = {}) const;
  /// How the judgement set in use agrees with labels (`known_agreements`).
  [[nodiscard]] std::vector<KnownAgreement> agreements() const;
  /// What the judge of the set in use did for each run.
  [[nodiscard]] std::vector<JudgingWork> judging_work() const;
  /// The table `origins`.
  [[nodiscard]] report::Table origins_table(report::Pooling pooling) const;
  /// Writes an export: `spans`, `entries`, `deliveries`, `episodes` or `profiles`; throws Error(usage) for another
  /// name.
  void write_export(const std::string& kind, report::ExportFormat format, std::ostream& out) const;

  /// Every episode in the order of exports, one in memory at a time.
  void for_each_episode(const std::function<void(const EpisodeSpansRecord&)>& visit) const;
  /// All episodes of a run, in order. `name` is `CONFIGURATION/RUN`, or the run's name alone when only one has it.
  [[nodiscard]] std::vector<EpisodeSpansRecord> run(const std::string& name) const;
  /// One episode: its id, `RUN/EPISODE`, `CONFIGURATION/RUN/EPISODE`, or at least 6 digits of its uid. Throws
  /// Error(usage) that lists the candidates when there is none or more than one.
  [[nodiscard]] EpisodeSpansRecord episode(const std::string& name) const;
  /// The lineage of every item of that id, one for each configuration, run and store that has it (empty: any). Throws
  /// Error(usage) when there is none.
  [[nodiscard]] std::vector<graph::ItemLineage> items(const ItemName& name) const;
  /// Where the beneficial entries of each run come from, by configuration and run; one run is in memory at a time.
  void for_each_run_origins(const std::function<void(const graph::RunOrigins&)>& visit) const;
  /// The beneficial entries with their origins, one row each.
  [[nodiscard]] report::Table origins_list() const;

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

/// Names of all exports, for help texts and errors.
const std::vector<std::string>& export_names();

}  // namespace memuse::workflow
