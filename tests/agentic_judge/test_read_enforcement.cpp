#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "judged_span.h"

// Complete reads (semantics.md §6), through the whole loop: whoever skips a file that the answer needs is refused for
// exactly this file.

namespace memuse::agentic_judge {
namespace {

using test::any_holds;
using test::JudgeConversation;
using test::JudgedSpan;
using test::ReadingHabit;
using test::ScriptedModel;
using Json = nlohmann::ordered_json;
using Files = std::set<std::string>;

Files operator+(Files a, const Files& b) {
  a.insert(b.begin(), b.end());
  return a;
}

/// One row of the table: labels, and the files that an answer with them needs, worked out by hand for S2 of the relay
/// episode (window of both entries: steps 3 to 5; 7 steps).
struct Row {
  std::string claim;
  Json labels;
  Files needs;
};

const Files kEvery{"task", "target", "prior_context", "other_messages", "reference", "steps/0002", "steps/0003"};
const Files kSources{"steps/0001", "steps/0002", "deliveries"};
const Files kWindow{"steps/0003", "steps/0004", "steps/0005"};
const Files kToTheEnd{"steps/0003", "steps/0004", "steps/0005", "steps/0006", "steps/0007"};

std::vector<Row> rows() {
  const Json nothing{{"novelty", nullptr}, {"influence", nullptr}};
  const auto with = [&](const Json& labels) {
    Json all = nothing;
    all.update(labels);
    return all;
  };
  const Json cites{{{"step", 6}, {"quote", "queue of hall B is empty"}, {"supports", "accuracy"}}};
  return {
      {"nothing", nothing, kEvery},
      {"novelty", with({{"novelty", "novel"}}), kEvery + kSources},
      {"none", with({{"influence", "none"}}), kEvery + kWindow},
      {"referenced", with({{"influence", "referenced"}, {"anchors", {3}}}), kEvery + kWindow},
      {"selected", with({{"influence", "selected"}, {"anchors", {4}}}), kEvery + kWindow},
      {"acted_on", with({{"influence", "acted_on"}, {"anchors", {4}}}), kEvery + kSources + Files{"steps/0004"}},
      {"effect", with({{"influence", "acted_on"}, {"anchors", {4}}, {"effect", "improved"}}),
       kEvery + kSources + kToTheEnd},
      {"evidence", with({{"evidence", cites}}), kEvery + Files{"steps/0006"}},
  };
}

SpanJudgement judged(const JudgedSpan& span, const ReadingHabit& habit, const Json& labels) {
  ScriptedModel model([&](const JudgeConversation& conversation) {
    return test::reading_move(conversation, habit, test::same_answer(conversation, labels));
  });
  return span.judge(model);
}

}  // namespace

TEST_CASE("reads: the lazy judge is refused for exactly the file that it skipped, row by row") {
  const JudgedSpan span(test::relay_episode(), 2, {.reference = true});
  for (const Row& row : rows()) {
    const SpanJudgement careful = judged(span, {}, row.labels);
    INFO(row.claim);
    REQUIRE(careful.outcome == SpanOutcome::accepted);
    CHECK(careful.refused_answers == 0);
    for (const evidence::EvidenceFile& file : span.evidence().files()) {
      INFO(file.name);
      const bool needed = row.needs.contains(file.name);
      for (const bool all : {true, false}) {
        INFO((all ? "skipped" : "last byte left out"));
        ReadingHabit lazy;
        (all ? lazy.skipped : lazy.clipped).insert(file.name);
        const SpanJudgement result = judged(span, lazy, row.labels);
        CHECK((result.outcome == SpanOutcome::accepted) != needed);
        if (!needed) continue;
        CHECK(result.outcome == SpanOutcome::unresolved);
        CHECK(result.refused_answers == 3);
        REQUIRE(result.reasons.size() == 1);
        CHECK(result.reasons[0].find(file.name) != std::string::npos);
      }
    }
  }
}

TEST_CASE("reads: without the reference switched on nobody needs it") {
  const JudgedSpan span(test::relay_episode(), 2);
  CHECK_FALSE(span.evidence().text("reference"));
  CHECK(judged(span, {.skipped = {"reference"}}, Json::object()).outcome == SpanOutcome::accepted);
}

TEST_CASE("reads: pages of every size add up, also when they overlap and come in any order") {
  const JudgedSpan span(test::relay_episode("größer – 東京 – 😀 – ünïcödé"), 2);
  for (const std::uint64_t page : {61U, 200U, 1'000U}) {
    INFO(page);
    ScriptedModel model([&](const JudgeConversation& conversation) {
      return test::reading_move(conversation, {.page = page, .calls_in_reply = 60}, test::relay_answer());
    });
    const SpanJudgement result = span.judge(model);
    INFO((result.reasons.empty() ? "" : result.reasons[0]));
    CHECK(result.outcome == SpanOutcome::accepted);
    for (const evidence::EvidenceFile& file : span.evidence().files()) {
      CHECK(result.ledger.covers(file.name, {0, file.bytes}));
    }
  }
  ScriptedModel backwards([&](const JudgeConversation& conversation) {
    std::vector<test::JudgeCall> reads = test::reads_of(conversation, {.page = 500});
    test::JudgeMove move;
    if (conversation.size() == 2) {
      move.calls.assign(reads.rbegin(), reads.rend());
    } else {
      move.calls.push_back({"submit_answer", test::relay_answer()});
    }
    return move;
  });
  CHECK(span.judge(backwards).outcome == SpanOutcome::accepted);
}

TEST_CASE("reads: a hole between two pages is named with its bytes") {
  const JudgedSpan span(test::relay_episode(), 2);
  ScriptedModel model([&](const JudgeConversation& conversation) {
    test::JudgeMove move = test::reading_move(conversation, {.skipped = {"target"}}, test::relay_answer());
    if (conversation.size() == 2) {
      move.calls.push_back({"read_file", {{"file", "target"}, {"from", 0}, {"bytes", 100}}});
      move.calls.push_back({"read_file", {{"file", "target"}, {"from", 120}}});
    }
    return move;
  });
  const SpanJudgement result = span.judge(model);
  CHECK(result.outcome == SpanOutcome::unresolved);
  REQUIRE(result.reasons.size() == 1);
  CHECK(result.reasons[0].find("target") != std::string::npos);
  CHECK(result.reasons[0].find("100-120") != std::string::npos);
}

TEST_CASE("reads: a search shows the lines that it prints and no more") {
  const JudgedSpan span(test::relay_episode(), 2);
  const auto judge = [&](const std::string& pattern) {
    ScriptedModel model([&](const JudgeConversation& conversation) {
      test::JudgeMove move = test::reading_move(conversation, {.skipped = {"steps/0003"}}, test::relay_answer());
      if (conversation.size() == 2) {
        move.calls.push_back({"search", {{"pattern", pattern}, {"file", "steps/0003"}}});
      }
      return move;
    });
    return span.judge(model);
  };
  const SpanJudgement some = judge("relay");
  CHECK(some.outcome == SpanOutcome::unresolved);
  REQUIRE(some.reasons.size() == 1);
  CHECK(some.reasons[0].find("steps/0003") != std::string::npos);
  CHECK(some.ledger.shown().contains("steps/0003"));
}

TEST_CASE("reads: what stands beside the answer in one reply comes too late") {
  const JudgedSpan span(test::relay_episode(), 2);
  ScriptedModel model([&](const JudgeConversation& conversation) {
    test::JudgeMove move = test::reading_move(conversation, {.skipped = {"target"}}, test::relay_answer());
    const bool submits = move.calls.front().name == "submit_answer";
    if (submits && test::submissions_in(conversation) == 0) {
      move.calls.insert(move.calls.begin(), {"read_file", {{"file", "target"}}});
    }
    return move;
  });
  const SpanJudgement result = span.judge(model);
  // The second answer comes with the request that carried the result, and so counts.
  CHECK(result.outcome == SpanOutcome::accepted);
  CHECK(result.refused_answers == 1);
  CHECK(any_holds(test::texts_sent(model), "read target completely"));
}

TEST_CASE("reads: a request that failed shows nothing") {
  const JudgedSpan span(test::relay_episode(std::string(6'000, 'q')), 2);
  std::uint32_t failures = 0;
  ScriptedModel model([&](const chat::ChatRequest& request, const chat::CallPlace&) {
    const JudgeConversation conversation = test::conversation_in(request);
    for (const test::JudgeMessage& message : conversation) {
      if (message.role != "tool" || message.text.find("Evidence file target") == std::string::npos) continue;
      ++failures;
      return chat::ChatOutcome{std::nullopt, chat::ChatError{chat::ChatFault::context_too_long, "too long"}, 1};
    }
    // All other files first, the target last.
    test::JudgeMove move = test::reading_move(conversation, {.skipped = {"target"}}, test::relay_answer());
    if (move.calls.front().name == "submit_answer" && failures == 0) {
      move = test::reading_move(conversation, {.only = {"target"}}, test::relay_answer());
    }
    return chat::ChatOutcome{test::reply_of(move, conversation), std::nullopt, 1};
  });
  const SpanJudgement result = span.judge(model);
  CHECK(failures > 0);
  CHECK(result.outcome == SpanOutcome::unresolved);
  REQUIRE(result.reasons.size() == 1);
  CHECK(result.reasons[0].find("read target completely") != std::string::npos);
  CHECK_FALSE(result.ledger.shown().contains("target"));
  CHECK(any_holds(test::texts_sent(model), "does not count as read"));
  // Failed calls have a number of their own, so that a recording tells them apart.
  for (std::size_t i = 0; i < model.places.size(); ++i) CHECK(model.places[i].call == i + 1);
  CHECK(result.calls.size() + failures == model.places.size());
  CHECK(result.calls.back().call == model.places.size());
}

}  // namespace memuse::agentic_judge
