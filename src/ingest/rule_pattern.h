#pragma once

#include <re2/re2.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Regular expressions of delivery rules. Rules and texts are foreign: memory of a pattern is bounded, and every search
// below is linear in the text, because marks are matched inside one line and at one of its ends.

namespace memuse::ingest {

/// A pattern that cannot be used; the text says why.
class PatternFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Texts of a match by group number; group 0 is the whole match. Groups that took no part have null data.
using Groups = std::vector<std::string_view>;

/// How a pattern is laid against a text.
enum class PatternUse : std::uint8_t {
  text,     ///< anywhere in the text, over lines
  whole,    ///< the whole text, over lines
  opening,  ///< at the start of a line, inside this line
  closing   ///< up to the end of a line (blanks aside), inside this line
};

/// One compiled pattern. Immutable and shared by threads.
class Pattern {
 public:
  /// Longest pattern, in bytes, and the most instructions that it may compile to: both bound the work for a byte.
  static constexpr std::size_t kMaxBytes = 4096;
  static constexpr int kMaxProgram = 8192;

  /// Throws PatternFault when RE2 refuses it or when it is too large.
  Pattern(const std::string& pattern, PatternUse use);

  /// Number of the group of that name.
  [[nodiscard]] std::optional<int> group(const std::string& name) const;

  /// The leftmost match that starts at `from` or later and ends at `end` or before; `groups` are views into `text`.
  [[nodiscard]] bool find(std::string_view text, std::size_t from, std::size_t end, Groups& groups) const;
  /// True when it matches `text` in its way.
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  std::unique_ptr<re2::RE2> expression_;
  int group_shift_ = 0;
  PatternUse use_ = PatternUse::text;
};

/// How a stretch of text is marked: an opening mark at the start of a line, and either a closing mark at the end of a
/// line or the first line that no longer belongs to it (or the next opening mark, or the end of the text).
struct RegionRule {
  Pattern begin;
  std::optional<Pattern> end;
  std::optional<Pattern> until;
};

/// A stretch that was found.
struct Region {
  std::size_t begin = 0;          ///< of the opening mark
  std::size_t content_begin = 0;  ///< behind the opening mark, or where its group `content` starts
  std::size_t content_end = 0;    ///< before the closing mark
  std::size_t end = 0;            ///< behind the closing mark
  Groups groups;                  ///< of the opening mark
};

/// Where `part`, a view into `text`, begins in it.
inline std::size_t offset_in(std::string_view text, std::string_view part) {
  return static_cast<std::size_t>(part.data() - text.data());
}

/// How stretches lie to each other.
enum class RegionOrder : std::uint8_t {
  /// A stretch is a block of its own: an opening mark inside it is part of its text. Marks are matched like brackets,
  /// only pairs count, and a pair inside another one is part of its text.
  blocks,
  /// Stretches follow each other: each goes to the first closing mark, or, without one, to the next opening mark.
  list
};

/// The stretches of `text`, ascending, not overlapping. Nothing when there are more than `limit` marks of a kind.
/// Linear in `text`.
std::optional<std::vector<Region>> find_regions(const RegionRule& rule, std::string_view text, RegionOrder order,
                                                std::size_t limit);

}  // namespace memuse::ingest
