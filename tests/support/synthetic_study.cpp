#include "support/synthetic_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "stats/random.h"

namespace memuse::test {
namespace {

using stats::RandomStream;

constexpr std::uint64_t kTaskOrder = 1;
constexpr std::uint64_t kEase = 2;
constexpr std::uint64_t kTaskEffect = 3;
constexpr std::uint64_t kFirstEpisodeStream = 1000;

bool happens(RandomStream& random, double chance) {
  return random.unit() < chance;
}

/// The index of the chance that `random` falls on; the number of chances when it falls on the rest.
std::size_t pick(RandomStream& random, std::initializer_list<double> chances) {
  double left = random.unit();
  std::size_t index = 0;
  for (const double chance : chances) {
    if (left < chance) return index;
    left -= chance;
    ++index;
  }
  return index;
}

/// A whole number with this mean: one of the two next to it.
std::uint32_t around(RandomStream& random, double mean) {
  const double whole = std::floor(mean);
  return static_cast<std::uint32_t>(whole) + (happens(random, mean - whole) ? 1U : 0U);
}

std::vector<std::uint32_t> permutation(std::uint32_t size, RandomStream random) {
  std::vector<std::uint32_t> order(size);
  for (std::uint32_t i = 0; i < size; ++i) order[i] = i;
  for (std::uint32_t i = size; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::optional<Effect> draw_effect(RandomStream& random, const LabelChances& chances) {
  switch (pick(random, {chances.improved, chances.harmed, chances.effect_null})) {
    case 0:
      return Effect::improved;
    case 1:
      return Effect::harmed;
    case 2:
      return std::nullopt;
    default:
      return Effect::no_effect;
  }
}

std::optional<Novelty> draw_novelty(RandomStream& random, const LabelChances& chances, bool acted_on) {
  switch (pick(random, {chances.novel, chances.confirming, chances.novelty_null})) {
    case 0:
      return Novelty::novel;
    case 1:
      return Novelty::confirming;
    case 2:
      return std::nullopt;
    default:
      return acted_on ? Novelty::confirming : Novelty::redundant;
  }
}

std::optional<Influence> draw_influence(RandomStream& random, const LabelChances& chances, bool relevant,
                                        double acted_on) {
  if (!relevant) return happens(random, chances.influence_null) ? std::nullopt : std::optional(Influence::none);
  switch (pick(random, {chances.influence_null, acted_on, chances.selected, chances.referenced})) {
    case 0:
      return std::nullopt;
    case 1:
      return Influence::acted_on;
    case 2:
      return Influence::selected;
    case 3:
      return Influence::referenced;
    default:
      return Influence::none;
  }
}

Labels draw_labels(RandomStream& random, const LabelChances& chances, double acted_on) {
  Labels labels;
  labels.relevance = happens(random, chances.relevant);
  const std::size_t accuracy = pick(random, {chances.corroborated, chances.contradicted});
  labels.accuracy = accuracy == 0   ? Accuracy::corroborated
                    : accuracy == 1 ? Accuracy::contradicted
                                    : Accuracy::uncontradicted;
  labels.influence = draw_influence(random, chances, *labels.relevance, acted_on);
  const bool acts = labels.influence == Influence::acted_on;
  labels.novelty = draw_novelty(random, chances, acts);
  if (acts) labels.effect = draw_effect(random, chances);
  return labels;
}

/// What is the same for a task in every run.
struct Tasks {
  explicit Tasks(const SyntheticStudy& study)
      : order(permutation(study.tasks, RandomStream(study.seed, kTaskOrder))),
        ease(permutation(study.tasks, RandomStream(study.seed, kEase))),
        effect(permutation(study.tasks, RandomStream(study.seed, kTaskEffect))) {}

  std::vector<std::uint32_t> order;  ///< task at each position, from 0
  std::vector<std::uint32_t> ease;   ///< rank of the task
  std::vector<std::uint32_t> effect;
};

/// Plans one run: first its outcomes, then what each episode is delivered, which may come from earlier ones.
class RunPlanner {
 public:
  RunPlanner(const SyntheticStudy& study, const Tasks& tasks, std::size_t configuration, std::uint32_t run)
      : study_(study), tasks_(tasks), configuration_(study.configurations[configuration]) {
    for (std::uint32_t place = 0; place < study.tasks; ++place) {
      const std::uint64_t stream = kFirstEpisodeStream + (configuration * study.runs + run) * study.tasks + place;
      random_.emplace_back(study.seed, stream);
      episodes_.push_back(outcome(place, run));
    }
    if (!configuration_.memory) return;
    for (std::uint32_t place = 0; place < study.tasks; ++place) deliver(place);
  }

  [[nodiscard]] const std::vector<PlannedEpisode>& episodes() const { return episodes_; }

 private:
  [[nodiscard]] double rank_share(std::uint32_t rank) const { return (rank + 0.5) / study_.tasks; }

  PlannedEpisode outcome(std::uint32_t place, std::uint32_t run) {
    const std::uint32_t task = tasks_.order[place];
    PlannedEpisode episode;
    episode.configuration = configuration_.name;
    episode.run = fmt::format("r{}", run + 1);
    episode.id = fmt::format("e{}", place + 1);
    episode.task = fmt::format("task-{:04}", task + 1);
    episode.repo = fmt::format("repo-{}", task % study_.repositories + 1);
    episode.position = place + 1;
    const double chance = configuration_.resolved + study_.difficulty_spread * (rank_share(tasks_.ease[task]) - 0.5);
    const bool resolved = happens(random_[place], chance);
    if (!happens(random_[place], study_.unknown_outcome)) episode.resolved = resolved;
    episode.step_usd = configuration_.step_usd;
    episode.steps_after = configuration_.labels.longest_delay + 1;
    if (configuration_.memory) {
      episode.side_usd = configuration_.side_usd;
    } else {
      episode.delivery_grade = DeliveryGrade::none;
    }
    return episode;
  }

  void deliver(std::uint32_t place) {
    RandomStream& random = random_[place];
    // Draws happen in every episode; those with too few episodes before them get nothing.
    const std::uint32_t spans = around(random, configuration_.spans);
    if (place < configuration_.origins.longest_gap) return;
    for (std::uint32_t i = 0; i < spans; ++i) {
      episodes_[place].spans.push_back(judged_span(place));
      PlannedSpan& first = episodes_[place].spans.front();
      if (i == 0 && first.entries.size() > 1 && happens(random, configuration_.automatic)) {
        PlannedSpan again = first;
        again.routing = Routing::automatic_neutral;
        again.restatements = around(random, configuration_.restatements);
        again.entries.resize(1);
        again.entries.front().labels = {};
        episodes_[place].spans.push_back(std::move(again));
      }
    }
    if (happens(random, configuration_.empty)) {
      PlannedSpan none;
      none.routing = Routing::empty;
      none.form = configuration_.forms.front().form;
      none.route = configuration_.forms.front().route;
      episodes_[place].spans.push_back(std::move(none));
    }
  }

  PlannedSpan judged_span(std::uint32_t place) {
    RandomStream& random = random_[place];
    PlannedSpan span;
    const FormChance& form = draw_form(random);
    span.form = form.form;
    span.route = form.route;
    span.restatements = around(random, configuration_.restatements);
    const std::uint32_t entries = judged_spans_++ % configuration_.most_entries + 1;
    for (std::uint32_t i = 0; i < entries; ++i) span.entries.push_back(draw_entry(place, form));
    return span;
  }

  const FormChance& draw_form(RandomStream& random) const {
    double left = random.unit();
    for (const FormChance& form : configuration_.forms) {
      if (left < form.share) return form;
      left -= form.share;
    }
    return configuration_.forms.back();
  }

  PlannedEntry draw_entry(std::uint32_t place, const FormChance& form) {
    RandomStream& random = random_[place];
    const LabelChances& chances = configuration_.labels;
    PlannedEntry entry;
    entry.item = fmt::format("i{}", ++items_);
    entry.text = fmt::format("Note {} of {}: ", items_, episodes_[place].run);
    entry.text.resize(std::max(entry.text.size(), form.entry_bytes), 'x');
    const double effect = 1.0 + study_.task_effect * (2.0 * rank_share(tasks_.effect[tasks_.order[place]]) - 1.0);
    entry.labels = draw_labels(random, chances, std::min(1.0, chances.acted_on * effect));
    entry.delay = random.below(chances.longest_delay + 1);
    switch (pick(random, {configuration_.origins.traced, configuration_.origins.same_episode})) {
      case 0:
        episodes_[source_of(place)].created.push_back(entry);
        break;
      case 1:
        episodes_[place].created.push_back(entry);
        break;
      default:
        break;
    }
    return entry;
  }

  /// One of the last `longest_gap` episodes: failed or not, and of the same repository or not, as the chances say.
  /// Where there is none such, any of them.
  std::uint32_t source_of(std::uint32_t place) {
    RandomStream& random = random_[place];
    const OriginChances& chances = configuration_.origins;
    const bool failed = happens(random, chances.failed);
    const bool other = happens(random, chances.other_repository);
    std::vector<std::uint32_t> fitting;
    for (std::uint32_t source = place - chances.longest_gap; source < place; ++source) {
      const PlannedEpisode& episode = episodes_[source];
      if ((episode.resolved == false) != failed) continue;
      if ((episode.repo != episodes_[place].repo) == other) fitting.push_back(source);
    }
    if (fitting.empty()) return place - 1 - random.below(chances.longest_gap);
    return fitting[random.below(static_cast<std::uint32_t>(fitting.size()))];
  }

  const SyntheticStudy& study_;
  const Tasks& tasks_;
  const SyntheticConfiguration& configuration_;
  std::vector<RandomStream> random_;  ///< one for each episode
  std::vector<PlannedEpisode> episodes_;
  std::uint64_t items_ = 0;
  std::uint32_t judged_spans_ = 0;
};

SyntheticConfiguration with_memory(std::string name, double resolved) {
  SyntheticConfiguration configuration;
  configuration.name = std::move(name);
  configuration.resolved = resolved;
  return configuration;
}

}  // namespace

double LabelChances::chance(rules::Measure measure) const {
  const double acts = relevant * acted_on;
  switch (measure) {
    case rules::Measure::relevance:
      return relevant;
    case rules::Measure::corroboration:
      return relevant * corroborated;
    case rules::Measure::information_gain:
      return acts * (1.0 - novelty_null) + (relevant - acts) * (novel + confirming);
    case rules::Measure::acted_on:
      return acts;
    case rules::Measure::benefit:
      return acts * improved;
    case rules::Measure::harm:
      return acts * harmed;
    case rules::Measure::contradicted:
      return contradicted;
    case rules::Measure::novelty_null:
      return novelty_null;
    case rules::Measure::influence_null:
      return influence_null;
    case rules::Measure::effect_null:
      return acts * effect_null;
    default:
      return 0.0;
  }
}

void SyntheticStudy::for_each(const std::function<void(const PlannedEpisode&)>& visit) const {
  const Tasks shared(*this);
  for (std::size_t configuration = 0; configuration < configurations.size(); ++configuration) {
    for (std::uint32_t run = 0; run < runs; ++run) {
      const RunPlanner planner(*this, shared, configuration, run);
      for (const PlannedEpisode& episode : planner.episodes()) visit(episode);
    }
  }
}

PlanSource SyntheticStudy::source() const {
  return [study = *this](const std::function<void(const PlannedEpisode&)>& visit) { study.for_each(visit); };
}

SyntheticStudy planted_study(std::uint64_t seed) {
  SyntheticStudy study;
  study.seed = seed;
  SyntheticConfiguration none = with_memory("none", 0.40);
  none.memory = false;
  SyntheticConfiguration cards = with_memory("cards", 0.48);
  cards.forms = {{"task recall", Route::host, 0.5, 60},
                 {"full card", Route::agent, 0.2, 400},
                 {"search preview", Route::agent, 0.3, 120}};
  SyntheticConfiguration diary = with_memory("diary", 0.43);
  diary.labels = {.relevant = 0.3, .novel = 0.6, .confirming = 0.1, .acted_on = 0.2, .improved = 0.3, .harmed = 0.2};
  diary.origins = {.traced = 0.9, .same_episode = 0.05, .failed = 0.6, .other_repository = 0.1};
  diary.forms = {{"persona", Route::host, 0.8, 200}, {"search preview", Route::agent, 0.2, 100}};
  SyntheticConfiguration skills = with_memory("skills", 0.36);
  skills.spans = 2.25;
  skills.restatements = 0.4;
  skills.labels = {.relevant = 0.7, .acted_on = 0.5, .improved = 0.2, .harmed = 0.4, .effect_null = 0.1};
  skills.origins = {.traced = 0.5, .same_episode = 0.2, .failed = 0.2, .other_repository = 0.5};
  skills.forms = {{"skill", Route::host, 1.0, 300}};
  study.configurations = {none, cards, diary, skills};
  return study;
}

SyntheticStudy large_study(std::uint64_t seed) {
  SyntheticStudy study = planted_study(seed);
  study.runs = 16;
  for (SyntheticConfiguration& configuration : study.configurations) {
    configuration.spans = 0.85;
    configuration.restatements = 4.6;
    configuration.automatic = 0.2;
    configuration.labels.improved = 0.1;
  }
  return study;
}

}  // namespace memuse::test
