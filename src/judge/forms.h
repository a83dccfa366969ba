#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "judge/patterns.h"

// The ways in which one value may be written. A memory says "a limit of 1,850 items" or "30 seconds" or "4 March 2031",
// and the agent writes `limit=1850`, `timeout_ms: 30000`, `2031-03-04`.

namespace memuse::judge {

/// A number as a text gives it: canonical digits, and the unit that stands with it (`ms`, `cents`, `$`, `%`; else
/// empty).
struct Quantity {
  std::string number;
  std::string unit;
};

/// True for a word that `number_forms` can convert (any case).
bool is_unit(std::string_view word);

/// The quantity's number in its own unit first, then in the other units of its kind (time, bytes, money, share), as
/// canonical numbers without those that are too common to be traced.
std::vector<std::string> number_forms(const Quantity& quantity);

/// A whole number of four digits or more as it stands with thousands separators (`1,850`); empty for others.
std::string grouped_number(std::string_view number);

/// A day of the calendar.
struct Date {
  int year = 0;
  int month = 0;
  int day = 0;
  friend bool operator==(const Date&, const Date&) = default;
};

/// One date found in a text.
struct FoundDate {
  std::size_t begin = 0;
  std::size_t end = 0;
  Date date;
};

/// Dates in `text`: `2031-03-04`, `4 March 2031`, `March 4, 2031`, `04.03.2031`. `03/04/2031` is skipped unless only
/// one order makes a date of it.
std::vector<FoundDate> dates_in(std::string_view text);

/// Ways to write a date, `20310304` and the arguments of a date constructor included.
std::vector<std::string> date_forms(const Date& date);

/// Shorter ways to name a file: its path without leading folders, down to two components.
std::vector<std::string> path_forms(std::string_view path);

/// File name without folders and extensions.
std::string_view path_stem(std::string_view path);

}  // namespace memuse::judge
