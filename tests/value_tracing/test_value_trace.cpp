#include "traced.h"
#include "value_tracing/value_tally.h"

using namespace memuse;
using namespace memuse::test;
using namespace memuse::value_tracing;

TEST_CASE("a value that memory held and an action carries byte for byte is verbatim") {
  const GoldTrace gold = trace_note("QX9-4471", "The gate takes key QX9-4471.", "gate --key QX9-4471");
  CHECK(gold.telling);
  CHECK(gold.held == Held::verbatim);
  REQUIRE(gold.held_at);
  CHECK(gold.held_at->item == "N-1");
  CHECK(gold.held_at->quote.before + "<" + gold.held_at->quote.marked + ">" == "The gate takes key <QX9-4471>");
  CHECK(gold.carried == Carried::verbatim);
  REQUIRE(gold.carried_at);
  CHECK(gold.carried_at->step == 1);
  CHECK(gold.carried_at->action_name == "bash");
  CHECK(gold.carried_at->argument == "command");
  CHECK(gold.carried_at->begin == 11);
  CHECK(gold.carried_at->end == 19);
  CHECK(gold.leaks.empty());
  CHECK(gold.used_rule == FlagRule::none);
}

TEST_CASE("other writings of a value are reformatted") {
  const auto carried = [](std::string_view gold, std::string_view note, std::string_view command) {
    return trace_note(gold, note, command).carried;
  };
  CHECK(carried("QX9-4471", "Key QX9-4471.", "gate --key qx9-4471") == Carried::reformatted);
  CHECK(carried("7354", "A tank holds 7354 litres.", "fill '7,354'") == Carried::reformatted);
  CHECK(carried("7354", "The fee is 7354 cents.", "set fee=73.54") == Carried::reformatted);
  CHECK(carried("2031-03-04", "Broken since 2031-03-04.", "since '4 March 2031'") == Carried::reformatted);
  CHECK(carried("/srv/yard/conf/pumps.toml", "See /srv/yard/conf/pumps.toml.", "vi conf/pumps.toml") ==
        Carried::reformatted);
  CHECK(carried("Harbour  Lane 4", "Ship to Harbour  Lane 4.", "ship 'Harbour Lane 4'") == Carried::reformatted);
  CHECK(carried("7354", "A tank holds 7354 litres.", "fill 7355") == Carried::none);
  CHECK(carried("7354", "A tank holds 7354 litres.", "fill 17354") == Carried::none);
}

TEST_CASE("what is only said is speech only and a stale value in an action goes before it") {
  const GoldTrace said = trace_note("QX9-4471", "Key QX9-4471.", "gate --open", "The key is QX9-4471.");
  CHECK(said.carried == Carried::speech_only);
  REQUIRE(said.said_at);
  CHECK(said.said_at->argument == "response");

  EpisodeText text("Open the gate.", probe_fields({"QX9-4471"}, {"QX9-3300"}));
  text.notes({{"N-1", "The gate takes key QX9-3300."}, {"N-2", "The gate takes key QX9-4471."}});
  text.step("The key is QX9-4471.", "gate --key QX9-3300");
  const EpisodeTrace trace = trace_of(episode_of(text));
  const GoldTrace& gold = trace.gold.front();
  CHECK(gold.carried == Carried::stale_instead);
  CHECK(gold.said_at);
  REQUIRE(gold.stale_beside == std::vector<std::size_t>{0});
  CHECK(trace.stale[0].held->item == "N-1");
  REQUIRE(gold.carried_at);
  CHECK(gold.carried_at->quote.marked == "QX9-3300");
  CHECK(trace.use == EpisodeUse::stale_instead);
}

TEST_CASE("use of several values is partial with k of n") {
  EpisodeText text("Restore both.", probe_fields({"QX9-4471", "Harbour Lane 4"}));
  text.notes({{"N-1", "Key QX9-4471, address Harbour Lane 4."}}).step("", "gate --key QX9-4471");
  const EpisodeTrace trace = trace_of(episode_of(text));
  CHECK(trace.use == EpisodeUse::partial);
  CHECK(trace.used == 1);
  CHECK(trace.gold[0].carried == Carried::verbatim);
  CHECK(trace.gold[1].carried == Carried::none);
}

TEST_CASE("a common value counts only with the word that memory gives it") {
  CHECK_FALSE(trace_note("12", "The drain limit is 12.", "x").telling);
  CHECK(trace_note("12", "The drain limit is 12.", "set drain_limit=12").carried == Carried::verbatim);
  CHECK(trace_note("12", "The drain limit is 12.", "sleep 12").carried == Carried::uncertain);
  CHECK(trace_note("12", "The drain limit is 12.", "sleep 13").carried == Carried::none);
  EpisodeText text("Set it.", probe_fields({"12"}));
  text.notes({{"N-1", "pump.drain_limit = 12"}});
  text.tool_step("", "set_config", {{"key", "drain_limit"}, {"value", 12}}, "ok");
  text.tool_step("", "wait", {{"seconds", 12}}, "ok");
  const EpisodeTrace trace = trace_of(episode_of(text));
  CHECK(trace.gold[0].carried == Carried::verbatim);
  CHECK(trace.gold[0].carried_at->argument == "value");
  CHECK(trace.gold[0].carried_at->step == 1);
}

TEST_CASE("a value outside memory before its use is a leak and an echo is none") {
  EpisodeText text("Open the gate with QX9-4471.", probe_fields({"QX9-4471"}));
  text.notes({{"N-1", "Key QX9-4471."}}).step("", "gate --key QX9-4471", "opened with QX9-4471").step("", "ls");
  const EpisodeTrace trace = trace_of(episode_of(text));
  const std::vector<Leak>& leaks = trace.gold[0].leaks;
  REQUIRE(leaks.size() == 2);
  CHECK(leaks[0].sighting.where == Where::task);
  CHECK(leaks[0].before_use);
  CHECK(leaks[1].sighting.where == Where::tool_result);
  CHECK_FALSE(leaks[1].before_use);
  CHECK(trace.leaked_before_use());
  CHECK(trace.success_says_nothing());

  EpisodeText found("Open the gate.", probe_fields({"QX9-4471"}));
  found.notes({{"N-1", "Key QX9-4471."}}).step("", "cat keys", "gate: QX9-4471").step("", "gate --key QX9-4471");
  const EpisodeTrace from_result = trace_of(episode_of(found));
  REQUIRE(from_result.gold[0].leaks.size() == 1);
  CHECK(from_result.gold[0].leaks[0].before_use);
  CHECK(from_result.gold[0].leaks[0].sighting.step == 1);
  CHECK(from_result.gold[0].leaks[0].sighting.from == 2);

  EpisodeText echo("Open the gate.", probe_fields({"QX9-4471"}));
  echo.notes({{"N-1", "Key QX9-4471."}}).step("", "gate --key QX9-4471", "opened with QX9-4471");
  CHECK_FALSE(trace_of(episode_of(echo)).success_says_nothing());

  EpisodeText done("Open the gate.", probe_fields({"QX9-4471"}, {}, {{"pre_satisfied", true}}));
  done.notes({{"N-1", "Key QX9-4471."}}).step("", "gate --key QX9-4471");
  CHECK(trace_of(episode_of(done)).success_says_nothing());
}

TEST_CASE("an action before the delivery that holds its value is no use of memory") {
  EpisodeText text("Open the gate.", probe_fields({"QX9-4471"}));
  text.step("", "gate --key QX9-4471").notes({{"N-1", "Key QX9-4471."}}).step("", "gate --key QX9-4471");
  CHECK(trace_of(episode_of(text)).gold[0].before_memory);
}

TEST_CASE("a search of memory carries nothing and a stale value inside a gold one is none") {
  EpisodeText text("Find room.", probe_fields({"Room 4 East"}, {"Room 4"}));
  text.notes({{"N-1", "Book Room 4 East."}}).step("", "book 'Room 4 East'");
  const EpisodeTrace trace = trace_of(episode_of(text));
  CHECK(trace.gold[0].carried == Carried::verbatim);
  CHECK_FALSE(trace.stale[0].held);
  CHECK_FALSE(trace.stale[0].carried);

  EpisodeText opened("Open the gate.", probe_fields({"QX9-4471"}));
  opened.open_step("", "memory open QX9-4471", "N-1", "Key QX9-4471.").step("", "ls");
  const GoldTrace gold = trace_of(episode_of(opened)).gold[0];
  CHECK(gold.held == Held::verbatim);
  CHECK(gold.held_at->from == 2);
  CHECK(gold.carried == Carried::none);
  CHECK(gold.merit_used == true);
  CHECK(gold.used_rule == FlagRule::memory_action);
}

TEST_CASE("every difference to a search of texts has its rule") {
  const auto used = [](std::string_view gold, const Json& arguments) {
    EpisodeText text("Put it in order.", probe_fields({std::string(gold)}));
    text.notes({{"N-1", "Use " + std::string(gold) + " here."}}).tool_step("", "set", arguments, "ok");
    const GoldTrace trace = trace_of(episode_of(text)).gold[0];
    const bool differs = *trace.merit_used != (trace.carried == Carried::verbatim);
    CHECK(differs == (trace.used_rule != FlagRule::none));
    return trace.used_rule;
  };
  CHECK(used("7354", {{"v", "7354"}}) == FlagRule::none);
  CHECK(used("7354", {{"v", 7354}}) == FlagRule::none);
  CHECK(used("7354", {{"v", "173549"}}) == FlagRule::part_of_longer);
  CHECK(used("7354", {{"k7354", "x"}}) == FlagRule::argument_name);
  CHECK(used("12", {{"seconds", 12}}) == FlagRule::too_common);
  CHECK(used("fill', 'drain", {{"v", Json::array({"fill", "drain"})}}) == FlagRule::across_parts);
  CHECK(used("the keeper's \"red\" book", {{"v", "the keeper's \"red\" book"}}) == FlagRule::printed_escape);
}

TEST_CASE("without recorded steps nothing is observable and without recorded deliveries nothing is held") {
  EpisodeText bare("Open the gate.", Json{{"visibility", "unknown"},
                                          {"delivery_grade", "not_recorded"},
                                          {"probe", {{"dependent", true}, {"gold", {"QX9-4471"}}}}});
  const EpisodeTrace none = trace_of(episode_of(bare));
  CHECK(none.use == EpisodeUse::not_observable);
  CHECK(none.gold[0].carried == Carried::not_observable);
  CHECK(none.gold[0].held == Held::unknown);
  CHECK_FALSE(none.gold[0].merit_used);
  CHECK_FALSE(none.traced_flag);
}

TEST_CASE("the flag by this tracing follows the recorded one on memory and our own on use") {
  EpisodeText text("Open the gate.", probe_fields({"QX9-4471"}, {}, {{"memory_had_fact", true}}));
  text.notes({{"N-1", "Key QX9-4471."}}).step("", "gate --key QX9-4471");
  CHECK(trace_of(episode_of(text)).traced_flag == true);
  EpisodeText without("Open the gate.", probe_fields({"QX9-4471"}, {}, {{"memory_had_fact", false}}));
  without.step("", "gate --key QX9-4471");
  CHECK(trace_of(episode_of(without)).traced_flag == false);
}

TEST_CASE("the values that damage makes of gold values are stale") {
  CHECK(digit_shifted("v6.2.93 Lane", 1) == "v9.5.26 Lane");
  CHECK(digit_shifted("v6.2.93", 10) == "v6.2.93");
  EpisodeText text("Roll back.", probe_fields({"v6.2.93"}));
  text.notes({{"N-1", "target v9.5.26"}}).step("", "deploy v9.5.26");
  CHECK(trace_of(episode_of(text)).gold[0].carried == Carried::none);
  const EpisodeTrace trace = trace_of(episode_of(text), {true});
  CHECK(trace.gold[0].carried == Carried::stale_instead);
  CHECK(trace.stale[*trace.gold[0].stale_carried].origin == StaleOrigin::digit_shift);
  CHECK(trace.gold[0].stale_beside.size() == 1);
}

TEST_CASE("an episode that is independent or has no gold value is not traced") {
  EpisodeText independent("Go.", Json{{"probe", {{"dependent", false}, {"gold", {"x"}}}}});
  CHECK_FALSE(is_traceable(episode_of(independent)));
  CHECK_FALSE(is_traceable(episode_of(EpisodeText("Go."))));
  CHECK(is_traceable(episode_of(EpisodeText("Go.", probe_fields({"QX9"})))));
}

TEST_CASE("counts add up over the episodes of a setting") {
  ValueTally tally;
  const auto add = [&](const std::string& command, bool resolved) {
    Json fields = probe_fields({"QX9-4471", "Harbour Lane 4"}, {"QX9-3300"});
    fields.update({{"condition", "C2"}, {"tier", "hard"}, {"outcome", {{"resolved", resolved}}}});
    EpisodeText text("Restore both.", fields);
    text.notes({{"N-1", "Key QX9-4471, was QX9-3300."}}).step("", command);
    const Episode episode = episode_of(text);
    tally[setting_of(episode)].add(episode, trace_of(episode));
  };
  add("gate --key QX9-4471 --to 'Harbour Lane 4'", true);
  add("gate --key QX9-4471", false);
  add("gate --key QX9-3300", false);
  REQUIRE(tally.size() == 1);
  const ValueCounts& counts = tally.begin()->second;
  CHECK(tally.begin()->first.condition == "C2");
  CHECK(counts.values == 6);
  CHECK(counts.carried[static_cast<std::size_t>(Carried::verbatim)] == 3);
  CHECK(counts.carried[static_cast<std::size_t>(Carried::stale_instead)] == 2);
  CHECK(counts.carried[static_cast<std::size_t>(Carried::none)] == 1);
  CHECK(counts.use[static_cast<std::size_t>(EpisodeUse::all)].resolved == 1);
  CHECK(counts.use[static_cast<std::size_t>(EpisodeUse::partial)].episodes == 1);
  CHECK(counts.use[static_cast<std::size_t>(EpisodeUse::stale_instead)].episodes == 1);
  CHECK(counts.held_some.episodes == 3);
  CHECK(counts.stale_beside.episodes == 3);
  CHECK(counts.says_something.episodes == 3);
}

TEST_CASE("tiers stand in the order of their difficulty") {
  Setting easy;
  easy.tier = "easy";
  Setting medium;
  medium.tier = "medium";
  Setting hard;
  hard.tier = "hard";
  CHECK(easy < medium);
  CHECK(medium < hard);
  Setting damaged = easy;
  damaged.corruption = "stale@0.1";
  CHECK(easy < damaged);
}

TEST_CASE("a result that no step saw is no leak") {
  EpisodeText text("Open the gate.", probe_fields({"QX9-4471"}));
  text.notes({{"N-1", "Keys are kept by the keeper."}}).step("", "cat keys", "gate: QX9-4471");
  const GoldTrace gold = trace_of(episode_of(text)).gold[0];
  CHECK(gold.carried == Carried::none);
  CHECK(gold.leaks.empty());
  text.step("", "ls");
  CHECK(trace_of(episode_of(text)).leaked_before_use());
}

TEST_CASE("a delivery that holds the value in another writing comes before the use, too") {
  EpisodeText text("Fill the tank.", probe_fields({"7354"}));
  text.notes({{"N-1", "A tank holds 7,354 litres."}}).step("", "fill 7354");
  text.notes({{"N-2", "A tank holds 7354 litres."}}).step("", "ls");
  const GoldTrace gold = trace_of(episode_of(text)).gold[0];
  CHECK(gold.held == Held::verbatim);
  CHECK(gold.held_at->from == 2);
  CHECK_FALSE(gold.before_memory);
}

TEST_CASE("use is uncertain when the rest of the values may be used") {
  const auto use = [](const std::string& command) {
    EpisodeText text("Restore both.", probe_fields({"QX9-4471", "12"}));
    text.notes({{"N-1", "Key QX9-4471. The drain limit is 12."}}).step("", command);
    return trace_of(episode_of(text)).use;
  };
  CHECK(use("gate --key QX9-4471; sleep 12") == EpisodeUse::uncertain);
  CHECK(use("gate --key QX9-4471; sleep 13") == EpisodeUse::partial);
}
