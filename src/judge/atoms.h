#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The unit in which the offline judge compares text: words, numbers and marks. White space and quoting are no atoms, so
// that text is found again when it was only laid out or quoted in another way.

namespace memuse::judge {

enum class AtomKind : std::uint8_t { word, number, mark };

/// One atom of a text.
struct Atom {
  std::size_t begin = 0;  ///< bytes in the text
  std::size_t end = 0;
  std::uint64_t key = 0;  ///< hash of `canonical_atom` in lower case
  AtomKind kind = AtomKind::word;
};

/// How many atoms long texts are read by.
inline constexpr std::size_t kAtomsAtATime = std::size_t{1} << 16;

/// Appends at most `limit` atoms of `text`, from byte `position` on, and returns the byte to go on from. Any bytes are
/// accepted; a token may be as long as the text.
std::size_t read_atoms(std::string_view text, std::size_t position, std::size_t limit, std::vector<Atom>& atoms);

/// All atoms of a text.
std::vector<Atom> atoms_of(std::string_view text);

/// The form in which an atom is compared: words as they stand, `1_850` as `1850`, `4.80` as `4.8`, `0x1F` as `0x1f`.
std::string canonical_atom(std::string_view source, AtomKind kind);

/// Key of a canonical atom, without regard to ASCII case.
std::uint64_t atom_key(std::string_view canonical);

/// Parts of a compound word in lower case: `batchLimit`, `batch_limit` and `BATCH_LIMIT` give `batch`, `limit`.
std::vector<std::string> word_parts(std::string_view word);

/// True for words that stand in any text (articles, prepositions, auxiliaries).
bool is_function_word(std::string_view lower_case_word);

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || is_upper(c);
}
constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
constexpr char to_lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string to_lower(std::string_view text);

}  // namespace memuse::judge
