#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "graph/lineage_graph.h"
#include "recorded_run.h"

using namespace memuse;
using namespace memuse::graph;
using test::change;
using test::node;

namespace {

/// Keeps what it is given, edges as "kind from -> to" in the words of the labels.
class Collector final : public GraphSink {
 public:
  void node(const Node& node) override {
    REQUIRE(edges.empty());
    REQUIRE(labels.emplace(node.id, std::string(name(node.kind)) + " " + node.label).second);
    REQUIRE(node.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:-") == std::string::npos);
    for (const auto& [key, value] : node.attributes) {
      const auto& known = node_attributes();
      REQUIRE(std::any_of(known.begin(), known.end(), [&k = key](const auto& info) { return info.key == k; }));
      if (key == "made") made[labels.at(node.id)] = std::get<bool>(value);
    }
  }
  void edge(const Edge& edge) override {
    REQUIRE(labels.contains(edge.from));
    REQUIRE(labels.contains(edge.to));
    std::string text = std::string(name(edge.kind)) + ": " + labels.at(edge.from) + " -> " + labels.at(edge.to);
    for (const auto& [key, value] : edge.attributes) {
      const auto& known = edge_attributes();
      REQUIRE(std::any_of(known.begin(), known.end(), [&k = key](const auto& info) { return info.key == k; }));
      if (key == "step") text += " @" + std::to_string(std::get<std::int64_t>(value));
      if (key == "identity" && std::get<std::string>(value) == "text") text += " (text)";
    }
    edges.insert(text);
  }
  std::map<std::string, std::string> labels;
  std::map<std::string, bool> made;
  std::multiset<std::string> edges;
};

SpanRecord span(std::uint32_t number, std::vector<EntryRecord> entries) {
  SpanRecord span;
  span.number = number;
  span.first_step = span.last_step = number;
  span.status = SpanStatus::judged;
  span.deliveries.push_back({});
  span.deliveries.back().delivery_index = number;
  span.deliveries.back().delivery = "d" + std::to_string(number);
  span.entries = std::move(entries);
  return span;
}

EntryRecord entry(std::uint32_t number, std::optional<std::string> item, std::optional<std::string> version,
                  const std::string& text = "A note.") {
  EntryRecord entry;
  entry.entry = number;
  entry.item = std::move(item);
  entry.version = std::move(version);
  entry.text = text;
  return entry;
}

/// Episode a makes I.1 (from steps 1 and 2) and a note without a version; b shows them, updates I and merges.
std::vector<EpisodeFacts> study() {
  EpisodeFacts a;
  a.episode = node("a", 1, false);
  a.changes = {change(0, 5, MemoryOp::create, "I", "I.1"),
               change(0, 6, MemoryOp::create, "N", std::nullopt, {}, "Use port  7719.")};
  a.changes[0].operation = "gen";
  a.changes[0].steps = {1, 2};
  EpisodeFacts b;
  b.episode = node("b", 2);
  EntryRecord acted = entry(0, "I", "I.1");
  acted.answer.emplace();
  acted.answer->labels.influence = Influence::acted_on;
  acted.answer->anchors = {4, 6};
  b.spans = {span(1, {acted, entry(1, std::nullopt, std::nullopt, "Use port 7719.")}),
             span(2, {entry(0, "N", std::nullopt), entry(1, "P", "P.1"), entry(2, std::nullopt, std::nullopt, "new")})};
  b.span_line_orders = {1, 3};
  b.searches = {{"q", 0, 1, 1, true, {{"I", "I.1", 0.5}}}};
  b.changes = {change(1, 7, MemoryOp::update, "I", "I.2", {"I.1"}),
               change(1, 8, MemoryOp::update, "M", "M.1", {"I.2", "P.9"}), change(1, 9, MemoryOp::noop, "I", "I.2"),
               change(1, 10, MemoryOp::delete_item, "I", "I.1")};
  return {a, b};
}

Collector graph_of(const std::vector<EpisodeFacts>& episodes, const std::vector<ItemLineage>* only = nullptr) {
  Collector collector;
  LineageGraph graph(collector);
  if (only != nullptr) graph.restrict_to(*only);
  for (const bool nodes : {true, false}) {
    std::vector<std::string> uids;
    for (const EpisodeFacts& facts : episodes) uids.push_back(facts.episode.uid);
    graph.begin_run(uids);
    for (const EpisodeFacts& facts : episodes) {
      for (const Change& one : facts.changes) graph.know(facts.episode, one);
    }
    for (const EpisodeFacts& facts : episodes) nodes ? graph.add_nodes(facts) : graph.add_edges(facts);
  }
  return collector;
}

}  // namespace

TEST_CASE("the graph of a small study has the edges that were recorded") {
  const Collector graph = graph_of(study());
  const auto has = [&](const std::string& edge) {
    INFO(edge);
    CHECK(graph.edges.contains(edge));
  };
  has("created_in: item_version I.1 -> operation gen");
  has("derived_from_step: operation gen -> episode a @1");
  has("derived_from_step: operation gen -> episode a @2");
  has("part_of: operation gen -> episode a");
  has("updated_from: item_version I.2 -> item_version I.1");
  has("merged_from: item_version M.1 -> item_version I.2");
  has("merged_from: item_version M.1 -> item_version P.9");
  has("left_unchanged_by: item_version I.2 -> operation noop");
  has("deleted_by: item_version I.1 -> operation delete");
  has("returned_by: item_version I.1 -> search q");
  has("delivered_in: item_version I.1 -> entry S1 E0");
  has("delivered_in: item_version N -> entry S1 E1 (text)");
  has("delivered_in: item_version N -> entry S2 E0");
  has("delivered_in: item_version (no item id) -> entry S2 E2 (text)");
  has("acted_on_at: entry S1 E0 -> episode b @4");
  has("acted_on_at: entry S1 E0 -> episode b @6");
  has("part_of: delivery d1 -> span S1");
  CHECK(graph.edges.size() == 35);
  CHECK(graph.made.at("item_version I.1"));
  CHECK_FALSE(graph.made.at("item_version P.1"));
  CHECK_FALSE(graph.made.at("item_version P.9"));
}

TEST_CASE("the graph of one item leaves the others out") {
  const std::vector<EpisodeFacts> episodes = study();
  ItemFacts facts;
  facts.configuration = "notes";
  facts.run = "r1";
  facts.store = "default";
  facts.item = "N";
  facts.episodes = {episodes[0].episode, episodes[1].episode};
  facts.changes = {episodes[0].changes[1]};
  const std::vector<ItemLineage> lineages{item_lineage(std::move(facts))};
  const Collector graph = graph_of(episodes, &lineages);
  std::set<std::string> labels;
  for (const auto& [id, label] : graph.labels) labels.insert(label);
  CHECK(labels == std::set<std::string>{"episode a", "operation create", "item_version N", "episode b", "span S1",
                                        "delivery d1", "entry S1 E1", "span S2", "delivery d2", "entry S2 E0"});
}
