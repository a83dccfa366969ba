#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/adapter.h"
#include "ingest/diagnostic_log.h"
#include "ingest/json.h"
#include "ingest/record_fields.h"
#include "model/episode.h"

namespace memuse::ingest {

/// What a log of Inspect says of all its samples (`eval` in its header).
struct InspectHeader {
  std::string run;   ///< `run_id`, or an older id
  std::string task;  ///< name of the evaluation
  std::string model;
  bool epochs = false;  ///< each sample is run several times

  /// Reads the `eval` object; null for a log without one.
  static InspectHeader of(const JsonValue* eval);
};

/// The parts of one sample: whole, or in chunks.
struct InspectSampleParts {
  const JsonValue* sample = nullptr;
  std::vector<const JsonValue*> messages;     ///< lists of the message pool, in order
  std::vector<const JsonValue*> events;       ///< lists of events, in order
  std::vector<const JsonValue*> attachments;  ///< lists of texts, in order
};

/// Where an episode's sample lies; `sha256` is that of the sample's bytes.
struct InspectSamplePlace {
  std::string path, version, locator, sha256;
  RecordPlace record;
  std::uint64_t byte_end = 0;
};

/// The episodes of a sample: that of its agent, then those of agents beside it, each with calls that are no part of
/// another. What scorers asked models is kept apart as side calls. Hands over nothing, and says why, for a sample
/// without any call of the agent.
void read_inspect_sample(const InspectSampleParts& parts, const InspectHeader& header, const InspectSamplePlace& place,
                         const ReadOptions& options, const EpisodeSink& sink, DiagnosticLog& log);

}  // namespace memuse::ingest
