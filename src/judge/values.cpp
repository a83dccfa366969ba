#include "judge/values.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "judge/forms.h"

namespace memuse::judge {
namespace {

constexpr std::size_t kMostIdentifiers = 64;  ///< that are looked for in an entry's own text
constexpr std::size_t kShortestName = 4;      ///< bytes; shorter names stand in any text
constexpr std::size_t kLongestToken = 256;    ///< bytes; a longer token is data, not a name
constexpr std::size_t kLongestCode = 120;     ///< bytes
constexpr std::size_t kTellingCode = 6;       ///< atoms from which on a piece of code is rare by itself
constexpr std::size_t kRareDigits = 4;        ///< significant digits that make a number rare by itself
constexpr std::size_t kPhraseWords = 6;
constexpr std::size_t kPhraseContentWords = 3;
constexpr std::size_t kKeyWordsBefore = 5;  ///< words before a number that may say what it is
constexpr std::size_t kKeyWordsAfter = 2;
constexpr std::size_t kShortestKeyWord = 3;  ///< bytes

/// Parts that anyone adds to a name that is known (`meter` → `meter_new`).
constexpr auto kCommonParts =
    std::to_array<std::string_view>({"copy", "data", "db",  "file", "get", "id",  "key",  "list", "main", "my",
                                     "name", "new",  "old", "py",   "run", "set", "temp", "test", "tmp",  "value"});

using OnMatch = std::function<void(std::size_t begin, std::size_t end, const re2::StringPiece* groups)>;

/// All matches from left to right; a match is passed on with its groups.
void for_each_match(const RE2& pattern, std::string_view text, const OnMatch& on_match) {
  std::array<re2::StringPiece, 6> groups;
  const int wanted = std::min(pattern.NumberOfCapturingGroups() + 1, static_cast<int>(groups.size()));
  std::size_t position = 0;
  while (position < text.size() && pattern.Match(text, position, text.size(), RE2::UNANCHORED, groups.data(), wanted)) {
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    const std::size_t end = begin + groups[0].size();
    on_match(begin, end, groups.data());
    position = std::max(end, begin + 1);
  }
}

bool is_token_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

/// True when no word ends where the match begins (RE2 has no look-behind).
bool starts_free(std::string_view text, std::size_t begin) {
  return begin == 0 || !is_token_byte(text[begin - 1]);
}

std::string_view without_trailing_stops(std::string_view text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ',' || text.back() == ';' || text.back() == ':')) {
    text.remove_suffix(1);
  }
  return text;
}

void blank_out(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

/// The text with identifiers and provenance blanked out: they say where the entry is from, not what it says.
std::string content_of(std::string_view text, const std::vector<std::string_view>& identifiers) {
  static const RE2 provenance(R"((?im)^\W*(?:source|provenance|score|similarity|created|updated)\s*:.*$)");
  std::string content(text);
  for (std::size_t i = 0; i < std::min(identifiers.size(), kMostIdentifiers); ++i) {
    const std::string_view identifier = identifiers[i];
    if (std::none_of(identifier.begin(), identifier.end(), is_letter)) continue;  // `30` is a number of the text
    for (std::size_t at = content.find(identifier); at != std::string::npos; at = content.find(identifier, at)) {
      const std::size_t end = at + identifier.size();
      if (starts_free(content, at) && (end == content.size() || !is_token_byte(content[end]))) {
        blank_out(content, at, end);
      }
      at = end;
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> lines;
  for_each_match(provenance, content,
                 [&](std::size_t begin, std::size_t end, const re2::StringPiece*) { lines.emplace_back(begin, end); });
  for (const auto& [begin, end] : lines) blank_out(content, begin, end);
  return content;
}

/// Collects values, each once.
class Collector {
 public:
  void add(ValueKind kind, std::string_view text, std::vector<Pattern> forms, bool weak = false) {
    std::erase_if(forms, [](const Pattern& form) { return form.atoms.empty(); });
    if (forms.empty() || values.size() == kMostValues) return;
    std::string identity(1, static_cast<char>(kind));
    for (const Pattern& form : forms) {
      for (const std::string& atom : form.atoms) identity += atom + '\x1f';
    }
    if (!seen_.insert(std::move(identity)).second) return;
    values.push_back({kind, std::string(text), weak, std::move(forms), {}, {}});
    added_ = true;
  }
  /// The value that the last `add` made, or null when it was there already.
  Value* last_added() { return std::exchange(added_, false) ? &values.back() : nullptr; }

  std::vector<Value> values;

 private:
  std::set<std::string> seen_;
  bool added_ = false;
};

void collect_quoted(std::string_view text, Collector& out) {
  static const RE2 pattern(
      "`([^`\\n]{3,160})`|\"([^\"\\n]{3,160})\"|“([^”\\n]{3,160})”|(?:^|[\\s(=:,])'([^'\\n]{3,160})'");
  for_each_match(pattern, text, [&](std::size_t, std::size_t, const re2::StringPiece* groups) {
    for (int group = 1; group <= 4; ++group) {
      const std::string_view quoted(groups[group].data(), groups[group].size());
      if (quoted.empty()) continue;
      const Pattern form = sequence_pattern(quoted);
      const bool telling =
          std::any_of(form.atoms.begin(), form.atoms.end(), [](const auto& a) { return a.size() > 2; });
      if (form.atoms.size() >= 2 && telling) out.add(ValueKind::quoted, quoted, {form});
    }
  });
}

void collect_assignments(std::string_view text, Collector& out) {
  static const RE2 pattern(R"([A-Za-z_][\w.]*\s?=\s?["'`]?[\w.%/+-]+)");
  for_each_match(pattern, text, [&](std::size_t begin, std::size_t end, const re2::StringPiece*) {
    if (!starts_free(text, begin)) return;
    const std::string_view assignment = without_trailing_stops(text.substr(begin, end - begin));
    out.add(ValueKind::assignment, assignment, {sequence_pattern(assignment)});
    Value* value = out.last_added();
    if (value == nullptr) return;
    const Pattern right = sequence_pattern(assignment.substr(assignment.find('=') + 1));
    if (right.atoms.size() >= 2) value->known_forms.push_back(right);
  });
}

/// End of the piece of code at `begin`: up to white space outside brackets. `closed` tells whether all brackets close.
std::size_t code_end(std::string_view text, std::size_t begin, bool& closed) {
  int depth = 0;
  std::size_t end = begin;
  for (; end < text.size() && end - begin < kLongestCode && text[end] != '\n'; ++end) {
    const char c = text[end];
    if (depth == 0 && is_space(c)) break;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0) break;
  }
  closed = depth == 0;
  return end;
}

/// Calls and subscripts: pieces of text in which a bracket follows a name.
void collect_code(std::string_view text, Collector& out) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    bool closed = false;
    const std::size_t end = code_end(text, i, closed);
    const std::string_view code = without_trailing_stops(text.substr(i, end - i));
    const std::size_t bracket = code.find_first_of("([");
    if (closed && bracket != std::string_view::npos && bracket > 0 && is_token_byte(code[bracket - 1])) {
      const Pattern form = sequence_pattern(code);
      out.add(ValueKind::code, code, {form}, form.atoms.size() < kTellingCode);
      out.add(ValueKind::code_shape, code, {shape_pattern(code)}, true);
    }
    i = std::max(end, i + 1);
  }
}

/// The parts of a compound name that are not added to any name.
std::vector<std::string> special_parts(std::string_view symbol) {
  std::vector<std::string> special;
  for (const Atom& atom : atoms_of(symbol)) {
    if (atom.kind != AtomKind::word) continue;
    for (std::string& part : word_parts(symbol.substr(atom.begin, atom.end - atom.begin))) {
      if (!std::binary_search(kCommonParts.begin(), kCommonParts.end(), part)) special.push_back(std::move(part));
    }
  }
  return special;
}

const RE2& path_pattern() {
  static const RE2 pattern(
      R"((?:[\w.~-]*/)+[\w.-]*\w|[\w-]+\.(?:py|md|json|csv|toml|ya?ml|sh|txt|sql|cfg|conf|ini|log|xml|html|css|js|ts|)"
      R"(tsx|c|cc|cpp|h|hpp|go|rs|rb|java|kt|php|lock|env|db|sqlite|parquet|ipynb)\b)");
  return pattern;
}

void collect_symbols(std::string_view text, Collector& out) {
  static const RE2 pattern(
      R"(--[a-z][\w-]+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z0-9]*_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w*)");
  for_each_match(pattern, text, [&](std::size_t begin, std::size_t end, const re2::StringPiece*) {
    const std::string_view symbol = text.substr(begin, end - begin);
    const bool fits = symbol.size() >= kShortestName && symbol.size() <= kLongestToken && starts_free(text, begin);
    if (!fits || RE2::FullMatch(symbol, path_pattern())) return;
    Pattern form = name_pattern(symbol);
    form.whole = false;  // an option or attribute goes on with `=` or `-`
    out.add(ValueKind::symbol, symbol, {std::move(form)});
    if (Value* value = out.last_added(); value != nullptr) value->parts = special_parts(symbol);
  });
}

void collect_keywords(std::string_view text, Collector& out) {
  static const RE2 pattern(R"(\b[A-Z]{4,40}\b)");
  for_each_match(pattern, text, [&](std::size_t begin, std::size_t end, const re2::StringPiece*) {
    if (!starts_free(text, begin)) return;
    const std::string_view word = text.substr(begin, end - begin);
    out.add(ValueKind::keyword, word, {name_pattern(word)}, true);
  });
}

/// `and/or`, `warn/crit`: two words with a slash are a path only if there is more to show it.
bool looks_like_alternatives(std::string_view path) {
  return path.find('.') == std::string_view::npos && std::count(path.begin(), path.end(), '/') == 1 &&
         path.front() != '/' && path.front() != '~';
}

void collect_paths(std::string_view text, Collector& out) {
  for_each_match(path_pattern(), text, [&](std::size_t begin, std::size_t end, const re2::StringPiece*) {
    const std::string_view path = text.substr(begin, end - begin);
    if (path.size() < kShortestName || path.size() > kLongestToken || !starts_free(text, begin)) return;
    std::vector<Pattern> forms;
    for (const std::string& form : path_forms(path)) forms.push_back(name_pattern(form));
    out.add(ValueKind::path, path, std::move(forms), looks_like_alternatives(path));
    Value* value = out.last_added();
    if (value != nullptr && path_stem(path).size() >= kShortestKeyWord) {
      value->known_forms.push_back(sequence_pattern(path_stem(path)));
    }
  });
}

void collect_mixed_names(std::string_view text, Collector& out) {
  static const RE2 pattern(R"(\b[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*\b)");
  static const RE2 number_with_unit(R"(\d+[A-Za-z]{1,3}|\d{4}-\d\d-\d\d.*|0[xX][0-9a-fA-F]{1,3})");
  for_each_match(pattern, text, [&](std::size_t begin, std::size_t end, const re2::StringPiece*) {
    const std::string_view name = text.substr(begin, end - begin);
    if (name.size() < kShortestName || name.size() > kLongestToken || !starts_free(text, begin)) return;
    const auto digits = std::count_if(name.begin(), name.end(), is_digit);
    const bool letters = std::any_of(name.begin(), name.end(), is_letter);
    if (digits == 0 || !letters || RE2::FullMatch(name, number_with_unit)) return;
    Pattern form = name_pattern(name);
    form.exact_case = false;  // hex and ticket numbers are written in either case
    out.add(ValueKind::mixed_name, name, {std::move(form)}, digits < 2);
  });
}

void collect_dates(std::string& text, Collector& out) {
  for (const FoundDate& found : dates_in(text)) {
    std::vector<Pattern> forms;
    for (const std::string& form : date_forms(found.date)) forms.push_back(sequence_pattern(form));
    out.add(ValueKind::date, std::string_view(text).substr(found.begin, found.end - found.begin), std::move(forms));
    blank_out(text, found.begin, found.end);
  }
}

/// Pieces of text between marks that end a clause; numbers and phrases do not reach over them.
std::vector<std::string_view> clauses_of(std::string_view text, bool at_commas) {
  std::vector<std::string_view> clauses;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool stop = c == '.' || c == ';' || c == '!' || c == '?' || (at_commas && (c == ',' || c == ':' || c == '('));
    const bool ends = c == '\n' || (stop && (i + 1 == text.size() || is_space(text[i + 1]) || c == '('));
    if (!ends) continue;
    clauses.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  clauses.push_back(text.substr(begin));
  return clauses;
}

std::string_view atom_text(std::string_view text, const Atom& atom) {
  return text.substr(atom.begin, atom.end - atom.begin);
}

/// A number that is no part of a longer name, version or range; `unit` is what stands with it.
bool is_free_number(std::string_view clause, const std::vector<Atom>& atoms, std::size_t i, Quantity& quantity) {
  const Atom& atom = atoms[i];
  if (atom.kind != AtomKind::number || atom.end - atom.begin > 40) return false;
  quantity = {canonical_atom(atom_text(clause, atom), AtomKind::number), {}};
  if (atom.begin > 0) {
    const char before = clause[atom.begin - 1];
    const bool sign = before == '-' && (atom.begin == 1 || is_space(clause[atom.begin - 2]));
    if (is_token_byte(before) || before == '.' || (before == '-' && !sign)) return false;
    if (before == '$') quantity.unit = "$";
    if (i > 0 && atom_text(clause, atoms[i - 1]) == "€") quantity.unit = "€";
  }
  if (i + 1 == atoms.size()) return true;
  const std::string_view next = atom_text(clause, atoms[i + 1]);
  const bool adjacent = atoms[i + 1].begin == atom.end;
  if (is_unit(next)) {
    quantity.unit = next;
    return true;
  }
  return !adjacent || !(is_token_byte(next.front()) || next.front() == '-');
}

/// Joins `1,850` in prose into the number 1850 and tells how many atoms it took.
std::size_t join_groups(std::string_view clause, const std::vector<Atom>& atoms, std::size_t i, Quantity& quantity) {
  if (quantity.number.size() > 3 || quantity.number.find('.') != std::string::npos) return 1;
  std::size_t used = 1;
  while (i + used + 1 < atoms.size()) {
    const Atom& comma = atoms[i + used];
    const Atom& group = atoms[i + used + 1];
    const std::string_view digits = atom_text(clause, group);
    const std::size_t whole = std::min(digits.find('.'), digits.size());
    const bool joins = atom_text(clause, comma) == "," && comma.begin == atoms[i + used - 1].end &&
                       group.begin == comma.end && group.kind == AtomKind::number && whole == 3;
    if (!joins) break;
    quantity.number += canonical_atom(digits, AtomKind::number);
    used += 2;
  }
  if (used > 1 && i + used < atoms.size() && is_unit(atom_text(clause, atoms[i + used]))) {
    quantity.unit = atom_text(clause, atoms[i + used]);
  }
  return used;
}

/// Words around a number that may say what it is.
std::set<std::string> key_words(std::string_view clause, const std::vector<Atom>& atoms, std::size_t first,
                                std::size_t past) {
  std::set<std::string> words;
  const auto take = [&](const Atom& atom) {
    for (const std::string& part : word_parts(atom_text(clause, atom).substr(0, kLongestToken))) {
      if (part.size() >= kShortestKeyWord && !is_function_word(part)) words.insert(part);
    }
  };
  std::size_t taken = 0;
  for (std::size_t i = first; i > 0 && taken < kKeyWordsBefore && first - i < 4 * kKeyWordsBefore; --i) {
    if (atoms[i - 1].kind != AtomKind::word) continue;
    take(atoms[i - 1]);
    ++taken;
  }
  taken = 0;
  for (std::size_t i = past; i < atoms.size() && taken < kKeyWordsAfter && i - past < 4 * kKeyWordsAfter; ++i) {
    if (atoms[i].kind != AtomKind::word) continue;
    take(atoms[i]);
    ++taken;
  }
  return words;
}

std::size_t significant_digits(std::string number) {
  std::erase(number, '.');
  const std::size_t first = number.find_first_not_of('0');
  if (first == std::string::npos) return 0;
  return number.find_last_not_of('0') - first + 1;
}

void add_number(const Quantity& quantity, const std::set<std::string>& words, Collector& out) {
  std::vector<Pattern> rare;
  std::vector<Pattern> keyed;
  std::vector<Pattern> plain;
  for (const std::string& form : number_forms(quantity)) {
    Pattern bare;
    bare.atoms = {form};
    Pattern grouped = sequence_pattern(grouped_number(form));
    grouped.tight = true;
    if (is_rare_number(form)) rare.insert(rare.end(), {bare, grouped});
    for (const std::string& word : words) keyed.push_back(pair_pattern(form, word));
    if (significant_digits(form) >= 2 || form.size() >= 2) plain.insert(plain.end(), {bare, grouped});
  }
  out.add(ValueKind::number, quantity.number, rare);
  if (is_rare_number(quantity.number)) return;
  out.add(ValueKind::keyed_number, quantity.number, keyed);
  out.add(ValueKind::plain_number, quantity.number, plain, true);
}

void collect_numbers(std::string_view text, Collector& out) {
  for (const std::string_view clause : clauses_of(text, false)) {
    const std::vector<Atom> atoms = atoms_of(clause);
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      Quantity quantity;
      if (!is_free_number(clause, atoms, i, quantity)) continue;
      const std::size_t used = join_groups(clause, atoms, i, quantity);
      add_number(quantity, key_words(clause, atoms, i, i + used), out);
      i += used - 1;
    }
  }
}

void collect_phrases(std::string_view text, Collector& out) {
  for (const std::string_view clause : clauses_of(text, true)) {
    const std::vector<Atom> atoms = atoms_of(clause);
    const auto is_word = [&](std::size_t i) { return atoms[i].kind == AtomKind::word; };
    std::size_t words = 0;  // in a row, up to and including atom i
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      words = is_word(i) ? words + 1 : 0;
      if (words < kPhraseWords) continue;
      const std::size_t first = i + 1 - kPhraseWords;
      std::size_t content = 0;
      for (std::size_t k = first; k <= i; ++k) {
        if (!is_function_word(to_lower(atom_text(clause, atoms[k]).substr(0, kLongestToken)))) ++content;
      }
      const std::string_view phrase = clause.substr(atoms[first].begin, atoms[i].end - atoms[first].begin);
      if (content >= kPhraseContentWords) out.add(ValueKind::phrase, phrase, {sequence_pattern(phrase)});
    }
  }
}

}  // namespace

bool is_rare_number(const std::string& number) {
  const bool year = number.size() == 4 && (number.starts_with("19") || number.starts_with("20"));
  return !year && significant_digits(number) >= kRareDigits;
}

std::vector<Value> traceable_values(std::string_view text, const std::vector<std::string_view>& identifiers) {
  std::string content = content_of(text, identifiers);
  Collector out;
  collect_quoted(content, out);
  collect_assignments(content, out);
  collect_code(content, out);
  collect_symbols(content, out);
  collect_keywords(content, out);
  collect_paths(content, out);
  collect_mixed_names(content, out);
  collect_dates(content, out);
  collect_numbers(content, out);
  collect_phrases(content, out);
  return std::move(out.values);
}

}  // namespace memuse::judge
