#include "ingest/json_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace memuse::ingest {

JsonRecordReader::JsonRecordReader(std::unique_ptr<ByteStream> stream, const ReadOptions& options, DiagnosticLog& log)
    : options_(options), log_(log), lines_(std::move(stream), options, JoinedRecords::are_read_one_by_one) {}

bool JsonRecordReader::next(JsonRecord& record) {
  while (const ParsedLine* parsed = lines_.next()) {
    const Line& line = parsed->line;
    end_ = line.end;
    if (parsed->blank) continue;
    // A line over the limit has no text to count in.
    const std::size_t offset = line.too_long ? 0 : static_cast<std::size_t>(parsed->text.data() - line.text.data());
    const RecordPlace place{line.number, line.byte + offset};
    if (parsed->value == nullptr) {
      ++lost_;
      report(*parsed, place);
      continue;
    }
    report_repairs(parsed->repairs, place, log_);
    record = {parsed->value, parsed->text, place, parsed->last_of_line ? line.end : place.byte + parsed->text.size()};
    return true;
  }
  return false;
}

void JsonRecordReader::report(const ParsedLine& parsed, RecordPlace place) {
  if (parsed.line.too_long) {
    log_.add(Severity::error, Fault::line_too_long, place.line, place.byte,
             fmt::format("more than {} bytes", options_.max_record_bytes));
    return;
  }
  const JsonFault& fault = parsed.fault;
  const std::string_view start = parsed.text.substr(0, std::min<std::size_t>(parsed.text.size(), 60));
  log_.add(Severity::error, fault.fault, place.line, place.byte + fault.byte,
           fmt::format("{}{}it starts with {}", fault.detail, fault.detail.empty() ? "" : "; ", start));
}

}  // namespace memuse::ingest
