#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ingest/json.h"
#include "ingest/rule_set.h"
#include "model/arena.h"
#include "model/episode.h"

namespace memuse::ingest {

/// A block that a rule found in a message.
struct MatchedBlock {
  ByteRange range;  ///< bytes of the message
  std::vector<Entry> entries;
  bool empty = false;  ///< a delivery of nothing
};

/// Most blocks of one rule in a message, and most entries of a block. Beyond that the rule does not fit the text, and
/// it finds nothing there.
inline constexpr std::size_t kMaxBlocks = 10'000;
inline constexpr std::size_t kMaxEntries = 10'000;

/// Finds the blocks of delivery rules in messages. Views in the results point into the message or into `arena`.
/// Not thread-safe; one per episode.
class RuleMatcher {
 public:
  explicit RuleMatcher(Arena& arena) : arena_(arena) {}

  /// The blocks of `rule` in a message with this text, ascending, not overlapping; nothing when there are too many
  /// blocks or entries. Whether the rule looks at this message at all is the caller's business.
  std::optional<std::vector<MatchedBlock>> match(const DeliveryRule& rule, std::string_view message);

  /// True when a string among the arguments (JSON text) of a call holds the pattern.
  bool arguments_match(const Pattern& pattern, std::string_view arguments);

 private:
  Arena& arena_;
  JsonParser parser_;
};

}  // namespace memuse::ingest
