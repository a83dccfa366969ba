#include <fmt/format.h>

#include "report/setting_rows.h"
#include "report/show_common.h"
#include "report/text_layout.h"
#include "report/value_tables.h"
#include "stats/binomial_intervals.h"

namespace memuse::report {
namespace {

using value_tracing::ProbeCounts;
using value_tracing::ProbeResult;
using value_tracing::Setting;
using Json = nlohmann::ordered_json;

std::uint64_t count_of(const ProbeCounts& counts, ProbeResult result) {
  return counts.results[static_cast<std::size_t>(result)];
}

Cell share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return Cell::missing();
  Cell cell = Cell::percent(static_cast<double>(part) / static_cast<double>(whole), 1);
  if (const auto interval = stats::wilson_interval(part, whole))
    cell.interval = std::pair(interval->low, interval->high);
  return cell;
}

Cell plain_share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return Cell::missing();
  return Cell::percent(static_cast<double>(part) / static_cast<double>(whole), 1);
}

Json share_json(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return nullptr;
  Json json{{"count", part}, {"of", whole}, {"share", static_cast<double>(part) / static_cast<double>(whole)}};
  const auto interval = stats::wilson_interval(part, whole);
  json["low"] = interval ? Json(interval->low) : Json(nullptr);
  json["high"] = interval ? Json(interval->high) : Json(nullptr);
  return json;
}

std::vector<Cell> cells_of(const ProbeCounts& counts) {
  const std::uint64_t n = counts.observable();
  return {Cell::count(counts.probes),
          Cell::count(n),
          share(count_of(counts, ProbeResult::followed), n),
          share(count_of(counts, ProbeResult::stale_used), n),
          Cell::count(count_of(counts, ProbeResult::mixed)),
          Cell::count(count_of(counts, ProbeResult::partly_followed)),
          Cell::count(count_of(counts, ProbeResult::nothing_used)),
          Cell::count(counts.forbidden_held),
          plain_share(counts.forbidden_held_used, counts.forbidden_held),
          plain_share(counts.resolved, counts.with_outcome)};
}

std::string caption(const MemoryProbeReport& report) {
  std::string text =
      "Probes of the file on every episode they speak of. n: observable ones; the others have no recorded step, were "
      "never shown the evidence, or hold a value too common to tell. Followed: actions carry every expected value (or "
      "act, where none is expected) and no forbidden one; stale used: a forbidden one and no expected one; mixed: "
      "both; "
      "partly: some expected ones. Shares are of n, with 95 % Wilson intervals that take probes as independent. Held: "
      "delivered memory held a forbidden value; then used %: of these. Resolved %: of the observable with an outcome.";
  text +=
      fmt::format(" {} episodes read, {} declared", with_separators(report.episodes), plural(report.declared, "probe"));
  if (report.unmatched > 0) text += fmt::format(", {} of them fit no episode", report.unmatched);
  return text + ".";
}

}  // namespace

Table memory_probe_table(const MemoryProbeReport& report, bool flat) {
  std::vector<Setting> settings;
  for (const auto& [key, counts] : report.tally) settings.push_back(key.first);
  const SettingLayout layout(settings, flat);
  Table table;
  table.name = "memory-probes";
  table.title = "Memory probes";
  table.columns = layout.columns();
  table.columns.push_back({"probe", "Probe", Align::left});
  table.label_columns = table.columns.size();
  for (const auto& [key, name] :
       {std::pair("probes", "Probes"), std::pair("n", "n"), std::pair("followed", "Followed %"),
        std::pair("stale_used", "Stale used %"), std::pair("mixed", "Mixed"), std::pair("partly_followed", "Partly"),
        std::pair("nothing_used", "Nothing"), std::pair("forbidden_held", "Held"),
        std::pair("forbidden_held_used", "then used %"), std::pair("resolved", "Resolved %")}) {
    table.columns.push_back({key, name});
  }
  for (const auto& [key, counts] : report.tally) {
    const std::string name(value_tracing::name(key.second));
    Row row{fmt::format("{}/{}", layout.key(key.first), name), layout.group(key.first), layout.labels(key.first)};
    row.cells.push_back(Cell::text(name));
    for (Cell& cell : cells_of(counts)) row.cells.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  table.caption = caption(report) + layout.sentence();
  return table;
}

Json memory_probes_json(const MemoryProbeReport& report) {
  Json json{{"episodes", report.episodes},
            {"declared", report.declared},
            {"unmatched", report.unmatched},
            {"interval", {{"method", "wilson"}, {"confidence", 0.95}}},
            {"rows", Json::array()}};
  for (const auto& [key, counts] : report.tally) {
    const auto& [setting, kind] = key;
    const auto or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
    const std::uint64_t n = counts.observable();
    Json row{{"probe", value_tracing::name(kind)},
             {"model", or_null(setting.model)},
             {"domain", or_null(setting.domain)},
             {"tier", or_null(setting.tier)},
             {"condition", setting.condition},
             {"corruption", or_null(setting.corruption)},
             {"probes", counts.probes},
             {"observable", n}};
    for (std::size_t r = 0; r < value_tracing::kProbeResults; ++r) {
      const auto result = static_cast<ProbeResult>(r);
      row[std::string(value_tracing::name(result))] =
          result == ProbeResult::not_observable ? Json(counts.results[r]) : share_json(counts.results[r], n);
    }
    row["forbidden_held"] = counts.forbidden_held;
    row["forbidden_held_used"] = share_json(counts.forbidden_held_used, counts.forbidden_held);
    row["forbidden_said_only"] = counts.said_only;
    row["mixed_ended_well"] = counts.ended_well;
    row["resolved"] = share_json(counts.resolved, counts.with_outcome);
    json["rows"].push_back(std::move(row));
  }
  return json;
}

}  // namespace memuse::report
