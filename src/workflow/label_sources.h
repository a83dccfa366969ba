#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evidence/evidence_set.h"
#include "model/labels.h"
#include "model/records.h"
#include "store/reader.h"

// Labels as they stand in files: a folder of forms, or a flat list of entries. Read episode by episode.

namespace memuse::workflow {

/// Something wrong with labels, and where.
struct LabelFault {
  std::string file;
  std::uint64_t line = 0;  ///< 1-based; 0 for the whole file
  std::string span;        ///< `CONFIGURATION/RUN/EPISODE/S1`; empty for no span in particular
  std::string message;     ///< what to put right
};

/// "file:line: span: message", safe to print.
std::string to_line(const LabelFault& fault);

/// What was read for one span.
struct SpanLabels {
  std::string name;  ///< for messages
  std::uint32_t span = 0;
  std::string file;
  std::uint64_t line = 0;  ///< of the span's form or its first entry
  std::string content;     ///< `span_content` when the form was made; empty where the file does not say it
  bool is_blank = false;   ///< an untouched form: nothing to read
  Answer answer;
  std::vector<std::string> faults;                     ///< why there is no whole answer, as "entry 0: …" or "…"
  std::map<std::uint32_t, std::uint64_t> lines;        ///< of its entries
  std::map<std::uint32_t, std::string> items;          ///< item that the file names for an entry, to be compared
  std::optional<std::pair<std::string, double>> draw;  ///< stratum and weight in the sample
};

/// All labels of one episode.
struct EpisodeLabels {
  store::EpisodeFilter episode;
  bool any_attempt = false;  ///< the filter names one attempt; else the retained one is meant
  std::vector<SpanLabels> spans;
};

class LabelSource {
 public:
  LabelSource() = default;
  LabelSource(const LabelSource&) = delete;
  LabelSource& operator=(const LabelSource&) = delete;
  virtual ~LabelSource() = default;

  /// The next episode; nothing at the end. Throws Error(environment) when files cannot be read.
  virtual std::optional<EpisodeLabels> next() = 0;
  /// Faults that belong to no span; complete at the end.
  [[nodiscard]] virtual const std::vector<LabelFault>& faults() const = 0;
  /// What the labeller was shown.
  [[nodiscard]] virtual evidence::EvidenceOptions evidence_options() const = 0;
  /// The sample that was to be labelled; nothing when it was everything, or is not known.
  [[nodiscard]] virtual std::optional<JudgementSetRecord::Sample> sample() const = 0;
};

/// Opens what `memuse label --write` wrote (a folder), or a flat file: JSON Lines, one entry a line, with
/// `configuration`, `run`, `episode`, `span`, `entry`, optionally `item`, and the fields of an answer. Throws
/// Error(usage) when it is neither.
std::unique_ptr<LabelSource> open_labels(const std::string& path);

}  // namespace memuse::workflow
