#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

namespace memuse::ingest {

/// Where `word` (two bytes or more) first stands in `head`, else npos. For heads that all adapters look through.
[[nodiscard]] std::size_t find_word(std::string_view head, std::string_view word);

/// True when `word` stands in `head`.
[[nodiscard]] inline bool has_word(std::string_view head, std::string_view word) {
  return find_word(head, word) != std::string_view::npos;
}

/// Takes one key or one string of a document's head: its path from the root (`history/#/role`, `#` for an element of an
/// array) and, for a string, its text. Returns false when nothing more is needed.
using JsonHeadVisitor = std::function<bool(std::string_view path, std::optional<std::string_view> text)>;

/// Walks over the keys and strings of a JSON text whose end may be missing, in their order, up to where it ends or is
/// no JSON. For telling formats apart by content. Linear in the bytes of `head`; a byte-order mark is passed over.
void scan_json_head(std::string_view head, const JsonHeadVisitor& visit);

}  // namespace memuse::ingest
