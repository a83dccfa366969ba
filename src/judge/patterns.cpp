#include "judge/patterns.h"

#include <algorithm>

namespace memuse::judge {
namespace {

constexpr std::size_t kLookBack = 8;  ///< atoms before a number among which its word is sought
constexpr int kWordsBeforeNumber = 2;
constexpr std::size_t kShortestShape = 8;  ///< atoms; shorter code is alike by chance
constexpr std::size_t kFewestShapeMarks = 4;
constexpr std::size_t kLongestNumber = 40;          ///< bytes; a longer number is no quantity
constexpr std::size_t kLongestWordWithParts = 256;  ///< bytes; a longer word is no name

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = a * 0x9E3779B97F4A7C15ULL ^ (b + 0x9E3779B97F4A7C15ULL + (a << 6U) + (a >> 2U));
  h ^= h >> 32U;
  return h * 0xD6E8FEB86659FD93ULL;
}

std::string_view source_of(std::string_view text, const Atom& atom) {
  return text.substr(atom.begin, atom.end - atom.begin);
}

bool is_word_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

/// False when the bytes are a part of a longer hyphenated name.
bool stands_whole(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && is_word_byte(text[begin - 1]) && is_word_byte(text[begin])) return false;
  if (begin > 1 && text[begin - 1] == '-' && is_word_byte(text[begin - 2])) return false;
  if (end < text.size() && is_word_byte(text[end]) && is_word_byte(text[end - 1])) return false;
  return !(end + 1 < text.size() && text[end] == '-' && is_word_byte(text[end + 1]));
}

/// The operand of an option (`-60`): a count of lines or the like, no value with a name.
bool is_option_operand(std::string_view text, const Atom& number) {
  return number.begin > 0 && text[number.begin - 1] == '-' && (number.begin == 1 || is_space(text[number.begin - 2]));
}

/// Joins the groups of `1,850` into 1850 and moves `end` behind them; a number without groups stays as it is.
std::string join_groups(std::string_view text, const std::vector<Atom>& atoms, std::size_t at, std::string number,
                        std::size_t& end) {
  if (number.size() > 3) return number;
  for (std::size_t i = at; i + 2 < atoms.size() && number.size() < kLongestNumber; i += 2) {
    const Atom& comma = atoms[i + 1];
    const Atom& group = atoms[i + 2];
    const bool joins = source_of(text, comma) == "," && comma.begin == atoms[i].end && group.begin == comma.end &&
                       group.kind == AtomKind::number && group.end - group.begin == 3 &&
                       source_of(text, group).find('.') == std::string_view::npos;
    if (!joins) break;
    number += source_of(text, group);
    end = group.end;
  }
  return number;
}

std::string place_of(std::vector<std::string>& names, std::string_view word) {
  auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) found = names.insert(names.end(), std::string(word));
  return "$" + std::to_string(found - names.begin());
}

std::string identity(const Pattern& pattern) {
  std::string text;
  text += static_cast<char>('0' + static_cast<int>(pattern.kind));
  text += pattern.exact_case ? 'e' : '-';
  text += pattern.tight ? 't' : '-';
  text += pattern.whole ? 'w' : '-';
  for (const std::string& atom : pattern.atoms) text += atom + '\x1f';
  return text;
}

}  // namespace

Pattern sequence_pattern(std::string_view text) {
  std::vector<Atom> atoms;
  read_atoms(text, 0, kLongestPattern, atoms);
  Pattern pattern;
  for (const Atom& atom : atoms) pattern.atoms.push_back(canonical_atom(source_of(text, atom), atom.kind));
  return pattern;
}

Pattern name_pattern(std::string_view text) {
  Pattern pattern = sequence_pattern(text);
  pattern.exact_case = pattern.tight = true;
  pattern.whole = pattern.atoms.size() < kLongestPattern;  // one that was cut goes on behind its end
  return pattern;
}

Pattern shape_pattern(std::string_view code) {
  std::vector<Atom> atoms;
  read_atoms(code, 0, kLongestPattern, atoms);
  Pattern pattern;
  pattern.kind = PatternKind::shape;
  const auto marks = std::count_if(atoms.begin(), atoms.end(), [](const Atom& a) { return a.kind == AtomKind::mark; });
  const bool telling = atoms.size() >= kShortestShape && static_cast<std::size_t>(marks) >= kFewestShapeMarks;
  if (!telling || atoms.front().kind != AtomKind::word) return pattern;
  std::vector<std::string> names;
  for (const Atom& atom : atoms) {
    const std::string_view source = source_of(code, atom);
    pattern.atoms.push_back(atom.kind == AtomKind::word ? place_of(names, source) : canonical_atom(source, atom.kind));
  }
  return pattern;
}

Pattern pair_pattern(std::string number, std::string word_part) {
  Pattern pattern;
  pattern.kind = PatternKind::pair;
  pattern.atoms = {std::move(number), std::move(word_part)};
  return pattern;
}

std::uint64_t PatternTable::edge(Node parent, std::uint64_t key) {
  return mix(parent + 1, key);
}

void PatternTable::insert(Trie& trie, const std::vector<std::string>& atoms, PatternId id) {
  Node node = 0;
  for (const std::string& atom : atoms) {
    node = trie.children.find_or_add(edge(node, atom_key(atom)), static_cast<Node>(trie.ends.size()));
    if (node == trie.ends.size()) trie.ends.push_back(kNone);
  }
  same_end_[id] = trie.ends[node];
  trie.ends[node] = id;
}

PatternId PatternTable::add(const Pattern& pattern) {
  const auto [known, inserted] = ids_.try_emplace(identity(pattern), static_cast<PatternId>(patterns_.size()));
  if (!inserted) return known->second;
  const PatternId id = known->second;
  patterns_.push_back(pattern);
  same_end_.push_back(kNone);
  if (pattern.kind == PatternKind::pair) {
    const std::uint64_t number = atom_key(pattern.atoms[0]);
    pair_numbers_.find_or_add(number, 0);
    pairs_.find_or_add(mix(number, atom_key(pattern.atoms[1])), id);
  } else if (!pattern.atoms.empty()) {
    insert(pattern.kind == PatternKind::shape ? shapes_ : sequences_, pattern.atoms, id);
  }
  return id;
}

bool PatternTable::holds(const Pattern& pattern, std::string_view text, const Atom* atoms) const {
  const std::size_t size = pattern.atoms.size();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size; ++i) {
    if (pattern.tight && i > 0 && atoms[i].begin != atoms[i - 1].end) return false;
    const std::string_view source = source_of(text, atoms[i]);
    if (pattern.kind == PatternKind::shape && atoms[i].kind == AtomKind::word) {
      if (place_of(names, source) != pattern.atoms[i]) return false;
      continue;
    }
    const std::string canonical = canonical_atom(source, atoms[i].kind);
    if (pattern.exact_case ? canonical != pattern.atoms[i] : to_lower(canonical) != to_lower(pattern.atoms[i])) {
      return false;
    }
  }
  return !pattern.whole || stands_whole(text, atoms[0].begin, atoms[size - 1].end);
}

void PatternTable::match_sequences(std::string_view text, const std::vector<Atom>& atoms, std::size_t at,
                                   const OnHit& on_hit) const {
  Node node = 0;
  for (std::size_t i = at; i < atoms.size(); ++i) {
    const std::optional<Node> child = sequences_.children.find(edge(node, atoms[i].key));
    if (!child) return;
    node = *child;
    for (PatternId id = sequences_.ends[node]; id != kNone; id = same_end_[id]) {
      if (holds(patterns_[id], text, &atoms[at])) on_hit(id, atoms[at].begin, atoms[i].end);
    }
  }
}

void PatternTable::match_shapes(std::string_view text, const std::vector<Atom>& atoms, std::size_t at,
                                const OnHit& on_hit) const {
  if (shapes_.children.empty() || atoms[at].kind != AtomKind::word) return;
  Node node = 0;
  std::vector<std::string> names;
  for (std::size_t i = at; i < atoms.size() && i - at < kLongestPattern; ++i) {
    const std::uint64_t key =
        atoms[i].kind == AtomKind::word ? atom_key(place_of(names, source_of(text, atoms[i]))) : atoms[i].key;
    const std::optional<Node> child = shapes_.children.find(edge(node, key));
    if (!child) return;
    node = *child;
    for (PatternId id = shapes_.ends[node]; id != kNone; id = same_end_[id]) {
      if (holds(patterns_[id], text, &atoms[at])) on_hit(id, atoms[at].begin, atoms[i].end);
    }
  }
}

void PatternTable::match_pairs(std::string_view text, const std::vector<Atom>& atoms, std::size_t at,
                               const OnHit& on_hit) const {
  const Atom& first = atoms[at];
  if (first.kind != AtomKind::number || pairs_.empty() || is_option_operand(text, first)) return;
  const std::string number = canonical_atom(source_of(text, first).substr(0, kLongestNumber), AtomKind::number);
  if (pair_numbers_.find(first.key)) match_pair(text, atoms, at, number, first.end, on_hit);
  std::size_t end = first.end;
  const std::string joined = join_groups(text, atoms, at, number, end);
  if (end != first.end && pair_numbers_.find(atom_key(joined))) {
    match_pair(text, atoms, at, joined, end, on_hit);
  }
}

void PatternTable::match_pair(std::string_view text, const std::vector<Atom>& atoms, std::size_t at,
                              const std::string& number, std::size_t end, const OnHit& on_hit) const {
  int words = 0;
  for (std::size_t back = 1; back <= std::min(kLookBack, at) && words < kWordsBeforeNumber; ++back) {
    const Atom& word = atoms[at - back];
    if (word.kind != AtomKind::word) continue;
    ++words;
    if (word.end - word.begin > kLongestWordWithParts) continue;
    for (const std::string& part : word_parts(source_of(text, word))) {
      const std::optional<PatternId> pair = pairs_.find(mix(atom_key(number), atom_key(part)));
      if (!pair) continue;
      const Pattern& pattern = patterns_[*pair];
      if (pattern.atoms[0] == number && pattern.atoms[1] == part) on_hit(*pair, word.begin, end);
    }
  }
}

void PatternTable::scan(std::string_view text, const OnHit& on_hit) const {
  std::vector<Atom> atoms;
  std::size_t position = 0;
  std::size_t next = 0;  // the first atom that has not been a start yet
  bool at_end = false;
  while (!at_end) {
    const std::size_t before = atoms.size();
    position = read_atoms(text, position, kAtomsAtATime, atoms);
    at_end = atoms.size() - before < kAtomsAtATime;
    const std::size_t ready = at_end ? atoms.size() : atoms.size() - kLongestPattern;
    for (; next < ready; ++next) {
      match_sequences(text, atoms, next, on_hit);
      match_shapes(text, atoms, next, on_hit);
      match_pairs(text, atoms, next, on_hit);
    }
    const std::size_t done = next > kLookBack ? next - kLookBack : 0;
    atoms.erase(atoms.begin(), atoms.begin() + static_cast<std::ptrdiff_t>(done));
    next -= done;
  }
}

}  // namespace memuse::judge
