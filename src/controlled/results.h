#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "controlled/components.h"

namespace memuse::controlled {

/// What an execution may state about its cost. The write path builds the memory, the read path answers from it.
enum class Amount : std::uint8_t { write_calls, write_seconds, write_dollars, read_tokens, read_seconds, read_dollars };
inline constexpr std::size_t kAmountCount = 6;
inline constexpr std::array<Amount, kAmountCount> kAmounts{Amount::write_calls,   Amount::write_seconds,
                                                           Amount::write_dollars, Amount::read_tokens,
                                                           Amount::read_seconds,  Amount::read_dollars};
/// More than any real cost; sums of such amounts stay finite.
inline constexpr double kMaxAmount = 1e15;
/// `write_calls`, `write_seconds`, …: the key in result rows.
[[nodiscard]] std::string_view name(Amount amount);

/// One execution of one question under one strategy, as a file states it. Views are the reader's.
struct ResultRow {
  std::string_view strategy;  ///< empty: the file does not name it
  std::string_view instance;
  std::string_view question_type;  ///< empty: not stated
  std::string_view run;            ///< empty: not stated
  std::optional<double> score;     ///< 0…1; nothing: not scored
  bool failed = false;             ///< the execution broke down; it has no score, or 0
  std::string_view failure_reason;
  std::optional<bool> refused;     ///< the answer declined to answer; nothing: not stated
  std::optional<bool> abstention;  ///< declining is the right answer; nothing: not stated
  std::array<std::optional<double>, kAmountCount> amounts;
  ByComponent<std::optional<std::string_view>> components;  ///< what the row itself says about its strategy
};

/// Where a row stands.
struct RowPlace {
  std::uint32_t file = 0;  ///< the reader's number for it
  std::uint64_t line = 0;  ///< 1-based line; for databases the number of the episode
  friend auto operator<=>(const RowPlace&, const RowPlace&) = default;
};

/// One execution as it is kept.
struct Execution {
  std::uint32_t strategy = 0;
  std::uint32_t instance = 0;
  std::uint32_t run = 0;
  std::uint32_t reason = 0;  ///< index into `Results::failure_reasons`
  bool failed = false;
  std::optional<bool> refused;
  std::optional<double> score;
  RowPlace place;
  std::array<double, kAmountCount> amounts{};  ///< NaN: not stated
};

/// Two rows for one strategy, instance and run that do not say the same.
struct Contradiction {
  std::uint32_t strategy = 0, instance = 0, run = 0;
  RowPlace first, second;
};

/// A value that rows state for a component.
struct StatedValue {
  std::string value;
  std::uint64_t rows = 0;
  RowPlace first;
};

/// What the rows of one strategy state for one component.
struct StatedComponent {
  static constexpr std::size_t kMaxValues = 20;
  std::vector<StatedValue> values;  ///< by value; at most `kMaxValues`
  std::uint64_t rows_beyond = 0;    ///< rows with a value beyond those
};

/// All results of a study, in an order that does not depend on the order of files and rows.
///
/// Memory: about 120 bytes a row, and every instance, run and question type once.
class Results {
 public:
  explicit Results(std::size_t strategies) : stated_(strategies), rows_(strategies, 0) {}

  /// Takes a row of a strategy. Before `finish`.
  void add(std::size_t strategy, const ResultRow& row, RowPlace place);

  /// Sorts, and drops repeated rows: a row that says what another one of the same strategy, instance and run says is
  /// counted once. Where two of them differ nobody knows which is right: the instance is set aside for that strategy.
  void finish();

  /// By strategy, instance, run. Without repeated rows and without those of contradictions.
  [[nodiscard]] const std::vector<Execution>& executions() const { return executions_; }
  [[nodiscard]] const std::vector<Contradiction>& contradictions() const { return contradictions_; }
  [[nodiscard]] std::uint64_t repeated_rows() const { return repeated_rows_; }
  [[nodiscard]] std::uint64_t rows(std::size_t strategy) const { return rows_[strategy]; }
  [[nodiscard]] const StatedComponent& stated(std::size_t strategy, Component component) const {
    return stated_[strategy][component];
  }

  /// Names in ascending order (as bytes): numbers compare like names.
  [[nodiscard]] const std::vector<std::string>& instances() const { return instances_.names; }
  [[nodiscard]] const std::vector<std::string>& runs() const { return runs_.names; }
  [[nodiscard]] const std::vector<std::string>& question_types() const { return types_.names; }
  [[nodiscard]] const std::vector<std::string>& failure_reasons() const { return reasons_.names; }
  /// The question type of an instance: nothing when no row states one, or rows state different ones.
  [[nodiscard]] std::optional<std::uint32_t> type_of(std::uint32_t instance) const;
  /// Instances whose rows state different question types.
  [[nodiscard]] const std::vector<std::uint32_t>& mixed_types() const { return mixed_types_; }
  [[nodiscard]] bool is_abstention(std::uint32_t instance) const { return facts_[instance].abstention; }

 private:
  /// Names numbered by first appearance, until `sort` numbers them in their order.
  struct Names {
    std::vector<std::string> names;
    std::unordered_map<std::string, std::uint32_t> numbers;

    std::uint32_t number(std::string_view name);
    /// The new number of each old one.
    std::vector<std::uint32_t> sort();
  };
  struct InstanceFacts {
    std::uint32_t type = 0;
    bool has_type = false, mixed = false, abstention = false;
  };

  void note_facts(std::uint32_t instance, const ResultRow& row);
  void note_components(std::size_t strategy, const ResultRow& row, RowPlace place);
  void renumber();
  void drop_repeated();

  std::vector<Execution> executions_;
  std::vector<Contradiction> contradictions_;
  std::vector<ByComponent<StatedComponent>> stated_;
  std::vector<std::uint64_t> rows_;
  std::vector<InstanceFacts> facts_;
  std::vector<std::uint32_t> mixed_types_;
  std::uint64_t repeated_rows_ = 0;
  Names instances_, runs_, types_, reasons_;
};

}  // namespace memuse::controlled
