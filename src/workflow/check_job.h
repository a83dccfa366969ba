#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "ingest/pipeline.h"
#include "model/diagnostic.h"
#include "workflow/ingest_job.h"
#include "workflow/rule_matches.h"

namespace memuse::workflow {

/// What `memuse check` is asked for beyond its report.
struct CheckWishes {
  bool matches = false;               ///< list what the delivery rules find
  std::ostream* set_aside = nullptr;  ///< gets a line for everything set aside (workflow/quarantine.h); null for none
  std::optional<std::filesystem::path> raw_folder;  ///< gets copies of set-aside records; only with `set_aside`
};

/// All faults of one kind.
struct FaultGroup {
  Severity severity = Severity::error;
  Fault fault = Fault::invalid_json;
  std::uint64_t count = 0;
  std::uint64_t files = 0;
  Diagnostic first;  ///< by file and place
};

/// A field or record type that an adapter does not know, in all files of one format.
struct UnknownThing {
  std::string format;
  std::string name;      ///< `record.field`, or the type
  bool is_type = false;  ///< else it is a field
  std::uint64_t count = 0;
  std::uint64_t files = 0;
};

/// All files of one format and version. `format` is empty for files that no adapter knew.
struct FormatGroup {
  std::string format;
  std::string version;
  std::uint64_t files = 0, bytes = 0, episodes = 0, outcomes = 0;
  ingest::RecordCounts records;
};

/// What a check came to.
struct CheckReport {
  std::vector<ingest::FileReport> files;  ///< sorted by path
  std::vector<Diagnostic> input_diagnostics;
  struct Totals {
    std::uint64_t episodes = 0, steps = 0, messages = 0, actions = 0, deliveries = 0, unconsumed = 0, spans = 0;
    std::uint64_t probes = 0, outcomes = 0, finalised = 0;
    std::uint64_t visibility[4] = {};      ///< episodes by VisibilityGrade
    std::uint64_t delivery_grade[4] = {};  ///< episodes by DeliveryGrade
    std::uint64_t without_spans = 0;       ///< deliveries of episodes whose visible input is not known
  } totals;
  ingest::RecordCounts records;        ///< of all files
  std::vector<FormatGroup> formats;    ///< by name and version, files without a format last
  std::vector<FaultGroup> faults;      ///< errors first, then by number; without unknown fields and types
  std::vector<UnknownThing> unknown;   ///< by format, types first, then by number
  std::uint64_t set_aside_listed = 0;  ///< lines that `CheckWishes::set_aside` got
  RuleMatches matches;                 ///< of the delivery rules, when wanted
  RuleSuggestions suggestions;         ///< what presets would find, when no rules were given
  [[nodiscard]] bool has_errors() const;
};

/// Reads everything strictly and stores nothing. Outcomes files of a manifest are read for their faults only.
CheckReport check_traces(const IngestOptions& options, const CheckWishes& wishes = {});

}  // namespace memuse::workflow
