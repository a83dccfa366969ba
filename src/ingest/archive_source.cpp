#include "ingest/archive_source.h"

#include <cerrno>
#include <new>
#include <utility>

#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kArchiveBlock = std::size_t{64} << 10;
constexpr std::size_t kMaxFaultText = 200;

}  // namespace

std::string archive_fault(archive* opened) {
  const char* text = archive_error_string(opened);
  return text == nullptr ? "no more is known" : printable(shortened(text, kMaxFaultText));
}

ArchiveSource::ArchiveSource(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)), block_(kArchiveBlock) {}

void ArchiveSource::attach(archive* opened) {
  if (archive_read_open(opened, this, nullptr, &ArchiveSource::give, nullptr) == ARCHIVE_OK) return;
  if (fault_) throw ReadFault(*fault_);
  throw ReadFault{archive_fault(opened)};
}

la_ssize_t ArchiveSource::give(archive* opened, void* source, const void** block) {
  auto* self = static_cast<ArchiveSource*>(source);
  try {
    const std::size_t got = self->stream_->read(self->block_.data(), self->block_.size());
    self->taken_ += got;
    *block = self->block_.data();
    return static_cast<la_ssize_t>(got);
  } catch (const ReadFault& fault) {
    // No exception may pass through a library in C.
    self->fault_ = fault;
    archive_set_error(opened, EIO, "the file cannot be read");
    return ARCHIVE_FATAL;
  }
}

}  // namespace memuse::ingest
