#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "report/marked_text.h"

namespace memuse::report {
namespace {

using Json = nlohmann::ordered_json;

TextMark memory(std::uint64_t begin, std::uint64_t end, std::uint32_t span) {
  return {MarkKind::memory, {begin, end}, span};
}
TextMark quote(std::uint64_t begin, std::uint64_t end, std::uint32_t number) {
  return {MarkKind::quote, {begin, end}, number};
}

std::string parts_of(std::string_view text, const std::vector<TextMark>& marks, std::optional<std::size_t> limit = {}) {
  return parts_json(text, marks, limit).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

TEST_CASE("parts: texts without marks and without a limit are one string") {
  CHECK(parts_of("", {}) == "[]");
  CHECK(parts_of("abc", {}) == R"(["abc"])");
  CHECK(parts_of("abc", {}, 3) == R"(["abc"])");
}

TEST_CASE("parts: marks cut the text, and lie on each other") {
  CHECK(parts_of("abcdef", {memory(2, 4, 7)}) == R"(["ab",{"t":"cd","m":[7]},"ef"])");
  CHECK(parts_of("abcdef", {memory(0, 6, 1), quote(2, 4, 0), {MarkKind::value, {3, 4}, 0}}) ==
        R"([{"t":"ab","m":[1]},{"t":"c","m":[1],"q":[0]},{"t":"d","m":[1],"q":[0],"v":[0]},{"t":"ef","m":[1]}])");
  CHECK(parts_of("abcd", {memory(0, 2, 2), memory(2, 4, 1)}) == R"([{"t":"ab","m":[2]},{"t":"cd","m":[1]}])");
  CHECK(parts_of("abcd", {memory(1, 3, 2), memory(1, 3, 1), memory(1, 3, 2)}) == R"(["a",{"t":"bc","m":[1,2]},"d"])");
  CHECK(parts_of("abc", {memory(9, 12, 1), memory(2, 1, 2), memory(2, 99, 3)}) == R"(["ab",{"t":"c","m":[3]}])");
}

TEST_CASE("parts: marks inside a character are widened to it") {
  CHECK(parts_of("a\xC3\xA9z", {quote(2, 3, 0)}) == "[\"a\",{\"t\":\"\xC3\xA9\",\"q\":[0]},\"z\"]");
}

TEST_CASE("parts: of a long text head and tail are kept, and what is marked") {
  const std::string text = std::string(900, 'a') + "QUOTE" + std::string(900, 'b');
  CHECK(parts_of(text, {}, 30) ==
        R"([")" + std::string(20, 'a') + R"(",{"cut":1775},")" + std::string(10, 'b') + R"("])");
  const Json parts = parts_json(text, {quote(900, 905, 3)}, 30);
  REQUIRE(parts.size() == 7);
  CHECK(parts[1]["cut"] == 900 - 20 - 160);
  CHECK(parts[2] == std::string(160, 'a'));
  CHECK(parts[3] == Json{{"t", "QUOTE"}, {"q", {3}}});
  CHECK(parts[4] == std::string(160, 'b'));
  CHECK(parts_of(text, {}, 0) == R"([{"cut":1805}])");
  CHECK(parts_of(text, {memory(100, 400, 1)}, 30) == R"([")" + std::string(20, 'a') + R"(",{"cut":80},{"t":")" +
                                                         std::string(30, 'a') + R"(","m":[1]},{"cut":1665},")" +
                                                         std::string(10, 'b') + R"("])");
}

TEST_CASE("parts: together they are the text, whatever the marks and the limit") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const std::size_t size = random() % 600;
    while (text.size() < size)
      text += random() % 5 == 0 ? "\xE2\x82\xAC" : std::string(1, static_cast<char>('a' + random() % 26));
    std::vector<TextMark> marks(random() % 6);
    for (TextMark& mark : marks) {
      const std::uint64_t begin = random() % (text.size() + 3);
      mark = {static_cast<MarkKind>(random() % 3),
              {begin, begin + random() % 50},
              static_cast<std::uint32_t>(random() % 4)};
    }
    const auto limit = random() % 3 == 0 ? std::nullopt : std::optional<std::size_t>(random() % 300);
    std::size_t length = 0;
    std::size_t at = 0;
    for (const Json& part : parts_json(text, marks, limit)) {
      if (part.is_object() && part.contains("cut")) {
        REQUIRE(limit);
        at += part["cut"].get<std::size_t>();
      } else {
        const std::string piece = part.is_string() ? part.get<std::string>() : part["t"].get<std::string>();
        REQUIRE_FALSE(piece.empty());
        REQUIRE(text.substr(at, piece.size()) == piece);
        at += piece.size();
        length += piece.size();
      }
    }
    REQUIRE(at == text.size());
    if (!limit) REQUIRE(length == text.size());
  }
}

TEST_CASE("quotes are found literally, else with white space folded") {
  CHECK(find_quote("a b  c", "b  c") == ByteRange{2, 6});
  CHECK(find_quote("a b\n\t c d", "b c") == ByteRange{2, 7});
  CHECK_FALSE(find_quote("a b c", "b d"));
  CHECK_FALSE(find_quote("a b c", " "));
  CHECK_FALSE(find_quote("", "x"));
}

}  // namespace memuse::report
