#include "judge/remarks.h"

#include <re2/re2.h>

#include <algorithm>

#include "judge/atoms.h"

namespace memuse::judge {
namespace {

constexpr std::size_t kClauseReach = 400;    ///< bytes to either side
constexpr std::size_t kShortIdentifier = 3;  ///< bytes
constexpr std::size_t kNounReach = 24;       ///< bytes before an identifier in which its noun may stand

bool ends_clause(std::string_view text, std::size_t i) {
  const char c = text[i];
  if (c == '\n') return true;
  const bool mark = c == '.' || c == ';' || c == '!' || c == '?' || c == ':' || c == ',';
  return mark && (i + 1 == text.size() || is_space(text[i + 1]));
}

/// A word between clauses that takes the other side; its length with the spaces around it, 0 if none.
std::size_t turning_word(std::string_view text, std::size_t i) {
  for (const std::string_view word : {" but ", " while ", " so ", " whereas "}) {
    if (text.substr(i).starts_with(word)) return word.size();
  }
  return 0;
}

}  // namespace

TextRange clause_around(std::string_view text, TextRange place) {
  TextRange clause = place;
  const std::size_t lowest = place.begin > kClauseReach ? place.begin - kClauseReach : 0;
  const std::size_t highest = std::min(text.size(), place.end + kClauseReach);
  while (clause.begin > lowest && !ends_clause(text, clause.begin - 1) && turning_word(text, clause.begin - 1) == 0) {
    --clause.begin;
  }
  while (clause.end < highest && !ends_clause(text, clause.end) && turning_word(text, clause.end) == 0) ++clause.end;
  return clause;
}

bool turns_down(std::string_view clause) {
  static const RE2 pattern(
      R"((?i)\b(?:not|never|void|superseded|replaced|instead of|rather than|disregard\w*|ignor\w*|reject\w*|wrong|)"
      R"(outdated|obsolete|overrid\w*|refuted|disproved|no longer|without)\b|n['’]t\b)");
  return RE2::PartialMatch(clause, pattern);
}

bool speaks_of_notes(std::string_view text) {
  static const RE2 pattern(
      R"((?i)\b(?:the|these|those|all|both|recalled|retrieved|my|kept)\s+(?:\w+\s+){0,2}(?:notes|memories|)"
      R"(recollections|lessons|memory\s+(?:entries|items|notes))\b)");
  return RE2::PartialMatch(text, pattern);
}

bool is_ambiguous_identifier(std::string_view identifier) {
  if (identifier.size() < kShortIdentifier) return true;
  const bool digits_only = std::all_of(identifier.begin(), identifier.end(), is_digit);
  const bool plain_word =
      std::all_of(identifier.begin(), identifier.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return digits_only || plain_word;
}

bool is_marked_as_name(std::string_view text, TextRange place) {
  if (place.begin == 0) return false;
  const char before = text[place.begin - 1];
  const char after = place.end < text.size() ? text[place.end] : ' ';
  if (before == '#' || (before == '[' && after == ']')) return true;
  if ((before == '`' || before == '"' || before == '\'') && after == before) return true;
  static const RE2 noun(R"((?i)\b(?:note|memory|memories|item|entry|card|skill|lesson|record|id)s?\W{1,3}$)");
  const std::size_t from = place.begin > kNounReach ? place.begin - kNounReach : 0;
  return RE2::PartialMatch(text.substr(from, place.begin - from), noun);
}

}  // namespace memuse::judge
