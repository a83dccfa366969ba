// gzip files read as what they hold.

#include <zlib.h>

#include <catch2/catch.hpp>
#include <string>

#include "ingest/gzip_stream.h"
#include "support/program.h"

namespace {

using memuse::ingest::open_gzip;
using memuse::ingest::open_string;
using memuse::ingest::read_up_to;
using memuse::ingest::ReadFault;

/// One gzip member.
std::string packed(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

/// Everything that the bytes hold, or the reason why not, read in pieces of `piece`.
std::string unpacked(std::string bytes, std::size_t piece = 100) {
  const auto stream = open_gzip(open_string(std::move(bytes)));
  std::string all;
  try {
    for (std::string part = read_up_to(*stream, piece); !part.empty(); part = read_up_to(*stream, piece)) all += part;
  } catch (const ReadFault& fault) {
    return "fault: " + fault.reason;
  }
  return all;
}

/// Text that packs about as well as rows do.
std::string rows(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "{\"row\": " + std::to_string(i * 7919) + ", \"arc\": \"x\"}\n";
  return text;
}

}  // namespace

TEST_CASE("a gzip stream gives the bytes it holds whatever the size of the reads") {
  const std::string text = rows(20'000);
  for (const std::size_t piece : {1UL, 7UL, 4096UL, 1UL << 20}) {
    if (piece < 7) {
      CHECK(unpacked(packed("short"), piece) == "short");
    } else {
      CHECK(unpacked(packed(text), piece) == text);
    }
  }
}

TEST_CASE("members of a gzip file follow one another and zeros behind them are nothing") {
  CHECK(unpacked(packed("one\n") + packed("") + packed("two\n")) == "one\ntwo\n");
  CHECK(unpacked(packed("one\n") + std::string(512, '\0')) == "one\n");
}

TEST_CASE("damaged gzip files say what is wrong") {
  const std::string whole = packed(rows(1000));
  for (const std::size_t length : {3UL, 11UL, whole.size() / 2, whole.size() - 1}) {
    CHECK(unpacked(whole.substr(0, length)) == "fault: the gzip file ends too early");
  }
  CHECK_THAT(unpacked(whole + "more"), Catch::Matchers::StartsWith("fault: damaged gzip data"));
  std::string flipped = whole;
  flipped[whole.size() - 6] = static_cast<char>(flipped[whole.size() - 6] ^ 1);
  CHECK_THAT(unpacked(flipped), Catch::Matchers::StartsWith("fault: damaged gzip data"));
}

TEST_CASE("a gzip file that grows beyond reason is refused") {
  const std::string bomb = packed(std::string(std::size_t{300} << 20, 'a'));
  const auto stream = open_gzip(open_string(bomb));
  std::string block(1 << 20, '\0');
  std::uint64_t bytes = 0;
  const auto read_all = [&] {
    while (const std::size_t got = stream->read(block.data(), block.size())) bytes += got;
  };
  CHECK_THROWS_AS(read_all(), ReadFault);
  CHECK(bytes < (std::uint64_t{200} << 20));
}

TEST_CASE("a packed file is opened unpacked, from any byte on") {
  const memuse::test::TemporaryFolder folder;
  memuse::test::write_file(folder.path() / "rows.jsonl.gz", packed("first line\nsecond line\n"));
  const std::string path = (folder.path() / "rows.jsonl.gz").string();
  CHECK(read_up_to(*memuse::ingest::open_file(path), 100) == "first line\nsecond line\n");
  CHECK(read_up_to(*memuse::ingest::open_file(path, 11), 100) == "second line\n");
  CHECK(read_up_to(*memuse::ingest::open_file_range(path, 6, 10), 100) == "line");
}
