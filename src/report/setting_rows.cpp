#include "report/setting_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/text.h"

namespace memuse::report {
namespace {

using value_tracing::Setting;

constexpr const char* kUndamaged = "none";

std::string shown_dimension(const std::string& value, bool is_corruption) {
  if (!value.empty()) return value;
  return is_corruption ? kUndamaged : "—";
}

}  // namespace

SettingLayout::SettingLayout(const std::vector<Setting>& settings, bool flat)
    : flat_(flat),
      dimensions_{{"model", "Model", &Setting::model},
                  {"domain", "Domain", &Setting::domain},
                  {"tier", "Tier", &Setting::tier},
                  {"condition", "Condition", &Setting::condition},
                  {"corruption", "Corruption", &Setting::corruption}} {
  for (Named& dimension : dimensions_) {
    std::set<std::string> values;
    for (const Setting& setting : settings) values.insert(setting.*dimension.member);
    dimension.varies = values.size() > 1;
    dimension.present = std::any_of(values.begin(), values.end(), [](const auto& value) { return !value.empty(); });
    const bool is_label = dimension.member == &Setting::condition;
    if (!dimension.varies && dimension.present && !is_label) {
      constant_.emplace_back(dimension.key, *values.begin());
    }
  }
}

std::vector<Column> SettingLayout::columns() const {
  std::vector<Column> columns;
  for (const Named& dimension : dimensions_) {
    const bool label =
        dimension.member == &Setting::condition || (dimension.member == &Setting::corruption && dimension.varies);
    if (flat_ || label) columns.push_back({dimension.key, dimension.name, Align::left});
  }
  return columns;
}

std::string SettingLayout::group(const Setting& setting) const {
  if (flat_) return {};
  std::string group;
  for (const Named& dimension : dimensions_) {
    if (dimension.member == &Setting::condition || dimension.member == &Setting::corruption || !dimension.varies) {
      continue;
    }
    group += fmt::format("{}{}", group.empty() ? "" : " · ", shown_dimension(setting.*dimension.member, false));
  }
  return group;
}

std::string SettingLayout::key(const Setting& setting) const {
  std::string key;
  for (const Named& dimension : dimensions_) {
    const std::string& value = setting.*dimension.member;
    if (!value.empty()) key += fmt::format("{}{}", key.empty() ? "" : "/", value);
  }
  return key;
}

std::vector<Cell> SettingLayout::labels(const Setting& setting) const {
  std::vector<Cell> cells;
  for (const Named& dimension : dimensions_) {
    const bool corruption = dimension.member == &Setting::corruption;
    const bool label = dimension.member == &Setting::condition || (corruption && dimension.varies);
    if (!flat_ && !label) continue;
    const std::string& value = setting.*dimension.member;
    cells.push_back(value.empty() && !corruption ? Cell::missing() : Cell::text(shown_dimension(value, corruption)));
  }
  return cells;
}

std::string SettingLayout::sentence() const {
  if (flat_ || constant_.empty()) return {};
  std::string text;
  for (const auto& [key, value] : constant_) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, printable(value));
  }
  return fmt::format(" Everywhere: {}.", text);
}

Cell episodes_and_success(const value_tracing::EpisodeCount& count) {
  if (count.with_outcome() == 0) return Cell::count(count.episodes);
  const double share = 100.0 * static_cast<double>(count.resolved) / static_cast<double>(count.with_outcome());
  return Cell::text(fmt::format("{} ({:.0f} %)", count.episodes, share));
}

Cell success(const value_tracing::EpisodeCount& count) {
  if (count.with_outcome() == 0) return Cell::missing();
  return Cell::percent(static_cast<double>(count.resolved) / static_cast<double>(count.with_outcome()));
}

}  // namespace memuse::report
