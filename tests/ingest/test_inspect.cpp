#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "ingest/canonical_trace_writer.h"
#include "ingest/inspect_log.h"
#include "ingest/zip_members.h"
#include "support/adapter_reading.h"
#include "support/data.h"
#include "support/temporary_folder.h"
#include "support/zip_bytes.h"

namespace memuse::ingest {
namespace {

using InspectJson = nlohmann::ordered_json;
using test::AdapterReading;

AdapterReading read_inspect(const std::string& bytes, const ReadOptions& options = {},
                            const std::string& path = "/study/logs/kilns.eval") {
  return test::read_bytes(inspect_log_adapter(), bytes, path, options);
}

InspectJson inspect_example() {
  return InspectJson::parse(test::read_file(std::string(MEMUSE_SOURCE_DIR) + "/examples/harnesses/inspect/kilns.json"));
}

/// The log as the zip that Inspect writes.
std::string as_zip(const InspectJson& log, const char* compression = "deflate") {
  InspectJson header = log;
  header.erase("samples");
  std::vector<std::pair<std::string, std::string>> members{{"_journal/start.json", header.dump()}};
  for (const InspectJson& sample : log["samples"]) {
    const std::string id = sample["id"].is_string() ? sample["id"].get<std::string>() : sample["id"].dump();
    members.emplace_back("samples/" + id + "_epoch_" + sample["epoch"].dump() + ".json", sample.dump());
  }
  members.emplace_back("header.json", header.dump());
  return test::zip_bytes(members, compression);
}

std::string canonical(const AdapterReading& reading) {
  std::string all;
  for (const Episode& episode : reading.episodes) all += write_canonical_trace(episode);
  return all;
}

InspectJson& events_of(InspectJson& log) {
  return log["samples"][0]["events"];
}

}  // namespace

TEST_CASE("Inspect: calls of the agent are steps with exact inputs, those of scorers are kept apart", "[inspect]") {
  const AdapterReading reading = read_inspect(inspect_example().dump());
  CHECK(reading.diagnostics.empty());
  const Episode& episode = reading.only();
  CHECK(episode.id == "kiln-bisque");
  CHECK(episode.run == "kiln-run-1");
  CHECK(episode.configuration == "clay-1");
  CHECK(episode.domain == "kilns");
  CHECK(episode.visibility == VisibilityGrade::exact);
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK(episode.task_text == "Set the kiln to the bisque temperature that the log book gives.");
  CHECK(test::visible_texts(episode, 1) ==
        std::vector<std::string>{"You mind a pottery kiln. Answer with one tool call, then finish with submit.",
                                 "Set the kiln to the bisque temperature that the log book gives."});
  REQUIRE(episode.steps.size() == 3);
  CHECK(episode.steps[0].actions[0].name == "bash");
  CHECK(episode.steps[0].actions[0].arguments == R"({"cmd":"cat logbook.txt"})");
  REQUIRE(episode.steps[0].results.size() == 1);
  // Tokens of the cache are part of the input here, and beside it in Inspect.
  CHECK(episode.steps[1].usage.input == 90U);
  CHECK(episode.steps[1].usage.cached_input == 70U);
  CHECK(episode.steps[1].usage.output == 18U);
  // Nothing follows the last call: its result stands in the tool's event.
  REQUIRE(episode.steps[2].results.size() == 1);
  CHECK(episode.texts[episode.messages[episode.steps[2].results[0].message].versions[0].text] == "1060");
  REQUIRE(episode.side_calls.size() == 1);
  CHECK(episode.side_calls[0].purpose == "scorer");
  CHECK(episode.side_calls[0].usage.input == 12U);
  REQUIRE(episode.outcome);
  CHECK(episode.outcome->resolved == true);
  CHECK(episode.outcome->reward == 1.0);
  CHECK(episode.outcome->source == "inspect score graded");
  CHECK(episode.reference->text == "1060");
  CHECK(episode.totals->seconds == 12.5);
}

TEST_CASE("Inspect: the same log as a zip, stored or deflated, gives the same episodes", "[inspect]") {
  const InspectJson log = inspect_example();
  const std::string expected = canonical(read_inspect(log.dump()));
  for (const char* compression : {"deflate", "store"}) {
    const AdapterReading zipped = read_inspect(as_zip(log, compression));
    CHECK(zipped.diagnostics.empty());
    CHECK(zipped.only().source.format_version == "eval");
    CHECK(canonical(zipped) == expected);
  }
}

TEST_CASE("Inspect: an episode is read again from a zip on disk", "[inspect]") {
  InspectJson log = inspect_example();
  for (int i = 2; i < 5; ++i) {
    InspectJson more = log["samples"][0];
    more["id"] = i;
    log["samples"].push_back(more);
  }
  const test::TemporaryFolder folder;
  for (const std::string& bytes : {as_zip(log), log.dump()}) {
    const std::string path = folder / "kilns.eval";
    std::ofstream(path, std::ios::binary) << bytes;
    const AdapterReading all = test::read_path(inspect_log_adapter(), path);
    REQUIRE(all.episodes.size() == 4);
    for (const Episode& episode : all.episodes) {
      std::vector<std::string> again;
      DiagnosticLog ignored(path);
      inspect_log_adapter().read_again(
          episode.source, {},
          [&](Episode&& one) {
            if (one.source.sha256 == episode.source.sha256) again.push_back(write_canonical_trace(one));
          },
          ignored);
      CHECK(again == std::vector<std::string>{write_canonical_trace(episode)});
    }
  }
}

TEST_CASE("Inspect: pooled inputs, and references that do not fit", "[inspect]") {
  InspectJson log = inspect_example();
  const std::string expected = canonical(read_inspect(log.dump()));
  InspectJson pool = events_of(log)[5]["input"];
  for (InspectJson& event : events_of(log)) {
    if (event["event"] != "model" || event["span_id"] == "s-score") continue;
    event["input_refs"] = {{0, event["input"].size()}};
    event["input"] = InspectJson::array();
  }
  log["samples"][0]["message_pool"] = pool;
  CHECK(canonical(read_inspect(log.dump())) == expected);
  log["samples"][0].erase("message_pool");
  log["samples"][0]["events_data"] = {{"messages", pool}, {"calls", InspectJson::array()}};
  CHECK(canonical(read_inspect(log.dump())) == expected);
  for (const InspectJson& wrong :
       {InspectJson{0, 99}, InspectJson{3, 1}, InspectJson{-1, 2}, InspectJson("x"), InspectJson{0}}) {
    events_of(log)[3]["input_refs"] = InspectJson::array({wrong});
    const AdapterReading reading = read_inspect(log.dump());
    CHECK(reading.count(Fault::bad_range) == 1);
    // A call whose input is not known follows nothing: it is a conversation of its own.
    CHECK(reading.episodes.size() == 2);
    CHECK(std::any_of(reading.episodes.begin(), reading.episodes.end(),
                      [](const Episode& one) { return one.visibility == VisibilityGrade::partial; }));
  }
}

TEST_CASE("Inspect: a sample in chunks", "[inspect]") {
  const InspectJson log = inspect_example();
  const std::string expected = canonical(read_inspect(log.dump()));
  InspectJson header = log;
  header.erase("samples");
  InspectJson sample = log["samples"][0];
  const InspectJson events = sample["events"];
  const std::string text = sample["attachments"].begin()->get<std::string>();
  sample.erase("events");
  sample.erase("attachments");
  InspectJson first = InspectJson::array();
  InspectJson rest = InspectJson::array();
  for (std::size_t i = 0; i < events.size(); ++i) (i < 4 ? first : rest).push_back(events[i]);
  // In chunks attachments are a list, and are named by their places.
  const auto by_place = [](const InspectJson& json) {
    std::string dumped = json.dump();
    const std::string name = "attachment://0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a";
    for (std::size_t at = dumped.find(name); at != std::string::npos; at = dumped.find(name)) {
      dumped.replace(at, name.size(), "attachment://0");
    }
    return dumped;
  };
  const std::string folder = "samples/a/b_epoch_1/";
  std::vector<std::pair<std::string, std::string>> members{
      {"_journal/start.json", header.dump()},
      {folder + "events/4.json", by_place(rest)},
      {folder + "attachments/0.json", InspectJson::array({text}).dump()},
      {folder + "events/stats.json", "{}"},
      {folder + "events/0.json", by_place(first)},
      {folder + "sample.json", by_place(sample)},
      {"header.json", header.dump()}};
  const AdapterReading reading = read_inspect(test::zip_bytes(members));
  CHECK(reading.diagnostics.empty());
  CHECK(canonical(reading) == expected);
  members.erase(members.begin() + 5);
  const AdapterReading without = read_inspect(test::zip_bytes(members));
  CHECK(without.episodes.empty());
  CHECK(without.count(Fault::episode_set_aside) == 1);
}

TEST_CASE("Inspect: of members of one name the last counts, and without a header the evaluation did not end",
          "[inspect]") {
  InspectJson log = inspect_example();
  InspectJson header = log;
  header.erase("samples");
  InspectJson old = log["samples"][0];
  old["scores"]["graded"]["value"] = "I";
  const AdapterReading reading = read_inspect(test::zip_bytes({{"_journal/start.json", header.dump()},
                                                               {"samples/k_epoch_1.json", old.dump()},
                                                               {"samples/k_epoch_1.json", log["samples"][0].dump()}}));
  CHECK(reading.only().outcome->resolved == true);
  CHECK(reading.only().run == "kiln-run-1");
  CHECK(reading.count(Severity::warning) == 1);
}

TEST_CASE("Inspect: scores that are no verdict give none", "[inspect]") {
  const auto outcome_of = [](const InspectJson& scores) {
    InspectJson log = inspect_example();
    log["samples"][0]["scores"] = scores;
    return read_inspect(log.dump()).only().outcome;
  };
  const auto value = [](const InspectJson& one) { return InspectJson{{"value", one}}; };
  CHECK(outcome_of({{"a", value("I")}})->resolved == false);
  CHECK(outcome_of({{"a", value("N")}})->resolved == false);
  CHECK(outcome_of({{"a", value(1)}})->resolved == true);
  CHECK(outcome_of({{"a", value(true)}})->resolved == true);
  CHECK(outcome_of({{"a", value("P")}})->reward == 0.5);
  CHECK_FALSE(outcome_of({{"a", value("P")}})->resolved);
  CHECK_FALSE(outcome_of({{"a", value("good")}}));
  CHECK_FALSE(outcome_of({{"a", value(InspectJson::array({1, 2}))}}));
  CHECK_FALSE(outcome_of({{"a", value("C")}, {"b", value("I")}}));
  CHECK(outcome_of({{"a", value("C")}, {"b", value(1.0)}})->resolved == true);
  CHECK_FALSE(outcome_of(InspectJson::object()));
  CHECK_FALSE(outcome_of(nullptr));
}

TEST_CASE("Inspect: epochs are runs of their own", "[inspect]") {
  InspectJson log = inspect_example();
  log["eval"]["config"]["epochs"] = 2;
  InspectJson second = log["samples"][0];
  second["epoch"] = 2;
  log["samples"].push_back(second);
  const AdapterReading reading = read_inspect(log.dump());
  REQUIRE(reading.episodes.size() == 2);
  CHECK(reading.episodes[0].run == "kiln-run-1-epoch-1");
  CHECK(reading.episodes[1].run == "kiln-run-1-epoch-2");
  CHECK(reading.episodes[0].id == reading.episodes[1].id);
}

TEST_CASE("Inspect: logs from before spans, and logs without events", "[inspect]") {
  InspectJson log = inspect_example();
  const std::string expected = canonical(read_inspect(log.dump()));
  for (InspectJson& event : events_of(log)) {
    event.erase("span_id");
    if (event["event"] == "span_begin" && event["type"] == "scorer") {
      event = {{"event", "step"}, {"action", "begin"}, {"type", "scorer"}, {"name", "graded"}};
    }
    if (event["event"] == "span_end" && event["id"] == "s-score") {
      event = {{"event", "step"}, {"action", "end"}, {"type", "scorer"}, {"name", "graded"}};
    }
  }
  CHECK(canonical(read_inspect(log.dump())) == expected);
  log["samples"][0].erase("events");
  const AdapterReading told = read_inspect(log.dump());
  CHECK(told.only().visibility == VisibilityGrade::rebuilt);
  REQUIRE(told.only().steps.size() == 3);
  CHECK_FALSE(told.only().steps[0].usage.input);
  CHECK(told.only().steps[1].actions[0].arguments == R"({"cmd":"kilnctl set --target 1060 --ramp 80"})");
}

TEST_CASE("Inspect: stated tokens that the calls do not have are told, and a cached call costs nothing", "[inspect]") {
  InspectJson log = inspect_example();
  log["samples"][0]["model_usage"]["kiln/clay-1"]["output_tokens"] = 46;
  CHECK(read_inspect(log.dump()).count(Fault::stated_count) == 1);
  log = inspect_example();
  events_of(log)[1]["cache"] = "read";
  const AdapterReading cached = read_inspect(log.dump());
  CHECK(cached.only().steps[0].usage.input == 0U);
  CHECK(cached.only().steps[0].cost_usd == 0.0);
  CHECK(cached.count(Fault::stated_count) == 1);
}

TEST_CASE("Inspect: bare NaN and infinities are read as null, outside of strings only", "[inspect]") {
  std::size_t replaced = 0;
  CHECK(without_bare_numbers(R"({"a":NaN,"b":"NaN \" NaN","c":[-Infinity,Infinity]})", replaced) ==
        R"({"a":null,"b":"NaN \" NaN","c":[null,null]})");
  CHECK(replaced == 3);
  CHECK(without_bare_numbers(R"({"a":1})", replaced) == R"({"a":1})");
  CHECK(replaced == 0);
  std::string text = inspect_example().dump();
  text.replace(text.find("\"total_time\":12.5"), 17, "\"total_time\":NaN");
  const AdapterReading reading = read_inspect(text);
  CHECK_FALSE(reading.only().totals);
  CHECK(reading.count(Severity::note) == 1);
}

TEST_CASE("Inspect: what is missing or hostile", "[inspect]") {
  InspectJson log = inspect_example();
  log["samples"][0]["attachments"] = {{"0b", "attachment://0b"}};
  const AdapterReading missing = read_inspect(log.dump());
  CHECK(missing.count(Fault::unmatched_record) == 1);
  CHECK(missing.only().visibility == VisibilityGrade::partial);
  log["samples"] = InspectJson::array();
  CHECK(read_inspect(log.dump()).count(Fault::no_traces_found) == 1);
  ReadOptions small;
  small.max_record_bytes = 2000;
  CHECK(read_inspect(as_zip(inspect_example()), small).count(Fault::episode_set_aside) == 1);
  // A member that unpacks to far more than the zip.
  const std::string bomb =
      test::zip_bytes({{"_journal/start.json", "{}"}, {"samples/1_epoch_1.json", std::string(200 << 20, ' ')}});
  CHECK(bomb.size() < (std::size_t{1} << 20));
  CHECK(read_inspect(bomb).count(Fault::episode_set_aside) == 1);
  // A pool that every call refers to again and again.
  InspectJson wide = inspect_example();
  InspectJson refs = InspectJson::array();
  for (int i = 0; i < 700'000; ++i) refs.push_back({0, 6});
  wide["samples"][0]["message_pool"] = events_of(wide)[5]["input"];
  events_of(wide)[1]["input_refs"] = refs;
  const AdapterReading bounded = read_inspect(wide.dump());
  CHECK(bounded.episodes.empty());
  CHECK(bounded.count(Fault::episode_set_aside) == 1);
}

TEST_CASE("Inspect: a damaged zip costs what is damaged", "[inspect]") {
  InspectJson log = inspect_example();
  for (int i = 2; i < 6; ++i) {
    InspectJson more = log["samples"][0];
    more["id"] = i;
    log["samples"].push_back(more);
  }
  const std::string bytes = as_zip(log);
  std::mt19937_64 random(11);
  std::size_t episodes = 0;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bytes;
    if (round % 2 == 0) damaged.resize(random() % damaged.size());
    for (int flips = 0; flips < round % 4; ++flips) {
      if (!damaged.empty()) damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    AdapterReading reading;
    try {
      reading = read_inspect(damaged);
    } catch (const ReadFault&) {
      continue;
    }
    REQUIRE(reading.episodes.size() <= 5);
    episodes += reading.episodes.size();
  }
  CHECK(episodes > 0);
}

TEST_CASE("Inspect: known by its content", "[inspect]") {
  const std::string log = inspect_example().dump();
  const auto format = [](const std::string& bytes) {
    const auto found = detect_format(std::string_view(bytes).substr(0, kDetectionBytes));
    return found ? std::string(found->adapter->name()) + "/" + found->version : std::string();
  };
  CHECK(format(log) == "inspect/json");
  CHECK(format(as_zip(inspect_example())) == "inspect/eval");
  CHECK(format(test::zip_bytes({{"word/document.xml", "<x/>"}})).empty());
  CHECK(format(R"({"version":1,"status":"ok"})").empty());
}

TEST_CASE("Inspect: samples of the shared data have the numbers of its notes", "[inspect][samples]") {
  const std::filesystem::path folder = (test::shared_data() / ".." / "traces" / "inspect-eval").lexically_normal();
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: " << folder << " is not there");
    return;
  }
  struct Expected {
    const char* file;
    std::size_t samples, steps, actions, side_calls;
  };
  for (const Expected& expected :
       {Expected{"docent_intercode_ctf.eval", 15, 147, 121, 0}, Expected{"scout_security-guide.eval", 16, 16, 0, 16},
        Expected{"log_message_deduplication.eval", 1, 6, 5, 0}, Expected{"log_streaming.eval", 4, 4, 0, 0},
        Expected{"scout_websearch.eval", 1, 1, 0, 0}, Expected{"mmlu-summary-choices.eval", 1, 1, 0, 0},
        Expected{"log_formats.eval", 1, 1, 0, 0}, Expected{"log_formats.json", 1, 1, 0, 0},
        Expected{"derived/log_message_deduplication.zstd.eval", 1, 6, 5, 0}}) {
    INFO(expected.file);
    const AdapterReading reading = test::read_path(inspect_log_adapter(), folder / expected.file);
    CHECK(reading.episodes.size() == expected.samples);
    std::size_t steps = 0;
    std::size_t actions = 0;
    std::size_t side_calls = 0;
    for (const Episode& episode : reading.episodes) {
      CHECK(episode.visibility == VisibilityGrade::exact);
      steps += episode.steps.size();
      side_calls += episode.side_calls.size();
      for (const Step& step : episode.steps) actions += step.actions.size();
    }
    CHECK(steps == expected.steps);
    CHECK(actions == expected.actions);
    CHECK(side_calls == expected.side_calls);
    for (const Diagnostic& diagnostic : reading.diagnostics) CHECK(diagnostic.severity == Severity::note);
  }
  CHECK(canonical(test::read_path(inspect_log_adapter(), folder / "log_message_deduplication.eval")) ==
        canonical(test::read_path(inspect_log_adapter(), folder / "derived/log_message_deduplication.zstd.eval")));
  CHECK(canonical(test::read_path(inspect_log_adapter(), folder / "log_formats.eval")) ==
        canonical(test::read_path(inspect_log_adapter(), folder / "log_formats.json")));
}

}  // namespace memuse::ingest
