#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>

#include "spans/containment.h"
#include "spans/text_matcher.h"

namespace memuse::test {

using spans::Containment;
using spans::TextMatcher;

namespace {

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

/// Distinct random texts over a tiny alphabet, so that they nest and overlap a lot.
std::vector<std::string> random_texts(std::mt19937& engine, std::size_t count, std::size_t longest) {
  std::set<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text(1 + engine() % longest, 'a');
    for (char& c : text) c = "ab\xC3"[engine() % 3];
    texts.insert(text);
  }
  return {texts.begin(), texts.end()};
}

std::set<std::uint32_t> reached_from(const Containment& containment, std::uint32_t text) {
  std::set<std::uint32_t> reached;
  std::vector<std::uint32_t> open{text};
  while (!open.empty()) {
    const std::uint32_t next = open.back();
    open.pop_back();
    for (const std::uint32_t inner : containment.inside(next)) {
      if (reached.insert(inner).second) open.push_back(inner);
    }
  }
  return reached;
}

}  // namespace

TEST_CASE("the containment graph reaches exactly the contained texts") {
  std::mt19937 engine(7);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t count = 1 + engine() % 12;
    const std::size_t longest = 1 + engine() % 9;
    const std::vector<std::string> texts = random_texts(engine, count, longest);
    const Containment containment(views(texts));
    std::vector<bool> seen(texts.size());
    for (const std::uint32_t text : containment.longest_first()) {
      std::set<std::uint32_t> expected;
      for (std::uint32_t other = 0; other < texts.size(); ++other) {
        if (other != text && texts[text].find(texts[other]) != std::string::npos) expected.insert(other);
      }
      REQUIRE(reached_from(containment, text) == expected);
      for (const std::uint32_t inner : containment.inside(text)) REQUIRE_FALSE(seen[inner]);
      seen[text] = true;
    }
  }
}

TEST_CASE("what is inside something inside is no edge of its own") {
  const std::vector<std::string> texts{"salt", "salt and", "salt and pepper", "pepper"};
  const Containment containment(views(texts));
  CHECK(containment.inside(2) == std::vector<std::uint32_t>{1, 3});
  CHECK(containment.inside(1) == std::vector<std::uint32_t>{0});
  CHECK(containment.inside(0).empty());
}

TEST_CASE("the matcher reports the longest text that ends at each position") {
  std::mt19937 engine(11);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t count = 1 + engine() % 10;
    const std::vector<std::string> texts = random_texts(engine, count, 6);
    const std::vector<std::string> subjects = random_texts(engine, 3, 30);
    const TextMatcher matcher(views(texts));
    for (const std::string& subject : subjects) {
      std::vector<std::uint32_t> found(subject.size() + 1, TextMatcher::kNoText);
      matcher.scan(subject, [&](std::size_t end, std::uint32_t text) { found[end] = text; });
      for (std::size_t end = 1; end <= subject.size(); ++end) {
        std::uint32_t expected = TextMatcher::kNoText;
        for (std::uint32_t i = 0; i < texts.size(); ++i) {
          const bool longer = expected == TextMatcher::kNoText || texts[i].size() > texts[expected].size();
          if (longer && subject.substr(0, end).ends_with(texts[i])) expected = i;
        }
        REQUIRE(found[end] == expected);
      }
    }
  }
}

}  // namespace memuse::test
