#include <fmt/format.h>

#include "report/exports.h"
#include "report/show.h"
#include "report/show_common.h"
#include "report/span_facts.h"
#include "rules/profile.h"
#include "rules/verdict.h"

// The view of one span as JSON: the span's export row with the texts, the actions and the reasons beside it.

namespace memuse::report {
namespace {

Json place_json(const EntryPlace& place) {
  Json json;
  json["span"] = span_label(place.span);
  json["entry"] = place.entry;
  json["step"] = place.step;
  json["still_visible"] = place.still_visible;
  return json;
}

Json sighting_json(const Episode& episode, const Sighting& sighting) {
  Json json;
  json["step"] = sighting.step;
  const Step& step = episode.steps[sighting.step - 1];
  json["action"] = sighting.action ? Json(step.actions[*sighting.action].name) : Json(nullptr);
  json["place"] = sighting.place;
  json["before"] = sighting.excerpt.before;
  json["carried"] = sighting.excerpt.marked;
  json["after"] = sighting.excerpt.after;
  return json;
}

Json sightings_json(const Episode* episode, const EntryAnswer& answer) {
  if (episode == nullptr) return nullptr;
  Json list = Json::array();
  for (const Evidence& evidence : answer.evidence) {
    if (const auto sighting = find_evidence(*episode, evidence)) list.push_back(sighting_json(*episode, *sighting));
  }
  return list;
}

Json entry_json(const Episode* episode, const EpisodeSpansRecord& record, const SpanRecord& span,
                const EntryRecord& entry, const ShowOptions& options) {
  Json json;
  json["entry"] = entry.entry;
  json["item"] = or_null(entry.item);
  json["version"] = or_null(entry.version);
  json["text"] = entry.text;
  json["identifiers"] = entry.identifiers;
  json["window"] = entry.window ? Json{entry.window->first, entry.window->last} : Json(nullptr);
  const auto owner = entry.window ? std::nullopt : credit_owner(record, span, entry);
  json["credit_owner"] = owner ? place_json(*owner) : Json(nullptr);
  json["placed_range"] = nullptr;
  if (episode != nullptr) {
    const Delivery* target = target_delivery(*episode, span);
    const auto range = target == nullptr ? std::nullopt : range_in_placed_text(*episode, *target, entry);
    if (range) json["placed_range"] = Json{range->begin, range->end};
  }
  json["labels"] = entry.answer ? labels_json(*entry.answer, options.judge) : Json(nullptr);
  json["reason"] = entry.answer ? Json(entry.answer->reason) : Json(nullptr);
  json["evidence"] = entry.answer ? evidence_json(entry.answer->evidence) : Json(nullptr);
  json["sightings"] = entry.answer ? sightings_json(episode, *entry.answer) : Json(nullptr);
  json["earlier_copies"] = Json::array();
  for (const EntryPlace& place : earlier_copies(record, span, entry))
    json["earlier_copies"].push_back(place_json(place));
  return json;
}

Json strings(const std::vector<std::string_view>& values) {
  Json list = Json::array();
  for (const std::string_view value : values) list.push_back(value);
  return list;
}

Json judging_json(const ShowOptions& options) {
  if (!options.details) return nullptr;
  Json json;
  json["returned_model"] = options.details->returned_model;
  json["refused_answers"] = options.details->refused_answers;
  json["shown"] = Json::parse(options.details->ledger);
  json["calls"] = Json::parse(options.details->calls);
  return json;
}

Json probe_json(const Episode* episode) {
  if (episode == nullptr || !episode->probe) return nullptr;
  const Probe& probe = *episode->probe;
  Json json;
  json["gold"] = strings(probe.gold);
  json["stale"] = strings(probe.stale);
  json["dependent"] = or_null(probe.dependent);
  json["pre_satisfied"] = or_null(probe.pre_satisfied);
  json["corruption"] = probe.corruption ? Json(probe.corruption->mode) : Json(nullptr);
  return json;
}

}  // namespace

nlohmann::ordered_json show_span_json(const Episode* episode, const EpisodeSpansRecord& record, std::uint32_t number,
                                      const ShowOptions& options) {
  const SpanRecord& span = span_of(record, number);
  EpisodeSpansRecord alone;
  alone.episode = record.episode;
  alone.spans.push_back(span);
  Json json;
  json["span"] = export_rows(ExportKind::spans, alone, options.judge).front();
  const auto verdict = rules::verdict_of(span);
  json["rule"] = verdict ? Json(rules::verdict_rule(*verdict)) : Json(nullptr);
  json["resolved"] = or_null(record.episode.resolved);
  json["outcome_source"] = or_null(record.episode.outcome_source);
  json["steps"] = record.episode.steps;
  json["source_available"] = episode != nullptr;
  json["task"] = episode != nullptr ? Json(episode->task_text) : Json(nullptr);
  const Delivery* target = episode != nullptr ? target_delivery(*episode, span) : nullptr;
  json["placed_text"] = target != nullptr ? Json(episode->placed_text(*target)) : Json(nullptr);
  json["probe"] = probe_json(episode);
  json["entries"] = Json::array();
  for (const EntryRecord& entry : span.entries) {
    json["entries"].push_back(entry_json(episode, record, span, entry, options));
  }
  json["judging"] = judging_json(options);
  return json;
}

}  // namespace memuse::report
