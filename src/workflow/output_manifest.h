#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/records.h"
#include "stats/bootstrap.h"
#include "store/study_contents.h"
#include "workflow/price_source.h"

// The manifest beside an output: what made it and from what, so that somebody else can make it again and compare
// (docs/output-manifest.md, schemas/output-manifest-1.schema.json). No times, nothing of the machine beyond what the
// database holds: the same command on the same database gives the same bytes, wherever and with however many threads.
// (`ingest/manifest.h` is another thing: the list of a study's traces.)

namespace memuse::workflow {

/// Everything of a study that its results rest on.
struct StudyContents {
  JudgementSetRecord set;  ///< with `agreements`; its `judge` is empty when no answers were used
  std::map<std::string, std::uint64_t> returned_models;  ///< spans by the model id that the endpoint returned
  store::ContentDigest answers;
  std::vector<store::StudyRunRecord> runs;
  std::string baseline;  ///< empty for none
  std::vector<store::SourceFileRecord> sources;
  std::vector<std::string> delivery_rules;  ///< SHA-256 of each text of rules
  std::vector<store::OutcomeSourceRecord> outcomes;
  store::ContentDigest probes;
};

/// Reads the contents; `set` as `choose_judgement_set` gave it (its agreements are filled in here).
[[nodiscard]] StudyContents study_contents(const store::Database& database, JudgementSetRecord set);

/// How an output was computed, as far as that is not in the database.
struct OutputSettings {
  std::vector<std::string> command;  ///< its words, without places, threads and keys: "tables", "profile", "--per-run"
  std::string token_estimator;       ///< empty where no tokens were counted
  std::optional<stats::Resampling> resampling;  ///< nothing where nothing was resampled
  PriceSource prices;
};

/// A file that a command wrote.
struct WrittenFile {
  std::string path;  ///< relative to the manifest's folder, `/` between the parts
  std::uint64_t bytes = 0;
  std::string sha256;
};

/// The file's size and hash as it stands on the disk. Throws Error(environment) when it cannot be read.
[[nodiscard]] WrittenFile written_file(const std::string& folder, const std::string& relative_path);

/// The manifest; files in the order of their paths.
[[nodiscard]] nlohmann::ordered_json output_manifest(const StudyContents& contents, const OutputSettings& settings,
                                                     std::vector<WrittenFile> files);

}  // namespace memuse::workflow
