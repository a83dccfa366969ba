#include "report/report_index.h"

#include <set>
#include <utility>

#include "report/exports.h"
#include "rules/profile.h"

namespace memuse::report {
namespace {

Json blocks_json(const std::vector<std::optional<std::uint32_t>>& blocks) {
  Json list = Json::array();
  for (const auto& block : blocks) list.push_back(or_null(block));
  return list;
}

/// Spans of an episode by what became of them.
struct SpanCounts {
  std::uint64_t beneficial = 0, harmful = 0, mixed = 0, undetermined = 0, neutral = 0;
  std::uint64_t unresolved = 0, not_judged = 0, empty = 0;
};

void count(const SpanRecord& span, SpanCounts& counts) {
  if (span.status == SpanStatus::unresolved) ++counts.unresolved;
  if (span.status == SpanStatus::not_judged) ++counts.not_judged;
  if (span.status == SpanStatus::empty) ++counts.empty;
  if (!span.verdict) return;
  switch (*span.verdict) {
    case Verdict::mixed:
      ++counts.mixed;
      break;
    case Verdict::beneficial:
      ++counts.beneficial;
      break;
    case Verdict::harmful:
      ++counts.harmful;
      break;
    case Verdict::undetermined:
      ++counts.undetermined;
      break;
    case Verdict::neutral:
      ++counts.neutral;
      break;
  }
}

int rank_of(const SpanCounts& counts, bool has_spans) {
  if (counts.harmful > 0 || counts.mixed > 0) return 0;
  if (counts.beneficial > 0) return 1;
  if (counts.undetermined > 0 || counts.unresolved > 0) return 2;
  return has_spans ? 3 : 4;
}

/// Cost of the agent and of side models; null when a call's cost is not known.
Json cost_json(const EpisodeRecord& episode) {
  const bool unknown = episode.agent.calls_without_cost > 0 || episode.side.calls_without_cost > 0 ||
                       episode.agent.calls + episode.side.calls == 0;
  return unknown ? Json(nullptr) : Json(episode.agent.cost_usd + episode.side.cost_usd);
}

Json tokens_json(const EpisodeRecord& episode) {
  const bool unknown = episode.agent.calls == 0 || episode.agent.calls_without_tokens > 0;
  return unknown ? Json(nullptr) : Json(episode.agent.input_tokens + episode.agent.output_tokens);
}

Json flag_json(const std::optional<bool>& flag) {
  return flag ? Json(*flag ? 1 : 0) : Json(nullptr);
}

}  // namespace

void NamedColumn::add(const std::string& text) {
  const auto [found, is_new] = codes_.emplace(text, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(text);
  rows_.push_back(found->second);
}

Json NamedColumn::json() const {
  return {{"names", names_}, {"rows", rows_}};
}

void ReportIndex::add(const EpisodeSpansRecord& record) {
  const EpisodeRecord& episode = record.episode;
  SpanCounts counts;
  for (const SpanRecord& span : record.spans) {
    count(span, counts);
    if (span.status != SpanStatus::unresolved) continue;
    ++refused_spans_;
    if (refused_.size() < kMostRefused) {
      refused_.push_back(
          {episode.uid, episode.configuration, episode.run, episode.episode, span.unresolved_reason, span.number});
    }
  }
  uids_.push_back(episode.uid);
  ranks_.push_back(rank_of(counts, !record.spans.empty()));
  const std::pair<const char*, const std::string*> names[] = {{"configuration", &episode.configuration},
                                                              {"run", &episode.run},
                                                              {"repo", &episode.repo},
                                                              {"model", &episode.model},
                                                              {"task", &episode.task_id},
                                                              {"episode", &episode.episode},
                                                              {"visibility", &episode.visibility},
                                                              {"delivery_grade", &episode.delivery_grade}};
  for (const auto& [name, text] : names) named_[name].add(*text);
  const rules::Counts sums = rules::counts_of(record);
  const auto put = [this](const char* name, Json value) {
    Json& column = numbers_[name];
    if (column.is_null()) column = Json::array();
    column.push_back(std::move(value));
  };
  put("position", or_null(episode.position));
  put("resolved", flag_json(episode.resolved));
  put("reward", or_null(episode.reward));
  put("retained", episode.retained ? 1 : 0);
  put("utilised",
      flag_json(episode.memory_utilized_recomputed ? episode.memory_utilized_recomputed : episode.memory_utilized));
  put("steps", episode.steps);
  put("deliveries", sums.deliveries);
  put("restatements", sums.restatements);
  put("unconsumed", record.unconsumed.size());
  put("spans", record.spans.size());
  put("beneficial", counts.beneficial);
  put("harmful", counts.harmful);
  put("mixed", counts.mixed);
  put("undetermined", counts.undetermined);
  put("neutral", counts.neutral);
  put("unresolved", counts.unresolved);
  put("not_judged", counts.not_judged);
  put("empty", counts.empty);
  put("tokens", tokens_json(episode));
  put("cost_usd", cost_json(episode));
  add_items(record);
}

void ReportIndex::add_items(const EpisodeSpansRecord& record) {
  const EpisodeRecord& episode = record.episode;
  std::set<ItemKey> seen;
  for (const SpanRecord& span : record.spans) {
    for (const EntryRecord& entry : span.entries) {
      if (!entry.item) continue;
      ItemKey key{episode.configuration, episode.run, episode.store, *entry.item};
      ItemCounts& counts = items_[key];
      ++counts.spans;
      counts.deliveries += span.deliveries.size();
      if (entry.answer && entry.answer->labels.influence == Influence::acted_on) {
        ++counts.acted_on;
        if (entry.answer->labels.effect == Effect::improved) ++counts.improved;
        if (entry.answer->labels.effect == Effect::harmed) ++counts.harmed;
      }
      if (seen.insert(std::move(key)).second) ++counts.episodes;
    }
  }
}

Json ReportIndex::episodes_json(const std::vector<std::optional<std::uint32_t>>& blocks) const {
  Json json;
  json["count"] = uids_.size();
  json["uid"] = uids_;
  json["named"] = Json::object();
  for (const auto& [name, column] : named_) json["named"][name] = column.json();
  json["numbers"] = Json::object();
  for (const auto& [name, column] : numbers_) json["numbers"][name] = column;
  json["block"] = blocks.empty() ? Json(nullptr) : blocks_json(blocks);
  return json;
}

Json ReportIndex::items_json(const std::vector<std::optional<std::uint32_t>>& blocks) const {
  std::map<std::string, NamedColumn> named;
  std::map<std::string, Json> numbers;
  for (const char* name : {"spans", "deliveries", "episodes", "acted_on", "improved", "harmed"}) {
    numbers[name] = Json::array();
  }
  for (const char* name : {"configuration", "run", "store", "item"}) named[name];
  for (const auto& [key, counts] : items_) {
    named["configuration"].add(key.configuration);
    named["run"].add(key.run);
    named["store"].add(key.store);
    named["item"].add(key.item);
    numbers["spans"].push_back(counts.spans);
    numbers["deliveries"].push_back(counts.deliveries);
    numbers["episodes"].push_back(counts.episodes);
    numbers["acted_on"].push_back(counts.acted_on);
    numbers["improved"].push_back(counts.improved);
    numbers["harmed"].push_back(counts.harmed);
  }
  Json json;
  json["count"] = items_.size();
  json["named"] = Json::object();
  for (const auto& [name, column] : named) json["named"][name] = column.json();
  json["numbers"] = Json::object();
  for (auto& [name, column] : numbers) json["numbers"][name] = std::move(column);
  json["block"] = blocks.empty() ? Json(nullptr) : blocks_json(blocks);
  return json;
}

Json ReportIndex::refused_json() const {
  Json list = Json::array();
  for (const RefusedSpan& span : refused_) {
    list.push_back({{"uid", span.uid},
                    {"configuration", span.configuration},
                    {"run", span.run},
                    {"episode", span.episode},
                    {"span", span.span},
                    {"reason", span.reason}});
  }
  return {{"count", refused_spans_}, {"listed", std::move(list)}};
}

}  // namespace memuse::report
