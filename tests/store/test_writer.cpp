#include "store/writer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "model/text.h"
#include "store/identity.h"
#include "store/reader.h"
#include "study.h"

using namespace memuse;
using namespace memuse::test;
using store::Database;
using store::IngestSummary;
using store::Writer;

namespace {

IngestSummary ingest(const std::filesystem::path& path, const std::vector<EpisodeSketch>& sketches) {
  Database database = Database::open(path);
  IngestSummary summary;
  {
    Writer writer(database);
    for (const EpisodeSketch& sketch : sketches) writer.add(make_prepared(sketch));
    summary = writer.finish();
  }
  database.close();
  return summary;
}

std::vector<EpisodeRecord> episodes(const std::filesystem::path& path) {
  return store::find_episodes(Database::open_existing(path), {});
}

std::vector<std::string> retained_episodes(const std::filesystem::path& path) {
  std::vector<std::string> ids;
  for (const EpisodeRecord& record : episodes(path)) {
    if (record.retained) ids.push_back(record.episode);
  }
  return ids;
}

EpisodeSketch sketch(const std::string& id, const std::string& content, const std::string& path,
                     std::uint64_t byte = 0) {
  EpisodeSketch out;
  out.id = id;
  out.content = content;
  out.path = path;
  out.byte = byte;
  return out;
}

std::int64_t count(const std::filesystem::path& path, const std::string& table) {
  return Database::open_existing(path).connection().integer("SELECT count(*) FROM " + table);
}

}  // namespace

TEST_CASE("every field of an episode comes back") {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  const Episode episode = make_full_episode();
  {
    Database database = Database::open(folder.database());
    Writer writer(database);
    REQUIRE(writer.add(episode, make_full_spans()));
    REQUIRE(writer.finish().added == 1);
  }
  const Database database = Database::open_existing(folder.database());
  std::vector<EpisodeSpansRecord> all;
  store::for_each_episode(database, {}, std::nullopt, [&](const EpisodeSpansRecord& record) {
    all.push_back(record);
    return true;
  });
  REQUIRE(all.size() == 1);
  const EpisodeRecord& r = all[0].episode;
  CHECK(r.uid == store::episode_uid(episode));
  CHECK(r.uid.size() == 32);
  CHECK(r.configuration == "conf\0nul"s);
  CHECK(r.run == "run\\back");
  CHECK(r.episode == "e \"quoted\" 🫖");
  CHECK(r.task_id == "t'1; DROP TABLE episode; --");
  CHECK(r.store == "arc 7");
  CHECK(r.repo == "tea/pot");
  CHECK(r.domain == "kitchen");
  CHECK(r.group == "arc-7");
  CHECK(r.tier == "hard");
  CHECK(r.model == "model-x");
  CHECK(r.seed == "42");
  CHECK(r.condition == "with");
  CHECK(r.position == 12U);
  CHECK(r.visibility == "rebuilt");
  CHECK(r.delivery_grade == "by_rule");
  CHECK(r.resolved == false);
  CHECK(r.reward == 0.5);
  CHECK(r.outcome_source == "check");
  CHECK(r.retained);
  CHECK(r.finalised);
  CHECK(r.steps == 2);
  CHECK(r.agent.calls == 2);
  CHECK(r.agent.input_tokens == 1005);
  CHECK(r.agent.cached_input_tokens == 600);
  CHECK(r.agent.output_tokens == 20);
  CHECK(r.agent.calls_without_tokens == 1);
  CHECK(r.agent.cost_usd == 0.125);
  CHECK(r.agent.calls_without_cost == 1);
  CHECK(r.side.calls == 2);
  CHECK(r.side.input_tokens == 16);
  CHECK(r.side.output_tokens == 7);
  CHECK(r.side.cost_usd == 0.5);
  CHECK(r.side.calls_without_cost == 1);
  CHECK(r.agent_uncosted.empty());
  CHECK(r.side_uncosted == std::vector<UncostedCalls>{{"small \"two\"\n", 1, 9, 2, 4}});
  CHECK(r.source_path == "dir/it's \"here\".jsonl");
  CHECK(r.source_format == "memuse-trace");
  CHECK(r.source_format_version == "1");
  CHECK(r.source_sha256 == sha256_hex("full"));
  CHECK(r.source_line == 3);
  CHECK(r.source_byte_begin == 100);
  CHECK(r.source_byte_end == 900);
  CHECK(r.unowned_entry_steps == 4);

  REQUIRE(all[0].spans.size() == 2);
  const SpanRecord& span = all[0].spans[0];
  CHECK(span.number == 1);
  CHECK(span.first_step == 1);
  CHECK(span.last_step == 2);
  CHECK(span.routing == Routing::judged);
  CHECK(span.status == SpanStatus::not_judged);
  CHECK(!span.verdict);
  REQUIRE(span.deliveries.size() == 1);
  const DeliveryRecord& d = span.deliveries[0];
  CHECK(d.delivery_index == 0);
  CHECK(d.delivery == "d\t1");
  CHECK(d.step == 1);
  CHECK(d.consumed);
  CHECK(d.span == 1);
  CHECK(!d.restatement);
  CHECK(d.route == "agent");
  CHECK(d.form == "full card");
  CHECK(d.entries == 1);
  CHECK(d.placed_bytes == 6);
  CHECK(d.recorded_tokens == 77U);
  CHECK(d.estimated_tokens == 2);
  REQUIRE(span.entries.size() == 1);
  const EntryRecord& e = span.entries[0];
  CHECK(e.item == "I\0x"s);
  CHECK(e.version == "v\"1\"");
  CHECK(e.text == "\0 🫖 'q'"s);
  CHECK(e.text_sha256 == sha256_hex("\0 🫖 'q'"s));
  CHECK(e.identifiers == std::vector<std::string>{"#1", "\0\"\\"s});
  CHECK(e.window == Window{1, 2});
  CHECK(!e.answer);
  const EntryRecord& placed = all[0].spans[1].entries.at(0);
  CHECK(!placed.item);
  CHECK(placed.text == "be brief");
  CHECK(placed.identifiers.empty());

  REQUIRE(all[0].unconsumed.size() == 1);
  const DeliveryRecord& lost = all[0].unconsumed[0];
  CHECK(!lost.consumed);
  CHECK(lost.unconsumed_reason == "entries without a message");
  CHECK(lost.span == 0);
  CHECK(lost.step == 1);
  CHECK(lost.placed_bytes == 8);  // without a message: its entries' texts

  const store::EpisodeDetails details = store::episode_details(database, r.uid).value();
  CHECK(details.tags == std::vector<std::pair<std::string, std::string>>{{"a\"\n", "1"}, {"b", "zwei 🫖\0!"s}});
  REQUIRE(details.probe);
  CHECK(details.probe->dependent == true);
  CHECK(details.probe->pre_satisfied == false);
  CHECK(details.probe->memory_had_fact == true);
  CHECK(!details.probe->memory_utilized);
  CHECK(details.probe->gold == std::vector<std::string>{"42 °C", "\0"s});
  CHECK(details.probe->stale == std::vector<std::string>{"40"});
  CHECK(details.probe->corruption_mode == "swap");
  CHECK(details.probe->corruption_rate == 0.25);
  CHECK(store::episode_probe(database, r.uid)->gold == details.probe->gold);
  CHECK(details.reference_kind == "patch");
  CHECK(details.end_reason == "");
  CHECK(details.first_time_us == 1772359200500000);
  CHECK(details.last_time_us == 1772359200500000);
  CHECK(details.trace_resolved == false);
  CHECK(details.trace_reward == 0.5);
  CHECK(details.trace_outcome_source == "check");
  REQUIRE(details.messages.size() == 3);
  CHECK(details.messages[0].end_step == 2U);
  const store::MessagePlace& block = details.messages[1];
  CHECK(block.id == "m2\n");
  CHECK(block.role == "user");
  CHECK(block.origin == "memory");
  CHECK(block.transient);
  CHECK(block.line_order == 2);
  CHECK(block.first_step == 1);
  CHECK(!block.end_step);
  REQUIRE(block.versions.size() == 2);
  CHECK(block.versions[0].bytes == 20);
  CHECK(block.versions[0].hash.size() == 32);
  CHECK(block.versions[1].line_order == 9);
  CHECK(block.versions[1].from_step == 2);
  CHECK(block.versions[1].bytes == 9);
  CHECK(details.messages[2].of_step == 1);
  REQUIRE(details.operations.size() == 2);
  CHECK(details.operations[0].op == "delete");
  CHECK(details.operations[0].item == "I9");
  CHECK(!details.operations[0].version);
  CHECK(!details.operations[0].text);
  CHECK(details.operations[0].from == std::vector<std::string>{"a", "b\""});
  CHECK(details.operations[0].operation == "op-1");
  CHECK(details.operations[0].steps == std::vector<std::uint32_t>{1, 2});
  CHECK(details.operations[0].at == "2026-03-01");
  CHECK(details.operations[0].line_order == 10);
  CHECK(details.operations[0].after_step == 1);
  CHECK(details.operations[1].number == 1);
  CHECK(details.operations[1].text == "new \0 text"s);
  CHECK(details.operations[1].text_sha256 == sha256_hex("new \0 text"s));
  REQUIRE(details.searches.size() == 2);
  CHECK(details.searches[0].query == "why '🫖'?");
  REQUIRE(details.searches[0].returned.size() == 2);
  CHECK(details.searches[0].returned[0].version == "v1");
  CHECK(details.searches[0].returned[0].score == 0.5);
  CHECK(!details.searches[0].returned[1].version);
  CHECK(details.searches[0].matched == 9U);
  CHECK(!details.searches[0].completed);
  CHECK(details.searches[0].step == 1);
  CHECK(details.searches[1].completed);
  CHECK(details.searches[1].step == 0);
  CHECK(!store::episode_details(database, "0123"));
}

TEST_CASE("statuses of automatic and empty spans, a search counts as an empty delivery") {
  const TemporaryFolder folder;
  ingest(folder.database(), {EpisodeSketch{}});
  store::for_each_episode(Database::open_existing(folder.database()), {}, std::nullopt,
                          [](const EpisodeSpansRecord& record) {
                            REQUIRE(record.spans.size() == 3);
                            CHECK(record.spans[0].status == SpanStatus::not_judged);
                            CHECK(!record.spans[0].verdict);
                            CHECK(record.spans[0].deliveries[1].restatement);
                            CHECK(record.spans[1].status == SpanStatus::automatic);
                            CHECK(record.spans[1].verdict == Verdict::neutral);
                            CHECK(record.spans[1].deliveries[0].placed_bytes == 9);
                            CHECK(record.spans[2].status == SpanStatus::empty);
                            CHECK(record.spans[2].verdict == Verdict::neutral);
                            CHECK(record.spans[2].deliveries[0].delivery == "q1");
                            CHECK(record.spans[2].deliveries[0].delivery_index == 4);
                            CHECK(record.spans[2].deliveries[0].step == 2);
                            REQUIRE(record.unconsumed.size() == 1);
                            CHECK(record.unconsumed[0].step == 0);
                            return true;
                          });
}

TEST_CASE("the uid depends on content and names only") {
  const EpisodeSketch base;
  const std::string uid = store::episode_uid(make_episode(base));
  EpisodeSketch moved = base;
  moved.path = "z/other.jsonl";
  moved.byte = 700;
  CHECK(store::episode_uid(make_episode(moved)) == uid);
  std::vector<EpisodeSketch> others(6, base);
  others[0].configuration += "x";
  others[1].run += "x";
  others[2].id += "x";
  others[3].task += "x";
  others[4].content += "x";
  others[5].position = 0;
  std::vector<std::string> uids{uid};
  for (const EpisodeSketch& other : others) uids.push_back(store::episode_uid(make_episode(other)));
  // The same letters, split otherwise over two fields.
  EpisodeSketch split = base;
  split.configuration = "card";
  split.run = "sr1";
  uids.push_back(store::episode_uid(make_episode(split)));
  std::sort(uids.begin(), uids.end());
  CHECK(std::unique(uids.begin(), uids.end()) == uids.end());
}

TEST_CASE("the uid changes with every part of the model") {
  const auto changed = [](const auto& change) {
    Episode episode = make_full_episode();
    change(episode);
    return store::episode_uid(episode);
  };
  const std::string uid = changed([](Episode&) {});
  CHECK(changed([](Episode&) {}) == uid);
  CHECK(changed([](Episode& e) { e.messages[0].end_step = 3; }) != uid);
  CHECK(changed([](Episode& e) { e.messages[1].versions.pop_back(); }) != uid);
  CHECK(changed([](Episode& e) { e.steps[0].cost_usd.reset(); }) != uid);
  CHECK(changed([](Episode& e) { e.steps[0].actions.push_back({"a", "b", "c"}); }) != uid);
  CHECK(changed([](Episode& e) { e.deliveries[0].entries[0].identifiers.pop_back(); }) != uid);
  CHECK(changed([](Episode& e) { e.deliveries[2].entries[0].item = ""; }) != uid);
  CHECK(changed([](Episode& e) { e.searches[0].returned.pop_back(); }) != uid);
  CHECK(changed([](Episode& e) { e.memory_operations[0].steps = {1}; }) != uid);
  CHECK(changed([](Episode& e) { e.side_calls[0].purpose = "embed"; }) != uid);
  // Outcome and probe may come from files of their own; where they stand in the trace, its bytes have changed.
  CHECK(changed([](Episode& e) { e.probe->gold.pop_back(); }) == uid);
  CHECK(changed([](Episode& e) { e.outcome.reset(); }) == uid);
  CHECK(changed([](Episode& e) { e.tags.pop_back(); }) != uid);
  CHECK(changed([](Episode& e) { e.end_reason.reset(); }) != uid);
  const std::string long_text(1000, 'x');
  const std::string other_text = std::string(999, 'x') + 'y';
  CHECK(changed([&](Episode& e) { e.steps[0].reasoning = long_text; }) !=
        changed([&](Episode& e) { e.steps[0].reasoning = other_text; }));
}

TEST_CASE("ingesting again changes nothing") {
  const TemporaryFolder folder;
  const std::vector<EpisodeSketch> all{sketch("e1", "kettle", "a.jsonl"), sketch("e2", "pan", "a.jsonl", 100)};
  const IngestSummary first = ingest(folder.database(), all);
  CHECK(first.added == 2);
  CHECK(first.diagnostics.empty());
  const std::string before = dump(folder.database());
  const IngestSummary second = ingest(folder.database(), all);
  CHECK(second.added == 0);
  CHECK(second.known == 2);
  CHECK(second.diagnostics.empty());
  CHECK(dump(folder.database()) == before);
  const auto log = store::ingests(Database::open_existing(folder.database()));
  REQUIRE(log.size() == 2);
  CHECK(log[1].finished);
  CHECK(log[1].known == 2);
}

TEST_CASE("the order of adding does not matter") {
  std::vector<EpisodeSketch> all;
  for (int i = 0; i < 12; ++i) {
    EpisodeSketch s = sketch("e" + std::to_string(i % 6), "content" + std::to_string(i % 8),
                             "f" + std::to_string(i % 4) + ".jsonl", static_cast<std::uint64_t>(100 * i));
    s.configuration = i % 3 == 0 ? "b" : "a";
    s.task = "t" + std::to_string(i % 3);
    if (i % 2 == 0) s.position = static_cast<std::uint64_t>(20 - i);
    if (i % 5 == 0) s.ended = false;
    all.push_back(s);
  }
  for (int i = 0; i < 4; ++i) {  // the same episodes in other files
    EpisodeSketch copy = all[static_cast<std::size_t>(i)];
    copy.path = i % 2 == 0 ? "copy.jsonl" : "z.jsonl";
    all.push_back(copy);
  }
  std::mt19937 random(7);
  std::string expected;
  for (int round = 0; round < 8; ++round) {
    const TemporaryFolder folder;
    ingest(folder.database(), all);
    const std::string now = dump(folder.database());
    if (round == 0) expected = now;
    CHECK(now == expected);
    std::shuffle(all.begin(), all.end(), random);
  }
  CHECK(expected.find("already read from another file") != std::string::npos);
}

TEST_CASE("episodes come in their order") {
  const TemporaryFolder folder;
  std::vector<EpisodeSketch> all;
  const auto add = [&all](const std::string& configuration, const std::string& run, const std::string& id,
                          std::optional<std::uint64_t> position) {
    EpisodeSketch s = sketch(id, configuration + run + id, "a.jsonl");
    s.configuration = configuration;
    s.run = run;
    s.position = position;
    all.push_back(s);
  };
  add("b", "r1", "e1", 1);
  add("a", "r2", "e0", std::nullopt);
  add("a", "r2", "e9", 2);
  add("a", "r2", "e1", 10);
  add("a", "r2", "e2", 10);
  add("a", "r1", "e5", 99);
  ingest(folder.database(), all);
  std::string order;
  for (const EpisodeRecord& r : episodes(folder.database())) order += r.configuration + r.run + r.episode + " ";
  CHECK(order == "ar1e5 ar2e9 ar2e1 ar2e2 ar2e0 br1e1 ");

  const Database database = Database::open_existing(folder.database());
  CHECK(store::find_episodes(database, {"a", std::nullopt, std::nullopt}).size() == 5);
  CHECK(store::find_episodes(database, {"a", "r2", std::nullopt}).size() == 4);
  CHECK(store::find_episodes(database, {std::nullopt, "r1", std::nullopt}).size() == 2);
  const auto e1 = store::find_episodes(database, {std::nullopt, std::nullopt, "e1"});
  REQUIRE(e1.size() == 2);
  CHECK(store::find_episodes(database, {std::nullopt, std::nullopt, e1[1].uid}).size() == 1);
  const auto runs = store::runs(database);
  REQUIRE(runs.size() == 3);
  CHECK(runs[1].run == "r2");
  CHECK(runs[1].episodes == 4);
}

TEST_CASE("the same episode in two files is counted once, with the smaller path") {
  const TemporaryFolder folder;
  const IngestSummary first = ingest(folder.database(), {sketch("e1", "kettle", "b.jsonl")});
  CHECK(first.diagnostics.empty());
  const IngestSummary second =
      ingest(folder.database(), {sketch("e1", "kettle", "a.jsonl"), sketch("e1", "kettle", "c.jsonl", 300)});
  CHECK(second.added == 0);
  REQUIRE(second.diagnostics.size() == 2);
  CHECK(second.diagnostics[0].file == "b.jsonl");
  CHECK(second.diagnostics[1].file == "c.jsonl");
  CHECK(second.diagnostics[1].line == 4);
  for (const Diagnostic& diagnostic : second.diagnostics) {
    CHECK(diagnostic.fault == Fault::duplicate_episode);
    CHECK(diagnostic.severity == Severity::note);
    CHECK(diagnostic.detail.find("kept from a.jsonl") != std::string::npos);
  }
  const auto all = episodes(folder.database());
  REQUIRE(all.size() == 1);
  CHECK(all[0].source_path == "a.jsonl");
}

TEST_CASE("an episode that moved inside its file keeps its identity and gets its new place") {
  const TemporaryFolder folder;
  ingest(folder.database(), {sketch("e1", "kettle", "a.jsonl", 0)});
  ingest(folder.database(), {sketch("e1", "kettle", "a.jsonl", 500)});
  CHECK(episodes(folder.database()).at(0).source_byte_begin == 500);
  // Twice in one file: the first place counts, in whatever order they come, also when ingested again.
  for (const std::vector<std::uint64_t>& order : {std::vector<std::uint64_t>{900, 500}, {500, 900}}) {
    const IngestSummary summary = ingest(
        folder.database(), {sketch("e1", "kettle", "a.jsonl", order[0]), sketch("e1", "kettle", "a.jsonl", order[1])});
    CHECK(summary.diagnostics.empty());
    CHECK(episodes(folder.database()).at(0).source_byte_begin == 500);
  }
}

TEST_CASE("newer content of a file replaces the older") {
  const TemporaryFolder folder;
  ingest(folder.database(), {sketch("e1", "kettle", "a.jsonl"), sketch("e2", "pan", "a.jsonl", 100)});
  const IngestSummary summary =
      ingest(folder.database(), {sketch("e1", "samovar", "a.jsonl"), sketch("e2", "pan", "a.jsonl", 120)});
  CHECK(summary.added == 1);
  CHECK(summary.replaced == 1);
  REQUIRE(summary.diagnostics.size() == 1);
  CHECK(summary.diagnostics[0].fault == Fault::replaced_episode);
  CHECK(summary.diagnostics[0].file == "a.jsonl");

  const TemporaryFolder fresh;
  ingest(fresh.database(), {sketch("e1", "samovar", "a.jsonl"), sketch("e2", "pan", "a.jsonl", 120)});
  for (const char* table :
       {"episode", "transcript", "span", "delivery", "entry", "text", "memory_operation", "search"}) {
    INFO(table);
    CHECK(count(folder.database(), table) == count(fresh.database(), table));
  }
  CHECK(Database::open_existing(folder.database())
            .connection()
            .integer("SELECT count(*) FROM text WHERE body LIKE '%kettle%'") == 0);
}

TEST_CASE("other content from another file is another attempt") {
  const TemporaryFolder folder;
  ingest(folder.database(), {sketch("e1", "kettle", "a.jsonl")});
  const IngestSummary summary = ingest(folder.database(), {sketch("e1", "samovar", "b.jsonl")});
  CHECK(summary.replaced == 0);
  CHECK(episodes(folder.database()).size() == 2);
}

TEST_CASE("one id twice in a file with other content: both stay, also when ingested again") {
  const TemporaryFolder folder;
  const std::vector<EpisodeSketch> both{sketch("e1", "kettle", "a.jsonl"), sketch("e1", "pan", "a.jsonl", 100)};
  ingest(folder.database(), both);
  const IngestSummary again = ingest(folder.database(), {both[1], both[0]});
  CHECK(again.replaced == 0);
  CHECK(episodes(folder.database()).size() == 2);
}

TEST_CASE("content that left its file for another one is not replaced but moved") {
  const TemporaryFolder folder;
  ingest(folder.database(), {sketch("e1", "kettle", "a.jsonl")});
  const IngestSummary summary =
      ingest(folder.database(), {sketch("e1", "samovar", "a.jsonl"), sketch("e1", "kettle", "b.jsonl")});
  CHECK(summary.replaced == 0);
  CHECK(summary.diagnostics.empty());
  const auto all = episodes(folder.database());
  REQUIRE(all.size() == 2);
  CHECK((all[0].source_path == "b.jsonl") != (all[1].source_path == "b.jsonl"));
}

TEST_CASE("an interrupted ingest replaces nothing") {
  const TemporaryFolder folder;
  ingest(folder.database(), {sketch("e1", "kettle", "a.jsonl")});
  {
    Database database = Database::open(folder.database());
    Writer writer(database);
    writer.add(make_prepared(sketch("e1", "samovar", "a.jsonl")));
    writer.flush();
  }
  CHECK(episodes(folder.database()).size() == 2);
  CHECK(!store::ingests(Database::open_existing(folder.database())).back().finished);
  // The next one sees that the file holds only the new content.
  CHECK(ingest(folder.database(), {sketch("e1", "samovar", "a.jsonl")}).replaced == 1);
  CHECK(episodes(folder.database()).size() == 1);
}

TEST_CASE("without flush or finish the batch in flight is dropped") {
  const TemporaryFolder folder;
  {
    Database database = Database::open(folder.database());
    Writer writer(database);
    writer.add(make_prepared(EpisodeSketch{}));
  }
  CHECK(episodes(folder.database()).empty());
}

TEST_CASE("the latest finalised attempt is retained") {
  const auto attempt = [](const std::string& id, const std::string& time, bool ended) {
    EpisodeSketch s = sketch(id, "kettle " + id, id + ".jsonl");
    s.times = {time};
    s.ended = ended;
    return s;
  };
  const auto retained = [](const std::vector<EpisodeSketch>& attempts) {
    const TemporaryFolder folder;
    ingest(folder.database(), attempts);
    return retained_episodes(folder.database());
  };
  using Ids = std::vector<std::string>;
  // Times are compared as moments, not as text.
  CHECK(retained({attempt("e1", "2026-03-01T10:30:00+02:00", true), attempt("e2", "2026-03-01T09:00:00Z", true)}) ==
        Ids{"e2"});
  CHECK(retained({attempt("e1", "2026-03-01T10:30:00Z", true), attempt("e2", "2026-03-01T10:30:00.1Z", true)}) ==
        Ids{"e2"});
  // An unfinished later one does not count …
  CHECK(retained({attempt("e1", "2026-03-01T10:00:00Z", true), attempt("e2", "2026-03-02T10:00:00Z", false)}) ==
        Ids{"e1"});
  // … unless there is no other.
  CHECK(retained({attempt("e1", "2026-03-03T10:00:00Z", false), attempt("e2", "2026-03-02T10:00:00Z", false)}) ==
        Ids{"e1"});
  // Without times the larger id counts; a time beats none.
  CHECK(retained({attempt("e2", "", true), attempt("e1", "", true)}) == Ids{"e2"});
  CHECK(retained({attempt("e2", "", true), attempt("e1", "2026-03-01T10:00:00Z", true)}) == Ids{"e1"});
  // A known outcome finalises.
  EpisodeSketch with_outcome = attempt("e1", "2026-03-02T10:00:00Z", false);
  with_outcome.resolved = false;
  CHECK(retained({with_outcome, attempt("e2", "2026-03-01T10:00:00Z", true)}) == Ids{"e1"});
  // Other runs and tasks are no attempts of this one.
  EpisodeSketch other_run = attempt("e2", "2026-03-02T10:00:00Z", true);
  other_run.run = "r2";
  EpisodeSketch other_task = attempt("e3", "2026-03-02T10:00:00Z", true);
  other_task.task = "t2";
  CHECK(retained({attempt("e1", "2026-03-01T10:00:00Z", true), other_run, other_task}) == Ids{"e1", "e3", "e2"});
}

TEST_CASE("diagnostics of a file that was read again are renewed") {
  const TemporaryFolder folder;
  const Diagnostic bad{"a.jsonl", 7, 70, Severity::error, Fault::invalid_json, "found \"x\"\n", 1};
  const Diagnostic counted{"b.jsonl", 0, 0, Severity::note, Fault::unknown_field, "spice", 5};
  const auto ingest_with = [&folder](const std::vector<Diagnostic>& found) {
    Database database = Database::open(folder.database());
    Writer writer(database);
    writer.add(make_prepared(EpisodeSketch{}));
    for (const Diagnostic& diagnostic : found) writer.add_diagnostic(diagnostic);
    writer.finish();
    return store::diagnostics(database);
  };
  CHECK(ingest_with({counted, bad}) == std::vector<Diagnostic>{bad, counted});
  CHECK(ingest_with({bad}) == std::vector<Diagnostic>{bad, counted});  // b.jsonl was not read this time
  CHECK(ingest_with({}) == std::vector<Diagnostic>{counted});          // a.jsonl is clean now
  Diagnostic twice = bad;
  twice.count = 2;
  CHECK(ingest_with({bad, bad}) == std::vector<Diagnostic>{twice, counted});
}

TEST_CASE("small batches give the same study") {
  std::vector<EpisodeSketch> all;
  for (int i = 0; i < 30; ++i) all.push_back(sketch("e" + std::to_string(i), "pot" + std::to_string(i % 4), "a.jsonl"));
  const TemporaryFolder large;
  ingest(large.database(), all);
  const TemporaryFolder small;
  {
    Database database = Database::open(small.database());
    Writer writer(database, {1, std::chrono::milliseconds(0)});
    for (const EpisodeSketch& s : all) writer.add(make_prepared(s));
    writer.finish();
  }
  CHECK(dump(small.database()) == dump(large.database()));
}
