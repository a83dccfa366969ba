#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ingest/merit_episode.h"
#include "model/text.h"

// What is kept of a whole cell while its records are read one by one: places, counts, and the users' first messages.

namespace memuse::ingest {

struct HashOfHash128 {
  std::size_t operator()(const Hash128& hash) const { return static_cast<std::size_t>(hash.low); }
};

/// First user messages by task, from traces whose block cannot hide them. A message from C0 wins over one from C4.
class KnownMessages {
 public:
  /// Looks at one trace.
  void note(const MeritTrace& trace);
  [[nodiscard]] std::optional<KnownMessage> find(std::string_view task_id) const;

 private:
  struct Message {
    std::string text;
    BlockRule rule = BlockRule::c0_message;
  };
  std::unordered_map<Hash128, Message, HashOfHash128> by_task_;
};

/// Places of the traces of a file, by episode and task.
class TraceIndex {
 public:
  struct Place {
    LinePlace line;
    Hash128 bytes;
    bool taken = false;  ///< joined with a row
  };

  void add(const MeritTrace& trace, const LinePlace& line, std::string_view bytes);
  /// The first trace of this episode that no row has taken yet, taken now; null if there is none.
  const Place* take(const MeritRow& row);
  /// Those that were not taken, in the order of the file. Repetitions of taken or earlier ones are left out and handed
  /// to `repeated`.
  template <typename Visit>
  std::vector<LinePlace> left(Visit repeated) {
    std::vector<LinePlace> lines;
    std::unordered_set<Hash128, HashOfHash128> seen;
    for (const Place& place : places_) {
      if (place.taken) seen.insert(place.bytes);
    }
    for (const Place& place : places_) {
      if (place.taken) continue;
      if (seen.insert(place.bytes).second) {
        lines.push_back(place.line);
      } else {
        repeated(place.line);
      }
    }
    return lines;
  }

 private:
  std::vector<Place> places_;
  struct Queue {
    std::vector<std::uint32_t> places;
    std::size_t next = 0;
  };
  std::unordered_map<Hash128, Queue, HashOfHash128> by_episode_;
};

/// Counts episodes of runs: the position of each task, and ids that stand twice.
class RunIndex {
 public:
  /// 1 for the first episode of this id in its run, 2 for the second …; 0 when these very bytes were met before.
  std::uint64_t copy_of(std::string_view configuration, std::string_view run, std::string_view episode_id,
                        std::string_view bytes);
  /// The place of the task among those of the run, in the order in which they were met; attempts at one task share it.
  std::uint64_t position_of(std::string_view configuration, std::string_view run, std::string_view task_id);

 private:
  std::unordered_set<Hash128, HashOfHash128> met_;
  std::unordered_map<Hash128, std::uint64_t, HashOfHash128> copies_;
  std::unordered_map<Hash128, std::uint64_t, HashOfHash128> tasks_in_run_;
  std::unordered_map<Hash128, std::uint64_t, HashOfHash128> position_;
};

}  // namespace memuse::ingest
