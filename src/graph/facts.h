#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/episode.h"
#include "model/records.h"

// What the lineage of memories is made of (semantics.md §9), as a database holds it. Plain values, no lifetimes.

namespace memuse::graph {

/// How two mentions of a version were found to be the same: by the ids that the trace declares, or, where it declares
/// none, by the exact normalised text inside one run and store.
enum class Identity : std::uint8_t { declared, text };
[[nodiscard]] std::string_view name(Identity identity);

/// An episode as lineage needs it.
struct EpisodeNode {
  std::string uid, configuration, run, store, episode, task_id, repo;
  std::optional<std::uint64_t> position;
  std::optional<std::int64_t> first_time_us;  ///< of its steps, microseconds since 1970 (UTC)
  std::optional<bool> resolved;
  bool retained = true;
  std::uint32_t steps = 0;
};

/// One recorded operation on an item.
struct Change {
  std::size_t episode = 0;   ///< index into the list of episodes that it comes with
  std::uint32_t number = 0;  ///< order in the episode
  MemoryOp op = MemoryOp::create;
  std::string item;
  std::optional<std::string> version, text;
  std::vector<std::string> from;     ///< versions that it was made from
  std::string operation;             ///< the generation operation that it belongs to; empty when not given
  std::vector<std::uint32_t> steps;  ///< source steps
  std::uint32_t line_order = 0;      ///< its moment in the episode
  std::uint32_t after_step = 0;      ///< steps recorded before it

  /// True for what makes a version: a creation or an update.
  [[nodiscard]] bool makes_version() const { return op == MemoryOp::create || op == MemoryOp::update; }
};

/// One delivery of a span.
struct Placement {
  std::uint32_t delivery_index = 0;  ///< order in the episode
  std::uint32_t step = 0;            ///< consuming step
};

/// An item as an entry of a span.
struct Exposure {
  std::size_t episode = 0;  ///< index into the list of episodes that it comes with
  std::uint32_t span = 0, entry = 0;
  std::optional<std::string> item, version;
  std::string text;
  std::uint32_t line_order = 0;                 ///< moment of the span's target delivery in the episode
  std::string delivery, route, form;            ///< of the target delivery
  std::string search;                           ///< that the target delivery shows; empty if none
  std::vector<Placement> placements;            ///< all deliveries of the span, target first, then the restatements
  std::uint32_t first_step = 0, last_step = 0;  ///< of the span
  std::optional<Window> window;
  SpanStatus status = SpanStatus::not_judged;
  std::optional<Verdict> verdict;     ///< of the span
  std::optional<EntryAnswer> answer;  ///< of the chosen judgement set
};

/// A search that returned an item.
struct Return {
  std::size_t episode = 0;  ///< index into the list of episodes that it comes with
  std::string search;
  std::uint32_t number = 0;  ///< order of the search in the episode
  std::uint32_t line_order = 0;
  std::uint32_t step = 0;  ///< the step it was made for; 0 when none followed
  std::size_t rank = 0;    ///< 0-based place among what it returned
  std::optional<std::string> version;
  std::optional<double> score;
};

/// Everything recorded about one item of one store of one run. Episodes stand in the order of the study
/// (position, those without one last, then episode and uid); the other lists in the order of the episodes and of the
/// trace.
struct ItemFacts {
  std::string configuration, run, store, item;
  std::vector<EpisodeNode> episodes;
  /// Of the item; of the other items that its versions were made from or made into; of those with a text that an entry
  /// without an item id shows.
  std::vector<Change> changes;
  std::vector<Exposure> exposures;  ///< of the item, and entries without an item id that show a text of its changes
  std::vector<Return> returns;
  /// (item, version) of other items: versions that their own changes name as parents and that deliveries show.
  std::set<std::pair<std::string, std::string>> delivered;
};

/// Which of two episodes of a run came first: by position, then by the time of their first steps. Episodes that differ
/// in neither, or lack them, have no known order.
enum class Order : std::uint8_t { before, same, after, unknown };
[[nodiscard]] Order order_of(const EpisodeNode& left, const EpisodeNode& right);

}  // namespace memuse::graph
