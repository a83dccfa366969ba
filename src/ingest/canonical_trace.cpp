#include "ingest/canonical_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ingest/episode_recorder.h"
#include "ingest/json.h"
#include "ingest/json_head.h"
#include "ingest/parsed_lines.h"
#include "ingest/record_fields.h"
#include "ingest/source_hash.h"
#include "ingest/unique_ids.h"
#include "model/entries.h"

// Reads memuse-trace/1, JSON Lines, in one pass. An `episode` line opens an episode; the lines that follow are applied
// to it in order, each whole or not at all; the next `episode` line, an `end` line or the end of the file closes it.
// Strings are decoded once, into the arena of a block of lines, which the episode keeps: a line costs one parse and one
// copy of its text. Parsing is done ahead, by many threads for a large file; here the records meet in their order.
//
// A line that cannot be parsed costs that line, and the episode's visible input is then known in part only. If the lost
// line may have been an `episode` line, what follows must not be taken for the earlier episode: its lines are set aside
// until the next `episode` line.

namespace memuse::ingest {
namespace {

constexpr std::string_view kSchema = "memuse-trace/1";
constexpr std::string_view kSchemaFamily = "memuse-trace/";

/// Takes the lines of one episode.
class EpisodeReader {
 public:
  EpisodeReader(const ReadOptions& options, DiagnosticLog& log) : options_(options), log_(log) {}

  Episode& episode() { return episode_; }

  /// Takes the `episode` line; false when the episode cannot be used.
  bool open(const JsonValue& record, RecordPlace place);
  void apply(std::string_view type, const JsonValue& record, RecordPlace place);
  /// A line of this episode was lost: what the model saw is no longer known exactly.
  void mark_damaged() { recorder_.mark_damaged(); }
  /// After a lost line: true when this record can only belong to another episode, which the lost line opened.
  [[nodiscard]] bool begins_another(std::string_view type, const JsonValue& record) const;
  Episode take() { return recorder_.take(); }

 private:
  bool message_id_is_new(std::string_view id, RecordFields& fields) const;

  void read_probe(const JsonValue& record, RecordPlace place);
  void read_outcome(const JsonValue& record, RecordPlace place);
  void read_totals(const JsonValue& record, RecordPlace place);
  void read_tags(const JsonValue& tags, RecordFields& fields);
  void apply_message(const JsonValue& record, RecordPlace place);
  void apply_drop(const JsonValue& record, RecordPlace place);
  void apply_rewrite(const JsonValue& record, RecordPlace place);
  void apply_step(const JsonValue& record, RecordPlace place);
  std::vector<Action> read_actions(RecordFields& step, RecordPlace place);
  bool message_ids_are_new(std::string_view response, const std::vector<const JsonValue*>& results,
                           RecordFields& fields) const;
  Usage read_usage(RecordFields& fields, RecordPlace place);
  void apply_delivery(const JsonValue& record, RecordPlace place);
  std::string_view unique_delivery_id(std::string_view id, RecordFields& fields);
  std::vector<Entry> read_entries(const JsonValue& array, std::string_view message_text, RecordPlace place);
  std::optional<ByteRange> read_range(RecordFields& fields, std::string_view message_text);
  void apply_search(const JsonValue& record, RecordPlace place);
  void apply_memory(const JsonValue& record, RecordPlace place);
  void apply_side_call(const JsonValue& record, RecordPlace place);
  void apply_end(const JsonValue& record, RecordPlace place);

  const ReadOptions& options_;
  DiagnosticLog& log_;
  EpisodeRecorder recorder_;
  Episode& episode_ = recorder_.episode();
  UniqueIds delivery_ids_;
};

/// The value of an enumeration field; `fallback` with a warning when the word is unknown.
template <typename Enum>
Enum read_word(RecordFields& fields, std::string_view field, std::optional<Enum> (*parse)(std::string_view),
               Enum fallback) {
  const auto word = fields.string(field);
  if (!word) return fallback;
  if (const auto value = parse(*word)) return *value;
  fields.report(
      Severity::warning, Fault::unknown_value,
      fmt::format("`{}.{}` is \"{}\"; used as \"{}\"", fields.name(), field, shortened(*word, 60), name(fallback)));
  return fallback;
}

/// What is left of a damaged line looks like an `episode` line: by its schema, or by a type at its start.
bool seems_to_open_episode(std::string_view line) {
  constexpr std::string_view kWord = "\"episode\"";
  const std::string_view head = line.substr(0, 4096);
  if (head.find(kSchemaFamily) != std::string_view::npos && head.find(kWord) != std::string_view::npos) return true;
  const std::string_view start = line.substr(0, 40);
  const std::size_t type = start.find("\"type\"");
  return type != std::string_view::npos && start.find(kWord, type) != std::string_view::npos;
}

bool is_character_border(std::string_view text, std::uint64_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
}

bool EpisodeReader::message_id_is_new(std::string_view id, RecordFields& fields) const {
  if (id.empty() || !recorder_.message_index(id)) return true;
  fields.report(Severity::error, Fault::duplicate_message, fmt::format("`{}`", shortened(id, 60)));
  return false;
}

bool EpisodeReader::begins_another(std::string_view type, const JsonValue& record) const {
  if (type == "step") {
    const JsonValue* number = record.field("step");
    return number != nullptr && number->as_unsigned() == 1U && episode_.step_count() > 0;
  }
  if (type != "message") return false;
  const JsonValue* id = record.field("id");
  return id != nullptr && id->as_string() && recorder_.message_index(id->text).has_value();
}

bool EpisodeReader::open(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "episode", place, log_);
  fields.string("type");
  const auto schema = fields.string("schema");
  if (!schema || *schema != kSchema) {
    fields.report(Severity::error, Fault::unknown_schema,
                  fmt::format("expected \"{}\", found {}", kSchema,
                              schema ? fmt::format("\"{}\"", shortened(*schema, 60)) : "none"));
    return false;
  }
  const auto id = fields.required_string("episode");
  const auto task_id = fields.required_string("task_id");
  if (!fields.complete()) return false;
  episode_.id = *id;
  episode_.task_id = *task_id;
  const auto named = [&](std::string_view field, const std::string& option, std::string_view fallback) {
    const auto value = fields.string_or_number(field);
    const bool is_named = value && !value->empty();
    if (!option.empty() && (!is_named || options_.names_replace)) return episode_.arena.keep(option);
    if (is_named) return *value;
    fields.report(Severity::warning, Fault::unnamed_configuration,
                  fmt::format("`{}` is {}; \"{}\" was used", field, value ? "empty" : "missing", fallback));
    return fallback;
  };
  episode_.configuration = named("configuration", options_.configuration, "unnamed");
  episode_.run = named("run", options_.run, "r1");
  if (const auto store = fields.string("store")) episode_.store = *store;
  episode_.visibility =
      read_word<VisibilityGrade>(fields, "visibility", parse_visibility_grade, VisibilityGrade::exact);
  episode_.delivery_grade =
      read_word<DeliveryGrade>(fields, "delivery_grade", parse_delivery_grade, DeliveryGrade::annotated);
  episode_.position = fields.whole("position");
  if (episode_.position == 0U) {
    fields.report(Severity::warning, Fault::unknown_value, "`episode.position` counts from 1; 0 was dropped");
    episode_.position.reset();
  }
  episode_.repo = or_empty(fields.string("repo"));
  episode_.domain = or_empty(fields.string("domain"));
  episode_.group = or_empty(fields.string_or_number("group"));
  episode_.tier = or_empty(fields.string_or_number("tier"));
  episode_.model = or_empty(fields.string("model"));
  episode_.seed = or_empty(fields.string_or_number("seed"));
  episode_.condition = or_empty(fields.string("condition"));
  if (const JsonValue* tags = fields.object("tags")) read_tags(*tags, fields);
  if (const JsonValue* task = fields.object("task")) {
    RecordFields task_fields(*task, "episode.task", place, log_);
    episode_.task_text = or_empty(task_fields.string("text"));
    task_fields.count_unknown();
  }
  if (const JsonValue* probe = fields.object("probe")) read_probe(*probe, place);
  if (const JsonValue* outcome = fields.object("outcome")) read_outcome(*outcome, place);
  if (const JsonValue* totals = fields.object("totals")) read_totals(*totals, place);
  if (const JsonValue* reference = fields.object("reference")) {
    RecordFields parts(*reference, "episode.reference", place, log_);
    episode_.reference = Reference{or_empty(parts.string("kind")), or_empty(parts.string("text"))};
    parts.count_unknown();
  }
  fields.count_unknown();
  return true;
}

void EpisodeReader::read_tags(const JsonValue& tags, RecordFields& fields) {
  for (const JsonValue& tag : JsonChildren(tags)) {
    if (const auto value = tag.as_string()) {
      episode_.tags.push_back({tag.key, *value});
    } else {
      fields.report(Severity::warning, Fault::wrong_type,
                    fmt::format("`episode.tags.{}` should be a string", shortened(tag.key, 60)));
    }
  }
  // Stable, and only the first of equal keys is kept: the same rule as for every other field.
  std::stable_sort(episode_.tags.begin(), episode_.tags.end(),
                   [](const Tag& a, const Tag& b) { return a.key < b.key; });
  const auto repeated = std::unique(episode_.tags.begin(), episode_.tags.end(),
                                    [](const Tag& a, const Tag& b) { return a.key == b.key; });
  episode_.tags.erase(repeated, episode_.tags.end());
}

void EpisodeReader::read_probe(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "episode.probe", place, log_);
  Probe probe;
  probe.dependent = fields.boolean("dependent");
  probe.gold = fields.strings("gold", kMostProbeValues);
  probe.stale = fields.strings("stale", kMostProbeValues);
  probe.pre_satisfied = fields.boolean("pre_satisfied");
  probe.memory_had_fact = fields.boolean("memory_had_fact");
  probe.memory_utilized = fields.boolean("memory_utilized");
  if (const JsonValue* corruption = fields.object("corruption")) {
    RecordFields parts(*corruption, "episode.probe.corruption", place, log_);
    probe.corruption = Corruption{or_empty(parts.string("mode")), parts.number("rate")};
    parts.count_unknown();
  }
  fields.count_unknown();
  episode_.probe = std::move(probe);
}

void EpisodeReader::read_outcome(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "episode.outcome", place, log_);
  episode_.outcome = Outcome{fields.boolean("resolved"), fields.number("reward"), or_empty(fields.string("source"))};
  fields.count_unknown();
}

void EpisodeReader::read_totals(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "episode.totals", place, log_);
  episode_.totals = AgentTotals{fields.whole("calls"), read_usage(fields, place), fields.number("cost_usd"),
                                fields.number("seconds")};
  fields.count_unknown();
}

void EpisodeReader::apply(std::string_view type, const JsonValue& record, RecordPlace place) {
  recorder_.tick();
  if (type == "message") {
    apply_message(record, place);
  } else if (type == "drop") {
    apply_drop(record, place);
  } else if (type == "rewrite") {
    apply_rewrite(record, place);
  } else if (type == "step") {
    apply_step(record, place);
  } else if (type == "delivery") {
    apply_delivery(record, place);
  } else if (type == "search") {
    apply_search(record, place);
  } else if (type == "memory") {
    apply_memory(record, place);
  } else if (type == "side_call") {
    apply_side_call(record, place);
  } else if (type == "end") {
    apply_end(record, place);
  } else {
    log_.count_unknown_type(type, place.line, place.byte);
  }
}

void EpisodeReader::apply_message(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "message", place, log_);
  fields.string("type");
  const auto id = fields.required_string("id");
  const auto role_word = fields.required_string("role");
  const auto text = fields.required_string("text");
  if (!fields.complete() || !message_id_is_new(*id, fields)) return mark_damaged();
  const auto role = parse_role(*role_word);
  if (!role) {
    fields.report(Severity::error, Fault::unknown_value,
                  fmt::format("`message.role` is \"{}\"; the line was set aside", shortened(*role_word, 60)));
    return mark_damaged();
  }
  MessageRecord message;
  message.id = *id;
  message.role = *role;
  message.origin = read_word<Origin>(fields, "origin", parse_origin, Origin::other);
  message.transient = fields.boolean("transient").value_or(false);
  message.text = *text;
  fields.count_unknown();
  recorder_.add_message(message);
}

void EpisodeReader::apply_drop(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "drop", place, log_);
  fields.string("type");
  if (fields.any("messages") == nullptr) {
    fields.report(Severity::error, Fault::missing_field, "`drop.messages` (an array of strings)");
    return mark_damaged();
  }
  for (const std::string_view id : fields.strings("messages")) {
    if (const auto index = recorder_.message_index(id)) {
      recorder_.drop_message(*index);
    } else {
      fields.report(Severity::warning, Fault::unknown_message, fmt::format("`drop` names `{}`", shortened(id, 60)));
    }
  }
  fields.count_unknown();
}

void EpisodeReader::apply_rewrite(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "rewrite", place, log_);
  fields.string("type");
  const auto id = fields.required_string("message");
  const auto text = fields.required_string("text");
  fields.count_unknown();
  if (!fields.complete()) return mark_damaged();
  const auto index = recorder_.message_index(*id);
  if (!index) {
    fields.report(Severity::error, Fault::unknown_message, fmt::format("`rewrite` names `{}`", shortened(*id, 60)));
    return mark_damaged();
  }
  recorder_.rewrite_message(*index, *text);
}

std::vector<Action> EpisodeReader::read_actions(RecordFields& step, RecordPlace place) {
  std::vector<Action> actions;
  for (const JsonValue* element : step.objects("actions")) {
    RecordFields fields(*element, "step.actions", place, log_);
    Action action;
    action.id = or_empty(fields.string("id"));
    action.name = or_empty(fields.string("name"));
    const JsonValue* arguments = fields.any("arguments");
    action.arguments = arguments == nullptr ? "null" : recorded_json(*arguments, episode_.arena);
    fields.count_unknown();
    actions.push_back(action);
  }
  return actions;
}

Usage EpisodeReader::read_usage(RecordFields& fields, RecordPlace place) {
  const JsonValue* record = fields.object("usage");
  if (record == nullptr) return {};
  RecordFields parts(*record, fmt::format("{}.usage", fields.name()), place, log_);
  Usage usage;
  usage.input = parts.whole("input");
  usage.cached_input = parts.whole("cached_input");
  usage.output = parts.whole("output");
  parts.count_unknown();
  return usage;
}

/// Checked before anything of a step is added: a line is used whole or not at all.
bool EpisodeReader::message_ids_are_new(std::string_view response, const std::vector<const JsonValue*>& results,
                                        RecordFields& fields) const {
  std::unordered_set<std::string_view> seen;
  const auto is_new = [&](std::string_view id) {
    if (!message_id_is_new(id, fields)) return false;
    if (id.empty() || seen.insert(id).second) return true;
    fields.report(Severity::error, Fault::duplicate_message, fmt::format("`{}`", shortened(id, 60)));
    return false;
  };
  return is_new(response) && std::all_of(results.begin(), results.end(), [&](const JsonValue* result) {
           const JsonValue* id = result->field("id");
           return id == nullptr || is_new(or_empty(id->as_string()));
         });
}

void EpisodeReader::apply_step(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "step", place, log_);
  fields.string("type");
  const auto recorded_number = fields.whole("step");
  const auto id = fields.string("id");
  const std::vector<const JsonValue*> results = fields.objects("results");
  if (!message_ids_are_new(or_empty(id), results, fields)) return mark_damaged();

  const std::uint32_t number = recorder_.next_step();
  if (!recorded_number) {
    fields.report(Severity::warning, Fault::step_number, fmt::format("no number; taken as step {}", number));
  } else if (*recorded_number != number) {
    fields.report(Severity::warning, Fault::step_number,
                  fmt::format("found {}, taken as step {}", *recorded_number, number));
  }
  StepRecord step;
  step.id = or_empty(id);
  step.response = fields.string("response");
  step.reasoning = or_empty(fields.string("reasoning"));
  step.actions = read_actions(fields, place);
  step.usage = read_usage(fields, place);
  step.cost_usd = fields.number("cost_usd");
  step.time = or_empty(fields.string("time"));
  step.model = or_empty(fields.string("model"));
  step.persist = fields.boolean("persist").value_or(true);
  for (const JsonValue* element : results) {
    RecordFields parts(*element, "step.results", place, log_);
    ResultRecord result;
    result.id = or_empty(parts.string("id"));
    result.action = or_empty(parts.string("action"));
    result.text = or_empty(parts.string("text"));
    parts.count_unknown();
    step.results.push_back(result);
  }
  fields.count_unknown();
  recorder_.add_step(std::move(step));
}

std::optional<ByteRange> EpisodeReader::read_range(RecordFields& fields, std::string_view message_text) {
  const JsonValue* array = fields.array("range");
  if (array == nullptr) return std::nullopt;
  std::vector<std::uint64_t> bounds;
  for (const JsonValue& element : JsonChildren(*array)) {
    if (const auto bound = element.as_unsigned()) bounds.push_back(*bound);
  }
  const bool usable = array->children == 2 && bounds.size() == 2 && bounds[0] <= bounds[1] &&
                      bounds[1] <= message_text.size() && is_character_border(message_text, bounds[0]) &&
                      is_character_border(message_text, bounds[1]);
  if (usable) return ByteRange{bounds[0], bounds[1]};
  fields.report(Severity::warning, Fault::bad_range,
                fmt::format("`{}.range` {} in a message of {} bytes was dropped", fields.name(),
                            shortened(array->text, 40), message_text.size()));
  return std::nullopt;
}

std::vector<Entry> EpisodeReader::read_entries(const JsonValue& array, std::string_view message_text,
                                               RecordPlace place) {
  std::vector<Entry> entries;
  for (const JsonValue& element : JsonChildren(array)) {
    RecordFields fields(element, "delivery.entries", place, log_);
    Entry entry;
    entry.item = fields.string_or_number("item");
    entry.version = fields.string_or_number("version");
    // An entry without text keeps its place, so that the indexes of the others stay those of the trace.
    entry.text = or_empty(fields.required_string("text"));
    entry.identifiers = fields.strings("identifiers");
    entry.range = read_range(fields, message_text);
    if (fields.complete() && is_blank(entry.text)) {
      fields.report(Severity::warning, Fault::blank_entry, fmt::format("entry {}", entries.size()));
    }
    fields.count_unknown();
    entries.push_back(std::move(entry));
  }
  return entries;
}

void EpisodeReader::apply_delivery(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "delivery", place, log_);
  fields.string("type");
  const auto id = fields.required_string("id");
  const auto route_word = fields.required_string("route");
  if (!fields.complete()) return mark_damaged();
  const auto route = parse_route(*route_word);
  if (!route) {
    fields.report(Severity::error, Fault::unknown_value,
                  fmt::format("`delivery.route` is \"{}\"; the line was set aside", shortened(*route_word, 60)));
    return mark_damaged();
  }
  Delivery delivery;
  delivery.route = *route;
  delivery.form = or_empty(fields.string("form"));
  std::string_view message_text;
  if (const auto message = fields.string("message")) {
    delivery.message = recorder_.message_index(*message);
    if (!delivery.message) {
      fields.report(
          Severity::error, Fault::unknown_message,
          fmt::format("`delivery` {} names `{}`; the line was set aside", shortened(*id, 60), shortened(*message, 60)));
      return mark_damaged();
    }
    message_text = recorder_.message_text(*delivery.message);
  }
  delivery.range = read_range(fields, message_text);
  if (const JsonValue* entries = fields.array("entries")) {
    delivery.entries = read_entries(*entries, message_text, place);
  }
  delivery.search = or_empty(fields.string("search"));
  delivery.tokens = fields.whole("tokens");
  fields.count_unknown();
  delivery.id = unique_delivery_id(*id, fields);
  recorder_.add_delivery(std::move(delivery));
}

/// Names in exports and labels must be clear. A block that is placed anew may come with the id that it had before; it
/// is a delivery all the same.
std::string_view EpisodeReader::unique_delivery_id(std::string_view id, RecordFields& fields) {
  const std::string unique = delivery_ids_.take(std::string(id));
  if (unique == id) return id;
  fields.report(Severity::warning, Fault::unknown_value,
                fmt::format("`delivery.id` {} stands twice in the episode; the later one is called {}",
                            shortened(id, 60), shortened(unique, 60)));
  return recorder_.keep(unique);
}

void EpisodeReader::apply_search(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "search", place, log_);
  fields.string("type");
  const auto id = fields.required_string("id");
  if (!fields.complete()) return;
  Search search;
  search.id = *id;
  search.query = or_empty(fields.string("query"));
  for (const JsonValue* element : fields.objects("returned")) {
    RecordFields parts(*element, "search.returned", place, log_);
    search.returned.push_back(
        {or_empty(parts.string_or_number("item")), parts.string_or_number("version"), parts.number("score")});
    parts.count_unknown();
  }
  search.matched = fields.whole("matched");
  const auto status = fields.string("status");
  search.completed = status && *status == "completed";
  if (!status || (*status != "completed" && *status != "failed")) {
    fields.report(Severity::warning, Fault::unknown_value,
                  "`search.status` should be \"completed\" or \"failed\"; not counted as completed");
  }
  fields.count_unknown();
  recorder_.add_search(std::move(search));
}

void EpisodeReader::apply_memory(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "memory", place, log_);
  fields.string("type");
  const auto op_word = fields.required_string("op");
  const auto item = fields.string_or_number("item");
  if (!fields.complete()) return;
  const auto op = parse_memory_op(*op_word);
  if (!op) {
    fields.report(Severity::error, Fault::unknown_value,
                  fmt::format("`memory.op` is \"{}\"; the line was set aside", shortened(*op_word, 60)));
    return;
  }
  MemoryOperation operation;
  operation.op = *op;
  operation.item = or_empty(item);
  operation.version = fields.string_or_number("version");
  operation.text = fields.string("text");
  operation.from = fields.strings("from");
  operation.operation = or_empty(fields.string_or_number("operation"));
  for (const std::uint64_t step : fields.wholes("steps")) {
    operation.steps.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(step, kNever)));
  }
  operation.at = or_empty(fields.string("at"));
  fields.count_unknown();
  recorder_.add_memory_operation(std::move(operation));
}

void EpisodeReader::apply_side_call(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "side_call", place, log_);
  fields.string("type");
  SideCall call;
  call.purpose = or_empty(fields.string("purpose"));
  call.usage = read_usage(fields, place);
  call.cost_usd = fields.number("cost_usd");
  call.model = or_empty(fields.string("model"));
  fields.count_unknown();
  recorder_.add_side_call(call);
}

void EpisodeReader::apply_end(const JsonValue& record, RecordPlace place) {
  RecordFields fields(record, "end", place, log_);
  fields.string("type");
  episode_.end_reason = or_empty(fields.string("reason"));
  fields.count_unknown();
}

/// True for an episode line, also under a wrong type or none: what follows it must not fall to the episode before.
bool looks_like_episode(const JsonValue& record) {
  return record.field("episode") != nullptr && record.field("task_id") != nullptr;
}

/// Walks the lines of one file and hands over its episodes.
class TraceFileReader {
 public:
  TraceFileReader(const std::string& path, const ReadOptions& options, const EpisodeSink& sink, DiagnosticLog& log)
      : path_(path),
        options_(options),
        sink_(sink),
        log_(log),
        hash_(options.hash_sources, options.read_ahead != nullptr) {}

  void read(std::unique_ptr<ByteStream> stream) {
    ParsedLines lines(std::move(stream), options_, JoinedRecords::are_a_fault);
    while (const ParsedLine* parsed = lines.next()) take_line(*parsed, lines);
    close();
    report_orphans();
  }

 private:
  void take_line(const ParsedLine& parsed, const ParsedLines& lines);
  void take_record(const ParsedLine& parsed, std::string_view type, const ParsedLines& lines);
  void set_aside(const Line& line, const JsonFault& fault);
  void open(const ParsedLine& parsed, const ParsedLines& lines);
  void cover(const Line& line, const ParsedLines& lines);
  void close();
  void report_orphans();

  const std::string& path_;
  const ReadOptions& options_;
  const EpisodeSink& sink_;
  DiagnosticLog& log_;
  std::unique_ptr<EpisodeReader> current_;
  SourceHash hash_;  // over the bytes of the current episode
  bool after_lost_line_ = false;
  std::uint64_t orphan_lines_ = 0;
  std::uint64_t first_orphan_line_ = 0;
  std::uint64_t first_orphan_byte_ = 0;
};

void TraceFileReader::cover(const Line& line, const ParsedLines& lines) {
  if (!current_) return;
  // No text of a line over the limit: reading again passes over it in the same way.
  const std::size_t feed = line.terminated ? 1 : 0;
  if (line.too_long) {
    hash_.add(std::string_view("\n").substr(0, feed), nullptr);
  } else {
    hash_.add(std::string_view(line.text.data(), line.text.size() + feed), lines.text_owner());
  }
  current_->episode().source.byte_end = line.end;
}

void TraceFileReader::take_line(const ParsedLine& parsed, const ParsedLines& lines) {
  const Line& line = parsed.line;
  if (!parsed.blank) log_.begin_record(line.number, line.byte, line.too_long ? line.end : line.byte + line.text.size());
  if (line.too_long) {
    log_.add(Severity::error, Fault::line_too_long, line.number, line.byte,
             fmt::format("more than {} bytes", options_.max_record_bytes));
    if (current_) {
      current_->mark_damaged();
      after_lost_line_ = true;
    }
    return cover(line, lines);
  }
  if (parsed.blank) return cover(line, lines);
  if (parsed.value == nullptr) {
    set_aside(line, parsed.fault);
    return cover(line, lines);
  }
  report_repairs(parsed.repairs, {line.number, line.byte}, log_);
  const JsonValue* type = parsed.value->field("type");
  if (type == nullptr || !type->as_string()) {
    log_.add(Severity::error, Fault::missing_field, line.number, line.byte, "`type` (a string)");
    if (looks_like_episode(*parsed.value)) return close();
    if (current_) current_->mark_damaged();
    return cover(line, lines);
  }
  take_record(parsed, type->text, lines);
}

void TraceFileReader::take_record(const ParsedLine& parsed, std::string_view type, const ParsedLines& lines) {
  const Line& line = parsed.line;
  const JsonValue& record = *parsed.value;
  if (type == "episode") return open(parsed, lines);
  if (looks_like_episode(record)) {
    log_.add(Severity::error, Fault::unknown_type, line.number, line.byte,
             fmt::format("\"{}\" with `episode` and `task_id`; \"episode\" was expected", shortened(type, 60)));
    return close();
  }
  if (current_ && after_lost_line_ && current_->begins_another(type, record)) close();
  if (type == "step") after_lost_line_ = false;
  if (!current_) {
    log_.lose(Fault::out_of_place, "outside any episode");
    if (orphan_lines_++ == 0) {
      first_orphan_line_ = line.number;
      first_orphan_byte_ = line.byte;
    }
    return;
  }
  cover(line, lines);
  current_->episode().arena.adopt(lines.arena());
  current_->apply(type, record, {line.number, line.byte});
  if (type == "end") close();
}

void TraceFileReader::set_aside(const Line& line, const JsonFault& fault) {
  const std::string_view start = line.text.substr(0, std::min<std::size_t>(line.text.size(), 60));
  log_.add(Severity::error, fault.fault, line.number, line.byte + fault.byte,
           fmt::format("{}{}the line starts with {}", fault.detail, fault.detail.empty() ? "" : "; ", start));
  if (!current_) return;
  current_->mark_damaged();
  after_lost_line_ = true;
  // A lost `episode` line: what follows belongs to an episode that is not known.
  if (seems_to_open_episode(line.text)) close();
}

void TraceFileReader::open(const ParsedLine& parsed, const ParsedLines& lines) {
  close();
  report_orphans();
  const Line& line = parsed.line;
  current_ = std::make_unique<EpisodeReader>(options_, log_);
  Episode& episode = current_->episode();
  episode.arena.adopt(lines.arena());
  episode.source.path = path_;
  episode.source.format = canonical_trace_adapter().name();
  episode.source.format_version = "1";
  episode.source.line = line.number;
  episode.source.byte_begin = line.byte;
  cover(line, lines);
  if (!current_->open(*parsed.value, {line.number, line.byte})) {
    log_.add(Severity::error, Fault::episode_set_aside, line.number, line.byte, "");
    hash_.finish_hex();
    current_.reset();
  }
}

void TraceFileReader::close() {
  after_lost_line_ = false;
  if (!current_) return;
  Episode episode = current_->take();
  current_.reset();
  episode.source.sha256 = hash_.finish_hex();
  sink_(std::move(episode));
}

void TraceFileReader::report_orphans() {
  if (orphan_lines_ == 0) return;
  log_.list(Severity::error, Fault::out_of_place, first_orphan_line_, first_orphan_byte_,
            fmt::format("{} line(s) outside any episode, from here on", orphan_lines_));
  orphan_lines_ = 0;
}

class CanonicalTraceAdapter final : public Adapter {
 public:
  [[nodiscard]] std::string_view name() const override { return "memuse-trace"; }
  [[nodiscard]] std::string_view description() const override {
    return "the canonical trace memuse-trace/1 (JSON Lines)";
  }

  [[nodiscard]] std::optional<std::string> detect(std::string_view head) const override {
    if (!has_word(head, "\"episode\"")) return std::nullopt;
    const std::size_t at = find_word(head, kSchemaFamily);
    if (at == std::string_view::npos) {
      // Ours, with the schema forgotten: the reader says so, which helps more than "unknown format".
      const bool looks_like_ours = has_word(head, "\"task_id\"") && has_word(head, "\"type\"");
      return looks_like_ours ? std::optional<std::string>("") : std::nullopt;
    }
    const std::size_t begin = at + kSchemaFamily.size();
    const std::size_t end = head.find_first_not_of("0123456789", begin);
    return std::string(head.substr(begin, end == std::string_view::npos ? end : end - begin));
  }

  void read(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
            const EpisodeSink& sink, DiagnosticLog& log) const override {
    TraceFileReader(path, options, sink, log).read(std::move(stream));
  }
};

}  // namespace

const Adapter& canonical_trace_adapter() {
  static const CanonicalTraceAdapter adapter;
  return adapter;
}

std::vector<Episode> read_canonical_trace(std::string bytes, const ReadOptions& options,
                                          std::vector<Diagnostic>* diagnostics) {
  std::vector<Episode> episodes;
  DiagnosticLog log("<memory>");
  canonical_trace_adapter().read(
      open_string(std::move(bytes)), "<memory>", options,
      [&](Episode&& episode) { episodes.push_back(std::move(episode)); }, log);
  if (diagnostics != nullptr) *diagnostics = log.take();
  return episodes;
}

}  // namespace memuse::ingest
