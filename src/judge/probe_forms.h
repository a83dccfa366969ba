#pragma once

#include <string_view>
#include <vector>

#include "judge/patterns.h"

// A value that a check names is looked for whatever its shape, in the writings of `forms.h`.

namespace memuse::judge {

/// A shorter value than this (bytes) turns up by chance.
inline constexpr std::size_t kShortestProbeValue = 3;

/// Ways to write a value that a probe names: the value itself, in any case and layout and not as part of a longer name;
/// a number also with thousands separators, a date in its other spellings. Patterns without atoms are left out; the
/// value's own pattern comes first if it has atoms.
std::vector<Pattern> probe_forms(std::string_view value);

/// `probe_forms`, and what the values of an entry are also known by (`traceable_values`): a path without leading
/// folders, a quantity in its other units where the number is rare by itself.
std::vector<Pattern> wide_probe_forms(std::string_view value);

/// False for values that stand in a record by chance, so that a bare sighting shows nothing: shorter than
/// `kShortestProbeValue`, a single function word, or a single number that is not rare by itself (fewer than four
/// significant digits, or a year). The rule by which an entry's numbers need the word that says what they are.
bool is_telling_probe_value(std::string_view value);

}  // namespace memuse::judge
