#pragma once

#include <random>
#include <string>
#include <vector>

#include "support/small_study.h"

namespace memuse::test {

/// Episodes of two configurations with two runs over some tasks, the second configuration lacking some; with groups
/// when asked for.
inline std::vector<EpisodeSpansRecord> random_study(std::uint32_t seed, std::size_t tasks, bool groups = false) {
  std::mt19937 random(seed);
  const auto below = [&random](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  const Labels kinds[] = {kImprovedEntry,    kHarmedEntry,      kNoEffectEntry,   kOpenEffectEntry,
                          kUnusedNovelEntry, kUnusedKnownEntry, kReferencedEntry, kForeignOpenEntry};
  const char* forms[] = {"preview", "full card", "pinned"};
  std::vector<EpisodeSpansRecord> records;
  for (const char* configuration : {"alpha", "beta"}) {
    for (const char* run : {"r1", "r2"}) {
      for (std::size_t task = 0; task < tasks; ++task) {
        if (configuration[0] == 'b' && task % 7 == 3) continue;
        EpisodeSpansRecord record = attempt(configuration, run, "task-" + std::to_string(task),
                                            below(3) == 0 ? std::nullopt : std::optional(below(2) == 0), 0.01);
        if (groups) record.episode.group = "arc-" + std::to_string(task / 3);
        for (std::uint32_t span = below(4); span > 0; --span) {
          std::vector<TestEntry> entries;
          for (std::uint32_t entry = below(5) + 1; entry > 0; --entry) {
            const Labels& labels = kinds[below(8)];
            if (below(6) == 0) {
              entries.push_back({{}, {}});
            } else {
              entries.push_back({labels, {3 + below(9)}});
            }
          }
          add_judged_span(record, below(2) == 0 ? "host" : "agent", forms[below(3)], 1 + below(200), 1 + below(3),
                          entries, 1 + below(3));
        }
        records.push_back(std::move(record));
      }
    }
  }
  return records;
}

}  // namespace memuse::test
