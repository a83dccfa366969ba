#include "ingest/rule_match.h"

#include <algorithm>

#include "ingest/mapped_text.h"
#include "ingest/rule_data.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

/// Bytes next to a block that `before` and `after` look at; bounds the work for a text with very many blocks.
constexpr std::size_t kMaxFrame = 4096;

/// Thrown, and caught in this file, when a text has more matches than a rule may have.
struct TooMany {};

/// The text without what the pattern matches at the start of its lines.
MappedText strip_lines(const Pattern& strip, const MappedText& source, Arena& arena) {
  const std::string_view text = source.text();
  std::string stripped;
  stripped.reserve(text.size());
  MappedText result(source, {});
  Groups groups;
  std::size_t copied = 0;
  std::size_t from = 0;
  while (from < text.size() && strip.find(text, from, text.size(), groups)) {
    const std::size_t begin = offset_in(text, groups[0]);
    if (const auto there = source.place(copied)) result.add_step(stripped.size(), *there);
    stripped += text.substr(copied, begin - copied);
    copied = begin + groups[0].size();
    const std::size_t line_feed = text.find('\n', copied);
    if (line_feed == std::string_view::npos) break;
    from = line_feed + 1;
  }
  if (const auto there = source.place(copied)) result.add_step(stripped.size(), *there);
  stripped += text.substr(copied);
  result.set_text(arena.keep(stripped));
  return result;
}

/// The whole text as a region; nothing when there is only white space.
std::vector<Region> whole_text(std::string_view text) {
  const std::string_view inner = trimmed(text);
  if (inner.empty()) return {};
  Region region;
  region.begin = region.content_begin = offset_in(text, inner);
  region.end = region.content_end = region.begin + inner.size();
  return {region};
}

std::vector<Region> regions_or_whole(const std::optional<RegionRule>& rule, std::string_view text, RegionOrder order,
                                     std::size_t limit) {
  if (!rule) return whole_text(text);
  auto regions = find_regions(*rule, text, order, limit);
  if (!regions) throw TooMany{};
  return std::move(*regions);
}

/// What the opening marks around an entry captured.
struct Around {
  const Groups* block = nullptr;
  const Groups* section = nullptr;
};

/// Cuts the entries out of one block.
class BlockReader {
 public:
  BlockReader(const DeliveryRule& rule, JsonParser& parser, Arena& arena)
      : rule_(rule), parser_(parser), arena_(arena) {}

  /// The block with its entries; nothing when it is no delivery after all.
  std::optional<MatchedBlock> read(const MappedText& source, const Region& region) {
    const MappedText content = source.part(region.content_begin, region.content_end);
    around_.block = &region.groups;
    for (const SectionRule& section : rule_.sections) read_section(section, content);
    const bool only_data = std::all_of(rule_.sections.begin(), rule_.sections.end(),
                                       [](const SectionRule& section) { return !section.decode.empty(); });
    if (only_data && !readable_) return std::nullopt;
    MatchedBlock block;
    const auto begin = source.place(region.begin);
    const auto last = source.place(std::max(region.begin, region.end - 1));
    if (!begin || !last) return std::nullopt;
    block.range = {*begin, std::max(*begin, *last + 1)};
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.at < b.at; });
    for (Found& found : found_) block.entries.push_back(std::move(found.entry));
    if (!block.entries.empty()) return block;
    if (rule_.without_entries == WithoutEntries::nothing) return std::nullopt;
    block.empty = rule_.without_entries == WithoutEntries::empty || is_blank(content.text());
    return block;
  }

 private:
  struct Found {
    std::size_t at = 0;  // place of its section in the block
    Entry entry;
  };

  void read_section(const SectionRule& section, const MappedText& content) {
    for (const Region& region : regions_or_whole(section.region, content.text(), RegionOrder::list, kMaxEntries)) {
      const MappedText text = content.part(region.content_begin, region.content_end);
      around_.section = &region.groups;
      const std::size_t before = found_.size();
      if (section.decode.empty()) {
        read_pieces(section, text, region.begin);
      } else if (const auto data = decode_text(section.decode, text, parser_, arena_)) {
        read_data(section, *data, region.begin);
      }
      if (found_.size() > before) readable_ = true;
    }
  }

  void add(std::size_t at, Entry entry) {
    if (is_blank(entry.text)) return;
    if (found_.size() == kMaxEntries) throw TooMany{};
    found_.push_back({at, std::move(entry)});
  }

  // Entries of plain text.

  void read_pieces(const SectionRule& section, const MappedText& text, std::size_t at) {
    const std::size_t before = found_.size();
    for (const EntryRule& rule : section.entries) {
      for (const Region& piece : regions_or_whole(rule.piece, text.text(), RegionOrder::list, kMaxEntries)) {
        read_piece(rule, text, piece, at);
      }
      if (found_.size() > before) return;
    }
  }

  void read_piece(const EntryRule& rule, const MappedText& text, const Region& region, std::size_t at) {
    const std::string_view piece = text.text().substr(region.begin, region.end - region.begin);
    Groups groups;
    if (rule.pattern && !rule.pattern->find(piece, 0, piece.size(), groups)) return;
    const auto value = [&](const ValueSource& source) { return group_value(source, groups, region.groups); };
    Entry entry;
    entry.text = rule.text.empty() ? trimmed(piece) : std::string_view{};
    for (const ValueSource& source : rule.text) {
      if (const auto found = value(source)) {
        entry.text = *found;
        break;
      }
    }
    fill_names(rule, value, entry);
    // Only a text of this section has a place in it; a group of an outer mark has none.
    const std::string_view all = text.text();
    if (entry.text.data() >= all.data() && entry.text.data() + entry.text.size() <= all.data() + all.size()) {
      entry.range = text.range(offset_in(all, entry.text), entry.text);
    }
    add(at, std::move(entry));
  }

  [[nodiscard]] std::optional<std::string_view> group_value(const ValueSource& source, const Groups& pattern,
                                                            const Groups& piece) const {
    const Groups* groups = nullptr;
    switch (source.from) {
      case ValueSource::From::pattern:
        groups = &pattern;
        break;
      case ValueSource::From::piece:
        groups = &piece;
        break;
      case ValueSource::From::section:
        groups = around_.section;
        break;
      case ValueSource::From::block:
        groups = around_.block;
        break;
      case ValueSource::From::data:
        return std::nullopt;
    }
    const auto index = static_cast<std::size_t>(source.group);
    if (groups == nullptr || index >= groups->size() || (*groups)[index].data() == nullptr) return std::nullopt;
    return (*groups)[index];
  }

  // Entries of decoded text.

  void read_data(const SectionRule& section, const DecodedText& data, std::size_t at) {
    const std::size_t before = found_.size();
    for (const EntryRule& rule : section.entries) {
      const auto elements = values_at(*data.root, rule.each, kMaxEntries);
      if (!elements) continue;
      if (elements->size() > kMaxEntries) throw TooMany{};
      readable_ = readable_ || elements->empty();
      for (const JsonValue* element : *elements) read_element(rule, *element, data.json, at);
      if (found_.size() > before) return;
    }
  }

  void read_element(const EntryRule& rule, const JsonValue& element, const MappedText& json, std::size_t at) {
    const auto value = [&](const ValueSource& source) -> std::optional<std::string_view> {
      if (source.from != ValueSource::From::data) return group_value(source, {}, {});
      const JsonValue* found = value_at(element, source.path);
      return found == nullptr ? std::nullopt : value_text(*found, arena_);
    };
    Entry entry;
    for (const ValueSource& source : rule.text) {
      const auto found = value(source);
      if (!found) continue;
      entry.text = *found;
      const JsonValue* node = source.from == ValueSource::From::data ? value_at(element, source.path) : nullptr;
      if (node != nullptr && node->kind == JsonKind::string) entry.range = json.range(node->byte + 1, entry.text);
      break;
    }
    fill_names(rule, value, entry);
    add(at, std::move(entry));
  }

  template <typename Value>
  void fill_names(const EntryRule& rule, const Value& value, Entry& entry) const {
    if (rule.item) entry.item = named(value(*rule.item));
    if (rule.version) entry.version = named(value(*rule.version));
    for (const ValueSource& source : rule.identifiers) {
      const auto identifier = named(value(source));
      if (!identifier) continue;
      auto& all = entry.identifiers;
      if (std::find(all.begin(), all.end(), *identifier) == all.end()) all.push_back(*identifier);
    }
  }

  static std::optional<std::string_view> named(std::optional<std::string_view> value) {
    if (!value) return std::nullopt;
    const std::string_view text = trimmed(*value);
    if (text.empty()) return std::nullopt;
    return text;
  }

  const DeliveryRule& rule_;
  JsonParser& parser_;
  Arena& arena_;
  Around around_;
  std::vector<Found> found_;
  bool readable_ = false;  // some decoded section was what the rule expects
};

/// The last bytes of `text`, from a character on.
std::string_view tail(std::string_view text) {
  if (text.size() <= kMaxFrame) return text;
  text.remove_prefix(text.size() - kMaxFrame);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0U) == 0x80U) text.remove_prefix(1);
  return text;
}

/// The first bytes of `text`, whole characters.
std::string_view head(std::string_view text) {
  if (text.size() <= kMaxFrame) return text;
  text = text.substr(0, kMaxFrame);
  return text.substr(0, valid_utf8_prefix(text));
}

bool stands_right(const DeliveryRule& rule, std::string_view text, const Region& region) {
  return (!rule.before || rule.before->matches(tail(text.substr(0, region.begin)))) &&
         (!rule.after || rule.after->matches(head(text.substr(region.end)))) &&
         (!rule.guard || rule.guard->matches(text.substr(region.begin, region.end - region.begin)));
}

bool any_string_matches(const Pattern& pattern, const JsonValue& value) {
  if (value.kind == JsonKind::string) return pattern.matches(value.text);
  if (value.kind != JsonKind::array && value.kind != JsonKind::object) return false;
  for (const JsonValue& child : JsonChildren(value)) {
    if (any_string_matches(pattern, child)) return true;  // at most JsonParser::kMaxDepth deep
  }
  return false;
}

}  // namespace

std::optional<std::vector<MatchedBlock>> RuleMatcher::match(const DeliveryRule& rule, std::string_view message) {
  try {
    MappedText text(message);
    if (rule.strip) text = strip_lines(*rule.strip, text, arena_);
    std::vector<MatchedBlock> blocks;
    for (const Region& region : regions_or_whole(rule.block, text.text(), RegionOrder::blocks, kMaxBlocks)) {
      if (!stands_right(rule, text.text(), region)) continue;
      if (auto block = BlockReader(rule, parser_, arena_).read(text, region)) blocks.push_back(std::move(*block));
    }
    return blocks;
  } catch (const TooMany&) {
    return std::nullopt;
  }
}

bool RuleMatcher::arguments_match(const Pattern& pattern, std::string_view arguments) {
  if (arguments.empty()) return false;
  Arena scratch;
  const std::string_view kept = scratch.keep(arguments);
  JsonFault fault;
  const JsonValue* root = parser_.parse(kept, kept.size() + Arena::kSlack, scratch, fault, JsonRoot::container);
  return root == nullptr ? pattern.matches(arguments) : any_string_matches(pattern, *root);
}

}  // namespace memuse::ingest
