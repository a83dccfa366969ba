#include "store/lineage_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "store/damage.h"
#include "store/episode_reader.h"
#include "store/json_text.h"

namespace memuse::store {

const std::string_view kNodeColumns =
    "e.uid, e.configuration, e.run, e.store, e.episode, e.task_id, e.repo, e.position, e.first_time_us, e.resolved,"
    " e.retained, e.steps";

graph::EpisodeNode episode_node(const Statement& row, int first) {
  graph::EpisodeNode node;
  int column = first;
  for (std::string* field :
       {&node.uid, &node.configuration, &node.run, &node.store, &node.episode, &node.task_id, &node.repo}) {
    *field = row.text(column++);
  }
  node.position = row.optional_count(column++);
  node.first_time_us = row.optional_integer(column++);
  node.resolved = row.optional_boolean(column++);
  node.retained = row.boolean(column++);
  node.steps = row.number(column++);
  return node;
}

bool stands_before(const graph::EpisodeNode& left, const graph::EpisodeNode& right) {
  const bool left_placed = left.position.has_value();
  const bool right_placed = right.position.has_value();
  // Placed episodes first; `nullopt` is less than any position, but then both are without one.
  return std::tie(left.configuration, left.run, right_placed, left.position, left.episode, left.uid) <
         std::tie(right.configuration, right.run, left_placed, right.position, right.episode, right.uid);
}

const std::string_view kChangeColumns =
    "o.number, o.op, o.item, o.version, t.body, o.from_versions, o.operation, o.steps, o.line_order, o.after_step";
const std::string_view kChangeTables = "memory_operation AS o LEFT JOIN text AS t ON t.id = o.text_id";

graph::Change change_in(const Statement& row, int first) {
  graph::Change change;
  change.number = row.number(first);
  const std::optional<MemoryOp> op = parse_memory_op(row.text(first + 1));
  if (!op) throw damaged(fmt::format("unknown operation \"{}\"", row.text(first + 1)));
  change.op = *op;
  change.item = row.text(first + 2);
  change.version = row.optional_text(first + 3);
  change.text = row.optional_text(first + 4);
  change.from = string_array(row.text(first + 5));
  change.operation = row.text(first + 6);
  change.steps = number_array(row.text(first + 7));
  change.line_order = row.number(first + 8);
  change.after_step = row.number(first + 9);
  return change;
}

ExposureReader::ExposureReader(const Connection& connection, std::optional<std::int64_t> judgement_set,
                               std::string_view condition)
    : judgement_set_(judgement_set),
      entries_(connection,
               fmt::format("SELECT n.span, n.entry, n.item, n.version, t.body, n.window_first, n.window_last,"
                           " s.first_step, s.last_step, s.routing, j.verdict, j.unresolved_reason,"
                           " a.relevance, a.accuracy, a.novelty, a.influence, a.effect, a.answer"
                           " FROM entry AS n"
                           " JOIN text AS t ON t.id = n.text_id"
                           " JOIN span AS s ON s.episode_id = n.episode_id AND s.span = n.span"
                           " LEFT JOIN judgement AS j ON j.episode_id = n.episode_id AND j.span = n.span"
                           "  AND j.set_id = ?2"
                           " LEFT JOIN judged_entry AS a ON a.episode_id = n.episode_id AND a.span = n.span"
                           "  AND a.set_id = ?2 AND a.entry = n.entry"
                           " WHERE n.episode_id = ?1 AND {} ORDER BY n.span, n.entry",
                           condition)),
      deliveries_(connection,
                  "SELECT delivery_index, step, span, delivery, route, form, search, line_order"
                  " FROM delivery WHERE episode_id = ? AND span IS NOT NULL ORDER BY span, place") {}

void ExposureReader::add_entries(std::int64_t episode_id, std::vector<OfEpisode<graph::Exposure>>& out) {
  const std::size_t first = out.size();
  while (entries_.step()) {
    graph::Exposure exposure;
    exposure.span = entries_.number(0);
    exposure.entry = entries_.number(1);
    exposure.item = entries_.optional_text(2);
    exposure.version = entries_.optional_text(3);
    exposure.text = entries_.text(4);
    if (!entries_.is_null(5)) exposure.window = Window{entries_.number(5), entries_.number(6)};
    exposure.first_step = entries_.number(7);
    exposure.last_step = entries_.number(8);
    SpanRecord span;
    span.routing = routing_in(entries_, 9);
    set_status(span, entries_, 10, 11);
    exposure.status = span.status;
    exposure.verdict = span.verdict;
    if (!entries_.is_null(17)) exposure.answer = answer_of(entries_, exposure.entry, 12);
    out.push_back({episode_id, std::move(exposure)});
  }
  if (out.size() > first) add_placements(episode_id, out, first);
}

/// `out` holds the episode's exposures from `first` on, by span.
void ExposureReader::add_placements(std::int64_t episode_id, std::vector<OfEpisode<graph::Exposure>>& out,
                                    std::size_t first) {
  deliveries_.bind(episode_id);
  std::size_t begin = first;
  while (deliveries_.step()) {
    const std::uint32_t span = deliveries_.number(2);
    while (begin < out.size() && out[begin].record.span < span) ++begin;
    for (std::size_t i = begin; i < out.size() && out[i].record.span == span; ++i) {
      graph::Exposure& exposure = out[i].record;
      if (exposure.placements.empty()) {
        exposure.delivery = deliveries_.text(3);
        exposure.route = deliveries_.text(4);
        exposure.form = deliveries_.text(5);
        exposure.search = deliveries_.text(6);
        exposure.line_order = deliveries_.number(7);
      }
      exposure.placements.push_back({deliveries_.number(0), deliveries_.number(1)});
    }
  }
}

EpisodeNumbers::EpisodeNumbers(const Connection& connection)
    : node_(connection, fmt::format("SELECT {} FROM episode AS e WHERE e.id = ?", kNodeColumns)) {}

std::vector<graph::EpisodeNode> EpisodeNumbers::number() {
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
  std::vector<OfEpisode<graph::EpisodeNode>> nodes;
  for (const std::int64_t id : ids_) {
    if (!node_.bind(id).step()) throw damaged("an episode is missing");
    nodes.push_back({id, episode_node(node_, 0)});
    node_.reset();
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& left, const auto& right) { return stands_before(left.record, right.record); });
  std::vector<graph::EpisodeNode> numbered;
  for (auto& [id, node] : nodes) {
    index_.emplace_back(id, numbered.size());
    numbered.push_back(std::move(node));
  }
  std::sort(index_.begin(), index_.end());
  return numbered;
}

std::size_t EpisodeNumbers::index_of(std::int64_t episode_id) const {
  const auto found = std::lower_bound(index_.begin(), index_.end(), std::pair(episode_id, std::size_t{0}));
  return found->second;
}

}  // namespace memuse::store
