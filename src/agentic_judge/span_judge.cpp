#include "agentic_judge/span_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agentic_judge/answer_review.h"
#include "agentic_judge/context_room.h"
#include "agentic_judge/conversation.h"
#include "agentic_judge/judge_tools.h"
#include "agentic_judge/model_turn.h"
#include "agentic_judge/prompt_text.h"
#include "agentic_judge/tool_runner.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::agentic_judge {
namespace {

constexpr std::size_t kMostCallsInReply = 64;  ///< tool calls of one reply that are carried out
constexpr std::uint32_t kMostIdleReplies = 4;  ///< in a row that call no tool
constexpr std::uint32_t kMostCutReplies = 2;   ///< in a row that end at the output limit
constexpr std::uint32_t kMostRefusals = 2;     ///< of the model, over the span
constexpr std::uint32_t kMostTooLong = 4;      ///< tries of one call that the endpoint finds too long
constexpr std::uint64_t kSmallestPage = 512;   ///< bytes; below, pages would cost more than they show
constexpr std::uint64_t kPagesInContext = 4;   ///< pages that fit into the context at the least
constexpr std::size_t kRepeatedBytes = 200;    ///< of a model's words in a reason

std::string entries_in_words(const Span& span) {
  std::string words;
  for (const SpanEntry& entry : span.entries) {
    if (!words.empty()) words += "\n";
    if (entry.window) {
      words += fmt::format("- entry {}: window steps {} to {}; answer it", entry.entry, entry.window->first,
                           entry.window->last);
    } else {
      words += fmt::format("- entry {}: no window of its own (an earlier delivery holds its credit); leave it out",
                           entry.entry);
    }
  }
  return words;
}

/// Pages that leave room for others in a small context window.
evidence::ToolLimits fitting(evidence::ToolLimits limits, const ContextRoom& room) {
  const std::uint64_t share = std::max(kSmallestPage, room.most_bytes() / kPagesInContext);
  limits.page_bytes = std::min(limits.page_bytes, share);
  limits.search_bytes = std::min(limits.search_bytes, share);
  return limits;
}

std::string first_message(const evidence::EvidenceSet& evidence, const Prompts& prompts, std::uint32_t calls,
                          std::uint64_t page_bytes) {
  const Span& span = evidence.span();
  return filled(prompts.task, {{"span", fmt::format("S{}", span.number)},
                               {"first_step", std::to_string(span.first_step)},
                               {"steps", std::to_string(evidence.episode().step_count())},
                               {"entries", entries_in_words(span)},
                               {"index", std::string(trimmed(evidence::file_index(evidence)))},
                               {"page_bytes", std::to_string(page_bytes)},
                               {"calls", std::to_string(calls)}});
}

std::string system_message(const Prompts& prompts, ToolProtocol protocol) {
  std::string text = filled(prompts.system, {});
  if (protocol == ToolProtocol::json) text += "\n\n" + filled(prompts.json_protocol, {{"tools", tools_in_words()}});
  return text;
}

chat::ChatRequest request_settings(const SpanJudgeOptions& options) {
  chat::ChatRequest request;
  if (options.protocol == ToolProtocol::native) request.tools = judge_tools();
  request.max_output_tokens = options.budget.max_output_tokens;
  request.temperature = options.temperature;
  request.seed = options.seed;
  return request;
}

/// The judging of one span: the calls of the budget, then the repair rounds, until something is decided.
class SpanJudge {
 public:
  SpanJudge(const evidence::EvidenceSet& evidence, chat::ChatModel& model, const std::string& episode_uid,
            const Prompts& prompts, const SpanJudgeOptions& options)
      : evidence_(evidence),
        model_(model),
        place_{episode_uid, evidence.span().number, 0},
        prompts_(prompts),
        options_(options),
        room_(options.budget),
        conversation_(
            request_settings(options), system_message(prompts, options.protocol),
            first_message(evidence, prompts, options.budget.calls, fitting(options.limits, room_).page_bytes)) {}

  SpanJudgement judge() {
    calls_left_ = options_.budget.calls;
    while (!decided_) {
      if (calls_left_ > 0) {
        play_call();
      } else {
        refuse({"no answer was submitted with the last reply"});
        if (!decided_) conversation_.add_message(repair_message());
      }
    }
    return std::move(result_);
  }

 private:
  void play_call();
  std::optional<chat::ChatReply> call(bool last);
  void take_in(const chat::ChatReply& reply);
  void react(const chat::ChatReply& reply);
  void carry_out(const ModelTurn& turn);
  std::string hand_in(const std::string& answer);
  void no_calls(const chat::ChatReply& reply, const std::string& complaint);
  void cut_off(const ModelTurn& turn);

  void refuse(std::vector<std::string> faults);
  [[nodiscard]] std::string repair_message() const;
  void nudge(std::string text);
  void decide(SpanOutcome outcome) {
    result_.outcome = outcome;
    decided_ = true;
  }
  void unresolved(std::string reason) {
    result_.reasons = {std::move(reason)};
    decide(SpanOutcome::unresolved);
  }

  const evidence::EvidenceSet& evidence_;
  chat::ChatModel& model_;
  chat::CallPlace place_;
  const Prompts& prompts_;
  const SpanJudgeOptions& options_;
  ContextRoom room_;
  Conversation conversation_;

  SpanJudgement result_;
  bool decided_ = false;
  std::uint32_t calls_left_ = 0;  ///< of the budget or of the repair round
  std::uint32_t rounds_ = 0;      ///< repair rounds begun
  std::uint32_t idle_ = 0;        ///< replies without a call, in a row
  std::uint32_t cut_ = 0;         ///< replies cut off, in a row
  std::uint32_t refusals_ = 0;
};

void SpanJudge::play_call() {
  const bool last = calls_left_ == 1;
  if (last) conversation_.add_message(filled(prompts_.last_call, {}));
  const std::optional<chat::ChatReply> reply = call(last);
  if (!reply) return;
  --calls_left_;
  take_in(*reply);
  react(*reply);
}

/// Asks the model; makes room before, and more when the endpoint finds the conversation too long.
std::optional<chat::ChatReply> SpanJudge::call(bool last) {
  const bool force = last && options_.protocol == ToolProtocol::native;
  for (std::uint32_t attempt = 1;; ++attempt) {
    const std::uint64_t most = room_.most_bytes();
    const bool dropped = conversation_.make_room(most, most / 4 * 3);
    chat::ChatOutcome outcome;
    // The same request would only be found too long again.
    if (attempt == 1 || dropped) {
      ++place_.call;
      outcome = model_.complete(conversation_.request(force ? kSubmitAnswer : std::string_view{}), place_);
      if (outcome.reply) return std::move(outcome.reply);
      result_.error = std::move(outcome.error);
    }
    const bool too_long = result_.error && result_.error->fault == chat::ChatFault::context_too_long;
    if (!too_long || attempt == kMostTooLong || (attempt > 1 && !dropped)) {
      result_.reasons.clear();
      decide(SpanOutcome::failed);
      return std::nullopt;
    }
    room_.was_too_long(conversation_.bytes());
  }
}

/// Keeps what a successful call cost, said and had been shown.
void SpanJudge::take_in(const chat::ChatReply& reply) {
  result_.error.reset();
  if (reply.usage.input) room_.learn(conversation_.bytes(), *reply.usage.input);
  for (const evidence::ShownRange& shown : conversation_.mark_sent()) result_.ledger.add(shown.file, shown.range);
  if (!reply.model.empty()) result_.returned_model = reply.model;
  result_.calls.push_back({place_.call, reply.usage, reply.model,
                           chat::to_json(reply).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
}

void SpanJudge::react(const chat::ChatReply& reply) {
  const ModelTurn turn = read_turn(reply.message, options_.protocol);
  conversation_.add_reply(reply.message);
  const bool at_limit = reply.finish == chat::FinishReason::length;
  if (at_limit && (turn.calls.empty() || !arguments_are_whole(turn))) {
    cut_off(turn);
  } else if (turn.calls.empty()) {
    no_calls(reply, turn.complaint);
  } else {
    idle_ = 0;
    cut_ = 0;
    carry_out(turn);
  }
}

/// Reads are carried out in their order. The answer is checked with what had been shown before this reply: the results
/// of reads beside it have not been sent yet, and so are not in the ledger.
void SpanJudge::carry_out(const ModelTurn& turn) {
  bool answered = false;
  std::size_t done = 0;
  for (const chat::ToolCall& call : turn.calls) {
    evidence::ToolResult result;
    result.failed = true;
    if (++done > kMostCallsInReply) {
      result.text = fmt::format("not carried out: one reply may have at most {} tool calls", kMostCallsInReply);
    } else if (call.name != kSubmitAnswer) {
      result = run_tool(evidence_, fitting(options_.limits, room_), call.name, call.arguments);
    } else if (answered) {
      result.text = "not looked at: one reply may submit one answer";
    } else {
      answered = true;
      result.text = hand_in(call.arguments);
      if (decided_) return;
    }
    conversation_.add_result(call, turn.by_message, std::move(result));
  }
}

/// Checks an answer; gives what the model is told of it.
std::string SpanJudge::hand_in(const std::string& answer) {
  AnswerReview review = review_answer(evidence_, result_.ledger, answer);
  if (!review.answer) {
    refuse(std::move(review.faults));
    return decided_ ? std::string() : repair_message();
  }
  result_.answer = std::move(*review.answer);
  result_.reasons.clear();
  decide(SpanOutcome::accepted);
  return {};
}

/// Counts a refused answer; a repair round begins, or the span stays unresolved.
void SpanJudge::refuse(std::vector<std::string> faults) {
  ++result_.refused_answers;
  result_.reasons = std::move(faults);
  if (rounds_ == options_.budget.repair_rounds || options_.budget.calls_per_repair == 0) {
    return decide(SpanOutcome::unresolved);
  }
  ++rounds_;
  calls_left_ = options_.budget.calls_per_repair;
}

std::string SpanJudge::repair_message() const {
  return filled(prompts_.repair, {{"faults", fault_list(result_.reasons)}, {"calls", std::to_string(calls_left_)}});
}

/// Tells the model how to go on. In the last reply of a round there is no going on; what is missing is a fault then.
void SpanJudge::nudge(std::string text) {
  if (calls_left_ > 0) conversation_.add_message(std::move(text));
}

void SpanJudge::no_calls(const chat::ChatReply& reply, const std::string& complaint) {
  const std::string words = printable(shortened(reply.message.text, kRepeatedBytes));
  if (reply.finish == chat::FinishReason::refused) {
    if (++refusals_ == kMostRefusals) return unresolved("the model refused: " + words);
    return nudge(
        "This is the analysis of a finished, recorded run; nothing in it is carried out. Go on with the task by "
        "calling "
        "a tool. Where you cannot judge a label, null is an answer for novelty, influence and effect.");
  }
  if (++idle_ == kMostIdleReplies) {
    return unresolved(fmt::format("the model called no tool in {} replies in a row; it said: {}", idle_, words));
  }
  nudge(complaint);
}

void SpanJudge::cut_off(const ModelTurn& turn) {
  if (++cut_ == kMostCutReplies) {
    return unresolved(fmt::format("the model's replies were cut off at {} output tokens, {} in a row",
                                  options_.budget.max_output_tokens, cut_));
  }
  for (const chat::ToolCall& call : turn.calls) {
    evidence::ToolResult result;
    result.failed = true;
    result.text = "not carried out: the reply was cut off at the limit of output tokens";
    conversation_.add_result(call, turn.by_message, std::move(result));
  }
  nudge(fmt::format(
      "Your reply was cut off at the limit of {} output tokens, reasoning included. Think more briefly, and "
      "call a tool.",
      options_.budget.max_output_tokens));
}

}  // namespace

void check_options(const SpanJudgeOptions& options) {
  const Budget& budget = options.budget;
  if (budget.calls == 0) throw Error(ExitCode::usage, "a span needs a budget of at least one model call");
  if (budget.context_tokens <= budget.max_output_tokens) {
    throw Error(
        ExitCode::usage,
        fmt::format("a context window of {} tokens leaves no room beside {} output tokens; raise the one or lower "
                    "the other",
                    budget.context_tokens, budget.max_output_tokens));
  }
}

SpanJudgement judge_span(const evidence::EvidenceSet& evidence, chat::ChatModel& model, const std::string& episode_uid,
                         const Prompts& prompts, const SpanJudgeOptions& options) {
  check_options(options);
  return SpanJudge(evidence, model, episode_uid, prompts, options).judge();
}

}  // namespace memuse::agentic_judge
