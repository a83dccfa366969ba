#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/table.h"
#include "value_tracing/value_tally.h"

// Tables with a row per setting (model, domain, tier, condition, corruption).

namespace memuse::report {

/// How the dimensions of settings are laid out.
class SettingLayout {
 public:
  /// `flat`: every dimension is a column, for programs. Else the dimensions in which all settings agree are left to the
  /// caption, model, domain and tier make the headings of groups, and condition and corruption the labels.
  SettingLayout(const std::vector<value_tracing::Setting>& settings, bool flat);

  /// The label columns, to be put first.
  [[nodiscard]] std::vector<Column> columns() const;
  [[nodiscard]] std::string group(const value_tracing::Setting& setting) const;
  [[nodiscard]] std::string key(const value_tracing::Setting& setting) const;
  [[nodiscard]] std::vector<Cell> labels(const value_tracing::Setting& setting) const;
  /// "All: model mock, domain d1." with a space before it; empty when nothing is left to the caption.
  [[nodiscard]] std::string sentence() const;

 private:
  using Dimension = std::string value_tracing::Setting::*;
  struct Named {
    const char* key;
    const char* name;
    Dimension member;
    bool varies = false;
    bool present = false;
  };
  bool flat_;
  std::vector<Named> dimensions_;
  std::vector<std::pair<std::string, std::string>> constant_;
};

/// "12 (83 %)": episodes, and the share of those with an outcome that were resolved.
[[nodiscard]] Cell episodes_and_success(const value_tracing::EpisodeCount& count);
/// The same share alone.
[[nodiscard]] Cell success(const value_tracing::EpisodeCount& count);

}  // namespace memuse::report
