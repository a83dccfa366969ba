#include "store/timestamp.h"

#include <chrono>

namespace memuse::store {
namespace {

/// Reads a time from left to right; once something does not fit, `good` stays false.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::int64_t digits(std::size_t count) {
    if (rest_.size() < count) return fail();
    std::int64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_digit(rest_[i])) return fail();
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  bool accept(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    last_ = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }
  void expect(std::string_view any_of) {
    if (!accept(any_of)) fail();
  }

  /// Digits behind the decimal point as microseconds.
  std::int64_t fraction() {
    std::int64_t value = 0;
    std::int64_t scale = 100000;
    std::size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count])) {
      value += (rest_[count] - '0') * scale;
      scale /= 10;
      ++count;
    }
    if (count == 0) return fail();
    rest_.remove_prefix(count);
    return value;
  }

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] char last() const { return last_; }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  std::int64_t fail() {
    good_ = false;
    return 0;
  }

  std::string_view rest_;
  char last_ = '\0';
  bool good_ = true;
};

}  // namespace

std::optional<std::int64_t> microseconds_of(std::string_view rfc3339) {
  Scanner scan(rfc3339);
  const auto year = static_cast<int>(scan.digits(4));
  scan.expect("-");
  const auto month = static_cast<unsigned>(scan.digits(2));
  scan.expect("-");
  const auto day = static_cast<unsigned>(scan.digits(2));
  scan.expect("Tt ");
  const std::int64_t hour = scan.digits(2);
  scan.expect(":");
  const std::int64_t minute = scan.digits(2);
  scan.expect(":");
  const std::int64_t second = scan.digits(2);
  const std::int64_t fraction = scan.accept(".,") ? scan.fraction() : 0;
  std::int64_t offset_minutes = 0;
  if (scan.accept("+-")) {
    const std::int64_t sign = scan.last() == '-' ? -1 : 1;
    const std::int64_t hours = scan.digits(2);
    scan.accept(":");
    offset_minutes = sign * (hours * 60 + scan.digits(2));
  } else {
    scan.accept("Zz");
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  // Second 60 is a leap second.
  if (!scan.good() || !scan.at_end() || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute - offset_minutes) * 60 + second;
  return seconds * 1000000 + fraction;
}

}  // namespace memuse::store
