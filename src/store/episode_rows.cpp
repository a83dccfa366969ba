#include "store/episode_rows.h"

#include <fmt/format.h>
#include <algorithm>

#include "store/json_text.h"

namespace memuse::store {
namespace {

/// INSERT with one parameter per column.
std::string insert_sql(std::string_view table, std::string_view columns) {
  const auto commas = static_cast<std::size_t>(std::count(columns.begin(), columns.end(), ','));
  std::string parameters = "?";
  for (std::size_t i = 0; i < commas; ++i) parameters += ", ?";
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, parameters);
}

}  // namespace

EpisodeRows::EpisodeRows(const Connection& connection)
    : connection_(connection),
      episode_(
          connection,
          insert_sql("episode",
                     "uid, configuration, run, episode, task_id, store, position, repo, domain, task_group, tier,"
                     "model, seed, condition, tags, probe, reference_kind, visibility, delivery_grade,"
                     "trace_resolved, trace_reward, trace_outcome_source, resolved, reward, outcome_source,"
                     "end_reason, finalised, retained, steps, first_time_us, last_time_us,"
                     "agent_calls, agent_input_tokens, agent_cached_input_tokens, agent_output_tokens,"
                     "agent_calls_without_tokens, agent_cost_usd, agent_calls_without_cost,"
                     "side_calls, side_input_tokens, side_cached_input_tokens, side_output_tokens,"
                     "side_calls_without_tokens, side_cost_usd, side_calls_without_cost, unowned_entry_steps,"
                     "source_path, source_format, source_format_version, source_sha256, source_line,"
                     "source_byte_begin, source_byte_end, ingest_id, agent_seconds, delivery_rules, source_locator,"
                     "uncosted_calls")),
      transcript_(connection, insert_sql("transcript", "episode_id, messages")),
      find_text_(connection, "SELECT id FROM text WHERE sha256 = ?"),
      text_(connection, insert_sql("text", "sha256, body")),
      span_(connection, insert_sql("span", "episode_id, span, first_step, last_step, routing")),
      delivery_(connection,
                insert_sql("delivery",
                           "episode_id, delivery_index, delivery, line_order, step, span, place, restatement,"
                           "unconsumed_reason, route, form, search, message, range_begin, range_end, entries,"
                           "placed_bytes, recorded_tokens")),
      entry_(connection, insert_sql("entry",
                                    "episode_id, span, entry, item, version, text_id, identifiers, window_first,"
                                    "window_last")),
      operation_(connection, insert_sql("memory_operation",
                                        "episode_id, number, op, item, version, text_id, from_versions, operation,"
                                        "steps, at, line_order, after_step")),
      search_(connection, insert_sql("search",
                                     "episode_id, number, search, query, returned, matched, completed, line_order,"
                                     "step")) {}

std::int64_t EpisodeRows::insert(const PreparedEpisode& episode, std::int64_t ingest_id) {
  const std::int64_t id = insert_episode(episode, ingest_id);
  transcript_.run(id, episode.messages);
  std::vector<std::int64_t> text_ids;
  text_ids.reserve(episode.texts.size());
  for (const PreparedEpisode::Text& text : episode.texts) text_ids.push_back(text_id(text));
  for (const PreparedEpisode::Span& span : episode.spans) {
    span_.run(id, span.number, span.first_step, span.last_step, name(span.routing));
  }
  insert_deliveries(id, episode);
  for (const PreparedEpisode::Entry& entry : episode.entries) {
    std::optional<std::uint32_t> first;
    std::optional<std::uint32_t> last;
    if (entry.window) {
      first = entry.window->first;
      last = entry.window->last;
    }
    entry_.run(id, entry.span, entry.entry, entry.item, entry.version, text_ids[entry.text], entry.identifiers, first,
               last);
  }
  std::uint32_t number = 0;
  for (const PreparedEpisode::Operation& operation : episode.operations) {
    std::optional<std::int64_t> text;
    if (operation.text) text = text_ids[*operation.text];
    operation_.run(id, number++, name(operation.op), operation.item, operation.version, text, operation.from,
                   operation.operation, operation.steps, operation.at, operation.line_order, operation.after_step);
  }
  number = 0;
  for (const PreparedEpisode::Search& search : episode.searches) {
    search_.run(id, number++, search.search, search.query, search.returned, search.matched, search.completed,
                search.line_order, search.step);
  }
  return id;
}

std::int64_t EpisodeRows::insert_episode(const PreparedEpisode& episode, std::int64_t ingest_id) {
  const EpisodeRecord& r = episode.record;
  constexpr bool kRetainedUntilSettled = true;
  const auto rules = r.delivery_rules.empty() ? std::nullopt : std::optional(r.delivery_rules);
  episode_.run(
      r.uid, r.configuration, r.run, r.episode, r.task_id, r.store, r.position, r.repo, r.domain, r.group, r.tier,
      r.model, r.seed, r.condition, episode.tags, episode.probe, episode.reference_kind, r.visibility, r.delivery_grade,
      r.resolved, r.reward, r.outcome_source, r.resolved, r.reward, r.outcome_source, episode.end_reason, r.finalised,
      kRetainedUntilSettled, r.steps, episode.first_time_us, episode.last_time_us, r.agent.calls, r.agent.input_tokens,
      r.agent.cached_input_tokens, r.agent.output_tokens, r.agent.calls_without_tokens, r.agent.cost_usd,
      r.agent.calls_without_cost, r.side.calls, r.side.input_tokens, r.side.cached_input_tokens, r.side.output_tokens,
      r.side.calls_without_tokens, r.side.cost_usd, r.side.calls_without_cost, r.unowned_entry_steps, r.source_path,
      r.source_format, r.source_format_version, r.source_sha256, r.source_line, r.source_byte_begin, r.source_byte_end,
      ingest_id, r.agent_seconds, rules, r.source_locator, uncosted_calls_to_json(r));
  return connection_.last_insert_id();
}

std::int64_t EpisodeRows::text_id(const PreparedEpisode::Text& text) {
  if (find_text_.bind(text.sha256).step()) {
    const std::int64_t id = find_text_.integer(0);
    find_text_.reset();
    return id;
  }
  text_.run(text.sha256, text.body);
  return connection_.last_insert_id();
}

void EpisodeRows::insert_deliveries(std::int64_t episode_id, const PreparedEpisode& episode) {
  for (const PreparedEpisode::Delivery& delivery : episode.deliveries) {
    const DeliveryRecord& r = delivery.record;
    std::optional<std::uint32_t> span;
    std::optional<std::string_view> reason;
    if (r.consumed) {
      span = r.span;
    } else {
      reason = r.unconsumed_reason;
    }
    std::optional<std::uint64_t> begin;
    std::optional<std::uint64_t> end;
    if (delivery.range) {
      begin = delivery.range->begin;
      end = delivery.range->end;
    }
    delivery_.run(episode_id, r.delivery_index, r.delivery, delivery.line_order, r.step, span, delivery.place,
                  r.restatement, reason, r.route, r.form, delivery.search, delivery.message, begin, end, r.entries,
                  r.placed_bytes, r.recorded_tokens);
  }
}

}  // namespace memuse::store
