#include <fmt/format.h>

#include <algorithm>

#include "evidence/span_files.h"
#include "model/text.h"

// The files that show memory: `target` and `deliveries`.

namespace memuse::evidence {
namespace {

constexpr std::size_t kNameBytes = 200;
constexpr std::size_t kRestatementsListed = 50;

RecordedPart visible(bool before) {
  RecordedPart part;
  part.visible_before = before;
  return part;
}

void write_search(FileWriter& out, const Search& search) {
  out.value("Query of the search", search.query);
  out.line(fmt::format("The search returned {} item{}{}.", search.returned.size(),
                       search.returned.size() == 1 ? "" : "s",
                       search.matched ? fmt::format(" of {} that matched", *search.matched) : ""));
}

void write_search_of(FileWriter& out, const Episode& episode, const Delivery& delivery) {
  if (delivery.search.empty()) return;
  const auto search = std::find_if(episode.searches.begin(), episode.searches.end(),
                                   [&](const Search& candidate) { return candidate.id == delivery.search; });
  if (search != episode.searches.end()) write_search(out, *search);
}

class TargetWriter {
 public:
  explicit TargetWriter(const SpanParts& span) : span_(span), episode_(span.episode), out_("target") {}

  BuiltFile write() {
    if (span_.target) {
      write_delivery(*span_.target);
    } else {
      const std::uint32_t search = span_.span.deliveries.front().delivery;
      out_.line("Target: a search that returned nothing.");
      write_search(out_, episode_.searches[search - episode_.deliveries.size()]);
      write_restatements();
    }
    return std::move(out_).finish(
        fmt::format("what was delivered; for {}. Step numbers count from the start of the episode.", span_.of_span),
        span_.identity, summary());
  }

 private:
  void write_delivery(std::uint32_t index);
  void write_rewritten(const Delivery& delivery);
  void write_restatements();
  void write_entry(std::size_t exposure, const ExposedEntry& entry);
  [[nodiscard]] bool established(std::size_t exposure) const;
  [[nodiscard]] std::string summary() const;

  const SpanParts& span_;
  const Episode& episode_;
  FileWriter out_;
  std::size_t to_answer_ = 0;
};

void TargetWriter::write_delivery(std::uint32_t index) {
  const Delivery& delivery = episode_.deliveries[index];
  out_.line("Target:");
  write_delivery_facts(out_, span_, index);
  write_search_of(out_, episode_, delivery);
  out_.line(fmt::format("Some copy of it stays in the input without a gap from step {} to step {}.",
                        span_.span.first_step, span_.span.last_step));
  write_restatements();
  if (!delivery.message) {
    out_.line("No text was placed.");
  } else {
    out_.line("Placed text:");
    out_.text(episode_.placed_text(delivery));
  }
  const std::vector<ExposedEntry> entries = exposed_entries(episode_, delivery);
  if (entries.empty()) return out_.line("It has no entry.");
  write_rewritten(delivery);
  for (std::size_t e = 0; e < entries.size(); ++e) write_entry(e, entries[e]);
}

/// The text that the agent really saw, where it is no longer the one of the delivery line.
void TargetWriter::write_rewritten(const Delivery& delivery) {
  const Message& message = episode_.messages[*delivery.message];
  const TextId now = message.text_at_step(span_.span.first_step);
  if (message.text_at_order(delivery.order) == now || !message.visible_at(span_.span.first_step)) return;
  out_.line(fmt::format("Its message was rewritten; as the input of step {} showed it:", span_.span.first_step));
  out_.text(episode_.texts[now]);
}

void TargetWriter::write_restatements() {
  const std::size_t count = span_.span.deliveries.size() - 1;
  if (count == 0) return out_.line("It was not delivered again in this span.");
  std::string list;
  for (std::size_t i = 1; i <= std::min(count, kRestatementsListed); ++i) {
    list += fmt::format("{} {}", i == 1 ? "" : ",", span_.span.deliveries[i].step);
  }
  if (count > kRestatementsListed) list += fmt::format(" … and {} more", count - kRestatementsListed);
  out_.line(fmt::format("The same was delivered again for step{}{}.", count == 1 ? "" : "s", list));
}

/// True when the entry's words were before the agent already: an earlier span's copy of the same item that holds them
/// could be seen up to the step before, or still can.
bool TargetWriter::established(std::size_t exposure) const {
  const EpisodeEvidence::Parts& parts = span_.parts;
  const spans::Exposure& mine = parts.exposures.of(*span_.target)[exposure];
  const auto& places =
      mine.item != spans::kNone ? parts.exposures_of_item[mine.item] : parts.exposures_of_text[mine.text];
  const std::string_view text = parts.exposures.text(mine.text);
  return std::any_of(places.begin(), places.end(), [&](const ExposurePlace& place) {
    return span_.earlier(place.delivery) && was_visible(span_, place) &&
           contains(parts.exposures.text(parts.exposures.of(place.delivery)[place.exposure].text), text);
  });
}

void TargetWriter::write_entry(std::size_t exposure, const ExposedEntry& entry) {
  const auto& entries = span_.span.entries;
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const SpanEntry& candidate) { return candidate.entry == entry.index; });
  const Window* const window = found == entries.end() || !found->window ? nullptr : &*found->window;
  const bool before = established(exposure);
  out_.line("");
  out_.line(fmt::format("Entry {}:", entry.index));
  write_entry_values(out_, entry, before);
  if (window) {
    ++to_answer_;
    out_.line(fmt::format("  credit window: steps {} to {}", window->first, window->last));
  } else {
    out_.line("  credit window: empty. Not to be answered: its credit is already open in an earlier entry.");
  }
  out_.line("  exposed text:");
  out_.text(entry.text, visible(before));
}

std::string TargetWriter::summary() const {
  if (!span_.target) return "the target: an empty search";
  return fmt::format("what was delivered; {} entr{} to answer for", to_answer_, to_answer_ == 1 ? "y" : "ies");
}

class DeliveriesWriter {
 public:
  explicit DeliveriesWriter(const SpanParts& span) : span_(span), episode_(span.episode), out_("deliveries") {}

  BuiltFile write() {
    const std::vector<std::uint32_t>& deliveries = span_.input.deliveries;
    for (const std::uint32_t d : deliveries) write_section(d);
    if (deliveries.empty()) out_.line("No other delivery can be seen in the input.");
    return std::move(out_).finish(
        fmt::format("other memory in the input of step {}, a section each; for {}.", span_.span.first_step,
                    span_.of_span),
        span_.identity,
        fmt::format("{} other deliver{} in the input", deliveries.size(), deliveries.size() == 1 ? "y" : "ies"));
  }

 private:
  void write_section(std::uint32_t index);
  void write_placed_text(std::uint32_t index);

  const SpanParts& span_;
  const Episode& episode_;
  FileWriter out_;
};

void DeliveriesWriter::write_section(std::uint32_t index) {
  const Delivery& delivery = episode_.deliveries[index];
  out_.begin_section(delivery_name(index));
  out_.line(fmt::format("Section {}:", delivery_name(index)));
  write_delivery_facts(out_, span_, index);
  if (span_.parts.span_of[index] == span_.span.number) out_.line("It says the same as the target: a restatement.");
  write_placed_text(index);
  const std::string_view placed = episode_.placed_text(delivery);
  const bool before = span_.earlier(index);
  for (const ExposedEntry& entry : exposed_entries(episode_, delivery)) {
    out_.line(fmt::format("Entry {} of {}:", entry.index, delivery_name(index)));
    write_entry_values(out_, entry, before);
    if (contains(placed, entry.text)) continue;
    out_.line("  exposed text:");
    out_.text(entry.text, visible(before));
  }
  out_.line("");
}

void DeliveriesWriter::write_placed_text(std::uint32_t index) {
  const Delivery& delivery = episode_.deliveries[index];
  const Message& message = episode_.messages[*delivery.message];
  const TextId text = message.text_at_order(delivery.order);
  const ByteRange placed = placed_range(episode_, delivery);
  if (message.of_step != 0 && text == recorded_text(message)) {
    return out_.line(fmt::format("Its text stands in file {}: bytes {}-{} of a result there.",
                                 step_file(message.of_step), placed.begin, placed.end));
  }
  out_.line(text == message.text_at_step(span_.span.first_step) ? "Placed text:"
                                                                : "Placed text, before its message was rewritten:");
  const std::vector<InputPart> parts =
      cut_at_deliveries(episode_, text,
                        span_.target && episode_.deliveries[*span_.target].message == delivery.message
                            ? std::vector<std::uint32_t>{*span_.target}
                            : std::vector<std::uint32_t>{},
                        span_.target, TextHome::deliveries);
  for (const InputPart& part : parts) {
    const std::uint64_t begin = std::max(part.range.begin, placed.begin);
    const std::uint64_t end = std::min(part.range.end, placed.end);
    if (begin >= end) continue;
    if (part.home == TextHome::target) {
      out_.line("[the delivered text of this span stands here: file target]");
    } else {
      out_.text(episode_.texts[text].substr(begin, end - begin), visible(span_.earlier(index)));
    }
  }
}

}  // namespace

void write_delivery_facts(FileWriter& out, const SpanParts& span, std::uint32_t index) {
  const Delivery& delivery = span.episode.deliveries[index];
  out.line(fmt::format("  delivery {}, {}, consumed by step {}{}", delivery_name(index), route_in_words(delivery.route),
                       delivery.consuming_step,
                       span.parts.span_of[index] == 0 ? "" : fmt::format(", in span S{}", span.parts.span_of[index])));
  if (!delivery.id.empty()) out.value("  id", shortened(delivery.id, kNameBytes));
  if (!delivery.form.empty()) out.value("  form", shortened(delivery.form, kNameBytes));
}

void write_entry_values(FileWriter& out, const ExposedEntry& entry, bool visible_before) {
  if (entry.recorded == nullptr) return out.line("  the placed text as a whole, without an item id");
  if (entry.recorded->item) {
    out.value("  item", *entry.recorded->item, visible_before);
  } else {
    out.line("  item: no id");
  }
  if (entry.recorded->version) out.value("  version", *entry.recorded->version, visible_before);
  if (!entry.recorded->identifiers.empty()) out.values("  identifiers", entry.recorded->identifiers, visible_before);
}

BuiltFile target_file(const SpanParts& span) {
  return TargetWriter(span).write();
}

BuiltFile deliveries_file(const SpanParts& span) {
  return DeliveriesWriter(span).write();
}

}  // namespace memuse::evidence
