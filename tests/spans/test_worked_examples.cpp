#include <catch2/catch.hpp>

#include "../support/episode_builder.h"
#include "reference_spans.h"
#include "spans/spans.h"

// The two worked examples of semantics.md §3, and rules of trace-format.md that deserve a case with a name.

namespace memuse::test {
namespace {

DeliveryLine one_entry(std::string id, std::string message, std::string item, std::string text) {
  EntryLine entry{.item = item, .text = std::move(text), .identifiers = {item}};
  return {.id = std::move(id), .message = std::move(message), .entries = {std::move(entry)}};
}

/// Places a text of one item as a message of its own.
void place(EpisodeBuilder& builder, const std::string& id, const std::string& item, const std::string& text,
           bool transient = false) {
  builder.message("m" + id, text, {.transient = transient}).delivery(one_entry(id, "m" + id, item, text));
}

std::string spans_of(EpisodeBuilder& builder) {
  const Episode episode = builder.build();
  return describe(spans::compute_spans(episode));
}

}  // namespace

TEST_CASE("worked example 1: persistent copies") {
  EpisodeBuilder builder;
  builder.step();
  place(builder, "A.1", "A", "boil the water first, then add the tea");
  builder.step();
  place(builder, "B", "B", "cups are on the shelf");
  builder.step();
  place(builder, "A.2", "A", "boil the water first, then add the tea");
  builder.step();
  place(builder, "A'", "A", "then add the tea");
  builder.steps(5);
  builder.drop("mA.1").drop("mA.2").drop("mA'").step();
  place(builder, "A.3", "A", "boil the water first, then add the tea");
  builder.steps(2);
  CHECK(spans_of(builder) ==
        "S1 [2, 9] judged: 0@2 2@4r; 0 [2, 9]\n"
        "S2 [3, 12] judged: 1@3; 0 [3, 12]\n"
        "S3 [5, 9] automatic_neutral: 3@5; 0 empty\n"
        "S4 [11, 12] judged: 4@11; 0 [11, 12]\n"
        "unowned 0\n");
}

TEST_CASE("worked example 2: transient blocks") {
  const EntryLine one{.item = "1", .text = "knead for ten minutes", .identifiers = {"1"}};
  const EntryLine six{.item = "6", .text = "rest the dough; cover it with a cloth", .identifiers = {"6"}};
  const EntryLine three{.item = "3", .text = "use cold butter", .identifiers = {"3"}};
  const EntryLine five{.item = "5", .text = "cover it with a cloth", .identifiers = {"5"}};
  const EntryLine seven{.item = "7", .text = "bake at 200 degrees", .identifiers = {"7"}};
  const auto block = [](EpisodeBuilder& builder, int step, const std::vector<EntryLine>& entries) {
    std::string text;
    for (const EntryLine& entry : entries) text += entry.text + "\n";
    const std::string id = std::to_string(step);
    builder.transient("m" + id, text).delivery({.id = "d" + id, .message = "m" + id, .entries = entries}).step();
  };
  EpisodeBuilder builder;
  for (int step = 1; step <= 4; ++step) block(builder, step, {one, six, three});

  SECTION("other items follow") {
    for (int step = 5; step <= 9; ++step) block(builder, step, {six, five, seven});
    CHECK(spans_of(builder) ==
          "S1 [1, 4] judged: 0@1 1@2r 2@3r 3@4r; 0 [1, 4] 1 [1, 9] 2 [1, 4]\n"
          "S2 [5, 9] judged: 4@5 5@6r 6@7r 7@8r 8@9r; 0 empty 1 [5, 9] 2 [5, 9]\n"
          "unowned 0\n");
  }
  SECTION("had the second block been {6, 1}, it would be neutral by rule") {
    for (int step = 5; step <= 9; ++step) block(builder, step, {six, one});
    CHECK(spans_of(builder) ==
          "S1 [1, 4] judged: 0@1 1@2r 2@3r 3@4r; 0 [1, 9] 1 [1, 9] 2 [1, 4]\n"
          "S2 [5, 9] automatic_neutral: 4@5 5@6r 6@7r 7@8r 8@9r; 0 empty 1 empty\n"
          "unowned 0\n");
  }
}

TEST_CASE("text that outlives its owner's window has no owner, and such steps are counted") {
  EpisodeBuilder builder;
  place(builder, "long", "A", "salt and pepper");
  builder.step();
  place(builder, "short", "A", "salt");
  builder.step().drop("mlong").steps(3);
  // The short text is held in steps 2–5; the window that covers it ends with step 2.
  CHECK(spans_of(builder) ==
        "S1 [1, 2] judged: 0@1; 0 [1, 2]\n"
        "S2 [2, 5] automatic_neutral: 1@2; 0 empty\n"
        "unowned 3\n");
}

TEST_CASE("a copy that a rewrite brings back extends only the span that it belongs to") {
  EpisodeBuilder builder;
  place(builder, "1", "A", "salt");
  builder.step().rewrite("m1", "gone").steps(2);
  place(builder, "2", "A", "salt");
  builder.step().rewrite("m1", "salt again").drop("m2").step();
  place(builder, "3", "A", "salt");
  builder.step();
  CHECK(spans_of(builder) ==
        "S1 [1, 1] judged: 0@1; 0 [1, 1]\n"
        "S2 [4, 4] judged: 1@4; 0 [4, 6]\n"
        "S3 [6, 6] automatic_neutral: 2@6; 0 empty\n"
        "unowned 0\n");
}

TEST_CASE("a gap in one copy that another copy fills leaves the span whole") {
  EpisodeBuilder builder;
  place(builder, "1", "A", "salt");
  builder.step().rewrite("m1", "gone");
  place(builder, "2", "A", "salt");
  builder.steps(2).rewrite("m1", "salt again").drop("m2").steps(2);
  CHECK(spans_of(builder) ==
        "S1 [1, 5] judged: 0@1 1@2r; 0 [1, 5]\n"
        "unowned 0\n");
}

TEST_CASE("entries without an item id are held by any entry, and hold none that has one") {
  EpisodeBuilder builder;
  builder.message("m1", "salt").delivery({.id = "d1", .message = "m1", .entries = {{.text = "salt"}}}).step();
  place(builder, "2", "A", "salt and pepper");
  builder.step().drop("m1").step().drop("m2").step();
  CHECK(spans_of(builder) ==
        "S1 [1, 2] judged: 0@1; 0 [1, 3]\n"
        "S2 [2, 3] judged: 1@2; 0 [2, 3]\n"
        "unowned 0\n");
}

TEST_CASE("deliveries that were never consumed are listed with the reason") {
  EpisodeBuilder builder;
  place(builder, "dropped", "A", "salt");
  builder.drop("mdropped");
  place(builder, "rewritten", "A", "salt");
  builder.rewrite("mrewritten", "pepper");
  builder.delivery({.id = "adrift", .entries = {{.item = "A", .text = "salt"}}}).step();
  place(builder, "late", "A", "salt");
  CHECK(spans_of(builder) ==
        "unconsumed 0: Its message was not in the input of step 1.\n"
        "unconsumed 1: Its message was rewritten before step 1 and no longer held the text of every entry.\n"
        "unconsumed 2: It names no message, so no input is known to hold its entries.\n"
        "unconsumed 3: No step followed it.\n"
        "unowned 0\n");
}

TEST_CASE("empty deliveries and searches stand last in their step and join neighbours") {
  EpisodeBuilder builder;
  builder.search("q1", {}).delivery({.id = "e1"});
  place(builder, "1", "A", "salt");
  builder.step().search("q2", {}).step().search("q3", {}, false).search("q4", {"A"}).step();
  builder.search("q5", {}).delivery({.id = "e2", .search = "q5"}).step().search("q6", {});
  CHECK(spans_of(builder) ==
        "S1 [1, 4] judged: 1@1; 0 [1, 4]\n"
        "S2 [1, 2] empty: 3@1 0@1r 4@2r;\n"
        "S3 [4, 4] empty: 2@4;\n"
        "unowned 0\n");
}

TEST_CASE("an episode without memory has no spans") {
  EpisodeBuilder builder;
  builder.message("t", "sort the fruit").steps(3);
  CHECK(spans_of(builder) == "unowned 0\n");
}

}  // namespace memuse::test
