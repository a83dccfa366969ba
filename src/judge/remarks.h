#pragma once

#include <cstddef>
#include <string_view>

namespace memuse::judge {

/// Half-open range of bytes in a text.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The clause around a place in what an agent says: up to a mark that ends a clause, or `but`, `while`, `so`. At most a
/// few hundred bytes to either side.
TextRange clause_around(std::string_view text, TextRange place);

/// True when the clause turns something down ("not", "superseded", "instead of", …).
bool turns_down(std::string_view clause);

/// True when the text speaks of the recalled notes as a whole ("the notes only restate the issue").
bool speaks_of_notes(std::string_view text);

/// True when an identifier is so short or common that it names the entry only in brackets, after `#`, in quotes or
/// after a word like "note".
bool is_ambiguous_identifier(std::string_view identifier);

/// True when the place of an ambiguous identifier is marked as a name in such a way.
bool is_marked_as_name(std::string_view text, TextRange place);

}  // namespace memuse::judge
