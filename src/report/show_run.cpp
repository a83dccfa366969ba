#include <fmt/format.h>

#include "report/exports.h"
#include "report/show.h"
#include "report/show_common.h"
#include "report/table.h"
#include "report/text_layout.h"
#include "rules/profile.h"

// The view of one run: a line per episode.

namespace memuse::report {
namespace {

std::string outcome_word(const EpisodeRecord& episode) {
  std::string out = !episode.resolved ? "unknown" : *episode.resolved ? "resolved" : "failed";
  if (!episode.retained) out += " (set aside)";
  return out;
}

Table episode_list(std::span<const EpisodeSpansRecord> records) {
  Table table;
  table.columns = {{"position", "Pos."},
                   {"episode", "Episode", Align::left, 24},
                   {"task", "Task", Align::left, 24},
                   {"outcome", "Outcome", Align::left, 12},
                   {"steps", "Steps"},
                   {"deliveries", "Del."},
                   {"spans", "Spans"},
                   {"verdicts", "Verdicts", Align::left, 34}};
  for (const EpisodeSpansRecord& record : records) {
    const EpisodeRecord& episode = record.episode;
    const rules::Counts counts = rules::counts_of(record);
    Row row;
    row.cells = {episode.position ? Cell::count(*episode.position) : Cell::missing(),
                 Cell::text(episode.episode),
                 Cell::text(episode.task_id),
                 Cell::text(outcome_word(episode)),
                 Cell::count(episode.steps),
                 Cell::count(counts.deliveries),
                 Cell::count(counts.spans()),
                 Cell::text(verdicts_text(record.spans))};
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

namespace {

/// ", 0.1234 US dollars", or nothing when no cost was recorded.
std::string cost_text(const rules::Cost& cost) {
  const auto usd = cost.known();
  return usd ? fmt::format(", {:.4f} US dollars", *usd) : std::string();
}

}  // namespace

std::string show_run(std::span<const EpisodeSpansRecord> records, const ShowOptions& options) {
  if (records.empty()) return "No episodes.\n";
  const EpisodeRecord& first = records.front().episode;
  rules::Tally tally;
  for (const EpisodeSpansRecord& record : records) tally.add(record);
  const rules::Counts counts = tally.counts();
  const Paint paint(options.colour);
  std::string out =
      paint.bold(fmt::format("Run {} of configuration {}", safe(first.run), safe(first.configuration))) + "\n";
  out += rule(options.width);
  const auto put = [&](std::string_view label, const std::string& text) { out += field(label, text, options.width); };
  put("Tasks", fmt::format("{}, {} resolved, {} without a result (they count as not resolved){}",
                           plural(counts.episodes, "episode"), counts.resolved, counts.without_result,
                           counts.attempts_set_aside == 0
                               ? std::string()
                               : fmt::format("; {} set aside{}", plural(counts.attempts_set_aside, "earlier attempt"),
                                             cost_text(counts.attempts_set_aside_cost))));
  put("Memory", fmt::format("{} in {}, of them {}; {} unconsumed", plural(counts.deliveries, "delivery"),
                            plural(counts.episodes_with_delivery, "episode"),
                            plural(counts.restatements, "restatement"), counts.unconsumed));
  put("Spans", fmt::format("{}: {} judged, {} automatic, {} empty, {} unresolved, {} not judged", counts.spans(),
                           counts.profiled_spans, counts.automatic_spans, counts.empty_spans, counts.unresolved_spans,
                           counts.not_judged_spans));
  put("Judge", options.judge.empty() ? "—" : safe(options.judge));
  TableStyle style;
  style.width = options.width;
  style.bold = options.colour;
  return out + "\n" + to_text(episode_list(records), style);
}

nlohmann::ordered_json show_run_json(std::span<const EpisodeSpansRecord> records, const ShowOptions& options) {
  Json json;
  json["configuration"] = records.empty() ? Json(nullptr) : Json(records.front().episode.configuration);
  json["run"] = records.empty() ? Json(nullptr) : Json(records.front().episode.run);
  json["judge"] = or_null(options.judge);
  json["episodes"] = Json::array();
  for (const EpisodeSpansRecord& record : records) {
    Json row = export_rows(ExportKind::episodes, record, options.judge).front();
    row["verdicts"] = Json::array();
    for (const SpanRecord& span : record.spans) {
      const auto verdict = rules::verdict_of(span);
      Json one;
      one["span"] = span_label(span.number);
      one["status"] = name(span.status);
      one["verdict"] = verdict ? Json(name(*verdict)) : Json(nullptr);
      row["verdicts"].push_back(std::move(one));
    }
    json["episodes"].push_back(std::move(row));
  }
  return json;
}

}  // namespace memuse::report
