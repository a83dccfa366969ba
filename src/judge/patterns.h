#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "judge/atoms.h"
#include "judge/key_index.h"

// What is searched for, and one pass that finds all of it: a trie over atoms for sequences, a second one for code whose
// names were changed, and a table of (word, number) pairs for numbers that mean nothing without their word. A pass
// costs a bounded number of look-ups per atom, however many patterns there are.

namespace memuse::judge {

using PatternId = std::uint32_t;

enum class PatternKind : std::uint8_t {
  sequence,  ///< these atoms, one after the other
  shape,     ///< these marks and numbers, with words in the same places repeated in the same way
  pair       ///< this number, with this word among the two words before it
};

/// One thing to look for.
struct Pattern {
  PatternKind kind = PatternKind::sequence;
  std::vector<std::string> atoms;  ///< canonical; a word of a shape is its place (`$0`); a pair is {number, word part}
  bool exact_case = false;
  bool tight = false;  ///< no white space or quote between its atoms
  bool whole = false;  ///< not part of a longer hyphenated name
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

/// Atoms of a pattern beyond this number are not compared.
inline constexpr std::size_t kLongestPattern = 16;

/// The atoms of `text` as a sequence, any case, white space free; empty when `text` has no atoms.
Pattern sequence_pattern(std::string_view text);
/// A name: exact case, tight and whole.
Pattern name_pattern(std::string_view text);
/// The atoms of a piece of code with its names taken out; without atoms when it is too short to be told from others.
Pattern shape_pattern(std::string_view code);
/// A number (canonical) that counts where `word_part` stands shortly before it.
Pattern pair_pattern(std::string number, std::string word_part);

/// A set of distinct patterns and the search for all of them.
class PatternTable {
 public:
  /// Called for every place where a pattern stands: the pattern and the bytes it covers.
  using OnHit = std::function<void(PatternId, std::size_t begin, std::size_t end)>;

  /// The id of the pattern, new or known.
  PatternId add(const Pattern& pattern);
  [[nodiscard]] std::size_t size() const { return patterns_.size(); }
  [[nodiscard]] const Pattern& operator[](PatternId id) const { return patterns_[id]; }
  /// Finds all patterns in `text`, from left to right by their first atom. Linear in the text.
  void scan(std::string_view text, const OnHit& on_hit) const;

 private:
  using Node = std::uint32_t;
  struct Trie {
    KeyIndex children;                      ///< by parent and atom key
    std::vector<PatternId> ends = {kNone};  ///< the last pattern added that ends at a node; `same_end_` has the others
  };
  static constexpr PatternId kNone = UINT32_MAX;
  static std::uint64_t edge(Node parent, std::uint64_t key);
  void insert(Trie& trie, const std::vector<std::string>& atoms, PatternId id);
  void match_sequences(std::string_view text, const std::vector<Atom>& atoms, std::size_t at,
                       const OnHit& on_hit) const;
  void match_shapes(std::string_view text, const std::vector<Atom>& atoms, std::size_t at, const OnHit& on_hit) const;
  void match_pairs(std::string_view text, const std::vector<Atom>& atoms, std::size_t at, const OnHit& on_hit) const;
  void match_pair(std::string_view text, const std::vector<Atom>& atoms, std::size_t at, const std::string& number,
                  std::size_t end, const OnHit& on_hit) const;
  [[nodiscard]] bool holds(const Pattern& pattern, std::string_view text, const Atom* atoms) const;

  std::vector<Pattern> patterns_;
  std::unordered_map<std::string, PatternId> ids_;
  std::vector<PatternId> same_end_;  ///< per pattern: another one that ends at the same node
  Trie sequences_;
  Trie shapes_;
  KeyIndex pair_numbers_;
  KeyIndex pairs_;  ///< by number key and word key
};

}  // namespace memuse::judge
