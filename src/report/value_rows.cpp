#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "report/exports.h"
#include "report/sighting_text.h"
#include "report/value_tables.h"

// One row per gold value of an episode, and one per probe of an episode.

namespace memuse::report {
namespace {

using value_tracing::EpisodeTrace;
using value_tracing::GoldTrace;
using value_tracing::ProbedValue;
using value_tracing::ValueSighting;

void put_place(const EpisodePlace& place, Json& row) {
  row["configuration"] = place.configuration;
  row["run"] = place.run;
  row["episode"] = place.episode;
  row["task_id"] = place.task_id;
  row["position"] = or_null(place.position);
  row["model"] = or_null(place.setting.model);
  row["domain"] = or_null(place.setting.domain);
  row["tier"] = or_null(place.setting.tier);
  row["condition"] = place.setting.condition;
  row["corruption"] = or_null(place.setting.corruption);
  row["resolved"] = or_null(place.resolved);
}

Json leaks_json(const GoldTrace& gold) {
  Json leaks = Json::array();
  for (const value_tracing::Leak& leak : gold.leaks) {
    Json one = sighting_json(leak.sighting);
    one["before_use"] = leak.before_use;
    leaks.push_back(std::move(one));
  }
  return leaks;
}

Json stale_json(const EpisodeTrace& trace, const GoldTrace& gold) {
  Json all = Json::array();
  for (const std::size_t index : gold.stale_beside) {
    const value_tracing::StaleTrace& stale = trace.stale[index];
    all.push_back({{"value", stale.value},
                   {"origin", value_tracing::name(stale.origin)},
                   {"held_at", sighting_json(stale.held)},
                   {"carried_at", sighting_json(stale.carried)}});
  }
  return all;
}

Json held_json(value_tracing::Held held) {
  return held == value_tracing::Held::unknown ? Json(nullptr) : Json(value_tracing::name(held));
}

Json rule_json(value_tracing::FlagRule rule) {
  return rule == value_tracing::FlagRule::none ? Json(nullptr) : Json(value_tracing::name(rule));
}

Json value_row(const EpisodePlace& place, const EpisodeTrace& trace, std::size_t index) {
  const GoldTrace& gold = trace.gold[index];
  const bool traced = gold.carried != value_tracing::Carried::not_observable;
  Json row;
  put_place(place, row);
  row["value_index"] = index;
  row["values"] = trace.gold.size();
  row["value"] = gold.value;
  row["telling"] = gold.telling;
  row["held"] = held_json(gold.held);
  put_sighting(row, "held", gold.held_at);
  row["stale_beside"] = gold.held == value_tracing::Held::unknown ? Json(nullptr) : Json(!gold.stale_beside.empty());
  row["carried"] = value_tracing::name(gold.carried);
  put_sighting(row, "carried", gold.carried_at);
  row["stale_carried"] = gold.stale_carried ? Json(trace.stale[*gold.stale_carried].value) : Json(nullptr);
  put_sighting(row, "said", gold.said_at);
  row["before_memory"] = traced ? Json(gold.before_memory) : Json(nullptr);
  row["leaked_before_use"] = traced ? Json(gold.leaked_before_use()) : Json(nullptr);
  row["pre_satisfied"] = trace.pre_satisfied;
  row["episode_use"] = value_tracing::name(trace.use);
  row["used_values"] = traced ? Json(trace.used) : Json(nullptr);
  row["merit_utilized"] = or_null(trace.recorded_flag);
  row["merit_utilized_recomputed"] = or_null(trace.recomputed_flag);
  row["traced_utilized"] = or_null(trace.traced_flag);
  row["merit_value_held"] = or_null(gold.merit_held);
  row["merit_value_used"] = or_null(gold.merit_used);
  row["held_difference"] = rule_json(gold.held_rule);
  row["used_difference"] = rule_json(gold.used_rule);
  row["held_at"] = sighting_json(gold.held_at);
  row["carried_at"] = sighting_json(gold.carried_at);
  row["stale"] = stale_json(trace, gold);
  row["leaks"] = leaks_json(gold);
  row["file"] = place.file;
  row["line"] = place.line;
  return row;
}

Json probed_json(const std::vector<ProbedValue>& values) {
  Json all = Json::array();
  for (const ProbedValue& value : values) {
    all.push_back({{"value", value.value},
                   {"telling", value.telling},
                   {"used", value.used},
                   {"uncertain", value.uncertain},
                   {"first_used", sighting_json(value.first_used)},
                   {"last_used", sighting_json(value.last_used)},
                   {"said", sighting_json(value.said)},
                   {"held", sighting_json(value.held)}});
  }
  return all;
}

/// The first use of any of the values.
std::optional<ValueSighting> first_use(const std::vector<ProbedValue>& values) {
  std::optional<ValueSighting> first;
  for (const ProbedValue& value : values) {
    const bool earlier = value.first_used && (!first || std::tuple(value.first_used->step, value.first_used->action) <
                                                            std::tuple(first->step, first->action));
    if (earlier) first = value.first_used;
  }
  return first;
}

Json count_used(const std::vector<ProbedValue>& values) {
  return std::count_if(values.begin(), values.end(), [](const ProbedValue& value) { return value.used; });
}

std::vector<std::string> row_keys(const Json& row) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : row.items()) keys.push_back(key);
  return keys;
}

}  // namespace

EpisodePlace episode_place(const Episode& episode) {
  EpisodePlace place;
  place.configuration = std::string(episode.configuration);
  place.run = std::string(episode.run);
  place.episode = std::string(episode.id);
  place.task_id = std::string(episode.task_id);
  place.position = episode.position;
  place.setting = value_tracing::setting_of(episode);
  if (episode.outcome) place.resolved = episode.outcome->resolved;
  place.file = episode.source.path;
  place.line = episode.source.line;
  return place;
}

bool row_before(const EpisodePlace& a, const EpisodePlace& b) {
  const auto key = [](const EpisodePlace& place) {
    return std::tuple(std::string_view(place.configuration), std::string_view(place.run), !place.position.has_value(),
                      place.position.value_or(0), std::string_view(place.episode), std::string_view(place.file),
                      place.line);
  };
  return key(a) < key(b);
}

std::vector<Json> value_rows(const EpisodePlace& place, const EpisodeTrace& trace) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < trace.gold.size(); ++i) rows.push_back(value_row(place, trace, i));
  return rows;
}

const std::vector<std::string>& value_row_columns() {
  static const std::vector<std::string> columns = [] {
    EpisodeTrace trace;
    trace.gold.emplace_back();
    return row_keys(value_row({}, trace, 0));
  }();
  return columns;
}

Json memory_probe_row(const MemoryProbeReport::Row& one) {
  const value_tracing::ScoredProbe& scored = one.scored;
  const bool observable = scored.result != value_tracing::ProbeResult::not_observable;
  Json row;
  put_place(one.place, row);
  row["probe"] = value_tracing::name(one.probe.kind);
  row["probe_line"] = one.probe.line;
  row["result"] = value_tracing::name(scored.result);
  row["reason"] = or_null(scored.reason);
  row["expected"] = one.probe.expect.size();
  row["expected_used"] = observable ? count_used(scored.expect) : Json(nullptr);
  row["forbidden"] = one.probe.forbid.size();
  row["forbidden_used"] = observable ? count_used(scored.forbid) : Json(nullptr);
  row["memory_held_forbidden"] = observable ? Json(scored.memory_held_forbidden()) : Json(nullptr);
  put_sighting(row, "expected_first_used", first_use(scored.expect));
  put_sighting(row, "forbidden_first_used", first_use(scored.forbid));
  put_sighting(row, "evidence", scored.evidence);
  row["ended_well"] = or_null(scored.ended_well);
  row["expect"] = probed_json(scored.expect);
  row["forbid"] = probed_json(scored.forbid);
  row["file"] = one.place.file;
  row["line"] = one.place.line;
  return row;
}

const std::vector<std::string>& memory_probe_row_columns() {
  static const std::vector<std::string> columns = row_keys(memory_probe_row({}));
  return columns;
}

}  // namespace memuse::report
