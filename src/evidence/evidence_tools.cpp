#include "evidence/evidence_tools.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "model/text.h"

namespace memuse::evidence {
namespace {

constexpr std::int64_t kPatternMemory = std::int64_t{8} << 20U;
constexpr std::size_t kLongestPattern = 2000;
constexpr std::size_t kAroundMatch = 300;  ///< bytes shown on either side of a match in a long line
constexpr std::size_t kNameBytes = 80;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The character border at or before `place`.
std::size_t border_before(std::string_view text, std::size_t place) {
  place = std::min(place, text.size());
  while (place > 0 && place < text.size() && continues_character(text[place])) --place;
  return place;
}

/// The character border at or after `place`.
std::size_t border_after(std::string_view text, std::size_t place) {
  while (place < text.size() && continues_character(text[place])) ++place;
  return std::min(place, text.size());
}

ToolResult failure(std::string text) {
  return {std::move(text), {}, true};
}

ToolResult unknown_file(std::string_view file) {
  return failure(
      fmt::format("there is no file {}; list_files names all", "`" + printable(shortened(file, kNameBytes)) + "`"));
}

std::string section_list(const EvidenceSet& evidence, const std::string& file) {
  std::string list;
  for (const EvidenceSection& section : evidence.sections(file)) {
    list += fmt::format("{} {} {}-{}", list.empty() ? "; sections by bytes:" : ",", section.name, section.range.begin,
                        section.range.end);
  }
  return list;
}

/// Prints matching lines until its room is used up, and counts the others.
class SearchPrinter {
 public:
  SearchPrinter(const RE2& pattern, std::uint64_t room) : pattern_(pattern), room_(room) {}

  void search(const std::string& file, std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      search_line(file, text, begin, end);
      begin = end + 1;
    }
  }

  ToolResult finish(std::string_view where) {
    std::string head =
        fmt::format("{} in {}", matches_ == 1 ? "1 line matches" : fmt::format("{} lines match", matches_), where);
    if (matches_ > printed_) {
      head += fmt::format("; {} left out for want of room: search for less, in one file, or read the files",
                          matches_ - printed_);
    }
    if (matches_ > 0) head += ". Each line: file:bytes: text";
    result_.text = head + "\n" + result_.text;
    return std::move(result_);
  }

 private:
  void search_line(const std::string& file, std::string_view text, std::size_t begin, std::size_t end) {
    const re2::StringPiece line(text.data() + begin, end - begin);
    re2::StringPiece match;
    if (!pattern_.Match(line, 0, line.size(), RE2::UNANCHORED, &match, 1)) return;
    ++matches_;
    const std::size_t match_begin = begin + static_cast<std::size_t>(match.data() - line.data());
    const std::size_t match_end = match_begin + match.size();
    std::size_t from = begin;
    std::size_t to = end;
    if (to - from > 2 * kAroundMatch) {
      from = std::max(from, border_after(text, match_begin - std::min(match_begin, kAroundMatch)));
      to = std::min(to, border_before(text, std::min(match_end, match_begin + kAroundMatch) + kAroundMatch));
    }
    const std::string row = fmt::format("{}:{}-{}: {}{}{}\n", file, from, to, from > begin ? "… " : "",
                                        text.substr(from, to - from), to < end ? " …" : "");
    // Room once used up stays so: what is printed is the beginning of what there is.
    if (full_ || row.size() > room_) {
      full_ = true;
      return;
    }
    room_ -= row.size();
    ++printed_;
    result_.text += row;
    result_.shown.push_back({file, {from, to}});
  }

  const RE2& pattern_;
  std::uint64_t room_;
  bool full_ = false;
  std::uint64_t matches_ = 0;
  std::uint64_t printed_ = 0;
  ToolResult result_;
};

}  // namespace

std::string file_index(const EvidenceSet& evidence) {
  std::string index;
  for (const EvidenceFile& file : evidence.files()) {
    index +=
        fmt::format("{}  {} bytes  {}{}\n", file.name, file.bytes, file.summary, section_list(evidence, file.name));
  }
  return index;
}

ToolResult list_files(const EvidenceSet& evidence) {
  return {file_index(evidence), {}, false};
}

ToolResult read_file(const EvidenceSet& evidence, std::string_view file, std::uint64_t from, std::uint64_t bytes,
                     const ToolLimits& limits) {
  const std::optional<std::string_view> text = evidence.text(file);
  if (!text) return unknown_file(file);
  if (from >= text->size()) {
    return failure(fmt::format("{} has {} bytes; from={} is past its end", file, text->size(), from));
  }
  const std::uint64_t wanted = std::min(bytes == 0 ? limits.page_bytes : bytes, limits.page_bytes);
  const std::size_t begin = border_before(*text, from);
  std::size_t end = border_before(*text, begin + std::min<std::uint64_t>(wanted, text->size() - begin));
  if (end <= begin) end = border_after(*text, begin + 1);  // at least one character, else nobody gets on
  const std::string how_to_go_on =
      end < text->size() ? fmt::format("go on with from={}", end) : std::string("the end of the file");
  ToolResult result;
  result.text = fmt::format("{}: bytes {}-{} of {}; {}\n", file, begin, end, text->size(), how_to_go_on);
  result.text += text->substr(begin, end - begin);
  result.shown.push_back({std::string(file), {begin, end}});
  return result;
}

ToolResult search(const EvidenceSet& evidence, std::string_view pattern, std::string_view file,
                  const ToolLimits& limits) {
  if (pattern.empty()) return failure("the pattern is empty; give an RE2 regular expression");
  if (pattern.size() > kLongestPattern) {
    return failure(fmt::format("the pattern is longer than {} bytes; give a shorter one", kLongestPattern));
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemory);
  const RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!compiled.ok()) {
    return failure(fmt::format("RE2 refuses the pattern: {}; look-around and back-references do not exist there",
                               printable(shortened(compiled.error(), 200))));
  }
  SearchPrinter printer(compiled, limits.search_bytes);
  if (!file.empty()) {
    const std::optional<std::string_view> text = evidence.text(file);
    if (!text) return unknown_file(file);
    printer.search(std::string(file), *text);
    return printer.finish(file);
  }
  for (const EvidenceFile& each : evidence.files()) printer.search(each.name, *evidence.text(each.name));
  return printer.finish("all files");
}

}  // namespace memuse::evidence
