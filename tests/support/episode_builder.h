#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/episode_recorder.h"
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
/// (trace-format.md), through the recorder that adapters use; it adds ids and copies every text. Naming a message that
/// was not added throws std::out_of_range. What has no function here can be set through `episode()`.
class EpisodeBuilder {
 public:
  explicit EpisodeBuilder(std::string_view id = "episode") {
    Episode& made = episode();
    made.id = keep(id);
    made.task_id = made.id;
    made.configuration = "test";
    made.run = "r1";
  }

  [[nodiscard]] Episode& episode() { return recorder_.episode(); }
  /// Copies `text` into the episode's arena.
  std::string_view keep(std::string_view text) { return recorder_.keep(text); }

  EpisodeBuilder& message(std::string_view id, std::string_view text, MessageLine line = {}) {
    recorder_.tick();
    recorder_.add_message({keep(id), line.role, line.origin, line.transient, keep(text)});
    return *this;
  }

  /// Places `text` as a message that lasts for the next step only.
  EpisodeBuilder& transient(std::string_view id, std::string_view text) {
    return message(id, text, {.transient = true});
  }

  EpisodeBuilder& drop(std::string_view id) {
    recorder_.tick();
    recorder_.drop_message(index_of(id));
    return *this;
  }

  EpisodeBuilder& rewrite(std::string_view id, std::string_view text) {
    recorder_.tick();
    recorder_.rewrite_message(index_of(id), keep(text));
    return *this;
  }

  EpisodeBuilder& step(const StepLine& line = {}) {
    const std::string number = std::to_string(recorder_.next_step());
    ingest::StepRecord step;
    step.id = keep("r" + number);
    step.response = keep(line.response);
    step.reasoning = keep(line.reasoning);
    step.persist = line.persist;
    for (std::size_t i = 0; i < line.actions.size(); ++i) {
      const std::string id = "c" + number + "." + std::to_string(i + 1);
      step.actions.push_back({keep(id), keep(line.actions[i].first), keep(line.actions[i].second)});
    }
    for (std::size_t i = 0; i < line.results.size(); ++i) {
      const std::string_view action = i < step.actions.size() ? step.actions[i].id : std::string_view{};
      step.results.push_back({keep(line.results[i].first), action, keep(line.results[i].second)});
    }
    recorder_.tick();
    recorder_.add_step(std::move(step));
    return *this;
  }

  EpisodeBuilder& steps(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) step();
    return *this;
  }

  EpisodeBuilder& delivery(const DeliveryLine& line) {
    Delivery delivery;
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
    recorder_.tick();
    recorder_.add_delivery(std::move(delivery));
    return *this;
  }

  EpisodeBuilder& search(std::string_view id, const std::vector<std::string>& returned, bool completed = true) {
    Search search;
    search.id = keep(id);
    search.completed = completed;
    for (const std::string& item : returned) search.returned.push_back({keep(item), std::nullopt, std::nullopt});
    recorder_.tick();
    recorder_.add_search(std::move(search));
    return *this;
  }

  /// Hands the episode over; the builder is spent.
  Episode build() { return recorder_.take(); }

 private:
  [[nodiscard]] std::uint32_t index_of(std::string_view id) const {
    const auto index = recorder_.message_index(id);
    if (!index) throw std::out_of_range("no message " + std::string(id));
    return *index;
  }

  ingest::EpisodeRecorder recorder_;
};

}  // namespace memuse::test
