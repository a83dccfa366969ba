#include "model/text.h"

#include <utf8proc.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "model/sha256.h"

namespace memuse {
namespace {

std::string utf8(std::uint32_t c) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0U | c >> 6U), byte(0x80U | (c & 0x3FU))};
  if (c < 0x10000) return {byte(0xE0U | c >> 12U), byte(0x80U | (c >> 6U & 0x3FU)), byte(0x80U | (c & 0x3FU))};
  return {byte(0xF0U | c >> 18U), byte(0x80U | (c >> 12U & 0x3FU)), byte(0x80U | (c >> 6U & 0x3FU)),
          byte(0x80U | (c & 0x3FU))};
}

/// The list of trace-format.md, written down once more.
const std::vector<std::uint32_t> kWhiteSpace{0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x20,   0x85,   0xA0,   0x1680,
                                             0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                             0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};

TEST_CASE("exactly the listed characters are white space") {
  std::vector<std::uint32_t> found;
  for (std::uint32_t c = 1; c < 0x110000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::size_t length = white_space_length(utf8(c));
    if (length > 0) {
      found.push_back(c);
      REQUIRE(length == utf8(c).size());
    }
  }
  CHECK(found == kWhiteSpace);
  CHECK(white_space_length("") == 0);
  CHECK(white_space_length(std::string(1, '\0')) == 0);
  CHECK(white_space_length("\xC2") == 0);
  CHECK(white_space_length("\xE2\x80") == 0);
}

TEST_CASE("runs of white space become one space and ends are trimmed") {
  for (const std::uint32_t c : kWhiteSpace) {
    INFO(c);
    CHECK(normalise_text(utf8(c) + "a" + utf8(c) + utf8(0x3000) + "b" + utf8(c)) == "a b");
    CHECK(normalise_text(utf8(c)).empty());
    CHECK(is_blank(utf8(c) + utf8(c)));
  }
  CHECK(normalise_text("").empty());
  CHECK(normalise_text("a\xE2\x80\x8B"
                       "b") ==
        "a\xE2\x80\x8B"
        "b");  // zero width space is none
  CHECK_FALSE(is_blank(" x "));
  CHECK(is_blank(""));
}

TEST_CASE("text is composed, and nothing else is folded") {
  CHECK(normalise_text("cafe\xCC\x81") == "caf\xC3\xA9");
  CHECK(normalise_text("\xEF\xAC\x81") == "\xEF\xAC\x81");              // the ligature fi stays
  CHECK(normalise_text("\xE1\x84\x80\xE1\x85\xA1") == "\xEA\xB0\x80");  // Hangul
  CHECK(normalise_text("a\xCC\xA7\xCC\x81") == normalise_text("a\xCC\x81\xCC\xA7"));
  CHECK(normalise_text("\xE2\x84\xA6") == "\xCE\xA9");  // ohm sign, a singleton
  CHECK(normalise_text("ABC") == "ABC");
  CHECK(normalise_text(std::string("a\0 \0b", 5)) == std::string("a\0 \0b", 5));
  CHECK(normalise_text(" cafe\xCC\x81\xFF\t ") == "cafe\xCC\x81\xFF");  // invalid UTF-8: no composition
}

TEST_CASE("any characters are composed as utf8proc composes them") {
  // Marks of several classes, letters that compose with them, characters that decompose into marks, Hangul.
  const std::vector<std::uint32_t> some{'a',    'A',    0x301, 0x323,    0x327,  0x308,  0x344,   0x340,
                                        0xE4,   0x1EA5, 0xF73, 0xF71,    0xF72,  0x1100, 0x1161,  0x11A8,
                                        0xAC00, 0x5B0,  0x5C1, 0xFB2C,   0,      0x2126, 0x1D15E, 0x1D165,
                                        0x345,  0x3B1,  ' ',   0x10FFFF, 0x200D, 0x3099, 0x304B};
  std::mt19937 random(20310402);
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (std::uint64_t count = random() % 12; count > 0; --count) text += utf8(some[random() % some.size()]);
    utf8proc_uint8_t* mapped = nullptr;
    const auto length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                     &mapped, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
    REQUIRE(length >= 0);
    REQUIRE(to_nfc(text) == std::string(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length)));
  }
}

TEST_CASE("a text of nothing but combining marks is composed in a time that grows with its length") {
  constexpr int kPairs = 400'000;  // minutes, where marks are ordered one by one
  std::string text = "q";
  for (int i = 0; i < kPairs; ++i) text += utf8(0x301) + utf8(0x323);
  const std::string composed = to_nfc(text);
  CHECK(composed.size() == text.size());
  CHECK(composed.substr(0, 5) == "q" + utf8(0x323) + utf8(0x323));
  CHECK(composed.substr(composed.size() - 4) == utf8(0x301) + utf8(0x301));
}

TEST_CASE("normalising twice changes nothing") {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t i = random() % 8; i > 0; --i) {
      switch (random() % 6) {
        case 0:
          text += utf8(kWhiteSpace[random() % kWhiteSpace.size()]);
          break;
        case 1:
          text += utf8(0x300 + static_cast<std::uint32_t>(random() % 0x70));
          break;
        case 2:
          text += utf8(0x1100 + static_cast<std::uint32_t>(random() % 0x100));
          break;
        case 3:
          if (random() % 10 == 0) text += static_cast<char>(random() % 256);
          break;
        case 4:
          text += utf8(0xC0 + static_cast<std::uint32_t>(random() % 0x100));
          break;
        default:
          text += static_cast<char>('a' + random() % 26);
      }
    }
    const std::string once = normalise_text(text);
    REQUIRE(normalise_text(once) == once);
    REQUIRE(is_blank(text) == once.empty());
  }
}

TEST_CASE("SHA-256 of known texts") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  Sha256 hash;
  hash.update("a");
  hash.update("");
  hash.update("bc");
  CHECK(hash.finish_hex() == sha256_hex("abc"));
  hash.update("abc");
  Sha256 moved = std::move(hash);
  CHECK(moved.finish_hex() == sha256_hex("abc"));
}

TEST_CASE("a hash that nobody wants has no digits") {
  Sha256 unwanted(false);
  unwanted.update("abc");
  CHECK(unwanted.finish_hex().empty());
}

TEST_CASE("bytes and pairs of bytes are found at every place of a text of any length") {
  std::mt19937_64 random(11);
  for (std::size_t size = 0; size < 600; ++size) {
    std::string text(size, '.');
    for (char& c : text) c = ".a\\u\xff"[random() % 5];
    std::size_t count = 0;
    for (const char c : text) count += c == 'a' ? 1 : 0;
    REQUIRE(count_byte(text, 'a') == count);
    REQUIRE(holds_pair(text, '\\', 'u') == (text.find("\\u") != std::string::npos));
  }
  CHECK(count_byte(std::string(1000, '\n'), '\n') == 1000);
  for (std::size_t at = 0; at + 1 < 70; ++at) {
    std::string text(70, '.');
    text[at] = 'a';
    CHECK_FALSE(holds_pair(text, 'a', 'b'));
    text[at + 1] = 'b';
    CHECK(holds_pair(text, 'a', 'b'));
    CHECK_FALSE(holds_pair(text, 'b', 'a'));
  }
}

TEST_CASE("equal bytes have equal content hashes, other bytes others") {
  CHECK(hash128("abc") == hash128(std::string("abc")));
  CHECK_FALSE(hash128("abc") == hash128("abd"));
  CHECK_FALSE(hash128("") == hash128(std::string(1, '\0')));
}

TEST_CASE("text for a terminal shows what would act or hide") {
  CHECK(printable("plain é 𝒜") == "plain é 𝒜");
  CHECK(printable("\x1b[31m") == "\\x1b[31m");
  CHECK(printable("a\nb\tc") == "a\\nb\\tc");
  CHECK(printable("a\nb\tc\r", true) == "a\nb\tc\\x0d");
  CHECK(printable(std::string(1, '\0')) == "\\x00");
  CHECK(printable("\x7f") == "\\x7f");
  CHECK(printable("\xC2\x9B") == "\\u009b");
  CHECK(printable("\xFF\xC3") == "\\xff\\xc3");
  CHECK(printable("\xE2\x80\xAE") == "\\u202e");
  CHECK(printable("\xEF\xBB\xBF") == "\\ufeff");
  CHECK(printable("\xE2\x80\xA8") == "\\u2028");
  CHECK(printable("\xD8\x9C") == "\\u061c");
}

TEST_CASE("nothing that acts on a terminal survives") {
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (std::size_t i = random() % 20; i > 0; --i) text += static_cast<char>(random() % 256);
    const std::string shown = printable(text);
    REQUIRE(valid_utf8_prefix(shown) == shown.size());
    for (const char c : shown) REQUIRE(static_cast<unsigned char>(c) >= 0x20);
    REQUIRE(printable(shown) == shown);
  }
}

TEST_CASE("text is shortened at a character border") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc…");
  CHECK(shortened("aé", 2) == "a…");
  CHECK(shortened("a𝒜", 4) == "a…");
  CHECK(shortened("𝒜", 2) == "…");
  CHECK(shortened("", 0).empty());
  CHECK(shortened("a", 0) == "…");
}

TEST_CASE("the valid prefix ends before the first bad byte") {
  CHECK(valid_utf8_prefix("") == 0);
  CHECK(valid_utf8_prefix("aé𝒜") == 7);
  CHECK(valid_utf8_prefix("a\xC3") == 1);
  CHECK(valid_utf8_prefix("ab\xED\xA0\x80") == 2);
  CHECK(valid_utf8_prefix("\xC0\xAF") == 0);
  CHECK(valid_utf8_prefix("é\xF4\x90\x80\x80") == 2);
  CHECK(valid_utf8_prefix(std::string("a\0b", 3)) == 3);
}

}  // namespace
}  // namespace memuse
