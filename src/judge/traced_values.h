#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "judge/patterns.h"
#include "judge/values.h"
#include "model/episode.h"
#include "model/span.h"

namespace memuse::judge {

/// A value of an entry with the patterns it is searched by.
struct TracedValue {
  ValueKind kind = ValueKind::symbol;
  std::string text;
  bool weak = false;
  std::vector<PatternId> forms;
  std::vector<PatternId> known_forms;  ///< the forms and the looser signs
  std::vector<std::uint64_t> parts;
};

/// A value that a probe names, for effects (semantics.md §10).
struct ProbeValue {
  std::string text;
  std::vector<PatternId> forms;
};

/// Everything that is searched for in one episode.
class TracedValues {
 public:
  TracedValues(const Episode& episode, const EpisodeSpans& spans);

  [[nodiscard]] const PatternTable& table() const { return table_; }
  [[nodiscard]] const std::unordered_set<std::uint64_t>& parts() const { return parts_; }
  /// Patterns of all identifiers that deliveries exposed.
  [[nodiscard]] const std::unordered_map<std::string_view, PatternId>& identifiers() const { return identifiers_; }
  /// Values of a judged entry.
  [[nodiscard]] const std::vector<TracedValue>& of(std::uint32_t delivery, std::uint32_t entry) const;
  [[nodiscard]] const std::vector<ProbeValue>& gold() const { return gold_; }
  [[nodiscard]] const std::vector<ProbeValue>& stale() const { return stale_; }

 private:
  std::vector<PatternId> add_all(const std::vector<Pattern>& patterns);
  std::vector<TracedValue> trace(std::string_view text, const std::vector<std::string_view>& identifiers);
  void trace_probe(std::string_view text, std::vector<TracedValue>& traced) const;
  std::vector<ProbeValue> probe_values(const std::vector<std::string_view>& values);

  PatternTable table_;
  std::unordered_set<std::uint64_t> parts_;
  std::unordered_map<std::string_view, PatternId> identifiers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> entries_;  ///< into `traced_`
  std::vector<std::vector<TracedValue>> traced_;                            ///< one per distinct text and identifiers
  std::vector<ProbeValue> gold_;
  std::vector<ProbeValue> stale_;
};

}  // namespace memuse::judge
