#include "value_tracing/value_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace memuse::value_tracing {
namespace {

int tier_rank(const std::string& tier) {
  if (tier == "easy") return 0;
  if (tier == "medium") return 1;
  return tier == "hard" ? 2 : 3;
}

void count_held(const Episode& episode, const EpisodeTrace& trace, ValueCounts& counts) {
  const auto held = std::count_if(trace.gold.begin(), trace.gold.end(), [](const GoldTrace& gold) {
    return gold.held == Held::verbatim || gold.held == Held::reformatted;
  });
  const bool stale =
      std::any_of(trace.stale.begin(), trace.stale.end(), [](const StaleTrace& s) { return s.held.has_value(); });
  if (trace.gold.front().held == Held::unknown) {
    counts.held_unknown.add(episode);
    return;
  }
  if (held == 0) {
    counts.held_none.add(episode);
    if (stale) counts.stale_alone.add(episode);
    return;
  }
  (static_cast<std::size_t>(held) == trace.gold.size() ? counts.held_all : counts.held_some).add(episode);
  if (stale) counts.stale_beside.add(episode);
}

void count_leaks(const Episode& episode, const EpisodeTrace& trace, ValueCounts& counts) {
  for (const GoldTrace& gold : trace.gold) {
    bool in_results = false;
    bool in_inputs = false;
    for (const Leak& leak : gold.leaks) {
      if (leak.before_use) (leak.sighting.where == Where::tool_result ? in_results : in_inputs) = true;
    }
    counts.leaked_values += in_results || in_inputs ? 1U : 0U;
    counts.leaked_in_inputs += in_inputs ? 1U : 0U;
    counts.leaked_in_results += in_results ? 1U : 0U;
  }
  if (trace.leaked_before_use()) counts.leaked.add(episode);
  if (trace.pre_satisfied) counts.pre_satisfied.add(episode);
  (trace.success_says_nothing() ? counts.says_nothing : counts.says_something).add(episode);
}

void count_flags(const EpisodeTrace& trace, ValueCounts& counts) {
  if (trace.recorded_flag) {
    ++counts.flags_recorded;
    counts.recorded_true += *trace.recorded_flag ? 1U : 0U;
    if (trace.recomputed_flag) {
      ++counts.flags_recomputed;
      counts.flags_equal += *trace.recomputed_flag == *trace.recorded_flag ? 1U : 0U;
    }
  }
  counts.recomputed_true += trace.recomputed_flag.value_or(false) ? 1U : 0U;
  counts.traced_true += trace.traced_flag.value_or(false) ? 1U : 0U;
  if (trace.traced_flag && trace.recomputed_flag && *trace.traced_flag != *trace.recomputed_flag) {
    ++counts.traced_differs;
  }
  for (const GoldTrace& gold : trace.gold) {
    ++counts.used_rules[static_cast<std::size_t>(gold.used_rule)];
    ++counts.held_rules[static_cast<std::size_t>(gold.held_rule)];
  }
}

template <typename Array>
void add_all(Array& sums, const Array& others) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i];
}

}  // namespace

std::strong_ordering operator<=>(const Setting& a, const Setting& b) {
  const auto key = [](const Setting& s) {
    return std::tuple(std::string_view(s.model), std::string_view(s.domain), tier_rank(s.tier),
                      std::string_view(s.tier), std::string_view(s.condition), std::string_view(s.corruption));
  };
  return key(a) <=> key(b);
}

Setting setting_of(const Episode& episode) {
  Setting setting;
  setting.model = std::string(episode.model);
  setting.domain = std::string(episode.domain);
  setting.tier = std::string(episode.tier);
  setting.condition = std::string(episode.condition.empty() ? episode.configuration : episode.condition);
  if (episode.probe && episode.probe->corruption && !episode.probe->corruption->mode.empty() &&
      episode.probe->corruption->mode != "none") {
    const Corruption& corruption = *episode.probe->corruption;
    setting.corruption = std::string(corruption.mode);
    if (corruption.rate) setting.corruption += fmt::format("@{:g}", *corruption.rate);
  }
  return setting;
}

void EpisodeCount::add(const Episode& episode) {
  ++episodes;
  const bool known = episode.outcome && episode.outcome->resolved;
  unknown += known ? 0 : 1;
  resolved += known && *episode.outcome->resolved ? 1U : 0U;
}

EpisodeCount& EpisodeCount::operator+=(const EpisodeCount& other) {
  episodes += other.episodes;
  resolved += other.resolved;
  unknown += other.unknown;
  return *this;
}

void ValueCounts::add(const Episode& episode, const EpisodeTrace& trace) {
  episodes.add(episode);
  if (trace.use == EpisodeUse::not_observable) {
    without_trace.add(episode);
    return;
  }
  values += trace.gold.size();
  for (const GoldTrace& gold : trace.gold) {
    ++carried[static_cast<std::size_t>(gold.carried)];
    common_values += gold.telling ? 0 : 1;
    carried_unheld += is_use(gold.carried) && gold.held == Held::none ? 1U : 0U;
    before_memory += gold.before_memory ? 1U : 0U;
  }
  use[static_cast<std::size_t>(trace.use)].add(episode);
  count_held(episode, trace, *this);
  count_leaks(episode, trace, *this);
  count_flags(trace, *this);
}

ValueCounts& ValueCounts::operator+=(const ValueCounts& other) {
  for (EpisodeCount ValueCounts::*count :
       {&ValueCounts::episodes, &ValueCounts::without_trace, &ValueCounts::held_all, &ValueCounts::held_some,
        &ValueCounts::held_none, &ValueCounts::held_unknown, &ValueCounts::stale_beside, &ValueCounts::stale_alone,
        &ValueCounts::leaked, &ValueCounts::pre_satisfied, &ValueCounts::says_nothing, &ValueCounts::says_something}) {
    this->*count += other.*count;
  }
  for (std::uint64_t ValueCounts::*count :
       {&ValueCounts::values, &ValueCounts::common_values, &ValueCounts::carried_unheld, &ValueCounts::before_memory,
        &ValueCounts::leaked_values, &ValueCounts::leaked_in_inputs, &ValueCounts::leaked_in_results,
        &ValueCounts::flags_recorded, &ValueCounts::flags_recomputed, &ValueCounts::flags_equal,
        &ValueCounts::recorded_true, &ValueCounts::recomputed_true, &ValueCounts::traced_true,
        &ValueCounts::traced_differs}) {
    this->*count += other.*count;
  }
  add_all(carried, other.carried);
  add_all(use, other.use);
  add_all(used_rules, other.used_rules);
  add_all(held_rules, other.held_rules);
  return *this;
}

}  // namespace memuse::value_tracing
