#include "retrieval/score.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "model/text.h"

namespace memuse::retrieval {
namespace {

enum class Match { yes, no, unknown };

/// Is `returned` what `wanted` names? An item that is named without a version means any of its versions.
Match match(const ItemVersion& wanted, const ItemVersion& returned) {
  if (wanted.item != returned.item) return Match::no;
  if (wanted.version.empty() || wanted.version == returned.version) return Match::yes;
  return returned.version.empty() ? Match::unknown : Match::no;
}

/// The best that any of `wanted` says.
Match match_any(const std::vector<ItemVersion>& wanted, const ItemVersion& returned) {
  Match best = Match::no;
  for (const ItemVersion& one : wanted) {
    const Match found = match(one, returned);
    if (found == Match::yes) return Match::yes;
    if (found == Match::unknown) best = Match::unknown;
  }
  return best;
}

Match holds_at(const GoldQuestion& question, const Returned& returned) {
  const bool named = std::any_of(question.valid.begin(), question.valid.end(),
                                 [&](const ItemVersion& one) { return one.item == returned.what.item; });
  if (named) return match_any(question.valid, returned.what);
  if (!returned.valid_from.has_value() && !returned.valid_to.has_value()) return Match::unknown;
  const bool begun = !returned.valid_from.has_value() || *returned.valid_from <= *question.as_of;
  const bool ended = returned.valid_to.has_value() && *returned.valid_to <= *question.as_of;
  return begun && !ended ? Match::yes : Match::no;
}

bool is_word_byte(char c) {
  // ASCII alone: many scripts write a number or a name between their words without a space.
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

std::string name(ValueUse use) {
  switch (use) {
    case ValueUse::newest:
      return "newest";
    case ValueUse::stale:
      return "stale";
    case ValueUse::none:
      return "none";
    case ValueUse::unknown:
      break;
  }
  return "unknown";
}

std::string name(FactReturn value) {
  switch (value) {
    case FactReturn::newest:
      return "newest";
    case FactReturn::stale_first:
      return "stale_first";
    case FactReturn::stale_only:
      return "stale_only";
    case FactReturn::not_returned:
      return "not_returned";
    case FactReturn::unknown:
      break;
  }
  return "unknown";
}

std::string name(Temporal value) {
  switch (value) {
    case Temporal::valid:
      return "valid";
    case Temporal::invalid:
      return "invalid";
    case Temporal::not_returned:
      return "not_returned";
    case Temporal::unknown:
      break;
  }
  return "unknown";
}

DepthScore score_at(const GoldQuestion& question, const std::vector<Returned>& returned, Depth depth) {
  const std::set<std::string_view> relevant(question.relevant.begin(), question.relevant.end());
  std::set<std::string_view> seen;
  DepthScore score;
  score.relevant = relevant.size();
  for (const Returned& one : returned) {
    if (depth != 0 && seen.size() == depth) break;
    if (seen.insert(one.what.item).second && relevant.count(one.what.item) > 0) ++score.hits;
  }
  score.returned = seen.size();
  if (question.abstention) {
    score.precision = score.returned == 0 ? 1.0 : 0.0;
    score.recall = 1.0;
  } else {
    const auto hits = static_cast<double>(score.hits);
    if (score.returned > 0) score.precision = hits / static_cast<double>(score.returned);
    if (score.relevant > 0) score.recall = hits / static_cast<double>(score.relevant);
  }
  const double sum = score.precision + score.recall;
  if (sum > 0.0) score.f1 = 2.0 * score.precision * score.recall / sum;
  return score;
}

FactReturn fact_return(const Supersession& fact, const std::vector<Returned>& returned) {
  bool stale = false;
  for (const Returned& one : returned) {
    const Match newest = match(fact.newest, one.what);
    const Match old = match_any(fact.superseded, one.what);
    if (newest == Match::yes) return stale ? FactReturn::stale_first : FactReturn::newest;
    if (old == Match::yes) {
      stale = true;
    } else if (newest == Match::unknown || old == Match::unknown) {
      return FactReturn::unknown;
    }
  }
  return stale ? FactReturn::stale_only : FactReturn::not_returned;
}

std::optional<Temporal> temporal(const GoldQuestion& question, const std::vector<Returned>& returned) {
  if (!question.as_of.has_value() || question.abstention) return std::nullopt;
  const std::set<std::string_view> relevant(question.relevant.begin(), question.relevant.end());
  std::set<std::string_view> seen;
  bool doubtful = false;
  for (const Returned& one : returned) {
    if (relevant.count(one.what.item) == 0 || !seen.insert(one.what.item).second) continue;
    const Match holds = holds_at(question, one);
    if (holds == Match::no) return Temporal::invalid;
    doubtful = doubtful || holds == Match::unknown;
  }
  if (seen.empty()) return Temporal::not_returned;
  return doubtful ? Temporal::unknown : Temporal::valid;
}

bool holds_value(std::string_view text, std::string_view value) {
  if (value.empty()) return false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t found = find_text(text.substr(begin), value);
    if (found == std::string_view::npos) return false;
    const std::size_t start = begin + found;
    const std::size_t end = start + value.size();
    const bool joined_before = start > 0 && is_word_byte(value.front()) && is_word_byte(text[start - 1]);
    const bool joined_after = end < text.size() && is_word_byte(value.back()) && is_word_byte(text[end]);
    if (!joined_before && !joined_after) return true;
    begin = start + 1;
  }
  return false;
}

std::optional<double> percentile(std::vector<double> values, double share) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(share * static_cast<double>(values.size()) - 1e-9);
  const auto index = static_cast<std::size_t>(std::clamp(rank, 1.0, static_cast<double>(values.size()))) - 1;
  return values[index];
}

}  // namespace memuse::retrieval
