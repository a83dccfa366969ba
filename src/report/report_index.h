#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/records.h"

// The lists of a page: every episode and every item of a study, column by column (docs/report-data.md).

namespace memuse::report {

/// Texts that come again and again: each once, and a number for every row.
class NamedColumn {
 public:
  void add(const std::string& text);
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  std::unordered_map<std::string, std::uint32_t> codes_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> rows_;
};

/// An item of one store of one run.
struct ItemKey {
  std::string configuration, run, store, item;
  friend auto operator<=>(const ItemKey&, const ItemKey&) = default;
};

/// What the spans of a study say of an item.
struct ItemCounts {
  std::uint64_t spans = 0, deliveries = 0, episodes = 0;
  std::uint64_t acted_on = 0, improved = 0, harmed = 0;
};

/// What a list of refused spans says of one.
struct RefusedSpan {
  std::string uid, configuration, run, episode, reason;
  std::uint32_t span = 0;
};

/// Takes in the episodes of a study in order and gives the page's lists. Memory grows with the number of episodes,
/// items and refused spans, not with their texts.
class ReportIndex {
 public:
  void add(const EpisodeSpansRecord& record);

  [[nodiscard]] std::size_t episodes() const { return uids_.size(); }
  [[nodiscard]] const std::vector<std::string>& uids() const { return uids_; }
  /// Order in which details are wanted when not all fit: 0 where something was harmed, 1 mixed or beneficial, 2 with an
  /// undetermined or unresolved span, 3 with another span, 4 without.
  [[nodiscard]] int rank(std::size_t episode) const { return ranks_[episode]; }
  /// By key.
  [[nodiscard]] const std::map<ItemKey, ItemCounts>& items() const { return items_; }

  /// `blocks`: for each episode the block that holds its details, nothing where none does; empty when details are
  /// served.
  [[nodiscard]] nlohmann::ordered_json episodes_json(const std::vector<std::optional<std::uint32_t>>& blocks) const;
  /// The same by item.
  [[nodiscard]] nlohmann::ordered_json items_json(const std::vector<std::optional<std::uint32_t>>& blocks) const;
  /// Spans whose answers were all refused: their number and the first `kMostRefused` of them.
  [[nodiscard]] nlohmann::ordered_json refused_json() const;

  static constexpr std::size_t kMostRefused = 1000;

 private:
  void add_items(const EpisodeSpansRecord& record);

  std::vector<std::string> uids_;
  std::vector<int> ranks_;
  std::map<std::string, NamedColumn> named_;
  std::map<std::string, nlohmann::ordered_json> numbers_;  ///< arrays
  std::map<ItemKey, ItemCounts> items_;
  std::vector<RefusedSpan> refused_;
  std::uint64_t refused_spans_ = 0;
};

}  // namespace memuse::report
