#include "workflow/sources.h"

#include "store/identity.h"
#include "store/study_facts.h"

namespace memuse::workflow {
namespace {

/// The largest limit that --max-record-bytes takes: a line that was read at ingest is read again.
constexpr std::size_t kLargestRecord = std::size_t{4} << 30;

std::string moved_path(const std::string& path, const SourceRoots& roots) {
  for (const auto& [from, to] : roots) {
    if (path.starts_with(from)) return to + path.substr(from.size());
  }
  return path;
}

SourcePlace source_place(const EpisodeRecord& record, const SourceRoots& roots) {
  SourcePlace place;
  place.path = moved_path(record.source_path, roots);
  place.format = record.source_format;
  place.format_version = record.source_format_version;
  place.locator = record.source_locator;
  place.line = record.source_line;
  place.byte_begin = record.source_byte_begin;
  place.byte_end = record.source_byte_end;
  place.sha256 = record.source_sha256;
  return place;
}

void apply_outcome(const EpisodeRecord& record, Episode& episode) {
  if (!record.resolved && !record.reward) {
    episode.outcome.reset();
    return;
  }
  episode.outcome = Outcome{record.resolved, record.reward, episode.arena.keep(record.outcome_source)};
}

void apply_probe(const std::optional<store::ProbeRecord>& record, Episode& episode) {
  episode.probe.reset();
  if (!record) return;
  Probe probe;
  probe.dependent = record->dependent;
  probe.pre_satisfied = record->pre_satisfied;
  probe.memory_had_fact = record->memory_had_fact;
  probe.memory_utilized = record->memory_utilized;
  probe.memory_utilized_recomputed = record->memory_utilized_recomputed;
  for (const std::string& value : record->gold) probe.gold.push_back(episode.arena.keep(value));
  for (const std::string& value : record->stale) probe.stale.push_back(episode.arena.keep(value));
  if (record->corruption_mode) {
    probe.corruption = Corruption{episode.arena.keep(*record->corruption_mode), record->corruption_rate};
  }
  episode.probe = std::move(probe);
}

/// The episode is the one that was stored, down to its deliveries. Its names and its place in the run are taken from
/// the record: they may come from a manifest, or from a folder that has another name now. Everything else is the
/// source's.
bool is_same(const EpisodeRecord& record, Episode& episode) {
  episode.configuration = episode.arena.keep(record.configuration);
  episode.run = episode.arena.keep(record.run);
  episode.store = episode.arena.keep(record.store);
  episode.position = record.position;
  return store::episode_uid(episode) == record.uid;
}

}  // namespace

SourceReader::SourceReader(const store::Database& database) : rereader_(std::make_unique<ingest::EpisodeRereader>()) {
  for (const auto& [hash, text] : store::delivery_rules(database)) {
    rules_.emplace(hash, std::make_shared<const ingest::DeliveryRules>(ingest::DeliveryRules::parse(text, "database")));
  }
}

SourceRead SourceReader::read(const EpisodeRecord& record, const std::optional<store::ProbeRecord>& probe,
                              const SourceRoots& roots) const {
  ingest::ReadOptions options;
  if (const auto used = rules_.find(record.delivery_rules); used != rules_.end()) options.rules = used->second;
  options.configuration = record.configuration;
  options.run = record.run;
  const SourcePlace place = source_place(record, roots);
  Fault fault = Fault::source_missing;
  std::string detail;
  SourceRead read;
  // What was set aside for its length, and how much of an archive was read, depend on the limits at ingest: the usual
  // ones, else the largest.
  read.episode = rereader_->read(place, options, fault, detail);
  if (!read.episode) {
    options.max_record_bytes = kLargestRecord;
    options.containers = ingest::kLargestContainerLimits;
    read.episode = rereader_->read(place, options, fault, detail);
  }
  if (!read.episode) {
    read.fault =
        Diagnostic{place.path, record.source_line, record.source_byte_begin, Severity::error, fault, detail, 1};
    return read;
  }
  if (!is_same(record, *read.episode)) {
    read.episode.reset();
    read.fault = Diagnostic{place.path,
                            record.source_line,
                            record.source_byte_begin,
                            Severity::error,
                            Fault::source_changed,
                            "this version of memuse makes another episode of the same bytes",
                            1};
    return read;
  }
  apply_outcome(record, *read.episode);
  apply_probe(probe, *read.episode);
  return read;
}

}  // namespace memuse::workflow
