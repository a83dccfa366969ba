#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/facts.h"
#include "graph/origin.h"

// Ancestry and fate of one item (semantics.md §9).

namespace memuse::graph {

/// How a version belongs to the lineage of an item.
enum class Kin : std::uint8_t {
  own,        ///< a version of the item itself
  ancestor,   ///< a version of another item that one of the item's versions was made from, at first or second hand
  descendant  ///< a version of another item that was made from one of the item's
};
[[nodiscard]] std::string_view name(Kin kin);

/// A version that another one was made from.
struct Parent {
  std::string version;               ///< as the operation names it
  std::optional<std::size_t> index;  ///< into `ItemLineage::versions`; nothing: nowhere else in the record
};

/// One version of an item. Without a maker its history is incomplete: nothing recorded says where it came from.
struct ItemVersion {
  std::string item;
  Kin kin = Kin::own;
  std::string version;                     ///< its id; empty when the trace declares none
  std::optional<std::string> text;         ///< as its maker wrote it, else as it was first exposed
  std::optional<std::size_t> maker;        ///< index into `ItemLineage::changes`
  std::vector<Parent> parents;             ///< one: updated from; several, or one of another item: merged from
  std::optional<std::size_t> replaced_by;  ///< the first own version that names it as a parent

  /// True when it was made from several versions, or from one of another item.
  [[nodiscard]] bool is_merge(const std::vector<ItemVersion>& all) const;
};

/// A span that shows the item: where, which version, who made it, and what came of it.
struct Showing {
  Exposure exposure;        ///< deliveries, window, verdict of the span, labels and anchors of the entry
  std::size_t version = 0;  ///< index into `ItemLineage::versions`
  Origin origin;            ///< `change` is an index into `ItemLineage::changes`
};

/// The whole recorded life of an item of one store of one run. Indices point into the lists beside them.
struct ItemLineage {
  std::string configuration, run, store, item;
  std::vector<EpisodeNode> episodes;  ///< every episode named here, in the order of the study
  std::vector<ItemVersion> versions;  ///< own ones in the order of their first mention, then ancestors, descendants
  std::vector<Change> changes;        ///< in order; those that left it as it was (`noop`) and deletions among them
  std::vector<Showing> showings;      ///< in order
  std::vector<Return> returns;        ///< searches that returned it, in order

  [[nodiscard]] const EpisodeNode& episode_of(const Change& change) const { return episodes[change.episode]; }
  [[nodiscard]] const EpisodeNode& episode_of(const Showing& showing) const {
    return episodes[showing.exposure.episode];
  }
};

/// Puts the facts about an item together. Linear in them (up to sorting).
[[nodiscard]] ItemLineage item_lineage(ItemFacts facts);

}  // namespace memuse::graph
