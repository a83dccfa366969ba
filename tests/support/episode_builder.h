#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/episode.h"

namespace memuse::test {

/// One entry of a `DeliveryLine`.
struct EntryLine {
  std::optional<std::string> item = std::nullopt;
  std::string text = {};
  std::vector<std::string> identifiers = {};
  std::optional<std::string> version = std::nullopt;
};

/// A `delivery` line.
struct DeliveryLine {
  std::string id = {};
  std::optional<std::string> message = std::nullopt;  ///< id of a message that was added before
  std::vector<EntryLine> entries = {};
  std::optional<ByteRange> range = std::nullopt;
  std::string search = {};
  Route route = Route::host;
  std::string form = "recall";
  std::optional<std::uint64_t> tokens = std::nullopt;
};

/// What may be said of a `message` line beside its text.
struct MessageLine {
  bool transient = false;
  Role role = Role::user;
  Origin origin = Origin::memory;
};

/// A `step` line.
struct StepLine {
  std::string response = "…";
  std::vector<std::pair<std::string, std::string>> results = {};  ///< (message id, text)
  std::vector<std::pair<std::string, std::string>> actions = {};  ///< (name, arguments as JSON)
  bool persist = true;
  std::string reasoning = {};
};

/// Writes an episode line by line, in the order in which a canonical trace would have the lines, with the same meaning
/// (trace-format.md). Everything is copied into the episode. Naming a message that was not added throws
/// std::out_of_range. What has no function here can be set through `episode()`.
class EpisodeBuilder {
 public:
  explicit EpisodeBuilder(std::string_view id = "episode") {
    episode_.id = keep(id);
    episode_.task_id = episode_.id;
    episode_.configuration = "test";
    episode_.run = "r1";
  }

  [[nodiscard]] Episode& episode() { return episode_; }
  /// Copies `text` into the episode's arena.
  std::string_view keep(std::string_view text) { return episode_.arena.keep(text); }

  EpisodeBuilder& message(std::string_view id, std::string_view text, MessageLine line = {}) {
    Message message;
    message.order = ++episode_.lines;
    message.role = line.role;
    message.origin = line.origin;
    message.transient = line.transient;
    message.first_step = next_step();
    message.end_step = line.transient ? message.first_step + 1 : kNever;
    add_message(std::move(message), id, text);
    return *this;
  }

  /// Places `text` as a message that lasts for the next step only.
  EpisodeBuilder& transient(std::string_view id, std::string_view text) {
    return message(id, text, {.transient = true});
  }

  EpisodeBuilder& drop(std::string_view id) {
    ++episode_.lines;
    Message& message = episode_.messages[index_of(id)];
    message.end_step = std::min(message.end_step, std::max(message.first_step, next_step()));
    return *this;
  }

  EpisodeBuilder& rewrite(std::string_view id, std::string_view text) {
    ++episode_.lines;
    episode_.messages[index_of(id)].versions.push_back(
        {episode_.lines, next_step(), episode_.texts.intern(keep(text))});
    return *this;
  }

  EpisodeBuilder& step(const StepLine& line = {}) {
    const std::uint32_t number = next_step();
    Step step;
    step.order = ++episode_.lines;
    step.response = keep(line.response);
    step.reasoning = keep(line.reasoning);
    step.persist = line.persist;
    step.response_message = follow_up("r" + std::to_string(number), Role::assistant, line.response, line.persist);
    for (std::size_t i = 0; i < line.actions.size(); ++i) {
      const std::string id = "c" + std::to_string(number) + "." + std::to_string(i + 1);
      step.actions.push_back({keep(id), keep(line.actions[i].first), keep(line.actions[i].second)});
    }
    for (std::size_t i = 0; i < line.results.size(); ++i) {
      const auto& [id, text] = line.results[i];
      const std::uint32_t index = follow_up(id, Role::tool, text, line.persist);
      const std::string_view action = i < step.actions.size() ? step.actions[i].id : std::string_view{};
      step.results.push_back({episode_.messages[index].id, action, index});
    }
    episode_.steps.push_back(std::move(step));
    for (; pending_delivery_ < episode_.deliveries.size(); ++pending_delivery_) {
      episode_.deliveries[pending_delivery_].consuming_step = number;
    }
    for (; pending_search_ < episode_.searches.size(); ++pending_search_) {
      episode_.searches[pending_search_].step = number;
    }
    return *this;
  }

  EpisodeBuilder& steps(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) step();
    return *this;
  }

  EpisodeBuilder& delivery(const DeliveryLine& line) {
    Delivery delivery;
    delivery.order = ++episode_.lines;
    delivery.id = keep(line.id);
    delivery.route = line.route;
    delivery.form = keep(line.form);
    if (line.message) delivery.message = index_of(*line.message);
    delivery.range = line.range;
    delivery.search = keep(line.search);
    delivery.tokens = line.tokens;
    for (const EntryLine& entry_line : line.entries) {
      Entry entry;
      if (entry_line.item) entry.item = keep(*entry_line.item);
      if (entry_line.version) entry.version = keep(*entry_line.version);
      entry.text = keep(entry_line.text);
      for (const std::string& identifier : entry_line.identifiers) entry.identifiers.push_back(keep(identifier));
      delivery.entries.push_back(std::move(entry));
    }
    episode_.deliveries.push_back(std::move(delivery));
    return *this;
  }

  EpisodeBuilder& search(std::string_view id, const std::vector<std::string>& returned, bool completed = true) {
    Search search;
    search.order = ++episode_.lines;
    search.id = keep(id);
    search.completed = completed;
    for (const std::string& item : returned) search.returned.push_back({keep(item), std::nullopt, std::nullopt});
    episode_.searches.push_back(std::move(search));
    return *this;
  }

  /// Hands the episode over; the builder is spent.
  Episode build() { return std::move(episode_); }

 private:
  [[nodiscard]] std::uint32_t next_step() const { return episode_.step_count() + 1; }

  [[nodiscard]] std::uint32_t index_of(std::string_view id) const { return index_by_id_.at(std::string(id)); }

  std::uint32_t add_message(Message message, std::string_view id, std::string_view text) {
    const auto index = static_cast<std::uint32_t>(episode_.messages.size());
    message.id = keep(id);
    message.versions.push_back({message.order, message.first_step, episode_.texts.intern(keep(text))});
    index_by_id_.emplace(id, index);
    episode_.messages.push_back(std::move(message));
    return index;
  }

  std::uint32_t follow_up(std::string_view id, Role role, std::string_view text, bool persist) {
    Message message;
    message.order = episode_.lines;
    message.role = role;
    message.of_step = next_step();
    message.first_step = next_step() + 1;
    message.end_step = persist ? kNever : message.first_step;
    return add_message(std::move(message), id, text);
  }

  Episode episode_;
  std::unordered_map<std::string, std::uint32_t> index_by_id_;
  std::size_t pending_delivery_ = 0;  // deliveries and searches from here on wait for their step
  std::size_t pending_search_ = 0;
};

}  // namespace memuse::test
