#include "agreement/agreement.h"

#include <algorithm>
#include <utility>

#include "stats/cluster_sums.h"
#include "stats/krippendorff.h"

namespace memuse::agreement {
namespace {

using stats::ConfusionMatrix;

/// Places in the order of an ordered signal: all categories but `null`, the last one.
std::vector<std::size_t> ordered_categories(const SignalScale& scale) {
  std::vector<std::size_t> kept(scale.categories.size() - 1);
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = i;
  return kept;
}

/// The coincidences of two raters are their confusion matrix counted both ways.
std::vector<double> coincidences(const ConfusionMatrix& matrix) {
  const std::size_t size = matrix.categories();
  std::vector<double> values(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) values[i * size + j] = matrix.count(i, j) + matrix.count(j, i);
  }
  return values;
}

Estimated estimate(const stats::ClusterSums& sums, const stats::Statistic& statistic,
                   const stats::Resampling& resampling) {
  if (resampling.resamples == 0) return {statistic(sums.totals()), std::nullopt};
  const std::optional<stats::Estimate> found = stats::bootstrap(sums, statistic, resampling);
  if (!found) return {};
  return {found->value, found->interval};
}

}  // namespace

Rater rater(const JudgementSetRecord& set) {
  return {set.judge, set.assesses_relevance, set.assesses_accuracy, set.effects_need_probe};
}

std::span<double> AgreementTally::EpisodeSums::line(std::uint64_t episode) {
  if (last_episode != episode) {
    lines.resize(lines.size() + columns, 0.0);
    last_episode = episode;
  }
  return std::span(lines).last(columns);
}

AgreementTally::AgreementTally(std::vector<Rater> raters) : raters_(std::move(raters)), answered_(raters_.size(), 0) {
  const auto square = [](std::size_t size) { return EpisodeSums{size * size, 0, 0, {}}; };
  for (std::size_t first = 0; first < raters_.size(); ++first) {
    for (std::size_t second = first + 1; second < raters_.size(); ++second) {
      Pair pair{first, second, 0, 0, 0, {}};
      for (const Signal signal : kSignals) pair.signals.push_back(square(scale(signal).categories.size()));
      pairs_.push_back(std::move(pair));
    }
  }
  if (raters_.size() < 3) return;
  for (const Signal signal : kSignals) {
    const std::size_t categories = scale(signal).categories.size();
    joint_.push_back({square(categories), square(categories - 1)});
  }
}

void AgreementTally::begin_episode(bool has_probe) {
  ++episode_;
  has_probe_ = has_probe;
}

bool AgreementTally::assesses(std::size_t rater, Signal signal) const {
  if (signal == Signal::relevance) return raters_[rater].assesses_relevance;
  if (signal == Signal::accuracy) return raters_[rater].assesses_accuracy;
  return true;
}

bool AgreementTally::is_compared(std::size_t rater, Signal signal) const {
  return assesses(rater, signal) && (signal != Signal::effect || has_probe_ || !raters_[rater].effects_need_probe);
}

void AgreementTally::add(std::span<const std::optional<Labels>> labels) {
  for (std::size_t i = 0; i < raters_.size(); ++i) answered_[i] += labels[i] ? 1U : 0U;
  for (Pair& pair : pairs_) {
    const std::optional<Labels>& first = labels[pair.first];
    const std::optional<Labels>& second = labels[pair.second];
    if (first && second) {
      ++pair.both;
      add_to_pair(pair, *first, *second);
    } else if (first) {
      ++pair.only_first;
    } else if (second) {
      ++pair.only_second;
    }
  }
  for (std::size_t i = 0; i < joint_.size(); ++i) add_to_joint(joint_[i], kSignals[i], labels);
}

void AgreementTally::add_to_pair(Pair& pair, const Labels& first, const Labels& second) const {
  for (const Signal signal : kSignals) {
    if (!is_compared(pair.first, signal) || !is_compared(pair.second, signal)) continue;
    EpisodeSums& sums = pair.signals[static_cast<std::size_t>(signal)];
    const std::size_t categories = scale(signal).categories.size();
    sums.line(episode_)[category(signal, first) * categories + category(signal, second)] += 1.0;
    ++sums.units;
  }
}

void AgreementTally::add_to_joint(Joint& joint, Signal signal, std::span<const std::optional<Labels>> labels) const {
  const std::size_t null = scale(signal).categories.size() - 1;
  std::vector<std::optional<std::size_t>> nominal(raters_.size());
  std::vector<std::optional<std::size_t>> ordinal(raters_.size());
  for (std::size_t i = 0; i < raters_.size(); ++i) {
    if (!labels[i] || !is_compared(i, signal)) continue;
    nominal[i] = category(signal, *labels[i]);
    if (*nominal[i] != null) ordinal[i] = nominal[i];
  }
  const auto count = [&](EpisodeSums& sums, const std::vector<std::optional<std::size_t>>& ratings,
                         std::size_t categories) {
    const auto given =
        std::count_if(ratings.begin(), ratings.end(), [](const auto& rating) { return rating.has_value(); });
    if (given < 2) return;
    stats::Coincidences unit(categories);
    unit.add_unit(ratings);
    const std::vector<double> values = unit.values();
    const std::span<double> line = sums.line(episode_);
    for (std::size_t i = 0; i < values.size(); ++i) line[i] += values[i];
    ++sums.units;
  };
  count(joint.nominal, nominal, null + 1);
  if (scale(signal).ordered) count(joint.ordinal, ordinal, null);
}

SignalAgreement AgreementTally::finish_signal(const Pair& pair, Signal signal,
                                              const stats::Resampling& resampling) const {
  const SignalScale& values = scale(signal);
  const std::size_t categories = values.categories.size();
  const EpisodeSums& lines = pair.signals[static_cast<std::size_t>(signal)];
  SignalAgreement result;
  result.signal = signal;
  result.assessed = assesses(pair.first, signal) && assesses(pair.second, signal);
  result.confusion = ConfusionMatrix(categories);
  if (lines.units == 0) return result;

  const stats::ClusterSums sums(lines.columns, lines.lines);
  result.n = lines.units;
  result.episodes = sums.clusters();
  result.confusion = ConfusionMatrix(categories, sums.totals());
  const auto of_matrix = [&](const auto& statistic) {
    return estimate(
        sums, [&](std::span<const double> counts) { return statistic(ConfusionMatrix(categories, counts)); },
        resampling);
  };
  result.agreement = of_matrix([](const ConfusionMatrix& matrix) { return matrix.agreement(); });
  result.kappa = of_matrix([](const ConfusionMatrix& matrix) { return stats::cohen_kappa(matrix); });
  result.alpha = of_matrix([](const ConfusionMatrix& matrix) {
    return stats::krippendorff_alpha(coincidences(matrix), stats::Scale::nominal);
  });
  if (!values.ordered) return result;
  const std::vector<std::size_t> kept = ordered_categories(values);
  result.weighted_kappa = of_matrix(
      [&](const ConfusionMatrix& matrix) { return stats::linear_weighted_kappa(matrix.restricted_to(kept)); });
  result.ordinal_alpha = of_matrix([&](const ConfusionMatrix& matrix) {
    return stats::krippendorff_alpha(coincidences(matrix.restricted_to(kept)), stats::Scale::ordinal);
  });
  return result;
}

JointAgreement AgreementTally::finish_joint(const Joint& joint, Signal signal,
                                            const stats::Resampling& resampling) const {
  JointAgreement result;
  result.signal = signal;
  for (std::size_t i = 0; i < raters_.size(); ++i) result.raters += assesses(i, signal) ? 1U : 0U;
  const auto alpha = [&](const EpisodeSums& lines, stats::Scale scale) -> Estimated {
    if (lines.units == 0) return {};
    return estimate(
        stats::ClusterSums(lines.columns, lines.lines),
        [scale](std::span<const double> values) { return stats::krippendorff_alpha(values, scale); }, resampling);
  };
  result.n = joint.nominal.units;
  result.episodes = joint.nominal.lines.size() / joint.nominal.columns;
  result.alpha = alpha(joint.nominal, stats::Scale::nominal);
  result.ordinal_alpha = alpha(joint.ordinal, stats::Scale::ordinal);
  return result;
}

Agreement AgreementTally::finish(const stats::Resampling& resampling) const {
  Agreement result{raters_, answered_, {}, {}};
  for (const Pair& pair : pairs_) {
    PairAgreement done{pair.first, pair.second, pair.both, pair.only_first, pair.only_second, {}};
    for (const Signal signal : kSignals) done.signals.push_back(finish_signal(pair, signal, resampling));
    result.pairs.push_back(std::move(done));
  }
  for (std::size_t i = 0; i < joint_.size(); ++i) {
    result.joint.push_back(finish_joint(joint_[i], kSignals[i], resampling));
  }
  return result;
}

}  // namespace memuse::agreement
