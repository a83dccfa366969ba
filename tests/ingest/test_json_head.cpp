#include "ingest/json_head.h"

#include <catch2/catch.hpp>
#include <string>

namespace memuse::ingest {
namespace {

TEST_CASE("a word is found at every place of a head, also across the blocks that are looked at") {
  const std::string word = "\"schema\"";
  for (std::size_t at = 0; at<3100; at += at> 980 && at < 1080 ? 1 : 13) {
    std::string head(3200, '"');
    head.replace(at, word.size(), word);
    REQUIRE(find_word(head, word) == at);
  }
  CHECK(find_word(std::string(5000, 's'), word) == std::string_view::npos);
  CHECK(find_word("", word) == std::string_view::npos);
  CHECK_FALSE(has_word("\"schema", word));
}

}  // namespace
}  // namespace memuse::ingest
