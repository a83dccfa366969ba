#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostic.h"
#include "model/records.h"
#include "store/database.h"

// What the database says, as records. Everything comes in one order: configuration, run, position (episodes without one
// last), episode, uid. No row id of the database ever leaves this module, except the ids of judgement sets.

namespace memuse::store {

/// An empty field does not restrict.
struct EpisodeFilter {
  std::optional<std::string> configuration;
  std::optional<std::string> run;
  std::optional<std::string> episode;  ///< the id in its run, or the uid
};

struct RunRecord {
  std::string configuration, run;
  std::uint64_t episodes = 0;  ///< retained or not
};

/// A message of an episode: where it was visible and what its text was, without the text.
struct MessagePlace {
  struct Version {
    std::uint32_t line_order = 0, from_step = 0;
    std::uint64_t bytes = 0;
    std::string hash;  ///< `hash128` of the text, 32 hex digits, high half first
    friend bool operator==(const Version&, const Version&) = default;
  };
  std::string id, role, origin;
  bool transient = false;
  std::uint32_t of_step = 0, line_order = 0, first_step = 0;
  std::optional<std::uint32_t> end_step;  ///< none: never left
  std::vector<Version> versions;
  friend bool operator==(const MessagePlace&, const MessagePlace&) = default;
};

struct OperationRecord {
  std::uint32_t number = 0;  ///< order in the episode
  std::string op, item;
  std::optional<std::string> version, text, text_sha256;
  std::vector<std::string> from;
  std::string operation;
  std::vector<std::uint32_t> steps;
  std::string at;
  std::uint32_t line_order = 0, after_step = 0;
};

struct SearchRecord {
  struct Hit {
    std::string item;
    std::optional<std::string> version;
    std::optional<double> score;
  };
  std::string search, query;
  std::vector<Hit> returned;
  std::optional<std::uint64_t> matched;
  bool completed = true;
  std::uint32_t line_order = 0;
  std::uint32_t step = 0;  ///< the step it was made for; 0 when none followed
};

struct ProbeRecord {
  std::optional<bool> dependent, pre_satisfied, memory_had_fact, memory_utilized, memory_utilized_recomputed;
  std::vector<std::string> gold, stale;
  std::optional<std::string> corruption_mode;  ///< present when the memory was corrupted on purpose
  std::optional<double> corruption_rate;
};

/// What an episode holds beside its record and spans.
struct EpisodeDetails {
  std::vector<std::pair<std::string, std::string>> tags;  ///< by key
  std::optional<ProbeRecord> probe;
  std::optional<std::string> reference_kind, end_reason;
  std::optional<std::int64_t> first_time_us, last_time_us;  ///< of the steps, microseconds since 1970 (UTC)
  std::optional<bool> trace_resolved;                       ///< the outcome as the trace has it
  std::optional<double> trace_reward;
  std::string trace_outcome_source;
  std::vector<MessagePlace> messages;
  std::vector<OperationRecord> operations;
  std::vector<SearchRecord> searches;
};

/// An item of one memory store; an empty field does not restrict.
struct ItemFilter {
  std::string item;
  std::optional<std::string> configuration, run, store;
};

/// One thing that happened to an item: exactly one of the two parts is there.
struct ItemEvent {
  /// The item as an entry of a span.
  struct Exposure {
    SpanRecord span;  ///< with its deliveries; of its entries only this one
  };
  EpisodeRecord episode;
  std::uint32_t line_order = 0;
  std::optional<OperationRecord> operation;
  std::optional<Exposure> exposure;
};

struct IngestRecord {
  std::string program_version, rule_set;
  bool finished = false;  ///< false: it was interrupted; outcomes and retained attempts may be stale until the next one
  std::uint64_t added = 0, known = 0, replaced = 0;
};

/// All retained and other attempts that match, with the answers of a judgement set (none: every judged span is
/// `not_judged`). One episode is in memory at a time. The callback returns false to stop. On a
/// database opened for reading it sees one state, whatever other processes write meanwhile; on one opened for writing
/// it may itself write (answers, say).
void for_each_episode(const Database& database, const EpisodeFilter& filter, std::optional<std::int64_t> judgement_set,
                      const std::function<bool(const EpisodeSpansRecord&)>& callback);

/// Records of the episodes that match, without their spans.
std::vector<EpisodeRecord> find_episodes(const Database& database, const EpisodeFilter& filter);

/// Everything else about the episode with this uid; nothing when there is none.
std::optional<EpisodeDetails> episode_details(const Database& database, std::string_view uid);

/// The probe of the episode with this uid; nothing when it has none or there is no such episode.
std::optional<ProbeRecord> episode_probe(const Database& database, std::string_view uid);

/// What happened to an item, in the order of the episodes and, inside one, of the trace.
void for_each_item_event(const Database& database, const ItemFilter& filter, std::optional<std::int64_t> judgement_set,
                         const std::function<bool(const ItemEvent&)>& callback);

std::vector<RunRecord> runs(const Database& database);
/// Every source file with each run that it holds episodes of.
void for_each_source(const Database& database,
                     const std::function<void(const std::string& path, const RunRecord& run)>& callback);
/// By place.
std::vector<Diagnostic> diagnostics(const Database& database);
/// Oldest first.
std::vector<IngestRecord> ingests(const Database& database);

}  // namespace memuse::store
