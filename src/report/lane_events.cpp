#include "report/lane_events.h"

#include <fmt/format.h>

#include "model/text.h"

namespace memuse::report {

std::optional<figures::LaneEvent> use_event(const Labels& labels) {
  using figures::LaneEvent;
  if (!labels.influence || *labels.influence == Influence::none) return std::nullopt;
  if (*labels.influence != Influence::acted_on) return LaneEvent::mentioned;
  if (!labels.effect) return LaneEvent::undetermined;
  switch (*labels.effect) {
    case Effect::improved:
      return LaneEvent::improved;
    case Effect::harmed:
      return LaneEvent::harmed;
    case Effect::no_effect:
      break;
  }
  return LaneEvent::no_effect;
}

std::string judge_words(const JudgementSetRecord& set) {
  if (set.judge.empty()) return "Nothing was judged";
  return fmt::format("Judge {}, rule set {}", printable(set.judge), printable(set.rules));
}

}  // namespace memuse::report
