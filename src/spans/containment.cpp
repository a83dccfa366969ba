#include "spans/containment.h"

#include <algorithm>
#include <numeric>

#include "spans/text_matcher.h"

// Containment as a graph with few edges. One scan of a text gives, for each of its positions, the longest other text of
// the set that ends there. Of these occurrences only those are kept that lie inside no other one: what is dropped is
// inside the kept one, and reached through it. So a text has at most as many edges as bytes, in practice a handful, and
// whatever is passed along the edges, longest text first, reaches every contained text without looking at all pairs.
//
// Cost: time and memory in the sum of the texts' lengths.

namespace memuse::spans {
namespace {

struct Occurrence {
  std::size_t begin = 0;
  std::uint32_t text = 0;
};

/// Texts of the occurrences (by ascending end) that lie inside no other one, each text once.
std::vector<std::uint32_t> outermost(const std::vector<Occurrence>& occurrences) {
  std::vector<std::uint32_t> texts;
  std::size_t earliest_begin = std::string_view::npos;
  for (auto occurrence = occurrences.rbegin(); occurrence != occurrences.rend(); ++occurrence) {
    if (occurrence->begin >= earliest_begin) continue;
    earliest_begin = occurrence->begin;
    texts.push_back(occurrence->text);
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

}  // namespace

Containment::Containment(const std::vector<std::string_view>& texts)
    : inside_(texts.size()), longest_first_(texts.size()) {
  std::iota(longest_first_.begin(), longest_first_.end(), std::uint32_t{0});
  if (texts.size() < 2) return;
  std::stable_sort(longest_first_.begin(), longest_first_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return texts[a].size() > texts[b].size(); });
  const TextMatcher matcher(texts);
  std::vector<Occurrence> occurrences;
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    occurrences.clear();
    matcher.scan(texts[i], [&](std::size_t end, std::uint32_t found) {
      if (found == i) found = matcher.longest_proper_suffix(i);
      if (found != TextMatcher::kNoText) occurrences.push_back({end - texts[found].size(), found});
    });
    inside_[i] = outermost(occurrences);
  }
}

}  // namespace memuse::spans
