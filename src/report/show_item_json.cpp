#include <nlohmann/json.hpp>

#include "report/exports.h"
#include "report/show.h"
#include "report/show_common.h"

// schemas/item-lineage-1.schema.json describes it.

namespace memuse::report {
namespace {

using graph::ItemLineage;

Json episode_json(const graph::EpisodeNode& episode) {
  Json json;
  json["episode"] = episode.episode;
  json["uid"] = episode.uid;
  json["task"] = episode.task_id;
  json["position"] = or_null(episode.position);
  json["repository"] = or_null(episode.repo);
  json["resolved"] = or_null(episode.resolved);
  return json;
}

Json change_json(const ItemLineage& lineage, const graph::Change& change) {
  Json json = episode_json(lineage.episode_of(change));
  json["op"] = name(change.op);
  json["version"] = or_null(change.version);
  json["operation"] = or_null(change.operation);
  json["after_step"] = change.after_step;
  json["source_steps"] = change.steps;
  json["from"] = change.from;
  return json;
}

Json version_json(const ItemLineage& lineage, const graph::ItemVersion& version) {
  Json json;
  json["item"] = version.item;
  json["kin"] = name(version.kin);
  json["version"] = or_null(version.version);
  json["text"] = or_null(version.text);
  json["made_by"] = version.maker ? change_json(lineage, lineage.changes[*version.maker]) : Json(nullptr);
  json["parents"] = Json::array();
  for (const graph::Parent& parent : version.parents) {
    Json one;
    one["version"] = parent.version;
    one["item"] = parent.index ? Json(lineage.versions[*parent.index].item) : Json(nullptr);
    one["index"] = or_null(parent.index);
    json["parents"].push_back(std::move(one));
  }
  json["replaced_by"] = or_null(version.replaced_by);
  return json;
}

Json origin_json(const ItemLineage& lineage, const graph::Showing& showing) {
  Json json;
  json["kind"] = name(showing.origin.kind);
  json["identity"] = name(showing.origin.identity);
  json["by_version"] = showing.origin.by_version;
  if (!showing.origin.change) {
    json["made_by"] = nullptr;
    json["gap"] = nullptr;
    return json;
  }
  const graph::Change& change = lineage.changes[*showing.origin.change];
  json["made_by"] = change_json(lineage, change);
  json["gap"] = or_null(graph::position_gap(lineage.episode_of(change), lineage.episode_of(showing)));
  return json;
}

Json showing_json(const ItemLineage& lineage, const graph::Showing& showing, const ShowOptions& options) {
  const graph::Exposure& exposure = showing.exposure;
  Json json = episode_json(lineage.episode_of(showing));
  json["span"] = span_label(exposure.span);
  json["entry"] = exposure.entry;
  json["version"] = or_null(exposure.version);
  json["version_index"] = showing.version;
  json["route"] = exposure.route;
  json["form"] = exposure.form;
  json["search"] = or_null(exposure.search);
  json["deliveries"] = exposure.placements.size();
  json["delivered_at"] = Json::array();
  for (const graph::Placement& placement : exposure.placements) json["delivered_at"].push_back(placement.step);
  json["window"] = exposure.window ? Json{exposure.window->first, exposure.window->last} : Json(nullptr);
  json["status"] = name(exposure.status);
  json["verdict"] = exposure.verdict ? Json(name(*exposure.verdict)) : Json(nullptr);
  json["labels"] = exposure.answer ? labels_json(*exposure.answer, options.judge) : Json(nullptr);
  json["origin"] = origin_json(lineage, showing);
  return json;
}

}  // namespace

nlohmann::ordered_json show_item_json(const ItemLineage& lineage, const ShowOptions& options) {
  Json json;
  json["schema"] = "memuse-item-lineage/1";
  json["configuration"] = lineage.configuration;
  json["run"] = lineage.run;
  json["store"] = lineage.store;
  json["item"] = lineage.item;
  json["judge"] = or_null(options.judge);
  json["versions"] = Json::array();
  for (const graph::ItemVersion& version : lineage.versions) json["versions"].push_back(version_json(lineage, version));
  json["operations"] = Json::array();
  for (const graph::Change& change : lineage.changes) {
    if (change.item == lineage.item) json["operations"].push_back(change_json(lineage, change));
  }
  json["exposures"] = Json::array();
  for (const graph::Showing& showing : lineage.showings) {
    json["exposures"].push_back(showing_json(lineage, showing, options));
  }
  json["returned_by"] = Json::array();
  for (const graph::Return& returned : lineage.returns) {
    Json one = episode_json(lineage.episodes[returned.episode]);
    one["search"] = returned.search;
    one["step"] = returned.step == 0 ? Json(nullptr) : Json(returned.step);
    one["rank"] = returned.rank;
    one["version"] = or_null(returned.version);
    one["score"] = or_null(returned.score);
    json["returned_by"].push_back(std::move(one));
  }
  return json;
}

}  // namespace memuse::report
