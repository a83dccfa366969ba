#include "judge/probe_forms.h"

#include <algorithm>
#include <string>

#include "judge/atoms.h"
#include "judge/forms.h"
#include "judge/values.h"
#include "model/text.h"

namespace memuse::judge {
namespace {

constexpr std::size_t kLongestQuantity = 3;  ///< atoms: a currency, a number, a unit

bool is_same_text(std::string_view a, std::string_view b) {
  return trimmed(a) == trimmed(b);
}

/// Whether a value found in the probe's value is all there is of it.
bool is_all_of(const Value& found, std::string_view value, const std::vector<Atom>& atoms) {
  if (found.kind == ValueKind::path) return is_same_text(found.text, value);
  if (found.kind != ValueKind::number || atoms.size() > kLongestQuantity) return false;
  const auto numbers =
      std::count_if(atoms.begin(), atoms.end(), [](const Atom& a) { return a.kind == AtomKind::number; });
  const bool others_are_unit = std::all_of(atoms.begin(), atoms.end(), [&](const Atom& atom) {
    return atom.kind == AtomKind::number || is_unit(value.substr(atom.begin, atom.end - atom.begin));
  });
  return numbers == 1 && others_are_unit;
}

}  // namespace

std::vector<Pattern> probe_forms(std::string_view value) {
  std::vector<Pattern> forms = {sequence_pattern(value)};
  forms.front().whole = true;
  const std::vector<Atom> atoms = atoms_of(value);
  if (atoms.size() == 1 && atoms.front().kind == AtomKind::number) {
    Pattern grouped = sequence_pattern(grouped_number(forms.front().atoms.front()));
    grouped.tight = true;
    forms.push_back(std::move(grouped));
  }
  for (const FoundDate& found : dates_in(value)) {
    if (found.begin != 0 || found.end != value.size()) continue;
    for (const std::string& form : date_forms(found.date)) forms.push_back(sequence_pattern(form));
  }
  std::erase_if(forms, [](const Pattern& form) { return form.atoms.empty(); });
  return forms;
}

std::vector<Pattern> wide_probe_forms(std::string_view value) {
  std::vector<Pattern> forms = probe_forms(value);
  const std::vector<Atom> atoms = atoms_of(value);
  for (Value& found : traceable_values(value, {})) {
    if (!is_all_of(found, value, atoms)) continue;
    for (Pattern& form : found.forms) {
      if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(std::move(form));
    }
  }
  return forms;
}

bool is_telling_probe_value(std::string_view value) {
  if (trimmed(value).size() < kShortestProbeValue) return false;
  const std::vector<Atom> atoms = atoms_of(value);
  if (atoms.size() != 1) return !atoms.empty();
  const std::string_view source = value.substr(atoms.front().begin, atoms.front().end - atoms.front().begin);
  if (atoms.front().kind == AtomKind::number) return is_rare_number(canonical_atom(source, AtomKind::number));
  return atoms.front().kind == AtomKind::word && !is_function_word(to_lower(source));
}

}  // namespace memuse::judge
