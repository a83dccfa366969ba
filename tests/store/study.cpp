#include "study.h"

#include <fmt/format.h>

#include "model/text.h"
#include "store/reader.h"

namespace memuse::test {
namespace {

/// Adds a message that is visible from `first_step` on.
std::uint32_t add_message(Episode& episode, std::string_view id, Role role, Origin origin, std::uint32_t first_step,
                          std::string_view text) {
  Message message;
  message.id = episode.arena.keep(id);
  message.role = role;
  message.origin = origin;
  message.order = ++episode.lines;
  message.first_step = first_step;
  message.versions.push_back({message.order, first_step, episode.texts.intern(episode.arena.keep(text))});
  episode.messages.push_back(message);
  return static_cast<std::uint32_t>(episode.messages.size() - 1);
}

std::string window_text(const std::optional<Window>& window) {
  return window ? fmt::format("[{},{}]", window->first, window->last) : "none";
}

template <typename Value>
std::string text_of(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : "null";
}

template <typename Enum>
std::string enum_text(const std::optional<Enum>& value) {
  return value ? std::string(name(*value)) : "null";
}

std::string delivery_text(const DeliveryRecord& d) {
  return fmt::format("  delivery {} {} step {} consumed {} '{}' span {} again {} {} {} entries {} bytes {} {} {}\n",
                     d.delivery_index, d.delivery, d.step, d.consumed, d.unconsumed_reason, d.span, d.restatement,
                     d.route, d.form, d.entries, d.placed_bytes, text_of(d.recorded_tokens), d.estimated_tokens);
}

std::string entry_text(const EntryRecord& e) {
  std::string out = fmt::format("  entry {} {} {} '{}' {} [{}] {}\n", e.entry, text_of(e.item), text_of(e.version),
                                e.text, e.text_sha256, fmt::join(e.identifiers, "|"), window_text(e.window));
  if (e.answer) {
    const Labels& labels = e.answer->labels;
    out += fmt::format("   answer {} {} {} {} {} [{}] {} evidence {}\n", text_of(labels.relevance),
                       enum_text(labels.accuracy), enum_text(labels.novelty), enum_text(labels.influence),
                       enum_text(labels.effect), fmt::join(e.answer->anchors, ","), e.answer->evidence.size(),
                       e.answer->reason);
  }
  return out;
}

std::string episode_text(const EpisodeRecord& r) {
  return fmt::format(
      "{} {} {} {} {} {} pos {} resolved {} reward {} from '{}' retained {} finalised {} steps {} {} {} "
      "{} {} {} {} {} {}\n",
      r.uid, r.configuration, r.run, r.episode, r.task_id, r.store, text_of(r.position), text_of(r.resolved),
      text_of(r.reward), r.outcome_source, r.retained, r.finalised, r.steps, r.source_path, r.source_line,
      r.source_byte_begin, r.agent.calls, r.agent.cost_usd, r.side.calls, text_of(r.agent_seconds), r.delivery_rules);
}

std::string details_text(const store::EpisodeDetails& details) {
  std::string out;
  for (const auto& message : details.messages) {
    out += fmt::format("  message {} {} {} to {} {}\n", message.id, message.role, message.first_step,
                       text_of(message.end_step), message.versions.front().hash);
  }
  for (const auto& operation : details.operations) {
    out += fmt::format("  operation {} {} {} '{}'\n", operation.op, operation.item, text_of(operation.version),
                       text_of(operation.text));
  }
  for (const auto& search : details.searches) out += fmt::format("  search {} {}\n", search.search, search.query);
  return out;
}

}  // namespace

Episode make_episode(const EpisodeSketch& sketch) {
  Episode episode;
  Arena& arena = episode.arena;
  episode.id = arena.keep(sketch.id);
  episode.task_id = arena.keep(sketch.task);
  episode.configuration = arena.keep(sketch.configuration);
  episode.run = arena.keep(sketch.run);
  episode.position = sketch.position;
  if (sketch.ended) episode.end_reason = "done";
  if (sketch.resolved) episode.outcome = Outcome{sketch.resolved, std::nullopt, "harness"};

  add_message(episode, "m1", Role::user, Origin::task, 1, "boil the " + sketch.content);
  const std::uint32_t card =
      add_message(episode, "m2", Role::user, Origin::memory, 1, "lid first | dry base | " + sketch.content);
  Delivery first;
  first.id = "d1";
  first.form = "recall";
  first.order = ++episode.lines;
  first.consuming_step = 1;
  first.message = card;
  first.entries = {{"I1", "1", "lid first", {"card-1"}, ByteRange{0, 9}}, {"I2", std::nullopt, "dry base", {}, {}}};
  Delivery again = first;
  again.id = "d2";
  again.order = ++episode.lines;
  again.consuming_step = 2;
  Delivery shorter = again;
  shorter.id = "d3";
  shorter.route = Route::agent;
  shorter.order = ++episode.lines;
  shorter.message.reset();
  shorter.entries.pop_back();
  Delivery late = first;
  late.id = "d4";
  late.order = ++episode.lines;
  late.consuming_step = kNever;
  episode.deliveries = {first, again, shorter, late};
  Search search;
  search.id = "q1";
  search.query = arena.keep("how to boil " + sketch.content);
  search.order = ++episode.lines;
  search.step = 2;
  episode.searches = {search};
  for (const std::string& time : sketch.times) {
    Step step;
    step.order = ++episode.lines;
    step.response = "on it";
    step.usage.input = 100;
    step.usage.output = 10;
    step.time = arena.keep(time);
    episode.steps.push_back(step);
  }
  MemoryOperation create;
  create.item = "I3";
  create.version = "1";
  create.text = arena.keep("descale the " + sketch.content);
  create.order = ++episode.lines;
  create.after_step = 2;
  MemoryOperation update;
  update.op = MemoryOp::update;
  update.item = "I1";
  update.version = "2";
  update.text = "lid first, then base";
  update.from = {"1"};
  update.order = ++episode.lines;
  update.after_step = 2;
  episode.memory_operations = {create, update};
  episode.source = {sketch.path,
                    "memuse-trace",
                    "1",
                    "",
                    sketch.byte / 100 + 1,
                    sketch.byte,
                    sketch.byte + 90,
                    sha256_hex(sketch.content)};
  return episode;
}

EpisodeSpans make_spans() {
  EpisodeSpans spans;
  spans.spans.push_back(
      {1, 1, 2, Routing::judged, {{0, 1, false}, {1, 2, true}}, {{0, Window{1, 2}}, {1, std::nullopt}}});
  spans.spans.push_back({2, 2, 2, Routing::automatic_neutral, {{2, 2, false}}, {{0, std::nullopt}}});
  spans.spans.push_back({3, 2, 2, Routing::empty, {{4, 2, false}}, {}});
  spans.unconsumed.push_back({3, "no step followed"});
  spans.unowned_entry_steps = 1;
  return spans;
}

store::PreparedEpisode make_prepared(const EpisodeSketch& sketch) {
  return store::prepare(make_episode(sketch), make_spans());
}

Episode make_full_episode() {
  using namespace std::string_view_literals;
  Episode episode;
  episode.id = "e \"quoted\" 🫖";
  episode.task_id = "t'1; DROP TABLE episode; --";
  episode.configuration = "conf\0nul"sv;
  episode.run = "run\\back";
  episode.store = "arc 7";
  episode.visibility = VisibilityGrade::rebuilt;
  episode.delivery_grade = DeliveryGrade::by_rule;
  episode.position = 12;
  episode.repo = "tea/pot";
  episode.domain = "kitchen";
  episode.group = "arc-7";
  episode.tier = "hard";
  episode.model = "model-x";
  episode.seed = "42";
  episode.condition = "with";
  episode.tags = {{"a\"\n", "1"}, {"b", "zwei 🫖\0!"sv}};
  episode.probe = Probe{true, {"42 °C", "\0"sv}, {"40"}, false, true, std::nullopt, true, Corruption{"swap", 0.25}};
  episode.outcome = Outcome{false, 0.5, "check"};
  episode.reference = Reference{"patch", "reference text"};
  episode.end_reason = "";

  const std::uint32_t first = add_message(episode, "m\"1\"", Role::system, Origin::system, 1, "be brief");
  episode.messages[first].end_step = 2;
  const std::uint32_t block = add_message(episode, "m2\n", Role::user, Origin::memory, 1, "note: \0 🫖 'q' \"p\""sv);
  episode.messages[block].transient = true;
  episode.messages[block].versions.push_back({9, 2, episode.texts.intern("rewritten")});
  const std::uint32_t reply = add_message(episode, "s1", Role::assistant, Origin::other, 2, "fine");
  episode.messages[reply].of_step = 1;

  Delivery with_entries{"d\t1", Route::agent, "full card", 3, 1, block, ByteRange{6, 12}, {}, "q1", 77};
  with_entries.entries = {{"I\0x"sv, "v\"1\"", "\0 🫖 'q'"sv, {"#1", "\0\"\\"sv}, ByteRange{6, 13}}};
  const Delivery whole{"d2", Route::host, "persona", 4, 1, first, std::nullopt, {}, "", std::nullopt};
  const Delivery no_message{
      "d3", Route::host, "recall", 5, 1, std::nullopt, std::nullopt, {{{}, {}, "floating", {}, {}}}, "", std::nullopt};
  episode.deliveries = {with_entries, whole, no_message};
  Search search{"q1", "why '🫖'?", {{"I1", "v1", 0.5}, {"I2", std::nullopt, std::nullopt}}, 9, false, 2, 1};
  Search nothing{"q2", "", {}, std::nullopt, true, 6, kNever};
  episode.searches = {search, nothing};
  Step step;
  step.order = 7;
  step.response_message = reply;
  step.response = "fine";
  step.usage = {1000, 600, 20};
  step.cost_usd = 0.125;
  step.time = "2026-03-01T12:00:00.5+02:00";
  Step silent;
  silent.order = 8;
  silent.usage.input = 5;
  episode.steps = {step, silent};
  episode.memory_operations = {
      {MemoryOp::delete_item, "I9", std::nullopt, std::nullopt, {"a", "b\""}, "op-1", {1, 2}, "2026-03-01", 10, 1},
      {MemoryOp::create, "I\0x"sv, "v2", "new \0 text"sv, {}, "", {}, "", 11, 2}};
  SideCall side;
  side.purpose = "extract";
  side.usage = {7, 0, 3};
  side.cost_usd = 0.5;
  side.model = "small";
  episode.side_calls = {side};
  episode.source = {"dir/it's \"here\".jsonl", "memuse-trace", "1", "part=2", 3, 100, 900, sha256_hex("full")};
  return episode;
}

EpisodeSpans make_full_spans() {
  EpisodeSpans spans;
  spans.spans.push_back({1, 1, 2, Routing::judged, {{0, 1, false}}, {{0, Window{1, 2}}}});
  spans.spans.push_back({2, 1, 1, Routing::judged, {{1, 1, false}}, {{0, Window{1, 1}}}});
  spans.unconsumed.push_back({2, "entries without a message"});
  spans.unowned_entry_steps = 4;
  return spans;
}

std::string dump(const store::Database& database, std::optional<std::int64_t> judgement_set) {
  std::string out;
  store::for_each_episode(database, {}, judgement_set, [&](const EpisodeSpansRecord& record) {
    out += episode_text(record.episode);
    for (const SpanRecord& span : record.spans) {
      out += fmt::format(" S{} {}-{} {} {} {} {}\n", span.number, span.first_step, span.last_step, name(span.routing),
                         name(span.status), enum_text(span.verdict), span.unresolved_reason);
      for (const DeliveryRecord& delivery : span.deliveries) out += delivery_text(delivery);
      for (const EntryRecord& entry : span.entries) out += entry_text(entry);
    }
    for (const DeliveryRecord& delivery : record.unconsumed) out += delivery_text(delivery);
    out += details_text(*store::episode_details(database, record.episode.uid));
    return true;
  });
  for (const Diagnostic& diagnostic : store::diagnostics(database)) out += to_line(diagnostic) + "\n";
  return out;
}

std::string dump(const std::filesystem::path& path, std::optional<std::int64_t> judgement_set) {
  return dump(store::Database::open_existing(path), judgement_set);
}

}  // namespace memuse::test
