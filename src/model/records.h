#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/labels.h"
#include "model/span.h"

// Rows of a study: what the store gives back and what rules, tables and exports work on. Plain values, no lifetimes.

namespace memuse {

/// Tokens and money of the model calls of one kind.
struct CallTotals {
  std::uint64_t calls = 0;
  std::uint64_t input_tokens = 0;  ///< includes the cached part; calls without a count add nothing
  std::uint64_t cached_input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t calls_without_tokens = 0;
  double cost_usd = 0.0;  ///< sum over the calls with a recorded cost
  std::uint64_t calls_without_cost = 0;
};

/// One episode, without its text.
struct EpisodeRecord {
  std::string uid;  ///< content id: 32 hex digits
  std::string configuration, run, episode, task_id, store, repo, domain, group, tier, model, seed, condition;
  std::optional<std::uint64_t> position;
  std::string visibility;  ///< grade names of semantics.md / trace-format.md
  std::string delivery_grade;
  std::optional<bool> resolved;
  std::optional<double> reward;
  std::string outcome_source;  ///< where the outcome came from; empty if none
  bool retained = true;        ///< false for an earlier attempt at the same task in the same run
  bool finalised = false;      ///< an `end` line or an outcome closes it
  std::uint32_t steps = 0;
  CallTotals agent;
  CallTotals side;
  std::optional<double> agent_seconds;  ///< wall time of the agent, as the trace states it
  std::string delivery_rules;  ///< SHA-256 of the delivery rules that found its deliveries; empty for other grades
  std::string source_path, source_format, source_format_version, source_locator, source_sha256;
  std::uint64_t source_line = 0, source_byte_begin = 0, source_byte_end = 0;
  std::uint64_t unowned_entry_steps = 0;
  bool has_probe = false;                          ///< gold or stale values are known, so effects can be traced
  std::optional<bool> memory_utilized;             ///< the probe's flag as recorded
  std::optional<bool> memory_utilized_recomputed;  ///< … and as gold values and actions give it
};

/// One delivery with its place in the span structure.
struct DeliveryRecord {
  std::uint32_t delivery_index = 0;  ///< order in the episode; searches that count as deliveries come after the rest
  std::string delivery;              ///< id as recorded
  std::uint32_t step = 0;            ///< consuming step; 0 when unconsumed and no step followed
  bool consumed = true;
  std::string unconsumed_reason;
  std::uint32_t span = 0;  ///< span number; 0 when unconsumed
  bool restatement = false;
  std::string route, form;
  std::uint32_t entries = 0;
  std::uint64_t placed_bytes = 0;
  std::optional<std::uint64_t> recorded_tokens;
  std::uint64_t estimated_tokens = 0;  ///< utf8-bytes/4, rounded up
};

/// One entry of a span.
struct EntryRecord {
  std::uint32_t entry = 0;
  std::optional<std::string> item, version;
  std::string text;  ///< exposed text as given
  std::string text_sha256;
  std::vector<std::string> identifiers;
  std::optional<Window> window;
  std::optional<EntryAnswer> answer;  ///< of the chosen judgement set
};

/// One span with all its parts.
struct SpanRecord {
  std::uint32_t number = 0;
  std::uint32_t first_step = 0, last_step = 0;
  Routing routing = Routing::judged;
  SpanStatus status = SpanStatus::not_judged;
  std::optional<Verdict> verdict;
  std::string answer_basis;                ///< what the stored answer rests on beside the trace; empty if nothing
  std::string unresolved_reason;           ///< why the answer was refused, when `unresolved`
  std::vector<DeliveryRecord> deliveries;  ///< target first
  std::vector<EntryRecord> entries;
};

/// One episode with its spans, as tables and exports walk over a study.
struct EpisodeSpansRecord {
  EpisodeRecord episode;
  std::vector<SpanRecord> spans;
  std::vector<DeliveryRecord> unconsumed;
};

/// How far a judgement set agrees with a set of labels on the entries that both answered.
struct KnownAgreement {
  std::string with;           ///< judge of the other set: `label:ada`
  std::uint64_t entries = 0;  ///< that both answered
  /// Cohen's kappa, null a category of its own; nothing when it is not defined.
  std::optional<double> influence_kappa;
  std::optional<double> effect_kappa;
};

/// A judgement set: all answers of one judge set up one way.
struct JudgementSetRecord {
  std::int64_t id = 0;
  std::string judge;     ///< `tracer/1`, or a model name
  std::string rules;     ///< `memuse-rules/1`
  std::string settings;  ///< JSON of what matters for the answers
  /// Signals that this judge does not assess; their axes print as "—".
  bool assesses_relevance = true;
  bool assesses_accuracy = true;
  /// Effects are assessed only in episodes with a probe (the offline judge).
  bool effects_need_probe = false;
  std::uint64_t calls = 0, input_tokens = 0, cached_input_tokens = 0, output_tokens = 0;
  std::uint64_t calls_without_tokens = 0;
  std::optional<double> cost_usd;  ///< over the calls with a known cost; nothing when none has one
  std::uint64_t calls_without_cost = 0;
  std::uint64_t accepted = 0, unresolved = 0;  ///< spans with an answer in this set, and spans refused to the end
  /// Present when only a sample of the spans is judged in this set.
  struct Sample {
    std::uint64_t size = 0, seed = 0, population = 0;
    friend bool operator==(const Sample&, const Sample&) = default;
  };
  std::optional<Sample> sample;
  std::uint64_t sample_answered = 0;  ///< spans of the sample that are accepted or unresolved
  /// With every other set of labels in the database. Whoever makes tables fills it in.
  std::vector<KnownAgreement> agreements;
};

/// One span that a sample drew. Weights add up to the population.
struct SampledSpan {
  std::string uid;  ///< of the episode
  std::uint32_t span = 0;
  std::string stratum;
  double weight = 1.0;  ///< spans of its stratum for each one drawn from it
};

/// How one span was judged by a model: what its answer (or its refusal) rests on.
struct JudgementDetails {
  std::string returned_model;  ///< the model id that the endpoint returned; empty if none
  std::uint32_t refused_answers = 0;
  std::string ledger;  ///< JSON: {"file": [[begin, end], …]}, the bytes of the evidence files that were shown
  std::string calls;   ///< JSON array: one object a model call with usage and the raw reply
};

}  // namespace memuse
