#include "ingest/openhands_conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/text.h"

namespace memuse::ingest {

std::string_view OpenHandsConversation::new_id(std::string_view wanted) {
  std::string id(wanted);
  if (id.empty() || ids_.contains(id)) id = fmt::format("{}+{}", wanted, ids_.size());
  if (ids_.contains(id)) return {};
  const std::string_view kept = recorder_.keep(id);
  ids_.insert(kept);
  return kept;
}

std::size_t OpenHandsConversation::add_view(std::string_view event, std::uint32_t group) {
  view_.push_back({recorder_.keep(event), group, false, {}});
  return view_.size() - 1;
}

void OpenHandsConversation::add_silent(std::string_view event) {
  add_view(event, 0);
}

void OpenHandsConversation::add_message(std::string_view event, Role role, Origin origin, std::string_view text) {
  if (open_actions_ == 0) flush();
  MessageRecord message;
  message.id = new_id(event);
  message.role = role;
  message.origin = origin;
  message.text = recorder_.keep(text);
  behind_.push_back({add_view(event, 0), message});
  if (!step_) flush();
}

StepRecord& OpenHandsConversation::answer(std::string_view event, const Answer& answer) {
  const bool same = step_ && !answer.response.empty() && answer.response == response_;
  if (!same) {
    flush();
    step_.emplace();
    step_->id = new_id(event);
    step_->response = recorder_.keep(answer.text);
    step_->reasoning = recorder_.keep(answer.reasoning);
    step_->time = recorder_.keep(answer.time);
    step_->model = recorder_.keep(answer.model);
    response_ = recorder_.keep(answer.response);
    responses_.insert(std::string(answer.response));
    ++groups_;
    step_view_ = add_view(event, groups_);
  } else {
    add_view(event, groups_);
  }
  return *step_;
}

void OpenHandsConversation::add_action(std::string_view event, const Action& action) {
  actions_.push_back({recorder_.keep(event), recorder_.keep(action.id), false});
  ++open_actions_;
  action_by_event_.emplace(actions_.back().event, actions_.size() - 1);
  if (!action.id.empty()) action_by_call_.emplace(actions_.back().call, actions_.size() - 1);
  step_->actions.push_back({actions_.back().call, recorder_.keep(action.name), recorder_.keep(action.arguments)});
}

OpenHandsConversation::OpenAction* OpenHandsConversation::action_for(std::string_view call, std::string_view cause) {
  if (call.empty() && cause.empty()) {
    while (first_open_ < actions_.size() && actions_[first_open_].answered) ++first_open_;
    return first_open_ < actions_.size() ? &actions_[first_open_] : nullptr;
  }
  const auto& places = call.empty() ? action_by_event_ : action_by_call_;
  const auto found = places.find(call.empty() ? cause : call);
  return found == places.end() || actions_[found->second].answered ? nullptr : &actions_[found->second];
}

void OpenHandsConversation::add_result(std::string_view event, std::string_view call, std::string_view cause,
                                       std::string_view text, RecordPlace place) {
  OpenAction* action = action_for(call, cause);
  if (action == nullptr) {
    log_.add(Severity::note, Fault::unmatched_result, place.line, place.byte,
             fmt::format("event {}", shortened(event, 60)));
    return add_message(event, Role::tool, Origin::other, text);
  }
  action->answered = true;
  --open_actions_;
  step_->results.push_back({new_id(event), action->call, recorder_.keep(text)});
  result_views_.push_back(add_view(event, groups_));
}

void OpenHandsConversation::flush() {
  if (step_) {
    recorder_.tick();
    recorder_.add_step(std::move(*step_));
    const Step& step = recorder_.episode().steps.back();
    if (step.response_message) view_[step_view_].messages.push_back(*step.response_message);
    for (std::size_t at = 0; at < result_views_.size(); ++at) {
      view_[result_views_[at]].messages.push_back(step.results[at].message);
    }
    step_.reset();
    actions_.clear();
    action_by_call_.clear();
    action_by_event_.clear();
    first_open_ = 0;
    open_actions_ = 0;
    result_views_.clear();
  }
  for (const WaitingMessage& waiting : behind_) {
    recorder_.tick();
    view_[waiting.view].messages.push_back(recorder_.add_message(waiting.message));
  }
  behind_.clear();
}

/// A condensation looks at the whole input and may write much of it anew; a file of nothing but condensations must not
/// cost more than its length.
bool OpenHandsConversation::may_condense() {
  constexpr std::uint64_t kMostWork = 5'000'000;
  constexpr std::uint64_t kCostOfMessage = 10;
  const bool before = condensing_ < kMostWork;
  condensing_ += kCostOfMessage * view_.size() + 1;
  if (condensing_ < kMostWork) return true;
  if (before) {
    log_.add(Severity::warning, Fault::shortened_input, 1, 0, "more condensations than are followed");
    recorder_.mark_damaged();
  }
  return false;
}

void OpenHandsConversation::condense(const std::function<bool(std::string_view event)>& forgotten,
                                     std::optional<std::string_view> summary, std::optional<std::uint64_t> offset) {
  flush();
  if (!may_condense()) return;
  std::unordered_set<std::uint32_t> groups;  // an answer without its results is not sent, nor are these without it
  for (const ViewEvent& event : view_) {
    if (event.group > 0 && forgotten(event.id)) groups.insert(event.group);
  }
  std::vector<ViewEvent> left;
  for (ViewEvent& event : view_) {
    const bool leaves =
        event.summary ? summary.has_value() : (event.group > 0 ? groups.contains(event.group) : forgotten(event.id));
    if (!leaves) {
      left.push_back(std::move(event));
      continue;
    }
    for (const std::uint32_t message : event.messages) {
      recorder_.tick();
      recorder_.drop_message(message);
    }
  }
  view_ = std::move(left);
  if (!summary) return;
  const std::size_t place = std::min<std::uint64_t>(offset.value_or(view_.size()), view_.size());
  recorder_.tick();
  ViewEvent event;
  event.summary = true;
  event.messages = {
      recorder_.add_message({new_id("summary"), Role::user, Origin::other, false, recorder_.keep(*summary)})};
  view_.insert(view_.begin() + static_cast<std::ptrdiff_t>(place), std::move(event));
  put_anew(place + 1);
}

/// Messages stand in the order in which they were added, so what stands behind a new one is added again.
void OpenHandsConversation::put_anew(std::size_t first) {
  for (std::size_t at = first; at < view_.size(); ++at) {
    for (std::uint32_t& message : view_[at].messages) {
      const Message& old = recorder_.episode().messages[message];
      const MessageRecord again{new_id(old.id), old.role, old.origin, false, recorder_.message_text(message)};
      recorder_.tick();
      recorder_.drop_message(message);
      recorder_.tick();
      message = recorder_.add_message(again);
    }
  }
}

}  // namespace memuse::ingest
