#include "rules/verdict.h"

#include <algorithm>
#include <vector>

namespace memuse::rules {

bool is_beneficial(const Labels& labels) {
  return labels.influence == Influence::acted_on && labels.effect == Effect::improved;
}

bool is_harmful(const Labels& labels) {
  return labels.influence == Influence::acted_on && labels.effect == Effect::harmed;
}

bool is_unsettled(const Labels& labels) {
  return !labels.influence || (labels.influence == Influence::acted_on && !labels.effect);
}

Verdict span_verdict(std::span<const Labels> assessed) {
  const bool beneficial = std::any_of(assessed.begin(), assessed.end(), is_beneficial);
  const bool harmful = std::any_of(assessed.begin(), assessed.end(), is_harmful);
  if (beneficial && harmful) return Verdict::mixed;
  if (beneficial) return Verdict::beneficial;
  if (harmful) return Verdict::harmful;
  if (std::any_of(assessed.begin(), assessed.end(), is_unsettled)) return Verdict::undetermined;
  return Verdict::neutral;
}

Verdict answer_verdict(const Answer& answer) {
  std::vector<Labels> labels;
  labels.reserve(answer.entries.size());
  for (const EntryAnswer& entry : answer.entries) labels.push_back(entry.labels);
  return span_verdict(labels);
}

std::string_view verdict_rule(Verdict verdict) {
  switch (verdict) {
    case Verdict::mixed:
      return "at least one entry was acted on and improved the episode, and at least one was acted on and harmed it";
    case Verdict::beneficial:
      return "at least one entry was acted on and improved the episode; none harmed it";
    case Verdict::harmful:
      return "at least one entry was acted on and harmed the episode; none improved it";
    case Verdict::undetermined:
      return "no entry is known to have improved or harmed the episode, and for at least one the record does not "
             "settle "
             "the influence, or the effect of acting on it";
    case Verdict::neutral:
      return "no entry improved or harmed the episode, and nothing is left open";
  }
  return {};
}

}  // namespace memuse::rules
