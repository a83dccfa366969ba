#include "ingest/merit_blocks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr auto kNowhere = std::string_view::npos;
constexpr std::string_view kFactsHeading = "[facts]\n";
constexpr std::string_view kChunksHeading = "\n[related transcripts]\n";

/// Adds the part [begin, end) of a block unless it is blank.
void add_part(std::string_view block, std::size_t begin, std::size_t end, BlockEntry entry,
              std::vector<BlockEntry>& entries) {
  if (is_blank(block.substr(begin, end - begin))) return;
  entry.range = {begin, end};
  entries.push_back(entry);
}

std::vector<BlockEntry> split_at(std::string_view block, std::string_view separator) {
  std::vector<BlockEntry> entries;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(block.find(separator, begin), block.size());
    add_part(block, begin, end, {}, entries);
    if (end == block.size()) return entries;
    begin = end + separator.size();
  }
}

/// Chunks are slices of a fixed length, so a separator inside one is not taken for one between two. A shorter chunk is
/// the end of a transcript, or a sentence of its own that corruption added, and ends at some separator. Of the ways to
/// cut the block, the one with the most chunks of full length counts; of these, the one in which most short chunks end
/// like a transcript and fewest do not.
class ChunkReader {
 public:
  explicit ChunkReader(std::string_view block) : block_(block) {
    for (std::size_t at = 0; at < block.size(); ++at) {
      if ((static_cast<unsigned char>(block[at]) & 0xC0U) != 0x80U) characters_.push_back(at);
    }
    characters_.push_back(block.size());
  }

  /// Longer blocks than the format allows are not read so.
  [[nodiscard]] bool fits() const { return characters_.size() <= kLongestBlock; }

  std::vector<BlockEntry> read() {
    for (auto& row : best_) row.assign(characters_.size(), {});
    if (last() == 0 || !is_possible(score(0, kMostChunks))) return split_at(block_, kSeparator);
    std::vector<BlockEntry> entries;
    std::size_t left = kMostChunks;
    for (std::size_t at = 0;;) {
      const std::size_t end = best_[left--][at].end;
      add_part(block_, characters_[at], characters_[end], {}, entries);
      if (end == last()) return entries;
      at = end + kSeparator.size();
    }
  }

 private:
  static constexpr std::string_view kSeparator = "\n---\n";
  /// What the corruption `contradiction` appends to a stored chunk, each time that it hits it.
  static constexpr std::string_view kCorrection = "\n[NOTE] Correction: the previous values were updated.";
  static constexpr std::size_t kChunk = 600;
  static constexpr std::size_t kMostChunks = 4;
  static constexpr std::size_t kLongestBlock = 4001;
  static constexpr int kFullChunk = 8;  // more than the chunks of any block
  static constexpr int kImpossible = -1000;

  /// The best way to read the block from some character on.
  struct Reading {
    bool known = false;
    int score = kImpossible;
    std::size_t end = 0;  ///< of the first chunk
  };

  static bool is_possible(int score) { return score > kImpossible / 2; }
  [[nodiscard]] std::size_t last() const { return characters_.size() - 1; }
  [[nodiscard]] bool stands(std::string_view what, std::size_t character) const {
    return block_.substr(characters_[character]).starts_with(what);
  }

  /// True when the last line of these characters is one with which transcripts end, or the only one.
  [[nodiscard]] bool ends_like_transcript(std::size_t begin, std::size_t end) const {
    const std::string_view text = block_.substr(characters_[begin], characters_[end] - characters_[begin]);
    const std::size_t feed = text.rfind('\n');
    return feed == kNowhere || text.substr(feed + 1).starts_with("[assistant] ");
  }

  /// Score of what follows a chunk that ends before this character, with at most `left` chunks.
  int score_behind(std::size_t character, std::size_t left) {
    if (character == last()) return 0;
    if (left == 0 || !stands(kSeparator, character)) return kImpossible;
    return score(character + kSeparator.size(), left);
  }

  /// Score of the rest from `begin` on, in at most `left` chunks. Each place is decided once per number of chunks.
  int score(std::size_t begin, std::size_t left) {
    if (best_[left][begin].known) return best_[left][begin].score;
    Reading best;
    best.known = true;
    const auto consider = [&](std::size_t end, int value) {
      // Corrections may follow the slice.
      for (;; end += kCorrection.size()) {
        const int behind = score_behind(end, left - 1);
        if (is_possible(behind) && behind + value > best.score) {
          best.score = behind + value;
          best.end = end;
        }
        if (!stands(kCorrection, end)) return;
      }
    };
    if (begin + kChunk <= last()) consider(begin + kChunk, kFullChunk);
    for (std::size_t end = std::min(begin + kChunk - 1, last()); end > begin; --end) {
      consider(end, ends_like_transcript(begin, end) ? 1 : -1);
    }
    best_[left][begin] = best;
    return best.score;
  }

  std::string_view block_;
  std::vector<std::size_t> characters_;                     // byte offsets, the end included
  std::array<std::vector<Reading>, kMostChunks + 1> best_;  // by number of chunks left and first character
};

std::vector<BlockEntry> split_chunks(std::string_view block) {
  ChunkReader reader(block);
  return reader.fits() ? reader.read() : split_at(block, "\n---\n");
}

/// One fact: `<entity>.<attribute> = <value>  (ep <episode>)`.
BlockEntry fact_of(std::string_view line) {
  constexpr std::string_view kEquals = " = ";
  constexpr std::string_view kEpisode = "  (ep ";
  BlockEntry entry;
  const std::size_t equals = line.find(kEquals);
  if (equals == kNowhere) return entry;
  const std::string_view name = line.substr(0, equals);
  if (name.find('.') == kNowhere) return entry;
  entry.item = name;
  const std::size_t value = equals + kEquals.size();
  const std::size_t source = line.rfind(kEpisode);
  const bool whole = line.ends_with(')') && source != kNowhere && source >= value;
  if (whole) entry.version = line.substr(value, source - value);
  return entry;
}

void add_facts(std::string_view block, std::size_t begin, std::size_t end, std::vector<BlockEntry>& entries) {
  while (begin < end) {
    const std::size_t line_end = std::min(block.find('\n', begin), end);
    add_part(block, begin, line_end, fact_of(block.substr(begin, line_end - begin)), entries);
    begin = line_end + 1;
  }
}

/// A mark `\n[Episode <arc>-e<n>] ` of a summary.
struct SummaryMark {
  std::size_t at = 0;  ///< its line feed
  std::string_view label;
};

/// The first mark of each episode number.
std::map<std::uint64_t, SummaryMark> first_marks(std::string_view block, std::string_view arc) {
  constexpr std::string_view kOpen = "\n[Episode ";
  constexpr std::string_view kClose = "] ";
  std::map<std::uint64_t, SummaryMark> marks;
  for (std::size_t at = block.find(kOpen); at != kNowhere; at = block.find(kOpen, at + 1)) {
    const std::string_view rest = block.substr(at + kOpen.size());
    if (!rest.starts_with(arc) || !rest.substr(arc.size()).starts_with("-e")) continue;
    const std::size_t digits = arc.size() + 2;
    std::uint64_t number = 0;
    const char* first = rest.data() + digits;
    const auto [end, error] = std::from_chars(first, rest.data() + rest.size(), number);
    const auto length = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc{} || !rest.substr(length).starts_with(kClose)) continue;
    marks.try_emplace(number, SummaryMark{at, rest.substr(0, length)});
  }
  return marks;
}

/// A summary may quote an older block, so marks stand inside summaries too, but only of earlier episodes: the mark of
/// the last episode is an outer one, and so is each first mark of an episode in front of the next one's.
std::vector<BlockEntry> split_summaries(std::string_view block, std::string_view arc) {
  const auto marks = first_marks(block, arc);
  std::vector<SummaryMark> outer;
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
    if (outer.empty() || mark->second.at < outer.back().at) outer.push_back(mark->second);
  }
  std::reverse(outer.begin(), outer.end());
  std::vector<BlockEntry> entries;
  // What stands in front of the first mark is the end of a summary whose mark was cut off.
  add_part(block, 0, outer.empty() ? block.size() : outer.front().at, {}, entries);
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const std::size_t end = i + 1 < outer.size() ? outer[i + 1].at : block.size();
    BlockEntry entry;
    entry.item = outer[i].label;
    add_part(block, outer[i].at + 1, end, entry, entries);
  }
  return entries;
}

std::vector<BlockEntry> split_facts_and_chunks(std::string_view block) {
  std::vector<BlockEntry> entries;
  const std::size_t facts_end = block.find(kChunksHeading, std::min(kFactsHeading.size(), block.size()));
  if (!block.starts_with(kFactsHeading) || facts_end == kNowhere) {
    add_part(block, 0, block.size(), {}, entries);
    return entries;
  }
  add_facts(block, kFactsHeading.size(), facts_end, entries);
  const std::size_t chunks_begin = facts_end + kChunksHeading.size();
  for (BlockEntry chunk : split_chunks(block.substr(chunks_begin))) {
    chunk.range.begin += chunks_begin;
    chunk.range.end += chunks_begin;
    entries.push_back(chunk);
  }
  return entries;
}

}  // namespace

BlockForm block_form(std::string_view condition) {
  constexpr std::array kForms{BlockForm::none,      BlockForm::full_replay, BlockForm::chunks,
                              BlockForm::summaries, BlockForm::facts,       BlockForm::facts_and_chunks};
  const std::string_view family = condition.substr(0, condition.find('_'));
  if (family.size() != 2 || family[0] != 'C' || family[1] < '0') return BlockForm::unknown;
  const auto number = static_cast<std::size_t>(family[1] - '0');
  return number < kForms.size() ? kForms[number] : BlockForm::unknown;
}

bool holds_no_memory(BlockForm form, std::string_view block) {
  if (is_blank(block)) return true;
  return form == BlockForm::facts_and_chunks && block.starts_with(kFactsHeading) &&
         block.substr(kFactsHeading.size()) == kChunksHeading;
}

std::vector<BlockEntry> split_block(BlockForm form, std::string_view block, std::string_view arc) {
  std::vector<BlockEntry> entries;
  switch (form) {
    case BlockForm::full_replay:
      return split_at(block, "\n\n---\n\n");
    case BlockForm::chunks:
      return split_chunks(block);
    case BlockForm::summaries:
      return split_summaries(block, arc);
    case BlockForm::facts:
      add_facts(block, 0, block.size(), entries);
      return entries;
    case BlockForm::facts_and_chunks:
      return split_facts_and_chunks(block);
    case BlockForm::none:
    case BlockForm::unknown:
      add_part(block, 0, block.size(), {}, entries);
      return entries;
  }
  return entries;
}

}  // namespace memuse::ingest
