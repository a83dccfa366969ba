#include "report/show.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "../support/json_schema.h"
#include "example.h"
#include "graph/item_lineage.h"
#include "model/error.h"
#include "report/action_text.h"
#include "report/span_facts.h"
#include "report/text_layout.h"

using namespace memuse;
using Catch::Matchers::Contains;

namespace {

report::ShowOptions options() {
  report::ShowOptions out;
  out.judge = "tracer/1";
  return out;
}

void require_fits(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    REQUIRE(report::display_width(line) <= width);
    REQUIRE((line.empty() || line.back() != ' '));
  }
}

std::string line_of(std::uint32_t first, std::uint32_t last, std::vector<std::uint32_t> anchors, std::uint32_t steps) {
  return report::step_line({first, last}, anchors, steps);
}

/// The lineage of an item of the example: `A` was made in an earlier episode, others by nothing on record.
graph::ItemLineage lineage_of(const EpisodeSpansRecord& record, const std::string& item) {
  graph::ItemFacts facts;
  facts.configuration = record.episode.configuration;
  facts.run = record.episode.run;
  facts.store = record.episode.store;
  facts.item = item;
  graph::EpisodeNode source;
  source.uid = std::string(32, 'b');
  source.store = record.episode.store;
  source.episode = "ep-03";
  source.task_id = "t-03";
  source.position = 3;
  source.resolved = false;
  source.steps = 12;
  graph::EpisodeNode target = source;
  target.uid = record.episode.uid;
  target.episode = record.episode.episode;
  target.position = record.episode.position;
  target.resolved = record.episode.resolved;
  facts.episodes = {source, target};
  if (item == "A") {
    graph::Change made;
    made.item = item;
    made.version = "A.1";
    made.text = "A note.";
    made.operation = "gen-1";
    made.steps = {1, 2, 3, 4, 7};
    made.after_step = 12;
    facts.changes = {made};
    facts.returns = {{1, "q1", 0, 1, 2, 0, "A.1", 0.5}};
  }
  for (const SpanRecord& span : record.spans) {
    for (const EntryRecord& entry : span.entries) {
      if (entry.item != item) continue;
      graph::Exposure exposure;
      exposure.episode = 1;
      exposure.span = span.number;
      exposure.entry = entry.entry;
      exposure.item = entry.item;
      exposure.version = entry.version;
      exposure.text = entry.text;
      exposure.line_order = span.number;
      exposure.placements = {{0, span.first_step}};
      exposure.window = entry.window;
      exposure.status = span.status;
      exposure.verdict = span.verdict;
      exposure.answer = entry.answer;
      facts.exposures.push_back(exposure);
    }
  }
  return graph::item_lineage(std::move(facts));
}

}  // namespace

TEST_CASE("the step line") {
  CHECK(line_of(3, 9, {}, 10) == "1 2 [3=====9] 10");
  CHECK(line_of(3, 9, {5}, 10) == "1 2 [3=5*===9] 10");
  CHECK(line_of(1, 1, {}, 1) == "[1]");
  CHECK(line_of(1, 1, {1}, 2) == "[1*] 2");
  CHECK(line_of(2, 3, {2, 3}, 3) == "1 [2* 3*]");
  CHECK(line_of(40, 90, {57}, 200) == "1 … 39 [40================57*======…======90] 91 … 200");
  CHECK(line_of(2, 2, {9}, 3) == "1 [2] 3");  // an anchor outside the window is not drawn
}

TEST_CASE("show span: verdict, rule, text, window, labels, action, effect") {
  const auto example = test::example();
  const std::string text = report::show_span(&example.episode, example.record, 1, options());
  require_fits(text, 100);
  CHECK_THAT(text, Contains("Span S1 of episode ep-17   beneficial\n"));
  CHECK_THAT(text, Contains("Verdict    beneficial: at least one entry was acted on and improved the episode"));
  CHECK_THAT(text, Contains("judged by tracer/1, rule set memuse-rules/1"));
  CHECK_THAT(text, Contains("  E0 ┃ 1. ⟦The gateway at billing.internal"));
  CHECK_THAT(text, Contains("(ticket BIL-4471)⟧\n"));
  CHECK_THAT(text, Contains("  E1 ┃ 2. ⟦Integration tests live in tests/gateway; run them with make it-gateway.⟧\n"));
  CHECK_THAT(text, Contains("     │ # Notes from earlier work\n"));
  CHECK_THAT(text, Contains("window     1 [2 3*=5]"));
  CHECK_THAT(text, Contains("action     step 3, edit_file, argument new\n"));
  CHECK_THAT(text, Contains("path = conf/gateway.toml\n"));
  CHECK_THAT(text, Contains("│ retry_delay_ms = «275»\n"));
  CHECK_THAT(text, Contains("│ retries = 3\n"));
  CHECK_THAT(text, Contains("result     1 file changed\n"));
  CHECK_THAT(text, Contains("evidence   for influence, novelty, the placed text: “set retry_delay_ms to «275» in”"));
  CHECK(text.find("action     step 3") == text.rfind("action     step 3"));  // two pieces of evidence, one place
  CHECK_THAT(text, Contains("Gold values"));
  CHECK_THAT(text, Contains("no delivery of this item before"));
}

TEST_CASE("show span: an automatic span names the owner of the credit") {
  const auto example = test::example();
  const std::string text = report::show_span(&example.episode, example.record, 2, options());
  CHECK_THAT(text, Contains("neutral: every entry's credit is already open in an earlier window"));
  CHECK_THAT(text, Contains("empty: S1 E0 (step 2) holds this text"));
  CHECK_THAT(text, Contains("earlier    S1 E0 at step 2 (still visible)"));
}

TEST_CASE("show span without the source says so and shows the record") {
  const auto example = test::example();
  const std::string text = report::show_span(nullptr, example.record, 1, options());
  require_fits(text, 100);
  CHECK_THAT(text, Contains("The source of this episode could not be read"));
  CHECK_THAT(text, Contains("  E0 ┃ ⟦The gateway at billing.internal"));
  CHECK_THAT(text, Contains("retry_delay_ms = «275»"));
  CHECK_THAT(text, !Contains("edit_file"));
  const auto json = report::show_span_json(nullptr, example.record, 1, options());
  CHECK(json["source_available"] == false);
  CHECK(json["placed_text"].is_null());
  CHECK(json["entries"][0]["sightings"].is_null());
}

TEST_CASE("show span: statuses without a verdict") {
  auto example = test::example();
  example.record.spans[0].status = SpanStatus::unresolved;
  example.record.spans[0].unresolved_reason = "no whole read of step 3";
  CHECK_THAT(report::show_span(&example.episode, example.record, 1, options()),
             Contains("no verdict") && Contains("(no whole read of step 3)"));
  example.record.spans[0].status = SpanStatus::not_judged;
  for (auto& entry : example.record.spans[0].entries) entry.answer.reset();
  CHECK_THAT(report::show_span(&example.episode, example.record, 1, options()), Contains("not judged yet"));
}

TEST_CASE("show span: a search that returned nothing") {
  auto example = test::example();
  Search search;
  search.id = "q1";
  search.query = "gateway drops";
  search.step = 3;
  example.episode.searches.push_back(search);
  SpanRecord empty;
  empty.number = 3;
  empty.first_step = empty.last_step = 3;
  empty.routing = Routing::empty;
  empty.status = SpanStatus::empty;
  empty.deliveries = {test::delivery_record(2, "q1", 3, 3, false, 0)};
  example.record.spans.push_back(empty);
  CHECK_THAT(report::show_span(&example.episode, example.record, 3, options()),
             Contains("A search that returned nothing") && Contains("Query      gateway drops"));
}

TEST_CASE("no such span is a fault of usage that names those there are") {
  const auto example = test::example();
  CHECK_THROWS_AS(report::show_span(&example.episode, example.record, 9, options()), Error);
  CHECK_THROWS_WITH(report::show_span(&example.episode, example.record, 9, options()),
                    "episode ep-17 has no span S9; it has S1 to S2");
  auto single = example.record;
  single.spans.pop_back();
  CHECK_THROWS_WITH(report::show_span(&example.episode, single, 2, options()),
                    "episode ep-17 has no span S2; it has S1");
}

TEST_CASE("hostile text can not reach the terminal raw") {
  auto example = test::example();
  Episode& e = example.episode;
  const std::string evil = "\x1b]0;owned\x07 \xE2\x80\xAE \xFF\r";
  e.task_text = e.arena.keep(evil);
  const std::string placed = "x " + evil + " y";
  e.messages[2].versions[0].text = e.texts.intern(e.arena.keep(placed));
  for (Step& step : e.steps) {
    step.response = e.arena.keep(evil);
    for (Action& action : step.actions) action.name = e.arena.keep(evil);
  }
  auto& r = example.record;
  r.episode.configuration = r.episode.run = r.episode.episode = r.episode.task_id = r.episode.repo = evil;
  r.episode.outcome_source = r.episode.source_path = r.episode.model = evil;
  for (auto& span : r.spans) {
    span.unresolved_reason = evil;
    for (auto& delivery : span.deliveries) delivery.delivery = delivery.form = evil;
    for (auto& entry : span.entries) {
      entry.item = entry.version = evil;
      entry.text = evil;
      if (!entry.answer) continue;
      entry.answer->reason = evil;
      entry.answer->evidence = {{3, "", evil, evil, evil}, {std::nullopt, evil, evil, evil, ""}};
    }
  }
  graph::ItemLineage item = lineage_of(r, evil);
  item.configuration = item.run = item.store = evil;
  for (graph::Change& change : item.changes) change.operation = change.item = evil;
  for (graph::ItemVersion& version : item.versions) {
    version.version = version.item = evil;
    version.text = evil;
    version.parents.push_back({evil, std::nullopt});
  }
  for (graph::EpisodeNode& episode : item.episodes) episode.episode = episode.repo = evil;
  report::ShowOptions plain;
  plain.judge = evil;
  std::string all = report::show_span(&e, r, 1, plain) + report::show_span(nullptr, r, 1, plain) +
                    report::show_span(&e, r, 2, plain) + report::show_episode(&e, r, plain) +
                    report::show_run({&r, 1}, plain) + report::show_item(item, plain);
  for (const char c : all) {
    const auto byte = static_cast<unsigned char>(c);
    REQUIRE((byte >= 0x20 || c == '\n'));
    REQUIRE(byte != 0xFF);
  }
  CHECK_THAT(all, !Contains("\xE2\x80\xAE"));
  for (auto& span : r.spans) span.status = SpanStatus::unresolved;
  CHECK_THAT(report::show_span(&e, r, 1, plain), !Contains("\x1b"));
}

TEST_CASE("colour wraps and never changes the text") {
  const auto example = test::example();
  report::ShowOptions colour = options();
  colour.colour = true;
  const std::string painted = report::show_span(&example.episode, example.record, 1, colour);
  CHECK_THAT(painted, Contains("\x1b[1;32mbeneficial\x1b[0m") && Contains("\x1b[1m«275»\x1b[0m"));
  std::string stripped;
  for (std::size_t i = 0; i < painted.size(); ++i) {
    if (painted[i] == '\x1b') {
      i = painted.find('m', i);
    } else {
      stripped += painted[i];
    }
  }
  CHECK(stripped == report::show_span(&example.episode, example.record, 1, options()));
}

TEST_CASE("narrow and wide terminals") {
  const auto example = test::example();
  for (const std::size_t width : {60U, 80U, 140U}) {
    if (width >= 80) {
      report::ShowOptions wide = options();
      wide.width = width;
      const std::string steps = report::show_episode(&example.episode, example.record, wide);
      require_fits(steps, width);
      CHECK(steps.find("Step ") == steps.rfind("Step "));  // the timeline stays in one piece
    }
    report::ShowOptions sized = options();
    sized.width = width;
    require_fits(report::show_span(&example.episode, example.record, 1, sized), width);
    require_fits(report::show_run({&example.record, 1}, sized), width);
  }
}

TEST_CASE("show episode: a line per step with deliveries, open credit and use") {
  const auto example = test::example();
  const std::string text = report::show_episode(&example.episode, example.record, options());
  require_fits(text, 100);
  CHECK_THAT(text, Contains("Outcome    resolved (by nightly export), reward 1"));
  CHECK_THAT(text, Contains("edit_file: conf/gateway.toml"));
  CHECK_THAT(text, Contains("S1 E0 acted on → improved"));
  CHECK_THAT(text, Contains("S2 task recall"));
  CHECK_THAT(text, Contains("1 beneficial, 1 neutral"));
  const std::string bare = report::show_episode(nullptr, example.record, options());
  CHECK_THAT(bare, Contains("the source could not be read") && Contains("S1 E0 acted on → improved"));
  const auto json = report::show_episode_json(&example.episode, example.record, options());
  REQUIRE(json["steps"].size() == 5);
  CHECK(json["steps"][2]["used"][0]["span"] == "S1");
  CHECK(json["steps"][0]["open"].empty());
  CHECK(json["steps"][4]["open"].size() == 1);
  CHECK(json["deliveries"].size() == 3);
}

TEST_CASE("show run and show item") {
  const auto example = test::example();
  const std::string run = report::show_run({&example.record, 1}, options());
  require_fits(run, 100);
  CHECK_THAT(run, Contains("Run r1 of configuration notebook-v2") && Contains("1 beneficial, 1 neutral"));
  CHECK(report::show_run({}, options()) == "No episodes.\n");
  CHECK(report::show_run_json({&example.record, 1}, options())["episodes"][0]["verdicts"][0]["verdict"] ==
        "beneficial");

  const graph::ItemLineage lineage = lineage_of(example.record, "A");
  const std::string text = report::show_item(lineage, options());
  require_fits(text, 100);
  require_fits(report::show_item(lineage,
                                 [] {
                                   auto narrow = options();
                                   narrow.width = 80;
                                   return narrow;
                                 }()),
               80);
  CHECK_THAT(text, Contains("created in   ep-03 (position 3, failed), after step 12, at its end") &&
                       Contains("from steps   1–4, 7") && Contains("operation    gen-1"));
  CHECK_THAT(text, Contains("acted on → improved") && Contains("14 tasks before, failed"));
  CHECK_THAT(text, Contains("2 deliveries in 2 spans and 1 episode; acted on 1 time: improved 1, harmed 0"));
  CHECK_THAT(text, Contains("Returned by 1 search in 1 episode."));
  const auto json = report::show_item_json(lineage, options());
  CHECK(test::JsonSchema::of_project("item-lineage-1").faults(nlohmann::json::array({json})) == "");
  REQUIRE(json["exposures"].size() == 2);
  CHECK(json["exposures"][0]["origin"]["kind"] == "earlier_episode");
  CHECK(json["exposures"][0]["origin"]["gap"] == 14);
  CHECK(json["exposures"][0]["labels"]["anchors"] == nlohmann::ordered_json::array({3}));
  CHECK(json["versions"][0]["made_by"]["episode"] == "ep-03");
  CHECK(json["versions"][0]["made_by"]["resolved"] == false);

  graph::ItemLineage unknown = lineage_of(example.record, "B");
  CHECK_THAT(report::show_item(unknown, options()), Contains("no recorded operation made this version"));
  CHECK_THAT(report::show_item(unknown, options()), Contains("not recorded"));
  unknown.showings.clear();
  CHECK_THAT(report::show_item(unknown, options()), Contains("Never delivered."));
}

TEST_CASE("show span as JSON points at the action") {
  const auto example = test::example();
  const auto json = report::show_span_json(&example.episode, example.record, 1, options());
  const auto& entry = json["entries"][0];
  CHECK(entry["sightings"][0]["action"] == "edit_file");
  CHECK(entry["sightings"][0]["place"] == "new");
  CHECK(entry["sightings"][0]["carried"] == "275");
  const std::string placed = json["placed_text"];
  const std::size_t begin = entry["placed_range"][0];
  const std::size_t end = entry["placed_range"][1];
  CHECK(placed.substr(begin, end - begin) == entry["text"]);
  CHECK(json["probe"]["gold"][0] == "275");
  const auto automatic = report::show_span_json(&example.episode, example.record, 2, options());
  CHECK(automatic["entries"][0]["credit_owner"]["span"] == "S1");
}

TEST_CASE("a recorded range places an entry, if it holds the text") {
  auto example = test::example();
  Delivery& delivery = example.episode.deliveries[0];
  const std::string placed(example.episode.placed_text(delivery));
  const EntryRecord& note = example.record.spans[0].entries[0];
  const std::size_t at = placed.find(note.text);
  Entry entry;
  entry.range = ByteRange{at - 3, at + note.text.size()};
  delivery.entries = {entry};
  CHECK(report::range_in_placed_text(example.episode, delivery, note) == ByteRange{at - 3, at + note.text.size()});
  delivery.entries[0].range = ByteRange{0, 5};  // does not hold it
  CHECK(report::range_in_placed_text(example.episode, delivery, note) == ByteRange{at, at + note.text.size()});
  delivery.entries[0].range = ByteRange{5, 100000};
  CHECK(report::range_in_placed_text(example.episode, delivery, note) == ByteRange{at, at + note.text.size()});
}

TEST_CASE("arguments of actions, well formed or not") {
  const auto names = [](std::string_view json) {
    std::string out;
    for (const auto& argument : report::arguments_of({"a", "tool", json}))
      out += argument.name + "=" + argument.text + ";";
    return out;
  };
  CHECK(names(R"({"a":"x\ny","b":[1,{"c":true}],"d":{}})") == "a=x\ny;b[0]=1;b[1].c=true;d={};");
  CHECK(names("\"plain\"") == "=plain;");
  CHECK(names("{broken") == "={broken;");
  const std::string deep(100000, '[');
  CHECK(names(deep) == "=" + deep + ";");
  CHECK(report::action_summary({"a", "bash", R"({"command":"ls -l\n/tmp","x":1})"}) == "bash: ls -l /tmp 1");
  CHECK(report::action_summary({"a", "stop", "{}"}) == "stop");
}

TEST_CASE("values are found where they stand alone first") {
  CHECK(report::find_value("port 12750, delay 275", "275") == 18);
  CHECK(report::find_value("x275y", "275") == 1);
  CHECK_FALSE(report::find_value("abc", "275"));
  CHECK_FALSE(report::find_value("abc", ""));
}
