#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "evidence/span_files.h"

// Earlier and same-input deliveries of the target's items, text by text: where a text was delivered, whether it could
// still be seen, and how it overlaps with the target's.

namespace memuse::evidence {
namespace {

constexpr std::size_t kTextsListed = 20;  ///< of one entry, the latest
constexpr std::size_t kSpansListed = 20;  ///< of one text, the latest

/// Copies of one text of an item.
struct CopiesOfText {
  std::string_view given;  ///< the text as the first copy gives it
  std::map<std::uint32_t, std::vector<ExposurePlace>> by_span;
  std::uint32_t latest = 0;  ///< number of the latest span
};

class EarlierCopiesWriter {
 public:
  explicit EarlierCopiesWriter(const SpanParts& span)
      : span_(span), parts_(span.parts), episode_(span.episode), out_("earlier_copies") {}

  BuiltFile write() {
    std::size_t copies = 0;
    if (span_.target) {
      const std::vector<ExposedEntry> entries = exposed_entries(episode_, episode_.deliveries[*span_.target]);
      for (std::size_t e = 0; e < entries.size(); ++e) copies += write_entry(e, entries[e].index);
    }
    if (copies == 0) out_.line("No earlier delivery of these items, and no other in the same input.");
    return std::move(out_).finish(
        fmt::format("earlier and same-input deliveries of the same items; for {}.", span_.of_span), span_.identity,
        copies == 0 ? "no earlier delivery of these items"
                    : fmt::format("{} earlier cop{} of the same items", copies, copies == 1 ? "y" : "ies"));
  }

 private:
  [[nodiscard]] std::map<std::uint32_t, CopiesOfText> copies_of(const spans::Exposure& mine) const;
  std::size_t write_entry(std::size_t exposure, std::uint32_t number);
  void write_text(const spans::Exposure& mine, std::uint32_t text, const CopiesOfText& copies);
  void write_span(std::uint32_t number, const std::vector<ExposurePlace>& places);
  [[nodiscard]] std::string_view overlap(std::uint32_t mine, std::uint32_t other) const;

  const SpanParts& span_;
  const EpisodeEvidence::Parts& parts_;
  const Episode& episode_;
  FileWriter out_;
  std::map<std::uint32_t, std::string> shown_;  // texts shown before, and where
};

std::map<std::uint32_t, CopiesOfText> EarlierCopiesWriter::copies_of(const spans::Exposure& mine) const {
  const auto& places =
      mine.item != spans::kNone ? parts_.exposures_of_item[mine.item] : parts_.exposures_of_text[mine.text];
  std::map<std::uint32_t, CopiesOfText> copies;
  for (const ExposurePlace& place : places) {
    const std::uint32_t number = parts_.span_of[place.delivery];
    const Delivery& delivery = episode_.deliveries[place.delivery];
    if (place.delivery == span_.target || number == 0 || delivery.consuming_step > span_.span.first_step) continue;
    CopiesOfText& same = copies[parts_.exposures.of(place.delivery)[place.exposure].text];
    if (same.by_span.empty()) same.given = exposed_entries(episode_, delivery)[place.exposure].text;
    same.by_span[number].push_back(place);
    same.latest = std::max(same.latest, number);
  }
  return copies;
}

std::size_t EarlierCopiesWriter::write_entry(std::size_t exposure, std::uint32_t number) {
  const spans::Exposure& mine = parts_.exposures.of(*span_.target)[exposure];
  const std::map<std::uint32_t, CopiesOfText> copies = copies_of(mine);
  if (copies.empty()) return 0;
  std::vector<std::pair<std::uint32_t, const CopiesOfText*>> latest_first;
  std::size_t count = 0;
  for (const auto& [text, of_text] : copies) {
    latest_first.emplace_back(text, &of_text);
    for (const auto& [in_span, places] : of_text.by_span) count += places.size();
  }
  std::stable_sort(latest_first.begin(), latest_first.end(),
                   [](const auto& a, const auto& b) { return a.second->latest > b.second->latest; });
  out_.line(fmt::format("Copies of the item of entry {}:", number));
  for (std::size_t i = 0; i < std::min(latest_first.size(), kTextsListed); ++i) {
    write_text(mine, latest_first[i].first, *latest_first[i].second);
  }
  if (latest_first.size() > kTextsListed) {
    out_.line(fmt::format("  {} older texts are left out", latest_first.size() - kTextsListed));
  }
  out_.line("");
  return count;
}

std::string_view EarlierCopiesWriter::overlap(std::uint32_t mine, std::uint32_t other) const {
  if (mine == other) return "the same text as this entry's";
  const std::string_view my_text = parts_.exposures.text(mine);
  const std::string_view other_text = parts_.exposures.text(other);
  if (contains(other_text, my_text)) return "a text that contains this entry's";
  if (contains(my_text, other_text)) return "a part of this entry's text";
  return "another text of the item";
}

void EarlierCopiesWriter::write_text(const spans::Exposure& mine, std::uint32_t text, const CopiesOfText& copies) {
  const std::string_view relation = overlap(mine.text, text);
  bool before = false;
  for (const auto& [number, places] : copies.by_span) {
    before = before || (number < span_.span.number && std::any_of(places.begin(), places.end(), [&](const auto& place) {
                          return was_visible(span_, place);
                        }));
  }
  out_.line(fmt::format("  {}, {}:", relation, in_bytes(copies.given.size())));
  const std::size_t left_out = copies.by_span.size() > kSpansListed ? copies.by_span.size() - kSpansListed : 0;
  if (left_out > 0) out_.line(fmt::format("    in {} earlier spans, left out here", left_out));
  for (auto at = std::next(copies.by_span.begin(), static_cast<std::ptrdiff_t>(left_out)); at != copies.by_span.end();
       ++at) {
    write_span(at->first, at->second);
  }
  const auto [shown, is_new] = shown_.try_emplace(text, fmt::format("{}", copies.latest));
  if (!is_new) return out_.line("    its text is shown above");
  RecordedPart part;
  part.visible_before = before;
  out_.text(copies.given, part);
}

void EarlierCopiesWriter::write_span(std::uint32_t number, const std::vector<ExposurePlace>& places) {
  const std::uint32_t step = span_.span.first_step;
  const bool now =
      std::any_of(places.begin(), places.end(), [&](const ExposurePlace& place) { return parts_.shows(place, step); });
  const std::uint32_t first = episode_.deliveries[places.front().delivery].consuming_step;
  const std::uint32_t last = episode_.deliveries[places.back().delivery].consuming_step;
  std::string where;
  if (number == span_.span.number) {
    where = "this span's own restatement";
  } else {
    where = fmt::format("span S{}", number);
  }
  out_.line(fmt::format("    {}: {} {}, for step{}; {}", where,
                        places.size() == 1 ? "delivery" : fmt::format("{} copies, first", places.size()),
                        delivery_name(places.front().delivery),
                        first == last ? fmt::format(" {}", first) : fmt::format("s {} to {}", first, last),
                        now ? fmt::format("still in the input of step {}", step)
                            : fmt::format("no longer in the input of step {}", step)));
}

}  // namespace

BuiltFile earlier_copies_file(const SpanParts& span) {
  return EarlierCopiesWriter(span).write();
}

}  // namespace memuse::evidence
