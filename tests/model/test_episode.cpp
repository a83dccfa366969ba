#include "model/episode.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "model/diagnostic.h"
#include "model/entries.h"

namespace memuse {
namespace {

TEST_CASE("an arena's views stay through growth and moves") {
  std::mt19937 random(1);
  Arena arena;
  std::vector<std::pair<std::string_view, std::string>> kept;
  const auto keep = [&](std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + random() % 26);
    const std::string_view view = arena.keep(text);
    kept.emplace_back(view, std::move(text));
  };
  std::size_t total = 0;
  for (int round = 0; round < 2000; ++round) {
    keep(random() % 300);
    if (round % 100 == 0) keep(3'000'000 / (1 + static_cast<std::size_t>(round)));
    if (round % 500 == 0) {
      Arena moved = std::move(arena);
      arena = std::move(moved);
    }
  }
  for (const auto& [view, text] : kept) {
    REQUIRE(view == text);
    total += text.size();
  }
  CHECK(arena.used() == total);
}

TEST_CASE("reserved room has slack behind it and is taken only by commit") {
  Arena arena;
  char* place = arena.reserve(10);
  std::fill(place, place + 10 + Arena::kSlack, 'x');
  CHECK(arena.used() == 0);
  CHECK(arena.commit(4) == "xxxx");
  CHECK(arena.used() == 4);
  CHECK(arena.keep("") == "");
  char* large = arena.reserve(5'000'000);
  std::fill(large, large + 5'000'000 + Arena::kSlack, 'y');
  CHECK(arena.commit(5'000'000).size() == 5'000'000);
}

TEST_CASE("a moved-from arena starts anew") {
  Arena first;
  first.keep("abc");
  Arena second = std::move(first);
  const std::string_view again = first.keep("def");  // NOLINT(bugprone-use-after-move): that is what is tested
  CHECK(again == "def");
  CHECK(first.used() == 3);
  CHECK(second.used() == 3);
}

TEST_CASE("equal texts have one id") {
  Arena arena;
  TextPool pool;
  const TextId a = pool.intern(arena.keep("alpha"));
  const TextId b = pool.intern(arena.keep("beta"));
  CHECK(pool.intern(arena.keep("alpha")) == a);
  CHECK(a != b);
  CHECK(pool.intern("") == pool.intern(std::string_view()));
  CHECK(pool.size() == 3);
  CHECK(pool[a] == "alpha");
  CHECK(pool[b] == "beta");
}

Message message_with_versions() {
  Message message;
  message.order = 2;
  message.first_step = 1;
  message.end_step = 6;
  message.versions = {{2, 1, 10}, {5, 3, 11}, {6, 3, 12}, {9, 5, 13}};
  return message;
}

TEST_CASE("a message shows the version of its time") {
  const Message message = message_with_versions();
  const auto at_order = [&](std::uint32_t moment) { return message.text_at_order(moment); };
  CHECK(at_order(0) == 10U);
  CHECK(at_order(4) == 10U);
  CHECK(at_order(5) == 11U);
  CHECK(at_order(6) == 12U);
  CHECK(at_order(8) == 12U);
  CHECK(at_order(100) == 13U);
  const auto at_step = [&](std::uint32_t step) { return message.text_at_step(step); };
  CHECK(at_step(1) == 10U);
  CHECK(at_step(2) == 10U);
  CHECK(at_step(3) == 12U);
  CHECK(at_step(4) == 12U);
  CHECK(at_step(5) == 13U);
  CHECK_FALSE(message.visible_at(0));
  CHECK(message.visible_at(1));
  CHECK(message.visible_at(5));
  CHECK_FALSE(message.visible_at(6));
}

/// One message "0123456789", rewritten to "short" after line 5.
Episode episode_with_message() {
  Episode episode;
  Message message;
  message.order = 1;
  message.versions = {{1, 1, episode.texts.intern("0123456789")}, {5, 2, episode.texts.intern("short")}};
  episode.messages.push_back(message);
  return episode;
}

TEST_CASE("placed text is what the message held at the delivery's line") {
  const Episode episode = episode_with_message();
  Delivery delivery;
  delivery.message = 0;
  delivery.order = 2;
  CHECK(episode.placed_text(delivery) == "0123456789");
  delivery.range = ByteRange{2, 5};
  CHECK(episode.placed_text(delivery) == "234");
  delivery.order = 6;
  delivery.range.reset();
  CHECK(episode.placed_text(delivery) == "short");
  SECTION("a range is clamped") {
    delivery.range = ByteRange{3, 50};
    CHECK(episode.placed_text(delivery) == "rt");
    delivery.range = ByteRange{60, 70};
    CHECK(episode.placed_text(delivery).empty());
    delivery.range = ByteRange{4, 1};
    CHECK(episode.placed_text(delivery).empty());
  }
  delivery.message.reset();
  CHECK(episode.placed_text(delivery).empty());
}

TEST_CASE("exposed entries are those with text, else the placed text, else none") {
  const Episode episode = episode_with_message();
  Delivery delivery;
  delivery.order = 2;
  CHECK(exposed_entries(episode, delivery).empty());
  delivery.message = 0;
  const auto whole = exposed_entries(episode, delivery);
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].index == 0);
  CHECK(whole[0].recorded == nullptr);
  CHECK(whole[0].text == "0123456789");
  delivery.entries.resize(3);
  delivery.entries[0].text = " \t";
  delivery.entries[1].text = "one";
  delivery.entries[2].text = "two";
  const auto some = exposed_entries(episode, delivery);
  REQUIRE(some.size() == 2);
  CHECK(some[0].index == 1);
  CHECK(some[0].recorded == &delivery.entries[1]);
  CHECK(some[1].text == "two");
  delivery.entries.resize(1);
  CHECK(exposed_entries(episode, delivery).size() == 1);
  CHECK(exposed_entries(episode, delivery)[0].recorded == nullptr);
}

TEST_CASE("a search counts as an empty delivery only when it found nothing and nobody cites it") {
  Episode episode;
  Search search;
  search.id = "q";
  search.step = 1;
  episode.searches.push_back(search);
  CHECK(searches_counting_as_empty(episode) == std::vector<std::uint32_t>{0});
  SECTION("failed") {
    episode.searches[0].completed = false;
    CHECK(searches_counting_as_empty(episode).empty());
  }
  SECTION("returned something") {
    episode.searches[0].returned.push_back({"item", std::nullopt, std::nullopt});
    CHECK(searches_counting_as_empty(episode).empty());
  }
  SECTION("no step follows") {
    episode.searches[0].step = kNever;
    CHECK(searches_counting_as_empty(episode).empty());
  }
  SECTION("cited") {
    Delivery delivery;
    delivery.search = "q";
    episode.deliveries.push_back(delivery);
    CHECK(searches_counting_as_empty(episode).empty());
  }
}

TEST_CASE("every word of the format has one value") {
  for (const char* word : {"system", "user", "assistant", "tool"}) CHECK(name(parse_role(word).value()) == word);
  for (const char* word : {"system", "task", "user", "memory", "other"})
    CHECK(name(parse_origin(word).value()) == word);
  for (const char* word : {"host", "agent"}) CHECK(name(parse_route(word).value()) == word);
  for (const char* word : {"exact", "rebuilt", "partial", "unknown"}) {
    CHECK(name(parse_visibility_grade(word).value()) == word);
  }
  for (const char* word : {"annotated", "by_rule", "not_recorded", "none"}) {
    CHECK(name(parse_delivery_grade(word).value()) == word);
  }
  for (const char* word : {"create", "update", "delete", "noop"}) CHECK(name(parse_memory_op(word).value()) == word);
  CHECK_FALSE(parse_role("System"));
  CHECK_FALSE(parse_memory_op(""));
}

TEST_CASE("every fault has a name and a sentence of its own") {
  std::set<std::string_view> names;
  std::set<std::string_view> sentences;
  const auto last = static_cast<unsigned>(Fault::skipped_member);
  for (unsigned i = 0; i <= last; ++i) {
    const auto fault = static_cast<Fault>(i);
    CHECK_FALSE(fault_sentence(fault).empty());
    names.insert(fault_name(fault));
    sentences.insert(fault_sentence(fault));
  }
  CHECK(names.size() == last + 1);
  CHECK(sentences.size() == last + 1);
}

TEST_CASE("a diagnostic is one safe line") {
  Diagnostic diagnostic{"a\nb.jsonl", 3, 40, Severity::warning, Fault::blank_entry, "entry 2", 1};
  CHECK(to_line(diagnostic) == "a\\nb.jsonl:3 (byte 40): warning: an entry without text was dropped: entry 2");
  diagnostic.line = 0;
  diagnostic.detail.clear();
  diagnostic.count = 7;
  CHECK(to_line(diagnostic) == "a\\nb.jsonl: warning: an entry without text was dropped (7 times)");
}

}  // namespace
}  // namespace memuse
