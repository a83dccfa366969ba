#include "judge/forms.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace memuse::judge {
namespace {

enum class Dimension { time, bytes, money, share };

struct Unit {
  std::string_view name;
  Dimension dimension;
  double size;  ///< in the smallest unit of its dimension
};

constexpr double kMinute = 60e3;
constexpr double kHour = 3600e3;
constexpr double kDay = 86400e3;
constexpr double kKibi = 1024;

constexpr auto kUnits = std::to_array<Unit>({
    {"ms", Dimension::time, 1},
    {"millisecond", Dimension::time, 1},
    {"milliseconds", Dimension::time, 1},
    {"s", Dimension::time, 1e3},
    {"sec", Dimension::time, 1e3},
    {"secs", Dimension::time, 1e3},
    {"second", Dimension::time, 1e3},
    {"seconds", Dimension::time, 1e3},
    {"min", Dimension::time, kMinute},
    {"mins", Dimension::time, kMinute},
    {"minute", Dimension::time, kMinute},
    {"minutes", Dimension::time, kMinute},
    {"h", Dimension::time, kHour},
    {"hour", Dimension::time, kHour},
    {"hours", Dimension::time, kHour},
    {"day", Dimension::time, kDay},
    {"days", Dimension::time, kDay},
    {"byte", Dimension::bytes, 1},
    {"bytes", Dimension::bytes, 1},
    {"kb", Dimension::bytes, kKibi},
    {"kib", Dimension::bytes, kKibi},
    {"mb", Dimension::bytes, kKibi* kKibi},
    {"mib", Dimension::bytes, kKibi* kKibi},
    {"gb", Dimension::bytes, kKibi* kKibi* kKibi},
    {"gib", Dimension::bytes, kKibi* kKibi* kKibi},
    {"cent", Dimension::money, 1},
    {"cents", Dimension::money, 1},
    {"$", Dimension::money, 100},
    {"usd", Dimension::money, 100},
    {"dollar", Dimension::money, 100},
    {"dollars", Dimension::money, 100},
    {"€", Dimension::money, 100},
    {"eur", Dimension::money, 100},
    {"euro", Dimension::money, 100},
    {"euros", Dimension::money, 100},
    {"%", Dimension::share, 1},
    {"percent", Dimension::share, 1},
});

const Unit* find_unit(std::string_view word) {
  const std::string lower = to_lower(word);
  const auto found = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) { return unit.name == lower; });
  return found == kUnits.end() ? nullptr : &*found;
}

/// Sizes in which a quantity of a dimension is also written.
std::vector<double> other_sizes(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return {1, 1e3, kMinute, kHour, kDay};
    case Dimension::bytes:
      return {1, kKibi, kKibi * kKibi, kKibi * kKibi * kKibi};
    case Dimension::money:
      return {1, 100};
    case Dimension::share:
      return {1, 100};
  }
  return {};
}

/// `value` with at most four decimals, or nothing when that is not the value.
std::optional<std::string> exact_decimal(double value) {
  if (!std::isfinite(value) || value >= 1e15) return std::nullopt;
  const double rounded = std::round(value * 1e4) / 1e4;
  if (rounded == 0 || std::abs(rounded - value) > 1e-9 * std::max(1.0, value)) return std::nullopt;
  return canonical_atom(fmt::format("{:.4f}", rounded), AtomKind::number);
}

bool too_common(std::string_view number) {
  return number == "0" || number == "1" || number == "2";
}

constexpr auto kMonths =
    std::to_array<std::string_view>({"January", "February", "March", "April", "May", "June", "July", "August",
                                     "September", "October", "November", "December"});

bool is_date(const Date& date) {
  return date.year >= 1900 && date.year <= 2199 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= 31;
}

int month_number(std::string_view name) {
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (kMonths[i] == name || kMonths[i].substr(0, 3) == name) return static_cast<int>(i) + 1;
  }
  return 0;
}

int number_of(std::string_view digits) {
  return std::atoi(std::string(digits).c_str());
}

/// The date of `03/04/2031`, when only one order of day and month makes one.
Date unambiguous(int first, int second, int year) {
  const Date month_first{year, first, second};
  const Date day_first{year, second, first};
  if (!is_date(month_first)) return day_first;
  if (!is_date(day_first) || first == second) return month_first;
  return {};
}

std::string_view view(re2::StringPiece piece) {
  return {piece.data(), piece.size()};
}

}  // namespace

bool is_unit(std::string_view word) {
  return word.size() <= 12 && find_unit(word) != nullptr;
}

std::vector<std::string> number_forms(const Quantity& quantity) {
  std::vector<std::string> forms = {quantity.number};
  const Unit* unit = is_unit(quantity.unit) ? find_unit(quantity.unit) : nullptr;
  if (unit != nullptr) {
    const double value = std::strtod(quantity.number.c_str(), nullptr) * unit->size;
    for (const double size : other_sizes(unit->dimension)) {
      const std::optional<std::string> form = exact_decimal(value / size);
      if (form && std::find(forms.begin(), forms.end(), *form) == forms.end()) forms.push_back(*form);
    }
  }
  forms.erase(std::remove_if(forms.begin(), forms.end(), too_common), forms.end());
  return forms;
}

std::string grouped_number(std::string_view number) {
  const bool whole = std::all_of(number.begin(), number.end(), is_digit);
  if (!whole || number.size() < 4 || number.size() > 15 || number.front() == '0') return {};
  std::string grouped;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (i > 0 && (number.size() - i) % 3 == 0) grouped += ',';
    grouped += number[i];
  }
  return grouped;
}

std::vector<FoundDate> dates_in(std::string_view text) {
  static const RE2 pattern(
      R"(\b(\d{4})-(\d{2})-(\d{2})(?:\b|T)|\b(\d{1,2})(?:st|nd|rd|th)? ([A-Z][a-z]{2,8}) (\d{4})\b|)"
      R"(\b([A-Z][a-z]{2,8}) (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b|\b(\d{1,2})([./])(\d{1,2})[./](\d{4})\b)");
  std::vector<FoundDate> dates;
  std::array<re2::StringPiece, 14> groups;
  std::size_t position = 0;
  while (pattern.Match(text, position, text.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) {
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    const std::size_t end = begin + groups[0].size();
    const auto number = [&](std::size_t group) { return number_of(view(groups[group])); };
    Date date;
    if (!groups[1].empty()) {
      date = {number(1), number(2), number(3)};
    } else if (!groups[4].empty()) {
      date = {number(6), month_number(view(groups[5])), number(4)};
    } else if (!groups[7].empty()) {
      date = {number(9), month_number(view(groups[7])), number(8)};
    } else if (view(groups[11]) == ".") {
      date = {number(13), number(12), number(10)};
    } else {
      date = unambiguous(number(10), number(12), number(13));
    }
    if (is_date(date)) dates.push_back({begin, end, date});
    position = end;
  }
  return dates;
}

std::vector<std::string> date_forms(const Date& date) {
  const std::string_view month = kMonths[static_cast<std::size_t>(date.month - 1)];
  const auto [y, m, d] = date;
  return {fmt::format("{:04}-{:02}-{:02}", y, m, d),
          fmt::format("{:04}{:02}{:02}", y, m, d),
          fmt::format("{} {} {}", d, month, y),
          fmt::format("{} {} {}", d, month.substr(0, 3), y),
          fmt::format("{} {}, {}", month, d, y),
          fmt::format("{} {} {}", month, d, y),
          fmt::format("{} {}, {}", month.substr(0, 3), d, y),
          fmt::format("{:02}.{:02}.{:04}", d, m, y),
          fmt::format("{}.{}.{}", d, m, y),
          fmt::format("{:02}/{:02}/{:04}", d, m, y),
          fmt::format("{:02}/{:02}/{:04}", m, d, y),
          fmt::format("{:04}/{:02}/{:02}", y, m, d),
          fmt::format("{}, {}, {}", y, m, d)};
}

std::vector<std::string> path_forms(std::string_view path) {
  std::vector<std::string> forms;
  while (path.starts_with("./")) path.remove_prefix(2);
  for (;;) {
    forms.emplace_back(path);
    const std::size_t slash = path.find('/', 1);
    if (slash == std::string_view::npos || path.find('/', slash + 1) == std::string_view::npos) return forms;
    path.remove_prefix(slash + 1);
    if (forms.size() == kLongestPattern) return forms;
  }
}

std::string_view path_stem(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const std::size_t dot = path.find('.', 1);
  return dot == std::string_view::npos ? path : path.substr(0, dot);
}

}  // namespace memuse::judge
