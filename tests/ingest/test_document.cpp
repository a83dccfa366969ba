#include "ingest/document.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "ingest/line_reader.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

/// A stream that gives few bytes at a time, as pipes and archives do.
class ShortReads final : public ByteStream {
 public:
  ShortReads(std::string bytes, std::size_t most) : bytes_(std::move(bytes)), most_(most) {}
  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t count = std::min({size, most_, bytes_.size() - given_});
    std::memcpy(buffer, bytes_.data() + given_, count);
    given_ += count;
    return count;
  }
  [[nodiscard]] std::size_t given() const { return given_; }

 private:
  std::string bytes_;
  std::size_t most_;
  std::size_t given_ = 0;
};

Document document_of(const std::string& bytes, std::size_t limit = 1 << 20, std::size_t most = 7) {
  return {std::make_unique<ShortReads>(bytes, most), limit};
}

std::string some_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>('a' + i * 7 % 26);
  return bytes;
}

TEST_CASE("a document holds all bytes of its file", "[document]") {
  // Sizes around the first buffer and its doublings.
  for (const std::size_t size : {1U, 2U, 65535U, 65536U, 65537U, 131071U, 131072U, 131073U, 300000U}) {
    CAPTURE(size);
    const std::string bytes = some_bytes(size);
    for (const std::size_t most : {4093U, 1U << 30U}) {
      const Document document = document_of(bytes, 1 << 20, most);
      CHECK_FALSE(document.too_long());
      CHECK(document.text() == bytes);
      CHECK(document.size() == size);
      CHECK(document.sha256() == sha256_hex(bytes));
    }
  }
}

TEST_CASE("bytes behind a document may be read", "[document]") {
  for (const std::size_t size : {0U, 3U, 65536U}) {
    const Document document = document_of(some_bytes(size), 1 << 20, 4093);
    CHECK(document.readable() == document.text().size() + LineReader::kPadding);
  }
  const Document marked = document_of("\xEF\xBB\xBF{}");
  CHECK(marked.readable() == marked.text().size() + LineReader::kPadding);
}

TEST_CASE("a document may be as long as the limit and no longer", "[document]") {
  for (const std::size_t limit : {1U, 100U, 65535U, 65536U, 65537U, 131072U}) {
    CAPTURE(limit);
    CHECK_FALSE(document_of(some_bytes(limit - 1), limit, 4093).too_long());
    const Document longest = document_of(some_bytes(limit), limit, 4093);
    CHECK_FALSE(longest.too_long());
    CHECK(longest.text() == some_bytes(limit));
    const Document beyond = document_of(some_bytes(limit + 1), limit, 4093);
    CHECK(beyond.too_long());
    CHECK(beyond.text().empty());
  }
}

TEST_CASE("what is behind the limit is not read", "[document]") {
  auto stream = std::make_unique<ShortReads>(some_bytes(1 << 20), 1 << 30);
  const ShortReads& seen = *stream;
  struct Keeper final : ByteStream {  // the document destroys its stream; the counter is read before
    Keeper(std::unique_ptr<ShortReads> inner, std::size_t& out) : stream(std::move(inner)), given(out) {}
    std::size_t read(char* buffer, std::size_t size) override {
      const std::size_t got = stream->read(buffer, size);
      given = stream->given();
      return got;
    }
    std::unique_ptr<ShortReads> stream;
    std::size_t& given;
  };
  std::size_t given = seen.given();
  const Document document(std::make_unique<Keeper>(std::move(stream), given), 1000);
  CHECK(document.too_long());
  CHECK(given == 1001);
}

TEST_CASE("an empty document is empty", "[document]") {
  const Document document = document_of("");
  CHECK_FALSE(document.too_long());
  CHECK(document.text().empty());
  CHECK(document.size() == 0);
  CHECK(document.sha256() == sha256_hex(""));
}

TEST_CASE("a byte-order mark is no text but belongs to the file", "[document]") {
  const std::string bytes = "\xEF\xBB\xBF{\"a\":1}";
  const Document document = document_of(bytes);
  CHECK(document.text() == "{\"a\":1}");
  CHECK(document.size() == bytes.size());
  CHECK(document.sha256() == sha256_hex(bytes));
  SECTION("and counts for the limit") {
    CHECK_FALSE(document_of(bytes, bytes.size()).too_long());
    CHECK(document_of(bytes, bytes.size() - 1).too_long());
  }
  SECTION("alone, cut, or elsewhere") {
    CHECK(document_of("\xEF\xBB\xBF").text().empty());
    CHECK(document_of("\xEF\xBB").text() == "\xEF\xBB");
    CHECK(document_of("{\xEF\xBB\xBF}").text() == "{\xEF\xBB\xBF}");
    CHECK(document_of("\xEF\xBB\xBF\xEF\xBB\xBF{}").text() == "\xEF\xBB\xBF{}");
  }
}

}  // namespace
}  // namespace memuse::ingest
