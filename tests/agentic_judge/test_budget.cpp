#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "judged_span.h"
#include "model/error.h"

// Budgets, the context window, and replies that bring nothing.

namespace memuse::agentic_judge {
namespace {

using test::any_holds;
using test::JudgeConversation;
using test::JudgedSpan;
using test::JudgeMove;
using test::ScriptedModel;
using Json = nlohmann::ordered_json;

chat::ChatOutcome answered(chat::ChatReply reply) {
  return {std::move(reply), std::nullopt, 1};
}

chat::ChatOutcome fails(chat::ChatFault fault) {
  return {std::nullopt, chat::ChatError{fault, "the mock says so"}, 1};
}

chat::ChatReply careful_reply(const chat::ChatRequest& request) {
  const JudgeConversation conversation = test::conversation_in(request);
  return test::reply_of(test::reading_move(conversation, {}, test::relay_answer()), conversation);
}

chat::ChatReply text_reply(std::string text, chat::FinishReason finish = chat::FinishReason::stop) {
  chat::ChatReply reply;
  reply.message.role = chat::ChatRole::assistant;
  reply.message.text = std::move(text);
  reply.finish = finish;
  return reply;
}

const JudgeMove kReadsOn{{{"list_files", Json::object()}}, ""};

}  // namespace

TEST_CASE("budget: endless reading ends in a forced answer") {
  const JudgedSpan span(test::relay_episode(), 2);
  SpanJudgeOptions options;
  options.budget.calls = 6;
  ScriptedModel model([&](const chat::ChatRequest& request, const chat::CallPlace& place) {
    const JudgeConversation conversation = test::conversation_in(request);
    if (!request.forced_tool.empty()) {
      return answered(test::reply_of({{{"submit_answer", test::relay_answer()}}, ""}, conversation));
    }
    return place.call < 4 ? answered(careful_reply(request)) : answered(test::reply_of(kReadsOn, conversation));
  });
  const SpanJudgement result = span.judge(model, options);
  CHECK(result.outcome == SpanOutcome::accepted);
  REQUIRE(model.requests.size() <= 6);
  for (std::size_t i = 0; i + 1 < model.requests.size(); ++i) CHECK(model.requests[i].forced_tool.empty());
  if (model.requests.size() == 6) {
    CHECK(model.requests.back().forced_tool == "submit_answer");
    CHECK(model.requests.back().messages.back().text.find("last reply") != std::string::npos);
  }
}

TEST_CASE("budget: who never answers gets the repair rounds and no call more") {
  const JudgedSpan span(test::relay_episode(), 2);
  for (const ToolProtocol protocol : {ToolProtocol::native, ToolProtocol::json}) {
    SpanJudgeOptions options;
    options.protocol = protocol;
    options.budget.calls = 5;
    options.budget.repair_rounds = 2;
    options.budget.calls_per_repair = 3;
    ScriptedModel model([](const JudgeConversation&) { return kReadsOn; }, protocol);
    const SpanJudgement result = span.judge(model, options);
    CHECK(result.outcome == SpanOutcome::unresolved);
    CHECK(result.refused_answers == 3);
    CHECK(any_holds(result.reasons, "no answer was submitted"));
    REQUIRE(model.requests.size() == 11);
    for (const std::size_t last : {4U, 7U, 10U}) {
      CHECK(model.requests[last].forced_tool == (protocol == ToolProtocol::native ? "submit_answer" : ""));
      CHECK(model.requests[last].messages.back().text.find("last reply") != std::string::npos);
    }
    CHECK(model.requests[3].forced_tool.empty());
    CHECK(model.requests[5].messages.back().text.find("You have 3 replies for this") != std::string::npos);
    // Every call has its result, as endpoints demand.
    for (const chat::ChatRequest& request : model.requests) {
      std::size_t calls = 0;
      std::size_t results = 0;
      for (const chat::ChatMessage& message : request.messages) {
        calls += message.tool_calls.size();
        results += message.role == chat::ChatRole::tool ? 1U : 0U;
      }
      CHECK(calls == results);
    }
  }
}

TEST_CASE("budget: a round begins with the refusal, whatever is left of the budget") {
  const JudgedSpan span(test::relay_episode(), 2);
  SpanJudgeOptions options;
  options.budget.repair_rounds = 1;
  options.budget.calls_per_repair = 2;
  ScriptedModel model([](const JudgeConversation& conversation) {
    if (test::submissions_in(conversation) == 0) return JudgeMove{{{"submit_answer", test::relay_answer()}}, ""};
    return kReadsOn;
  });
  const SpanJudgement result = span.judge(model, options);
  CHECK(result.outcome == SpanOutcome::unresolved);
  CHECK(model.requests.size() == 3);

  options.budget.repair_rounds = 0;
  ScriptedModel once([](const JudgeConversation&) { return JudgeMove{{{"submit_answer", test::relay_answer()}}, ""}; });
  const SpanJudgement refused = span.judge(once, options);
  CHECK(refused.outcome == SpanOutcome::unresolved);
  CHECK(once.requests.size() == 1);
  CHECK(any_holds(refused.reasons, "read target completely"));
}

TEST_CASE("budget: settings that allow no judging are refused") {
  const JudgedSpan span(test::relay_episode(), 2);
  ScriptedModel model([](const JudgeConversation&) { return kReadsOn; });
  SpanJudgeOptions options;
  options.budget.calls = 0;
  CHECK_THROWS_AS(span.judge(model, options), Error);
  options.budget.calls = 1;
  options.budget.context_tokens = options.budget.max_output_tokens;
  CHECK_THROWS_AS(span.judge(model, options), Error);
  CHECK(model.requests.empty());
}

TEST_CASE("context: results are dropped before the window is full, and go on counting") {
  const std::string long_text(30'000, 'q');
  const JudgedSpan span(test::relay_episode(long_text), 2);
  SpanJudgeOptions options;
  options.budget.context_tokens = 9'000;
  options.budget.max_output_tokens = 1'000;
  for (const std::uint64_t bytes_a_token : {4U, 2U}) {
    ScriptedModel model([&](const chat::ChatRequest& request, const chat::CallPlace&) {
      const JudgeConversation conversation = test::conversation_in(request);
      std::uint64_t bytes = 0;
      for (const chat::ChatMessage& message : request.messages) bytes += message.text.size();
      chat::ChatReply reply = test::reply_of(
          test::reading_move(conversation, {.page = 2'000, .calls_in_reply = 1}, test::relay_answer()), conversation);
      reply.usage.input = bytes / bytes_a_token;
      return answered(std::move(reply));
    });
    if (bytes_a_token == 2) options.budget.context_tokens = 17'000;
    const SpanJudgement result = span.judge(model, options);
    INFO((result.reasons.empty() ? "" : result.reasons[0]));
    CHECK(result.outcome == SpanOutcome::accepted);
    CHECK(any_holds(test::texts_sent(model), "This result was dropped to save room. It showed bytes"));
    for (const evidence::EvidenceFile& file : span.evidence().files()) {
      CHECK(result.ledger.covers(file.name, {0, file.bytes}));
    }
    // The ratio that is learnt from one request differs a little from that of the next.
    const std::uint64_t most = (options.budget.context_tokens - 1'000) * 21 / 20;
    for (const CallRecord& call : result.calls) CHECK(*call.usage.input <= most);
  }
}

TEST_CASE("context: pages shrink with the window, and too many at once are not shown") {
  const JudgedSpan span(test::relay_episode(std::string(60'000, 'q')), 2);
  SpanJudgeOptions options;
  options.budget.context_tokens = 9'000;
  options.budget.max_output_tokens = 1'000;
  ScriptedModel model([&](const JudgeConversation& conversation) {
    if (conversation.size() == 2) {
      JudgeMove move;
      for (int i = 0; i < 8; ++i) {
        move.calls.push_back({"read_file", {{"file", "steps/0001"}, {"from", i * 7'000}, {"bytes", 60'000}}});
      }
      return move;
    }
    return JudgeMove{{{"submit_answer", test::relay_answer()}}, ""};
  });
  const SpanJudgement result = span.judge(model, options);
  CHECK(result.outcome == SpanOutcome::unresolved);
  const auto& messages = model.requests.at(1).messages;
  REQUIRE(messages.size() == 11);
  CHECK(messages[3].text.size() < 9'000);
  CHECK(messages[3].text.find("qqqq") != std::string::npos);
  CHECK(messages[10].text.find("does not count as read") != std::string::npos);
  CHECK(result.ledger.covers("steps/0001", {0, 7'000}));
  CHECK_FALSE(result.ledger.covers("steps/0001", {49'000, 50'000}));
}

TEST_CASE("context: an endpoint that finds it too long gets less, and is not asked for ever") {
  const JudgedSpan span(test::relay_episode(std::string(20'000, 'q')), 2);
  std::size_t refusals = 0;
  const auto limited = [&](std::size_t limit) {
    return [&refusals, limit](const chat::ChatRequest& request, const chat::CallPlace&) {
      std::size_t bytes = 0;
      for (const chat::ChatMessage& message : request.messages) bytes += message.text.size();
      if (bytes > limit) {
        ++refusals;
        return fails(chat::ChatFault::context_too_long);
      }
      const JudgeConversation conversation = test::conversation_in(request);
      return answered(test::reply_of(
          test::reading_move(conversation, {.page = 3'000, .calls_in_reply = 1}, test::relay_answer()), conversation));
    };
  };
  const std::size_t opening = 20'000;  // more than the first two messages have
  ScriptedModel model(limited(opening + 12'000));
  const SpanJudgement result = span.judge(model);
  INFO((result.reasons.empty() ? "" : result.reasons[0]));
  CHECK(result.outcome == SpanOutcome::accepted);
  CHECK(refusals > 0);
  CHECK(result.calls.size() + refusals == model.requests.size());

  ScriptedModel never(limited(10));
  const SpanJudgement failed = span.judge(never);
  CHECK(failed.outcome == SpanOutcome::failed);
  REQUIRE(failed.error);
  CHECK(failed.error->fault == chat::ChatFault::context_too_long);
  CHECK(never.requests.size() == 1);
}

TEST_CASE("endpoint errors decide nothing, and what was paid is kept") {
  const JudgedSpan span(test::relay_episode(), 2);
  for (const chat::ChatFault fault :
       {chat::ChatFault::unreachable, chat::ChatFault::rate_limited, chat::ChatFault::refused_key,
        chat::ChatFault::bad_reply, chat::ChatFault::not_recorded, chat::ChatFault::stopped}) {
    ScriptedModel model([&](const chat::ChatRequest& request, const chat::CallPlace& place) {
      return place.call < 2 ? answered(careful_reply(request)) : fails(fault);
    });
    const SpanJudgement result = span.judge(model);
    CHECK(result.outcome == SpanOutcome::failed);
    REQUIRE(result.error);
    CHECK(result.error->fault == fault);
    CHECK(result.error->message == "the mock says so");
    CHECK(result.calls.size() == 1);
    CHECK(model.requests.size() == 2);
    // The results of the first reply were never seen by a call that came back.
    CHECK(result.ledger.shown().empty());
  }
}

TEST_CASE("replies cut off at the output limit: one nudge, then unresolved") {
  const JudgedSpan span(test::relay_episode(), 2);
  std::size_t cut = 0;
  const auto cutting = [&](std::size_t times, const chat::ChatReply& reply) {
    cut = 0;
    return [&cut, times, reply](const chat::ChatRequest& request, const chat::CallPlace& place) {
      if (place.call > 2 && cut < times) {
        ++cut;
        return answered(reply);
      }
      return answered(careful_reply(request));
    };
  };
  chat::ChatReply half = text_reply("", chat::FinishReason::length);
  half.message.tool_calls = {{"x1", "submit_answer", R"({"entries": [{"entry": 0, "rea)"}};
  for (const chat::ChatReply& reply :
       {text_reply("", chat::FinishReason::length), text_reply("I think that", chat::FinishReason::length), half}) {
    ScriptedModel model(cutting(1, reply));
    CHECK(span.judge(model).outcome == SpanOutcome::accepted);
    CHECK(any_holds(test::texts_sent(model), "cut off at the limit of 32768 output tokens"));
    ScriptedModel always(cutting(100, reply));
    const SpanJudgement result = span.judge(always);
    CHECK(result.outcome == SpanOutcome::unresolved);
    CHECK(any_holds(result.reasons, "cut off at 32768 output tokens"));
    CHECK(cut == 2);
    CHECK(result.refused_answers == 0);
  }
}

TEST_CASE("a model that refuses gets one nudge") {
  const JudgedSpan span(test::relay_episode(), 2);
  std::size_t refused = 0;
  const auto refusing = [&](std::size_t times) {
    refused = 0;
    return [&refused, times](const chat::ChatRequest& request, const chat::CallPlace&) {
      if (refused < times) {
        ++refused;
        return answered(text_reply("I cannot help with \x1b[31mthat.", chat::FinishReason::refused));
      }
      return answered(careful_reply(request));
    };
  };
  ScriptedModel once(refusing(1));
  CHECK(span.judge(once).outcome == SpanOutcome::accepted);
  ScriptedModel twice(refusing(2));
  const SpanJudgement result = span.judge(twice);
  CHECK(result.outcome == SpanOutcome::unresolved);
  CHECK(twice.requests.size() == 2);
  REQUIRE(result.reasons.size() == 1);
  CHECK(result.reasons[0].find("the model refused: I cannot help") == 0);
  CHECK(result.reasons[0].find('\x1b') == std::string::npos);
}

TEST_CASE("a model that only talks is not paid for two hundred and fifty replies") {
  const JudgedSpan span(test::relay_episode(), 2);
  ScriptedModel talker([](const JudgeConversation&) { return JudgeMove{{}, "How interesting."}; });
  const SpanJudgement result = span.judge(talker);
  CHECK(result.outcome == SpanOutcome::unresolved);
  CHECK(talker.requests.size() == 4);
  CHECK(any_holds(result.reasons, "called no tool in 4 replies in a row"));

  ScriptedModel silent([](const JudgeConversation&) { return JudgeMove{}; });
  CHECK(span.judge(silent).outcome == SpanOutcome::unresolved);
  for (const chat::ChatMessage& message : silent.requests.back().messages) CHECK_FALSE(message.text.empty());
}

TEST_CASE("the same span, model and settings give the same requests") {
  const JudgedSpan span(test::relay_episode(), 2);
  std::vector<std::string> runs;
  for (int run = 0; run < 2; ++run) {
    ScriptedModel model([](const JudgeConversation& conversation) {
      return test::reading_move(conversation, {.page = 700, .calls_in_reply = 3}, test::relay_answer());
    });
    const SpanJudgement result = span.judge(model);
    std::string all;
    for (const chat::ChatRequest& request : model.requests) all += chat::to_json(request).dump();
    runs.push_back(all);
    CHECK(result.outcome == SpanOutcome::accepted);
  }
  CHECK(runs[0] == runs[1]);
}

}  // namespace memuse::agentic_judge
