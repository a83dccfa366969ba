#pragma once

#include <map>
#include <string>

#include "controlled/study.h"

namespace memuse::test {

/// Makes small studies: strategies by name, results row by row.
class StudyBuilder {
 public:
  /// Declares a strategy with a value for every component; `changes` replace some ("" for: not declared).
  StudyBuilder& strategy(const std::string& name, const std::map<controlled::Component, std::string>& changes = {}) {
    controlled::Strategy strategy;
    strategy.name = name;
    strategy.ranked_as = name;
    for (const controlled::Component component : controlled::kComponents) {
      strategy.components[component] = std::string("usual ") + std::string(controlled::name(component));
    }
    for (const auto& [component, value] : changes) {
      strategy.components[component] = value.empty() ? std::nullopt : std::optional(value);
    }
    declaration.strategies.push_back(std::move(strategy));
    return *this;
  }

  StudyBuilder& compare(std::size_t first, std::size_t second, std::optional<controlled::Component> factor,
                        std::vector<controlled::Component> comes_with = {}) {
    const std::string name = declaration.strategies[first].name + " vs " + declaration.strategies[second].name;
    declaration.comparisons.push_back({name, first, second, factor, std::move(comes_with)});
    return *this;
  }

  controlled::Results& rows() {
    if (!results) results.emplace(declaration.strategies.size());
    return *results;
  }

  /// A scored answer.
  StudyBuilder& answer(std::size_t strategy, const std::string& instance, double score, const std::string& run = "",
                       const std::string& type = "") {
    controlled::ResultRow row;
    row.instance = instance;
    row.score = score;
    row.run = run;
    row.question_type = type;
    return add(strategy, row);
  }

  StudyBuilder& failure(std::size_t strategy, const std::string& instance, const std::string& run = "") {
    controlled::ResultRow row;
    row.instance = instance;
    row.failed = true;
    row.failure_reason = "timeout";
    row.run = run;
    return add(strategy, row);
  }

  StudyBuilder& add(std::size_t strategy, const controlled::ResultRow& row) {
    rows().add(strategy, row, {0, ++line_});
    return *this;
  }

  controlled::Study study(std::uint64_t resamples = 200) {
    rows().finish();
    stats::Resampling resampling;
    resampling.resamples = resamples;
    resampling.seed = 7;
    return controlled::analyse(declaration, *results, resampling);
  }

  controlled::Declaration declaration;
  std::optional<controlled::Results> results;

 private:
  std::uint64_t line_ = 0;
};

}  // namespace memuse::test
