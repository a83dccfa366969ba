#include "ingest/episode_recorder.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memuse::ingest {
namespace {

/// A recorder with short ways to say what happened. Each call is one event.
class Events {
 public:
  std::uint32_t message(std::string_view id, std::string_view text, bool transient = false) {
    recorder.tick();
    return recorder.add_message({id, Role::user, Origin::other, transient, text});
  }
  void drop(std::string_view id) {
    recorder.tick();
    const auto index = recorder.message_index(id);
    REQUIRE(index);
    recorder.drop_message(*index);
  }
  void rewrite(std::string_view id, std::string_view text) {
    recorder.tick();
    const auto index = recorder.message_index(id);
    REQUIRE(index);
    recorder.rewrite_message(*index, text);
  }
  void step(StepRecord record = {}) {
    recorder.tick();
    recorder.add_step(std::move(record));
  }
  void delivery(std::string_view id, std::optional<std::uint32_t> message = std::nullopt) {
    recorder.tick();
    Delivery delivery;
    delivery.id = id;
    delivery.message = message;
    recorder.add_delivery(std::move(delivery));
  }
  void search(std::string_view id) {
    recorder.tick();
    Search search;
    search.id = id;
    recorder.add_search(std::move(search));
  }
  /// V(step): ids and texts in the order of the input.
  [[nodiscard]] std::string input(std::uint32_t step) const {
    const Episode& episode = recorder.episode();
    std::string all;
    for (const Message& message : episode.messages) {
      if (!message.visible_at(step)) continue;
      if (!all.empty()) all += ' ';
      all += std::string(message.id) + "=" + std::string(episode.texts[message.text_at_step(step)]);
    }
    return all;
  }

  EpisodeRecorder recorder;
};

StepRecord answered(std::string_view id, std::string_view response) {
  StepRecord record;
  record.id = id;
  record.response = response;
  return record;
}

TEST_CASE("a message is visible from the next step on", "[recorder]") {
  Events events;
  events.message("a", "A");
  CHECK(events.recorder.next_step() == 1);
  events.step();
  events.message("b", "B");
  events.step();
  events.step();
  CHECK(events.input(1) == "a=A");
  CHECK(events.input(2) == "a=A b=B");
  CHECK(events.input(3) == "a=A b=B");
  CHECK(events.recorder.message_index("b") == 1U);
  CHECK_FALSE(events.recorder.message_index("c"));
}

TEST_CASE("a dropped message leaves the input of the next step", "[recorder]") {
  Events events;
  events.message("a", "A");
  events.message("b", "B");
  events.step();
  events.drop("a");
  events.step();
  CHECK(events.input(1) == "a=A b=B");
  CHECK(events.input(2) == "b=B");
  SECTION("once for all") {
    events.drop("a");
    events.step();
    CHECK(events.input(1) == "a=A b=B");
    CHECK(events.input(3) == "b=B");
  }
  SECTION("before any step it is in no input") {
    events.message("c", "C");
    events.drop("c");
    events.step();
    CHECK(events.input(3) == "b=B");
    const Message& message = events.recorder.episode().messages.back();
    CHECK(message.end_step == message.first_step);
  }
}

TEST_CASE("a transient message is in one input only", "[recorder]") {
  Events events;
  events.message("a", "A");
  events.message("t1", "T", true);
  events.step();
  events.message("t2", "T", true);
  events.step();
  events.step();
  CHECK(events.input(1) == "a=A t1=T");
  CHECK(events.input(2) == "a=A t2=T");
  CHECK(events.input(3) == "a=A");
  SECTION("and in none when it is dropped before it") {
    events.message("t3", "T", true);
    events.drop("t3");
    events.step();
    CHECK(events.input(4) == "a=A");
  }
  SECTION("dropping it later changes nothing") {
    events.drop("t1");
    CHECK(events.input(1) == "a=A t1=T");
  }
}

TEST_CASE("a rewritten message keeps its place and has its new text from the next step on", "[recorder]") {
  Events events;
  const std::uint32_t a = events.message("a", "A");
  events.message("b", "B");
  events.step();
  events.rewrite("a", "A2");
  CHECK(events.recorder.message_text(a) == "A2");
  events.rewrite("a", "A3");
  events.step();
  events.step();
  events.rewrite("a", "A4");
  events.step();
  CHECK(events.input(1) == "a=A b=B");
  CHECK(events.input(2) == "a=A3 b=B");
  CHECK(events.input(3) == "a=A3 b=B");
  CHECK(events.input(4) == "a=A4 b=B");
  // The line clock tells texts apart that one step does not.
  const Message& message = events.recorder.episode().messages[a];
  REQUIRE(message.versions.size() == 4);
  CHECK(events.recorder.episode().texts[message.text_at_order(4)] == "A2");
  CHECK(events.recorder.episode().texts[message.text_at_order(5)] == "A3");
}

TEST_CASE("response and results are visible after their step", "[recorder]") {
  Events events;
  events.message("task", "T");
  StepRecord record = answered("r1", "R");
  record.actions = {{"call", "bash", "{}"}};
  record.results = {{"o1", "call", "O"}, {"o2", "", "P"}};
  SECTION("when they persist") {
    events.step(std::move(record));
    events.step();
    events.step();
    CHECK(events.input(1) == "task=T");
    CHECK(events.input(2) == "task=T r1=R o1=O o2=P");
    CHECK(events.input(3) == "task=T r1=R o1=O o2=P");
  }
  SECTION("and never when they do not") {
    record.persist = false;
    events.step(std::move(record));
    events.step();
    CHECK(events.input(2) == "task=T");
  }
  const Episode& episode = events.recorder.episode();
  const Step& step = episode.steps[0];
  REQUIRE(step.response_message);
  CHECK(episode.messages[*step.response_message].role == Role::assistant);
  CHECK(episode.messages[*step.response_message].of_step == 1);
  REQUIRE(step.results.size() == 2);
  CHECK(step.results[0].action == "call");
  CHECK(step.results[1].message == 3);
  CHECK(episode.messages[2].role == Role::tool);
  CHECK(episode.messages[2].of_step == 1);
  CHECK(episode.messages[0].of_step == 0);
  CHECK(events.recorder.message_index("o2") == 3U);
}

TEST_CASE("a step without response and id leaves no message", "[recorder]") {
  Events events;
  events.step();
  CHECK(events.recorder.episode().messages.empty());
  CHECK_FALSE(events.recorder.episode().steps[0].response_message);
  events.step(answered("", "unnamed"));
  REQUIRE(events.recorder.episode().messages.size() == 1);
  CHECK_FALSE(events.recorder.message_index(""));
  StepRecord named;
  named.id = "r3";
  events.step(std::move(named));
  CHECK(events.input(4) == "=unnamed r3=");
}

TEST_CASE("deliveries and searches are consumed by the next step", "[recorder]") {
  Events events;
  const std::uint32_t memory = events.message("m", "M");
  events.delivery("d1", memory);
  events.search("s1");
  events.step();
  events.step();
  events.delivery("d2", memory);
  events.search("s2");
  events.search("s3");
  events.step();
  events.delivery("d3");
  events.search("s4");
  const Episode& episode = events.recorder.episode();
  CHECK(episode.deliveries[0].consuming_step == 1);
  CHECK(episode.deliveries[1].consuming_step == 3);
  CHECK(episode.deliveries[2].consuming_step == kNever);
  CHECK(episode.searches[0].step == 1);
  CHECK(episode.searches[1].step == 3);
  CHECK(episode.searches[2].step == 3);
  CHECK(episode.searches[3].step == kNever);
}

TEST_CASE("a caller cannot set consuming step and order", "[recorder]") {
  Events events;
  events.recorder.tick();
  Delivery delivery;
  delivery.consuming_step = 7;
  delivery.order = 99;
  events.recorder.add_delivery(std::move(delivery));
  Search search;
  search.step = 7;
  search.order = 99;
  events.recorder.add_search(std::move(search));
  CHECK(events.recorder.episode().deliveries[0].consuming_step == kNever);
  CHECK(events.recorder.episode().deliveries[0].order == 1);
  CHECK(events.recorder.episode().searches[0].step == kNever);
  CHECK(events.recorder.episode().searches[0].order == 1);
}

TEST_CASE("every event has its time on the line clock", "[recorder]") {
  Events events;
  events.message("a", "A");              // 1
  events.delivery("d", 0U);              // 2
  events.rewrite("a", "shorter");        // 3
  events.step(answered("r", "answer"));  // 4
  events.recorder.tick();                // 5
  events.recorder.add_memory_operation({});
  events.recorder.tick();  // 6
  events.recorder.add_side_call({});
  const Episode& episode = events.recorder.episode();
  CHECK(episode.lines == 6);
  CHECK(episode.messages[0].order == 1);
  CHECK(episode.deliveries[0].order == 2);
  CHECK(episode.messages[0].versions[1].order == 3);
  CHECK(episode.steps[0].order == 4);
  CHECK(episode.messages[1].order == 4);
  CHECK(episode.memory_operations[0].order == 5);
  CHECK(episode.memory_operations[0].after_step == 1);
  CHECK(episode.side_calls[0].order == 6);
  SECTION("so that a delivery places the text that its message had then") {
    CHECK(episode.placed_text(episode.deliveries[0]) == "A");
  }
}

// semantics.md §3, worked example 1: what the model saw, without the judging.
TEST_CASE("persistent copies stay in view until they are dropped", "[recorder]") {
  Events events;
  const auto steps = [&](int count) {
    while (count-- > 0) events.step();
  };
  steps(1);
  events.delivery("d1", events.message("m1", "A"));
  steps(1);
  events.delivery("d2", events.message("m2", "B"));
  steps(1);
  events.delivery("d3", events.message("m3", "A"));
  steps(1);
  events.delivery("d4", events.message("m4", "a"));
  steps(5);
  events.drop("m1");
  events.drop("m3");
  steps(1);
  events.delivery("d5", events.message("m5", "A"));
  steps(1);
  const Episode& episode = events.recorder.episode();
  const std::vector<std::uint32_t> expected{2, 3, 4, 5, 11};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(episode.deliveries[i].consuming_step == expected[i]);
  CHECK(events.input(9) == "m1=A m2=B m3=A m4=a");
  CHECK(events.input(10) == "m2=B m4=a");
  CHECK(events.input(11) == "m2=B m4=a m5=A");
}

// Worked example 2: the block is placed anew for each step.
TEST_CASE("transient blocks are each consumed by their own step", "[recorder]") {
  Events events;
  for (int step = 1; step <= 9; ++step) {
    const std::string_view id = events.recorder.keep("block" + std::to_string(step));
    events.delivery(id, events.message(id, step <= 4 ? "1 6 3" : "6 5 7", true));
    events.step();
  }
  const Episode& episode = events.recorder.episode();
  for (std::uint32_t step = 1; step <= 9; ++step) {
    CHECK(episode.deliveries[step - 1].consuming_step == step);
    CHECK(events.input(step) == "block" + std::to_string(step) + (step <= 4 ? "=1 6 3" : "=6 5 7"));
  }
  CHECK(events.input(10).empty());
}

TEST_CASE("damage lowers what is known of the input, and nothing raises it", "[recorder]") {
  const std::pair<VisibilityGrade, VisibilityGrade> cases[] = {
      {VisibilityGrade::exact, VisibilityGrade::partial},
      {VisibilityGrade::rebuilt, VisibilityGrade::partial},
      {VisibilityGrade::partial, VisibilityGrade::partial},
      {VisibilityGrade::unknown, VisibilityGrade::unknown},
  };
  for (const auto& [before, after] : cases) {
    EpisodeRecorder recorder;
    recorder.episode().visibility = before;
    recorder.mark_damaged();
    CHECK(recorder.episode().visibility == after);
  }
}

TEST_CASE("an episode that was taken keeps its texts", "[recorder]") {
  Events events;
  events.message(events.recorder.keep(std::string("id")), events.recorder.keep(std::string(100, 'x')));
  const Episode episode = events.recorder.take();
  CHECK(episode.messages[0].id == "id");
  CHECK(episode.texts[episode.messages[0].versions[0].text] == std::string(100, 'x'));
}

}  // namespace
}  // namespace memuse::ingest
