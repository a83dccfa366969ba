#include <fmt/format.h>

#include <set>

#include "model/text.h"
#include "report/exports.h"
#include "report/show.h"
#include "report/show_common.h"
#include "report/table.h"
#include "report/text_layout.h"

// The view of one item: where it came from, where it was delivered, what came of it.

namespace memuse::report {
namespace {

/// An entry of the item in some span.
struct Showing {
  const EpisodeRecord* episode = nullptr;
  const SpanRecord* span = nullptr;
  const EntryRecord* entry = nullptr;
};

std::vector<Showing> showings_of(const ItemRecord& item, std::span<const EpisodeSpansRecord> records) {
  std::vector<Showing> showings;
  for (const EpisodeSpansRecord& record : records) {
    const EpisodeRecord& episode = record.episode;
    if (episode.configuration != item.configuration || episode.run != item.run || episode.store != item.store) continue;
    for (const SpanRecord& span : record.spans) {
      for (const EntryRecord& entry : span.entries) {
        if (entry.item == item.item) showings.push_back({&episode, &span, &entry});
      }
    }
  }
  return showings;
}

std::string version_line(const ItemVersionRecord& version) {
  std::string out = fmt::format("{} in episode {}", safe(version.op), safe(version.episode));
  if (version.position) out += fmt::format(" (position {})", *version.position);
  out += version.after_step == 0 ? " before its first step" : fmt::format(" after step {}", version.after_step);
  for (std::size_t i = 0; i < version.from.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? ", from " : ", ", safe(version.from[i]));
  return out;
}

std::string versions_text(const ItemRecord& item, const ShowOptions& options) {
  const Paint paint(options.colour);
  std::string out = "\n" + paint.bold("Versions") + "\n";
  if (item.versions.empty()) return out + "— (the trace records no creation or update of this item)\n";
  for (const ItemVersionRecord& version : item.versions) {
    out += hanging(fmt::format("{}  ", version.version.empty() ? std::string("(no version)") : safe(version.version)),
                   version_line(version), options.width);
    if (version.text) out += hanging("      │ ", printable(*version.text, true), options.width);
  }
  return out;
}

Table showing_list(const std::vector<Showing>& showings) {
  Table table;
  table.columns = {{"position", "Pos."},
                   {"episode", "Episode", Align::left, 22},
                   {"outcome", "Outcome", Align::left, 10},
                   {"place", "Place", Align::left, 10},
                   {"version", "Version", Align::left, 14},
                   {"deliveries", "Del."},
                   {"window", "Window", Align::left, 10},
                   {"use", "Use", Align::left, 22},
                   {"novelty", "Novelty", Align::left, 12}};
  for (const Showing& one : showings) {
    const EpisodeRecord& episode = *one.episode;
    const EntryRecord& entry = *one.entry;
    Row row;
    row.cells.push_back(episode.position ? Cell::count(*episode.position) : Cell::missing());
    row.cells.push_back(Cell::text(episode.episode));
    row.cells.push_back(Cell::text(!episode.resolved ? "unknown" : *episode.resolved ? "resolved" : "failed"));
    row.cells.push_back(Cell::text(entry_label(one.span->number, entry.entry)));
    row.cells.push_back(entry.version ? Cell::text(*entry.version) : Cell::missing());
    row.cells.push_back(Cell::count(one.span->deliveries.size()));
    row.cells.push_back(
        Cell::text(entry.window ? fmt::format("{}–{}", entry.window->first, entry.window->last) : "empty"));
    row.cells.push_back(entry.answer ? Cell::text(use_text(entry.answer->labels)) : Cell::missing());
    const auto novelty = entry.answer ? entry.answer->labels.novelty : std::nullopt;
    row.cells.push_back(novelty ? Cell::text(std::string(name(*novelty))) : Cell::missing());
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string summary(const std::vector<Showing>& showings) {
  std::set<const EpisodeRecord*> episodes;
  std::uint64_t improved = 0;
  std::uint64_t harmed = 0;
  std::uint64_t acted_on = 0;
  for (const Showing& one : showings) {
    episodes.insert(one.episode);
    if (!one.entry->answer) continue;
    const Labels& labels = one.entry->answer->labels;
    if (labels.influence != Influence::acted_on) continue;
    ++acted_on;
    if (labels.effect == Effect::improved) ++improved;
    if (labels.effect == Effect::harmed) ++harmed;
  }
  return fmt::format("in {} and {}; acted on {}: improved {}, harmed {}", plural(showings.size(), "span"),
                     plural(episodes.size(), "episode"), plural(acted_on, "time"), improved, harmed);
}

}  // namespace

std::string show_item(const ItemRecord& item, std::span<const EpisodeSpansRecord> records, const ShowOptions& options) {
  const Paint paint(options.colour);
  const std::vector<Showing> showings = showings_of(item, records);
  std::string out = paint.bold(fmt::format("Item {}", safe(item.item))) + "\n";
  out += hanging(
      "",
      fmt::format("configuration {} · run {} · store {}", safe(item.configuration), safe(item.run), safe(item.store)),
      options.width);
  out += rule(options.width);
  out += field("Exposed", summary(showings), options.width);
  out += field("Judge", options.judge.empty() ? "—" : safe(options.judge), options.width);
  out += versions_text(item, options);
  if (showings.empty()) return out;
  TableStyle style;
  style.width = options.width;
  style.bold = options.colour;
  return out + "\n" + paint.bold("Exposures") + "\n" + to_text(showing_list(showings), style);
}

nlohmann::ordered_json show_item_json(const ItemRecord& item, std::span<const EpisodeSpansRecord> records,
                                      const ShowOptions& options) {
  Json json;
  json["configuration"] = item.configuration;
  json["run"] = item.run;
  json["store"] = item.store;
  json["item"] = item.item;
  json["versions"] = Json::array();
  for (const ItemVersionRecord& version : item.versions) {
    Json one;
    one["version"] = or_null(version.version);
    one["op"] = version.op;
    one["episode"] = version.episode;
    one["position"] = or_null(version.position);
    one["after_step"] = version.after_step;
    one["text"] = or_null(version.text);
    one["from"] = version.from;
    json["versions"].push_back(std::move(one));
  }
  json["exposures"] = Json::array();
  for (const Showing& showing : showings_of(item, records)) {
    const EntryRecord& entry = *showing.entry;
    Json one;
    one["episode"] = showing.episode->episode;
    one["position"] = or_null(showing.episode->position);
    one["resolved"] = or_null(showing.episode->resolved);
    one["span"] = span_label(showing.span->number);
    one["entry"] = entry.entry;
    one["version"] = or_null(entry.version);
    one["deliveries"] = showing.span->deliveries.size();
    one["window"] = entry.window ? Json{entry.window->first, entry.window->last} : Json(nullptr);
    one["labels"] = entry.answer ? labels_json(*entry.answer, options.judge) : Json(nullptr);
    json["exposures"].push_back(std::move(one));
  }
  return json;
}

}  // namespace memuse::report
