#include <fmt/format.h>

#include "store/damage.h"
#include "store/episode_reader.h"
#include "store/json_text.h"
#include "store/operation_reader.h"
#include "store/reader.h"

namespace memuse::store {
namespace {

using Json = nlohmann::json;

template <typename Value>
std::optional<Value> optional_field(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : std::optional(found->get<Value>());
}

ProbeRecord probe_of(const Json& json) {
  ProbeRecord probe;
  probe.dependent = optional_field<bool>(json, "dependent");
  probe.pre_satisfied = optional_field<bool>(json, "pre_satisfied");
  probe.memory_had_fact = optional_field<bool>(json, "memory_had_fact");
  probe.memory_utilized = optional_field<bool>(json, "memory_utilized");
  probe.memory_utilized_recomputed = optional_field<bool>(json, "memory_utilized_recomputed");
  probe.gold = json.at("gold").get<std::vector<std::string>>();
  probe.stale = json.at("stale").get<std::vector<std::string>>();
  if (const auto corruption = json.find("corruption"); corruption != json.end()) {
    probe.corruption_mode = corruption->at("mode").get<std::string>();
    probe.corruption_rate = optional_field<double>(*corruption, "rate");
  }
  return probe;
}

/// The packed form is described in docs/database.md, table `transcript`.
MessagePlace message_of(const Json& json) {
  MessagePlace place;
  place.id = json.at(0).get<std::string>();
  place.role = json.at(1).get<std::string>();
  place.origin = json.at(2).get<std::string>();
  place.transient = json.at(3).get<int>() != 0;
  place.of_step = json.at(4).get<std::uint32_t>();
  place.line_order = json.at(5).get<std::uint32_t>();
  place.first_step = json.at(6).get<std::uint32_t>();
  if (!json.at(7).is_null()) place.end_step = json.at(7).get<std::uint32_t>();
  for (const Json& version : json.at(8)) {
    place.versions.push_back({version.at(0).get<std::uint32_t>(), version.at(1).get<std::uint32_t>(),
                              version.at(2).get<std::uint64_t>(), version.at(3).get<std::string>()});
  }
  return place;
}

std::vector<SearchRecord> searches_of(const Connection& connection, std::int64_t episode_id) {
  Statement rows(connection,
                 "SELECT search, query, returned, matched, completed, line_order, step FROM search"
                 " WHERE episode_id = ? ORDER BY number");
  rows.bind(episode_id);
  std::vector<SearchRecord> found;
  while (rows.step()) {
    SearchRecord search;
    search.search = rows.text(0);
    search.query = rows.text(1);
    for (const Json& hit : parse_column(rows.text(2))) {
      search.returned.push_back({hit.at("item").get<std::string>(), optional_field<std::string>(hit, "version"),
                                 optional_field<double>(hit, "score")});
    }
    search.matched = rows.optional_count(3);
    search.completed = rows.boolean(4);
    search.line_order = rows.number(5);
    search.step = rows.number(6);
    found.push_back(std::move(search));
  }
  return found;
}

std::vector<OperationRecord> operations_of(const Connection& connection, std::int64_t episode_id) {
  Statement rows(connection, fmt::format("SELECT {} FROM {} WHERE o.episode_id = ? ORDER BY o.number",
                                         kOperationColumns, kOperationTables));
  rows.bind(episode_id);
  std::vector<OperationRecord> found;
  while (rows.step()) found.push_back(operation_record(rows, 0));
  return found;
}

/// Runs `read`; JSON of another shape than memuse writes is damage.
template <typename Read>
auto without_damage(Read read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw damaged(error.what());
  }
}

EpisodeDetails details_of(const Connection& connection, const Statement& row) {
  EpisodeDetails details;
  const Json tags = parse_column(row.text(1));
  for (const auto& [key, value] : tags.items()) details.tags.emplace_back(key, value.get<std::string>());
  if (!row.is_null(2)) details.probe = probe_of(parse_column(row.text(2)));
  details.reference_kind = row.optional_text(3);
  details.end_reason = row.optional_text(4);
  details.first_time_us = row.optional_integer(5);
  details.last_time_us = row.optional_integer(6);
  details.trace_resolved = row.optional_boolean(7);
  details.trace_reward = row.optional_real(8);
  details.trace_outcome_source = row.text(9);
  for (const Json& message : parse_column(row.text(10))) details.messages.push_back(message_of(message));
  details.operations = operations_of(connection, row.integer(0));
  details.searches = searches_of(connection, row.integer(0));
  return details;
}

}  // namespace

std::optional<ProbeRecord> episode_probe(const Database& database, std::string_view uid) {
  Statement row(database.connection(), "SELECT probe FROM episode WHERE uid = ? AND probe IS NOT NULL");
  if (!row.bind(uid).step()) return std::nullopt;
  return without_damage([&] { return probe_of(parse_column(row.text(0))); });
}

std::optional<EpisodeDetails> episode_details(const Database& database, std::string_view uid) {
  const Connection& connection = database.connection();
  const ReadSnapshot snapshot(database);
  Statement row(connection,
                "SELECT e.id, e.tags, e.probe, e.reference_kind, e.end_reason, e.first_time_us, e.last_time_us,"
                " e.trace_resolved, e.trace_reward, e.trace_outcome_source, t.messages"
                " FROM episode AS e JOIN transcript AS t ON t.episode_id = e.id WHERE e.uid = ?");
  if (!row.bind(uid).step()) return std::nullopt;
  return without_damage([&] { return details_of(connection, row); });
}

}  // namespace memuse::store
