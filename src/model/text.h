#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memuse {

/// Normalised text of semantics.md §2: Unicode NFC, every run of white space (trace-format.md, "Exact rules") one
/// space, ends trimmed. Invalid UTF-8 is kept byte for byte, without NFC.
std::string normalise_text(std::string_view text);

/// `text` in Unicode NFC; returned as it is when it is not valid UTF-8.
std::string to_nfc(std::string_view text);

/// True when `text` holds nothing but white space.
bool is_blank(std::string_view text);

/// `text` without ASCII white space at its ends. A blank text gives an empty view at its start.
std::string_view trimmed(std::string_view text);

/// Length in bytes of the white-space character (in the sense of `normalise_text`) at the start of `text`, 0 if none.
std::size_t white_space_length(std::string_view text);

/// Place of the first occurrence of `part` in `text`, npos if there is none. Linear in both lengths, whatever they hold
/// (std::string_view::find is not: hostile texts can make it quadratic).
std::size_t find_text(std::string_view text, std::string_view part);

/// How often `byte` stands in `text`.
std::size_t count_byte(std::string_view text, char byte);

/// True when `first` and `second` stand side by side somewhere in `text`.
bool holds_pair(std::string_view text, char first, char second);

/// SHA-256 in 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

/// A 128-bit content hash (XXH3) for interning and change detection; not for adversarial identity.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};
Hash128 hash128(std::string_view bytes);

/// `text` made safe for a terminal or a message: control characters, bidirectional overrides and invalid UTF-8 become
/// visible escapes (`\x1b`, `\u202e`). Line feeds and tabs are kept when `keep_lines`.
std::string printable(std::string_view text, bool keep_lines = false);

/// At most `max_bytes` bytes of `text`, cut at a character border, with "…" appended when something was cut.
std::string shortened(std::string_view text, std::size_t max_bytes);

/// Number of bytes of the longest prefix of `text` that is valid UTF-8.
std::size_t valid_utf8_prefix(std::string_view text);

}  // namespace memuse
