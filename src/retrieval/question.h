#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What is known to be right about a question, and what a memory system returned for it (docs/retrieval.md).

namespace memuse::retrieval {

/// Microseconds since 1970-01-01T00:00:00Z.
using Moment = std::int64_t;

/// A memory item in one of its versions; an empty version where none is said.
struct ItemVersion {
  std::string item;
  std::string version;

  friend bool operator==(const ItemVersion&, const ItemVersion&) = default;
};

/// A fact that was contradicted later on: what states it now, and what stated it before.
struct Supersession {
  ItemVersion newest;
  std::vector<ItemVersion> superseded;
  std::string value;                      ///< verbatim text that an action carries when it uses the fact; may be empty
  std::vector<std::string> stale_values;  ///< the same of what is superseded
};

struct GoldQuestion {
  std::string id;      ///< of the question, or of the task
  std::string search;  ///< id of the search that is meant; empty for all searches of the episode
  std::string category;
  std::string text;                   ///< of the question; empty where only the trace has it
  std::vector<std::string> relevant;  ///< ids of items, each once; empty exactly for abstention items
  bool abstention = false;            ///< nothing is relevant: the right thing is to return nothing
  std::vector<Supersession> supersessions;
  std::optional<Moment> as_of;     ///< the time that the question asks about
  std::vector<ItemVersion> valid;  ///< versions that hold at `as_of`, where the gold file says so
  std::uint64_t line = 0;          ///< in the gold file
};

/// One returned item.
struct Returned {
  ItemVersion what;
  std::optional<Moment> valid_from;  ///< holds from this moment …
  std::optional<Moment> valid_to;    ///< … until just before this one
};

/// Does what came after the search carry the value of a contradicted fact?
enum class ValueUse : std::uint8_t { newest, stale, none, unknown };
/// `newest`, `stale`, `none`, `unknown`.
std::string name(ValueUse use);

/// What was returned for one question in one run.
struct SearchResult {
  std::size_t question = 0;  ///< index into the gold questions
  std::string configuration;
  std::string run;
  std::string episode;             ///< of the trace; empty in a results file
  std::string source;              ///< file of the trace; empty in a results file
  std::uint64_t line = 0;          ///< where the episode starts in it
  std::vector<Returned> returned;  ///< best first
  std::optional<double> tokens;    ///< of what was returned
  bool tokens_estimated = false;
  std::optional<double> latency_ms;
  std::vector<ValueUse> uses;  ///< for each of the question's supersessions; empty when nothing is known
};

}  // namespace memuse::retrieval
