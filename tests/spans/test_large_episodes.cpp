#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <string>

#include "../support/episode_builder.h"
#include "spans/spans.h"

// Episodes that cost a calculator dearly when it works step by step over the visible input, or pair by pair over texts.
// Quadratic work would run into the time-out of the test program; MEMUSE_SHOW_TIMES prints the processor time.

namespace memuse::test {
namespace {

constexpr std::uint32_t kSteps = 5000;

EpisodeSpans timed_spans(const Episode& episode) {
  const std::clock_t start = std::clock();
  EpisodeSpans spans = spans::compute_spans(episode);
  const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (std::getenv("MEMUSE_SHOW_TIMES") != nullptr) WARN("took " << taken << " s");
  return spans;
}

std::string id_of(const char* kind, std::uint32_t number) {
  return kind + std::to_string(number);
}

std::vector<EntryLine> five_entries() {
  std::vector<EntryLine> entries;
  for (std::uint32_t i = 0; i < 5; ++i) {
    entries.push_back({.item = id_of("item-", i), .text = id_of("a note of some length about the oven, number ", i)});
  }
  return entries;
}

std::string block_of(const std::vector<EntryLine>& entries) {
  std::string text;
  for (const EntryLine& entry : entries) text += entry.text + "\n";
  return text;
}

}  // namespace

TEST_CASE("a transient block at every step") {
  const std::vector<EntryLine> entries = five_entries();
  EpisodeBuilder builder;
  for (std::uint32_t k = 1; k <= kSteps; ++k) {
    builder.transient(id_of("m", k), block_of(entries));
    builder.delivery({.id = id_of("d", k), .message = id_of("m", k), .entries = entries}).step();
  }
  const Episode episode = builder.build();
  const EpisodeSpans result = timed_spans(episode);
  REQUIRE(result.spans.size() == 1);
  CHECK(result.spans.front().deliveries.size() == kSteps);
  CHECK(result.spans.front().entries.front().window == Window{1, kSteps});
}

TEST_CASE("persistent copies of one block at every step") {
  const std::vector<EntryLine> entries = five_entries();
  EpisodeBuilder builder;
  for (std::uint32_t k = 1; k <= kSteps; ++k) {
    builder.message(id_of("m", k), block_of(entries));
    builder.delivery({.id = id_of("d", k), .message = id_of("m", k), .entries = entries}).step();
  }
  const Episode episode = builder.build();
  const EpisodeSpans result = timed_spans(episode);
  REQUIRE(result.spans.size() == 1);
  CHECK(result.spans.front().last_step == kSteps);
}

TEST_CASE("an item that grows at every step") {
  const bool at_the_end = GENERATE(true, false);
  const bool transient = GENERATE(true, false);
  const bool every_other_step = GENERATE(false, true);
  CAPTURE(at_the_end, transient, every_other_step);
  EpisodeBuilder builder;
  std::string text = "log:";
  for (std::uint32_t k = 1; k <= kSteps; ++k) {
    text = at_the_end ? text + " " + std::to_string(k % 10) : std::to_string(k % 10) + " " + text;
    if (!every_other_step || k % 2 == 1) {
      builder.message(id_of("m", k), text, {.transient = transient});
      builder.delivery({.id = id_of("d", k), .message = id_of("m", k), .entries = {{.item = "log", .text = text}}});
    }
    builder.step();
  }
  const Episode episode = builder.build();
  const EpisodeSpans result = timed_spans(episode);
  REQUIRE(result.spans.size() == (every_other_step ? kSteps / 2 : kSteps));
  for (const Span& span : result.spans) {
    REQUIRE(span.entries.front().window);
    REQUIRE(span.entries.front().window->last == (transient && every_other_step ? span.first_step : kSteps));
  }
}

TEST_CASE("an item that shrinks at every step") {
  EpisodeBuilder builder;
  std::string text;
  for (std::uint32_t k = 1; k <= kSteps; ++k) text += std::to_string(k % 10) + " ";
  for (std::uint32_t k = 1; k <= kSteps; ++k) {
    text.resize(text.size() - 2);
    builder.message(id_of("m", k), text + "end");
    builder.delivery({.id = id_of("d", k), .message = id_of("m", k), .entries = {{.item = "log", .text = text + "e"}}});
    builder.step();
  }
  const Episode episode = builder.build();
  CHECK(timed_spans(episode).spans.size() == kSteps);
}

TEST_CASE("previews of one item among ever new neighbours, each with an identifier of its own") {
  EpisodeBuilder builder;
  for (std::uint32_t k = 1; k <= kSteps; ++k) {
    const std::vector<EntryLine> entries{
        {.item = "shared", .text = "the oven runs hot", .identifiers = {id_of("hit-", k)}},
        {.text = id_of("neighbour ", k), .identifiers = {id_of("hit-", k), "page"}}};
    builder.message(id_of("m", k), block_of(entries));
    builder.delivery({.id = id_of("d", k), .message = id_of("m", k), .entries = entries}).step();
  }
  const Episode episode = builder.build();
  const EpisodeSpans result = timed_spans(episode);
  CHECK(result.spans.size() == kSteps);
  CHECK(result.unowned_entry_steps == 0);
}

TEST_CASE("a board that is rewritten at every step, with a delivery each time") {
  EpisodeBuilder builder;
  builder.message("board", "start");
  for (std::uint32_t k = 1; k <= kSteps; ++k) {
    const std::string note = id_of("note ", k) + ".";
    builder.rewrite("board", k % 2 == 0 ? note + " note 1." : note);
    builder.delivery({.id = id_of("d", k), .message = "board", .entries = {{.item = "1", .text = note}}}).step();
  }
  const Episode episode = builder.build();
  const EpisodeSpans result = timed_spans(episode);
  REQUIRE(result.spans.size() == kSteps);
  CHECK(result.spans.front().entries.front().window == Window{1, 2});
  CHECK(result.spans[1].last_step == 2);
}

TEST_CASE("many searches without a hit, many deliveries that cite one") {
  EpisodeBuilder builder;
  for (std::uint32_t k = 1; k <= kSteps; ++k) {
    for (std::uint32_t i = 0; i < 4; ++i) builder.search(id_of("q", 4 * k + i), {});
    for (std::uint32_t i = 0; i < 3; ++i)
      builder.delivery({.id = id_of("d", 4 * k + i), .search = id_of("q", 4 * k + i)});
    builder.step();
  }
  const Episode episode = builder.build();
  const EpisodeSpans result = timed_spans(episode);
  REQUIRE(result.spans.size() == 1);
  CHECK(result.spans.front().deliveries.size() == std::size_t{4} * kSteps);
}

}  // namespace memuse::test
