#include "ingest/line_reader.h"

#include <cstring>
#include <utility>

namespace memuse::ingest {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteStream> stream, std::size_t max_line_bytes)
    : stream_(std::move(stream)), max_line_bytes_(max_line_bytes), buffer_(kBlock + kPadding) {}

std::size_t LineReader::readable(std::string_view text) const {
  return static_cast<std::size_t>(buffer_.data() + buffer_.size() - text.data());
}

/// Reads more bytes behind end_; false at the end of the stream.
bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0 && (begin_ == end_ || buffer_.size() - kPadding - end_ < kBlock / 2)) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  // Growing by factors keeps the copying linear in the length of the line.
  if (buffer_.size() - kPadding - end_ < kBlock / 2) buffer_.resize(buffer_.size() * 2);
  const std::size_t got = stream_->read(buffer_.data() + end_, buffer_.size() - kPadding - end_);
  end_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

void LineReader::emit(Line& line, std::size_t length, bool terminated) {
  line.text = std::string_view(buffer_.data() + begin_, length);
  line.number = ++number_;
  line.byte = offset_;
  line.too_long = false;
  line.terminated = terminated;
  const std::size_t taken = length + (terminated ? 1 : 0);
  begin_ += taken;
  offset_ += taken;
  line.end = offset_;
  searched_ = 0;
}

/// The current line has passed the limit: reads past it, keeping nothing.
bool LineReader::skip_long_line(Line& line) {
  line.text = {};
  line.number = ++number_;
  line.byte = offset_;
  line.too_long = true;
  while (true) {
    const char* from = buffer_.data() + begin_;
    const auto* feed = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    const std::size_t taken = feed != nullptr ? static_cast<std::size_t>(feed - from) + 1 : end_ - begin_;
    begin_ += taken;
    offset_ += taken;
    if (feed != nullptr || !fill()) {
      line.terminated = feed != nullptr;
      line.end = offset_;
      searched_ = 0;
      return true;
    }
  }
}

void LineReader::skip_byte_order_mark() {
  while (end_ - begin_ < kByteOrderMark.size()) {
    if (!fill()) return;
  }
  if (std::string_view(buffer_.data() + begin_, kByteOrderMark.size()) != kByteOrderMark) return;
  begin_ += kByteOrderMark.size();
  offset_ += kByteOrderMark.size();
}

bool LineReader::next(Line& line) {
  if (number_ == 0 && offset_ == 0) skip_byte_order_mark();
  while (true) {
    const char* from = buffer_.data() + begin_ + searched_;
    const std::size_t unsearched = end_ - begin_ - searched_;
    if (const auto* feed = static_cast<const char*>(std::memchr(from, '\n', unsearched)); feed != nullptr) {
      const auto length = static_cast<std::size_t>(feed - (buffer_.data() + begin_));
      if (length > max_line_bytes_) return skip_long_line(line);
      emit(line, length, true);
      return true;
    }
    searched_ += unsearched;
    if (searched_ > max_line_bytes_) return skip_long_line(line);
    if (fill()) continue;
    if (begin_ == end_) return false;
    emit(line, end_ - begin_, false);
    return true;
  }
}

}  // namespace memuse::ingest
