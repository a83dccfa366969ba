#include "ingest/json_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "model/text.h"

namespace memuse::ingest {
namespace {

/// More records on one line are not read: each costs a look at the whole rest of the line.
constexpr std::uint32_t kMostRecordsOfALine = 16;

}  // namespace

JsonRecordReader::JsonRecordReader(std::unique_ptr<ByteStream> stream, const ReadOptions& options, DiagnosticLog& log)
    : options_(options),
      log_(log),
      lines_(std::move(stream), options.max_record_bytes),
      parser_(std::max(options.max_record_bytes, std::size_t{1})) {}

bool JsonRecordReader::next(JsonRecord& record) {
  while (true) {
    if (rest_.empty() && !next_line()) return false;
    if (!rest_.empty() && take(record)) return true;
  }
}

bool JsonRecordReader::next_line() {
  if (!lines_.next(line_)) return false;
  records_ = 0;
  rest_ = {};
  if (line_.too_long) {
    ++lost_;
    log_.add(Severity::error, Fault::line_too_long, line_.number, line_.byte,
             fmt::format("more than {} bytes", options_.max_record_bytes));
  } else if (!is_blank(line_.text)) {
    rest_ = line_.text;
  }
  return true;
}

bool JsonRecordReader::take(JsonRecord& record) {
  arena_ = Arena();
  const auto offset = static_cast<std::size_t>(rest_.data() - line_.text.data());
  const RecordPlace place{line_.number, line_.byte + offset};
  JsonFault fault;
  std::string_view text = rest_;
  const JsonValue* value = parser_.parse(text, lines_.readable(text), arena_, fault);
  const bool joined = value == nullptr && fault.fault == Fault::trailing_content && fault.byte > 0 &&
                      fault.byte < text.size() && records_ + 1 < kMostRecordsOfALine;
  if (joined) {
    text = rest_.substr(0, fault.byte);
    value = parser_.parse(text, lines_.readable(text), arena_, fault);
  }
  if (value == nullptr) {
    if (!line_.terminated && fault.fault == Fault::invalid_json) fault.fault = Fault::truncated_line;
    const std::string_view start = rest_.substr(0, std::min<std::size_t>(rest_.size(), 60));
    log_.add(Severity::error, fault.fault, place.line, place.byte + fault.byte,
             fmt::format("{}{}it starts with {}", fault.detail, fault.detail.empty() ? "" : "; ", start));
    rest_ = {};
    ++lost_;
    return false;
  }
  ++records_;
  rest_ = joined ? rest_.substr(text.size()) : std::string_view{};
  report_repairs(parser_, place, log_);
  record = {value, text, place, joined ? place.byte + text.size() : line_.end};
  return true;
}

}  // namespace memuse::ingest
