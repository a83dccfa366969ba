#include "ingest/line_reader.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace memuse::ingest {
namespace {

/// Gives its bytes in pieces of random size, as pipes and network file systems do.
class DribblingStream final : public ByteStream {
 public:
  DribblingStream(std::string bytes, std::size_t largest, std::uint32_t seed)
      : bytes_(std::move(bytes)), largest_(largest), random_(seed) {}
  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t left = bytes_.size() - position_;
    const std::size_t count = std::min({size, left, 1 + random_() % largest_});
    std::copy_n(bytes_.data() + position_, count, buffer);
    position_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t largest_;
  std::mt19937 random_;
  std::size_t position_ = 0;
};

struct KeptLine {
  std::string text;
  std::uint64_t number = 0;
  std::uint64_t byte = 0;
  std::uint64_t end = 0;
  bool too_long = false;
  bool terminated = true;
  friend bool operator==(const KeptLine&, const KeptLine&) = default;
};

std::ostream& operator<<(std::ostream& out, const KeptLine& line) {
  return out << line.number << " @" << line.byte << ".." << line.end << (line.too_long ? " too long" : "")
             << (line.terminated ? "" : " open") << " [" << line.text.substr(0, 80) << "]";
}

std::vector<KeptLine> read_lines(std::unique_ptr<ByteStream> stream, std::size_t limit) {
  LineReader reader(std::move(stream), limit);
  std::vector<KeptLine> lines;
  Line line;
  while (reader.next(line)) {
    if (!line.too_long && reader.readable(line.text) < line.text.size() + LineReader::kPadding) {
      FAIL("too little padding behind line " << line.number);
    }
    lines.push_back({std::string(line.text), line.number, line.byte, line.end, line.too_long, line.terminated});
  }
  return lines;
}

/// The obvious splitter.
std::vector<KeptLine> split(const std::string& bytes, std::size_t limit) {
  std::vector<KeptLine> lines;
  std::size_t begin = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (begin < bytes.size()) {
    const std::size_t feed = bytes.find('\n', begin);
    const bool terminated = feed != std::string::npos;
    const std::size_t end = terminated ? feed : bytes.size();
    const bool too_long = end - begin > limit;
    lines.push_back({too_long ? "" : bytes.substr(begin, end - begin), lines.size() + 1, begin,
                     end + (terminated ? 1 : 0), too_long, terminated});
    begin = end + 1;
  }
  return lines;
}

std::string random_bytes(std::mt19937& random) {
  static const std::vector<std::string> pieces{
      "\n", "\n", "\r\n", "a", "bc", "\xE2\x80\xA8", "\r", std::string(1, '\0'), "\xEF\xBB\xBF", std::string(70, 'x')};
  std::string bytes;
  for (std::size_t i = random() % 60; i > 0; --i) bytes += pieces[random() % pieces.size()];
  return bytes;
}

TEST_CASE("lines end at line feeds only") {
  const auto lines = read_lines(open_string("one\r\n\xE2\x80\xA8two\rstill\n\nlast"), 100);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == KeptLine{"one\r", 1, 0, 5, false, true});
  CHECK(lines[1] == KeptLine{"\xE2\x80\xA8two\rstill", 2, 5, 18, false, true});
  CHECK(lines[2] == KeptLine{"", 3, 18, 19, false, true});
  CHECK(lines[3] == KeptLine{"last", 4, 19, 23, false, false});
}

TEST_CASE("a byte-order mark is skipped at the start of the file only") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(read_lines(open_string(mark), 10).empty());
  CHECK(read_lines(open_string(mark + "a\n" + mark + "b"), 10) ==
        std::vector<KeptLine>{{"a", 1, 3, 5, false, true}, {mark + "b", 2, 5, 9, false, false}});
  CHECK(read_lines(std::make_unique<DribblingStream>(mark + "a", 1, 1), 10) ==
        std::vector<KeptLine>{{"a", 1, 3, 4, false, false}});
}

TEST_CASE("the limit counts the bytes before the line feed") {
  const auto sizes = [](const std::string& bytes) {
    std::vector<bool> too_long;
    for (const KeptLine& line : read_lines(open_string(bytes), 5)) too_long.push_back(line.too_long);
    return too_long;
  };
  CHECK(sizes("12345\n123456\n1\n") == std::vector<bool>{false, true, false});
  CHECK(sizes("12345") == std::vector<bool>{false});
  CHECK(sizes("123456") == std::vector<bool>{true});
}

TEST_CASE("an empty stream has no line") {
  CHECK(read_lines(open_string(""), 10).empty());
}

TEST_CASE("lines agree with the obvious splitter for any pieces and limits") {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const std::string bytes = random_bytes(random);
    const std::size_t limit = random() % 120;
    const std::size_t largest = 1 + random() % 40;
    INFO("round " << round << ", limit " << limit << ", pieces up to " << largest);
    REQUIRE(read_lines(std::make_unique<DribblingStream>(bytes, largest, random()), limit) == split(bytes, limit));
  }
}

TEST_CASE("lines longer than the block agree with the obvious splitter") {
  std::mt19937 random(11);
  std::string bytes;
  for (const std::size_t size : {300'000U, 5U, 1'200'000U, 262'144U, 0U, 262'143U, 131'072U, 2'500'000U, 17U}) {
    bytes += std::string(size, 'y') + "\n";
  }
  for (const std::size_t limit :
       {std::size_t{100}, std::size_t{262'144}, std::size_t{1'300'000}, std::size_t{1} << 30}) {
    for (const std::size_t largest : {1'000U, 70'000U, 10'000'000U}) {
      REQUIRE(read_lines(std::make_unique<DribblingStream>(bytes, largest, random()), limit) == split(bytes, limit));
    }
  }
}

TEST_CASE("a file is read from an offset, and what is no file is refused") {
  CHECK_THROWS_AS(open_file("/"), ReadFault);
  CHECK_THROWS_AS(open_file("/no/such/file"), ReadFault);
  CHECK_THROWS_AS(open_file("/dev/null"), ReadFault);
}

}  // namespace
}  // namespace memuse::ingest
