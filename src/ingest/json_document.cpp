#include "ingest/json_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "ingest/record_fields.h"

namespace memuse::ingest {

std::size_t longest_text(const Document& document, const ReadOptions& options) {
  return std::max(options.max_record_bytes, document.text().size());
}

bool is_too_long(const Document& document, const ReadOptions& options, DiagnosticLog& log) {
  if (!document.too_long()) return false;
  log.begin_document(1, 0, std::nullopt);
  log.add(Severity::error, Fault::line_too_long, 0, 0,
          fmt::format("the file is one JSON document of more than {} bytes", options.max_record_bytes));
  return true;
}

void report_unparsed(const JsonFault& fault, DocumentPlaces& places, DiagnosticLog& log) {
  const RecordPlace place = places.at(fault.byte);
  log.begin_document(1, 0, places.size());
  log.add(Severity::error, fault.fault, place.line, place.byte,
          fmt::format("{}{}the file is one JSON document and was set aside whole", fault.detail,
                      fault.detail.empty() ? "" : "; "));
}

const JsonValue* parse_document(const Document& document, JsonParser& parser, Arena& arena, DocumentPlaces& places,
                                const ReadOptions& options, DiagnosticLog& log, JsonRoot root) {
  if (is_too_long(document, options, log)) return nullptr;
  JsonFault fault;
  const JsonValue* value = parser.parse(document.text(), document.readable(), arena, fault, root);
  if (value == nullptr) {
    report_unparsed(fault, places, log);
  } else {
    log.begin_document(1, 0, document.size());
    log.in_parts();
    report_repairs(parser, {1, 0}, log);
  }
  return value;
}

void set_whole_source(SourcePlace& source, const std::string& path, std::string_view format, const Document& document,
                      const ReadOptions& options) {
  source.path = path;
  source.format = format;
  source.line = 1;
  source.byte_begin = 0;
  source.byte_end = document.size();
  if (options.hash_sources) source.sha256 = document.sha256();
}

}  // namespace memuse::ingest
