#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"

namespace memuse::evidence {

/// Which bytes of which evidence file a judge was shown, as unions of half-open ranges (semantics.md §6). Only what a
/// successful model call was shown goes in: whoever fills it adds a result after the call that carried it came back.
class ReadLedger {
 public:
  /// Adds bytes [begin, end) of `file`; an empty range marks an empty file as shown.
  void add(std::string_view file, ByteRange range);
  /// True when every byte of `range` was shown.
  [[nodiscard]] bool covers(std::string_view file, ByteRange range) const;
  /// The parts of `range` that were not shown, ascending.
  [[nodiscard]] std::vector<ByteRange> missing(std::string_view file, ByteRange range) const;
  /// Everything shown, by file; disjoint, ascending, touching ranges joined.
  [[nodiscard]] const std::map<std::string, std::vector<ByteRange>, std::less<>>& shown() const { return shown_; }
  [[nodiscard]] std::uint64_t bytes_shown() const;
  friend bool operator==(const ReadLedger&, const ReadLedger&) = default;

 private:
  std::map<std::string, std::vector<ByteRange>, std::less<>> shown_;
};

}  // namespace memuse::evidence
