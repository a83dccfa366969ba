#include "ingest/merit_transcript.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace memuse::ingest {
namespace {

const std::string kOld = "[memory shown]\n\n[user] Ask\n[tool look] args={} -> {}\n[assistant] Old";
const std::vector<std::string> kLines{"[tool look] args={} -> {}"};

TEST_CASE("the block ends before the last occurrence of the known message") {
  const std::string text = kOld + "\n[user] Ask\n[tool look] args={} -> {}\n[assistant] New";
  const auto end = find_block_end(text, KnownMessage{"Ask", BlockRule::c0_message}, false, kLines);
  REQUIRE(end);
  CHECK(end->bytes == kOld.size());
  CHECK(end->rule == BlockRule::c0_message);
}

TEST_CASE("a message that another one begins with is not taken for it") {
  const std::string text = "block\n[user] Ask\n[assistant] No\n[user] Ask again\n[assistant] Yes";
  const auto end = find_block_end(text, KnownMessage{"Ask", BlockRule::c4_message}, false, {});
  REQUIRE(end);
  CHECK(end->bytes == 5);
}

TEST_CASE("without a known message weaker rules are used and named") {
  const std::string text = kOld + "\n[user] Ask\n[tool look] args={} -> {}\n[assistant] New";
  CHECK(find_block_end("x.y = 1\n[user] A\n[user] B", {}, true, {}) == BlockEnd{7, BlockRule::first_user_line});
  CHECK(find_block_end(text, {}, false, kLines) == BlockEnd{kOld.size(), BlockRule::tool_lines});
  CHECK(find_block_end(kOld + "\n[user] Hm\n[assistant] Hm", {}, false, {}) ==
        BlockEnd{kOld.size(), BlockRule::last_user_line});
  CHECK_FALSE(find_block_end("no turn", {}, false, {}));
  // A known message that is not there is no reason to give up.
  CHECK(find_block_end(text, KnownMessage{"Other", BlockRule::c0_message}, false, kLines)->rule ==
        BlockRule::tool_lines);
}

TEST_CASE("turns are cut at the lines of the calls and at marks") {
  const std::vector<std::string> lines{"[tool a] args={'x': ' -> '} -> {\"ok\": true}", "[tool b] args={} -> {}"};
  const std::string text =
      "\n[user] Do\nthis\n" + lines[0] + "\n" + lines[1] + "\n[assistant] Done\n[user] And?\n[assistant] None";
  const Turns turns = split_turns(text, lines);
  CHECK(turns.calls_not_found == 0);
  REQUIRE(turns.parts.size() == 6);
  CHECK(turns.parts[0].text == "Do\nthis");
  CHECK(turns.parts[1].call == 0);
  CHECK(turns.parts[2].call == 1);
  CHECK(turns.parts[3].text == "Done");
  CHECK(turns.parts[4].kind == TurnPart::Kind::user);
  CHECK(turns.parts[5].text == "None");
}

TEST_CASE("a call whose line is missing still stands in its place") {
  const Turns turns = split_turns("\n[user] Do\n[tool a] args={} -> {}\n[assistant] Done",
                                  {"[tool z] args={} -> {}", "[tool a] args={} -> {}"});
  CHECK(turns.calls_not_found == 1);
  REQUIRE(turns.parts.size() == 4);
  CHECK(turns.parts[0].kind == TurnPart::Kind::call);
  CHECK(turns.parts[1].text == "Do");
  CHECK(turns.parts[3].text == "Done");
}

TEST_CASE("the heading and the first message of a transcript") {
  CHECK_FALSE(after_memory_heading("[memory]\n"));
  CHECK(after_memory_heading("[memory shown]\n\n[user] A") == "\n[user] A");
  CHECK(first_message("\n[user] Two\nlines\n[tool a] args={} -> {}") == "Two\nlines");
  CHECK_FALSE(first_message("nothing"));
  for (const BlockRule rule : {BlockRule::c0_message, BlockRule::c4_message, BlockRule::first_user_line,
                               BlockRule::tool_lines, BlockRule::last_user_line}) {
    CHECK(parse_block_rule(name(rule)) == rule);
  }
  CHECK_FALSE(parse_block_rule("guess"));
}

}  // namespace
}  // namespace memuse::ingest
