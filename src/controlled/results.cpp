#include "controlled/results.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace memuse::controlled {
namespace {

constexpr std::array<std::string_view, kAmountCount> kAmountNames{"write_calls", "write_seconds", "write_dollars",
                                                                  "read_tokens", "read_seconds",  "read_dollars"};
/// Distinct reasons of failure that are kept; error messages with an address in them could be any number.
constexpr std::size_t kMaxReasons = 1000;
constexpr std::string_view kOtherReasons = "(other reasons)";

auto key_of(const Execution& execution) {
  return std::tuple(execution.strategy, execution.instance, execution.run);
}

bool same_amount(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

bool say_the_same(const Execution& a, const Execution& b) {
  return a.failed == b.failed && a.refused == b.refused && a.score == b.score &&
         std::equal(a.amounts.begin(), a.amounts.end(), b.amounts.begin(), same_amount);
}

}  // namespace

std::string_view name(Amount amount) {
  return kAmountNames[static_cast<std::size_t>(amount)];
}

std::uint32_t Results::Names::number(std::string_view name) {
  const auto [found, added] = numbers.try_emplace(std::string(name), static_cast<std::uint32_t>(names.size()));
  if (added) names.emplace_back(name);
  return found->second;
}

std::vector<std::uint32_t> Results::Names::sort() {
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return names[a] < names[b]; });
  std::vector<std::uint32_t> new_number(names.size());
  std::vector<std::string> sorted(names.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    new_number[order[i]] = i;
    sorted[i] = std::move(names[order[i]]);
  }
  names = std::move(sorted);
  numbers.clear();
  return new_number;
}

void Results::add(std::size_t strategy, const ResultRow& row, RowPlace place) {
  Execution execution;
  execution.strategy = static_cast<std::uint32_t>(strategy);
  execution.instance = instances_.number(row.instance);
  execution.run = runs_.number(row.run);
  const bool room = reasons_.names.size() < kMaxReasons || reasons_.numbers.contains(std::string(row.failure_reason));
  execution.reason = reasons_.number(room ? row.failure_reason : kOtherReasons);
  execution.failed = row.failed;
  execution.refused = row.refused;
  if (!row.failed) execution.score = row.score;
  execution.place = place;
  for (std::size_t i = 0; i < kAmountCount; ++i) {
    execution.amounts[i] = row.amounts[i].value_or(std::numeric_limits<double>::quiet_NaN());
  }
  executions_.push_back(execution);
  ++rows_[strategy];
  note_facts(execution.instance, row);
  note_components(strategy, row, place);
}

void Results::note_facts(std::uint32_t instance, const ResultRow& row) {
  if (instance >= facts_.size()) facts_.resize(instance + 1);
  InstanceFacts& facts = facts_[instance];
  if (row.abstention.value_or(false)) facts.abstention = true;
  if (row.question_type.empty()) return;
  const std::uint32_t type = types_.number(row.question_type);
  if (facts.has_type && facts.type != type) facts.mixed = true;
  facts.has_type = true;
  facts.type = type;
}

void Results::note_components(std::size_t strategy, const ResultRow& row, RowPlace place) {
  for (const Component component : kComponents) {
    const auto& value = row.components[component];
    if (!value) continue;
    StatedComponent& stated = stated_[strategy][component];
    const auto at = std::lower_bound(stated.values.begin(), stated.values.end(), *value,
                                     [](const StatedValue& a, std::string_view b) { return a.value < b; });
    if (at != stated.values.end() && at->value == *value) {
      ++at->rows;
      at->first = std::min(at->first, place);
    } else if (stated.values.size() < StatedComponent::kMaxValues) {
      stated.values.insert(at, {std::string(*value), 1, place});
    } else {
      ++stated.rows_beyond;
    }
  }
}

void Results::finish() {
  renumber();
  std::sort(executions_.begin(), executions_.end(), [](const Execution& a, const Execution& b) {
    return std::tuple_cat(key_of(a), std::tuple(a.place)) < std::tuple_cat(key_of(b), std::tuple(b.place));
  });
  drop_repeated();
  for (std::uint32_t i = 0; i < facts_.size(); ++i) {
    if (facts_[i].mixed) mixed_types_.push_back(i);
  }
}

void Results::renumber() {
  const std::vector<std::uint32_t> instance = instances_.sort();
  const std::vector<std::uint32_t> run = runs_.sort();
  const std::vector<std::uint32_t> type = types_.sort();
  const std::vector<std::uint32_t> reason = reasons_.sort();
  for (Execution& execution : executions_) {
    execution.instance = instance[execution.instance];
    execution.run = run[execution.run];
    execution.reason = reason[execution.reason];
  }
  std::vector<InstanceFacts> facts(facts_.size());
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    if (facts_[i].has_type) facts_[i].type = type[facts_[i].type];
    facts[instance[i]] = facts_[i];
  }
  facts_ = std::move(facts);
}

void Results::drop_repeated() {
  std::vector<Execution> kept;
  kept.reserve(executions_.size());
  for (auto at = executions_.begin(); at != executions_.end();) {
    // Rows of one strategy and instance; those of one run stand together in them.
    const auto end = std::find_if(at, executions_.end(), [&](const Execution& other) {
      return other.strategy != at->strategy || other.instance != at->instance;
    });
    const std::size_t before = kept.size();
    bool contradicted = false;
    for (auto row = at; row != end; ++row) {
      if (kept.size() == before || kept.back().run != row->run) {
        kept.push_back(*row);
      } else if (say_the_same(kept.back(), *row)) {
        ++repeated_rows_;
      } else {
        contradictions_.push_back({row->strategy, row->instance, row->run, kept.back().place, row->place});
        contradicted = true;
      }
    }
    if (contradicted) kept.resize(before);
    at = end;
  }
  executions_ = std::move(kept);
}

std::optional<std::uint32_t> Results::type_of(std::uint32_t instance) const {
  const InstanceFacts& facts = facts_[instance];
  if (!facts.has_type || facts.mixed) return std::nullopt;
  return facts.type;
}

}  // namespace memuse::controlled
