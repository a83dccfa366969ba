#include "value_tracing/memory_probe.h"

#include <algorithm>
#include <utility>

#include "judge/memory_actions.h"

namespace memuse::value_tracing {
namespace {

constexpr std::array<std::string_view, kMemoryProbeKinds> kKindNames{"update", "deletion", "cascade", "absence",
                                                                     "over_alignment"};

/// The first place at which the agent was shown one of the texts.
std::optional<ValueSighting> first_shown(const Episode& episode, const std::vector<std::string>& texts) {
  std::vector<SoughtValue> sought;
  for (const std::string& text : texts) sought.push_back({text, 0});
  std::optional<ValueSighting> first;
  for (const FoundValue& found : find_values(episode, sought)) {
    const auto shown = std::find_if(found.sightings.begin(), found.sightings.end(),
                                    [](const ValueSighting& sighting) { return is_input(sighting.where); });
    if (shown != found.sightings.end() && (!first || shown->from < first->from)) first = *shown;
  }
  return first;
}

/// What the episode shows of a value, in actions of step `from` and later.
ProbedValue probed_value(const std::string& value, const FoundValue& found, std::uint32_t from) {
  ProbedValue probed;
  probed.value = value;
  probed.telling = found.telling;
  bool bare = false;
  for (const ValueSighting& sighting : found.sightings) {
    if (sighting.where == Where::memory && !probed.held) probed.held = sighting;
    if (sighting.where == Where::speech && sighting.step >= from && sighting.telling && !probed.said) {
      probed.said = sighting;
    }
    if (sighting.where != Where::action || sighting.step < from) continue;
    if (!sighting.telling) {
      bare = true;
      continue;
    }
    probed.used = true;
    probed.last_used = sighting;
    if (!probed.first_used) probed.first_used = sighting;
  }
  probed.uncertain = bare && !probed.used;
  return probed;
}

bool acts_on_task(const Episode& episode, std::uint32_t from) {
  const judge::MemoryActions memory_actions(episode);
  for (std::uint32_t k = std::max(from, 1U); k <= episode.step_count(); ++k) {
    for (std::uint32_t a = 0; a < episode.steps[k - 1].actions.size(); ++a) {
      if (!memory_actions.contains(k, a)) return true;
    }
  }
  return false;
}

/// The result when `uncertain` sightings count as use, or do not.
ProbeResult result_of(const ScoredProbe& scored, bool uncertain, bool acted) {
  const auto used = [&](const ProbedValue& value) { return value.used || (uncertain && value.uncertain); };
  const auto expected = static_cast<std::size_t>(std::count_if(scored.expect.begin(), scored.expect.end(), used));
  const bool forbidden = std::any_of(scored.forbid.begin(), scored.forbid.end(), used);
  if (forbidden) return expected > 0 ? ProbeResult::mixed : ProbeResult::stale_used;
  if (scored.expect.empty()) return acted ? ProbeResult::followed : ProbeResult::nothing_used;
  if (expected == scored.expect.size()) return ProbeResult::followed;
  return expected > 0 ? ProbeResult::partly_followed : ProbeResult::nothing_used;
}

/// Step and action of the last use of any of the values.
std::pair<std::uint32_t, std::uint32_t> last_use(const std::vector<ProbedValue>& values) {
  std::pair<std::uint32_t, std::uint32_t> last;
  for (const ProbedValue& value : values) {
    if (value.last_used) last = std::max(last, std::pair(value.last_used->step, value.last_used->action));
  }
  return last;
}

void find_probe_values(const Episode& episode, const MemoryProbe& probe, std::uint32_t from, ScoredProbe& scored) {
  std::vector<SoughtValue> sought;
  for (const std::string& value : probe.expect) sought.push_back({value, 0});
  for (const std::string& value : probe.forbid) sought.push_back({value, 1});
  const std::vector<FoundValue> found = find_values(episode, sought);
  for (std::size_t i = 0; i < probe.expect.size(); ++i) {
    scored.expect.push_back(probed_value(probe.expect[i], found[i], from));
  }
  for (std::size_t i = 0; i < probe.forbid.size(); ++i) {
    scored.forbid.push_back(probed_value(probe.forbid[i], found[probe.expect.size() + i], from));
  }
}

ScoredProbe not_observable(ScoredProbe scored, std::string reason) {
  scored.result = ProbeResult::not_observable;
  scored.reason = std::move(reason);
  return scored;
}

}  // namespace

std::string_view name(MemoryProbeKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::optional<MemoryProbeKind> parse_memory_probe_kind(std::string_view text) {
  const auto* found = std::find(kKindNames.begin(), kKindNames.end(), text);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<MemoryProbeKind>(found - kKindNames.begin());
}

std::string_view name(ProbeResult result) {
  constexpr std::array<std::string_view, kProbeResults> kNames{"not_observable", "mixed",           "stale_used",
                                                               "followed",       "partly_followed", "nothing_used"};
  return kNames[static_cast<std::size_t>(result)];
}

bool MemoryProbe::speaks_of(const Episode& episode) const {
  return task_id == episode.task_id && (configuration.empty() || configuration == episode.configuration) &&
         (run.empty() || run == episode.run);
}

bool ScoredProbe::memory_held_forbidden() const {
  return std::any_of(forbid.begin(), forbid.end(), [](const ProbedValue& value) { return value.held.has_value(); });
}

ScoredProbe score(const Episode& episode, const MemoryProbe& probe) {
  ScoredProbe scored;
  if (episode.visibility == VisibilityGrade::unknown) return not_observable(std::move(scored), "no step is recorded");
  std::uint32_t from = 0;
  if (!probe.evidence.empty()) {
    scored.evidence = first_shown(episode, probe.evidence);
    if (scored.evidence) from = scored.evidence->from;
  }
  find_probe_values(episode, probe, from, scored);
  if (!probe.evidence.empty() && !scored.evidence) {
    return not_observable(std::move(scored), "the agent was never shown the evidence");
  }
  const bool acted = acts_on_task(episode, from);
  scored.result = result_of(scored, false, acted);
  if (result_of(scored, true, acted) != scored.result) {
    return not_observable(std::move(scored), "a value in an action is too common to tell");
  }
  if (scored.result == ProbeResult::mixed) scored.ended_well = last_use(scored.expect) > last_use(scored.forbid);
  return scored;
}

void ProbeCounts::add(const Episode& episode, const ScoredProbe& scored) {
  ++probes;
  ++results[static_cast<std::size_t>(scored.result)];
  if (scored.result == ProbeResult::not_observable) return;
  const auto count_if = [&](const auto& predicate) {
    return std::any_of(scored.forbid.begin(), scored.forbid.end(), predicate) ? 1U : 0U;
  };
  const bool used = count_if([](const ProbedValue& value) { return value.used; }) != 0;
  forbidden_held += scored.memory_held_forbidden() ? 1U : 0U;
  forbidden_held_used += count_if([](const ProbedValue& value) {
    return value.held && value.last_used && value.last_used->step >= value.held->from;
  });
  said_only += used ? 0 : count_if([](const ProbedValue& value) { return value.said.has_value(); });
  ended_well += scored.ended_well.value_or(false) ? 1U : 0U;
  if (episode.outcome && episode.outcome->resolved) {
    ++with_outcome;
    resolved += *episode.outcome->resolved ? 1U : 0U;
  }
}

}  // namespace memuse::value_tracing
