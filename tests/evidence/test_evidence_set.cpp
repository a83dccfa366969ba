#include "evidence/evidence_set.h"

#include "evidence_cases.h"

using namespace memuse;
using namespace memuse::test;
using Catch::Matchers::Contains;
using evidence::EvidenceSet;

namespace {

using Names = std::vector<std::string>;
using Steps = std::vector<std::uint32_t>;

const std::string kA = "The relay answers on port 7719 only after a reset.";
const std::string kAShort = "The relay answers on port 7719";
const std::string kB = "Batches above 46 lines are refused.";

/// Worked example 1 of semantics.md §3.
Episode persistent_copies() {
  EpisodeBuilder builder;
  builder.message("sys", "You are careful.", {.role = Role::system, .origin = Origin::system});
  builder.message("task", "Set the port.", {.origin = Origin::task}).step();
  builder.message("a1", kA).delivery({.id = "d-a1", .message = "a1", .entries = {{"A", kA, {"A"}}}}).step();
  builder.message("b", kB).delivery({.id = "d-b", .message = "b", .entries = {{"B", kB, {"B"}}}}).step();
  builder.message("a2", kA).delivery({.id = "d-a2", .message = "a2", .entries = {{"A", kA, {"A"}}}}).step();
  builder.message("a3", kAShort).delivery({.id = "d-a3", .message = "a3", .entries = {{"A", kAShort, {"A"}}}}).steps(5);
  builder.drop("a1").drop("a2").drop("a3").step();
  builder.message("a4", kA).delivery({.id = "d-a4", .message = "a4", .entries = {{"A", kA, {"A"}}}}).steps(2);
  return builder.build();
}

const std::string k6 = "Flush the queue with qx drain, then qx seal.";
const std::string k5 = "Flush the queue with qx drain";

/// Worked example 2 of semantics.md §3.
Episode transient_blocks() {
  EpisodeBuilder builder;
  builder.message("task", "Drain it.", {.origin = Origin::task});
  for (int step = 1; step <= 9; ++step) {
    const std::string id = std::to_string(step);
    if (step <= 4) {
      builder.transient("m" + id, "Notes: first one / " + k6 + " / third one");
      builder.delivery(
          {.id = "d" + id, .message = "m" + id, .entries = {{"1", "first one"}, {"6", k6}, {"3", "third one"}}});
    } else {
      builder.transient("m" + id, "Notes: " + k6 + " / " + k5 + " / seventh one");
      builder.delivery({.id = "d" + id, .message = "m" + id, .entries = {{"6", k6}, {"5", k5}, {"7", "seventh one"}}});
    }
    builder.step();
  }
  return builder.build();
}

Names section_names(const EvidenceSet& set) {
  Names names;
  for (const auto& section : set.delivery_sections()) names.push_back(section.name);
  return names;
}

std::string section_text(const EvidenceSet& set, std::string_view file, std::string_view name) {
  for (const auto& section : set.sections(file)) {
    if (section.name == name) {
      return text_of(set, file).substr(section.range.begin, section.range.end - section.range.begin);
    }
  }
  FAIL("no section " << name);
  return {};
}

Names with_steps(Names names, int steps) {
  for (int step = 1; step <= steps; ++step) names.push_back(evidence::step_file(static_cast<std::uint32_t>(step)));
  return names;
}

Names texts_before(const EvidenceSet& set, std::string_view file) {
  const std::string text = text_of(set, file);
  Names before;
  for (const ByteRange& range : set.visible_before(file)) {
    before.push_back(text.substr(range.begin, range.end - range.begin));
  }
  return before;
}

}  // namespace

TEST_CASE("worked example 1: files, sections and sources of its spans") {
  const EvidenceCase scene(persistent_copies());
  REQUIRE(scene.spans().spans.size() == 4);

  const EvidenceSet first = scene.of(1);
  CHECK(names_of_files(first) ==
        with_steps({"task", "target", "prior_context", "other_messages", "earlier_copies", "deliveries"}, 12));
  CHECK(first.delivery_sections().empty());
  CHECK(first.prior_context_steps() == Steps{1});
  CHECK_THAT(text_of(first, "target"), Contains("credit window: steps 2 to 9"));
  CHECK_THAT(text_of(first, "target"), Contains("delivered again for step 4."));
  CHECK_THAT(text_of(first, "prior_context"), Contains("[the delivered text of this span stands here] file target"));
  CHECK(recorded_in(first, "other_messages") == Names{"You are careful."});
  CHECK_THAT(text_of(first, "earlier_copies"), Contains("No earlier delivery of these items"));
  CHECK_THAT(text_of(first, "deliveries"), Contains("No other delivery can be seen in the input."));

  const EvidenceSet second = scene.of(2);
  CHECK(second.prior_context_steps() == Steps{1, 2});
  CHECK(section_names(second) == Names{"D0"});
  CHECK_THAT(section_text(second, "deliveries", "D0"), Contains(kA));
  CHECK_THAT(text_of(second, "target"), Contains("credit window: steps 3 to 12"));

  const EvidenceSet third = scene.of(3);
  CHECK(third.prior_context_steps() == Steps{1, 2, 3, 4});
  CHECK(section_names(third) == Names{"D0", "D1", "D2"});
  CHECK_THAT(text_of(third, "target"),
             Contains("credit window: empty. Not to be answered: its credit is already open in an earlier entry."));
  CHECK_THAT(text_of(third, "earlier_copies"), Contains("a text that contains this entry's"));
  CHECK_THAT(text_of(third, "earlier_copies"),
             Contains("span S1: 2 copies, first D0, for steps 2 to 4; still in the input of step 5"));

  const EvidenceSet fourth = scene.of(4);
  CHECK(fourth.prior_context_steps() == Steps{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(section_names(fourth) == Names{"D1"});  // A was dropped: a fresh prior context
  CHECK_THAT(text_of(fourth, "target"), Contains("credit window: steps 11 to 12"));
  const std::string copies = text_of(fourth, "earlier_copies");
  CHECK_THAT(copies, Contains("the same text as this entry's"));
  CHECK_THAT(copies, Contains("no longer in the input of step 11"));
  CHECK_THAT(copies, Contains("a part of this entry's text"));
  CHECK(texts_before(fourth, "earlier_copies").empty());
  CHECK_THAT(text_of(fourth, "prior_context"), Contains("responses and results: files steps/0003 to steps/0010"));
}

TEST_CASE("worked example 2: transient blocks are named, not repeated") {
  const EvidenceCase scene(transient_blocks());
  REQUIRE(scene.spans().spans.size() == 2);

  const EvidenceSet first = scene.of(1);
  CHECK(names_of_files(first) == with_steps({"task", "target", "prior_context", "earlier_copies", "deliveries"}, 9));
  CHECK(first.prior_context_steps().empty());
  const std::string target = text_of(first, "target");
  CHECK_THAT(target, Contains("The same was delivered again for steps 2, 3, 4."));
  CHECK_THAT(target, Contains("credit window: steps 1 to 4") && Contains("credit window: steps 1 to 9"));

  const EvidenceSet second = scene.of(2);
  CHECK(second.prior_context_steps() == Steps{1, 2, 3, 4});
  CHECK(section_names(second).empty());  // the block of step 4 was for that step only
  CHECK_THAT(text_of(second, "earlier_copies"),
             Contains("span S1: 4 copies, first D0, for steps 1 to 4; no longer in the input of step 5"));
  // Item 6 was before the agent up to the step before: what its text says counts as known, wherever it is quoted.
  CHECK(texts_before(second, "earlier_copies") == Names{k6});
  CHECK(texts_before(second, "target") == Names{"6", k6});
  CHECK_THAT(
      text_of(second, "steps/0006"),
      Contains("New in the input: delivery D5 by the host, form \"recall\", of \"6\", \"5\", \"7\"; the same as D4."));
  // Its text stands once, where the agent first saw it.
  CHECK_THAT(text_of(second, "steps/0005"), Contains(k6));
  CHECK_THAT(text_of(second, "steps/0006"), !Contains(k6));
}

TEST_CASE("memory and messages that arrive later stand in the file of the step that first saw them") {
  EpisodeBuilder builder;
  builder.message("m", kA).delivery({.id = "d1", .message = "m"}).step();
  builder.message("later", "The ferry leaves at nine.").delivery({.id = "d2", .message = "later"});
  builder.message("hint", "The harness says: five steps are left.", {.origin = Origin::other});
  builder.message("more", "And hurry up.", {.origin = Origin::user}).step();
  const EvidenceCase scene(builder.build());
  const EvidenceSet set = scene.of(1);
  const std::string step = text_of(set, "steps/0002");
  CHECK_THAT(step, Contains("The ferry leaves at nine.") && Contains("The harness says: five steps are left."));
  CHECK_THAT(step, !Contains("And hurry up."));
  CHECK_THAT(text_of(set, "task"), Contains("And hurry up."));
}

TEST_CASE("a span at step 1 with nothing before it") {
  EpisodeBuilder builder;
  builder.episode().task_text = builder.keep("Open the gate.");
  builder.message("m", kA).delivery({.id = "d", .message = "m"}).step();
  const EvidenceCase scene(builder.build());
  const EvidenceSet set = scene.of(1);
  CHECK(names_of_files(set) == with_steps({"task", "target", "prior_context", "earlier_copies", "deliveries"}, 1));
  CHECK(set.prior_context_steps().empty());
  CHECK(recorded_in(set, "task") == Names{"Open the gate."});
  CHECK(recorded_in(set, "prior_context").empty());
  CHECK_THAT(text_of(set, "target"), Contains("the placed text as a whole, without an item id"));
  CHECK(set.text("other_messages") == std::nullopt);
  CHECK(set.text("steps/0002") == std::nullopt);
  CHECK(set.text("steps/1") == std::nullopt);
  CHECK(set.text("steps/0000") == std::nullopt);
  CHECK(set.text("../task") == std::nullopt);
}

TEST_CASE("searches and deliveries without text have evidence too") {
  EpisodeBuilder builder;
  builder.search("s1", {}).step();
  builder.delivery({.id = "d1"}).step();
  const EvidenceCase scene(builder.build());
  REQUIRE(scene.spans().spans.size() == 1);
  CHECK_THAT(text_of(scene.of(1), "target"), Contains("Target: a search that returned nothing."));
  CHECK_THAT(text_of(scene.of(1), "target"), Contains("delivered again for step 2."));

  EpisodeBuilder other;
  other.delivery({.id = "d1"}).step();
  const EvidenceCase empty(other.build());
  CHECK_THAT(text_of(empty.of(1), "target"), Contains("No text was placed.") && Contains("It has no entry."));
}

TEST_CASE("a delivery inside a bigger message: each byte has one home") {
  EpisodeBuilder builder;
  const std::string text = "Task: open it.\n" + kA + "\nand " + kB + "\nGood luck.";
  builder.message("task", text, {.origin = Origin::task});
  const std::size_t a = text.find(kA);
  const std::size_t b = text.find(kB);
  builder.delivery({.id = "a", .message = "task", .entries = {{"A", kA}}, .range = ByteRange{a, a + kA.size()}});
  builder.delivery({.id = "b", .message = "task", .entries = {{"B", kB}}, .range = ByteRange{b, b + kB.size()}});
  builder.step();
  const EvidenceCase scene(builder.build());
  REQUIRE(scene.spans().spans.size() == 2);
  const EvidenceSet set = scene.of(1);
  CHECK(recorded_in(set, "task") == Names{"Task: open it.\n", "\nand ", "\nGood luck."});
  CHECK(section_names(set) == Names{"D1"});
  CHECK(set.text("other_messages") == std::nullopt);
  CHECK_THAT(text_of(set, "prior_context"), Contains("file task, message M0"));
  CHECK(texts_before(set, "deliveries").empty());                    // it stands behind the target
  CHECK(texts_before(scene.of(2), "deliveries") == Names{kA, "A"});  // it stands before it
}

TEST_CASE("the target's text is cut out of a delivery that surrounds it") {
  EpisodeBuilder builder;
  const std::string text = "Notes: " + kA + " end";
  builder.message("m", text);
  builder.delivery({.id = "all", .message = "m", .entries = {{"X", "Notes:"}}});
  builder.delivery({.id = "a", .message = "m", .entries = {{"A", kA}}, .range = ByteRange{7, 7 + kA.size()}});
  builder.step();
  const EvidenceCase scene(builder.build());
  const EvidenceSet set = scene.of(2);
  REQUIRE(scene.episode().deliveries[scene.span(2).deliveries.front().delivery].id == "a");
  CHECK(recorded_in(set, "deliveries") == Names{"all", "recall", "Notes: ", " end", "X"});
  CHECK_THAT(text_of(set, "deliveries"), Contains("[the delivered text of this span stands here: file target]"));
}

TEST_CASE("memory that came as a tool result stands in its step file") {
  EpisodeBuilder builder;
  builder.step(
      {.results = {{"r", "1 hit\n" + kA + "\n(end)"}}, .actions = {{"mem", R"({"query":"relay\nport","n":3})"}}});
  builder.delivery({.id = "d",
                    .message = "r",
                    .entries = {{"A", kA, {"A", "A.1"}}},
                    .range = ByteRange{6, 6 + kA.size()},
                    .search = "s",
                    .route = Route::agent});
  builder.search("s", {"A"});
  builder.step({.response = "I use 7719."});
  builder.message("b", kB).delivery({.id = "b", .message = "b", .entries = {{"B", kB}}}).step();
  const EvidenceCase scene(builder.build());
  const EvidenceSet set = scene.of(1);
  CHECK(set.prior_context_steps() == Steps{1});
  CHECK(recorded_in(set, "steps/0001") == Names{"…", "mem", "c1.1", "relay\nport", "3", "1 hit\n" + kA + "\n(end)"});
  CHECK_THAT(text_of(set, "steps/0001"), Contains("bytes 6-56 of it are memory: delivery D0, as the agent asked"));
  CHECK_THAT(text_of(set, "prior_context"), Contains("[the delivered text of this span stands here] file target"));
  // The target's own words do not count as known before.
  CHECK(texts_before(set, "steps/0001") == Names{"…", "relay\nport", "1 hit\n", "\n(end)"});
  CHECK(texts_before(set, "steps/0002").empty());

  const EvidenceSet later = scene.of(2);
  CHECK(section_names(later) == Names{"D0"});
  CHECK_THAT(section_text(later, "deliveries", "D0"), Contains("stands in file steps/0001: bytes 6-56"));
  CHECK(texts_before(later, "steps/0001").back() == "1 hit\n" + kA + "\n(end)");
}

TEST_CASE("rewritten messages show the text that the input had") {
  EpisodeBuilder builder;
  builder.step({.response = "look", .results = {{"r", "a long listing of files"}}});
  builder.message("m", "before " + kA).delivery({.id = "a", .message = "m", .entries = {{"A", kA}}}).step();
  builder.rewrite("r", "(listing cut)").rewrite("m", "shorter: " + kA);
  builder.message("b", kB).delivery({.id = "b", .message = "b", .entries = {{"B", kB}}});
  builder.rewrite("b", "new frame: " + kB);
  builder.step();
  const EvidenceCase scene(builder.build());
  const EvidenceSet set = scene.of(2);
  CHECK(recorded_in(set, "prior_context") == Names{"(listing cut)"});
  CHECK(set.prior_context_steps() == Steps{1, 2});  // the responses
  CHECK(recorded_in(set, "other_messages") == Names{"shorter: " + kA});
  CHECK_THAT(section_text(set, "deliveries", "D0"), Contains("before its message was rewritten"));
  CHECK_THAT(text_of(set, "target"), Contains("new frame: " + kB));
  CHECK_THAT(text_of(set, "steps/0001"), Contains("from step 3 on the input shows another text in its place"));
  CHECK(texts_before(set, "steps/0001") == Names{"look"});
}

TEST_CASE("what users said later is in the task with its steps") {
  EpisodeBuilder builder;
  builder.episode().task_text = builder.keep("Open the gate.");
  builder.message("t", "Open the gate.", {.origin = Origin::task});
  builder.message("m", kA).delivery({.id = "d", .message = "m", .entries = {{"A", kA}}}).step();
  builder.message("u", "Be quick.", {.origin = Origin::user}).step();
  builder.rewrite("u", "Be very quick.").drop("t").step();
  const EvidenceCase scene(builder.build());
  const EvidenceSet set = scene.of(1);
  CHECK(recorded_in(set, "task") == Names{"Open the gate.", "Be quick.", "Be very quick."});
  CHECK(texts_before(set, "task") == Names{"Open the gate."});
  const std::string task = text_of(set, "task");
  CHECK_THAT(task, Contains("in the input of steps 1 to 2, 14 bytes:\n  the task text above, to the letter"));
  CHECK_THAT(task, Contains("in the input of steps 2 to 2, 9 bytes:"));
  CHECK_THAT(task, Contains("in the input of steps 3 to 3, 14 bytes, rewritten:"));
}

TEST_CASE("reference and outcome are shown only when asked for and there") {
  const auto build = [] {
    EpisodeBuilder builder;
    builder.episode().outcome = Outcome{true, 0.5, "hidden check"};
    builder.episode().reference = Reference{"patch", builder.keep("+port=7719")};
    builder.message("m", kA).delivery({.id = "d", .message = "m", .entries = {{"A", kA}}}).step();
    return builder.build();
  };
  const EvidenceCase hidden(build());
  CHECK(hidden.of(1).text("reference") == std::nullopt);
  CHECK(hidden.of(1).text("outcome") == std::nullopt);
  const EvidenceCase shown(build(), {.reference = true, .outcome = true});
  CHECK(recorded_in(shown.of(1), "reference") == Names{"patch", "+port=7719"});
  CHECK(recorded_in(shown.of(1), "outcome") == Names{"resolved: true", "reward: 0.5", "hidden check"});
  CHECK(shown.of(1).visible_before("reference").empty());
  const EvidenceCase without(persistent_copies(), {.reference = true, .outcome = true});
  CHECK(without.of(1).text("reference") == std::nullopt);
  CHECK(without.of(1).text("outcome") == std::nullopt);
}

TEST_CASE("the evidence does not say which memory system it is of") {
  EpisodeBuilder builder;
  builder.episode().configuration = "cards-poor";
  builder.episode().run = "hasty";
  builder.message("m", kA).delivery({.id = "d", .message = "m", .entries = {{"A", kA}}}).step();
  const EvidenceCase scene(builder.build());
  const EvidenceSet set = scene.of(1);
  for (const evidence::EvidenceFile& file : set.files()) {
    CHECK_THAT(text_of(set, file.name), !Contains("cards-poor") && !Contains("hasty"));
  }
}

TEST_CASE("names of step files") {
  CHECK(evidence::step_file(7) == "steps/0007");
  CHECK(evidence::step_file(12345) == "steps/12345");
  CHECK(evidence::step_of_file("steps/0007") == 7U);
  CHECK(evidence::step_of_file("steps/12345") == 12345U);
  for (const char* wrong : {"steps/7", "steps/00007", "steps/", "steps/0000", "steps/-001", "task", "steps/0007x"}) {
    CHECK(evidence::step_of_file(wrong) == std::nullopt);
  }
}

TEST_CASE("a long episode with many spans stays quick") {
  EpisodeBuilder builder;
  for (int step = 0; step < 3000; ++step) {
    const std::string text = "note " + std::to_string(step);
    builder.message("m" + std::to_string(step), text);
    builder.delivery({.id = "d", .message = "m" + std::to_string(step), .entries = {{"I", text}}});
    builder.step({.results = {{"r" + std::to_string(step), "ok"}}, .actions = {{"bash", R"({"command":"ls"})"}}});
    if (step >= 20) builder.drop("m" + std::to_string(step - 20));
  }
  const EvidenceCase scene(builder.build());
  REQUIRE(scene.spans().spans.size() == 3000);
  for (const std::size_t number : {1U, 1500U, 3000U}) {
    const EvidenceSet set = scene.of(number);
    CHECK(set.files().size() > 3000);
    CHECK(text_of(set, "earlier_copies").size() < 30'000);
  }
}
