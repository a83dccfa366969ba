#include "store/judgements.h"

#include <catch2/catch.hpp>
#include <string>

#include "model/error.h"
#include "store/reader.h"
#include "store/writer.h"
#include "study.h"

using namespace memuse;
using namespace memuse::test;
using store::Database;
using store::Durability;
using store::JudgementWriter;
using store::Writer;

namespace {

std::string ingest(Database& database, const EpisodeSketch& sketch) {
  Writer writer(database);
  const store::PreparedEpisode episode = make_prepared(sketch);
  writer.add(episode);
  writer.finish();
  return episode.record.uid;
}

Answer full_answer() {
  using namespace std::string_literals;
  EntryAnswer entry;
  entry.entry = 0;
  entry.labels = {true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved};
  entry.anchors = {1, 2};
  entry.evidence = {{1U, "", "a \"quote\"\0 🫖"s, "influence", "42"},
                    {0U, "", "task", "relevance", ""},
                    {std::nullopt, "prior_context", "earlier", "novelty", "", Evidence::Place{"deliveries", 3, 10}}};
  entry.reason = "because\nof it";
  return {{entry}};
}

SpanRecord span_of(const Database& database, std::uint32_t number, std::optional<std::int64_t> set) {
  SpanRecord found;
  store::for_each_episode(database, {}, set, [&](const EpisodeSpansRecord& record) {
    found = record.spans.at(number - 1);
    return true;
  });
  return found;
}

}  // namespace

TEST_CASE("answers come back as they were given") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  const std::string uid = ingest(database, {});
  const Durability durability = GENERATE(Durability::batched, Durability::each_answer);
  JudgementWriter writer(database, durability);
  const std::int64_t set = writer.open_judgement_set("judge \"x\"", "memuse-rules/1", "{}", true, false);
  CHECK(!writer.has_answer(set, uid, 1));
  CHECK(!writer.is_unresolved(set, uid, 1));
  CHECK(span_of(database, 1, set).status == SpanStatus::not_judged);
  CallTotals cost;
  cost.calls = 3;
  cost.input_tokens = 100;
  cost.cached_input_tokens = 40;
  cost.output_tokens = 7;
  cost.cost_usd = 0.25;
  writer.put_answer(set, uid, 1, full_answer(), Verdict::beneficial, cost);
  CHECK(writer.has_answer(set, uid, 1));
  writer.flush();

  const SpanRecord span = span_of(Database::open_existing(folder.database()), 1, set);
  CHECK(span.status == SpanStatus::judged);
  CHECK(span.verdict == Verdict::beneficial);
  CHECK(span.entries.at(0).answer == full_answer().entries[0]);
  CHECK(!span.entries.at(1).answer);
  CHECK(span_of(database, 1, std::nullopt).status == SpanStatus::not_judged);
  CHECK(span_of(database, 2, set).status == SpanStatus::automatic);

  const auto sets = store::judgement_sets(database);
  REQUIRE(sets.size() == 1);
  CHECK(sets[0].id == set);
  CHECK(sets[0].judge == "judge \"x\"");
  CHECK(sets[0].rules == "memuse-rules/1");
  CHECK(sets[0].settings == "{}");
  CHECK(sets[0].assesses_relevance);
  CHECK(!sets[0].assesses_accuracy);
  CHECK(sets[0].calls == 3);
  CHECK(sets[0].input_tokens == 100);
  CHECK(sets[0].cached_input_tokens == 40);
  CHECK(sets[0].output_tokens == 7);
  CHECK(sets[0].cost_usd == 0.25);
}

TEST_CASE("every combination of labels is stored and read") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  const std::string uid = ingest(database, {});
  JudgementWriter writer(database, Durability::batched);
  const std::int64_t set = writer.open_judgement_set("j", "r", "{}", true, true);
  const auto with_null = [](auto first, int values) {
    std::vector<std::optional<decltype(first)>> all{std::nullopt};
    for (int i = 0; i < values; ++i) all.push_back(static_cast<decltype(first)>(i));
    return all;
  };
  for (const auto& relevance : with_null(false, 2))
    for (const auto& accuracy : with_null(Accuracy{}, 3))
      for (const auto& novelty : with_null(Novelty{}, 3))
        for (const auto& influence : with_null(Influence{}, 4))
          for (const auto& effect : with_null(Effect{}, 3)) {
            Answer answer;
            answer.entries.push_back({0, {relevance, accuracy, novelty, influence, effect}, {}, {}, ""});
            writer.put_answer(set, uid, 1, answer, Verdict::neutral);
            const auto read = span_of(database, 1, set).entries.at(0).answer;
            REQUIRE(read == answer.entries[0]);
          }
  CHECK(!store::judgement_sets(database).at(0).cost_usd);
}

TEST_CASE("unresolved spans, and a later answer for them") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  const std::string uid = ingest(database, {});
  JudgementWriter writer(database, Durability::batched);
  const std::int64_t set = writer.open_judgement_set("j", "r", "{}", true, true);
  writer.put_unresolved(set, uid, 1, "quote not found");
  CHECK(writer.is_unresolved(set, uid, 1));
  CHECK(!writer.has_answer(set, uid, 1));
  const SpanRecord refused = span_of(database, 1, set);
  CHECK(refused.status == SpanStatus::unresolved);
  CHECK(refused.unresolved_reason == "quote not found");
  CHECK(!refused.verdict);
  writer.put_answer(set, uid, 1, full_answer(), Verdict::beneficial);
  CHECK(span_of(database, 1, set).status == SpanStatus::judged);
  writer.put_unresolved(set, uid, 1, "again");
  CHECK(!span_of(database, 1, set).entries.at(0).answer);
}

TEST_CASE("judgement sets are one per judge, rules and settings") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  CHECK(!store::default_judgement_set(database));
  const std::string uid = ingest(database, {});
  JudgementWriter writer(database, Durability::batched);
  const std::int64_t tracer = writer.open_judgement_set("tracer/1", "memuse-rules/1", "{}", false, false);
  CHECK(store::default_judgement_set(database) == tracer);
  const std::int64_t model = writer.open_judgement_set("model", "memuse-rules/1", "{}", true, true);
  CHECK(model != tracer);
  CHECK(writer.open_judgement_set("model", "memuse-rules/1", "{\"t\":1}", true, true) != model);
  CHECK(writer.open_judgement_set("tracer/1", "memuse-rules/1", "{}", false, false) == tracer);
  CHECK(store::judgement_sets(database).size() == 3);
  CHECK(!store::judgement_sets(database).front().effects_need_probe);
  writer.open_judgement_set("needs-probes", "memuse-rules/1", "{}", false, false, true);
  CHECK(store::judgement_sets(database).back().effects_need_probe);
  writer.put_answer(tracer, uid, 1, full_answer(), Verdict::mixed);
  CHECK(!writer.has_answer(model, uid, 1));
  CHECK(span_of(database, 1, model).status == SpanStatus::not_judged);
  CHECK(span_of(database, 1, tracer).verdict == Verdict::mixed);
}

TEST_CASE("answers go with a replaced episode and stay with a known one") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  EpisodeSketch sketch;
  const std::string uid = ingest(database, sketch);
  std::int64_t set = 0;
  {
    JudgementWriter writer(database, Durability::batched);
    set = writer.open_judgement_set("j", "r", "{}", true, true);
    writer.put_answer(set, uid, 1, full_answer(), Verdict::beneficial);
    writer.flush();
  }
  ingest(database, sketch);
  CHECK(span_of(database, 1, set).status == SpanStatus::judged);
  sketch.content = "samovar";
  ingest(database, sketch);
  CHECK(span_of(database, 1, set).status == SpanStatus::not_judged);
  CHECK(database.connection().integer("SELECT count(*) FROM judged_entry") == 0);
  CHECK(database.connection().integer("SELECT count(*) FROM judgement") == 0);
  const auto found = store::diagnostics(database);
  REQUIRE(found.size() == 1);
  CHECK(found[0].detail.find("1 judgements") != std::string::npos);

  JudgementWriter writer(database, Durability::batched);
  CHECK_THROWS_AS(writer.put_answer(set, uid, 1, full_answer(), Verdict::beneficial), Error);
  CHECK_THROWS_AS(writer.put_unresolved(set, "no such uid", 1, "x"), Error);
}

TEST_CASE("answers can be written while the same database is read") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  for (int i = 0; i < 5; ++i) {
    EpisodeSketch sketch;
    sketch.id = "e" + std::to_string(i);
    sketch.path = sketch.id;
    ingest(database, sketch);
  }
  JudgementWriter writer(database, Durability::each_answer);
  const std::int64_t set = writer.open_judgement_set("j", "r", "{}", true, true);
  store::for_each_episode(database, {}, set, [&](const EpisodeSpansRecord& record) {
    CHECK(record.spans[0].status == SpanStatus::not_judged);
    writer.put_answer(set, record.episode.uid, 1, full_answer(), Verdict::neutral);
    return true;
  });
  CHECK(database.connection().integer("SELECT count(*) FROM judgement") == 5);
}

TEST_CASE("a batch of answers in flight is dropped without flush") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  const std::string uid = ingest(database, {});
  {
    JudgementWriter writer(database, Durability::batched);
    writer.put_answer(writer.open_judgement_set("j", "r", "{}", true, true), uid, 1, full_answer(), Verdict::neutral);
  }
  CHECK(database.connection().integer("SELECT count(*) FROM judgement") == 0);
  JudgementWriter durable(database, Durability::each_answer);
  durable.put_answer(durable.open_judgement_set("j", "r", "{}", true, true), uid, 1, full_answer(), Verdict::neutral);
  CHECK(Database::open_existing(folder.database()).connection().integer("SELECT count(*) FROM judgement") == 1);
}

TEST_CASE("what a model was shown and what was paid for nothing are kept") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  const std::string uid = ingest(database, {});
  JudgementWriter writer(database, Durability::each_answer);
  const std::int64_t set = writer.open_judgement_set("model", "memuse-rules/1", "{}", true, true);
  CHECK(!store::judgement_details(database, set, uid, 1));
  CallTotals cost;
  cost.calls = 3;
  cost.input_tokens = 1000;
  cost.cost_usd = 0.25;
  writer.put_abandoned(set, uid, 1, "the endpoint is gone", cost);
  writer.put_abandoned(set, uid, 1, "the limit is reached", cost);
  CHECK(span_of(database, 1, set).status == SpanStatus::not_judged);
  JudgementSetRecord record = store::judgement_sets(database).front();
  CHECK(record.calls == 6);
  CHECK(record.cost_usd == 0.5);
  CHECK(record.accepted == 0);
  CHECK(record.unresolved == 0);

  const JudgementDetails details{"model-2", 1, R"({"target":[[0,7]]})", R"([{"call":1}])"};
  writer.put_answer(set, uid, 1, full_answer(), Verdict::beneficial, cost, {}, &details);
  const auto stored = store::judgement_details(database, set, uid, 1);
  REQUIRE(stored);
  const auto work = store::judging_work(database, set);
  REQUIRE(work.size() == 1);  // one run; what was paid for nothing is in it
  CHECK(work.front().totals.calls == 9);
  CHECK(work.front().totals.input_tokens == 3000);
  CHECK(work.front().totals.cost_usd == 0.75);
  CHECK(store::judging_work(database, set + 1).empty());
  CHECK(stored->returned_model == "model-2");
  CHECK(stored->refused_answers == 1);
  CHECK(stored->ledger == details.ledger);
  CHECK(stored->calls == details.calls);
  record = store::judgement_sets(database).front();
  CHECK(record.calls == 9);
  CHECK(record.accepted == 1);
  writer.put_unresolved(set, uid, 1, "again", cost);
  CHECK(!store::judgement_details(database, set, uid, 1));
}

TEST_CASE("a set is about a sample until it is not") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  const std::string uid = ingest(database, {});
  JudgementWriter writer(database, Durability::each_answer);
  const std::int64_t set = writer.open_judgement_set("model", "memuse-rules/1", "{}", true, true);
  CHECK(!store::judgement_sets(database).front().sample);
  writer.put_sample(set, {1, 7, 5}, {{uid, 1, R"(["c","r1","note"])", 5.0}});
  const JudgementSetRecord::Sample sample{1, 7, 5};
  CHECK(store::judgement_sets(database).front().sample == sample);
  const auto spans = store::sampled_spans(database, set);
  REQUIRE(spans.size() == 1);
  CHECK(spans.front().uid == uid);
  CHECK(spans.front().weight == 5.0);
  writer.remove_sample(set);
  CHECK(!store::judgement_sets(database).front().sample);
  CHECK(store::sampled_spans(database, set).empty());
}
