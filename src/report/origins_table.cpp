#include "report/origins_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/version.h"
#include "report/agreement_table.h"
#include "report/lineage_words.h"
#include "report/show_common.h"

namespace memuse::report {
namespace {

using graph::OriginCounts;

constexpr const char* kByOrigin = "Beneficial entries, by origin";
constexpr const char* kSources = "Source episodes of traced entries";

std::string judge_sentence(const JudgementSetRecord& set) {
  const std::string_view rules_name = set.rules.empty() ? kRuleSet : std::string_view(set.rules);
  std::string out = set.judge.empty() ? fmt::format("Nothing was judged; rule set {}.", rules_name)
                                      : fmt::format("Judge {}; rule set {}.", set.judge, rules_name);
  if (set.effects_need_probe) out += " It assesses effects only in episodes with a probe.";
  return out + agreement_sentence(set);
}

Cell share_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return Cell::missing();
  return Cell::percent(static_cast<double>(part) / static_cast<double>(whole), 1);
}

/// " Not traced: 2 recorded only after the delivery, 1 without a recorded creator."
std::string untraced_sentence(const OriginCounts& counts) {
  std::string out;
  const auto add = [&out](std::uint64_t count, std::string_view what) {
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? " Not traced: " : ", ", count, what);
  };
  add(counts.recorded_later, "recorded only after the delivery");
  add(counts.order_unknown, "of episodes without a known order");
  add(counts.other_version, "of which only other versions are recorded");
  add(counts.not_recorded, "without a recorded creator");
  return out.empty() ? out : out + ".";
}

}  // namespace

void OriginsTable::add(const graph::RunOrigins& run) {
  const std::string& configuration = run.facts.configuration;
  const bool pooled = pooling_ == Pooling::configurations;
  std::string key = pooled ? configuration : configuration + "/" + run.facts.run;
  std::string name = pooled ? configuration : configuration + " / " + run.facts.run;
  if (columns_.empty() || !pooled || columns_.back().key != key) {
    columns_.push_back({std::move(key), std::move(name), false, false, {}});
  }
  Column& column = columns_.back();
  column.judged = column.judged || run.facts.judged;
  column.records_creation = column.records_creation || run.facts.records_creation;
  column.counts += run.counts;
}

Table OriginsTable::finish(const JudgementSetRecord& set) const {
  Table table;
  table.name = "origins";
  table.title = pooling_ == Pooling::runs ? "Origins of beneficial entries, by run" : "Origins of beneficial entries";
  table.columns.push_back({"label", "", Align::left});
  for (const Column& column : columns_) table.columns.push_back({column.key, column.name, Align::right});
  const auto row = [&](const char* key, const char* group, const char* label, auto cell) {
    Row out{key, group, {Cell::text(label)}};
    for (const Column& column : columns_) {
      out.cells.push_back(column.judged && column.records_creation ? cell(column.counts) : Cell::missing());
    }
    table.rows.push_back(std::move(out));
  };
  Row all{"beneficial", kByOrigin, {Cell::text("Beneficial entries")}};
  for (const Column& column : columns_) {
    all.cells.push_back(column.judged ? Cell::count(column.counts.beneficial) : Cell::missing());
  }
  table.rows.push_back(std::move(all));
  const auto count = [&](const char* key, const char* group, const char* label, std::uint64_t OriginCounts::*member) {
    row(key, group, label, [member](const OriginCounts& counts) { return Cell::count(counts.*member); });
  };
  count("traced", kByOrigin, "Traced to an earlier episode", &OriginCounts::traced);
  row("traced_share", kByOrigin, "… % of beneficial",
      [](const OriginCounts& counts) { return share_of(counts.traced, counts.beneficial); });
  count("same_episode", kByOrigin, "Made in the same episode", &OriginCounts::same_episode);
  row("untraced", kByOrigin, "Not traced",
      [](const OriginCounts& counts) { return Cell::count(counts.beneficial - counts.traced - counts.same_episode); });
  count("outcome_known", kSources, "Outcome known", &OriginCounts::outcome_known);
  count("from_failed", kSources, "Failed", &OriginCounts::from_failed);
  row("from_failed_share", kSources, "… % of known outcomes",
      [](const OriginCounts& counts) { return share_of(counts.from_failed, counts.outcome_known); });
  row("from_another_repository", kSources, "Of another repository", [](const OriginCounts& counts) {
    return counts.repositories_known == 0 ? Cell::missing() : Cell::count(counts.from_another_repository);
  });
  row("median_gap", kSources, "Median gap in tasks",
      [](const OriginCounts& counts) { return Cell::number(counts.median_gap(), 1); });
  table.caption = caption(set);
  return table;
}

std::string OriginsTable::caption(const JudgementSetRecord& set) const {
  OriginCounts all;
  std::uint64_t without_events = 0;
  for (const Column& column : columns_) {
    if (!column.records_creation) ++without_events;
    if (column.judged && column.records_creation) all += column.counts;
  }
  std::string out =
      "A beneficial entry was acted on and its effect is improved. It is traced when the operation that made the "
      "delivered version is found in a strictly earlier episode of the same run.";
  out += untraced_sentence(all) + " The gap is the difference of task positions.";
  if (all.traced > 0) {
    out += all.traced_by_text == 0
               ? std::string(" Identity of versions: declared for all traced entries.")
               : fmt::format(" Identity of versions: declared for {} of {} traced entries, by equal text for {}.",
                             all.traced - all.traced_by_text, all.traced, all.traced_by_text);
    if (all.repositories_known < all.traced) {
      out += fmt::format(" Both repositories are known for {} of them.", all.repositories_known);
    }
  }
  if (without_events > 0) {
    out += fmt::format(" {} {} no creation of an item, so the origins are a dash.", without_events,
                       pooling_ == Pooling::runs ? (without_events == 1 ? "run records" : "runs record")
                       : without_events == 1     ? "configuration records"
                                                 : "configurations record");
  }
  return out + " " + judge_sentence(set);
}

OriginsList::OriginsList() {
  table_.name = "origins_list";
  table_.title = "Beneficial entries and their origins";
  table_.columns = {{"configuration", "Configuration", Align::left, 20},
                    {"run", "Run", Align::left, 10},
                    {"position", "Pos."},
                    {"episode", "Episode", Align::left, 26},
                    {"entry", "Entry", Align::left, 8},
                    {"item", "Item", Align::left, 24},
                    {"version", "Version", Align::left, 24},
                    {"origin", "Origin", Align::left, 34},
                    {"source_position", "From pos."},
                    {"source_episode", "Source episode", Align::left, 26},
                    {"operation", "Operation", Align::left, 24},
                    {"source_outcome", "Outcome", Align::left, 9},
                    {"source_repository", "Repository", Align::left, 24},
                    {"gap", "Gap"},
                    {"identity", "Identity", Align::left, 9}};
  table_.label_columns = 5;
}

void OriginsList::add(const graph::RunOrigins& run) {
  const auto text_or_missing = [](const std::string& text) {
    return text.empty() ? Cell::missing() : Cell::text(text);
  };
  for (const graph::OriginRow& row : run.rows) {
    const graph::Exposure& exposure = run.facts.exposures[row.exposure];
    const graph::EpisodeNode& target = run.facts.episodes[exposure.episode];
    const graph::Change* change = row.origin.change ? &run.facts.changes[*row.origin.change] : nullptr;
    const graph::EpisodeNode* source = change != nullptr ? &run.facts.episodes[change->episode] : nullptr;
    const auto gap = source != nullptr ? graph::position_gap(*source, target) : std::nullopt;
    Row out;
    out.cells = {
        Cell::text(run.facts.configuration),
        Cell::text(run.facts.run),
        target.position ? Cell::count(*target.position) : Cell::missing(),
        Cell::text(target.episode),
        Cell::text(entry_label(exposure.span, exposure.entry)),
        text_or_missing(exposure.item.value_or("")),
        text_or_missing(exposure.version.value_or("")),
        Cell::text(std::string(origin_words(row.origin.kind))),
        source != nullptr && source->position ? Cell::count(*source->position) : Cell::missing(),
        text_or_missing(source != nullptr ? source->episode : ""),
        text_or_missing(change != nullptr ? change->operation : ""),
        source != nullptr && source->resolved ? Cell::text(std::string(outcome_word(*source))) : Cell::missing(),
        text_or_missing(source != nullptr ? source->repo : ""),
        gap ? Cell::number(static_cast<double>(*gap), 0) : Cell::missing(),
        row.origin.change ? Cell::text(std::string(graph::name(row.origin.identity))) : Cell::missing()};
    table_.rows.push_back(std::move(out));
  }
}

Table OriginsList::finish(const JudgementSetRecord& set) && {
  table_.caption = fmt::format("{}. {}", plural_of(table_.rows.size(), "beneficial entry", "beneficial entries"),
                               judge_sentence(set));
  return std::move(table_);
}

}  // namespace memuse::report
