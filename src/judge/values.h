#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "judge/patterns.h"

namespace memuse::judge {

/// What kind of value an entry's text can be traced by (semantics.md §10).
enum class ValueKind : std::uint8_t {
  quoted,      ///< a string in quotes or backticks
  code,        ///< an expression or call
  code_shape,  ///< the same with other names; needs the agent's word for it
  assignment,  ///< `key = value`
  symbol,      ///< a compound name of a program (`batch_limit`, `json.dump`, `--dry-run`)
  keyword,     ///< a word in capitals
  path,        ///< a file or folder
  mixed_name,  ///< letters with digits: tickets, hashes, serial numbers
  date,
  number,        ///< a number that is rare by itself
  keyed_number,  ///< a number with the words that say what it is
  plain_number,  ///< the same number without them; counts only where the agent ties it to the entry
  phrase,        ///< some words in a row
  probe          ///< a gold or stale value of the episode's probe, whatever its shape
};

/// One traceable value of an entry.
struct Value {
  ValueKind kind = ValueKind::symbol;
  std::string text;  ///< as it stands in the entry (numbers: canonical)
  /// True when an agent may well write it without the memory: it counts only where the agent names the entry.
  bool weak = false;
  std::vector<Pattern> forms;        ///< ways to write it
  std::vector<Pattern> known_forms;  ///< looser signs that it was known already (the stem of a path's file name)
  std::vector<std::string> parts;    ///< of a symbol: the parts that make it special, lower case
};

/// At most this many values are traced per entry, in the order of their kinds and places.
inline constexpr std::size_t kMostValues = 4096;

/// True for a canonical number that is rare by itself: many significant digits, and no year.
bool is_rare_number(const std::string& number);

/// The values of an exposed text, without `identifiers` and lines of provenance ("source: …"). Linear in the text.
std::vector<Value> traceable_values(std::string_view text, const std::vector<std::string_view>& identifiers);

}  // namespace memuse::judge
