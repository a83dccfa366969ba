#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/text.h"
#include "report/exports.h"
#include "report/show.h"
#include "report/show_common.h"
#include "report/table.h"
#include "report/text_layout.h"
#include "rules/profile.h"

// The view of one episode: its outcome, what happened at every step, and its spans.

namespace memuse::report {
namespace {

constexpr std::size_t kItemsShown = 3;
constexpr std::size_t kTableGap = 2;
constexpr std::size_t kLeastActionWidth = 16;

/// An entry whose influence shows at some step.
struct AnchoredEntry {
  std::uint32_t span = 0;
  const EntryRecord* entry = nullptr;
};

/// What the record says of one step.
struct StepFacts {
  std::vector<std::pair<std::uint32_t, const DeliveryRecord*>> deliveries;  ///< with the span number, 0 for unconsumed
  std::vector<std::uint32_t> open;                                          ///< spans with an open credit window
  std::vector<AnchoredEntry> anchored;
};

/// Facts by step, 1-based; index 0 stays empty.
std::vector<StepFacts> facts_by_step(const EpisodeSpansRecord& record, std::uint32_t steps) {
  std::vector<StepFacts> facts(std::size_t{steps} + 1);
  const auto at = [&facts](std::uint32_t step) { return step < facts.size() ? &facts[step] : nullptr; };
  for (const SpanRecord& span : record.spans) {
    for (const DeliveryRecord& delivery : span.deliveries) {
      if (StepFacts* here = at(delivery.step)) here->deliveries.emplace_back(span.number, &delivery);
    }
    std::vector<char> open(facts.size(), 0);
    for (const EntryRecord& entry : span.entries) {
      if (entry.window) {
        const std::size_t end = std::min<std::size_t>(std::size_t{entry.window->last} + 1, open.size());
        for (std::size_t step = entry.window->first; step < end; ++step) open[step] = 1;
      }
      if (!entry.answer) continue;
      for (const std::uint32_t anchor : entry.answer->anchors) {
        if (StepFacts* here = at(anchor)) here->anchored.push_back({span.number, &entry});
      }
    }
    for (std::size_t step = 1; step < facts.size(); ++step) {
      if (open[step] != 0) facts[step].open.push_back(span.number);
    }
  }
  for (const DeliveryRecord& delivery : record.unconsumed) {
    if (StepFacts* here = at(delivery.step); here != nullptr && delivery.step > 0) {
      here->deliveries.emplace_back(0, &delivery);
    }
  }
  return facts;
}

std::string delivery_text(std::uint32_t span, const DeliveryRecord& delivery) {
  if (span == 0) return fmt::format("{} unconsumed", safe(delivery.delivery));
  return fmt::format("{} {}{}", span_label(span), safe(delivery.form), delivery.restatement ? " again" : "");
}

/// "S1–S3 S7".
std::string ranges(const std::vector<std::uint32_t>& spans) {
  std::string out;
  for (std::size_t i = 0; i < spans.size();) {
    std::size_t end = i;
    while (end + 1 < spans.size() && spans[end + 1] == spans[end] + 1) ++end;
    out += fmt::format("{}S{}", out.empty() ? "" : " ", spans[i]);
    if (end > i) out += fmt::format("{}S{}", end == i + 1 ? " " : "–", spans[end]);
    i = end + 1;
  }
  return out;
}

std::string actions_text(const Episode& episode, std::uint32_t step) {
  if (step > episode.step_count()) return {};
  const Step& one = episode.steps[step - 1];
  if (one.actions.empty()) return fmt::format("“{}”", shortened(one.response, 120));
  std::string out = action_summary(one.actions.front());
  if (one.actions.size() > 1) out = fmt::format("({} actions) {}", one.actions.size(), out);
  return out;
}

/// The timeline without the actions.
Table timeline_of_memory(const EpisodeSpansRecord& record) {
  Table table;
  table.columns = {{"step", "Step", Align::right, 6},
                   {"delivered", "Delivered", Align::left, 20},
                   {"open", "Credit open", Align::left, 12},
                   {"used", "Memory used", Align::left, 26}};
  const std::uint32_t steps = record.episode.steps;
  const auto facts = facts_by_step(record, steps);
  for (std::uint32_t step = 1; step <= steps; ++step) {
    std::string delivered;
    for (const auto& [span, delivery] : facts[step].deliveries) {
      delivered += (delivered.empty() ? "" : ", ") + delivery_text(span, *delivery);
    }
    std::string used;
    for (const AnchoredEntry& one : facts[step].anchored) {
      used += fmt::format("{}{} {}", used.empty() ? "" : ", ", entry_label(one.span, one.entry->entry),
                          use_text(one.entry->answer->labels));
    }
    const std::string number = fmt::format("{}", step);
    table.rows.push_back(
        {number,
         "",
         {Cell::text(number), Cell::text(delivered), Cell::text(ranges(facts[step].open)), Cell::text(used)}});
  }
  return table;
}

/// Puts the actions beside the steps, in the columns of the terminal that the others leave.
void add_actions(const Episode& episode, std::size_t width, Table& table) {
  std::size_t taken = 0;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    std::size_t widest = table.columns[column].name.size();
    for (const Row& row : table.rows) widest = std::max(widest, display_width(safe(row.cells[column].content)));
    taken += std::min(widest, std::max(table.columns[column].max_width, table.columns[column].name.size())) + kTableGap;
  }
  const std::size_t room = std::max(kLeastActionWidth, width > taken ? width - taken : 0);
  table.columns.insert(table.columns.begin() + 1, {"action", "Action", Align::left, room});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string text = actions_text(episode, static_cast<std::uint32_t>(i + 1));
    table.rows[i].cells.insert(table.rows[i].cells.begin() + 1, Cell::text(fit(safe(text), room)));
  }
}

std::string items_text(const SpanRecord& span) {
  std::string out;
  for (std::size_t i = 0; i < span.entries.size(); ++i) {
    if (i == kItemsShown) return out + fmt::format(" +{}", span.entries.size() - i);
    out +=
        fmt::format("{}{}", i == 0 ? "" : ", ", span.entries[i].item ? *span.entries[i].item : std::string("(no id)"));
  }
  return out;
}

Table span_list(const EpisodeSpansRecord& record) {
  Table table;
  table.columns = {{"span", "Span", Align::left},
                   {"verdict", "Verdict", Align::left},
                   {"status", "Status", Align::left},
                   {"steps", "Visible", Align::left},
                   {"deliveries", "Deliveries"},
                   {"form", "Form", Align::left, 18},
                   {"entries", "Entries"},
                   {"items", "Items", Align::left, 30}};
  for (const SpanRecord& span : record.spans) {
    const auto verdict = rules::verdict_of(span);
    std::string status(name(span.status));
    std::replace(status.begin(), status.end(), '_', ' ');
    Row row{span_label(span.number), "", {Cell::text(span_label(span.number))}};
    row.cells.push_back(verdict ? Cell::text(std::string(name(*verdict))) : Cell::missing());
    row.cells.push_back(Cell::text(status));
    row.cells.push_back(Cell::text(span.first_step == span.last_step
                                       ? fmt::format("{}", span.first_step)
                                       : fmt::format("{}–{}", span.first_step, span.last_step)));
    row.cells.push_back(Cell::count(span.deliveries.size()));
    row.cells.push_back(Cell::text(span.deliveries.empty() ? "" : span.deliveries.front().form));
    row.cells.push_back(Cell::count(span.entries.size()));
    row.cells.push_back(Cell::text(items_text(span)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string calls_text(const CallTotals& calls) {
  std::string out = plural(calls.calls, "call");
  if (calls.calls_without_tokens < calls.calls) {
    out += fmt::format(", {} input tokens ({} cached), {} output tokens", calls.input_tokens, calls.cached_input_tokens,
                       calls.output_tokens);
  }
  if (calls.calls_without_cost < calls.calls) out += fmt::format(", {:.4f} US dollars", calls.cost_usd);
  return out;
}

/// MERIT's flag: do the arguments of actions hold what memory was to supply?
std::string utilized_text(const EpisodeRecord& one) {
  const auto word = [](bool flag) { return flag ? "yes" : "no"; };
  if (!one.memory_utilized_recomputed) return fmt::format("{} (recorded)", word(*one.memory_utilized));
  if (!one.memory_utilized)
    return fmt::format("{} (from gold values and actions)", word(*one.memory_utilized_recomputed));
  if (one.memory_utilized == one.memory_utilized_recomputed) {
    return fmt::format("{} (recorded, and so from gold values and actions)", word(*one.memory_utilized));
  }
  return fmt::format("{} (recorded), but {} from gold values and actions", word(*one.memory_utilized),
                     word(*one.memory_utilized_recomputed));
}

std::string header(const Episode* episode, const EpisodeSpansRecord& record, const ShowOptions& options) {
  const EpisodeRecord& one = record.episode;
  const Paint paint(options.colour);
  std::string out = paint.bold(fmt::format("Episode {}", safe(one.episode))) + "\n";
  out += hanging("", place_text(one), options.width) + rule(options.width);
  const auto put = [&](std::string_view label, const std::string& text) { out += field(label, text, options.width); };
  put("Outcome", outcome_text(one));
  if (one.memory_utilized || one.memory_utilized_recomputed) put("Utilised", utilized_text(one));
  if (!one.retained) put("Attempt", "set aside: a later attempt at this task was retained");
  put("Model", one.model.empty() ? "—" : safe(one.model));
  put("Record", fmt::format("{}; visible input {}, deliveries {}", plural(one.steps, "step"), safe(one.visibility),
                            safe(one.delivery_grade)));
  put("Memory", deliveries_text(record));
  put("Spans", fmt::format("{}: {}", record.spans.size(), verdicts_text(record.spans)));
  put("Agent", calls_text(one.agent));
  if (one.side.calls > 0) put("Side calls", calls_text(one.side));
  if (!one.source_path.empty()) {
    put("Source", fmt::format("{}, line {} ({} {})", safe(one.source_path), one.source_line, safe(one.source_format),
                              safe(one.source_format_version)));
  }
  if (episode == nullptr) {
    put("Note", "the source could not be read; actions and the task are not shown");
  } else if (!episode->task_text.empty()) {
    put("Task", printable(shortened(episode->task_text, 600), true));
  }
  return out;
}

}  // namespace

std::string show_episode(const Episode* episode, const EpisodeSpansRecord& record, const ShowOptions& options) {
  TableStyle style;
  style.width = options.width;
  style.bold = options.colour;
  std::string out = header(episode, record, options);
  Table steps = timeline_of_memory(record);
  if (episode != nullptr) add_actions(*episode, options.width, steps);
  if (!steps.rows.empty()) out += "\n" + to_text(steps, style);
  const Table spans = span_list(record);
  if (!spans.rows.empty()) out += "\n" + to_text(spans, style);
  return out;
}

nlohmann::ordered_json show_episode_json(const Episode* episode, const EpisodeSpansRecord& record,
                                         const ShowOptions& options) {
  Json json;
  json["episode"] = export_rows(ExportKind::episodes, record, options.judge).front();
  json["source_available"] = episode != nullptr;
  json["task"] = episode != nullptr ? Json(episode->task_text) : Json(nullptr);
  json["spans"] = export_rows(ExportKind::spans, record, options.judge);
  json["deliveries"] = export_rows(ExportKind::deliveries, record, options.judge);
  json["steps"] = Json::array();
  const auto facts = facts_by_step(record, record.episode.steps);
  for (std::uint32_t step = 1; step <= record.episode.steps; ++step) {
    Json one;
    one["step"] = step;
    one["actions"] = Json::array();
    if (episode != nullptr && step <= episode->step_count()) {
      for (const Action& action : episode->steps[step - 1].actions) one["actions"].push_back(action_summary(action));
    }
    one["open"] = Json::array();
    for (const std::uint32_t span : facts[step].open) one["open"].push_back(span_label(span));
    one["used"] = Json::array();
    for (const AnchoredEntry& used : facts[step].anchored) {
      Json entry;
      entry["span"] = span_label(used.span);
      entry["entry"] = used.entry->entry;
      entry["item"] = or_null(used.entry->item);
      entry["labels"] = labels_json(*used.entry->answer, options.judge);
      one["used"].push_back(std::move(entry));
    }
    json["steps"].push_back(std::move(one));
  }
  return json;
}

}  // namespace memuse::report
