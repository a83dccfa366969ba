#include "ingest/episode_recorder.h"

#include <algorithm>
#include <utility>

namespace memuse::ingest {

std::optional<std::uint32_t> EpisodeRecorder::message_index(std::string_view id) const {
  const auto found = message_by_id_.find(id);
  if (found == message_by_id_.end()) return std::nullopt;
  return found->second;
}

std::string_view EpisodeRecorder::message_text(std::uint32_t index) const {
  return episode_.texts[episode_.messages[index].text_at_order(episode_.lines)];
}

std::uint32_t EpisodeRecorder::insert_message(Message message, std::string_view text) {
  const auto index = static_cast<std::uint32_t>(episode_.messages.size());
  message.versions.push_back({message.order, message.first_step, episode_.texts.intern(text)});
  if (!message.id.empty()) message_by_id_.emplace(message.id, index);
  episode_.messages.push_back(std::move(message));
  return index;
}

std::uint32_t EpisodeRecorder::add_message(const MessageRecord& record) {
  Message message;
  message.id = record.id;
  message.role = record.role;
  message.origin = record.origin;
  message.transient = record.transient;
  message.order = episode_.lines;
  message.first_step = next_step();
  message.end_step = message.transient ? message.first_step + 1 : kNever;
  return insert_message(std::move(message), record.text);
}

void EpisodeRecorder::drop_message(std::uint32_t index) {
  Message& message = episode_.messages[index];
  message.end_step = std::min(message.end_step, std::max(message.first_step, next_step()));
}

void EpisodeRecorder::rewrite_message(std::uint32_t index, std::string_view text) {
  episode_.messages[index].versions.push_back({episode_.lines, next_step(), episode_.texts.intern(text)});
}

std::uint32_t EpisodeRecorder::follow_up(std::string_view id, Role role, std::string_view text, bool persist) {
  Message message;
  message.id = id;
  message.role = role;
  message.origin = Origin::other;
  message.order = episode_.lines;
  message.of_step = next_step();
  message.first_step = message.of_step + 1;
  message.end_step = persist ? kNever : message.first_step;
  return insert_message(std::move(message), text);
}

void EpisodeRecorder::add_step(StepRecord record) {
  const std::uint32_t number = next_step();
  Step step;
  step.order = episode_.lines;
  step.response = record.response.value_or(std::string_view{});
  step.reasoning = record.reasoning;
  step.actions = std::move(record.actions);
  step.usage = record.usage;
  step.cost_usd = record.cost_usd;
  step.time = record.time;
  step.model = record.model;
  step.persist = record.persist;
  if (record.response || !record.id.empty()) {
    step.response_message = follow_up(record.id, Role::assistant, step.response, step.persist);
  }
  for (const ResultRecord& result : record.results) {
    step.results.push_back({result.id, result.action, follow_up(result.id, Role::tool, result.text, step.persist)});
  }
  for (; first_pending_delivery_ < episode_.deliveries.size(); ++first_pending_delivery_) {
    episode_.deliveries[first_pending_delivery_].consuming_step = number;
  }
  for (; first_pending_search_ < episode_.searches.size(); ++first_pending_search_) {
    episode_.searches[first_pending_search_].step = number;
  }
  episode_.steps.push_back(std::move(step));
}

void EpisodeRecorder::add_delivery(Delivery delivery) {
  delivery.order = episode_.lines;
  delivery.consuming_step = kNever;
  episode_.deliveries.push_back(std::move(delivery));
}

void EpisodeRecorder::add_search(Search search) {
  search.order = episode_.lines;
  search.step = kNever;
  episode_.searches.push_back(std::move(search));
}

void EpisodeRecorder::add_memory_operation(MemoryOperation operation) {
  operation.order = episode_.lines;
  operation.after_step = episode_.step_count();
  episode_.memory_operations.push_back(std::move(operation));
}

void EpisodeRecorder::add_side_call(SideCall call) {
  call.order = episode_.lines;
  episode_.side_calls.push_back(call);
}

void EpisodeRecorder::mark_damaged() {
  if (episode_.visibility == VisibilityGrade::exact || episode_.visibility == VisibilityGrade::rebuilt) {
    episode_.visibility = VisibilityGrade::partial;
  }
}

}  // namespace memuse::ingest
