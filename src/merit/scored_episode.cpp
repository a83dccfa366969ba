#include "merit/scored_episode.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "model/call_totals.h"
#include "model/text.h"

namespace memuse::merit {
namespace {

/// Of a run `<directory>/<seed>` the directory; of others nothing.
std::string_view directory_of(std::string_view run, std::string_view seed) {
  const bool ends_with_seed =
      !seed.empty() && run.size() > seed.size() + 1 && run.ends_with(seed) && run[run.size() - seed.size() - 1] == '/';
  return ends_with_seed ? run.substr(0, run.size() - seed.size() - 1) : std::string_view();
}

void set_spending(const Episode& episode, ScoredEpisode& row) {
  const CallTotals agent = agent_totals(episode);
  const bool has_totals = episode.totals.has_value();
  const auto known = [has_totals](const CallTotals& totals, std::uint64_t without, bool says) {
    return without == 0 && (totals.calls > 0 || (has_totals && says));
  };
  const bool says_tokens = has_totals && episode.totals->usage.input && episode.totals->usage.output;
  if (known(agent, agent.calls_without_tokens, says_tokens)) row.tokens = agent.input_tokens + agent.output_tokens;
  if (known(agent, agent.calls_without_cost, has_totals && episode.totals->cost_usd)) {
    row.agent_cost_usd = agent.cost_usd;
  }
  if (has_totals) row.seconds = episode.totals->seconds;
  const CallTotals side = side_totals(episode);
  // One sum is enough: MERIT counts what its memory systems spend in one number.
  const bool counted = std::all_of(episode.side_calls.begin(), episode.side_calls.end(),
                                   [](const SideCall& call) { return call.usage.input || call.usage.output; });
  if (counted) row.memory_tokens = side.input_tokens + side.output_tokens;
  if (side.calls_without_cost == 0) row.memory_cost_usd = side.cost_usd;
}

/// What makes two rows the same task under the same conditions.
auto attempt_key(const ScoredEpisode& row) {
  return std::tuple(row.model, row.domain, row.tier, row.condition, row.setting.mode, row.setting.rate, row.seed,
                    row.arc, row.task);
}

auto place_key(const ScoredEpisode& row) {
  return std::tie(row.path, row.line, row.id);
}

std::string place_text(const ScoredEpisode& row) {
  return fmt::format("{} line {}", printable(row.path), row.line);
}

}  // namespace

std::string_view NameTable::keep(std::string_view name) {
  if (name.empty()) return {};
  const auto found = names_.find(name);
  return found != names_.end() ? *found : *names_.emplace(name).first;
}

std::optional<ScoredEpisode> scored(const Episode& episode, NameTable& names) {
  if (!episode.probe || !episode.probe->dependent) return std::nullopt;
  const Probe& probe = *episode.probe;
  ScoredEpisode row;
  row.id = names.keep(episode.id);
  row.task = names.keep(episode.task_id);
  row.configuration = names.keep(episode.configuration);
  row.run = names.keep(episode.run);
  row.directory = names.keep(directory_of(episode.run, episode.seed));
  row.model = names.keep(episode.model);
  row.domain = names.keep(episode.domain);
  row.tier = names.keep(episode.tier);
  row.condition = names.keep(episode.condition.empty() ? episode.configuration : episode.condition);
  row.seed = names.keep(episode.seed.empty() ? episode.run : episode.seed);
  row.arc = names.keep(episode.group.empty() ? episode.task_id : episode.group);
  row.path = names.keep(episode.source.path);
  row.line = episode.source.line;
  const bool damaged = probe.corruption && !probe.corruption->mode.empty() && probe.corruption->mode != "none";
  if (damaged) row.setting = {names.keep(probe.corruption->mode), probe.corruption->rate};
  row.dependent = *probe.dependent;
  if (episode.outcome) row.outcome = episode.outcome->resolved;
  row.pre_satisfied = probe.pre_satisfied;
  row.memory_had_fact = probe.memory_had_fact;
  row.memory_utilized = probe.memory_utilized;
  row.memory_utilized_recomputed = probe.memory_utilized_recomputed;
  set_spending(episode, row);
  return row;
}

void ScoredEpisodes::add(const Episode& episode) {
  if (const auto row = scored(episode, names)) {
    rows.push_back(*row);
  } else {
    ++not_scored[static_cast<std::size_t>(NotScored::no_dependence)];
  }
}

void ScoredEpisodes::settle() {
  not_scored[static_cast<std::size_t>(NotScored::no_outcome)] +=
      std::erase_if(rows, [](const ScoredEpisode& row) { return !row.outcome; });
  for (ScoredEpisode& row : rows) row.success = *row.outcome && !row.pre_satisfied.value_or(false);
  std::sort(rows.begin(), rows.end(),
            [](const ScoredEpisode& a, const ScoredEpisode& b) { return place_key(a) < place_key(b); });
  // By id the first row: rows are sorted by path, so when its path is not another one, no later one's is.
  std::map<decltype(attempt_key(rows.front())), std::map<std::string_view, const ScoredEpisode*>> attempts_at;
  std::vector<ScoredEpisode> kept;
  kept.reserve(rows.size());  // the map points into it
  for (const ScoredEpisode& row : rows) {
    std::map<std::string_view, const ScoredEpisode*>& earlier = attempts_at[attempt_key(row)];
    const auto same = earlier.find(row.id);
    if (same != earlier.end() && same->second->path != row.path) {
      if (++met_again == 1) met_again_example = fmt::format("{} and {}", place_text(*same->second), place_text(row));
      continue;
    }
    if (!earlier.empty()) ++attempts;
    kept.push_back(row);
    earlier.emplace(row.id, &kept.back());
  }
  rows = std::move(kept);
}

}  // namespace memuse::merit
