#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/rule_set.h"
#include "model/episode.h"

namespace memuse::ingest {

/// What rules did to an episode.
struct RulesApplied {
  std::uint64_t deliveries = 0;
  /// Rules that matched more often in one message than `kMaxBlocks` and `kMaxEntries` allow; they were passed over
  /// there. Sorted, each once.
  std::vector<std::string> overflowing;
};

/// Says where memory text stands in traces that do not annotate it (schemas/delivery-rules.schema.json,
/// docs/delivery-rules.md). Immutable, and shared by threads.
class DeliveryRules {
 public:
  /// Reads one file, or a list of them as `json()` writes it. `source` names it in messages. Throws Error(usage) that
  /// says which rule and which field is wrong, and why.
  static DeliveryRules parse(std::string_view json, const std::string& source);

  /// Reads and combines files and presets; `all` is every preset. The same set twice counts once; two different ones
  /// of one name throw Error(usage), as does a name that is neither a preset nor a file.
  static DeliveryRules load(const std::vector<std::string>& paths_or_presets);

  /// Canonical text; `parse` of it gives the same rules again.
  [[nodiscard]] std::string json() const;

  /// In the order in which they are tried.
  [[nodiscard]] const std::vector<RuleSet>& sets() const { return sets_; }

  /// Adds the deliveries that the rules find in an episode of grade `not_recorded`; other episodes are left alone. When
  /// there are any, the grade becomes `by_rule`. When there is none it stays: a block that was not found may still have
  /// been placed (in a form that no rule knows, or for one call only and not kept), so `none` would be a claim.
  RulesApplied apply(Episode& episode) const;

 private:
  void add_text(std::string_view text, const std::string& source);
  void add(const nlohmann::json& set, const std::string& source);

  std::vector<RuleSet> sets_;
  std::vector<std::shared_ptr<const nlohmann::json>> documents_;  // what `sets_` was read from
};

/// Name of the set that a delivery was found by, from its id (`mem0/user-memories#2`); empty when no rule found it.
std::string_view rule_set_of(const Delivery& delivery);
/// Name of the rule, with its set.
std::string_view rule_of(const Delivery& delivery);

}  // namespace memuse::ingest
