#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/records.h"
#include "rules/call_cost.h"
#include "rules/profile.h"

// What the tables, figures and comparisons of point-of-use attribution need of a study beyond its profiles: numbers per
// retained episode, without any text of the trace. From them ratios are summed per task and resampled.
//
// Memory: about 400 bytes an episode, 56 bytes for each form that was delivered in it, 4 for each entry that was acted
// on, and each distinct name once. 32,000 episodes take about 20 MB.

namespace memuse::attribution {

/// A name of the study (configuration, run, task, …): an index into `StudyFacts::names`. Names are sorted as bytes, so
/// indices compare as the names do. 0 is the empty name.
using NameId = std::uint32_t;

/// How a delivery arrived and what it was called.
struct DeliveryForm {
  std::string route;  ///< `host` or `agent`
  std::string form;
  friend bool operator==(const DeliveryForm&, const DeliveryForm&) = default;
  friend auto operator<=>(const DeliveryForm&, const DeliveryForm&) = default;
};

/// Deliveries and assessed entries of one form in one episode. Tokens count under each delivery's own form, entries
/// under the form of their span's target delivery (semantics.md §8).
struct FormFacts {
  std::uint32_t form = 0;  ///< index into `StudyFacts::forms`
  std::uint32_t deliveries = 0;
  std::uint64_t recorded_tokens = 0, estimated_tokens = 0;
  std::uint32_t assessed = 0;  ///< entries of profiled spans that have an answer
  std::uint32_t relevant = 0, acted_on = 0, beneficial = 0, harmful = 0;

  [[nodiscard]] std::uint64_t tokens(rules::TokenEstimator estimator) const {
    return estimator == rules::TokenEstimator::recorded ? recorded_tokens : estimated_tokens;
  }
};

/// One retained episode. All counts of entries are over the entries of its profiled spans.
struct EpisodeFacts {
  NameId configuration = 0, run = 0, episode = 0;
  NameId task = 0;   ///< 0: the trace names no task, so no other episode has the same
  NameId group = 0;  ///< the arc it belongs to, if any
  NameId repo = 0, domain = 0, tier = 0, model = 0, seed = 0, condition = 0;
  /// What is resampled whole: its arc, else its task, else the episode alone. Numbered over the study.
  std::uint32_t cluster = 0;
  std::optional<std::uint32_t> position;
  std::optional<bool> resolved;
  bool has_probe = false;
  bool deliveries_recorded = true;  ///< false: the trace does not say what memory delivered

  CallTotals agent, side;
  rules::EpisodeCost cost;

  std::uint32_t deliveries = 0;  ///< consumed ones
  std::uint32_t restatements = 0;
  std::uint64_t recorded_tokens = 0, estimated_tokens = 0;

  std::uint32_t profiled_spans = 0;
  std::array<std::uint32_t, 5> verdicts{};  ///< by Verdict, over profiled spans
  std::uint32_t entries = 0;                ///< empty windows included
  std::uint32_t assessed = 0;               ///< with an answer

  /// By measure: the sum over profiled spans of (entries with the property) / (entries). Divided by `profiled_spans`
  /// it is the mean entry share.
  std::array<double, rules::kEntryShareCount> share_sums{};
  /// By measure: entries with the property (relevance: the relevant ones, effect_null: acted on with an open effect …).
  std::array<std::uint32_t, rules::kEntryShareCount> with_property{};
  std::uint32_t unused = 0;        ///< relevant with influence `none`
  std::uint32_t novel_unused = 0;  ///< of these, novelty `novel`
  std::uint32_t no_effect = 0;     ///< acted on with effect `no_effect`

  std::uint32_t first_form = 0, form_count = 0;    ///< range in `StudyFacts::form_facts`
  std::uint32_t first_delay = 0, delay_count = 0;  ///< range in `StudyFacts::delays`

  [[nodiscard]] std::uint32_t count(rules::Measure measure) const {
    return with_property[static_cast<std::size_t>(measure)];
  }
  [[nodiscard]] std::uint32_t relevant() const { return count(rules::Measure::relevance); }
  [[nodiscard]] std::uint32_t acted_on() const { return count(rules::Measure::acted_on); }
  [[nodiscard]] std::uint32_t beneficial() const { return count(rules::Measure::benefit); }
  [[nodiscard]] std::uint32_t harmful() const { return count(rules::Measure::harm); }
  /// Acted on, and the record does not settle the effect.
  [[nodiscard]] std::uint32_t undetermined() const { return count(rules::Measure::effect_null); }
  [[nodiscard]] std::uint64_t tokens(rules::TokenEstimator estimator) const {
    return estimator == rules::TokenEstimator::recorded ? recorded_tokens : estimated_tokens;
  }
};

/// Everything about a study that its tables rest on.
struct StudyFacts {
  /// Point values of all measures. What the tables print beside an interval is this, to the bit.
  rules::StudyProfile profile;
  std::vector<EpisodeFacts> episodes;  ///< by configuration, run, task, episode
  std::vector<std::string> names;      ///< sorted; the first is empty
  std::vector<DeliveryForm> forms;     ///< sorted
  std::vector<FormFacts> form_facts;
  std::vector<std::uint32_t> delays;

  [[nodiscard]] const std::string& name(NameId id) const { return names[id]; }
  /// The id of a name; nothing when no episode has it.
  [[nodiscard]] std::optional<NameId> find_name(const std::string& name) const;
  /// Forms delivered in an episode. Valid as long as the study.
  [[nodiscard]] std::span<const FormFacts> forms_of(const EpisodeFacts& episode) const {
    return std::span(form_facts).subspan(episode.first_form, episode.form_count);
  }
  /// For each entry of the episode that was acted on: steps from its span's first consuming step to its first anchor.
  [[nodiscard]] std::span<const std::uint32_t> delays_of(const EpisodeFacts& episode) const {
    return std::span(delays).subspan(episode.first_delay, episode.delay_count);
  }
};

/// Episodes of a study, in its order. Valid as long as the study.
using Episodes = std::vector<const EpisodeFacts*>;

/// The retained episodes of a configuration, or of one of its runs; none when there is no such configuration or run.
[[nodiscard]] Episodes episodes_of(const StudyFacts& study, const std::string& configuration,
                                   const std::optional<std::string>& run = std::nullopt);

}  // namespace memuse::attribution
