#include "retrieval/summary.h"

#include <map>
#include <set>
#include <utility>

namespace memuse::retrieval {
namespace {

using Results = std::vector<const ScoredResult*>;

/// Rows for a mean, clustered by question.
class Mean {
 public:
  void add(const std::string& cluster, double value) { rows_.push_back({cluster, value, 1.0}); }
  [[nodiscard]] std::optional<stats::Estimate> estimate(const stats::Resampling& resampling) const {
    std::optional<stats::Estimate> estimate = stats::ratio(rows_, resampling);
    if (estimate.has_value() && estimate->clusters < kFewestForInterval) estimate->interval.reset();
    return estimate;
  }

 private:
  std::vector<stats::Row> rows_;
};

std::optional<double> ratio(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

Cost cost_of(const Results& results) {
  std::vector<double> tokens;
  std::vector<double> latencies;
  Cost cost;
  for (const ScoredResult* scored : results) {
    if (scored->result.tokens.has_value()) {
      tokens.push_back(*scored->result.tokens);
      if (scored->result.tokens_estimated) ++cost.tokens_estimated;
    }
    if (scored->result.latency_ms.has_value()) latencies.push_back(*scored->result.latency_ms);
  }
  cost.with_tokens = tokens.size();
  cost.tokens_p50 = percentile(tokens, 0.5);
  cost.tokens_p95 = percentile(std::move(tokens), 0.95);
  cost.with_latency = latencies.size();
  cost.latency_p50 = percentile(latencies, 0.5);
  cost.latency_p95 = percentile(std::move(latencies), 0.95);
  return cost;
}

class Summary {
 public:
  Summary(const std::vector<GoldQuestion>& questions, const ScoreOptions& options)
      : questions_(questions), options_(options) {}

  [[nodiscard]] ConfigurationSummary of_configuration(const std::string& name, const Results& results) const {
    ConfigurationSummary summary;
    summary.configuration = name;
    std::set<std::string> runs;
    std::map<std::string, Results> categories;
    for (const ScoredResult* scored : results) {
      runs.insert(scored->result.run);
      categories[question(*scored).category].push_back(scored);
    }
    summary.runs.assign(runs.begin(), runs.end());
    for (const auto& [category, members] : categories) summary.categories.push_back(of_category(category, members));
    summary.categories.push_back(of_category({}, results));
    summary.categories.back().all = true;
    summary.abstention = abstention(results);
    summary.newest_returned = newest_returned(results);
    summary.newest_used = newest_used(results, summary.stale_used);
    summary.valid_returned = valid_returned(results);
    return summary;
  }

 private:
  [[nodiscard]] const GoldQuestion& question(const ScoredResult& scored) const {
    return questions_[scored.result.question];
  }

  [[nodiscard]] CategorySummary of_category(const std::string& category, const Results& results) const {
    CategorySummary summary;
    summary.category = category;
    summary.n = results.size();
    std::set<std::size_t> asked;
    for (const ScoredResult* scored : results) asked.insert(scored->result.question);
    summary.questions = asked.size();
    for (std::size_t i = 0; i < options_.depths.size(); ++i) summary.depths.push_back(at_depth(i, results));
    summary.cost = cost_of(results);
    return summary;
  }

  [[nodiscard]] DepthSummary at_depth(std::size_t index, const Results& results) const {
    DepthSummary summary;
    summary.depth = options_.depths[index];
    Mean precision;
    Mean recall;
    Mean f1;
    std::size_t hits = 0;
    std::size_t returned = 0;
    std::size_t relevant = 0;
    for (const ScoredResult* scored : results) {
      const DepthScore& score = scored->depths[index];
      const std::string& cluster = question(*scored).id;
      precision.add(cluster, score.precision);
      recall.add(cluster, score.recall);
      f1.add(cluster, score.f1);
      hits += score.hits;
      returned += score.returned;
      relevant += score.relevant;
    }
    summary.precision = precision.estimate(options_.resampling);
    summary.recall = recall.estimate(options_.resampling);
    summary.f1 = f1.estimate(options_.resampling);
    summary.micro_precision = ratio(hits, returned);
    summary.micro_recall = ratio(hits, relevant);
    summary.micro_f1 = ratio(2 * hits, returned + relevant);
    return summary;
  }

  /// `judge` says of a result, for each of its cases, whether it is right; nothing where that is not known.
  template <typename Judge>
  [[nodiscard]] CheckSummary check(const Results& results, const Judge& judge) const {
    CheckSummary summary;
    Mean share;
    Results concerned;
    for (const ScoredResult* scored : results) {
      const std::vector<std::optional<bool>> cases = judge(*scored);
      if (!cases.empty()) concerned.push_back(scored);
      for (const std::optional<bool> right : cases) {
        if (!right.has_value()) {
          ++summary.unknown;
          continue;
        }
        ++summary.n;
        if (*right) ++summary.right;
        share.add(question(*scored).id, *right ? 1.0 : 0.0);
      }
    }
    summary.share = share.estimate(options_.resampling);
    summary.cost = cost_of(concerned);
    return summary;
  }

  [[nodiscard]] CheckSummary abstention(const Results& results) const {
    return check(results, [&](const ScoredResult& scored) -> std::vector<std::optional<bool>> {
      if (!question(scored).abstention) return {};
      return {scored.result.returned.empty()};
    });
  }

  [[nodiscard]] CheckSummary newest_returned(const Results& results) const {
    return check(results, [](const ScoredResult& scored) {
      std::vector<std::optional<bool>> cases;
      for (const FactReturn fact : scored.facts) {
        cases.push_back(fact == FactReturn::unknown ? std::nullopt : std::optional(fact == FactReturn::newest));
      }
      return cases;
    });
  }

  [[nodiscard]] CheckSummary newest_used(const Results& results, std::size_t& stale_used) const {
    return check(results, [&stale_used](const ScoredResult& scored) {
      std::vector<std::optional<bool>> cases;
      for (std::size_t i = 0; i < scored.facts.size(); ++i) {
        const ValueUse use = i < scored.result.uses.size() ? scored.result.uses[i] : ValueUse::unknown;
        if (use == ValueUse::stale) ++stale_used;
        const bool returned = scored.facts[i] == FactReturn::newest;
        // What was not returned first can not have been returned and used, whatever the actions carry.
        const bool known = scored.facts[i] != FactReturn::unknown && use != ValueUse::unknown;
        cases.push_back(known ? std::optional(returned && use == ValueUse::newest) : std::nullopt);
      }
      return cases;
    });
  }

  [[nodiscard]] CheckSummary valid_returned(const Results& results) const {
    return check(results, [](const ScoredResult& scored) -> std::vector<std::optional<bool>> {
      if (!scored.temporal.has_value()) return {};
      if (*scored.temporal == Temporal::unknown) return {std::nullopt};
      return {*scored.temporal == Temporal::valid};
    });
  }

  const std::vector<GoldQuestion>& questions_;
  const ScoreOptions& options_;
};

}  // namespace

std::vector<ScoredResult> score(const std::vector<GoldQuestion>& questions, std::vector<SearchResult> results,
                                const std::vector<Depth>& depths) {
  std::vector<ScoredResult> scored;
  scored.reserve(results.size());
  for (SearchResult& result : results) {
    const GoldQuestion& question = questions[result.question];
    ScoredResult one;
    for (const Depth depth : depths) one.depths.push_back(score_at(question, result.returned, depth));
    for (const Supersession& fact : question.supersessions) one.facts.push_back(fact_return(fact, result.returned));
    one.temporal = temporal(question, result.returned);
    one.result = std::move(result);
    scored.push_back(std::move(one));
  }
  return scored;
}

std::vector<ConfigurationSummary> summarise(const std::vector<GoldQuestion>& questions,
                                            const std::vector<ScoredResult>& results, const ScoreOptions& options) {
  std::map<std::string, Results> configurations;
  for (const ScoredResult& scored : results) configurations[scored.result.configuration].push_back(&scored);
  const Summary summary(questions, options);
  std::vector<ConfigurationSummary> summaries;
  for (const auto& [name, members] : configurations) summaries.push_back(summary.of_configuration(name, members));
  return summaries;
}

}  // namespace memuse::retrieval
