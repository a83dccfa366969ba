#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>

#include "ingest/adapter.h"
#include "ingest/json.h"
#include "ingest/line_blocks.h"
#include "ingest/line_reader.h"

namespace memuse::ingest {

/// One line of a file of JSON Lines, or one of the records that were joined into a line.
struct ParsedLine {
  Line line;                         ///< the whole line
  std::string_view text;             ///< the record's part of it
  const JsonValue* value = nullptr;  ///< null for a line that is blank or too long, and where `fault` says why
  bool blank = false;
  JsonFault fault;
  JsonRepairs repairs;
  bool last_of_line = true;  ///< no more records of the same line follow
};

/// What to make of several records on one line.
enum class JoinedRecords : std::uint8_t { are_a_fault, are_read_one_by_one };

/// Reads a file of JSON Lines: lines are cut first and parsed one by one, so that a bad line costs one line. When
/// `ReadOptions::read_ahead` allows it, the blocks of a large file are parsed side by side by the threads of the
/// current TBB arena; what is handed out, and in which order, does not depend on it. Memory: what may be read ahead,
/// the longest line below the limit, and the texts that somebody keeps (`arena`).
class ParsedLines {
 public:
  ParsedLines(std::unique_ptr<ByteStream> stream, const ReadOptions& options, JoinedRecords joined);
  /// Waits for the blocks that are being parsed.
  ~ParsedLines();
  ParsedLines(const ParsedLines&) = delete;
  ParsedLines& operator=(const ParsedLines&) = delete;

  /// The next record, blank line or line at fault, valid until the next call; null at the end. Throws ReadFault.
  const ParsedLine* next();

  /// Holds the decoded strings and numbers of the current record (not the raw text of arrays and objects). Who keeps
  /// it, e.g. by `Arena::adopt`, may keep them.
  [[nodiscard]] std::shared_ptr<const Arena> arena() const;

 private:
  struct Block;

  bool open_next_block();
  void fill();
  void close_front();
  std::unique_ptr<Block> spare_block();

  LineBlockCutter cutter_;
  std::shared_ptr<ReadAhead> read_ahead_;
  std::size_t block_bytes_;
  std::size_t max_line_bytes_;
  JoinedRecords joined_;
  std::deque<std::unique_ptr<Block>> blocks_;  // the front one is being handed out
  std::unique_ptr<Block> spare_;
  std::uint64_t lines_ = 0;  // before the front block
  bool front_open_ = false;
  bool at_end_ = false;
  std::exception_ptr fault_;  // of the stream, behind the last block
};

}  // namespace memuse::ingest
