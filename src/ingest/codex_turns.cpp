#include "ingest/codex_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/text.h"

namespace memuse::ingest {
namespace {

void append_line(std::string& all, std::string_view text) {
  if (!all.empty() && !text.empty()) all += '\n';
  all += text;
}

}  // namespace

std::string_view CodexTurns::new_id(std::string_view wanted, RecordPlace place) {
  std::string id(wanted);
  if (id.empty() || ids_.contains(id)) id = fmt::format("line-{}", place.line);
  if (ids_.contains(id)) id += fmt::format("+{}", ids_.size());
  if (ids_.contains(id)) return {};
  const std::string_view kept = recorder_.keep(id);
  ids_.insert(kept);
  return kept;
}

StepRecord& CodexTurns::step(std::string_view time, RecordPlace place) {
  if (step_ && ended_) flush();
  if (!step_) {
    step_.emplace();
    step_->id = new_id({}, place);
    step_->time = recorder_.keep(time);
    step_->model = model_;
  }
  return *step_;
}

void CodexTurns::add_reasoning(std::string_view text, std::string_view time, RecordPlace place) {
  step(time, place);
  append_line(reasoning_, text);
}

void CodexTurns::add_text(std::string_view text, std::string_view id, std::string_view time, RecordPlace place) {
  StepRecord& answer = step(time, place);
  if (!spoke_ && !id.empty()) answer.id = new_id(id, place);
  spoke_ = true;
  append_line(response_, text);
}

void CodexTurns::add_action(std::string_view id, std::string_view name, std::string_view arguments,
                            std::string_view time, RecordPlace place) {
  StepRecord& answer = step(time, place);
  Action action;
  action.id = recorder_.keep(id);
  action.name = recorder_.keep(name);
  if (nlohmann::json::accept(arguments)) {
    action.arguments = recorder_.keep(arguments);
  } else {
    action.arguments = recorder_.keep(
        nlohmann::json(std::string(arguments)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  open_actions_.emplace(action.id, false);
  answer.actions.push_back(action);
}

void CodexTurns::add_result(std::string_view action, std::string_view text, RecordPlace place) {
  const auto open = open_actions_.find(action);
  if (step_ && open != open_actions_.end() && !open->second) {
    open->second = true;
    ended_ = true;
    step_->results.push_back({new_id({}, place), open->first, recorder_.keep(text)});
    return;
  }
  log_.add(Severity::note, Fault::unmatched_result, place.line, place.byte,
           action.empty() ? "no `call_id`" : fmt::format("`{}`", shortened(action, 60)));
  add_message(Role::tool, Origin::other, text, {}, place);
}

std::size_t CodexTurns::add_message(Role role, Origin origin, std::string_view text, std::string_view id,
                                    RecordPlace place) {
  MessageRecord record;
  record.id = new_id(id, place);
  record.role = role;
  record.origin = origin;
  record.text = recorder_.keep(text);
  ended_ = true;
  const std::size_t number = index_.size() + behind_.size();
  behind_.push_back(record);
  if (!step_) flush();
  return number;
}

void CodexTurns::flush() {
  if (step_) {
    step_->reasoning = recorder_.keep(reasoning_);
    if (spoke_) step_->response = recorder_.keep(response_);
    recorder_.tick();
    recorder_.add_step(std::move(*step_));
    step_.reset();
    response_.clear();
    reasoning_.clear();
    spoke_ = false;
    open_actions_.clear();
  }
  ended_ = false;
  for (const MessageRecord& record : behind_) {
    recorder_.tick();
    index_.push_back(recorder_.add_message(record));
  }
  behind_.clear();
}

void CodexTurns::drop_from(std::size_t kept) {
  flush();
  recorder_.tick();
  const std::size_t messages = recorder_.episode().messages.size();
  for (; taken_ < messages; ++taken_) live_.push_back(static_cast<std::uint32_t>(taken_));
  while (!live_.empty() && live_.back() >= kept) {
    recorder_.drop_message(live_.back());
    live_.pop_back();
  }
}

}  // namespace memuse::ingest
