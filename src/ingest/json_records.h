#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "ingest/adapter.h"
#include "ingest/json.h"
#include "ingest/parsed_lines.h"
#include "ingest/record_fields.h"

namespace memuse::ingest {

/// One JSON object of a file of JSON Lines.
struct JsonRecord {
  const JsonValue* value = nullptr;  ///< like its texts, valid until the next record
  std::string_view text;             ///< its bytes
  RecordPlace place;
  std::uint64_t end = 0;  ///< offset behind its last byte, and behind its line end if it is the last of its line
};

/// Reads a file of JSON Lines record by record. A line that cannot be used is reported with its place and passed over;
/// records that were joined into one line are read one by one. Memory: as `ParsedLines`.
class JsonRecordReader {
 public:
  JsonRecordReader(std::unique_ptr<ByteStream> stream, const ReadOptions& options, DiagnosticLog& log);

  /// The next record, false at the end.
  bool next(JsonRecord& record);

  /// Lines, or ends of lines, that could not be used so far.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  /// Offset behind the last line read.
  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  void report(const ParsedLine& parsed, RecordPlace place);

  const ReadOptions& options_;
  DiagnosticLog& log_;
  ParsedLines lines_;
  std::uint64_t end_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace memuse::ingest
