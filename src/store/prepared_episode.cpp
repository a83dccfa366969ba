#include "store/prepared_episode.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <algorithm>
#include <cassert>
#include <iterator>
#include <unordered_map>

#include "model/call_totals.h"
#include "model/entries.h"
#include "model/text.h"
#include "store/identity.h"
#include "store/json_text.h"
#include "store/timestamp.h"

namespace memuse::store {
namespace {

std::optional<std::string> owned(const std::optional<std::string_view>& text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

EpisodeRecord record_of(const Episode& episode, const EpisodeSpans& spans) {
  EpisodeRecord record;
  record.uid = episode_uid(episode);
  record.configuration = episode.configuration;
  record.run = episode.run;
  record.episode = episode.id;
  record.task_id = episode.task_id;
  record.store = episode.store;
  record.repo = episode.repo;
  record.domain = episode.domain;
  record.group = episode.group;
  record.tier = episode.tier;
  record.model = episode.model;
  record.seed = episode.seed;
  record.condition = episode.condition;
  record.position = episode.position;
  record.visibility = name(episode.visibility);
  record.delivery_grade = name(episode.delivery_grade);
  if (episode.outcome) {
    record.resolved = episode.outcome->resolved;
    record.reward = episode.outcome->reward;
    record.outcome_source = episode.outcome->source;
  }
  record.finalised = episode.end_reason || record.resolved || record.reward;
  record.steps = episode.step_count();
  record.agent = agent_totals(episode);
  if (episode.totals) record.agent_seconds = episode.totals->seconds;
  record.side = side_totals(episode);
  record.agent_uncosted = agent_calls_without_cost(episode);
  record.side_uncosted = side_calls_without_cost(episode);
  record.source_path = episode.source.path;
  record.source_format = episode.source.format;
  record.source_format_version = episode.source.format_version;
  record.source_locator = episode.source.locator;
  record.source_sha256 = episode.source.sha256;
  record.source_line = episode.source.line;
  record.source_byte_begin = episode.source.byte_begin;
  record.source_byte_end = episode.source.byte_end;
  record.unowned_entry_steps = spans.unowned_entry_steps;
  return record;
}

std::string tags_json(const std::vector<Tag>& tags) {
  std::string out = "{";
  for (const Tag& tag : tags) {
    if (out.size() > 1) out += ',';
    append_json_string(out, tag.key);
    out += ':';
    append_json_string(out, tag.value);
  }
  out += '}';
  return out;
}

/// The probe with the field names of trace-format.md; what the trace does not say is left out.
std::string probe_json(const Probe& probe) {
  std::string out = "{\"gold\":" + json_string_array(probe.gold) + ",\"stale\":" + json_string_array(probe.stale);
  const auto add_flag = [&out](std::string_view key, const std::optional<bool>& flag) {
    if (flag) out += fmt::format(",\"{}\":{}", key, *flag);
  };
  add_flag("dependent", probe.dependent);
  add_flag("pre_satisfied", probe.pre_satisfied);
  add_flag("memory_had_fact", probe.memory_had_fact);
  add_flag("memory_utilized", probe.memory_utilized);
  add_flag("memory_utilized_recomputed", probe.memory_utilized_recomputed);
  if (probe.corruption) {
    out += ",\"corruption\":{\"mode\":";
    append_json_string(out, probe.corruption->mode);
    if (probe.corruption->rate) out += fmt::format(",\"rate\":{}", *probe.corruption->rate);
    out += '}';
  }
  out += '}';
  return out;
}

std::string returned_json(const std::vector<SearchHit>& hits) {
  std::string out = "[";
  for (const SearchHit& hit : hits) {
    out += out.size() > 1 ? ",{\"item\":" : "{\"item\":";
    append_json_string(out, hit.item);
    if (hit.version) {
      out += ",\"version\":";
      append_json_string(out, *hit.version);
    }
    if (hit.score) out += fmt::format(",\"score\":{}", *hit.score);
    out += '}';
  }
  out += ']';
  return out;
}

/// One array per message: [id, role, origin, transient, of_step, line, first_step, end_step or null,
/// [[line, from_step, bytes, hash], …]].
std::string messages_json(const Episode& episode) {
  std::vector<Hash128> hashes(episode.texts.size());
  for (TextId id = 0; id < hashes.size(); ++id) hashes[id] = hash128(episode.texts[id]);
  constexpr std::size_t kUsual = 96;  // bytes of a message with one version
  std::string out = "[";
  out.reserve(kUsual * episode.messages.size());
  auto end = std::back_inserter(out);
  for (const Message& message : episode.messages) {
    out += out.size() > 1 ? ",[" : "[";
    append_json_string(out, message.id);
    fmt::format_to(end, FMT_COMPILE(",\"{}\",\"{}\",{:d},{},{},{},"), name(message.role), name(message.origin),
                   message.transient, message.of_step, message.order, message.first_step);
    if (message.end_step == kNever) {
      out += "null,[";
    } else {
      fmt::format_to(end, FMT_COMPILE("{},["), message.end_step);
    }
    bool first = true;
    for (const TextVersion& version : message.versions) {
      const Hash128& hash = hashes[version.text];
      fmt::format_to(end, FMT_COMPILE("{}[{},{},{},\"{:016x}{:016x}\"]"), first ? "" : ",", version.order,
                     version.from_step, episode.texts[version.text].size(), hash.high, hash.low);
      first = false;
    }
    out += "]]";
  }
  out += ']';
  return out;
}

/// Collects each distinct text once.
class TextCollector {
 public:
  explicit TextCollector(std::vector<PreparedEpisode::Text>& texts) : texts_(texts) {}

  /// `text` must live as long as the collector.
  std::size_t index_of(std::string_view text) {
    const auto [found, inserted] = index_.try_emplace(text, texts_.size());
    if (inserted) texts_.push_back({sha256_hex(text), std::string(text)});
    return found->second;
  }

 private:
  std::vector<PreparedEpisode::Text>& texts_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

std::uint64_t placed_bytes(const Episode& episode, const Delivery& delivery) {
  if (delivery.message) return episode.placed_text(delivery).size();
  std::uint64_t sum = 0;
  for (const Entry& entry : delivery.entries) sum += entry.text.size();
  return sum;
}

PreparedEpisode::Delivery delivery_of(const Episode& episode, std::uint32_t index) {
  const Delivery& delivery = episode.deliveries[index];
  PreparedEpisode::Delivery out;
  out.record.delivery_index = index;
  out.record.delivery = delivery.id;
  out.record.step = delivery.consuming_step == kNever ? 0 : delivery.consuming_step;
  out.record.route = name(delivery.route);
  out.record.form = delivery.form;
  out.record.entries = static_cast<std::uint32_t>(exposed_entries(episode, delivery).size());
  out.record.placed_bytes = placed_bytes(episode, delivery);
  out.record.recorded_tokens = delivery.tokens;
  out.line_order = delivery.order;
  out.search = delivery.search;
  out.message = delivery.message;
  out.range = delivery.range;
  return out;
}

/// Who searches in this episode: the host when every delivery that shows a search is its, else the agent.
Route route_of_searches(const Episode& episode) {
  bool any = false;
  for (const Delivery& delivery : episode.deliveries) {
    if (delivery.search.empty()) continue;
    if (delivery.route != Route::host) return Route::agent;
    any = true;
  }
  return any ? Route::host : Route::agent;
}

/// A search that returned nothing and that no delivery cites.
PreparedEpisode::Delivery empty_search_of(const Episode& episode, std::uint32_t index, Route route) {
  const Search& search = episode.searches[index - episode.deliveries.size()];
  PreparedEpisode::Delivery out;
  out.record.delivery_index = index;
  out.record.delivery = search.id;
  out.record.step = search.step == kNever ? 0 : search.step;
  out.record.route = name(route);
  out.record.form = "search";
  out.line_order = search.order;
  out.search = search.id;
  return out;
}

PreparedEpisode::Delivery placement_of(const Episode& episode, std::uint32_t index, Route searches) {
  return index < episode.deliveries.size() ? delivery_of(episode, index) : empty_search_of(episode, index, searches);
}

void add_entries(const Episode& episode, const Span& span, TextCollector& texts,
                 std::vector<PreparedEpisode::Entry>& entries) {
  if (span.entries.empty()) return;
  const std::vector<ExposedEntry> exposed =
      exposed_entries(episode, episode.deliveries[span.deliveries.front().delivery]);
  for (const SpanEntry& member : span.entries) {
    const auto found = std::find_if(exposed.begin(), exposed.end(),
                                    [&member](const ExposedEntry& entry) { return entry.index == member.entry; });
    assert(found != exposed.end() && "a span names an entry that its target delivery does not expose");
    PreparedEpisode::Entry out;
    out.span = span.number;
    out.entry = member.entry;
    out.identifiers = "[]";
    if (found->recorded != nullptr) {
      out.item = owned(found->recorded->item);
      out.version = owned(found->recorded->version);
      out.identifiers = json_string_array(found->recorded->identifiers);
    }
    out.text = texts.index_of(found->text);
    out.window = member.window;
    entries.push_back(std::move(out));
  }
}

void add_spans(const Episode& episode, const EpisodeSpans& spans, TextCollector& texts, PreparedEpisode& out) {
  const Route searches = route_of_searches(episode);
  for (const Span& span : spans.spans) {
    out.spans.push_back({span.number, span.first_step, span.last_step, span.routing});
    std::uint32_t place = 0;
    for (const SpanDelivery& member : span.deliveries) {
      PreparedEpisode::Delivery delivery = placement_of(episode, member.delivery, searches);
      delivery.record.step = member.step;
      delivery.record.span = span.number;
      delivery.record.restatement = member.restatement;
      delivery.place = place++;
      out.deliveries.push_back(std::move(delivery));
    }
    add_entries(episode, span, texts, out.entries);
  }
  for (const UnconsumedDelivery& unconsumed : spans.unconsumed) {
    PreparedEpisode::Delivery delivery = placement_of(episode, unconsumed.delivery, searches);
    delivery.record.consumed = false;
    delivery.record.unconsumed_reason = unconsumed.reason;
    out.deliveries.push_back(std::move(delivery));
  }
  std::sort(out.deliveries.begin(), out.deliveries.end(),
            [](const PreparedEpisode::Delivery& left, const PreparedEpisode::Delivery& right) {
              return left.record.delivery_index < right.record.delivery_index;
            });
}

PreparedEpisode::Operation operation_of(const MemoryOperation& operation, TextCollector& texts) {
  PreparedEpisode::Operation out;
  out.op = operation.op;
  out.item = operation.item;
  out.version = owned(operation.version);
  if (operation.text) out.text = texts.index_of(*operation.text);
  out.from = json_string_array(operation.from);
  out.operation = operation.operation;
  out.steps = json_number_array(operation.steps);
  out.at = operation.at;
  out.line_order = operation.order;
  out.after_step = operation.after_step;
  return out;
}

PreparedEpisode::Search search_of(const Search& search) {
  return {std::string(search.id),
          std::string(search.query),
          returned_json(search.returned),
          search.matched,
          search.completed,
          search.order,
          search.step == kNever ? 0 : search.step};
}

/// First and last recorded time of the steps.
void set_times(const Episode& episode, PreparedEpisode& out) {
  for (const Step& step : episode.steps) {
    const std::optional<std::int64_t> time = microseconds_of(step.time);
    if (!time) continue;
    if (!out.first_time_us) out.first_time_us = time;
    out.last_time_us = time;
  }
}

}  // namespace

PreparedEpisode prepare(const Episode& episode, const EpisodeSpans& spans) {
  PreparedEpisode out;
  out.record = record_of(episode, spans);
  out.tags = tags_json(episode.tags);
  if (episode.probe) out.probe = probe_json(*episode.probe);
  if (episode.reference) out.reference_kind = std::string(episode.reference->kind);
  out.end_reason = owned(episode.end_reason);
  set_times(episode, out);
  out.messages = messages_json(episode);
  TextCollector texts(out.texts);
  add_spans(episode, spans, texts, out);
  for (const MemoryOperation& operation : episode.memory_operations) {
    out.operations.push_back(operation_of(operation, texts));
  }
  for (const Search& search : episode.searches) out.searches.push_back(search_of(search));
  return out;
}

}  // namespace memuse::store
