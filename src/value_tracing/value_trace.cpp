#include "value_tracing/value_trace.h"

#include <algorithm>
#include <array>

#include "evidence/action_arguments.h"
#include "judge/memory_actions.h"

namespace memuse::value_tracing {
namespace {

constexpr int kMostShifts = 9;  ///< ten shifts by 3 give the value again

const ValueSighting* first_of(const FoundValue& found, Where where, bool telling) {
  const auto first = std::find_if(found.sightings.begin(), found.sightings.end(), [&](const ValueSighting& sighting) {
    return sighting.where == where && (sighting.telling || !telling);
  });
  return first == found.sightings.end() ? nullptr : &*first;
}

/// The first verbatim sighting there, else the first.
const ValueSighting* best_of(const FoundValue& found, Where where) {
  const ValueSighting* best = nullptr;
  for (const ValueSighting& sighting : found.sightings) {
    if (sighting.where != where || !sighting.telling) continue;
    if (sighting.verbatim) return &sighting;
    if (best == nullptr) best = &sighting;
  }
  return best;
}

std::optional<ValueSighting> copy_of(const ValueSighting* sighting) {
  return sighting != nullptr ? std::optional<ValueSighting>(*sighting) : std::nullopt;
}

bool contains(std::string_view text, std::string_view value) {
  return find_text(text, value) != std::string_view::npos;
}

/// A value of the action's arguments contains the text.
bool value_holds(const Action& action, std::string_view text) {
  const auto arguments = evidence::action_arguments(action.arguments);
  if (!arguments) return contains(action.arguments, text);
  return std::any_of(arguments->begin(), arguments->end(),
                     [&](const evidence::Argument& argument) { return contains(argument.value, text); });
}

/// Stale values of the probe, and those that damage makes of its gold values; gold values are never stale.
std::vector<StaleTrace> stale_values(const Probe& probe, const TraceOptions& options) {
  std::vector<StaleTrace> stale;
  const auto add = [&](std::string value, StaleOrigin origin, std::optional<std::size_t> of) {
    const bool is_gold = std::find(probe.gold.begin(), probe.gold.end(), value) != probe.gold.end();
    const bool known = std::any_of(stale.begin(), stale.end(), [&](const StaleTrace& s) { return s.value == value; });
    if (!is_gold && !known && !value.empty()) {
      StaleTrace& added = stale.emplace_back();
      added.value = std::move(value);
      added.origin = origin;
      added.of = of;
    }
  };
  for (const std::string_view value : probe.stale) add(std::string(value), StaleOrigin::probe, std::nullopt);
  if (!options.digit_shifts) return stale;
  for (std::size_t s = 0, named = stale.size(); s < named; ++s) {
    for (int times = 1; times <= kMostShifts; ++times) {
      add(digit_shifted(stale[s].value, times), StaleOrigin::digit_shift, std::nullopt);
    }
  }
  for (std::size_t g = 0; g < probe.gold.size(); ++g) {
    for (int times = 1; times <= kMostShifts; ++times) {
      add(digit_shifted(probe.gold[g], times), StaleOrigin::digit_shift, g);
    }
  }
  return stale;
}

/// Makes one trace out of the episode and what was found in it.
class Tracing {
 public:
  Tracing(const Episode& episode, std::string_view printed, const TraceOptions& options)
      : episode_(episode), probe_(*episode.probe), printed_(printed) {
    trace_.stale = stale_values(probe_, options);
    std::vector<SoughtValue> values;
    for (const std::string_view value : probe_.gold) values.push_back({value, 0});
    for (const StaleTrace& stale : trace_.stale) values.push_back({stale.value, 1});
    found_ = find_values(episode, values);
    observable_ = episode.visibility != VisibilityGrade::unknown;
    deliveries_known_ = observable_ && episode.delivery_grade != DeliveryGrade::not_recorded;
  }

  EpisodeTrace trace() {
    for (std::size_t s = 0; s < trace_.stale.size(); ++s) trace_stale(s);
    for (std::size_t g = 0; g < probe_.gold.size(); ++g) trace_gold(g);
    trace_.use = episode_use();
    trace_.pre_satisfied = probe_.pre_satisfied.value_or(false);
    set_flags();
    return std::move(trace_);
  }

 private:
  void trace_stale(std::size_t index);
  void trace_gold(std::size_t index);
  void set_held(GoldTrace& gold, const FoundValue& found) const;
  void set_stale(GoldTrace& gold, std::size_t index) const;
  void set_carried(GoldTrace& gold, const FoundValue& found) const;
  static void set_leaks(GoldTrace& gold, const FoundValue& found);
  void set_merit(GoldTrace& gold, const FoundValue& found) const;
  [[nodiscard]] FlagRule held_rule(const GoldTrace& gold) const;
  [[nodiscard]] FlagRule used_rule(const GoldTrace& gold, const FoundValue& found) const;
  [[nodiscard]] EpisodeUse episode_use();
  void set_flags();

  const Episode& episode_;
  const Probe& probe_;
  std::string_view printed_;
  std::vector<FoundValue> found_;
  bool observable_ = true;
  bool deliveries_known_ = true;
  EpisodeTrace trace_;
};

void Tracing::trace_stale(std::size_t index) {
  StaleTrace& stale = trace_.stale[index];
  const FoundValue& found = found_[probe_.gold.size() + index];
  stale.telling = found.telling;
  stale.held = copy_of(first_of(found, Where::memory, true));
  stale.carried = copy_of(first_of(found, Where::action, true));
  stale.said = copy_of(first_of(found, Where::speech, true));
}

void Tracing::set_held(GoldTrace& gold, const FoundValue& found) const {
  if (!deliveries_known_) {
    gold.held = Held::unknown;
    return;
  }
  // In memory a common value needs no word beside it: memory is where its words are learnt from.
  const ValueSighting* held = nullptr;
  for (const ValueSighting& sighting : found.sightings) {
    if (sighting.where == Where::memory && (held == nullptr || (sighting.verbatim && !held->verbatim)))
      held = &sighting;
  }
  gold.held_at = copy_of(held);
  gold.held = held == nullptr ? Held::none : held->verbatim ? Held::verbatim : Held::reformatted;
}

void Tracing::set_stale(GoldTrace& gold, std::size_t index) const {
  const ValueSighting* first = nullptr;
  for (std::size_t s = 0; s < trace_.stale.size(); ++s) {
    const StaleTrace& stale = trace_.stale[s];
    if (stale.of && *stale.of != index) continue;
    if (stale.held) gold.stale_beside.push_back(s);
    if (!stale.carried) continue;
    if (first == nullptr || stale.carried->step < first->step) {
      first = &*stale.carried;
      gold.stale_carried = s;
    }
  }
}

void Tracing::set_carried(GoldTrace& gold, const FoundValue& found) const {
  gold.said_at = copy_of(first_of(found, Where::speech, true));
  if (!observable_) {
    gold.carried = Carried::not_observable;
    return;
  }
  const ValueSighting* carried = best_of(found, Where::action);
  const ValueSighting* perhaps = first_of(found, Where::action, false);
  if (carried != nullptr) {
    gold.carried = carried->verbatim ? Carried::verbatim : Carried::reformatted;
    gold.carried_at = *carried;
    // Order counts, not writing: the first action that carries it at all.
    const ValueSighting& first = *first_of(found, Where::action, true);
    const ValueSighting* shown = first_of(found, Where::memory, false);
    gold.before_memory = gold.held_at && shown != nullptr && first.step < shown->from;
  } else if (perhaps != nullptr) {
    gold.carried = Carried::uncertain;
    gold.carried_at = *perhaps;
  } else if (gold.stale_carried) {
    gold.carried = Carried::stale_instead;
    gold.carried_at = trace_.stale[*gold.stale_carried].carried;
  } else {
    gold.carried = gold.said_at ? Carried::speech_only : Carried::none;
  }
}

void Tracing::set_leaks(GoldTrace& gold, const FoundValue& found) {
  const ValueSighting* use = first_of(found, Where::action, true);
  for (const ValueSighting& sighting : found.sightings) {
    if (!is_input(sighting.where) || !sighting.telling) continue;
    gold.leaks.push_back({sighting, use == nullptr || sighting.from <= use->step});
  }
}

FlagRule Tracing::held_rule(const GoldTrace& gold) const {
  if (!gold.merit_held || *gold.merit_held == (gold.held == Held::verbatim)) return FlagRule::none;
  if (!*gold.merit_held) return FlagRule::printed_escape;
  const bool in_entry = std::any_of(episode_.deliveries.begin(), episode_.deliveries.end(), [&](const Delivery& d) {
    return std::any_of(d.entries.begin(), d.entries.end(),
                       [&](const Entry& entry) { return contains(entry.text, gold.value); });
  });
  const bool consumed = std::any_of(episode_.deliveries.begin(), episode_.deliveries.end(), [&](const Delivery& d) {
    return d.consuming_step != kNever && contains(episode_.placed_text(d), gold.value);
  });
  if (!consumed) return FlagRule::unconsumed;
  return in_entry ? FlagRule::part_of_longer : FlagRule::across_parts;
}

FlagRule Tracing::used_rule(const GoldTrace& gold, const FoundValue& found) const {
  const bool verbatim = gold.carried == Carried::verbatim;
  if (!gold.merit_used || *gold.merit_used == verbatim) return FlagRule::none;
  if (!*gold.merit_used) return FlagRule::printed_escape;
  if (first_of(found, Where::action, false) != nullptr && first_of(found, Where::action, true) == nullptr) {
    return FlagRule::too_common;
  }
  const judge::MemoryActions memory_actions(episode_);
  bool in_task_value = false;
  bool in_memory_value = false;
  bool in_arguments = false;
  for (std::uint32_t k = 1; k <= episode_.step_count(); ++k) {
    const std::vector<Action>& actions = episode_.steps[k - 1].actions;
    for (std::uint32_t a = 0; a < actions.size(); ++a) {
      in_arguments = in_arguments || contains(actions[a].arguments, gold.value);
      if (value_holds(actions[a], gold.value)) {
        (memory_actions.contains(k, a) ? in_memory_value : in_task_value) = true;
      }
    }
  }
  if (in_task_value) return FlagRule::part_of_longer;
  if (in_memory_value) return FlagRule::memory_action;
  return in_arguments ? FlagRule::argument_name : FlagRule::across_parts;
}

void Tracing::set_merit(GoldTrace& gold, const FoundValue& found) const {
  if (deliveries_known_) {
    gold.merit_held =
        std::any_of(episode_.deliveries.begin(), episode_.deliveries.end(),
                    [&](const Delivery& delivery) { return contains(episode_.placed_text(delivery), gold.value); });
  }
  if (observable_) gold.merit_used = contains(printed_, gold.value);
  gold.held_rule = held_rule(gold);
  gold.used_rule = used_rule(gold, found);
}

void Tracing::trace_gold(std::size_t index) {
  GoldTrace& gold = trace_.gold.emplace_back();
  const FoundValue& found = found_[index];
  gold.value = std::string(probe_.gold[index]);
  gold.telling = found.telling;
  set_held(gold, found);
  set_stale(gold, index);
  set_carried(gold, found);
  set_leaks(gold, found);
  set_merit(gold, found);
}

EpisodeUse Tracing::episode_use() {
  const auto has = [&](Carried carried) {
    return std::any_of(trace_.gold.begin(), trace_.gold.end(),
                       [&](const GoldTrace& gold) { return gold.carried == carried; });
  };
  trace_.used = static_cast<std::size_t>(std::count_if(trace_.gold.begin(), trace_.gold.end(),
                                                       [](const GoldTrace& gold) { return is_use(gold.carried); }));
  if (has(Carried::not_observable)) return EpisodeUse::not_observable;
  if (trace_.used == trace_.gold.size()) return EpisodeUse::all;
  // What is only uncertain may be the rest: then k of n is not known.
  const auto uncertain =
      static_cast<std::size_t>(std::count_if(trace_.gold.begin(), trace_.gold.end(),
                                             [](const GoldTrace& gold) { return gold.carried == Carried::uncertain; }));
  if (trace_.used > 0 && trace_.used + uncertain < trace_.gold.size()) return EpisodeUse::partial;
  if (uncertain > 0) return EpisodeUse::uncertain;
  if (has(Carried::stale_instead)) return EpisodeUse::stale_instead;
  return has(Carried::speech_only) ? EpisodeUse::speech_only : EpisodeUse::none;
}

void Tracing::set_flags() {
  trace_.recorded_flag = probe_.memory_utilized;
  trace_.recomputed_flag = probe_.memory_utilized_recomputed;
  if (!observable_ || !probe_.memory_had_fact) return;
  trace_.traced_flag =
      *probe_.memory_had_fact && std::all_of(trace_.gold.begin(), trace_.gold.end(),
                                             [](const GoldTrace& gold) { return gold.carried == Carried::verbatim; });
}

template <std::size_t Size, typename Enum>
std::string_view name_in(const std::array<std::string_view, Size>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace

std::string_view name(Held held) {
  return name_in(std::array<std::string_view, 4>{"none", "reformatted", "verbatim", "unknown"}, held);
}

std::string_view name(Carried carried) {
  return name_in(std::array<std::string_view, kCarriedKinds>{"verbatim", "reformatted", "uncertain", "stale_instead",
                                                             "speech_only", "none", "not_observable"},
                 carried);
}

std::string_view name(StaleOrigin origin) {
  return origin == StaleOrigin::probe ? "probe" : "digit_shift";
}

std::string_view name(FlagRule rule) {
  return name_in(
      std::array<std::string_view, kFlagRules>{"none", "part_of_longer", "across_parts", "argument_name",
                                               "memory_action", "too_common", "printed_escape", "unconsumed"},
      rule);
}

std::string_view name(EpisodeUse use) {
  return name_in(std::array<std::string_view, kEpisodeUses>{"all", "partial", "uncertain", "stale_instead",
                                                            "speech_only", "none", "not_observable"},
                 use);
}

bool is_use(Carried carried) {
  return carried == Carried::verbatim || carried == Carried::reformatted;
}

bool GoldTrace::leaked_before_use() const {
  return std::any_of(leaks.begin(), leaks.end(), [](const Leak& leak) { return leak.before_use; });
}

bool EpisodeTrace::leaked_before_use() const {
  return std::any_of(gold.begin(), gold.end(), [](const GoldTrace& g) { return g.leaked_before_use(); });
}

bool is_traceable(const Episode& episode) {
  return episode.probe && !episode.probe->gold.empty() && episode.probe->dependent.value_or(true);
}

EpisodeTrace trace_values(const Episode& episode, std::string_view printed_arguments, const TraceOptions& options) {
  if (!is_traceable(episode)) return {};
  return Tracing(episode, printed_arguments, options).trace();
}

std::string digit_shifted(std::string_view value, int times) {
  std::string shifted(value);
  for (char& c : shifted) {
    if (c >= '0' && c <= '9') c = static_cast<char>('0' + (c - '0' + 3 * times) % 10);
  }
  return shifted;
}

}  // namespace memuse::value_tracing
