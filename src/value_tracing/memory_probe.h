#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"
#include "value_tracing/sightings.h"
#include "value_tracing/value_trace.h"

// Questions about memory that an episode was made to answer: is the newest value used, is a deleted fact still used
// (docs/memory-probes.md). Scored from what actions carry.

namespace memuse::value_tracing {

enum class MemoryProbeKind : std::uint8_t {
  update,         ///< a fact was replaced: is the newest value used?
  deletion,       ///< a fact was withdrawn: is it still used?
  cascade,        ///< a fact that another one rests on was replaced: is the old conclusion still used?
  absence,        ///< memory never held the fact: is something used all the same?
  over_alignment  ///< the trace shows otherwise than memory says: is memory's value used?
};
inline constexpr std::size_t kMemoryProbeKinds = 5;
std::string_view name(MemoryProbeKind kind);
std::optional<MemoryProbeKind> parse_memory_probe_kind(std::string_view text);

/// One declared probe, for every episode of the task (of the configuration and run, where they are named).
struct MemoryProbe {
  std::string task_id;
  std::string configuration;  ///< empty: any
  std::string run;            ///< empty: any
  MemoryProbeKind kind = MemoryProbeKind::update;
  std::vector<std::string> expect;    ///< values that must be used; may be empty
  std::vector<std::string> forbid;    ///< values that must not be used; may be empty if `expect` is not
  std::vector<std::string> evidence;  ///< texts; only actions after the first that the agent was shown count
  std::uint64_t line = 0;             ///< in its file

  [[nodiscard]] bool speaks_of(const Episode& episode) const;
  friend bool operator==(const MemoryProbe&, const MemoryProbe&) = default;
};

/// The first that holds.
enum class ProbeResult : std::uint8_t {
  not_observable,   ///< see `ScoredProbe::reason`
  mixed,            ///< an expected and a forbidden value
  stale_used,       ///< a forbidden value and no expected one
  followed,         ///< every expected value; without expected ones: the agent acted, and used no forbidden one
  partly_followed,  ///< some of the expected values
  nothing_used      ///< neither an expected nor a forbidden value
};
inline constexpr std::size_t kProbeResults = 6;
std::string_view name(ProbeResult result);

/// A value of a probe in the episode.
struct ProbedValue {
  std::string value;
  bool telling = true;
  bool used = false;       ///< an action that counts carries it
  bool uncertain = false;  ///< an action holds it, but it is too common to tell
  std::optional<ValueSighting> first_used;
  std::optional<ValueSighting> last_used;
  std::optional<ValueSighting> said;
  std::optional<ValueSighting> held;  ///< in delivered memory
};

/// A probe in one episode.
struct ScoredProbe {
  ProbeResult result = ProbeResult::nothing_used;
  std::string reason;  ///< of `not_observable`
  std::vector<ProbedValue> expect, forbid;
  std::optional<ValueSighting> evidence;  ///< the first shown
  /// Of `mixed`: the last value that an action carried is an expected one.
  std::optional<bool> ended_well;
  /// Delivered memory held a forbidden value.
  [[nodiscard]] bool memory_held_forbidden() const;
};

ScoredProbe score(const Episode& episode, const MemoryProbe& probe);

/// Results of one kind of probe in one setting.
struct ProbeCounts {
  std::uint64_t probes = 0;
  std::array<std::uint64_t, kProbeResults> results{};
  std::uint64_t forbidden_held = 0;       ///< observable probes in which delivered memory held a forbidden value …
  std::uint64_t forbidden_held_used = 0;  ///< … and an action carried it
  std::uint64_t said_only = 0;            ///< observable: a forbidden value was said and none used
  std::uint64_t ended_well = 0;           ///< of `mixed`
  std::uint64_t with_outcome = 0, resolved = 0;  ///< of the observable

  void add(const Episode& episode, const ScoredProbe& scored);
  [[nodiscard]] std::uint64_t observable() const {
    return probes - results[static_cast<std::size_t>(ProbeResult::not_observable)];
  }
};

}  // namespace memuse::value_tracing
