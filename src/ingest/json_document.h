#pragma once

#include "ingest/adapter.h"
#include "ingest/diagnostic_log.h"
#include "ingest/document.h"
#include "ingest/json.h"
#include "model/episode.h"

// Files that are one JSON document, used whole or not at all.

namespace memuse::ingest {

/// The root of the document, its strings in `arena` and its tree in `parser`, which must have been made for
/// `longest_text`; repairs are reported. Null when the document is too long or no such JSON; `log` then says so.
const JsonValue* parse_document(const Document& document, JsonParser& parser, Arena& arena, DocumentPlaces& places,
                                const ReadOptions& options, DiagnosticLog& log, JsonRoot root = JsonRoot::object);

/// The longest text that a parser of this document has to take.
std::size_t longest_text(const Document& document, const ReadOptions& options);

/// True, and reported, when the document has more bytes than may be read.
bool is_too_long(const Document& document, const ReadOptions& options, DiagnosticLog& log);

/// Reports a document that could not be parsed.
void report_unparsed(const JsonFault& fault, DocumentPlaces& places, DiagnosticLog& log);

/// Says of an episode that all of the document is its source; the version of the format stays as it is.
void set_whole_source(SourcePlace& source, const std::string& path, std::string_view format, const Document& document,
                      const ReadOptions& options);

}  // namespace memuse::ingest
