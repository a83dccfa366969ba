#include "model/text.h"

#define XXH_INLINE_ALL
#include <utf8proc.h>
#include <xxhash.h>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "model/folded_text.h"
#include "model/sha256.h"

namespace memuse {

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

namespace {

bool is_white_space(std::int32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

struct DecodedCharacter {
  std::int32_t value = -1;  // -1: not valid UTF-8
  std::size_t length = 1;
};

DecodedCharacter decode(std::string_view text) {
  utf8proc_int32_t value = -1;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (length <= 0) return {};
  return {value, static_cast<std::size_t>(length)};
}

std::string fold_white_space(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  bool pending = false;
  while (!text.empty()) {
    if (const std::size_t length = white_space_length(text); length > 0) {
      pending = true;
      text.remove_prefix(length);
      continue;
    }
    if (pending && !folded.empty()) folded += ' ';
    pending = false;
    folded += text.front();
    text.remove_prefix(1);
  }
  return folded;
}

constexpr auto kComposed = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

/// The canonical decomposition, marks in the order of the text, and one more character for utf8proc's closing zero.
/// Nothing when `text` is not valid UTF-8.
std::optional<std::vector<utf8proc_int32_t>> decomposed(std::string_view text) {
  constexpr utf8proc_ssize_t kLongest = 32;
  std::array<utf8proc_int32_t, kLongest> parts{};
  std::vector<utf8proc_int32_t> all;
  all.reserve(text.size() + 1);
  while (!text.empty()) {
    const DecodedCharacter character = decode(text);
    if (character.value < 0) return std::nullopt;
    text.remove_prefix(character.length);
    const auto count = utf8proc_decompose_char(character.value, parts.data(), kLongest, kComposed, nullptr);
    if (count < 0 || count > kLongest) return std::nullopt;
    all.insert(all.end(), parts.begin(), parts.begin() + count);
  }
  all.push_back(0);
  return all;
}

/// Puts each run of combining marks into canonical order. utf8proc's own ordering takes a time that grows with the
/// square of the longest run, and a hostile text is one run.
void order_marks(std::vector<utf8proc_int32_t>& characters) {
  const auto mark_class = [](utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; };
  const auto is_mark = [&](utf8proc_int32_t c) { return mark_class(c) != 0; };
  for (auto begin = characters.begin(); begin != characters.end();) {
    begin = std::find_if(begin, characters.end(), is_mark);
    const auto end = std::find_if_not(begin, characters.end(), is_mark);
    std::stable_sort(begin, end, [&](auto a, auto b) { return mark_class(a) < mark_class(b); });
    begin = end;
  }
}

/// Characters that reorder or hide text on a terminal or page.
bool is_deceptive(std::int32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x2028 ||
         c == 0x2029 || c == 0x061C || c == 0xFEFF;
}

}  // namespace

std::string to_nfc(std::string_view text) {
  auto characters = decomposed(text);
  if (!characters) return std::string(text);
  order_marks(*characters);
  // Room for four bytes each: what is encoded is written over the characters.
  const auto length =
      utf8proc_reencode(characters->data(), static_cast<utf8proc_ssize_t>(characters->size() - 1), kComposed);
  if (length < 0) return std::string(text);
  return {reinterpret_cast<const char*>(characters->data()), static_cast<std::size_t>(length)};
}

std::size_t white_space_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return is_white_space(first) ? 1 : 0;
  // Every multi-byte white-space character starts with C2, E1, E2 or E3.
  if (first != 0xC2 && (first < 0xE1 || first > 0xE3)) return 0;
  const DecodedCharacter character = decode(text);
  return character.value >= 0 && is_white_space(character.value) ? character.length : 0;
}

std::string normalise_text(std::string_view text) {
  if (is_ascii(text)) return fold_white_space(text);
  return fold_white_space(to_nfc(text));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhiteSpace = " \t\n\r\f\v";
  const std::size_t begin = text.find_first_not_of(kWhiteSpace);
  if (begin == std::string_view::npos) return text.substr(0, 0);
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = white_space_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t find_text(std::string_view text, std::string_view part) {
  if (part.empty()) return 0;
  if (text.size() < part.size()) return std::string_view::npos;  // also: memmem wants no null pointer
  const void* found = ::memmem(text.data(), text.size(), part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// These two run over every byte of a trace: without a branch for each byte, and in bytes only, so that they become
// vector code.

std::size_t count_byte(std::string_view text, char byte) {
  constexpr std::size_t kBlock = 255;  // what a counter of one byte holds
  std::size_t total = 0;
  for (; !text.empty(); text.remove_prefix(std::min(kBlock, text.size()))) {
    std::uint8_t count = 0;
    const std::string_view block = text.substr(0, kBlock);
    for (const char c : block) count = static_cast<std::uint8_t>(count + (c == byte ? 1 : 0));
    total += count;
  }
  return total;
}

bool holds_pair(std::string_view text, char first, char second) {
  std::uint8_t found = 0;
  const char* const bytes = text.data();
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    found |= static_cast<std::uint8_t>((bytes[i] == first) & (bytes[i + 1] == second));
  }
  return found != 0;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish_hex();
}

Hash128 hash128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::string printable(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const DecodedCharacter character = decode(text);
    const bool kept_control = keep_lines && (character.value == '\n' || character.value == '\t');
    if (character.value < 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (character.value == '\n' && !kept_control) {
      out += "\\n";
    } else if (character.value == '\t' && !kept_control) {
      out += "\\t";
    } else if ((character.value < 0x20 || character.value == 0x7F) && !kept_control) {
      out += fmt::format("\\x{:02x}", character.value);
    } else if ((character.value >= 0x80 && character.value < 0xA0) || is_deceptive(character.value)) {
      out += fmt::format("\\u{:04x}", character.value);
    } else {
      out += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t cut = max_bytes;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
  return std::string(text.substr(0, cut)) + "…";
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const DecodedCharacter character = decode(text.substr(length));
    if (character.value < 0) return length;
    length += character.length;
  }
  return length;
}

}  // namespace memuse
