#include "workflow/source_bytes.h"

#include <algorithm>

namespace memuse::workflow {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;
/// Nearer places are reached by reading on.
constexpr std::uint64_t kNear = std::uint64_t{1} << 20;

}  // namespace

/// Throws ReadFault.
bool SourceBytes::seek(const std::string& file, std::uint64_t begin) {
  const bool on = stream_ != nullptr && file == file_ && begin >= at_ && begin - at_ <= kNear;
  if (!on) {
    stream_ = ingest::open_file(file, static_cast<std::size_t>(begin));
    file_ = file;
    ahead_.clear();
    at_ = begin;
  }
  while (at_ < begin) {
    if (ahead_.empty()) ahead_ = ingest::read_up_to(*stream_, kPiece);
    if (ahead_.empty()) return false;
    const std::size_t passed = static_cast<std::size_t>(std::min<std::uint64_t>(begin - at_, ahead_.size()));
    ahead_.erase(0, passed);
    at_ += passed;
  }
  return true;
}

std::optional<std::string> SourceBytes::first(const std::string& file, std::uint64_t begin, std::size_t size) {
  try {
    if (!seek(file, begin)) return std::nullopt;
    if (ahead_.size() < size) ahead_ += ingest::read_up_to(*stream_, size - ahead_.size());
    return ahead_.substr(0, size);
  } catch (const ingest::ReadFault&) {
    stream_.reset();
    return std::nullopt;
  }
}

bool SourceBytes::copy(const std::string& file, std::uint64_t begin, std::uint64_t end,
                       const std::function<void(std::string_view)>& take) {
  try {
    if (!seek(file, begin)) return false;
    while (at_ < end) {
      if (ahead_.empty()) ahead_ = ingest::read_up_to(*stream_, kPiece);
      if (ahead_.empty()) return false;
      const std::size_t part = static_cast<std::size_t>(std::min<std::uint64_t>(end - at_, ahead_.size()));
      take(std::string_view(ahead_).substr(0, part));
      ahead_.erase(0, part);
      at_ += part;
    }
    return true;
  } catch (const ingest::ReadFault&) {
    stream_.reset();
    return false;
  }
}

}  // namespace memuse::workflow
