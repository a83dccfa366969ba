#include "ingest/bridge_block.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/text.h"

namespace memuse::ingest::bridge {
namespace {

constexpr std::array<std::string_view, 2> kTitles{"## Relevant Approved Memories", "## Recalled Memories"};
constexpr std::string_view kSceneTitle = "## Scenario Files (L2 index)";
constexpr std::string_view kCutMark = " ...[truncated]";
constexpr std::string_view kSuffixes[] = {" (from this episode)", " (from an earlier episode)"};
constexpr std::string_view kSuffixBegin = " (from earlier episode ";
/// Without a line in it, a memory is searched for in the rest of the block; all memories together look at this many
/// times the block at most.
constexpr std::size_t kMostPasses = 16;

/// Offset behind the first line that equals a title; nothing when there is none.
std::optional<std::size_t> behind_title(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (std::find(kTitles.begin(), kTitles.end(), line) != kTitles.end()) return std::min(end + 1, text.size());
    begin = end + 1;
  }
  return std::nullopt;
}

/// `line` without the mark of a cut and the note of the memory's origin.
std::string_view without_suffix(std::string_view line) {
  if (line.ends_with(kCutMark)) line.remove_suffix(kCutMark.size());
  for (const std::string_view suffix : kSuffixes) {
    if (line.ends_with(suffix)) return line.substr(0, line.size() - suffix.size());
  }
  if (line.ends_with(')')) {
    const std::size_t at = line.rfind(kSuffixBegin);
    if (at != std::string_view::npos && line.find_first_of("\n)", at) == line.size() - 1) return line.substr(0, at);
  }
  return line;
}

/// Where a memory stands in a block.
struct Found {
  std::size_t line_begin = 0, text_begin = 0, text_end = 0, line_end = 0;
};

/// The memory on the line at `at`, if it is this one: its label, then its text in full or up to a cut.
std::optional<Found> match_at(std::string_view block, std::size_t at, std::string_view prefix, std::string_view text) {
  if (!block.substr(at).starts_with(prefix)) return std::nullopt;
  const std::size_t begin = at + prefix.size();
  const std::string_view rest = block.substr(begin);
  const std::size_t common =
      static_cast<std::size_t>(std::mismatch(text.begin(), text.end(), rest.begin(), rest.end()).first - text.begin());
  if (common == text.size()) {
    const std::size_t end = std::min(block.find('\n', begin + common), block.size());
    return Found{at, begin, begin + common, end};
  }
  // The cut text was trimmed at its end, so the mark may begin one space before the texts part.
  for (const std::size_t cut : {common, common - std::min<std::size_t>(common, 1)}) {
    if (rest.substr(cut).starts_with(kCutMark)) return Found{at, begin, begin + cut, begin + cut + kCutMark.size()};
  }
  return std::nullopt;
}

class LineFinder {
 public:
  LineFinder(std::string_view block, std::size_t begin)
      : block_(block), at_(begin), left_(kMostPasses * block.size()) {}

  std::optional<Found> find(const MemoryRef& memory) {
    if (!memory.content.text) return find_label(memory.line_prefix);
    const std::string_view text = trimmed(*memory.content.text);
    if (auto found = find_text(memory.line_prefix, text)) return found;
    return find_text(memory.line_prefix, normalise_text(text));
  }

 private:
  std::optional<Found> find_text(std::string_view prefix, std::string_view text) {
    return find_line([&](std::size_t at) { return match_at(block_, at, prefix, text); });
  }

  /// A memory without a recorded text: the next line with its label.
  std::optional<Found> find_label(std::string_view prefix) {
    return find_line([&](std::size_t at) -> std::optional<Found> {
      if (!block_.substr(at).starts_with(prefix)) return std::nullopt;
      const std::size_t begin = at + prefix.size();
      const std::size_t end = std::min(block_.find('\n', begin), block_.size());
      return Found{at, begin, begin + without_suffix(block_.substr(begin, end - begin)).size(), end};
    });
  }

  template <typename Match>
  std::optional<Found> find_line(Match match) {
    for (std::size_t at = at_; at < block_.size() && left_ > 0;) {
      if (const auto found = match(at)) {
        at_ = std::min(found->line_end + 1, block_.size());
        return found;
      }
      const std::size_t next = std::min(block_.find('\n', at), block_.size()) + 1;
      left_ -= std::min(left_, next - at);
      at = next;
    }
    return std::nullopt;
  }

  std::string_view block_;
  std::size_t at_;
  std::size_t left_;
};

}  // namespace

bool has_block_form(std::string_view text) {
  return behind_title(text).has_value();
}

BlockLines read_block(std::string_view block, const std::vector<MemoryRef>& memories) {
  BlockLines lines;
  const auto body = behind_title(block);
  lines.titled = body.has_value();
  LineFinder finder(block, body.value_or(0));
  for (const MemoryRef& memory : memories) {
    Entry entry;
    if (!memory.operation_local) entry.item = memory.item;
    if (!memory.version.empty()) entry.version = memory.version;
    if (!memory.key.empty()) entry.identifiers.push_back(memory.key);
    if (const auto found = finder.find(memory)) {
      entry.text = block.substr(found->text_begin, found->text_end - found->text_begin);
      entry.range = ByteRange{found->line_begin, found->line_end};
    } else {
      entry.text = memory.content.text.value_or(std::string_view{});
      ++lines.not_found;
    }
    lines.entries.push_back(std::move(entry));
  }
  return lines;
}

std::optional<SceneIndex> read_scene_index(std::string_view block) {
  SceneIndex index;
  bool inside = false;
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t end = std::min(block.find('\n', begin), block.size());
    const std::string_view line = block.substr(begin, end - begin);
    if (line.starts_with("## ")) inside = line == kSceneTitle;
    const std::size_t path_end = line.find(" \xE2\x80\x94 ");  // an em dash
    if (inside && line.starts_with("- ") && path_end != std::string_view::npos && path_end > 2) {
      Entry entry;
      const std::string_view path = line.substr(2, path_end - 2);
      entry.item = path;
      entry.identifiers.push_back(path);
      entry.text = line.substr(2);
      entry.range = ByteRange{begin, end};
      if (index.entries.empty()) index.range.begin = begin;
      index.range.end = end;
      index.entries.push_back(std::move(entry));
    }
    begin = end + 1;
  }
  if (index.entries.empty()) return std::nullopt;
  return index;
}

}  // namespace memuse::ingest::bridge
