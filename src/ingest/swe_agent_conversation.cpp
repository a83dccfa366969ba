#include "ingest/swe_agent_conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "ingest/chat_parts.h"
#include "ingest/mini_swe_agent_text.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

/// What actions that are no tool calls are run by.
constexpr std::string_view kShellAction = "bash";

/// The messages behind `answer` up to the next answer.
std::vector<const SweMessage*> following(const std::vector<SweMessage>& list, std::size_t answer) {
  std::vector<const SweMessage*> all;
  for (std::size_t at = answer + 1; at < list.size() && !list[at].is_answer(); ++at) all.push_back(&list[at]);
  return all;
}

bool belongs(const SweMessage& answer, const SweStep& step) {
  return answer.text == step.response || (!is_blank(step.action) && answer.action == step.action);
}

/// Finds the answers of a history in the order of the steps.
class AnswersInHistory {
 public:
  explicit AnswersInHistory(const std::vector<SweMessage>& history) : history_(history) { go_on(); }

  /// Place of the step's answer, when it is the next one.
  std::optional<std::size_t> of(const SweStep& step) {
    if (next_ == history_.size() || !belongs(history_[next_], step)) return std::nullopt;
    const std::size_t found = next_++;
    go_on();
    return found;
  }

 private:
  void go_on() {
    while (next_ < history_.size() && !history_[next_].is_answer()) ++next_;
  }

  const std::vector<SweMessage>& history_;
  std::size_t next_ = 0;
};

}  // namespace

std::string_view swe_task_in_prompt(std::string_view prompt) {
  const std::string_view tagged = task_in_prompt(prompt);
  if (tagged.size() != prompt.size()) return tagged;
  constexpr std::string_view kIssue = "ISSUE:\n";
  constexpr std::string_view kInstructions = "\nINSTRUCTIONS:";
  const std::size_t issue = prompt.find(kIssue);
  if (issue == std::string_view::npos) return prompt;
  const std::size_t begin = issue + kIssue.size();
  const std::size_t end = prompt.find(kInstructions, begin);
  if (end == std::string_view::npos) return prompt;
  std::string_view task = prompt.substr(begin, end - begin);
  while (!task.empty() && white_space_length(task) > 0) task.remove_prefix(white_space_length(task));
  const std::size_t last = task.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? prompt : task.substr(0, last + 1);
}

Origin SweConversation::origin_of(const SweMessage& message) {
  if (message.demo) return Origin::other;
  if (message.role == Role::system) return Origin::system;
  if (message.role != Role::user || task_seen_) return Origin::other;
  task_seen_ = true;
  recorder_.episode().task_text = swe_task_in_prompt(message.text);
  return Origin::task;
}

void SweConversation::take(const std::vector<SweStep>& steps, const std::vector<SweMessage>& history) {
  follows_inputs_ =
      std::any_of(steps.begin(), steps.end(), [](const SweStep& step) { return step.query || step.processed; });
  if (follows_inputs_) elision_.reset();  // what is stated has been elided already
  follows_inputs_ ? take_stated(steps, history) : take_history(steps, history);
}

std::vector<StatedMessage> SweConversation::wanted(const std::vector<SweMessage>& input, std::string_view prefix) {
  std::vector<StatedMessage> all;
  all.reserve(input.size());
  for (const SweMessage& message : input) {
    all.push_back(
        {recorder_.keep(fmt::format("{}{}", prefix, message.index)), message.role, origin_of(message), message.text});
  }
  return all;
}

void SweConversation::take_stated(const std::vector<SweStep>& steps, const std::vector<SweMessage>& history) {
  StatedInput input(recorder_);
  AnswersInHistory answers(history);
  exact_ = true;
  stated_ = true;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const SweStep& step = steps[at];
    const std::string id = fmt::format("t{}", step.index);
    if (!step.is_call()) {
      add_unsent(recorder_.keep(id), Role::user, is_blank(step.observation) ? step.thought : step.observation);
      continue;
    }
    const SweStep* before = at == 0 ? nullptr : &steps[at - 1];
    exact_ = exact_ && step.query;
    if (step.query) {
      input.follow(wanted(*step.query, fmt::format("q{}.", step.index)));
    } else if (before != nullptr && before->processed) {
      input.follow(wanted(*before->processed, fmt::format("p{}.", before->index)));
    } else if (before == nullptr) {
      const auto first =
          std::find_if(history.begin(), history.end(), [](const SweMessage& m) { return m.is_answer(); });
      input.follow(wanted({history.begin(), first}, "h"));
    } else {
      stated_ = false;
    }
    Call call{&step, nullptr, {}};
    const auto look_in = [&](const std::vector<SweMessage>& list, std::size_t place) {
      call.answer = &list[place];
      call.following = following(list, place);
    };
    // The next input shows what came back as the model saw it, also of answers that were asked for again; the history
    // has the last call's.
    if (const auto place = answers.of(step)) look_in(history, *place);
    const std::vector<SweMessage>* next = step.processed ? &*step.processed : nullptr;
    if (next == nullptr && at + 1 < steps.size() && steps[at + 1].query) next = &*steps[at + 1].query;
    if (next != nullptr) {
      const auto last = std::find_if(next->rbegin(), next->rend(),
                                     [&](const SweMessage& m) { return m.is_answer() && belongs(m, step); });
      if (last != next->rend()) look_in(*next, next->size() - 1 - static_cast<std::size_t>(last - next->rbegin()));
    }
    add_call(call, recorder_.keep(id));
    input.take_step();
  }
}

void SweConversation::take_history(const std::vector<SweStep>& steps, const std::vector<SweMessage>& history) {
  std::size_t next = 0;
  const auto answers = std::count_if(history.begin(), history.end(), [](const SweMessage& m) { return m.is_answer(); });
  const bool as_many = static_cast<std::size_t>(answers) == steps.size();
  const auto add_alone = [&](const SweStep& step) {
    const std::string_view id = recorder_.keep(fmt::format("t{}", step.index));
    if (step.is_call()) return add_call({&step, nullptr, {}}, id);
    add_unsent(id, Role::user, is_blank(step.observation) ? step.thought : step.observation);
  };
  for (std::size_t at = 0; at < history.size();) {
    const SweMessage& message = history[at];
    const std::string_view id = recorder_.keep(fmt::format("h{}", message.index));
    if (!message.is_answer()) {
      add_message(message, id);
      ++at;
      continue;
    }
    // A step that the history lacks stands before the one that this answer belongs to.
    if (!as_many && next + 1 < steps.size() && !belongs(message, steps[next]) && belongs(message, steps[next + 1])) {
      gap_ = gap_ || steps[next].is_call();
      add_alone(steps[next++]);
    }
    Call call{nullptr, &message, following(history, at)};
    if (next < steps.size() && (as_many || belongs(message, steps[next]))) call.step = &steps[next++];
    SweStep own;
    own.response = message.text;
    own.thought = message.thought;
    if ((call.step == nullptr ? own : *call.step).is_call()) {
      add_call(call, id);
    } else {
      add_unsent(id, Role::assistant, is_blank(message.text) ? message.thought : message.text);
    }
    at += 1 + call.following.size();
  }
  for (; next < steps.size(); ++next) {
    gap_ = gap_ || (next + 1 < steps.size() && steps[next + 1].is_call());
    add_alone(steps[next]);
  }
}

void SweConversation::add_message(const SweMessage& message, std::string_view id) {
  recorder_.tick();
  const std::uint32_t number = recorder_.add_message({id, message.role, origin_of(message), false, message.text});
  if (elision_ && !message.demo) elision_->take(message, number, recorder_);
}

void SweConversation::add_unsent(std::string_view id, Role role, std::string_view text) {
  if (is_blank(text)) return;
  recorder_.tick();
  recorder_.drop_message(recorder_.add_message({id, role, Origin::other, false, text}));
}

void SweConversation::add_actions(StepRecord& step, const Call& call) {
  if (call.answer != nullptr && call.answer->tool_calls != nullptr) {
    for (const JsonValue& value : JsonChildren(*call.answer->tool_calls)) {
      step.actions.push_back(tool_call_action(value, recorder_.episode().arena));
    }
    if (!step.actions.empty()) return;
  }
  const std::string_view command = call.step != nullptr ? call.step->action : call.answer->action;
  if (is_blank(command)) return;
  const nlohmann::json arguments{{"command", std::string(command)}};
  step.actions.push_back(
      {{}, kShellAction, recorder_.keep(arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))});
}

/// What answers an action is a tool message, or the first user message behind it. Other messages stay on their own.
void SweConversation::add_call(const Call& call, std::string_view id) {
  if (elision_) elision_->before_call(recorder_);
  StepRecord step;
  step.id = id;
  step.response = call.step != nullptr ? call.step->response : call.answer->text;
  if (call.answer != nullptr) step.reasoning = call.answer->thinking;
  add_actions(step, call);
  std::vector<const SweMessage*> results;
  std::vector<const SweMessage*> others;
  for (const SweMessage* message : call.following) {
    const bool result = message->role == Role::tool || (message->role == Role::user && results.empty());
    (result && !message->demo ? results : others).push_back(message);
  }
  const std::string_view only_action = step.actions.size() == 1 ? step.actions.front().id : std::string_view{};
  for (const SweMessage* message : results) {
    const std::string_view result = recorder_.keep(fmt::format("{}.r{}", id, step.results.size()));
    step.results.push_back({result, message->tool_call.empty() ? only_action : message->tool_call, message->text});
  }
  if (results.empty() && call.step != nullptr && !is_blank(call.step->observation)) {
    step.results.push_back({recorder_.keep(fmt::format("{}.r0", id)), only_action, call.step->observation});
  }
  recorder_.tick();
  const bool reworded = call.answer != nullptr && call.answer->text != *step.response;
  recorder_.add_step(std::move(step));
  const Step& added = recorder_.episode().steps.back();
  if (reworded) {
    recorder_.tick();
    recorder_.rewrite_message(*added.response_message, call.answer->text);
  }
  for (std::size_t at = 0; at < results.size(); ++at) {
    if (elision_) elision_->take(*results[at], added.results[at].message, recorder_);
  }
  if (follows_inputs_) return;
  for (const SweMessage* message : others) add_message(*message, recorder_.keep(fmt::format("h{}", message->index)));
}

}  // namespace memuse::ingest
