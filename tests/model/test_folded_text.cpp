#include "model/folded_text.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "model/text.h"

using namespace memuse;

namespace {

std::string given_part(const std::string& given, std::string_view wanted) {
  const FoldedText folded(given);
  const std::size_t found = folded.text().find(wanted);
  REQUIRE(found != std::string::npos);
  const ByteRange range = folded.given_range({found, found + wanted.size()});
  REQUIRE(range.begin < range.end);
  REQUIRE(range.end <= given.size());
  return given.substr(range.begin, range.end - range.begin);
}

}  // namespace

TEST_CASE("a place in a folded text leads back to the given bytes") {
  CHECK(given_part("one two three", "two") == "two");
  CHECK(given_part("  one \n\t two\r\nthree ", "one two") == "one \n\t two");
  CHECK(given_part("  one \n\t two\r\nthree ", "three") == "three");
  CHECK(given_part("größe\xC2\xA0 7719", "größe 7719") == "größe\xC2\xA0 7719");
  CHECK(given_part("größe 7719", "ö") == "ö");
  // "é" written as e and an accent: NFC makes one character of it, which stands for both.
  CHECK(given_part("caf\x65\xCC\x81 open", "caf\xC3\xA9") == "caf\x65\xCC\x81");
  CHECK(given_part("caf\x65\xCC\x81 open", "open") == "open");
  CHECK(given_part("\xCC\x81 first", "first") == "first");
}

TEST_CASE("a folded text is the normalised text, and its places are in order") {
  const std::vector<std::string> pieces{"a",
                                        "b c",
                                        " ",
                                        "\n",
                                        "\t\t",
                                        "é",
                                        "e\xCC\x81",
                                        "\xCC\x81",
                                        "\xE2\x80\x80",
                                        "\xE1\x84\x80",
                                        "\xE1\x85\xA1",
                                        "한",
                                        "\xE3\x80\x80",
                                        "𝒜",
                                        "\xC2\xA0",
                                        "0",
                                        "\xE2\x84\xAB",
                                        "\xFF"};
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    std::string given;
    for (std::size_t i = random() % 12; i > 0; --i) {
      given += pieces[random() % (pieces.size() - (round % 4 == 0 ? 0 : 1))];
    }
    const FoldedText folded(given);
    REQUIRE(folded.text() == normalise_text(given));
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < folded.text().size(); ++i) {
      const ByteRange range = folded.given_range({i, i + 1});
      REQUIRE(range.begin < range.end);
      REQUIRE(range.end <= given.size());
      REQUIRE(range.begin >= before);
      before = range.begin;
      const auto c = static_cast<unsigned char>(folded.text()[i]);
      if (c < 0x80 && c != ' ') {
        INFO(given);
        CHECK(given.substr(range.begin, range.end - range.begin).find(folded.text()[i]) != std::string::npos);
      }
    }
  }
}

TEST_CASE("find_text finds what std::string finds, in linear time") {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    std::string part;
    for (std::size_t i = random() % 30; i > 0; --i) text += "ab"[random() % 2];
    for (std::size_t i = random() % 5; i > 0; --i) part += "ab"[random() % 2];
    CHECK(find_text(text, part) == text.find(part));
  }
  // Quadratic search would compare 10^12 bytes here.
  CHECK(find_text(std::string(4'000'000, 'a'), std::string(1'000'000, 'a') + "b") == std::string_view::npos);
}
