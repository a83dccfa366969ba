#include "ingest/merit_blocks.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace memuse::ingest {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const std::string& block, const std::vector<BlockEntry>& entries) {
  Texts all;
  for (const BlockEntry& entry : entries) {
    all.push_back(block.substr(entry.range.begin, entry.range.end - entry.range.begin));
  }
  return all;
}

Texts items(const std::vector<BlockEntry>& entries) {
  Texts all;
  for (const BlockEntry& entry : entries) all.emplace_back(entry.item);
  return all;
}

/// A text of that many characters that says where it is, with letters of two bytes in it.
std::string filler(std::size_t characters, const std::string& mark) {
  std::string text;
  for (std::size_t i = 0; i < characters; ++i) text += i % 50 == 0 ? "\u00e9" : mark.substr(i % mark.size(), 1);
  return text;
}

TEST_CASE("the form of a block follows from the condition or the memory's name") {
  CHECK(block_form("C0") == BlockForm::none);
  CHECK(block_form("C1_full_replay") == BlockForm::full_replay);
  CHECK(block_form("C2_rag_intervention") == BlockForm::chunks);
  CHECK(block_form("C3") == BlockForm::summaries);
  CHECK(block_form("C4_structured") == BlockForm::facts);
  CHECK(block_form("C5_hybrid") == BlockForm::facts_and_chunks);
  CHECK(block_form("C6") == BlockForm::unknown);
  CHECK(block_form("") == BlockForm::unknown);
  CHECK(block_form("CX") == BlockForm::unknown);
  CHECK(block_form("C44") == BlockForm::unknown);
}

TEST_CASE("a block of white space or of C5's headings alone holds no memory") {
  CHECK(holds_no_memory(BlockForm::facts, ""));
  CHECK(holds_no_memory(BlockForm::summaries, "\n"));
  CHECK(holds_no_memory(BlockForm::facts_and_chunks, "[facts]\n\n[related transcripts]\n"));
  CHECK_FALSE(holds_no_memory(BlockForm::full_replay, "[facts]\n\n[related transcripts]\n"));
  CHECK_FALSE(holds_no_memory(BlockForm::facts_and_chunks, "[facts]\na.b = 1  (ep x)\n[related transcripts]\n"));
}

TEST_CASE("facts: one line each, item before the first equals sign, version by value") {
  const std::string block =
      "pump-7.limit.max = 40 = 4 x 10  (ep arc0-000-e1)\nuser.note = see (ep x)  (ep arc0-000-e2)\nno fact\nuser.cut = "
      "12";
  const auto entries = split_block(BlockForm::facts, block, "arc0-000");
  CHECK(items(entries) == Texts{"pump-7.limit.max", "user.note", "", "user.cut"});
  CHECK(texts(block, entries)[1] == "user.note = see (ep x)  (ep arc0-000-e2)");
  REQUIRE(entries.size() == 4);
  CHECK(entries[0].version == "40 = 4 x 10");
  CHECK(entries[1].version == "see (ep x)");
  CHECK_FALSE(entries[2].version);
  CHECK_FALSE(entries[3].version);  // cut off: its value may go on
}

TEST_CASE("summaries: marks inside a quoted older block are not marks of the outer one") {
  const std::string inner = "\n[Episode arc0-000-e0] first";
  const std::string block = inner + "\n[Episode arc0-000-e1] second, which quotes:" + inner +
                            "\nand goes on\n[Episode arc0-000-e2] third" + inner + "\n[Episode arc0-000-e1] quoted";
  const auto entries = split_block(BlockForm::summaries, block, "arc0-000");
  CHECK(items(entries) == Texts{"arc0-000-e0", "arc0-000-e1", "arc0-000-e2"});
  CHECK(texts(block, entries)[0] == "[Episode arc0-000-e0] first");
  CHECK(texts(block, entries)[2] == "[Episode arc0-000-e2] third" + inner + "\n[Episode arc0-000-e1] quoted");
}

TEST_CASE("summaries: what was cut off at the front is an entry without a name") {
  const std::string block = "rest of two\n[Episode a-e0] quoted in two\n[Episode a-e3] three\n[Episode a-e1] quoted";
  const auto entries = split_block(BlockForm::summaries, block, "a");
  // e1 behind e3 is quoted there; e0 cannot be told from an outer mark.
  CHECK(items(entries) == Texts{"", "a-e0", "a-e3"});
  CHECK(items(split_block(BlockForm::summaries, "no mark at all", "a")) == Texts{""});
}

TEST_CASE("chunks: separators inside a slice do not cut it") {
  const std::string a = filler(300, "abc") + "\n---\n" + filler(295, "def");
  const std::string b = filler(600, "ghi");
  const std::string tail = "[user] ask\n" + filler(100, "jk") + "\n---\n" + filler(50, "lm") + "\n[assistant] Done.";
  const std::string block = a + "\n---\n" + tail + "\n---\n" + b;
  CHECK(texts(block, split_block(BlockForm::chunks, block, "")) == Texts{a, tail, b});
  CHECK(texts(a, split_block(BlockForm::chunks, a, "")) == Texts{a});
  const std::string corrected = b + "\n[NOTE] Correction: the previous values were updated.";
  const std::string two = corrected + "\n---\n" + a;
  CHECK(texts(two, split_block(BlockForm::chunks, two, "")) == Texts{corrected, a});
}

TEST_CASE("chunks that no slices make up are cut at every separator") {
  const std::string block = filler(700, "abc") + "\n---\n" + filler(700, "def");
  CHECK(split_block(BlockForm::chunks, block, "").size() == 2);
  const std::string long_block(20000, 'x');
  CHECK(split_block(BlockForm::chunks, long_block, "").size() == 1);
}

TEST_CASE("replayed transcripts are cut at separators; blank pieces are left out") {
  const std::string block = "one\n\n---\n\n\n\n---\n\ntwo\n---\nthree";
  CHECK(texts(block, split_block(BlockForm::full_replay, block, "")) == Texts{"one", "two\n---\nthree"});
}

TEST_CASE("C5: facts up to the first heading of transcripts, chunks behind it") {
  const std::string quoted = "x [facts]\nold.one = 1  (ep e)\n[related transcripts]\nolder";
  const std::string block = "[facts]\nuser.room = Oak  (ep arc0-000-e0)\n[related transcripts]\n" + quoted;
  const auto entries = split_block(BlockForm::facts_and_chunks, block, "arc0-000");
  CHECK(items(entries) == Texts{"user.room", ""});
  CHECK(texts(block, entries)[1] == quoted);
}

TEST_CASE("an unknown form is one entry") {
  CHECK(texts("anything\n---\nat all", split_block(BlockForm::unknown, "anything\n---\nat all", "")) ==
        Texts{"anything\n---\nat all"});
}

}  // namespace
}  // namespace memuse::ingest
