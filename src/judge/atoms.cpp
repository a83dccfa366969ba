#include "judge/atoms.h"

#include <algorithm>
#include <array>
#include <limits>

#include "model/text.h"

namespace memuse::judge {
namespace {

constexpr unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// General punctuation (U+2010–U+205E) at `i`: its length, 0 if none. `quoting` tells quotation marks from the rest.
std::size_t punctuation_length(std::string_view text, std::size_t i, bool& quoting) {
  quoting = false;
  if (i + 2 >= text.size() || byte_at(text, i) != 0xE2) return 0;
  const unsigned char second = byte_at(text, i + 1);
  const unsigned char third = byte_at(text, i + 2);
  if (second == 0x80 && third >= 0x90) {
    quoting = third >= 0x98 && third <= 0x9F;
    return 3;
  }
  return second == 0x81 && third <= 0x9E ? 3 : 0;
}

bool starts_word(std::string_view text, std::size_t i) {
  const char c = text[i];
  if (is_letter(c) || c == '_') return true;
  bool quoting = false;
  return byte_at(text, i) >= 0x80 && punctuation_length(text, i, quoting) == 0 &&
         white_space_length(text.substr(i)) == 0;
}

std::size_t word_end(std::string_view text, std::size_t i) {
  while (i < text.size() && (is_digit(text[i]) || starts_word(text, i))) ++i;
  return i;
}

bool is_hex_digit(char c) {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'f');
}

std::size_t digits_end(std::string_view text, std::size_t i) {
  while (i < text.size() && is_digit(text[i])) ++i;
  return i;
}

/// End of the number at `i`: digits with `_` between groups, hex after `0x`, one decimal part unless it is a version.
std::size_t number_end(std::string_view text, std::size_t i) {
  const std::size_t start = i;
  if (text[i] == '0' && i + 2 < text.size() && to_lower(text[i + 1]) == 'x' && is_hex_digit(text[i + 2])) {
    i += 2;
    while (i < text.size() && is_hex_digit(text[i])) ++i;
    return i;
  }
  i = digits_end(text, i);
  while (i + 1 < text.size() && text[i] == '_' && is_digit(text[i + 1])) i = digits_end(text, i + 1);
  if (i + 1 < text.size() && text[i] == '.' && is_digit(text[i + 1]) && (start == 0 || text[start - 1] != '.')) {
    const std::size_t fraction = digits_end(text, i + 1);
    const bool version = fraction + 1 < text.size() && text[fraction] == '.' && is_digit(text[fraction + 1]);
    if (!version) return fraction;
  }
  return i;
}

/// A backslash and the letter it escapes (`\n` in a program's string is no word `n…`): bytes to skip.
std::size_t escape_length(std::string_view text, std::size_t i) {
  if (i + 1 >= text.size()) return 1;
  const char next = text[i + 1];
  return next == 'n' || next == 'r' || next == 't' ? 2 : 1;
}

constexpr auto kFunctionWords = std::to_array<std::string_view>(
    {"a",      "about", "after", "all",   "an",   "and",   "any",   "are",    "as",    "at",    "be",    "been",
     "before", "both",  "but",   "by",    "can",  "could", "did",   "do",     "does",  "down",  "each",  "for",
     "from",   "had",   "has",   "have",  "he",   "her",   "here",  "his",    "how",   "i",     "if",    "in",
     "into",   "is",    "it",    "its",   "just", "less",  "may",   "me",     "might", "more",  "most",  "must",
     "my",     "no",    "nor",   "not",   "of",   "off",   "on",    "one",    "only",  "onto",  "or",    "other",
     "our",    "out",   "over",  "per",   "same", "shall", "she",   "should", "so",    "some",  "such",  "than",
     "that",   "the",   "their", "them",  "then", "there", "these", "they",   "this",  "those", "three", "to",
     "too",    "two",   "under", "up",    "upon", "us",    "very",  "via",    "was",   "we",    "were",  "what",
     "when",   "where", "which", "while", "who",  "whose", "will",  "with",   "would", "yet",   "you",   "your"});

}  // namespace

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = to_lower(c);
  return lower;
}

std::uint64_t atom_key(std::string_view canonical) {
  std::uint64_t key = 0xcbf29ce484222325ULL;
  for (const char c : canonical) {
    key ^= static_cast<unsigned char>(to_lower(c));
    key *= 0x100000001b3ULL;
  }
  return key;
}

std::string canonical_atom(std::string_view source, AtomKind kind) {
  std::string canonical(source);
  if (kind != AtomKind::number) return canonical;
  if (canonical.size() > 1 && to_lower(canonical[1]) == 'x') return to_lower(canonical);
  canonical.erase(std::remove(canonical.begin(), canonical.end(), '_'), canonical.end());
  if (canonical.find('.') != std::string::npos) {
    canonical.erase(canonical.find_last_not_of('0') + 1);
    if (canonical.back() == '.') canonical.pop_back();
  }
  return canonical;
}

std::size_t read_atoms(std::string_view text, std::size_t position, std::size_t limit, std::vector<Atom>& atoms) {
  std::size_t i = position;
  const auto add = [&](std::size_t end, AtomKind kind) {
    const std::string_view source = text.substr(i, end - i);
    const std::uint64_t key = kind == AtomKind::number ? atom_key(canonical_atom(source, kind)) : atom_key(source);
    atoms.push_back({i, end, key, kind});
    i = end;
    --limit;
  };
  while (i < text.size() && limit > 0) {
    const char c = text[i];
    bool quoting = false;
    if (is_space(c)) {
      ++i;
    } else if (is_digit(c)) {
      add(number_end(text, i), AtomKind::number);
    } else if (is_letter(c) || c == '_') {
      add(word_end(text, i), AtomKind::word);
    } else if (c == '\\') {
      i += escape_length(text, i);
    } else if (c == '`' || c == '"' || c == '\'') {
      ++i;
    } else if (byte_at(text, i) < 0x80) {
      add(i + 1, AtomKind::mark);
    } else if (const std::size_t space = white_space_length(text.substr(i)); space > 0) {
      i += space;
    } else if (const std::size_t length = punctuation_length(text, i, quoting); length > 0) {
      if (quoting) {
        i += length;
      } else {
        add(i + length, AtomKind::mark);
      }
    } else {
      add(word_end(text, i), AtomKind::word);
    }
  }
  return i;
}

std::vector<Atom> atoms_of(std::string_view text) {
  std::vector<Atom> atoms;
  read_atoms(text, 0, std::numeric_limits<std::size_t>::max(), atoms);
  return atoms;
}

std::vector<std::string> word_parts(std::string_view word) {
  std::vector<std::string> parts;
  std::size_t i = 0;
  while (i < word.size()) {
    if (word[i] == '_') {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (is_digit(word[i])) {
      end = digits_end(word, i);
    } else if (is_upper(word[i])) {
      while (end < word.size() && is_upper(word[end])) ++end;
      const bool starts_capitalised = end < word.size() && !is_digit(word[end]) && word[end] != '_';
      if (starts_capitalised && end - i > 1) --end;  // `HTTPServer`: the last capital belongs to the next part
      if (end - i == 1) {
        while (end < word.size() && !is_upper(word[end]) && !is_digit(word[end]) && word[end] != '_') ++end;
      }
    } else {
      while (end < word.size() && !is_upper(word[end]) && !is_digit(word[end]) && word[end] != '_') ++end;
    }
    parts.push_back(to_lower(word.substr(i, end - i)));
    i = end;
  }
  return parts;
}

bool is_function_word(std::string_view lower_case_word) {
  return std::binary_search(kFunctionWords.begin(), kFunctionWords.end(), lower_case_word);
}

}  // namespace memuse::judge
