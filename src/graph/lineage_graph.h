#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "graph/facts.h"
#include "graph/item_lineage.h"

// The lineage of a whole study as nodes and edges (semantics.md §9), episode by episode.

namespace memuse::graph {

enum class NodeKind : std::uint8_t { episode, item_version, operation, search, delivery, span, entry };
/// `part_of` is structure: what belongs to which episode or span. `left_unchanged_by` (a no-op) and `deleted_by` tell
/// of operations that made no version.
enum class EdgeKind : std::uint8_t {
  created_in,
  updated_from,
  merged_from,
  derived_from_step,
  returned_by,
  delivered_in,
  acted_on_at,
  left_unchanged_by,
  deleted_by,
  part_of
};
[[nodiscard]] std::string_view name(NodeKind kind);
[[nodiscard]] std::string_view name(EdgeKind kind);

using AttributeValue = std::variant<std::string, std::int64_t, double, bool>;
/// What is said of a node or an edge. Only what is known is there.
using Attributes = std::vector<std::pair<std::string_view, AttributeValue>>;

struct Node {
  NodeKind kind = NodeKind::episode;
  std::string id;  ///< ASCII letters, digits, `:` and `-`
  std::string label;
  Attributes attributes;
};

struct Edge {
  EdgeKind kind = EdgeKind::part_of;
  std::string from, to;
  Attributes attributes;
};

/// Takes in a graph. All nodes come before the first edge; each of both comes once, in the order of the study.
class GraphSink {
 public:
  virtual ~GraphSink() = default;
  virtual void node(const Node& node) = 0;
  virtual void edge(const Edge& edge) = 0;
};

/// Type of an attribute, so that formats can declare it.
enum class AttributeType : std::uint8_t { text, whole, number, boolean };
struct AttributeInfo {
  std::string_view key;
  AttributeType type;
};
/// Every key that nodes, or edges, can have; `kind` and `label` are not among them.
[[nodiscard]] const std::vector<AttributeInfo>& node_attributes();
[[nodiscard]] const std::vector<AttributeInfo>& edge_attributes();

/// One search of an episode.
struct SearchFacts {
  struct Hit {
    std::string item;
    std::optional<std::string> version;
    std::optional<double> score;
  };
  std::string search;
  std::uint32_t number = 0, step = 0, line_order = 0;
  bool completed = true;
  std::vector<Hit> returned;
};

/// One episode with all that lineage knows of it. The `episode` of its changes is not used.
struct EpisodeFacts {
  EpisodeNode episode;
  std::vector<Change> changes;
  std::vector<SearchFacts> searches;
  std::vector<SpanRecord> spans;
  std::vector<DeliveryRecord> unconsumed;
  std::vector<std::uint32_t> span_line_orders;  ///< moment of each span's target delivery
};

/// Makes the nodes and edges of a study. Twice the same episodes in the order of the study: first each is given to
/// `add_nodes`, then each to `add_edges`. Before the first episode of a run, in either pass, comes `begin_run` with all
/// episodes of the run in order, and then `know` for every change of the run, in order. Memory grows with the versions
/// of one run.
class LineageGraph {
 public:
  explicit LineageGraph(GraphSink& sink) : sink_(sink) {}

  /// Keeps only what belongs to these lineages: their versions, the operations on them, the entries that show them with
  /// their spans and deliveries, the searches that returned them, and the episodes of these.
  void restrict_to(const std::vector<ItemLineage>& lineages);

  void begin_run(const std::vector<std::string>& uids);
  void know(const EpisodeNode& episode, const Change& change);
  void add_nodes(const EpisodeFacts& facts);
  void add_edges(const EpisodeFacts& facts);

 private:
  struct VersionKey {
    std::string id, item, version;
    Identity identity = Identity::declared;
    bool made = false;
  };
  struct SelectedSpan {
    const SpanRecord* span = nullptr;
    std::vector<std::pair<const EntryRecord*, VersionKey>> entries;
  };
  struct Selection {
    std::vector<std::pair<const Change*, VersionKey>> changes;  ///< a deletion without a version has an empty id
    std::vector<std::pair<const SearchFacts*, std::vector<std::pair<std::size_t, VersionKey>>>> searches;
    std::vector<SelectedSpan> spans;
    [[nodiscard]] bool empty() const { return changes.empty() && searches.empty() && spans.empty(); }
  };

  [[nodiscard]] Selection select(const EpisodeFacts& facts);
  void select_changes(const EpisodeFacts& facts, Selection& out);
  void select_searches(const EpisodeFacts& facts, Selection& out);
  void select_spans(const EpisodeFacts& facts, Selection& out);
  [[nodiscard]] VersionKey of_change(const EpisodeNode& episode, const Change& change) const;
  [[nodiscard]] VersionKey of_mention(const EpisodeNode& episode, std::uint32_t line_order,
                                      const std::optional<std::string>& item, const std::optional<std::string>& version,
                                      std::string_view text) const;
  [[nodiscard]] VersionKey of_parent(const EpisodeNode& episode, const Change& change, const std::string& parent) const;
  [[nodiscard]] VersionKey declared(const std::string& store, const std::string& item,
                                    const std::string& version) const;
  [[nodiscard]] bool wanted(const VersionKey& key) const { return !wanted_ || wanted_->contains(key.id); }
  [[nodiscard]] std::string scope(const std::string& store) const;

  void version_node(const EpisodeNode& episode, const VersionKey& key);
  void change_edges(const EpisodeFacts& facts, const Selection& selection);
  void parent_edges(const EpisodeNode& episode, const Change& change, const VersionKey& key);
  void span_edges(const EpisodeFacts& facts, const SelectedSpan& selected);

  /// What was made of an item, in order: moment and key of the version.
  struct Made {
    std::size_t episode = 0;  ///< order of its episode among those known
    std::uint32_t line_order = 0;
    VersionKey key;
  };
  [[nodiscard]] const VersionKey* last_made(const EpisodeNode& episode, std::uint32_t line_order,
                                            const std::string& item) const;

  GraphSink& sink_;
  std::optional<std::set<std::string>> wanted_;
  std::string configuration_, run_;
  std::unordered_map<std::string, std::size_t> episode_order_;                   ///< by uid
  std::map<std::pair<std::string, std::string>, std::vector<Made>> made_;        ///< by store and item
  std::map<std::pair<std::string, std::string>, std::set<std::string>> makers_;  ///< by store and version: items
  std::map<std::pair<std::string, std::string>, VersionKey> by_text_;  ///< by store and normalised text's hash
  std::unordered_set<std::string> made_ids_;
  std::unordered_set<std::string> seen_;  ///< ids of what deliveries and searches have shown up to this episode
  std::unordered_set<std::string> emitted_;
};

}  // namespace memuse::graph
