#include "judge/mentions.h"

#include <re2/re2.h>

#include <algorithm>
#include <string>

#include "judge/atoms.h"
#include "judge/remarks.h"

namespace memuse::judge {
namespace {

constexpr std::size_t kListReach = 200;  ///< bytes behind an identifier in which its list may go on

/// The identifier without its closing digits; empty when it has none or nothing else.
std::string_view list_stem(std::string_view identifier) {
  std::string_view stem = identifier;
  while (!stem.empty() && is_digit(stem.back())) stem.remove_suffix(1);
  return stem.size() == identifier.size() ? std::string_view() : stem;
}

}  // namespace

Mentions::Mentions(const RecordIndex& index, const std::unordered_map<std::string_view, PatternId>& patterns)
    : index_(index) {
  for (const auto& [identifier, pattern] : patterns) mentions_[identifier];
  for (const auto& [identifier, pattern] : patterns) {
    const Occurrences& here = index.of(pattern);
    for (const std::vector<Spot>* spots : {&here.words, &here.actions}) {
      for (const Spot& spot : *spots) {
        add(identifier, spot);
        add_rest_of_list(identifier, spot);
      }
    }
  }
  for (auto& [identifier, mentions] : mentions_) {
    std::sort(mentions.begin(), mentions.end(), [](const Mention& a, const Mention& b) {
      if (a.step != b.step) return a.step < b.step;
      return a.spot.place != b.spot.place ? a.spot.place < b.spot.place : a.spot.begin < b.spot.begin;
    });
  }
}

void Mentions::add(std::string_view identifier, const Spot& spot) {
  const Place& place = index_.place(spot);
  const TextRange range{spot.begin, spot.end};
  const bool whole_argument = range.begin == 0 && range.end == index_.text(spot).size();
  if (is_ambiguous_identifier(identifier) && !whole_argument && !is_marked_as_name(index_.text(spot), range)) return;
  const bool in_action = place.kind == PlaceKind::action;
  mentions_[identifier].push_back({place.step, in_action, spot});
  if (!in_action) naming_steps_.insert(place.step);
}

void Mentions::add_rest_of_list(std::string_view identifier, const Spot& spot) {
  static const RE2 next(R"(^\s?(?:/|,|&|and|or)\s?(\d+))");
  const std::string_view stem = list_stem(identifier);
  if (stem.empty()) return;
  const std::string_view text = index_.text(spot);
  re2::StringPiece rest(text.data() + spot.end, std::min(kListReach, text.size() - spot.end));
  re2::StringPiece digits;
  while (RE2::Consume(&rest, next, &digits)) {
    const auto known = mentions_.find(std::string(stem) + std::string(digits.data(), digits.size()));
    if (known == mentions_.end()) continue;
    const auto begin = static_cast<std::size_t>(digits.data() - text.data());
    add(known->first, {spot.place, begin, begin + digits.size()});
  }
}

const std::vector<Mention>& Mentions::of(std::string_view identifier) const {
  static const std::vector<Mention> none;
  const auto found = mentions_.find(identifier);
  return found == mentions_.end() ? none : found->second;
}

}  // namespace memuse::judge
