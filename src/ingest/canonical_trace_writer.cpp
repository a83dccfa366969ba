#include "ingest/canonical_trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <vector>

// An Episode keeps kinds of things apart; a trace has them in one sequence. Everything with a place on the line clock
// becomes an event (order, kind, index); sorted, the events are the lines. Only drops have no place of their own: they
// are told from the steps at which messages stop being visible.

namespace memuse::ingest {
namespace {

using nlohmann::ordered_json;

/// Kinds of lines, in the order in which lines with the same place are printed: what others refer to comes first.
enum class LineKind : std::uint8_t { message, step, rewrite, search, delivery, memory, side_call };

struct Event {
  std::uint32_t order = 0;
  LineKind kind = LineKind::message;
  std::uint32_t index = 0;    // into the episode's list of that kind; for a rewrite, of messages
  std::uint32_t version = 0;  // of a rewrite

  friend bool operator<(const Event& a, const Event& b) {
    return std::tie(a.order, a.kind, a.index, a.version) < std::tie(b.order, b.kind, b.index, b.version);
  }
};

template <typename T>
void put(ordered_json& record, const char* field, const std::optional<T>& value) {
  if (value) record[field] = *value;
}

void put(ordered_json& record, const char* field, std::string_view text) {
  if (!text.empty()) record[field] = text;
}

void put(ordered_json& record, const char* field, const std::vector<std::string_view>& texts) {
  if (!texts.empty()) record[field] = texts;
}

void put(ordered_json& record, const char* field, const std::optional<ByteRange>& range) {
  if (range) record[field] = {range->begin, range->end};
}

void put(ordered_json& record, const char* field, const Usage& usage) {
  ordered_json parts = ordered_json::object();
  put(parts, "input", usage.input);
  put(parts, "cached_input", usage.cached_input);
  put(parts, "output", usage.output);
  if (!parts.empty()) record[field] = std::move(parts);
}

/// Text of other sources may not be UTF-8; a trace always is.
std::string dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// JSON text as recorded, on one line: outside of strings, line ends are mere white space, and inside they are escaped.
std::string on_one_line(std::string_view json) {
  std::string line(json);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

class TraceWriter {
 public:
  TraceWriter(const Episode& episode, const LineSink& sink) : episode_(episode), sink_(sink) {
    name_messages();
    collect_drops();
  }

  void write() {
    write_episode();
    for (const Event& event : events()) write_event(event);
    // Dropped after the last step: no input shows it, but the record says so.
    for (const auto& [step, messages] : drops_) {
      if (step > episode_.step_count()) write_drop(messages);
    }
    if (episode_.end_reason) {
      ordered_json record = line("end");
      put(record, "reason", *episode_.end_reason);
      emit(record);
    }
  }

 private:
  static ordered_json line(const char* type) { return ordered_json{{"type", type}}; }
  void emit(const ordered_json& record) { sink_(dump(record) + '\n'); }
  [[nodiscard]] std::string_view text(TextId id) const { return episode_.texts[id]; }

  void name_messages();
  void collect_drops();
  [[nodiscard]] std::vector<Event> events() const;
  void write_episode();
  void write_event(const Event& event);
  void write_message(std::uint32_t index);
  void write_rewrite(const Event& event);
  void write_drop(const std::vector<std::uint32_t>& messages);
  void write_step(std::uint32_t index);
  void write_delivery(const Delivery& delivery);
  void write_search(const Search& search);
  void write_memory(const MemoryOperation& operation);
  void write_side_call(const SideCall& call);

  const Episode& episode_;
  const LineSink& sink_;
  std::vector<std::string> message_ids_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> drops_;  // by the first step that no longer shows the messages
};

/// The step at which a message leaves the input if no line says otherwise.
std::uint32_t natural_end(const Episode& episode, const Message& message) {
  if (message.transient) return message.first_step + 1;
  const bool kept = message.of_step == 0 || episode.steps[message.of_step - 1].persist;
  return kept ? kNever : message.first_step;
}

void TraceWriter::collect_drops() {
  for (std::uint32_t i = 0; i < episode_.messages.size(); ++i) {
    const Message& message = episode_.messages[i];
    if (message.end_step < natural_end(episode_, message)) drops_[message.end_step].push_back(i);
  }
}

void TraceWriter::name_messages() {
  std::unordered_set<std::string_view> taken;
  for (const Message& message : episode_.messages) {
    message_ids_.emplace_back(message.id);
    taken.insert(message.id);
  }
  std::vector<bool> needs_name(message_ids_.size());
  for (std::uint32_t i = 0; i < episode_.messages.size(); ++i) {
    const Message& message = episode_.messages[i];
    needs_name[i] = message.versions.size() > 1 || message.end_step < natural_end(episode_, message);
  }
  for (const Delivery& delivery : episode_.deliveries) {
    if (delivery.message) needs_name[*delivery.message] = true;
  }
  for (std::size_t i = 0; i < message_ids_.size(); ++i) {
    if (!message_ids_[i].empty() || !needs_name[i]) continue;
    std::string name = fmt::format("message-{}", i + 1);
    while (taken.contains(name)) name += '\'';
    message_ids_[i] = std::move(name);
  }
}

std::vector<Event> TraceWriter::events() const {
  std::vector<Event> all;
  for (std::uint32_t i = 0; i < episode_.messages.size(); ++i) {
    const Message& message = episode_.messages[i];
    if (message.of_step == 0) all.push_back({message.order, LineKind::message, i});
    for (std::uint32_t v = 1; v < message.versions.size(); ++v) {
      all.push_back({message.versions[v].order, LineKind::rewrite, i, v});
    }
  }
  const auto add = [&](const auto& records, LineKind kind) {
    for (std::uint32_t i = 0; i < records.size(); ++i) all.push_back({records[i].order, kind, i});
  };
  add(episode_.steps, LineKind::step);
  add(episode_.searches, LineKind::search);
  add(episode_.deliveries, LineKind::delivery);
  add(episode_.memory_operations, LineKind::memory);
  add(episode_.side_calls, LineKind::side_call);
  std::sort(all.begin(), all.end());
  return all;
}

void TraceWriter::write_event(const Event& event) {
  switch (event.kind) {
    case LineKind::message:
      return write_message(event.index);
    case LineKind::step:
      return write_step(event.index);
    case LineKind::rewrite:
      return write_rewrite(event);
    case LineKind::search:
      return write_search(episode_.searches[event.index]);
    case LineKind::delivery:
      return write_delivery(episode_.deliveries[event.index]);
    case LineKind::memory:
      return write_memory(episode_.memory_operations[event.index]);
    case LineKind::side_call:
      return write_side_call(episode_.side_calls[event.index]);
  }
}

ordered_json probe_record(const Probe& probe) {
  ordered_json record = ordered_json::object();
  put(record, "dependent", probe.dependent);
  put(record, "gold", probe.gold);
  put(record, "stale", probe.stale);
  put(record, "pre_satisfied", probe.pre_satisfied);
  put(record, "memory_had_fact", probe.memory_had_fact);
  put(record, "memory_utilized", probe.memory_utilized);
  if (probe.corruption) {
    ordered_json corruption = ordered_json::object();
    put(corruption, "mode", probe.corruption->mode);
    put(corruption, "rate", probe.corruption->rate);
    record["corruption"] = std::move(corruption);
  }
  return record;
}

ordered_json outcome_record(const Outcome& outcome) {
  ordered_json record = ordered_json::object();
  put(record, "resolved", outcome.resolved);
  put(record, "reward", outcome.reward);
  put(record, "source", outcome.source);
  return record;
}

ordered_json totals_record(const AgentTotals& totals) {
  ordered_json record = ordered_json::object();
  put(record, "calls", totals.calls);
  put(record, "usage", totals.usage);
  put(record, "cost_usd", totals.cost_usd);
  put(record, "seconds", totals.seconds);
  return record;
}

void TraceWriter::write_episode() {
  ordered_json record = line("episode");
  record["schema"] = "memuse-trace/1";
  record["episode"] = episode_.id;
  record["task_id"] = episode_.task_id;
  record["configuration"] = episode_.configuration;
  record["run"] = episode_.run;
  record["store"] = episode_.store;
  record["visibility"] = name(episode_.visibility);
  record["delivery_grade"] = name(episode_.delivery_grade);
  put(record, "position", episode_.position);
  put(record, "repo", episode_.repo);
  put(record, "domain", episode_.domain);
  put(record, "group", episode_.group);
  put(record, "tier", episode_.tier);
  put(record, "model", episode_.model);
  put(record, "seed", episode_.seed);
  put(record, "condition", episode_.condition);
  if (!episode_.tags.empty()) {
    // Appended, not looked up: their keys differ, and there may be any number.
    ordered_json::object_t tags;
    for (const Tag& tag : episode_.tags) tags.emplace_back(std::string(tag.key), tag.value);
    record["tags"] = std::move(tags);
  }
  if (!episode_.task_text.empty()) record["task"]["text"] = episode_.task_text;
  if (episode_.probe) record["probe"] = probe_record(*episode_.probe);
  if (episode_.outcome) record["outcome"] = outcome_record(*episode_.outcome);
  if (episode_.totals) record["totals"] = totals_record(*episode_.totals);
  if (episode_.reference) {
    ordered_json reference = ordered_json::object();
    put(reference, "kind", episode_.reference->kind);
    put(reference, "text", episode_.reference->text);
    record["reference"] = std::move(reference);
  }
  emit(record);
}

void TraceWriter::write_message(std::uint32_t index) {
  const Message& message = episode_.messages[index];
  ordered_json record = line("message");
  record["id"] = message_ids_[index];
  record["role"] = name(message.role);
  record["origin"] = name(message.origin);
  record["text"] = text(message.versions.front().text);
  if (message.transient) record["transient"] = true;
  emit(record);
}

void TraceWriter::write_rewrite(const Event& event) {
  ordered_json record = line("rewrite");
  record["message"] = message_ids_[event.index];
  record["text"] = text(episode_.messages[event.index].versions[event.version].text);
  emit(record);
}

void TraceWriter::write_drop(const std::vector<std::uint32_t>& messages) {
  ordered_json record = line("drop");
  for (const std::uint32_t index : messages) record["messages"].push_back(message_ids_[index]);
  emit(record);
}

void TraceWriter::write_step(std::uint32_t index) {
  if (const auto drop = drops_.find(index + 1); drop != drops_.end()) write_drop(drop->second);
  const Step& step = episode_.steps[index];
  ordered_json record = line("step");
  record["step"] = index + 1;
  if (step.response_message) {
    put(record, "id", std::string_view(message_ids_[*step.response_message]));
    record["response"] = step.response;
  }
  put(record, "reasoning", step.reasoning);
  // Arguments are printed as they were recorded, with every digit; so this part is text, not a tree.
  std::string actions;
  for (const Action& action : step.actions) {
    ordered_json part = ordered_json::object();
    put(part, "id", action.id);
    put(part, "name", action.name);
    std::string printed = dump(part);
    if (action.arguments != "null") {
      printed.pop_back();
      printed += fmt::format("{}\"arguments\":{}}}", part.empty() ? "" : ",", on_one_line(action.arguments));
    }
    actions += (actions.empty() ? "" : ",") + printed;
  }
  std::string printed = dump(record);
  printed.pop_back();
  if (!actions.empty()) printed += fmt::format(",\"actions\":[{}]", actions);

  ordered_json rest = ordered_json::object();
  for (const Result& result : step.results) {
    ordered_json part = ordered_json::object();
    put(part, "id", std::string_view(message_ids_[result.message]));
    put(part, "action", result.action);
    part["text"] = text(episode_.messages[result.message].versions.front().text);
    rest["results"].push_back(std::move(part));
  }
  put(rest, "usage", step.usage);
  put(rest, "cost_usd", step.cost_usd);
  put(rest, "time", step.time);
  put(rest, "model", step.model);
  if (!step.persist) rest["persist"] = false;
  if (rest.empty()) {
    printed += "}";
  } else {
    printed += "," + dump(rest).substr(1);
  }
  sink_(printed + '\n');
}

void TraceWriter::write_delivery(const Delivery& delivery) {
  ordered_json record = line("delivery");
  record["id"] = delivery.id;
  record["route"] = name(delivery.route);
  put(record, "form", delivery.form);
  if (delivery.message) record["message"] = message_ids_[*delivery.message];
  put(record, "range", delivery.range);
  record["entries"] = ordered_json::array();
  for (const Entry& entry : delivery.entries) {
    ordered_json part = ordered_json::object();
    put(part, "item", entry.item);
    put(part, "version", entry.version);
    part["text"] = entry.text;
    put(part, "identifiers", entry.identifiers);
    put(part, "range", entry.range);
    record["entries"].push_back(std::move(part));
  }
  put(record, "search", delivery.search);
  put(record, "tokens", delivery.tokens);
  emit(record);
}

void TraceWriter::write_search(const Search& search) {
  ordered_json record = line("search");
  record["id"] = search.id;
  put(record, "query", search.query);
  record["returned"] = ordered_json::array();
  for (const SearchHit& hit : search.returned) {
    ordered_json part = ordered_json::object();
    put(part, "item", hit.item);
    put(part, "version", hit.version);
    put(part, "score", hit.score);
    record["returned"].push_back(std::move(part));
  }
  put(record, "matched", search.matched);
  record["status"] = search.completed ? "completed" : "failed";
  emit(record);
}

void TraceWriter::write_memory(const MemoryOperation& operation) {
  ordered_json record = line("memory");
  record["op"] = name(operation.op);
  put(record, "item", operation.item);
  put(record, "version", operation.version);
  put(record, "text", operation.text);
  put(record, "from", operation.from);
  put(record, "operation", operation.operation);
  if (!operation.steps.empty()) record["steps"] = operation.steps;
  put(record, "at", operation.at);
  emit(record);
}

void TraceWriter::write_side_call(const SideCall& call) {
  ordered_json record = line("side_call");
  put(record, "purpose", call.purpose);
  put(record, "usage", call.usage);
  put(record, "cost_usd", call.cost_usd);
  put(record, "model", call.model);
  emit(record);
}

}  // namespace

void write_canonical_trace(const Episode& episode, const LineSink& sink) {
  TraceWriter(episode, sink).write();
}

std::string write_canonical_trace(const Episode& episode) {
  std::string all;
  write_canonical_trace(episode, [&](std::string_view line) { all += line; });
  return all;
}

}  // namespace memuse::ingest
