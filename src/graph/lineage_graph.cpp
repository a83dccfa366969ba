#include "graph/lineage_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "rules/verdict.h"

namespace memuse::graph {
namespace {

/// A short id for texts of any length and content.
std::string hashed(std::string_view text) {
  const Hash128 hash = hash128(text);
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

/// One key of several parts: lengths keep ("a", "bc") and ("ab", "c") apart.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += fmt::format("{}:", part.size()).append(part);
  return out;
}

std::string operation_id(const EpisodeNode& episode, const Change& change) {
  // Changes of one generation operation share a node; without its id each has one of its own.
  return change.operation.empty() ? fmt::format("operation:{}:{}", episode.uid, change.number)
                                  : fmt::format("operation:{}:{}", episode.uid, hashed(change.operation));
}

std::string episode_id(const EpisodeNode& episode) {
  return "episode:" + episode.uid;
}
std::string search_id(const EpisodeNode& episode, const SearchFacts& search) {
  return fmt::format("search:{}:{}", episode.uid, search.number);
}
std::string span_id(const EpisodeNode& episode, const SpanRecord& span) {
  return fmt::format("span:{}:{}", episode.uid, span.number);
}
std::string entry_id(const EpisodeNode& episode, const SpanRecord& span, const EntryRecord& entry) {
  return fmt::format("entry:{}:{}:{}", episode.uid, span.number, entry.entry);
}
std::string delivery_id(const EpisodeNode& episode, const DeliveryRecord& delivery) {
  return fmt::format("delivery:{}:{}", episode.uid, delivery.delivery_index);
}

void add_text(Attributes& out, std::string_view key, std::string text) {
  if (!text.empty()) out.emplace_back(key, std::move(text));
}
template <typename Number>
void add_whole(Attributes& out, std::string_view key, Number value) {
  out.emplace_back(key, static_cast<std::int64_t>(value));
}
template <typename Enum>
void add_name(Attributes& out, std::string_view key, const std::optional<Enum>& value) {
  if (value) out.emplace_back(key, std::string(memuse::name(*value)));
}

Node episode_node(const EpisodeNode& episode) {
  Node node{NodeKind::episode, episode_id(episode), episode.episode, {}};
  add_text(node.attributes, "configuration", episode.configuration);
  add_text(node.attributes, "run", episode.run);
  add_text(node.attributes, "store", episode.store);
  add_text(node.attributes, "task", episode.task_id);
  add_text(node.attributes, "repository", episode.repo);
  if (episode.position) add_whole(node.attributes, "position", *episode.position);
  if (episode.resolved) node.attributes.emplace_back("resolved", *episode.resolved);
  node.attributes.emplace_back("retained", episode.retained);
  add_whole(node.attributes, "steps", episode.steps);
  return node;
}

Node operation_node(const EpisodeNode& episode, const Change& change) {
  const bool named = !change.operation.empty();
  Node node{NodeKind::operation,
            operation_id(episode, change),
            named ? change.operation : std::string(memuse::name(change.op)),
            {}};
  add_text(node.attributes, "operation", change.operation);
  add_whole(node.attributes, "after_step", change.after_step);
  return node;
}

Node search_node(const EpisodeNode& episode, const SearchFacts& search) {
  Node node{NodeKind::search, search_id(episode, search), search.search, {}};
  add_text(node.attributes, "search", search.search);
  if (search.step > 0) add_whole(node.attributes, "step", search.step);
  node.attributes.emplace_back("completed", search.completed);
  return node;
}

Node span_node(const EpisodeNode& episode, const SpanRecord& span) {
  Node node{NodeKind::span, span_id(episode, span), fmt::format("S{}", span.number), {}};
  add_whole(node.attributes, "first_step", span.first_step);
  add_whole(node.attributes, "last_step", span.last_step);
  node.attributes.emplace_back("status", std::string(memuse::name(span.status)));
  add_name(node.attributes, "verdict", span.verdict);
  return node;
}

Node entry_node(const EpisodeNode& episode, const SpanRecord& span, const EntryRecord& entry) {
  Node node{NodeKind::entry, entry_id(episode, span, entry), fmt::format("S{} E{}", span.number, entry.entry), {}};
  if (entry.window) {
    add_whole(node.attributes, "window_first", entry.window->first);
    add_whole(node.attributes, "window_last", entry.window->last);
  }
  if (!entry.answer) return node;
  const Labels& labels = entry.answer->labels;
  if (labels.relevance) node.attributes.emplace_back("relevant", *labels.relevance);
  add_name(node.attributes, "accuracy", labels.accuracy);
  add_name(node.attributes, "novelty", labels.novelty);
  add_name(node.attributes, "influence", labels.influence);
  add_name(node.attributes, "effect", labels.effect);
  node.attributes.emplace_back("beneficial", rules::is_beneficial(labels));
  node.attributes.emplace_back("harmful", rules::is_harmful(labels));
  return node;
}

Node delivery_node(const EpisodeNode& episode, const DeliveryRecord& delivery) {
  Node node{NodeKind::delivery, delivery_id(episode, delivery), delivery.delivery, {}};
  add_text(node.attributes, "delivery", delivery.delivery);
  if (delivery.step > 0) add_whole(node.attributes, "step", delivery.step);
  add_text(node.attributes, "route", delivery.route);
  add_text(node.attributes, "form", delivery.form);
  node.attributes.emplace_back("consumed", delivery.consumed);
  node.attributes.emplace_back("restatement", delivery.restatement);
  return node;
}

Attributes identity_attribute(Identity identity) {
  return {{"identity", std::string(name(identity))}};
}

}  // namespace

std::string_view name(NodeKind kind) {
  static constexpr std::string_view kNames[] = {"episode",  "item_version", "operation", "search",
                                                "delivery", "span",         "entry"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(EdgeKind kind) {
  static constexpr std::string_view kNames[] = {"created_in",  "updated_from", "merged_from", "derived_from_step",
                                                "returned_by", "delivered_in", "acted_on_at", "left_unchanged_by",
                                                "deleted_by",  "part_of"};
  return kNames[static_cast<std::size_t>(kind)];
}

const std::vector<AttributeInfo>& node_attributes() {
  using enum AttributeType;
  static const std::vector<AttributeInfo> all{{"configuration", text},  {"run", text},          {"store", text},
                                              {"task", text},           {"repository", text},   {"position", whole},
                                              {"resolved", boolean},    {"retained", boolean},  {"steps", whole},
                                              {"item", text},           {"version", text},      {"made", boolean},
                                              {"operation", text},      {"after_step", whole},  {"search", text},
                                              {"step", whole},          {"completed", boolean}, {"delivery", text},
                                              {"route", text},          {"form", text},         {"consumed", boolean},
                                              {"restatement", boolean}, {"first_step", whole},  {"last_step", whole},
                                              {"status", text},         {"verdict", text},      {"window_first", whole},
                                              {"window_last", whole},   {"relevant", boolean},  {"accuracy", text},
                                              {"novelty", text},        {"influence", text},    {"effect", text},
                                              {"beneficial", boolean},  {"harmful", boolean}};
  return all;
}

const std::vector<AttributeInfo>& edge_attributes() {
  using enum AttributeType;
  static const std::vector<AttributeInfo> all{
      {"identity", text}, {"op", text}, {"step", whole}, {"rank", whole}, {"score", number}};
  return all;
}

// --- versions --------------------------------------------------------------------------------------------------------

std::string LineageGraph::scope(const std::string& store) const {
  return joined({configuration_, run_, store});
}

LineageGraph::VersionKey LineageGraph::declared(const std::string& store, const std::string& item,
                                                const std::string& version) const {
  VersionKey key{"version:" + hashed(scope(store) + joined({item, version})), item, version, Identity::declared, false};
  key.made = made_ids_.contains(key.id);
  return key;
}

LineageGraph::VersionKey LineageGraph::of_change(const EpisodeNode& episode, const Change& change) const {
  if (change.version) return declared(episode.store, change.item, *change.version);
  if (!change.makes_version()) return {};
  return {fmt::format("version:{}-{}", episode.uid, change.number), change.item, {}, Identity::declared, true};
}

const LineageGraph::VersionKey* LineageGraph::last_made(const EpisodeNode& episode, std::uint32_t line_order,
                                                        const std::string& item) const {
  const auto found = made_.find({episode.store, item});
  if (found == made_.end()) return nullptr;
  const std::size_t order = episode_order_.at(episode.uid);
  const auto behind = std::partition_point(found->second.begin(), found->second.end(), [&](const Made& made) {
    return made.episode < order || (made.episode == order && made.line_order < line_order);
  });
  return behind == found->second.begin() ? nullptr : &std::prev(behind)->key;
}

LineageGraph::VersionKey LineageGraph::of_mention(const EpisodeNode& episode, std::uint32_t line_order,
                                                  const std::optional<std::string>& item,
                                                  const std::optional<std::string>& version,
                                                  std::string_view text) const {
  if (item) {
    VersionKey key = declared(episode.store, *item, version.value_or(""));
    if (version && key.made) return key;
    // An operation that names no version is joined by the item, as a delivery that names none is.
    const VersionKey* made = last_made(episode, line_order, *item);
    return made != nullptr && (!version || made->version.empty()) ? *made : key;
  }
  const std::string hash = hashed(normalise_text(text));
  const auto found = by_text_.find({episode.store, hash});
  if (found != by_text_.end()) {
    VersionKey key = found->second;
    key.identity = Identity::text;
    return key;
  }
  return {"version:" + hashed(scope(episode.store) + joined({"text", hash})), {}, {}, Identity::text, false};
}

LineageGraph::VersionKey LineageGraph::of_parent(const EpisodeNode& episode, const Change& change,
                                                 const std::string& parent) const {
  const VersionKey same = declared(episode.store, change.item, parent);
  const auto makers = makers_.find({episode.store, parent});
  const bool is_known = same.made || seen_.contains(same.id);
  if (is_known || makers == makers_.end() || makers->second.size() != 1) {
    // Of one part of a merge that nothing else names, not even the item is known.
    return is_known || change.from.size() == 1 ? same : declared(episode.store, {}, parent);
  }
  return declared(episode.store, *makers->second.begin(), parent);
}

void LineageGraph::restrict_to(const std::vector<ItemLineage>& lineages) {
  wanted_.emplace();
  for (const ItemLineage& lineage : lineages) {
    configuration_ = lineage.configuration;
    run_ = lineage.run;
    for (const ItemVersion& version : lineage.versions) {
      wanted_->insert(declared(lineage.store, version.item, version.version).id);
      for (const Parent& parent : version.parents) {
        if (parent.index) continue;
        wanted_->insert(declared(lineage.store, version.item, parent.version).id);
        wanted_->insert(declared(lineage.store, {}, parent.version).id);
      }
    }
    for (const Change& change : lineage.changes) {
      const VersionKey key = of_change(lineage.episode_of(change), change);
      if (!key.id.empty()) wanted_->insert(key.id);
    }
  }
}

void LineageGraph::begin_run(const std::vector<std::string>& uids) {
  made_.clear();
  makers_.clear();
  by_text_.clear();
  made_ids_.clear();
  emitted_.clear();
  seen_.clear();
  episode_order_.clear();
  for (const std::string& uid : uids) episode_order_.try_emplace(uid, episode_order_.size());
}

void LineageGraph::know(const EpisodeNode& episode, const Change& change) {
  configuration_ = episode.configuration;
  run_ = episode.run;
  const std::size_t order = episode_order_.at(episode.uid);
  if (!change.makes_version()) return;
  VersionKey key = of_change(episode, change);
  key.made = true;
  made_ids_.insert(key.id);
  made_[{episode.store, change.item}].push_back({order, change.line_order, key});
  if (change.version) makers_[{episode.store, *change.version}].insert(change.item);
  if (change.text) by_text_.try_emplace({episode.store, hashed(normalise_text(*change.text))}, key);
}

// --- what an episode holds -------------------------------------------------------------------------------------------

LineageGraph::Selection LineageGraph::select(const EpisodeFacts& facts) {
  configuration_ = facts.episode.configuration;
  run_ = facts.episode.run;
  Selection out;
  select_changes(facts, out);
  select_searches(facts, out);
  select_spans(facts, out);
  return out;
}

void LineageGraph::select_changes(const EpisodeFacts& facts, Selection& out) {
  for (const Change& change : facts.changes) {
    VersionKey key = of_change(facts.episode, change);
    if (key.id.empty() ? !wanted_ : wanted(key)) out.changes.emplace_back(&change, std::move(key));
  }
}

void LineageGraph::select_searches(const EpisodeFacts& facts, Selection& out) {
  for (const SearchFacts& search : facts.searches) {
    std::vector<std::pair<std::size_t, VersionKey>> hits;
    for (std::size_t rank = 0; rank < search.returned.size(); ++rank) {
      const SearchFacts::Hit& hit = search.returned[rank];
      VersionKey key = of_mention(facts.episode, search.line_order, hit.item, hit.version, {});
      seen_.insert(key.id);
      if (wanted(key)) hits.emplace_back(rank, std::move(key));
    }
    if (!wanted_ || !hits.empty()) out.searches.emplace_back(&search, std::move(hits));
  }
}

void LineageGraph::select_spans(const EpisodeFacts& facts, Selection& out) {
  for (std::size_t i = 0; i < facts.spans.size(); ++i) {
    SelectedSpan selected{&facts.spans[i], {}};
    for (const EntryRecord& entry : facts.spans[i].entries) {
      VersionKey key = of_mention(facts.episode, facts.span_line_orders[i], entry.item, entry.version, entry.text);
      seen_.insert(key.id);
      if (wanted(key)) selected.entries.emplace_back(&entry, std::move(key));
    }
    if (!wanted_ || !selected.entries.empty()) out.spans.push_back(std::move(selected));
  }
}

// --- nodes -----------------------------------------------------------------------------------------------------------

void LineageGraph::version_node(const EpisodeNode& episode, const VersionKey& key) {
  if (key.id.empty() || !emitted_.insert(key.id).second) return;
  std::string label = key.version.empty() ? key.item : key.version;
  Node node{NodeKind::item_version, key.id, label.empty() ? std::string("(no item id)") : std::move(label), {}};
  add_text(node.attributes, "configuration", episode.configuration);
  add_text(node.attributes, "run", episode.run);
  add_text(node.attributes, "store", episode.store);
  add_text(node.attributes, "item", key.item);
  add_text(node.attributes, "version", key.version);
  node.attributes.emplace_back("made", key.made);
  sink_.node(node);
}

void LineageGraph::add_nodes(const EpisodeFacts& facts) {
  const Selection selection = select(facts);
  const EpisodeNode& episode = facts.episode;
  if (wanted_ && selection.empty()) return;
  sink_.node(episode_node(episode));
  std::set<std::string> operations;
  for (const auto& [change, key] : selection.changes) {
    if (operations.insert(operation_id(episode, *change)).second) sink_.node(operation_node(episode, *change));
    version_node(episode, key);
    if (!change->makes_version()) continue;
    for (const std::string& parent : change->from) {
      const VersionKey parent_key = of_parent(episode, *change, parent);
      if (wanted(parent_key)) version_node(episode, parent_key);
    }
  }
  for (const auto& [search, hits] : selection.searches) {
    sink_.node(search_node(episode, *search));
    for (const auto& [rank, key] : hits) version_node(episode, key);
  }
  for (const SelectedSpan& selected : selection.spans) {
    sink_.node(span_node(episode, *selected.span));
    for (const DeliveryRecord& delivery : selected.span->deliveries) sink_.node(delivery_node(episode, delivery));
    for (const auto& [entry, key] : selected.entries) {
      version_node(episode, key);
      sink_.node(entry_node(episode, *selected.span, *entry));
    }
  }
  if (wanted_) return;
  for (const DeliveryRecord& delivery : facts.unconsumed) sink_.node(delivery_node(episode, delivery));
}

// --- edges -----------------------------------------------------------------------------------------------------------

void LineageGraph::parent_edges(const EpisodeNode& episode, const Change& change, const VersionKey& key) {
  std::vector<VersionKey> parents;
  bool merge = change.from.size() > 1;
  for (const std::string& name : change.from) {
    parents.push_back(of_parent(episode, change, name));
    merge = merge || parents.back().item != change.item;
  }
  for (const VersionKey& parent : parents) {
    if (!wanted(parent)) continue;
    sink_.edge({merge ? EdgeKind::merged_from : EdgeKind::updated_from, key.id, parent.id,
                identity_attribute(Identity::declared)});
  }
}

void LineageGraph::change_edges(const EpisodeFacts& facts, const Selection& selection) {
  const EpisodeNode& episode = facts.episode;
  std::set<std::string> operations;
  for (const auto& [change, key] : selection.changes) {
    const std::string operation = operation_id(episode, *change);
    if (operations.insert(operation).second) {
      sink_.edge({EdgeKind::part_of, operation, episode_id(episode), {}});
      for (const std::uint32_t step : change->steps) {
        sink_.edge(
            {EdgeKind::derived_from_step, operation, episode_id(episode), {{"step", static_cast<std::int64_t>(step)}}});
      }
    }
    if (key.id.empty()) continue;
    const EdgeKind kind = change->makes_version()        ? EdgeKind::created_in
                          : change->op == MemoryOp::noop ? EdgeKind::left_unchanged_by
                                                         : EdgeKind::deleted_by;
    Attributes attributes = identity_attribute(Identity::declared);
    attributes.emplace_back("op", std::string(memuse::name(change->op)));
    sink_.edge({kind, key.id, operation, std::move(attributes)});
    if (change->makes_version()) parent_edges(episode, *change, key);
  }
}

void LineageGraph::span_edges(const EpisodeFacts& facts, const SelectedSpan& selected) {
  const EpisodeNode& episode = facts.episode;
  const std::string span = span_id(episode, *selected.span);
  sink_.edge({EdgeKind::part_of, span, episode_id(episode), {}});
  for (const DeliveryRecord& delivery : selected.span->deliveries) {
    sink_.edge({EdgeKind::part_of, delivery_id(episode, delivery), span, {}});
  }
  for (const auto& [entry, key] : selected.entries) {
    const std::string id = entry_id(episode, *selected.span, *entry);
    sink_.edge({EdgeKind::delivered_in, key.id, id, identity_attribute(key.identity)});
    sink_.edge({EdgeKind::part_of, id, span, {}});
    if (!entry->answer || entry->answer->labels.influence != Influence::acted_on) continue;
    for (const std::uint32_t step : entry->answer->anchors) {
      sink_.edge({EdgeKind::acted_on_at, id, episode_id(episode), {{"step", static_cast<std::int64_t>(step)}}});
    }
  }
}

void LineageGraph::add_edges(const EpisodeFacts& facts) {
  const Selection selection = select(facts);
  const EpisodeNode& episode = facts.episode;
  change_edges(facts, selection);
  for (const auto& [search, hits] : selection.searches) {
    sink_.edge({EdgeKind::part_of, search_id(episode, *search), episode_id(episode), {}});
    for (const auto& [rank, key] : hits) {
      Attributes attributes = identity_attribute(Identity::declared);
      attributes.emplace_back("rank", static_cast<std::int64_t>(rank));
      if (const auto& score = search->returned[rank].score) attributes.emplace_back("score", *score);
      sink_.edge({EdgeKind::returned_by, key.id, search_id(episode, *search), std::move(attributes)});
    }
  }
  for (const SelectedSpan& selected : selection.spans) span_edges(facts, selected);
  if (wanted_) return;
  for (const DeliveryRecord& delivery : facts.unconsumed) {
    sink_.edge({EdgeKind::part_of, delivery_id(episode, delivery), episode_id(episode), {}});
  }
}

}  // namespace memuse::graph
