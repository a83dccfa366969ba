#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/episode.h"
#include "model/labels.h"
#include "model/records.h"

// Studies that are made up, as plans: what an episode is delivered and what a judge says of it. A plan becomes an
// episode with spans (for the store), or at once the records that the store would give back.

namespace memuse::test {

/// One entry that a span exposes.
struct PlannedEntry {
  std::string item;
  std::string text;
  Labels labels;
  std::uint32_t delay = 0;  ///< steps from the first consuming step to the anchor
};

/// One span: its target delivery and restatements in the steps that follow it. Its copies stay to the end.
struct PlannedSpan {
  Routing routing = Routing::judged;  ///< automatic: exposes again, alone, an entry of an earlier span
  std::string form = "recall";
  Route route = Route::host;
  std::uint32_t restatements = 0;
  std::vector<PlannedEntry> entries;
  bool unresolved = false;  ///< every answer was refused
};

struct PlannedEpisode {
  std::string configuration, run, id, task, repo;
  std::uint64_t position = 1;
  std::optional<bool> resolved;
  std::vector<PlannedEntry> created;  ///< items that this episode makes, before its first step
  std::vector<PlannedSpan> spans;
  std::uint32_t steps_after = 1;   ///< steps after the last delivery
  std::optional<double> step_usd;  ///< cost of a step
  std::optional<double> side_usd;  ///< cost of the memory system in this episode
  DeliveryGrade delivery_grade = DeliveryGrade::annotated;

  /// One step for every delivery, and those after the last.
  [[nodiscard]] std::uint32_t step_count() const;
};

/// The text that a delivery of these entries places.
std::string placed_text(const std::vector<PlannedEntry>& entries);

/// What is recorded of the episode.
Episode make_episode(const PlannedEpisode& plan);
/// Its spans: what `compute_spans` finds in it.
EpisodeSpans make_spans(const PlannedEpisode& plan);
/// The judge's answer on span `index` of the plan, of which `span` was made.
Answer make_answer(const PlannedSpan& plan, const Span& span);
/// What the store gives back of the episode and its answers, as far as tables need it.
EpisodeSpansRecord make_record(const PlannedEpisode& plan);

/// Hands out plans one after the other.
using PlanSource = std::function<void(const std::function<void(const PlannedEpisode&)>&)>;

/// Writes the planned episodes, judged, to a new database. `baseline` may be empty.
void write_study(const std::string& database, const PlanSource& plans, const std::string& baseline);

}  // namespace memuse::test
