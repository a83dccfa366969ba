#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "judge/record_index.h"

namespace memuse::judge {

/// One place where the agent names an entry.
struct Mention {
  std::uint32_t step = 0;
  bool in_action = false;
  Spot spot;
};

/// Where the agent names the entries of an episode by their exposed identifiers, short lists included
/// (`N-12/15` names `N-15` when that is an identifier). Refers to the index and the identifiers.
class Mentions {
 public:
  /// `patterns` gives the pattern of every identifier that a delivery of the episode exposed.
  Mentions(const RecordIndex& index, const std::unordered_map<std::string_view, PatternId>& patterns);

  /// Mentions of one identifier, by step.
  [[nodiscard]] const std::vector<Mention>& of(std::string_view identifier) const;
  /// True when the agent's words in that step name any entry at all.
  [[nodiscard]] bool names_any(std::uint32_t step) const { return naming_steps_.contains(step); }

 private:
  void add(std::string_view identifier, const Spot& spot);
  void add_rest_of_list(std::string_view identifier, const Spot& spot);

  const RecordIndex& index_;
  std::unordered_map<std::string_view, std::vector<Mention>> mentions_;
  std::unordered_set<std::uint32_t> naming_steps_;
};

}  // namespace memuse::judge
