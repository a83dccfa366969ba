#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "judge/memory_actions.h"
#include "judge/mentions.h"
#include "judge/record_index.h"
#include "judge/traced_values.h"
#include "model/labels.h"

// What the record shows of one entry: which of its values were known before, which the agent carried into an action or
// into its words, where it named the entry, and where it opened it. The decision is in tracer.cpp; here are the facts.

namespace memuse::judge {

/// Everything about an episode that the trace of an entry needs.
struct EpisodeRecord {
  EpisodeRecord(const Episode& source, const EpisodeSpans& spans);

  const Episode& episode;
  TracedValues values;
  RecordIndex index;
  Mentions mentions;
  MemoryActions memory_actions;
  std::unordered_map<std::uint32_t, CommandText> commands;  ///< by text of an action
};

/// One entry under its window.
struct TracedEntry {
  std::uint32_t delivery = 0;  ///< the target delivery
  std::uint32_t entry = 0;
  std::uint32_t order = 0;  ///< of the target delivery, on the line clock
  std::uint32_t first = 0;  ///< window
  std::uint32_t last = 0;
  std::string_view text;
  std::optional<std::string_view> item;
  std::vector<std::string_view> identifiers;
};

/// Where a value was known from before the delivery.
struct KnownFrom {
  Spot spot;
  bool citable = true;  ///< false when it stood in words or actions that V(first) does not show any more
};

/// A value found in an action or in words.
struct Sighting {
  const TracedValue* value = nullptr;
  std::uint32_t step = 0;
  Spot spot;
};

/// The facts about one entry.
struct EntryTrace {
  std::vector<const TracedValue*> novel;  ///< values that nothing before the delivery held
  std::vector<bool> novel_weak;           ///< for each: it could have been written without the memory
  std::vector<std::pair<const TracedValue*, KnownFrom>> known;
  std::vector<Sighting> carried;               ///< for each value the first action that carries it
  std::vector<Sighting> said;                  ///< for each value the first step that says it
  std::vector<Mention> mentions;               ///< inside the window, by step
  std::vector<Mention> openings;               ///< of these, the actions that open the entry
  std::vector<std::uint32_t> opened;           ///< steps whose result brought a longer text of the item
  std::optional<std::uint32_t> remark_on_all;  ///< the first step, when it speaks of the notes without naming any
};

/// Collects the facts. Work grows with the entry's values and with their places.
EntryTrace trace_entry(const EpisodeRecord& record, const TracedEntry& entry);

/// Where a pattern set was known from before the entry's delivery, if it was.
std::optional<KnownFrom> known_before(const EpisodeRecord& record, const TracedEntry& entry,
                                      const std::vector<PatternId>& forms);

/// The places of these patterns in actions of steps [first, last] that turn to the task, not to the memory; by step.
std::vector<Spot> task_actions(const EpisodeRecord& record, const std::vector<PatternId>& forms, std::uint32_t first,
                               std::uint32_t last);

}  // namespace memuse::judge
