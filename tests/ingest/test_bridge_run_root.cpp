#include <catch2/catch.hpp>

#include "support/bridge_reading.h"
#include "support/bridge_root.h"
#include "support/data.h"

using namespace memuse;
using namespace memuse::test;

namespace {

const char* const kFirstSpans =
    "1-1 empty 1:\n"
    "3-4 judged 3 4: item-leap [3,4] \"Leap days are computed in week.py and are wrong there.\"; "
    "item-tests [3,4] \"Run the calendar tests with: make check TZ=UTC\";\n";

const char* const kSecondSpans =
    "1-3 judged 1 2 3: item-tests [1,3] \"Run the calendar tests with: make check TZ=UTC\"; "
    "item-leap [1,5] \"Leap days are computed in year.py; week.py only prints them.\";\n"
    "4-5 judged 4 5: item-leap [] \"Leap days are computed in year.py; week.py only prints them.\"; "
    "item-zone [4,5] \"The zone table is built when zones.py is first imported, so that a test which changes the zone "
    "must import the module again, or else i\";\n";

}  // namespace

TEST_CASE("a run root of memory-bridge becomes one episode per instance", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path() / "meadow-run");
  const Reading reading = read_path(folder / "meadow-run");
  INFO(reading.faults());
  CHECK(reading.diagnostics.empty());
  REQUIRE(reading.episodes.size() == 2);

  const Episode& first = reading.at("meadow__tinycal-7");
  CHECK(first.configuration == "cure");
  CHECK(first.run == "meadow-run");
  CHECK(first.task_id == "meadow__tinycal-7");
  CHECK(first.repo == "meadow/tinycal");
  CHECK(first.model == "openai/field-mouse");
  CHECK(first.position == 1U);
  CHECK(first.store == BridgeInstance::name_space());
  CHECK(first.task_text == "The calendar forgets the last day of February.");
  CHECK(first.end_reason == "Submitted");
  CHECK(first.visibility == VisibilityGrade::exact);
  CHECK(first.delivery_grade == DeliveryGrade::annotated);
  REQUIRE(first.outcome);
  CHECK(first.outcome->resolved == false);
  CHECK(first.outcome->source == "local-eval/here-local/field.here-local.json");
  CHECK(tag_of(first, "bridge_trace") == "traced");
  CHECK(tag_of(first, "bridge_generations") == "2");
  CHECK(tag_of(first, "bridge_compactions") == "0");
  CHECK(spans_of(first) == kFirstSpans);

  REQUIRE(first.step_count() == 4);
  CHECK(first.steps[1].response == "I run the tests.");
  REQUIRE(first.steps[1].actions.size() == 1);
  CHECK(first.steps[1].actions[0].name == "bash");
  CHECK(first.steps[1].actions[0].arguments == R"({"command":"make check TZ=UTC"})");
  REQUIRE(first.steps[1].results.size() == 1);
  CHECK(first.steps[1].usage.input == 100U);
  CHECK(first.steps[1].usage.output == 16U);
  CHECK_FALSE(first.steps[1].cost_usd);  // 0.0: the price is not known
  CHECK(first.steps[1].time == "2031-01-02T03:00:14Z");
  CHECK(first.steps[3].results.size() == 1);  // never sent to the model; from the agent's own file
  REQUIRE(first.side_calls.size() == 3);
  CHECK(first.side_calls[0].purpose == "extraction");
  CHECK(first.side_calls[1].purpose == "query rewriting");

  REQUIRE(first.memory_operations.size() == 4);
  CHECK(first.memory_operations[0].op == MemoryOp::create);
  CHECK(first.memory_operations[0].after_step == 2);
  CHECK(first.memory_operations[0].steps == std::vector<std::uint32_t>{1, 2});
  CHECK(first.memory_operations[0].operation == "generation-meadow__tinycal-7-1");
  CHECK(first.memory_operations[2].op == MemoryOp::update);
  CHECK(first.memory_operations[2].item == "item-leap");
  REQUIRE(first.memory_operations[2].from.size() == 1);
  CHECK(first.memory_operations[2].from[0] == first.memory_operations[1].version);
  CHECK(first.memory_operations[3].op == MemoryOp::noop);

  const Episode& second = reading.at("meadow__tinycal-9");
  CHECK(second.position == 2U);
  CHECK(second.outcome->resolved == true);
  CHECK(tag_of(second, "bridge_compactions") == "1");
  CHECK(spans_of(second) == kSecondSpans);
}

TEST_CASE("an entry of a recall block is what its line shows, with the key as identifier", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const Reading reading = read_path(folder.path().string());
  const Episode& episode = reading.at("meadow__tinycal-9");
  REQUIRE(episode.deliveries.size() == 5);
  const Delivery& delivery = episode.deliveries[3];
  CHECK(delivery.route == Route::host);
  CHECK(delivery.form == "recall block");
  CHECK(delivery.search == "search-meadow__tinycal-9-2");
  REQUIRE(delivery.message);
  const Message& message = episode.messages[*delivery.message];
  CHECK(message.transient);
  CHECK(message.origin == Origin::memory);
  REQUIRE(delivery.entries.size() == 2);
  const std::string_view block = episode.placed_text(delivery);
  const auto line = [&](const Entry& entry) {
    REQUIRE(entry.range);
    return std::string(block.substr(entry.range->begin, entry.range->end - entry.range->begin));
  };
  CHECK(line(delivery.entries[0]) ==
        "- [fact:repo] leap_days: Leap days are computed in year.py; week.py only prints them. (from an earlier "
        "episode)");
  CHECK(line(delivery.entries[1]).substr(0, 27) == "- [fact:repo] zone_table: T");
  CHECK(line(delivery.entries[1]).substr(160) == " ...[truncated]");
  CHECK(delivery.entries[0].identifiers == std::vector<std::string_view>{"leap_days"});
}

TEST_CASE("a compaction drops what it drops and keeps the order of the input", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const Reading reading = read_path(folder.path().string());
  const Episode& episode = reading.at("meadow__tinycal-9");
  std::vector<std::string> input;
  for (const Message& message : episode.messages) {
    if (message.visible_at(3)) input.emplace_back(std::string(episode.texts[message.text_at_step(3)]).substr(0, 12));
  }
  CHECK(input == std::vector<std::string>{"You mend sma", "<issue>\nTime", "[shortened] ", "Look at the ",
                                          "<returncode>", "Notes from t"});
}

TEST_CASE("every episode of a run root is read again the same", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  check_read_again(read_path(folder.path().string()));
}

TEST_CASE("an instance, a run dir and a log give the same episode as the root does", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const Reading whole = read_path(folder.path().string());
  const std::string outer = folder / "runs/mini-swe-agent/meadow__tinycal-9";
  std::string run_dir;
  for (const auto& entry : std::filesystem::directory_iterator(outer + "/meadow__tinycal-9/trajectory")) {
    run_dir = entry.path().string();
  }
  for (const std::string& path : {outer, outer + "/meadow__tinycal-9", run_dir, run_dir + "/trajectory.jsonl"}) {
    INFO(path);
    const Reading part = read_path(path);
    CHECK(part.handed_over == 1);
    CHECK(first_difference(part.at("meadow__tinycal-9"), whole.at("meadow__tinycal-9")).empty());
    CHECK(part.at("meadow__tinycal-9").source.sha256 == whole.at("meadow__tinycal-9").source.sha256);
  }
}

TEST_CASE("a log without its root is read by itself", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path() / "root");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "root")) {
    if (entry.path().filename() == "trajectory.jsonl" && entry.path().string().find("tinycal-9") != std::string::npos) {
      folder.write("alone/trajectory.jsonl", read_file(entry.path()));
    }
  }
  const Reading reading = read_path(folder / "alone/trajectory.jsonl");
  REQUIRE(reading.episodes.size() == 1);
  const Episode& episode = reading.episodes.begin()->second;
  CHECK(episode.task_id == "meadow__tinycal-9");
  CHECK(episode.configuration == "cure");
  CHECK_FALSE(episode.outcome);
  CHECK(spans_of(episode) == kSecondSpans);
  check_read_again(reading);
}

TEST_CASE("a log under another name is read without its surroundings", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (entry.path().filename() != "trajectory.jsonl") continue;
    const std::filesystem::path copy = entry.path().parent_path() / "copy of it.jsonl";
    BridgeInstance::write(copy, read_file(entry.path()));
    const Reading reading = read_path(copy.string());
    REQUIRE(reading.episodes.size() == 1);
    const Episode& episode = reading.at("copy of it");
    CHECK(episode.source.path == copy.string());
    CHECK_FALSE(episode.outcome);
    CHECK(spans_of(episode) == (episode.task_id == "meadow__tinycal-7" ? kFirstSpans : kSecondSpans));
    check_read_again(reading);
    std::filesystem::remove(copy);
  }
}

TEST_CASE("a task of which only the verdict is left counts as an episode", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  std::filesystem::remove_all(folder.path() / "runs/mini-swe-agent/meadow__tinycal-9");
  const Reading reading = read_path(folder.path().string());
  const Episode& episode = reading.at("meadow__tinycal-9");
  CHECK(episode.step_count() == 0);
  CHECK(episode.outcome->resolved == true);
  CHECK(tag_of(episode, "bridge_trace") == "untraced");
  check_read_again(reading);
}

TEST_CASE("names given by the user come before those of the recording", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  ingest::ReadOptions options;
  options.configuration = "cure-small";
  options.run = "r4";
  const Reading reading = read_path(folder.path().string(), options);
  CHECK(reading.at("meadow__tinycal-7").configuration == "cure-small");
  CHECK(reading.at("meadow__tinycal-7").run == "r4");
}

TEST_CASE("roots below a folder are found, each as one input", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path() / "a");
  write_bridge_root(folder.path() / "b");
  const ingest::InputList inputs = ingest::find_inputs({folder.path().string()});
  REQUIRE(inputs.files.size() == 2);
  CHECK(inputs.files[0].folder);
  CHECK(inputs.files[1].folder);
}

TEST_CASE("an instance that was not recorded stays in the data, untraced", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  std::filesystem::remove_all(folder.path() / "runs/mini-swe-agent/meadow__tinycal-9/meadow__tinycal-9/trajectory");
  const Reading reading = read_path(folder.path().string());
  const Episode& episode = reading.at("meadow__tinycal-9");
  CHECK(tag_of(episode, "bridge_trace") == "untraced");
  CHECK(episode.delivery_grade == DeliveryGrade::not_recorded);
  CHECK(episode.configuration == "cure");
  CHECK(episode.outcome->resolved == true);
  CHECK(episode.visibility == VisibilityGrade::partial);
  CHECK(episode.step_count() == 4);  // the compaction has taken the first one
  CHECK(episode.deliveries.empty());
  CHECK(reading.count(Fault::under_recorded) == 2);
  check_read_again(reading);
}

TEST_CASE("memory that was not available is no memory without effect", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  const std::string file = folder / "runs/mini-swe-agent/meadow__tinycal-7/memory.json";
  Json memory = Json::parse(read_file(file));
  memory["available"] = false;
  BridgeInstance::write(file, memory.dump());
  const Reading reading = read_path(folder.path().string());
  CHECK(reading.at("meadow__tinycal-7").delivery_grade == DeliveryGrade::not_recorded);
  CHECK(tag_of(reading.at("meadow__tinycal-7"), "bridge_memory") == "unavailable");
}

TEST_CASE("the driver's log decides the order when it differs from the list", "[bridge]") {
  const TemporaryFolder folder;
  write_bridge_root(folder.path());
  folder.write("memory-arm.log",
               "[2031-01-02T03:00:00Z] RUN meadow__tinycal-9\n[2031-01-02T04:00:00Z] RUN meadow__tinycal-7\n");
  const Reading reading = read_path(folder.path().string());
  CHECK(reading.at("meadow__tinycal-9").position == 1U);
  CHECK(reading.at("meadow__tinycal-7").position == 2U);
  CHECK(reading.count(Fault::inconsistent_record) == 1);
}

TEST_CASE("scenes and searches of the agent itself are deliveries in a tencentdb run", "[bridge]") {
  const TemporaryFolder folder;
  const BridgeMemories m;
  BridgeInstance instance(folder.path(), BridgeKind::tencentdb, "meadow__tinycal-11", "Dates are wrong.");
  instance.search({m.tests});
  instance.step("Read the scene.", R"(curl -d '{"path": "scenes/dates.md"}' host/v3/scenario/read)",
                "Dates come from strptime.");
  instance.step("And what was said.", R"(curl -d "{\"query\": \"dates\"}" host/v3/conversation/search)",
                "nothing on dates");
  instance.step("The guide's own words do not count.", R"(echo '{"path": "<scene-file>"}' /v3/scenario/read)", "x");
  instance.step("Submit.", "submit", "done");
  instance.finish();
  const Reading reading = read_path(folder.path().string());
  INFO(reading.faults());
  const Episode& episode = reading.at("meadow__tinycal-11");
  std::vector<std::string> agent;
  std::size_t scene_indexes = 0;
  for (const Delivery& delivery : episode.deliveries) {
    if (delivery.form == "scene index") {
      ++scene_indexes;
      REQUIRE(delivery.entries.size() == 1);
      CHECK(delivery.entries[0].item == "scenes/dates.md");
    }
    if (delivery.route != Route::agent) continue;
    REQUIRE(delivery.entries.size() == 1);
    agent.push_back(fmt::format("{} {} {} \"{}\"", delivery.form, delivery.consuming_step,
                                delivery.entries[0].item.value_or("-"), delivery.entries[0].text));
  }
  CHECK(scene_indexes == 4);
  CHECK(agent == std::vector<std::string>{"scene file 2 scenes/dates.md \"Dates come from strptime.\"",
                                          "conversation search 3 - \"nothing on dates\""});
}

TEST_CASE("the shared example of a run root is read as its page says", "[bridge][data]") {
  const std::filesystem::path example = shared_data() / ".." / "formats" / "bridge-v6-example";
  if (!std::filesystem::exists(example)) {
    WARN("skipped: no reference data on this machine");
    return;
  }
  const Reading reading = read_path(example.string());
  INFO(reading.faults());
  CHECK(reading.diagnostics.empty());
  const Episode& first = reading.at("orbitlab__starframe-412");
  const Episode& second = reading.at("orbitlab__starframe-447");
  CHECK(first.outcome->resolved == false);
  CHECK(second.outcome->resolved == true);
  CHECK(first.step_count() == 7);
  CHECK(second.step_count() == 9);
  CHECK(first.deliveries.size() == 3);
  CHECK(second.deliveries.size() == 9);
  CHECK(first.searches.size() == 2);
  CHECK(second.searches.size() == 3);
  CHECK(tag_of(first, "bridge_generations") == "2");
  CHECK(tag_of(second, "bridge_generations") == "3");
  CHECK(tag_of(first, "bridge_history_rewrites") == "2");
  CHECK(tag_of(second, "bridge_history_rewrites") == "8");
  CHECK(tag_of(first, "bridge_compactions") == "0");
  CHECK(tag_of(second, "bridge_compactions") == "1");
  const auto shape = [](const Episode& episode) {
    std::string out;
    for (const Span& span : spans::compute_spans(episode).spans) {
      out += fmt::format("{}-{} {} ({} deliveries)", span.first_step, span.last_step, name(span.routing),
                         span.deliveries.size());
      for (const SpanEntry& entry : span.entries) {
        out += entry.window ? fmt::format(" [{},{}]", entry.window->first, entry.window->last) : " []";
      }
      out += "\n";
    }
    return out;
  };
  CHECK(shape(first) == "1-1 empty (1 deliveries)\n5-7 judged (3 deliveries) [5,7] [5,7]\n");
  CHECK(shape(second) == "1-4 judged (4 deliveries) [1,4] [1,9] [1,4]\n5-9 judged (5 deliveries) [] [5,9] [5,9]\n");
  // Every text that was delivered begins as the text that was stored.
  for (const Delivery& delivery : second.deliveries) {
    for (const Entry& entry : delivery.entries) CHECK(entry.range);
  }
  check_read_again(reading);
}
