#include "episodes.h"

using namespace memuse;
using namespace memuse::test;

namespace {

void check_acted_on(const EntryAnswer& answer, const std::vector<std::uint32_t>& anchors) {
  INFO(answer.reason);
  CHECK(answer.labels.influence == Influence::acted_on);
  CHECK(answer.labels.novelty == Novelty::novel);
  CHECK(answer.anchors == anchors);
  CHECK_FALSE(answer.evidence.empty());
}

}  // namespace

TEST_CASE("a new value in an action inside the window is acted on") {
  const EntryAnswer answer = judge_note("The gate takes key QX9-4471.", "gate --key QX9-4471");
  check_acted_on(answer, {1});
  CHECK(answer.reason.find("`QX9-4471`") != std::string::npos);
  CHECK_FALSE(answer.labels.relevance);
  CHECK_FALSE(answer.labels.accuracy);
  CHECK_FALSE(answer.labels.effect);
  bool quoted = false;
  for (const Evidence& evidence : answer.evidence) {
    if (evidence.step == 1U) quoted = evidence.value == "QX9-4471" && evidence.quote == "gate --key QX9-4471";
  }
  CHECK(quoted);
}

TEST_CASE("values are matched across reformatting") {
  const auto influence = [](std::string_view note, std::string_view command) {
    return judge_note(note, command).labels.influence;
  };
  const auto acted = Influence::acted_on;
  CHECK(influence("A tank holds 7,354 litres.", "fill --litres 7354") == acted);
  CHECK(influence("A tank holds 7354 litres.", "echo '7,354 l'") == acted);
  CHECK(influence("The grace period is 25 seconds.", "set grace_ms=25000") == acted);
  CHECK(influence("The fee is $4.80 a day.", "fee_cents = 480") == acted);
  CHECK(influence("The fee is 480 cents.", "set fee=4.80") == acted);
  CHECK(influence("The share is 15 %.", "set share=0.15") == acted);
  CHECK(influence("The seal broke on 4 March 2031.", "since 2031-03-04") == acted);
  CHECK(influence("The seal broke on 2031-03-04.", "date(2031, 3, 4)") == acted);
  CHECK(influence("Use \"fill = slow\" for it.", "echo 'fill=slow'") == acted);
  CHECK(influence("The build is at 9F3C77AB.", "checkout 9f3c77ab") == acted);
  CHECK(influence("Edit yard/conf/pumps.toml for it.", "vi /srv/yard/conf/pumps.toml") == acted);
  CHECK(influence("Edit /srv/yard/conf/pumps.toml for it.", "vi conf/pumps.toml") == acted);
  CHECK(influence("The drain limit is 38.", "{\"drainLimit\": 38}") == acted);
  CHECK(influence("The drain limit is 1500.", "drain_limit = 1,500") == acted);
  CHECK(influence("The drain limit is 1,500.", "drain_limit = 1_500") == acted);
  CHECK(influence("Take tanks[min(tanks)[0]] -= spill for it.", "t[min(t)[0]] -= x") == Influence::none);

  CHECK(influence("A tank holds 7,354 litres.", "fill --litres 7355") == Influence::none);
  CHECK(influence("The grace period is 25 seconds.", "set grace_ms=2500") == Influence::none);
  CHECK(influence("The drain limit is 38.", "head -38 limits.txt") == Influence::none);
  CHECK(influence("The drain limit is 38.", "sleep 38") == Influence::none);
  CHECK(influence("The gate takes key QX9-4471.", "gate --key QX9-44712") == Influence::none);
  CHECK(influence("The seal broke on 4 March 2031.", "since 2031-03-14") == Influence::none);
}

TEST_CASE("numbers in arguments that are no strings are carried too") {
  EpisodeText text("Set it up.");
  text.notes({{"M-1", "The drain limit is 38."}}).tool_step("Now.", "configure", {{"drain_limit", 38}}, "done");
  check_acted_on(Judged(text).of(1), {1});
  EpisodeText wrapped("Set it up.");
  wrapped.notes({{"M-1", "The gate takes key QX9-4471."}})
      .tool_step("Now.", "configure", Json("{\"key\": \"QX9-4471\"}"), "done");
  check_acted_on(Judged(wrapped).of(1), {1});
}

TEST_CASE("what was visible before is redundant and explains no action") {
  EpisodeText task("The gate takes key QX9-4471.");
  task.notes({{"M-1", "The gate takes key QX9-4471."}}).step("Go.", "gate --key QX9-4471");
  const Judged in_task(task);
  CHECK(in_task.of(1).labels.novelty == Novelty::redundant);
  CHECK(in_task.of(1).labels.influence == Influence::none);
  REQUIRE_FALSE(in_task.of(1).evidence.empty());
  CHECK(in_task.of(1).evidence.front().step == 0U);

  EpisodeText result("Open the gate.");
  result.step("Look.", "cat gate.txt", "key QX9-4471").notes({{"M-1", "The gate takes key QX9-4471."}});
  result.step("Go.", "gate --key QX9-4471");
  const Judged in_result(result);
  CHECK(in_result.of(1).labels.novelty == Novelty::redundant);
  CHECK(in_result.of(1).evidence.front().step == 1U);

  EpisodeText decided("Open the gate.");
  decided.step("Try it.", "gate --key QX9-4471", "refused").notes({{"M-1", "The gate takes key QX9-4471."}});
  decided.step("Again.", "gate --key QX9-4471");
  CHECK(Judged(decided).of(1).labels.influence == Influence::none);
}

TEST_CASE("what has left the context is new again") {
  EpisodeText text("Open the gate.");
  text.add({{"type", "message"}, {"id", "m1"}, {"role", "user"}, {"origin", "other"}, {"text", "key QX9-4471"}})
      .step("Wait.", "sleep 5")
      .add({{"type", "drop"}, {"messages", {"m1"}}})
      .notes({{"M-1", "The gate takes key QX9-4471."}})
      .step("Go.", "gate --key QX9-4471");
  check_acted_on(Judged(text).of(1), {2});
}

TEST_CASE("an earlier delivery that is still visible keeps the credit of a value") {
  EpisodeText text("Open the gate.");
  text.notes({{"M-1", "The gate takes key QX9-4471."}}).step("Wait.", "sleep 5");
  text.notes({{"M-2", "Key QX9-4471 opens the gate."}}).step("Go.", "gate --key QX9-4471");
  const Judged judged(text);
  check_acted_on(judged.of(1), {2});
  CHECK(judged.of(2).labels.novelty == Novelty::redundant);
  CHECK(judged.of(2).labels.influence == Influence::none);
  CHECK(judged.of(2).evidence.front().file == "deliveries");
}

TEST_CASE("entries delivered together share a value unless the agent names one of them") {
  const std::vector<std::pair<std::string, std::string>> notes = {{"M-1", "The gate takes key QX9-4471."},
                                                                  {"M-2", "Key QX9-4471 opens the gate."}};
  EpisodeText silent("Open the gate.");
  silent.notes(notes).step("Go.", "gate --key QX9-4471");
  const Judged both(silent);
  check_acted_on(both.of(1, 0), {1});
  check_acted_on(both.of(1, 1), {1});

  EpisodeText naming("Open the gate.");
  naming.notes(notes).step("I take the key of M-2.", "gate --key QX9-4471");
  const Judged one(naming);
  CHECK(one.of(1, 0).labels.influence != Influence::acted_on);
  check_acted_on(one.of(1, 1), {1});
}

TEST_CASE("actions outside the window do not count") {
  EpisodeText late("Open the gate.");
  late.notes({{"M-1", "The gate takes key QX9-4471."}}, true).step("Wait.", "sleep 5").step("Go.", "gate QX9-4471");
  CHECK(Judged(late).of(1).labels.influence == Influence::none);
}

TEST_CASE("a value that the environment shows first needs the agent's word") {
  const auto judge = [](std::string_view says) {
    EpisodeText text("Open the gate.");
    text.notes({{"M-1", "The gate takes key QX9-4471."}}).step("Look.", "cat gate.txt", "key QX9-4471");
    text.step(says, "gate --key QX9-4471");
    return Judged(text).of(1);
  };
  CHECK(judge("Go.").labels.influence == Influence::none);
  check_acted_on(judge("I go by M-1."), {2});
  CHECK(judge("I do not go by M-1.").labels.influence == Influence::referenced);
}

TEST_CASE("an action's own echo is no independent source") {
  EpisodeText text("Open the gate.");
  text.notes({{"M-1", "The gate takes key QX9-4471."}}).step("Look.", "grep -r QX9-4471 .", "gate.txt: QX9-4471");
  text.step("Go.", "gate --key QX9-4471");
  check_acted_on(Judged(text).of(1), {2});  // the look-up is no anchor once the value is used
}

TEST_CASE("a look-up alone is an action too") {
  check_acted_on(judge_note("The cause is reset_gauge_twice.", "grep -rn reset_gauge_twice src"), {1});
}

TEST_CASE("names that anyone would form count only with the agent's word") {
  const std::string note = "Copy into tank_new first.";
  const std::string task = "Rebuild the tank table.";
  CHECK(judge_note(note, "create tank_new", "Go.", task).labels.influence == Influence::none);
  CHECK(judge_note(note, "create tank_new", "As M-100 says.", task).labels.influence == Influence::acted_on);
  CHECK(judge_note(note, "create tank_new", "I do not follow M-100.", task).labels.influence == Influence::referenced);
}

TEST_CASE("a bare number counts where the agent ties it to the entry") {
  const std::string note = "The drain limit is 38.";
  CHECK(judge_note(note, "sub 25 38", "M-100 gives 38.").labels.influence == Influence::acted_on);
  CHECK(judge_note(note, "sub 25 38", "M-100 says more.").labels.influence == Influence::referenced);
  CHECK(judge_note(note, "sub 25 38", "I reject 38 of M-100.").labels.influence == Influence::referenced);
}

TEST_CASE("code with other names counts where the agent names the entry") {
  const std::string note = "Take tanks[min(tanks)[0]] -= spill for it.";
  CHECK(judge_note(note, "t[min(t)[0]] -= x", "I try M-100.").labels.influence == Influence::acted_on);
}

TEST_CASE("values in what the agent says and mentions are references") {
  const EntryAnswer said = judge_note("The gate takes key QX9-4471.", "sleep 5", "Perhaps QX9-4471 would do.");
  CHECK(said.labels.influence == Influence::referenced);
  CHECK(said.anchors == std::vector<std::uint32_t>{1});
  const EntryAnswer named = judge_note("The gate takes key QX9-4471.", "sleep 5", "M-100 does not apply.");
  CHECK(named.labels.influence == Influence::referenced);

  EpisodeText list("Open the gate.");
  list.notes({{"M-101", "Use pump_alpha."}, {"M-102", "Use pump_beta."}}).step("M-101/102 do not apply.", "sleep 5");
  CHECK(Judged(list).of(1, 1).labels.influence == Influence::referenced);

  EpisodeText all("Open the gate.");
  all.notes({{"M-101", "Use pump_alpha."}}).step("The recalled notes do not help.", "sleep 5");
  CHECK(Judged(all).of(1).labels.influence == Influence::referenced);
  EpisodeText later("Open the gate.");
  later.notes({{"M-101", "Use pump_alpha."}}).step("Go.", "sleep 5").step("The notes do not help.", "sleep 5");
  CHECK(Judged(later).of(1).labels.influence == Influence::none);
}

TEST_CASE("short and plain identifiers need a mark") {
  const auto judge = [](std::string_view says) {
    EpisodeText text("Open the gate.");
    text.notes({{"7", "Use pump_alpha."}}).step(says, "sleep 5");
    return Judged(text).of(1).labels.influence;
  };
  CHECK(judge("I wait 7 seconds.") == Influence::none);
  CHECK(judge("As note 7 says.") == Influence::referenced);
  CHECK(judge("As [7] says.") == Influence::referenced);
}

TEST_CASE("opening an entry is selected, and what is acted on is credited to the fuller text") {
  EpisodeText text("Open the gate.");
  text.open_step("Search.", "mem search gate", "M-1", "Gate: key QX9-4471 and …");
  text.open_step("Open it.", "mem open M-1", "M-1", "Gate: key QX9-4471 and a drain limit of 38, kept low.");
  text.step("Go.", "gate --key QX9-4471 --drain-limit 38");
  const Judged judged(text);
  const EntryAnswer& preview = judged.of(1);
  CHECK(preview.labels.influence == Influence::selected);
  CHECK(preview.anchors == std::vector<std::uint32_t>{2});
  check_acted_on(judged.of(2), {3});
}

TEST_CASE("failed attempts to open an entry are selections") {
  for (const std::string command :
       {"mem open M-100", "for i in M-7 M-100; do mem open $i; done", "cat notes/M-100.md"}) {
    INFO(command);
    const EntryAnswer answer = judge_note("Use pump_alpha in it.", command);
    CHECK(answer.labels.influence == Influence::selected);
    CHECK(answer.anchors == std::vector<std::uint32_t>{1});
  }
  CHECK(judge_note("Use pump_alpha.", "cat > f <<'E'\nopen M-100\nE").labels.influence == Influence::referenced);
  CHECK(judge_note("Use pump_alpha.", "echo M-100").labels.influence == Influence::referenced);
  EpisodeText tool("Open the gate.");
  tool.notes({{"M-1", "Use pump_alpha."}}).tool_step("Go.", "get_note", {{"id", "M-1"}}, "gone");
  CHECK(Judged(tool).of(1).labels.influence == Influence::selected);
}

TEST_CASE("a search of the memory is not an action shaped by an entry") {
  EpisodeText text("Open the gate.");
  text.notes({{"M-1", "The gate takes key QX9-4471."}}).step("Search.", "mem search QX9-4471", "0 notes found");
  text.add(
      {{"type", "search"}, {"id", "q1"}, {"query", "QX9-4471"}, {"returned", Json::array()}, {"status", "completed"}});
  text.step("Wait.", "sleep 5");
  CHECK(Judged(text).of(1).labels.influence == Influence::none);
}

TEST_CASE("an entry without a value that could be traced is null") {
  const EntryAnswer answer = judge_note("Please be careful.", "sleep 5");
  CHECK_FALSE(answer.labels.influence);
  CHECK_FALSE(answer.labels.novelty);
  CHECK(answer.anchors.empty());
}

TEST_CASE("effects come from probes only") {
  const auto judge = [](bool resolved, std::string_view command, const Json& probe) {
    Json more = {{"outcome", {{"resolved", resolved}}}};
    if (!probe.is_null()) more["probe"] = probe;
    EpisodeText text("Open the gate.", more);
    text.notes({{"M-1", "The gate takes key QX9-4471."}, {"M-2", "The gate took key QX9-1180."}}).step("Go.", command);
    return Judged(text);
  };
  const Json probe = {{"gold", {"QX9-4471"}}, {"stale", {"QX9-1180"}}};
  const std::string gold = "gate --key QX9-4471";
  const std::string stale = "gate --key QX9-1180";
  CHECK(judge(true, gold, probe).of(1, 0).labels.effect == Effect::improved);
  CHECK_FALSE(judge(false, gold, probe).of(1, 0).labels.effect);
  CHECK_FALSE(judge(true, gold, nullptr).of(1, 0).labels.effect);
  CHECK_FALSE(judge(true, gold, probe).of(1, 1).labels.effect);
  CHECK(judge(false, stale, probe).of(1, 1).labels.effect == Effect::harmed);
  CHECK_FALSE(judge(true, stale, probe).of(1, 1).labels.effect);
  CHECK_FALSE(judge(false, stale + "; " + gold, probe).of(1, 1).labels.effect);  // it was put right
  CHECK_FALSE(judge(false, stale, {{"stale", {"QX9-1180"}}}).of(1, 1).labels.effect);
}

TEST_CASE("gold values are matched across reformatting") {
  EpisodeText text("Fill the tank.", {{"outcome", {{"resolved", true}}}, {"probe", {{"gold", {"7354"}}}}});
  text.notes({{"M-1", "A tank holds 7,354 litres."}}).step("Go.", "fill --litres 7354");
  CHECK(Judged(text).of(1).labels.effect == Effect::improved);
}

TEST_CASE("an entry that stands for the placed text is judged") {
  EpisodeText text("Open the gate.");
  text.add({{"type", "message"}, {"id", "m"}, {"role", "user"}, {"origin", "memory"}, {"text", "Key QX9-4471."}})
      .add({{"type", "delivery"},
            {"id", "d"},
            {"route", "host"},
            {"form", "recall"},
            {"message", "m"},
            {"entries", Json::array()}})
      .step("Go.", "gate --key QX9-4471");
  check_acted_on(Judged(text).of(1), {1});
}

TEST_CASE("hostile texts are judged") {
  std::string numbers = "limit";
  for (int i = 0; i < 300000; ++i) numbers += " " + std::to_string(i * 7919LL % 99991 + 10000);
  const std::string token(1000000, 'x');
  const std::string nested = std::string(20000, '(') + std::string(20000, ')');
  for (const std::string& hostile : {numbers, token, nested, "<<E\n" + token, std::string(50000, '`')}) {
    EpisodeText text("Open the gate. " + hostile.substr(0, 1000));
    text.notes({{"M-1", hostile}, {"M-2", "The gate takes key QX9-4471."}}).step(hostile, hostile, hostile);
    text.step("Go.", "gate --key QX9-4471");
    CHECK(Judged(text).of(1, 1).anchors == std::vector<std::uint32_t>{2});
  }
}

TEST_CASE("a value that the probe asks for is traced whatever its shape") {
  for (const std::string value : {"v6.2.3", "728 Birch Way Apt 1, Fairfield", "857"}) {
    EpisodeText text("Do it.", {{"outcome", {{"resolved", true}}}, {"probe", {{"gold", {value}}}}});
    text.notes({{"M-1", "The agreed value is " + value + "."}}).step("Go.", "apply --to '" + value + "'");
    const auto labels = Judged(text).of(1).labels;
    INFO(value);
    CHECK(labels.influence == Influence::acted_on);
    CHECK(labels.effect == Effect::improved);
  }
  // Part of a longer word is no occurrence, in the entry or in the action.
  EpisodeText longer("Do it.", {{"outcome", {{"resolved", true}}}, {"probe", {{"gold", {"857"}}}}});
  longer.notes({{"M-1", "The agreed value is 857."}}).step("Go.", "apply --to 18570");
  CHECK(Judged(longer).of(1).labels.influence != Influence::acted_on);
}
