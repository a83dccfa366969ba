#include "attribution/collector.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "model/episode.h"
#include "rules/verdict.h"

namespace memuse::attribution {
namespace {

/// What an episode is resampled with: the first that it has of an arc, a task, nothing but itself.
struct ClusterKey {
  enum class Kind : std::uint8_t { group, task, alone } kind = Kind::alone;
  std::uint32_t id = 0;  ///< a name, or for `alone` the place of the episode
  friend auto operator<=>(const ClusterKey&, const ClusterKey&) = default;
};

ClusterKey cluster_key(const EpisodeFacts& facts, std::uint32_t place) {
  if (facts.group != 0) return {ClusterKey::Kind::group, facts.group};
  if (facts.task != 0) return {ClusterKey::Kind::task, facts.task};
  return {ClusterKey::Kind::alone, place};
}

void number_clusters(std::vector<EpisodeFacts>& episodes) {
  std::map<ClusterKey, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < episodes.size(); ++i) numbers.emplace(cluster_key(episodes[i], i), 0);
  std::uint32_t next = 0;
  for (auto& [key, number] : numbers) number = next++;
  for (std::uint32_t i = 0; i < episodes.size(); ++i) episodes[i].cluster = numbers.at(cluster_key(episodes[i], i));
}

std::optional<std::uint32_t> narrowed(const std::optional<std::uint64_t>& position) {
  if (!position || *position > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*position);
}

}  // namespace

NameId Collector::intern(const std::string& name) {
  if (study_.names.empty()) {
    study_.names.emplace_back();
    name_ids_.emplace(std::string(), 0);
  }
  const auto [found, is_new] = name_ids_.emplace(name, static_cast<NameId>(study_.names.size()));
  if (is_new) study_.names.push_back(name);
  return found->second;
}

FormFacts& Collector::form_of(const DeliveryRecord& delivery, EpisodeFacts& facts) {
  const auto form =
      form_ids_.emplace(DeliveryForm{delivery.route, delivery.form}, static_cast<std::uint32_t>(form_ids_.size()))
          .first->second;
  const auto begin = study_.form_facts.begin() + facts.first_form;
  const auto found =
      std::find_if(begin, study_.form_facts.end(), [form](const FormFacts& known) { return known.form == form; });
  if (found != study_.form_facts.end()) return *found;
  ++facts.form_count;
  FormFacts fresh;
  fresh.form = form;
  study_.form_facts.push_back(fresh);
  return study_.form_facts.back();
}

void Collector::add(const EpisodeSpansRecord& record) {
  tally_.add(record);
  const EpisodeRecord& episode = record.episode;
  if (!episode.retained) return;
  EpisodeFacts facts;
  facts.configuration = intern(episode.configuration);
  facts.run = intern(episode.run);
  facts.episode = intern(episode.episode);
  facts.task = intern(episode.task_id);
  facts.group = intern(episode.group);
  facts.repo = intern(episode.repo);
  facts.domain = intern(episode.domain);
  facts.tier = intern(episode.tier);
  facts.model = intern(episode.model);
  facts.seed = intern(episode.seed);
  facts.condition = intern(episode.condition);
  facts.position = narrowed(episode.position);
  facts.resolved = episode.resolved;
  facts.has_probe = episode.has_probe;
  facts.deliveries_recorded = episode.delivery_grade != name(DeliveryGrade::not_recorded);
  facts.agent = episode.agent;
  facts.side = episode.side;
  facts.cost = rules::episode_cost(episode, price_of_);
  facts.first_form = static_cast<std::uint32_t>(study_.form_facts.size());
  facts.first_delay = static_cast<std::uint32_t>(study_.delays.size());
  for (const SpanRecord& span : record.spans) {
    add_deliveries(span, facts);
    if (span.status == SpanStatus::judged) add_profiled_span(span, facts);
  }
  study_.episodes.push_back(facts);
  uids_.push_back(episode.task_id.empty() ? episode.uid : std::string());
}

void Collector::add_deliveries(const SpanRecord& span, EpisodeFacts& facts) {
  for (const DeliveryRecord& delivery : span.deliveries) {
    ++facts.deliveries;
    if (delivery.restatement) ++facts.restatements;
    facts.recorded_tokens += delivery.recorded_tokens.value_or(0);
    facts.estimated_tokens += delivery.estimated_tokens;
    FormFacts& form = form_of(delivery, facts);
    ++form.deliveries;
    form.recorded_tokens += delivery.recorded_tokens.value_or(0);
    form.estimated_tokens += delivery.estimated_tokens;
  }
}

void Collector::add_profiled_span(const SpanRecord& span, EpisodeFacts& facts) {
  ++facts.profiled_spans;
  if (const auto verdict = rules::verdict_of(span)) ++facts.verdicts[static_cast<std::size_t>(*verdict)];
  facts.entries += static_cast<std::uint32_t>(span.entries.size());
  if (span.entries.empty() || span.deliveries.empty()) return;  // a judged span has both; a broken record must not fail
  FormFacts& form = form_of(span.deliveries.front(), facts);
  const auto before = facts.with_property;
  for (const EntryRecord& entry : span.entries) {
    if (entry.answer) add_entry(entry, span, facts, form);
  }
  for (std::size_t i = 0; i < rules::kEntryShareCount; ++i) {
    facts.share_sums[i] +=
        static_cast<double>(facts.with_property[i] - before[i]) / static_cast<double>(span.entries.size());
  }
}

void Collector::add_entry(const EntryRecord& entry, const SpanRecord& span, EpisodeFacts& facts, FormFacts& form) {
  const Labels& labels = entry.answer->labels;
  ++facts.assessed;
  ++form.assessed;
  for (std::size_t i = 0; i < rules::kEntryShareCount; ++i) {
    if (rules::counts_for(static_cast<rules::Measure>(i), labels)) ++facts.with_property[i];
  }
  const bool relevant = labels.relevance == true;
  const bool acted_on = labels.influence == Influence::acted_on;
  if (relevant && labels.influence == Influence::none) {
    ++facts.unused;
    if (labels.novelty == Novelty::novel) ++facts.novel_unused;
  }
  if (acted_on && labels.effect == Effect::no_effect) ++facts.no_effect;
  if (relevant) ++form.relevant;
  if (acted_on) ++form.acted_on;
  if (rules::is_beneficial(labels)) ++form.beneficial;
  if (rules::is_harmful(labels)) ++form.harmful;
  const std::vector<std::uint32_t>& anchors = entry.answer->anchors;
  if (!acted_on || anchors.empty()) return;
  const std::uint32_t first = *std::min_element(anchors.begin(), anchors.end());
  study_.delays.push_back(first > span.first_step ? first - span.first_step : 0);
  ++facts.delay_count;
}

void Collector::sort_names() {
  std::vector<NameId> order(study_.names.size());
  for (NameId i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [this](NameId a, NameId b) { return study_.names[a] < study_.names[b]; });
  std::vector<NameId> rank(order.size());
  std::vector<std::string> sorted;
  sorted.reserve(order.size());
  for (NameId i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    sorted.push_back(std::move(study_.names[order[i]]));
  }
  study_.names = std::move(sorted);
  for (EpisodeFacts& facts : study_.episodes) {
    for (NameId* id : {&facts.configuration, &facts.run, &facts.episode, &facts.task, &facts.group, &facts.repo,
                       &facts.domain, &facts.tier, &facts.model, &facts.seed, &facts.condition}) {
      *id = rank[*id];
    }
  }
}

void Collector::sort_forms() {
  std::vector<std::uint32_t> rank(form_ids_.size());
  for (const auto& [form, id] : form_ids_) {
    rank[id] = static_cast<std::uint32_t>(study_.forms.size());
    study_.forms.push_back(form);
  }
  for (FormFacts& form : study_.form_facts) form.form = rank[form.form];
  for (const EpisodeFacts& facts : study_.episodes) {
    const auto begin = study_.form_facts.begin() + facts.first_form;
    std::sort(begin, begin + facts.form_count, [](const FormFacts& a, const FormFacts& b) { return a.form < b.form; });
  }
}

void Collector::sort_episodes() {
  std::vector<std::uint32_t> order(study_.episodes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [this](std::uint32_t i) {
    const EpisodeFacts& facts = study_.episodes[i];
    return std::tie(facts.configuration, facts.run, facts.task, facts.episode, uids_[i]);
  };
  std::sort(order.begin(), order.end(), [&key](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::vector<EpisodeFacts> sorted;
  sorted.reserve(order.size());
  for (const std::uint32_t i : order) sorted.push_back(study_.episodes[i]);
  study_.episodes = std::move(sorted);
}

StudyFacts Collector::finish(rules::AssessedSignals assessed, std::string baseline) {
  intern("");
  sort_names();
  sort_forms();
  sort_episodes();
  number_clusters(study_.episodes);
  study_.profile = tally_.finish(assessed);
  study_.profile.baseline = std::move(baseline);
  return std::move(study_);
}

}  // namespace memuse::attribution
