#include "evidence/read_ledger.h"

#include <algorithm>

namespace memuse::evidence {

void ReadLedger::add(std::string_view file, ByteRange range) {
  const auto known = shown_.find(file);
  std::vector<ByteRange>& ranges = known != shown_.end() ? known->second : shown_[std::string(file)];
  if (range.begin >= range.end) return;
  // The ranges that touch the new one become one with it.
  const auto first = std::lower_bound(ranges.begin(), ranges.end(), range.begin,
                                      [](const ByteRange& have, std::uint64_t begin) { return have.end < begin; });
  auto last = first;
  while (last != ranges.end() && last->begin <= range.end) {
    range.begin = std::min(range.begin, last->begin);
    range.end = std::max(range.end, last->end);
    ++last;
  }
  ranges.insert(ranges.erase(first, last), range);
}

bool ReadLedger::covers(std::string_view file, ByteRange range) const {
  return shown_.contains(file) && missing(file, range).empty();
}

std::vector<ByteRange> ReadLedger::missing(std::string_view file, ByteRange range) const {
  std::vector<ByteRange> gaps;
  if (const auto known = shown_.find(file); known != shown_.end()) {
    for (const ByteRange& have : known->second) {
      if (have.end <= range.begin) continue;
      if (have.begin >= range.end) break;
      if (have.begin > range.begin) gaps.push_back({range.begin, have.begin});
      range.begin = have.end;
    }
  }
  if (range.begin < range.end) gaps.push_back(range);
  return gaps;
}

std::uint64_t ReadLedger::bytes_shown() const {
  std::uint64_t bytes = 0;
  for (const auto& [file, ranges] : shown_) {
    for (const ByteRange& range : ranges) bytes += range.end - range.begin;
  }
  return bytes;
}

}  // namespace memuse::evidence
