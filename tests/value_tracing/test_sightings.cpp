#include "value_tracing/sightings.h"

#include <random>
#include <set>
#include <tuple>

#include "traced.h"

using namespace memuse;
using namespace memuse::test;
using namespace memuse::value_tracing;

namespace {

/// The obvious search: every occurrence of the bytes, kept when no end of it lies inside a longer word or a hyphenated
/// name. For texts in which a point ends a sentence and nothing else.
bool stands_in(const std::string& text, const std::string& value) {
  const auto word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = 0; at + value.size() <= text.size(); ++at) {
    if (text.substr(at, value.size()) != value) continue;
    const std::size_t end = at + value.size();
    const bool longer = (at > 0 && word(at - 1)) || word(end);
    const bool hyphenated =
        (at > 1 && text[at - 1] == '-' && word(at - 2)) || (end < text.size() && text[end] == '-' && word(end + 1));
    if (!longer && !hyphenated) return true;
  }
  return false;
}

std::string random_text(std::mt19937& random, int pieces) {
  static const std::vector<std::string> kPieces{"gate", "Gate", "pump", "12",    "7354", "73541", "QX9", "qx9",
                                                "lane", "Lane", "x",    "7,354", "and",  "_a",    "red", "v2"};
  static const std::vector<std::string> kJoints{" ", " ", " ", ", ", "-", "", " '", "\" ", "=", ". ", "\n", ": "};
  std::string text;
  for (int i = 0; i < pieces; ++i) {
    text += kPieces[random() % kPieces.size()];
    text += kJoints[random() % kJoints.size()];
  }
  return text;
}

/// A value that begins and ends with a word character.
std::string random_value(std::mt19937& random) {
  for (;;) {
    std::string value = random_text(random, 1 + static_cast<int>(random() % 3));
    const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    while (!value.empty() && !word(value.back())) value.pop_back();
    if (!value.empty() && word(value.front())) return value;
  }
}

}  // namespace

TEST_CASE("verbatim sightings are those of the obvious search on random episodes") {
  std::mt19937 random(7);
  std::size_t found_somewhere = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string task = random_text(random, 6);
    EpisodeText text(task);
    const std::string note = random_text(random, 8);
    text.notes({{"N-1", note}});
    std::vector<std::pair<std::string, std::string>> arguments;  // of each step
    std::vector<std::string> words;
    std::vector<std::string> results;
    for (int step = 0; step < 3; ++step) {
      arguments.emplace_back(random_text(random, 5), random_text(random, 3));
      words.push_back(random_text(random, 4));
      results.push_back(random_text(random, 4));
      text.tool_step(words.back(), "act", {{"first", arguments.back().first}, {"second", {arguments.back().second}}},
                     results.back());
    }
    const Episode episode = episode_of(text);
    std::vector<std::string> values;
    for (int i = 0; i < 6; ++i) values.push_back(random_value(random));
    std::vector<SoughtValue> sought;
    for (const std::string& value : values) sought.push_back({value, 0});
    const std::vector<FoundValue> found = find_values(episode, sought);
    for (std::size_t v = 0; v < values.size(); ++v) {
      using Place = std::tuple<Where, std::uint32_t, std::string>;
      std::set<Place> expected;
      const auto expect = [&](Where where, std::uint32_t step, const std::string& argument, const std::string& in) {
        if (stands_in(in, values[v])) expected.insert({where, step, argument});
      };
      expect(Where::task, 0, "", task);
      expect(Where::memory, 0, "", note);
      for (std::uint32_t step = 1; step <= 3; ++step) {
        expect(Where::action, step, "first", arguments[step - 1].first);
        expect(Where::action, step, "second/0", arguments[step - 1].second);
        expect(Where::speech, step, "response", words[step - 1]);
        // No step sees the last result.
        if (step < 3) expect(Where::tool_result, step, "", results[step - 1]);
      }
      std::set<Place> seen;
      for (const ValueSighting& sighting : found[v].sightings) {
        if (!sighting.verbatim) continue;
        CHECK(sighting.quote.marked == values[v]);
        CHECK(sighting.end - sighting.begin == values[v].size());
        seen.insert({sighting.where, sighting.step, sighting.argument});
      }
      INFO("value <" << values[v] << "> in\n" << text.text());
      CHECK(seen == expected);
      found_somewhere += expected.empty() ? 0U : 1U;
    }
  }
  CHECK(found_somewhere > 500);
}

TEST_CASE("a value longer than a pattern is compared to its end") {
  std::string value;
  for (int i = 0; i < 24; ++i) value += "word" + std::to_string(i) + " ";
  value.pop_back();
  const auto carried = [&](const std::string& command) {
    return trace_note(value, "Say " + value + ".", command).carried;
  };
  CHECK(carried("say '" + value + "'") == Carried::verbatim);
  CHECK(carried("say '" + value + "0'") == Carried::none);
  CHECK(carried("say '" + value.substr(0, value.size() - 1) + "'") == Carried::none);
  std::string spaced = value;
  spaced.insert(spaced.rfind(' '), " ");
  CHECK(carried("say '" + spaced + "'") == Carried::reformatted);
}

TEST_CASE("odd values and broken arguments do no harm") {
  for (const std::string value : {"'", "\\", "\"\"", " ", "…", "(", "a"}) {
    const GoldTrace gold = trace_note(value, "Use " + std::string("it") + ".", "run it");
    CHECK(gold.carried != Carried::verbatim);
  }
  EpisodeText text("Go.", probe_fields({"QX9-4471"}));
  text.notes({{"N-1", "Key QX9-4471."}}).tool_step("", "gate", Json("not { json QX9-4471"), "ok");
  CHECK(trace_of(episode_of(text)).gold[0].carried == Carried::verbatim);
  Json deep = "QX9-4471";
  for (int i = 0; i < 60; ++i) deep = Json::array({deep});
  EpisodeText nested("Go.", probe_fields({"QX9-4471"}));
  nested.notes({{"N-1", "Key QX9-4471."}}).tool_step("", "gate", {{"v", deep}}, "ok");
  const GoldTrace gold = trace_of(episode_of(nested)).gold[0];
  CHECK(gold.carried == Carried::verbatim);
  CHECK(gold.carried_at->argument.empty());
}

TEST_CASE("a long line is cut at character borders") {
  std::string note;
  for (int i = 0; i < 200; ++i) note += "ß";
  const GoldTrace gold = trace_note("QX9-4471", note + " QX9-4471 " + note, "gate --key QX9-4471");
  REQUIRE(gold.held_at);
  CHECK(gold.held_at->quote.cut_before);
  CHECK(gold.held_at->quote.cut_after);
  CHECK(valid_utf8_prefix(gold.held_at->quote.before) == gold.held_at->quote.before.size());
  CHECK(valid_utf8_prefix(gold.held_at->quote.after) == gold.held_at->quote.after.size());
}

TEST_CASE("words of a number are learnt from lines far into a memory text") {
  std::string note;
  for (int i = 0; i < 10; ++i) note += "crate 12 of row " + std::to_string(i) + "\n";
  CHECK(trace_note("12", note, "set drain_limit=12").carried == Carried::uncertain);
  CHECK(trace_note("12", note + "The drain limit is 12.", "set drain_limit=12").carried == Carried::verbatim);
}
