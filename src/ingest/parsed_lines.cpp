#include "ingest/parsed_lines.h"

#include <tbb/task_group.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "ingest/read_ahead.h"
#include "model/text.h"

// The front block is handed out by the thread that reads; the blocks behind it are parsed meanwhile by whoever is free,
// each with its own parser into its own arena. The reading thread does not wait idly for the front block: it helps.

namespace memuse::ingest {
namespace {

/// More records on one line are not read: each costs a look at the whole rest of the line.
constexpr std::uint32_t kMostRecordsOfALine = 16;
/// A block of very many values or lines is parsed part by part, so that its trees stay small beside their text.
constexpr std::size_t kMostValues = std::size_t{1} << 16;
constexpr std::size_t kMostLines = std::size_t{1} << 13;
/// A block that held a line so many times as long as blocks are is not used again.
constexpr std::size_t kLongBlock = 8;

}  // namespace

struct ParsedLines::Block {
  explicit Block(std::size_t max_line_bytes) : parser(std::max(max_line_bytes, std::size_t{1})) {}

  void reset();
  [[nodiscard]] std::size_t bytes() const { return std::max<std::size_t>(lines.size, 1); }
  [[nodiscard]] bool parsed_to_end() const { return lines.skipped > 0 ? line_count > 0 : at == lines.size; }
  /// Parses lines until there are as many values or lines as a part may have.
  void parse_part(std::size_t max_line_bytes, JoinedRecords joined);
  Line cut_line();
  void parse_line(const Line& line, JoinedRecords joined);
  [[nodiscard]] std::size_t readable(std::string_view text) const {
    return static_cast<std::size_t>(lines.buffer.data() + lines.buffer.size() - text.data());
  }

  LineBlock lines;
  JsonParser parser;
  std::shared_ptr<Arena> arena;
  std::vector<ParsedLine> part;  // parsed, and not yet handed out from `next` on; line numbers count within the block
  std::size_t next = 0;
  std::size_t at = 0;  // bytes parsed
  std::uint64_t line_count = 0;
  tbb::task_group task;
};

void ParsedLines::Block::reset() {
  part.clear();
  next = 0;
  at = 0;
  line_count = 0;
  arena = std::make_shared<Arena>();
  // Strings are never longer than they are written: one piece of memory for the block.
  arena->reserve(lines.size);
}

Line ParsedLines::Block::cut_line() {
  Line line;
  const char* begin = lines.buffer.data() + at;
  const auto* feed = static_cast<const char*>(std::memchr(begin, '\n', lines.size - at));
  const std::size_t length = feed != nullptr ? static_cast<std::size_t>(feed - begin) : lines.size - at;
  line.text = std::string_view(begin, length);
  line.number = ++line_count;
  line.byte = lines.byte + at;
  line.terminated = feed != nullptr;
  at += length + (line.terminated ? 1 : 0);
  line.end = lines.byte + at;
  return line;
}

void ParsedLines::Block::parse_line(const Line& line, JoinedRecords joined) {
  std::string_view rest = line.text;
  for (std::uint32_t records = 1; !rest.empty(); ++records) {
    ParsedLine& parsed = part.emplace_back();
    parsed.line = line;
    parsed.text = rest;
    parsed.value = parser.parse_next(rest, readable(rest), *arena, parsed.fault);
    const JsonFault& fault = parsed.fault;
    const bool several = joined == JoinedRecords::are_read_one_by_one && parsed.value == nullptr &&
                         fault.fault == Fault::trailing_content && fault.byte > 0 && fault.byte < rest.size() &&
                         records < kMostRecordsOfALine;
    if (several) {
      parsed.text = rest.substr(0, fault.byte);
      parsed.value = parser.parse_next(parsed.text, readable(parsed.text), *arena, parsed.fault);
    }
    parsed.repairs = parser.repairs();
    if (parsed.value == nullptr && !line.terminated && fault.fault == Fault::invalid_json) {
      parsed.fault.fault = Fault::truncated_line;
    }
    parsed.last_of_line = !several || parsed.value == nullptr;
    rest = parsed.last_of_line ? std::string_view{} : rest.substr(parsed.text.size());
  }
}

void ParsedLines::Block::parse_part(std::size_t max_line_bytes, JoinedRecords joined) {
  parser.forget();
  part.clear();
  next = 0;
  if (lines.skipped > 0) {
    ParsedLine& parsed = part.emplace_back();
    parsed.line.number = ++line_count;
    parsed.line.byte = lines.byte;
    parsed.line.end = lines.byte + lines.skipped;
    parsed.line.too_long = true;
    parsed.line.terminated = lines.skipped_terminated;
    return;
  }
  while (at < lines.size && part.size() < kMostLines && parser.values() < kMostValues) {
    Line line = cut_line();
    line.too_long = line.text.size() > max_line_bytes;
    if (line.too_long) line.text = {};
    if (line.too_long || is_blank(line.text)) {
      ParsedLine& parsed = part.emplace_back();
      parsed.line = line;
      parsed.blank = !line.too_long;
    } else {
      parse_line(line, joined);
    }
  }
}

ParsedLines::ParsedLines(std::unique_ptr<ByteStream> stream, const ReadOptions& options, JoinedRecords joined)
    : cutter_(std::move(stream), options.max_record_bytes, options.block_bytes),
      read_ahead_(options.read_ahead),
      block_bytes_(options.block_bytes),
      max_line_bytes_(options.max_record_bytes),
      joined_(joined) {}

ParsedLines::~ParsedLines() {
  for (const std::unique_ptr<Block>& block : blocks_) {
    block->task.cancel();
    try {
      block->task.wait();
    } catch (...) {  // NOLINT(bugprone-empty-catch): what nobody asked for any more has failed
    }
    if (read_ahead_) read_ahead_->give_back(block->bytes());
  }
}

std::unique_ptr<ParsedLines::Block> ParsedLines::spare_block() {
  if (spare_) return std::move(spare_);
  return std::make_unique<Block>(max_line_bytes_);
}

/// Reads the next block, and more when they may be parsed ahead.
void ParsedLines::fill() {
  while (!at_end_ && (blocks_.empty() || (read_ahead_ && read_ahead_->has_room()))) {
    std::unique_ptr<Block> block = spare_block();
    try {
      at_end_ = !cutter_.next(block->lines);
    } catch (const ReadFault&) {
      fault_ = std::current_exception();
      at_end_ = true;
    }
    if (at_end_) break;
    block->reset();
    if (read_ahead_) {
      read_ahead_->take(block->bytes());
      block->task.run([&parsed = *block, max = max_line_bytes_, joined = joined_] { parsed.parse_part(max, joined); });
    }
    blocks_.push_back(std::move(block));
  }
}

bool ParsedLines::open_next_block() {
  fill();
  if (blocks_.empty()) {
    if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
    return false;
  }
  if (read_ahead_) {
    blocks_.front()->task.wait();
  } else {
    blocks_.front()->parse_part(max_line_bytes_, joined_);
  }
  front_open_ = true;
  return true;
}

void ParsedLines::close_front() {
  std::unique_ptr<Block> block = std::move(blocks_.front());
  blocks_.pop_front();
  front_open_ = false;
  lines_ += block->line_count;
  if (read_ahead_) read_ahead_->give_back(block->bytes());
  if (block->lines.buffer.size() <= kLongBlock * block_bytes_) spare_ = std::move(block);
}

const ParsedLine* ParsedLines::next() {
  while (true) {
    if (!front_open_ && !open_next_block()) return nullptr;
    Block& block = *blocks_.front();
    if (block.next < block.part.size()) {
      ParsedLine& parsed = block.part[block.next++];
      parsed.line.number += lines_;
      return &parsed;
    }
    if (block.parsed_to_end()) {
      close_front();
    } else {
      block.parse_part(max_line_bytes_, joined_);
    }
  }
}

std::shared_ptr<const Arena> ParsedLines::arena() const {
  return blocks_.front()->arena;
}

}  // namespace memuse::ingest
