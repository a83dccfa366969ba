#include "ingest/rule_pattern.h"

#include <fmt/format.h>

#include <algorithm>

namespace memuse::ingest {
namespace {

re2::RE2::Options options_for(PatternUse use) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{1} << 20);
  options.set_never_nl(use == PatternUse::opening || use == PatternUse::closing);
  return options;
}

std::string framed(const std::string& pattern, PatternUse use) {
  switch (use) {
    case PatternUse::opening:
      return "(?m)^(?:" + pattern + ")";
    case PatternUse::closing:
      return "(?m)(" + pattern + ")[ \\t\\r]*$";
    case PatternUse::text:
    case PatternUse::whole:
      break;
  }
  return pattern;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

std::size_t offset_in(std::string_view text, std::string_view part) {
  return static_cast<std::size_t>(part.data() - text.data());
}

/// Start of the line behind the one that holds `at`.
std::size_t next_line(std::string_view text, std::size_t at) {
  const std::size_t line_feed = text.find('\n', at);
  return line_feed == std::string_view::npos ? text.size() : line_feed + 1;
}

std::size_t without_trailing_space(std::string_view text, std::size_t begin, std::size_t end) {
  end = std::max(begin, end);
  while (end > begin && (text[end - 1] == '\n' || text[end - 1] == '\r' || text[end - 1] == ' ')) --end;
  return end;
}

/// A mark in the text.
struct Mark {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool closes = false;
};

/// All matches of a mark, at most one a line. False when there are more than `limit`.
bool collect(const Pattern& pattern, std::string_view text, bool closes, std::size_t limit, std::vector<Mark>& marks) {
  Groups groups;
  std::size_t from = 0;
  while (from <= text.size() && pattern.find(text, from, text.size(), groups)) {
    if (marks.size() == limit) return false;
    const std::size_t begin = offset_in(text, groups[0]);
    const std::size_t end = begin + groups[0].size();
    marks.push_back({begin, end, closes});
    const std::size_t next = next_line(text, end);
    if (next == text.size()) break;
    from = next;
  }
  return true;
}

Region region_from(const RegionRule& rule, std::string_view text, const Mark& opening) {
  Region region;
  region.begin = opening.begin;
  region.content_begin = opening.end;
  // The same match again, for its groups; it is known to lie inside this range.
  const bool found = rule.begin.find(text, opening.begin, text.size(), region.groups);
  if (!found) region.groups.clear();
  const auto content = rule.begin.group("content");
  if (found && content && region.groups[static_cast<std::size_t>(*content)].data() != nullptr) {
    region.content_begin = offset_in(text, region.groups[static_cast<std::size_t>(*content)]);
  }
  return region;
}

Region closed_region(const RegionRule& rule, std::string_view text, const Mark& opening, const Mark& closing) {
  Region region = region_from(rule, text, opening);
  region.content_end = std::max(region.content_begin, closing.begin);
  region.end = std::max(region.content_end, closing.end);
  return region;
}

/// Pairs of marks, matched like brackets; only the outermost.
std::vector<Region> pair_marks(const RegionRule& rule, std::string_view text, std::vector<Mark> marks) {
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.begin < b.begin; });
  struct Pair {
    Mark opening, closing;
  };
  std::vector<Mark> open;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Mark& mark = marks[i];
    // A line that is both an opening and a closing mark (a bar, a fence) closes what is open.
    const bool both = i + 1 < marks.size() && marks[i + 1].begin == mark.begin;
    const bool closes = both ? !open.empty() : mark.closes;
    if (!closes) {
      open.push_back(both && mark.closes ? marks[i + 1] : mark);
    } else if (!open.empty()) {
      while (!pairs.empty() && pairs.back().opening.begin > open.back().begin) pairs.pop_back();
      pairs.push_back({open.back(), both && !mark.closes ? marks[i + 1] : mark});
      open.pop_back();
    }
    if (both) ++i;
  }
  std::vector<Region> regions;
  for (const Pair& pair : pairs) regions.push_back(closed_region(rule, text, pair.opening, pair.closing));
  return regions;
}

/// Each opening mark with the first closing mark behind it; opening marks on the way are part of the text.
std::vector<Region> follow_marks(const RegionRule& rule, std::string_view text, const std::vector<Mark>& openings,
                                 const std::vector<Mark>& closings) {
  std::vector<Region> regions;
  std::size_t next = 0;
  std::size_t free_from = 0;
  for (const Mark& opening : openings) {
    if (opening.begin < free_from) continue;
    while (next < closings.size() && closings[next].begin < opening.end) ++next;
    if (next == closings.size()) break;
    regions.push_back(closed_region(rule, text, opening, closings[next]));
    free_from = regions.back().end;
  }
  return regions;
}

/// Stretches without closing marks.
std::vector<Region> open_regions(const RegionRule& rule, std::string_view text, const std::vector<Mark>& openings,
                                 RegionOrder order) {
  std::vector<Region> regions;
  std::size_t free_from = 0;
  for (std::size_t i = 0; i < openings.size(); ++i) {
    if (openings[i].begin < free_from) continue;
    Region region = region_from(rule, text, openings[i]);
    const bool next_ends = order == RegionOrder::list && i + 1 < openings.size();
    std::size_t end = next_ends ? openings[i + 1].begin : text.size();
    const bool zero_length = openings[i].begin == openings[i].end;
    const std::size_t first_line = zero_length ? openings[i].begin : next_line(text, openings[i].end);
    Groups stop;
    if (rule.until && first_line < end && rule.until->find(text, first_line, end, stop)) end = offset_in(text, stop[0]);
    free_from = end;
    region.content_end = region.end = without_trailing_space(text, region.content_begin, end);
    regions.push_back(std::move(region));
  }
  return regions;
}

}  // namespace

Pattern::Pattern(const std::string& pattern, PatternUse use) : use_(use) {
  if (pattern.size() > kMaxBytes) throw PatternFault(fmt::format("is longer than {} bytes", kMaxBytes));
  // First alone, so that the message speaks of what the user wrote and no parenthesis can close the frame.
  const re2::RE2 alone(pattern, options_for(use));
  if (!alone.ok()) throw PatternFault(alone.error());
  if (alone.CapturingGroupNames().size() != alone.NamedCapturingGroups().size()) {
    throw PatternFault("has two groups of one name");
  }
  expression_ = std::make_unique<re2::RE2>(framed(pattern, use), options_for(use));
  if (!expression_->ok()) throw PatternFault(expression_->error());
  if (expression_->ProgramSize() > kMaxProgram) {
    throw PatternFault(
        fmt::format("is too large: {} instructions, at most {}", expression_->ProgramSize(), kMaxProgram));
  }
  group_shift_ = use == PatternUse::closing ? 1 : 0;
}

std::optional<int> Pattern::group(const std::string& name) const {
  const auto& groups = expression_->NamedCapturingGroups();
  const auto found = groups.find(name);
  if (found == groups.end()) return std::nullopt;
  return found->second - group_shift_;
}

bool Pattern::find(std::string_view text, std::size_t from, std::size_t end, Groups& groups) const {
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(expression_->NumberOfCapturingGroups()) + 1);
  const auto anchor = use_ == PatternUse::whole ? re2::RE2::ANCHOR_BOTH : re2::RE2::UNANCHORED;
  if (!expression_->Match(piece(text), from, end, anchor, found.data(), static_cast<int>(found.size()))) return false;
  groups.clear();
  for (std::size_t i = static_cast<std::size_t>(group_shift_); i < found.size(); ++i) {
    groups.emplace_back(found[i].data(), found[i].size());
  }
  return true;
}

bool Pattern::matches(std::string_view text) const {
  const auto anchor = use_ == PatternUse::whole ? re2::RE2::ANCHOR_BOTH : re2::RE2::UNANCHORED;
  return expression_->Match(piece(text), 0, text.size(), anchor, nullptr, 0);
}

std::optional<std::vector<Region>> find_regions(const RegionRule& rule, std::string_view text, RegionOrder order,
                                                std::size_t limit) {
  std::vector<Mark> openings;
  if (!collect(rule.begin, text, false, limit, openings)) return std::nullopt;
  if (openings.empty()) return std::vector<Region>{};
  if (!rule.end) return open_regions(rule, text, openings, order);
  std::vector<Mark> closings;
  if (!collect(*rule.end, text, true, limit, closings)) return std::nullopt;
  if (order == RegionOrder::list) return follow_marks(rule, text, openings, closings);
  openings.insert(openings.end(), closings.begin(), closings.end());
  return pair_marks(rule, text, std::move(openings));
}

}  // namespace memuse::ingest
