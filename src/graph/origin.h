#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/facts.h"

// Who made what was delivered (semantics.md §9).

namespace memuse::graph {

/// What the record says about the making of a delivered version.
enum class OriginKind : std::uint8_t {
  earlier_episode,  ///< made in a strictly earlier episode of the run: traced
  same_episode,     ///< made earlier in the episode that it was delivered in
  recorded_later,   ///< an operation made it, but only after the delivery
  order_unknown,    ///< made in an episode that nothing orders against that of the delivery
  other_version,    ///< operations on the item are recorded, none that made this version
  not_recorded      ///< no operation that made it is recorded
};
/// Stable name for exports (`earlier_episode`).
[[nodiscard]] std::string_view name(OriginKind kind);

/// The creator of a delivered version: the operation that made it.
struct Origin {
  OriginKind kind = OriginKind::not_recorded;
  std::optional<std::size_t> change;  ///< index into the changes; nothing for the last two kinds
  Identity identity = Identity::declared;
  /// False when the ids of the versions were not there to compare, so that the item's last change before the delivery
  /// was taken.
  bool by_version = true;
};

/// Finds creators among the changes of one run; only what is of the same store is joined. Both lists must outlive it.
///
/// An entry with an item id is joined to the operations on that item: to the first one that made the version it names;
/// where the entry or the operation names no version, to the last one before the delivery. An entry without an item id
/// is joined to the first operation that made a version of equal normalised text.
class CreatorIndex {
 public:
  CreatorIndex(std::span<const EpisodeNode> episodes, std::span<const Change> changes);
  [[nodiscard]] Origin creator_of(const Exposure& exposure) const;

 private:
  using Candidates = std::vector<std::size_t>;
  [[nodiscard]] Origin first_of(const Candidates& candidates, const Exposure& exposure) const;
  [[nodiscard]] Origin last_of(const Candidates& candidates, const Exposure& exposure) const;
  [[nodiscard]] OriginKind kind_of(std::size_t change, const Exposure& exposure) const;

  std::span<const EpisodeNode> episodes_;
  std::span<const Change> changes_;
  std::map<std::pair<std::string, std::string>, Candidates> by_item_;  ///< by store and item
  std::map<std::pair<std::string, std::string>, Candidates> by_text_;  ///< by store and normalised text
};

/// Difference of the task positions of two episodes; nothing when one is not known.
[[nodiscard]] std::optional<std::int64_t> position_gap(const EpisodeNode& source, const EpisodeNode& target);

}  // namespace memuse::graph
