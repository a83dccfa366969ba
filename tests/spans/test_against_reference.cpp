#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "../support/episode_builder.h"
#include "reference_spans.h"
#include "spans/spans.h"

// The fast calculator against the slow one, on random episodes that use every feature at once, and on all tiny ones.

namespace memuse::test {
namespace {

/// Draws numbers in a way that is the same on every platform. Never drawn twice in one argument list, since the order
/// of evaluation there is the compiler's.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  bool one_in(std::size_t bound) { return below(bound) == 0; }

 private:
  std::mt19937 engine_;
};

constexpr std::array<const char*, 16> kTexts{
    "fig",   "plum",          "fig plum",       "fig  plum\n", "plum fig", "fig plum fig",       "kiwi fig plum",
    "ig pl", "caf\u00e9 fig", "cafe\u0301 fig", "\u00e9 fig",  " ",        "kiwi fig plum pear", "f",
    "fi",    "plum\u2003fig"};

class RandomEpisode {
 public:
  explicit RandomEpisode(std::uint32_t seed) : dice_(seed) {}

  Episode build() {
    const std::size_t steps = 1 + dice_.below(9);
    items_ = 1 + dice_.below(3);
    texts_ = 2 + dice_.below(kTexts.size() - 1);
    builder_.message("task", "sort the fruit");
    live_.emplace_back("task");
    for (std::size_t k = 0; k < steps; ++k) {
      for (std::size_t lines = dice_.below(6); lines > 0; --lines) add_line();
      add_step();
    }
    for (std::size_t lines = dice_.below(3); lines > 0; --lines) add_line();
    return builder_.build();
  }

 private:
  std::string new_id(const char* kind) { return kind + std::to_string(++ids_); }
  const std::string& some_message() { return live_[dice_.below(live_.size())]; }

  void add_line() {
    switch (dice_.below(10)) {
      case 0:
        builder_.drop(some_message());
        break;
      case 1:
        add_rewrite();
        break;
      case 2:
        add_search();
        break;
      case 3:
        add_delivery(std::nullopt, dice_.one_in(3) ? some_entries() : std::vector<EntryLine>{});
        break;
      case 4:
      case 5:
        add_delivery_in_place();
        break;
      default:
        add_block();
    }
  }

  void add_rewrite() {
    const std::string message = some_message();
    builder_.rewrite(message, block_text(some_entries()));
  }

  void add_delivery_in_place() {
    const std::string message = some_message();
    add_delivery(message, some_entries());
  }

  void add_search() {
    const bool found = dice_.one_in(3);
    const bool completed = !dice_.one_in(4);
    searches_.push_back(new_id("q"));
    builder_.search(searches_.back(), found ? std::vector<std::string>{"1"} : std::vector<std::string>{}, completed);
  }

  void add_block() {
    // An old block is often placed again, since equal lists seldom meet by chance.
    const bool again = !blocks_.empty() && !dice_.one_in(3);
    const std::vector<EntryLine> entries = again ? blocks_[dice_.below(blocks_.size())] : some_entries();
    if (!again) blocks_.push_back(entries);
    live_.push_back(new_id("m"));
    const bool blank = dice_.one_in(8);
    const bool transient = dice_.one_in(2);
    builder_.message(live_.back(), blank ? " \n" : block_text(entries), {.transient = transient});
    for (std::size_t i = dice_.one_in(5) ? 2U : 1U; i > 0; --i) add_delivery(live_.back(), entries);
  }

  void add_step() {
    StepLine line;
    line.persist = !dice_.one_in(4);
    if (dice_.one_in(2)) line.results.emplace_back(new_id("o"), block_text(some_entries()));
    builder_.step(line);
    for (const auto& [id, text] : line.results) {
      live_.push_back(id);
      if (dice_.one_in(2)) add_delivery(id, dice_.one_in(3) ? std::vector<EntryLine>{} : some_entries());
    }
  }

  void add_delivery(std::optional<std::string> message, std::vector<EntryLine> entries) {
    DeliveryLine line;
    line.id = new_id("d");
    if (message && dice_.one_in(3)) {
      const std::size_t end = builder_.episode().texts.size();  // any small number; placed_text clamps it
      const std::size_t begin = dice_.below(4);
      line.range = ByteRange{begin, 4 + dice_.below(end + 8)};
    }
    line.message = std::move(message);
    line.entries = std::move(entries);
    if (!searches_.empty() && dice_.one_in(3)) line.search = searches_[dice_.below(searches_.size())];
    builder_.delivery(line);
  }

  std::vector<EntryLine> some_entries() {
    std::vector<EntryLine> entries;
    for (std::size_t i = dice_.below(4); i > 0; --i) {
      EntryLine entry;
      if (!dice_.one_in(5)) entry.item = std::to_string(1 + dice_.below(items_));
      entry.text = kTexts[dice_.below(texts_)];
      for (const char* identifier : {"left", "right", "middle"}) {
        if (dice_.one_in(4)) entry.identifiers.emplace_back(identifier);
      }
      entries.push_back(entry);
    }
    return entries;
  }

  static std::string block_text(const std::vector<EntryLine>& entries) {
    std::string text;
    for (const EntryLine& entry : entries) text += "- " + entry.text + "\n";
    return text;
  }

  Dice dice_;
  EpisodeBuilder builder_;
  std::size_t items_ = 1;
  std::size_t texts_ = 2;
  std::size_t ids_ = 0;
  std::vector<std::string> live_;
  std::vector<std::string> searches_;
  std::vector<std::vector<EntryLine>> blocks_;
};

/// How often the interesting things happened, so that a generator gone dull is noticed.
struct Coverage {
  std::size_t restatements = 0;
  std::size_t empty_windows = 0;
  std::size_t automatic = 0;
  std::size_t empty_spans = 0;
  std::size_t unconsumed = 0;
  std::size_t unowned = 0;

  void count(const EpisodeSpans& spans) {
    for (const Span& span : spans.spans) {
      restatements += span.deliveries.size() - 1;
      for (const SpanEntry& entry : span.entries) empty_windows += entry.window ? 0U : 1U;
      automatic += span.routing == Routing::automatic_neutral ? 1U : 0U;
      empty_spans += span.routing == Routing::empty ? 1U : 0U;
    }
    unconsumed += spans.unconsumed.size();
    unowned += spans.unowned_entry_steps;
  }
};

/// What may be done before a step of a tiny episode.
class TinyEpisode {
 public:
  static constexpr std::size_t kActions = 8;

  void act(std::size_t action) {
    switch (action) {
      case 0:
        break;
      case 1:
        place("fig", false);
        break;
      case 2:
        place("fig", true);
        break;
      case 3:
        place("fig plum", false);
        break;
      case 4:
        place("fig plum", true);
        break;
      case 5:
        if (placed_ > 0) builder_.drop(last());
        break;
      case 6:
        if (placed_ > 0) builder_.rewrite(last(), "plum");
        break;
      case 7:
        if (placed_ > 0) builder_.rewrite(last(), "kiwi fig");
        break;
    }
  }
  void step() { builder_.step(); }
  Episode build() { return builder_.build(); }

 private:
  [[nodiscard]] std::string last() const { return "m" + std::to_string(placed_); }

  void place(const char* text, bool transient) {
    ++placed_;
    builder_.message(last(), text, {.transient = transient});
    builder_.delivery({.id = "d", .message = last(), .entries = {{.item = "1", .text = text}}});
  }

  EpisodeBuilder builder_;
  int placed_ = 0;
};

}  // namespace

TEST_CASE("random episodes agree with the slow reference in every field") {
  Coverage coverage;
  for (std::uint32_t seed = 1; seed <= 8000; ++seed) {
    const Episode episode = RandomEpisode(seed).build();
    const EpisodeSpans expected = reference_spans(episode);
    INFO("seed " << seed);
    REQUIRE(describe(spans::compute_spans(episode)) == describe(expected));
    coverage.count(expected);
  }
  CHECK(coverage.restatements > 300);
  CHECK(coverage.empty_windows > 300);
  CHECK(coverage.automatic > 300);
  CHECK(coverage.empty_spans > 300);
  CHECK(coverage.unconsumed > 300);
  CHECK(coverage.unowned > 300);
}

TEST_CASE("all tiny episodes agree with the slow reference") {
  // Two actions before each of the first two steps, one before the last.
  constexpr std::size_t kSlots = 5;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < kSlots; ++i) combinations *= TinyEpisode::kActions;
  for (std::size_t combination = 0; combination < combinations; ++combination) {
    TinyEpisode tiny;
    std::size_t rest = combination;
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      tiny.act(rest % TinyEpisode::kActions);
      rest /= TinyEpisode::kActions;
      if (slot % 2 == 1 || slot + 1 == kSlots) tiny.step();
    }
    const Episode episode = tiny.build();
    const std::string expected = describe(reference_spans(episode));
    if (describe(spans::compute_spans(episode)) == expected) continue;
    INFO("combination " << combination);
    REQUIRE(describe(spans::compute_spans(episode)) == expected);
  }
  SUCCEED();
}

}  // namespace memuse::test
