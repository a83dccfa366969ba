#pragma once

#include <string>
#include <string_view>

namespace memuse {

/// A text as one CSV field (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front;
/// control characters other than line feed and tab become visible escapes.
[[nodiscard]] std::string csv_text(std::string_view text);

/// The shortest decimal number that reads back as `value`.
[[nodiscard]] std::string csv_number(double value);

}  // namespace memuse
