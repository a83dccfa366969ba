#include "rules/profile.h"

#include <set>

#include "model/episode.h"
#include "rules/verdict.h"

namespace memuse::rules {
namespace {

bool is_assessed(Measure measure, AssessedSignals assessed) {
  switch (measure) {
    case Measure::relevance:
    case Measure::information_gain:
      return assessed.relevance;
    case Measure::corroboration:
      return assessed.relevance && assessed.accuracy;
    case Measure::contradicted:
      return assessed.accuracy;
    default:
      return true;
  }
}

/// `factor` × numerator / denominator, or nothing without a denominator.
std::optional<double> ratio(std::uint64_t numerator, std::uint64_t denominator, double factor = 1.0) {
  if (denominator == 0) return std::nullopt;
  return factor * static_cast<double>(numerator) / static_cast<double>(denominator);
}

/// An item is the same only within one store of a run.
std::string item_key(const std::string& store, const std::string& item) {
  std::string key = store;
  key += '\0';
  key += item;
  return key;
}

std::array<std::optional<stats::Spread>, kMeasureCount> spreads_of(const std::vector<RunProfile>& runs) {
  std::array<std::optional<stats::Spread>, kMeasureCount> spreads;
  std::vector<double> values;
  for (std::size_t i = 0; i < kMeasureCount; ++i) {
    values.clear();
    for (const RunProfile& run : runs) {
      if (run.profile.values[i]) values.push_back(*run.profile.values[i]);
    }
    spreads[i] = stats::spread_of(values);
  }
  return spreads;
}

}  // namespace

std::string_view name(TokenEstimator estimator) {
  return estimator == TokenEstimator::recorded ? "recorded" : "utf8-bytes/4";
}

bool counts_for(Measure measure, const Labels& labels) {
  const bool relevant = labels.relevance == true;
  switch (measure) {
    case Measure::relevance:
      return relevant;
    case Measure::corroboration:
      return relevant && labels.accuracy == Accuracy::corroborated;
    case Measure::information_gain:
      return relevant && (labels.novelty == Novelty::novel || labels.novelty == Novelty::confirming);
    case Measure::acted_on:
      return labels.influence == Influence::acted_on;
    case Measure::benefit:
      return is_beneficial(labels);
    case Measure::harm:
      return is_harmful(labels);
    case Measure::contradicted:
      return labels.accuracy == Accuracy::contradicted;
    case Measure::novelty_null:
      return !labels.novelty;
    case Measure::influence_null:
      return !labels.influence;
    case Measure::effect_null:
      return labels.influence == Influence::acted_on && !labels.effect;
    case Measure::relevance_null:
      return !labels.relevance;
    case Measure::accuracy_null:
      return !labels.accuracy;
    default:
      return false;
  }
}

std::optional<Verdict> verdict_of(const SpanRecord& span) {
  switch (span.status) {
    case SpanStatus::judged: {
      std::vector<Labels> labels;
      for (const EntryRecord& entry : span.entries) {
        if (entry.answer) labels.push_back(entry.answer->labels);
      }
      return span_verdict(labels);
    }
    case SpanStatus::automatic:
    case SpanStatus::empty:
      return Verdict::neutral;
    case SpanStatus::unresolved:
    case SpanStatus::not_judged:
      break;
  }
  return std::nullopt;
}

Cost& Cost::operator+=(const Cost& other) {
  usd += other.usd;
  calls += other.calls;
  calls_without_cost += other.calls_without_cost;
  return *this;
}

Cost& Cost::operator+=(const CallTotals& totals) {
  return *this += Cost{totals.cost_usd, totals.calls, totals.calls_without_cost};
}

Counts& Counts::operator+=(const Counts& other) {
  episodes += other.episodes;
  attempts_set_aside += other.attempts_set_aside;
  attempts_set_aside_cost += other.attempts_set_aside_cost;
  agent_cost += other.agent_cost;
  side_cost += other.side_cost;
  resolved += other.resolved;
  without_result += other.without_result;
  for (std::size_t i = 0; i < visible_input.size(); ++i) visible_input[i] += other.visible_input[i];
  for (std::size_t i = 0; i < delivery_grades.size(); ++i) delivery_grades[i] += other.delivery_grades[i];
  episodes_with_delivery += other.episodes_with_delivery;
  episodes_with_profiled_span += other.episodes_with_profiled_span;
  deliveries += other.deliveries;
  restatements += other.restatements;
  unconsumed += other.unconsumed;
  recorded_tokens += other.recorded_tokens;
  deliveries_without_recorded_tokens += other.deliveries_without_recorded_tokens;
  estimated_tokens += other.estimated_tokens;
  profiled_spans += other.profiled_spans;
  profiled_spans_with_probe += other.profiled_spans_with_probe;
  automatic_spans += other.automatic_spans;
  empty_spans += other.empty_spans;
  unresolved_spans += other.unresolved_spans;
  not_judged_spans += other.not_judged_spans;
  for (std::size_t i = 0; i < verdicts.size(); ++i) verdicts[i] += other.verdicts[i];
  entries += other.entries;
  assessed_entries += other.assessed_entries;
  beneficial_entries += other.beneficial_entries;
  harmful_entries += other.harmful_entries;
  recurring_items += other.recurring_items;
  return *this;
}

void Tally::add(const EpisodeSpansRecord& record) {
  if (!record.episode.retained) {
    ++counts_.attempts_set_aside;
    counts_.attempts_set_aside_cost += record.episode.agent;
    counts_.attempts_set_aside_cost += record.episode.side;
    return;
  }
  add_attempt(record);
}

void Tally::add_attempt(const EpisodeSpansRecord& record) {
  ++counts_.episodes;
  counts_.agent_cost += record.episode.agent;
  counts_.side_cost += record.episode.side;
  for (std::size_t i = 0; i < counts_.visible_input.size(); ++i) {
    if (record.episode.visibility == name(static_cast<VisibilityGrade>(i))) ++counts_.visible_input[i];
    if (record.episode.delivery_grade == name(static_cast<DeliveryGrade>(i))) ++counts_.delivery_grades[i];
  }
  if (record.episode.resolved == true) ++counts_.resolved;
  if (!record.episode.resolved) ++counts_.without_result;
  add_deliveries(record);
  add_items(record);
  const std::uint64_t profiled_before = counts_.profiled_spans;
  for (const SpanRecord& span : record.spans) add_span(span);
  if (counts_.profiled_spans > profiled_before) ++counts_.episodes_with_profiled_span;
  if (record.episode.has_probe) counts_.profiled_spans_with_probe += counts_.profiled_spans - profiled_before;
}

void Tally::add_deliveries(const EpisodeSpansRecord& record) {
  const std::uint64_t deliveries_before = counts_.deliveries;
  for (const SpanRecord& span : record.spans) {
    for (const DeliveryRecord& delivery : span.deliveries) {
      ++counts_.deliveries;
      if (delivery.restatement) ++counts_.restatements;
      counts_.recorded_tokens += delivery.recorded_tokens.value_or(0);
      if (!delivery.recorded_tokens && delivery.placed_bytes > 0) ++counts_.deliveries_without_recorded_tokens;
      counts_.estimated_tokens += delivery.estimated_tokens;
    }
  }
  if (counts_.deliveries > deliveries_before) ++counts_.episodes_with_delivery;
  counts_.unconsumed += record.unconsumed.size();
}

void Tally::add_items(const EpisodeSpansRecord& record) {
  std::set<std::string_view> items;
  for (const SpanRecord& span : record.spans) {
    for (const EntryRecord& entry : span.entries) {
      if (entry.item) items.insert(*entry.item);
    }
  }
  for (const std::string_view item : items) ++episodes_of_item_[item_key(record.episode.store, std::string(item))];
}

void Tally::add_span(const SpanRecord& span) {
  switch (span.status) {
    case SpanStatus::judged:
      ++counts_.profiled_spans;
      add_profiled_span(span);
      break;
    case SpanStatus::automatic:
      ++counts_.automatic_spans;
      break;
    case SpanStatus::empty:
      ++counts_.empty_spans;
      return;  // outside triage
    case SpanStatus::unresolved:
      ++counts_.unresolved_spans;
      ++unresolved_reasons_[span.unresolved_reason];
      return;
    case SpanStatus::not_judged:
      ++counts_.not_judged_spans;
      return;
  }
  if (const auto verdict = verdict_of(span)) ++counts_.verdicts[static_cast<std::size_t>(*verdict)];
}

void Tally::add_profiled_span(const SpanRecord& span) {
  std::array<std::uint64_t, kEntryShareCount> with_property{};
  for (const EntryRecord& entry : span.entries) {
    if (!entry.answer) continue;  // empty window: in the denominator only
    ++counts_.assessed_entries;
    for (std::size_t i = 0; i < kEntryShareCount; ++i) {
      if (counts_for(static_cast<Measure>(i), entry.answer->labels)) ++with_property[i];
    }
  }
  counts_.entries += span.entries.size();
  counts_.beneficial_entries += with_property[static_cast<std::size_t>(Measure::benefit)];
  counts_.harmful_entries += with_property[static_cast<std::size_t>(Measure::harm)];
  if (span.entries.empty()) return;  // a judged span has entries; a broken record must not divide by zero
  for (std::size_t i = 0; i < kEntryShareCount; ++i) shares_[i].add(with_property[i], span.entries.size());
}

void Tally::merge_sums(const Tally& other) {
  counts_ += other.counts_;
  for (std::size_t i = 0; i < shares_.size(); ++i) shares_[i].merge(other.shares_[i]);
  for (const auto& [reason, count] : other.unresolved_reasons_) unresolved_reasons_[reason] += count;
}

void Tally::merge_part(const Tally& other) {
  merge_sums(other);
  for (const auto& [item, episodes] : other.episodes_of_item_) episodes_of_item_[item] += episodes;
}

void Tally::merge_run(const Tally& other) {
  merge_sums(other);
  counts_.recurring_items += other.counts().recurring_items - other.counts_.recurring_items;
}

Counts Tally::counts() const {
  Counts counts = counts_;
  for (const auto& [item, episodes] : episodes_of_item_) {
    if (episodes >= kRecurringEpisodes) ++counts.recurring_items;
  }
  return counts;
}

Profile Tally::profile(TokenEstimator estimator, AssessedSignals assessed) const {
  Profile profile;
  profile.counts = counts();
  profile.unresolved_reasons = unresolved_reasons_;
  for (std::size_t i = 0; i < kEntryShareCount; ++i) {
    if (is_assessed(static_cast<Measure>(i), assessed)) profile.values[i] = shares_[i].mean();
  }
  const Counts& c = profile.counts;
  const auto set = [&profile](Measure measure, std::optional<double> value) {
    profile.values[static_cast<std::size_t>(measure)] = value;
  };
  set(Measure::restatement_share, ratio(c.restatements, c.deliveries));
  set(Measure::resolved, ratio(c.resolved, c.episodes));
  if (assessed.effects_need_probe && c.profiled_spans_with_probe == 0) {
    // No effect could be assessed in any span: a 0 here would be a claim.
    set(Measure::benefit, std::nullopt);
    set(Measure::harm, std::nullopt);
    return profile;
  }
  set(Measure::beneficial_yield, ratio(c.beneficial_entries, c.profiled_spans, 100.0));
  set(Measure::harmful_yield, ratio(c.harmful_entries, c.profiled_spans, 100.0));
  // Without a profiled span nothing is known about benefit: a 0 here would be a claim.
  if (c.profiled_spans > 0) set(Measure::token_efficiency, ratio(c.beneficial_entries, c.tokens(estimator), 1e6));
  return profile;
}

Counts counts_of(const EpisodeSpansRecord& record) {
  Tally tally;
  tally.add_attempt(record);
  return tally.counts();
}

void StudyTally::add(const EpisodeSpansRecord& record) {
  runs_[record.episode.configuration][record.episode.run].add(record);
}

void StudyTally::merge(const StudyTally& other) {
  for (const auto& [configuration, runs] : other.runs_) {
    for (const auto& [run, tally] : runs) runs_[configuration][run].merge_part(tally);
  }
}

StudyProfile StudyTally::finish(AssessedSignals assessed) const {
  StudyProfile study;
  study.assessed = assessed;
  std::map<std::string_view, Tally> pooled;
  Counts all;
  for (const auto& [configuration, runs] : runs_) {
    Tally& pool = pooled[configuration];
    for (const auto& [run, tally] : runs) pool.merge_run(tally);
    all += pool.counts();
  }
  if (all.recorded_tokens > 0 && all.deliveries_without_recorded_tokens == 0) {
    study.estimator = TokenEstimator::recorded;
  }
  for (const auto& [configuration, runs] : runs_) {
    ConfigurationProfile profile;
    profile.configuration = configuration;
    profile.pooled = pooled[configuration].profile(study.estimator, assessed);
    for (const auto& [run, tally] : runs) profile.runs.push_back({run, tally.profile(study.estimator, assessed)});
    profile.spreads = spreads_of(profile.runs);
    study.configurations.push_back(std::move(profile));
  }
  return study;
}

}  // namespace memuse::rules
