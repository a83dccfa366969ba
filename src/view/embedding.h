#pragma once

#include <string>
#include <string_view>

// How data gets into a page of HTML.

namespace memuse::view {

/// JSON as it may stand inside a script element: `<`, `>`, `&`, U+2028 and U+2029, which in JSON stand inside strings
/// only, are written as escapes, so that no text of a trace can end the element or begin a comment.
[[nodiscard]] std::string script_safe(std::string_view json);

/// The bytes compressed (zlib, RFC 1950) and in Base64: what `DecompressionStream("deflate")` of browsers takes.
/// Throws std::bad_alloc when memory is short.
[[nodiscard]] std::string packed(std::string_view bytes);

/// SHA-256 in Base64, as a content security policy wants it.
[[nodiscard]] std::string sha256_base64(std::string_view bytes);

}  // namespace memuse::view
