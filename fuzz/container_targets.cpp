// Packed files: what they hold is told, or why it cannot be had, and reading from the middle gives the same bytes.

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "fuzz/memory_file.h"
#include "fuzz/targets.h"
#include "ingest/byte_stream.h"

namespace memuse::fuzz {
namespace {

using ingest::ReadFault;

struct Unpacked {
  std::string bytes;
  std::string fault;
};

/// All bytes from `offset` on, up to a bound, read in pieces.
Unpacked unpack(const std::string& path, std::size_t offset, std::size_t piece) {
  constexpr std::size_t kMost = std::size_t{1} << 21;
  Unpacked unpacked;
  try {
    const auto stream = ingest::open_file(path, offset);
    for (std::string part = read_up_to(*stream, piece); !part.empty() && unpacked.bytes.size() < kMost;
         part = read_up_to(*stream, piece)) {
      unpacked.bytes += part;
    }
  } catch (const ReadFault& fault) {
    unpacked.fault = fault.reason;
    if (fault.reason.empty()) throw BrokenProperty("a fault without a reason");
  }
  return unpacked;
}

void run_container(std::string_view bytes) {
  const MemoryFile file(bytes);
  const Unpacked whole = unpack(file.path(), 0, std::size_t{1} << 16);
  const Unpacked pieces = unpack(file.path(), 0, 4093);
  const std::size_t common = std::min(whole.bytes.size(), pieces.bytes.size());
  if (whole.bytes.compare(0, common, pieces.bytes, 0, common) != 0) throw BrokenProperty("pieces hold other bytes");
  if (whole.fault != pieces.fault) throw BrokenProperty("pieces end otherwise: " + whole.fault + pieces.fault);
  if (!whole.fault.empty()) return;
  const std::size_t middle = whole.bytes.size() / 2;
  const Unpacked rest = unpack(file.path(), middle, std::size_t{1} << 16);
  const std::size_t tail = std::min(rest.bytes.size(), whole.bytes.size() - middle);
  if (rest.bytes.compare(0, tail, whole.bytes, middle, tail) != 0) throw BrokenProperty("the middle holds other bytes");
}

/// One gzip member.
std::string gzip_member(const std::string& text, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::vector<std::string> container_seeds() {
  std::string rows;
  for (int i = 0; i < 200; ++i) rows += "{\"row\": " + std::to_string(i * 7919) + "}\n";
  return {rows, gzip_member("", 6), gzip_member("short", 0), gzip_member(rows, 9),
          gzip_member("one", 6) + gzip_member("two", 1)};
}

}  // namespace

std::vector<Target> container_targets() {
  return {{"container", run_container, container_seeds}};
}

}  // namespace memuse::fuzz
