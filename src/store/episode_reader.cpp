#include "store/episode_reader.h"

#include <algorithm>

#include "store/damage.h"
#include "store/json_text.h"

namespace memuse::store {

const std::string_view kEpisodeColumns =
    "e.uid, e.configuration, e.run, e.episode, e.task_id, e.store, e.repo, e.domain, e.task_group, e.tier, e.model,"
    "e.seed, e.condition, e.position, e.visibility, e.delivery_grade, e.resolved, e.reward, e.outcome_source,"
    "e.retained, e.finalised, e.steps,"
    "e.agent_calls, e.agent_input_tokens, e.agent_cached_input_tokens, e.agent_output_tokens,"
    "e.agent_calls_without_tokens, e.agent_cost_usd, e.agent_calls_without_cost,"
    "e.side_calls, e.side_input_tokens, e.side_cached_input_tokens, e.side_output_tokens,"
    "e.side_calls_without_tokens, e.side_cost_usd, e.side_calls_without_cost,"
    "e.source_path, e.source_format, e.source_format_version, e.source_sha256, e.source_line, e.source_byte_begin,"
    "e.source_byte_end, e.unowned_entry_steps,"
    "coalesce(json_array_length(e.probe, '$.gold'), 0) + coalesce(json_array_length(e.probe, '$.stale'), 0) > 0,"
    "json_extract(e.probe, '$.memory_utilized'), json_extract(e.probe, '$.memory_utilized_recomputed'),"
    "e.agent_seconds, coalesce(e.delivery_rules, '') ";

const std::string_view kEpisodeOrder = "e.configuration, e.run, e.position IS NULL, e.position, e.episode, e.uid";

namespace {

CallTotals call_totals(const Statement& row, int& column) {
  CallTotals totals;
  totals.calls = row.count(column++);
  totals.input_tokens = row.count(column++);
  totals.cached_input_tokens = row.count(column++);
  totals.output_tokens = row.count(column++);
  totals.calls_without_tokens = row.count(column++);
  totals.cost_usd = row.real(column++);
  totals.calls_without_cost = row.count(column++);
  return totals;
}

template <typename Enum>
Enum enum_value(const std::string& text) {
  const std::optional<Enum> value = parse_name<Enum>(text);
  if (!value) throw damaged("unknown value \"" + text + "\"");
  return *value;
}

template <typename Enum>
std::optional<Enum> optional_enum(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return enum_value<Enum>(row.text(column));
}

/// Status and verdict of a span (semantics.md §7); `row` holds the stored verdict and the reason of refusal.
void set_status(SpanRecord& span, const Statement& row, int verdict_column, int reason_column) {
  if (span.routing == Routing::empty) {
    span.status = SpanStatus::empty;
    span.verdict = Verdict::neutral;
  } else if (span.routing == Routing::automatic_neutral) {
    span.status = SpanStatus::automatic;
    span.verdict = Verdict::neutral;
  } else if (!row.is_null(verdict_column)) {
    span.status = SpanStatus::judged;
    span.verdict = enum_value<Verdict>(row.text(verdict_column));
  } else if (!row.is_null(reason_column)) {
    span.status = SpanStatus::unresolved;
    span.unresolved_reason = row.text(reason_column);
  } else {
    span.status = SpanStatus::not_judged;
  }
}

SpanRecord& span_of(EpisodeSpansRecord& record, std::uint32_t number) {
  const auto found = std::lower_bound(record.spans.begin(), record.spans.end(), number,
                                      [](const SpanRecord& span, std::uint32_t n) { return span.number < n; });
  if (found == record.spans.end() || found->number != number) throw damaged("a span is missing");
  return *found;
}

EntryAnswer answer_of(const Statement& row, std::uint32_t entry, int first) {
  EntryAnswer answer;
  answer.entry = entry;
  answer.labels.relevance = row.optional_boolean(first);
  answer.labels.accuracy = optional_enum<Accuracy>(row, first + 1);
  answer.labels.novelty = optional_enum<Novelty>(row, first + 2);
  answer.labels.influence = optional_enum<Influence>(row, first + 3);
  answer.labels.effect = optional_enum<Effect>(row, first + 4);
  answer_from_json(row.text(first + 5), answer);
  return answer;
}

}  // namespace

EpisodeRecord episode_record(const Statement& row, int first) {
  EpisodeRecord r;
  int column = first;
  for (std::string* field : {&r.uid, &r.configuration, &r.run, &r.episode, &r.task_id, &r.store, &r.repo, &r.domain,
                             &r.group, &r.tier, &r.model, &r.seed, &r.condition}) {
    *field = row.text(column++);
  }
  r.position = row.optional_count(column++);
  r.visibility = row.text(column++);
  r.delivery_grade = row.text(column++);
  r.resolved = row.optional_boolean(column++);
  r.reward = row.optional_real(column++);
  r.outcome_source = row.text(column++);
  r.retained = row.boolean(column++);
  r.finalised = row.boolean(column++);
  r.steps = row.number(column++);
  r.agent = call_totals(row, column);
  r.side = call_totals(row, column);
  r.source_path = row.text(column++);
  r.source_format = row.text(column++);
  r.source_format_version = row.text(column++);
  r.source_sha256 = row.text(column++);
  r.source_line = row.count(column++);
  r.source_byte_begin = row.count(column++);
  r.source_byte_end = row.count(column++);
  r.unowned_entry_steps = row.count(column++);
  r.has_probe = row.boolean(column++);
  r.memory_utilized = row.optional_boolean(column++);
  r.memory_utilized_recomputed = row.optional_boolean(column++);
  r.agent_seconds = row.optional_real(column++);
  r.delivery_rules = row.text(column++);
  return r;
}

ReadSnapshot::ReadSnapshot(const Database& database) {
  const bool is_held = database.connection().in_transaction();
  if (!database.is_writable() && !is_held) transaction_.emplace(database.connection(), Transaction::Kind::read);
}

SpanReader::SpanReader(const Connection& connection, std::optional<std::int64_t> judgement_set)
    : judgement_set_(judgement_set),
      spans_(
          connection,
          "SELECT s.span, s.first_step, s.last_step, s.routing, j.verdict, j.unresolved_reason, j.basis FROM span AS s"
          " LEFT JOIN judgement AS j ON j.episode_id = s.episode_id AND j.span = s.span AND j.set_id = ?2"
          " WHERE s.episode_id = ?1 ORDER BY s.span"),
      deliveries_(connection,
                  "SELECT delivery_index, delivery, step, span, restatement, unconsumed_reason, route, form, entries,"
                  " placed_bytes, recorded_tokens, estimated_tokens FROM delivery WHERE episode_id = ?"
                  " ORDER BY span, place, delivery_index"),
      entries_(connection,
               "SELECT n.span, n.entry, n.item, n.version, t.body, t.sha256, n.identifiers, n.window_first,"
               " n.window_last, a.relevance, a.accuracy, a.novelty, a.influence, a.effect, a.answer FROM entry AS n"
               " JOIN text AS t ON t.id = n.text_id LEFT JOIN judged_entry AS a ON a.episode_id = n.episode_id"
               "  AND a.span = n.span AND a.set_id = ?2 AND a.entry = n.entry"
               " WHERE n.episode_id = ?1 ORDER BY n.span, n.entry") {}

void SpanReader::read(std::int64_t episode_id, EpisodeSpansRecord& out) {
  out.spans.clear();
  out.unconsumed.clear();
  read_spans(episode_id, out);
  read_deliveries(episode_id, out);
  read_entries(episode_id, out);
}

void SpanReader::read_spans(std::int64_t episode_id, EpisodeSpansRecord& out) {
  spans_.bind(episode_id, judgement_set_);
  while (spans_.step()) {
    SpanRecord span;
    span.number = spans_.number(0);
    span.first_step = spans_.number(1);
    span.last_step = spans_.number(2);
    span.routing = enum_value<Routing>(spans_.text(3));
    set_status(span, spans_, 4, 5);
    span.answer_basis = spans_.text(6);
    out.spans.push_back(std::move(span));
  }
}

void SpanReader::read_deliveries(std::int64_t episode_id, EpisodeSpansRecord& out) {
  deliveries_.bind(episode_id);
  while (deliveries_.step()) {
    DeliveryRecord delivery;
    delivery.delivery_index = deliveries_.number(0);
    delivery.delivery = deliveries_.text(1);
    delivery.step = deliveries_.number(2);
    delivery.consumed = !deliveries_.is_null(3);
    delivery.span = deliveries_.number(3);
    delivery.restatement = deliveries_.boolean(4);
    delivery.unconsumed_reason = deliveries_.text(5);
    delivery.route = deliveries_.text(6);
    delivery.form = deliveries_.text(7);
    delivery.entries = deliveries_.number(8);
    delivery.placed_bytes = deliveries_.count(9);
    delivery.recorded_tokens = deliveries_.optional_count(10);
    delivery.estimated_tokens = deliveries_.count(11);
    auto& list = delivery.consumed ? span_of(out, delivery.span).deliveries : out.unconsumed;
    list.push_back(std::move(delivery));
  }
}

void SpanReader::read_entries(std::int64_t episode_id, EpisodeSpansRecord& out) {
  entries_.bind(episode_id, judgement_set_);
  while (entries_.step()) {
    EntryRecord entry;
    entry.entry = entries_.number(1);
    entry.item = entries_.optional_text(2);
    entry.version = entries_.optional_text(3);
    entry.text = entries_.text(4);
    entry.text_sha256 = entries_.text(5);
    entry.identifiers = string_array(entries_.text(6));
    if (!entries_.is_null(7)) entry.window = Window{entries_.number(7), entries_.number(8)};
    if (!entries_.is_null(14)) entry.answer = answer_of(entries_, entry.entry, 9);
    span_of(out, entries_.number(0)).entries.push_back(std::move(entry));
  }
}

}  // namespace memuse::store
