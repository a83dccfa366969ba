#include "report/text_layout.h"

#include <catch2/catch.hpp>
#include <random>

using namespace memuse::report;

TEST_CASE("display width counts columns, not bytes") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("été") == 3);
  CHECK(display_width("記憶") == 4);
  CHECK(display_width("e\xCC\x81") == 1);  // combining acute
  CHECK(display_width("—") == 1);
  CHECK(display_width("a\xFF") == 2);  // a stray byte takes a place and ends nothing
}

TEST_CASE("wrapping keeps words, indentation and every character") {
  CHECK(wrap("", 10) == std::vector<std::string>{""});
  CHECK(wrap("one two three", 8) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap("one\n\ntwo", 8) == std::vector<std::string>{"one", "", "two"});
  CHECK(wrap("    indented text", 13) == std::vector<std::string>{"    indented", "text"});
  CHECK(wrap("abcdefghij", 4) == std::vector<std::string>{"abcd", "efgh", "ij"});
  CHECK(wrap("memory-system-name", 8) == std::vector<std::string>{"memory-", "system-", "name"});
  CHECK(wrap("run it --with-care", 10) == std::vector<std::string>{"run it", "--with-", "care"});
  CHECK(wrap("記憶記憶", 5) == std::vector<std::string>{"記憶", "記憶"});
  CHECK(wrap("\tx", 10) == std::vector<std::string>{"    x"});
  CHECK(wrap("exactly ten", 7) == std::vector<std::string>{"exactly", "ten"});
}

TEST_CASE("wrapped lines fit and lose nothing but the spaces they break at") {
  std::mt19937_64 random(7);
  const std::string alphabet[] = {"a", "b", " ", "-", "é", "記", "\n", "/"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::uint64_t i = random() % 60; i > 0; --i) text += alphabet[random() % 8];
    const std::size_t width = 2 + random() % 20;
    std::string joined;
    for (const std::string& line : wrap(text, width)) {
      REQUIRE(display_width(line) <= width);
      joined += line;
    }
    const auto without_space = [](std::string of) {
      std::erase_if(of, [](char c) { return c == ' ' || c == '\n'; });
      return of;
    };
    REQUIRE(without_space(joined) == without_space(text));
  }
}

TEST_CASE("cutting and padding") {
  CHECK(fit("abc", 3) == "abc");
  CHECK(fit("abcd", 3) == "ab…");
  CHECK(fit("記憶記", 5) == "記憶…");
  CHECK(fit("記憶記", 4) == "記…");
  CHECK(fit("abc", 0).empty());
  CHECK(pad_right("é", 3) == "é  ");
  CHECK(pad_left("記", 3) == " 記");
  CHECK(hanging("- ", "one two three four five", 12) == "- one two three four\n  five\n");
  CHECK(grouped("1") == "1");
  CHECK(grouped("123") == "123");
  CHECK(grouped("1234567") == "1,234,567");
}
