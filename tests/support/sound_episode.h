#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/canonical_trace.h"
#include "ingest/canonical_trace_writer.h"
#include "model/episode.h"
#include "support/episode_text.h"

namespace memuse::test {

/// What holds for every episode that an adapter hands over, whatever the bytes were. Finds the first breach.
class SoundEpisode {
 public:
  explicit SoundEpisode(const Episode& episode) : episode_(episode) {
    names();
    messages();
    steps();
    deliveries();
    records();
  }
  /// Empty when the episode is sound.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  template <typename... Parts>
  void hold(bool holds, fmt::format_string<Parts...> what, Parts&&... parts) {
    if (!holds && fault_.empty()) fault_ = fmt::format(what, std::forward<Parts>(parts)...);
  }
  void text(std::string_view bytes, const char* of) {
    hold(simdjson::validate_utf8(bytes.data(), bytes.size()), "{} is no UTF-8", of);
  }
  void count(const std::optional<double>& amount, const char* of) {
    hold(!amount || std::isfinite(*amount), "{} is not finite", of);
  }

  void names() {
    hold(!episode_.configuration.empty() && !episode_.run.empty(), "no configuration or run");
    for (const std::string_view name : {episode_.id, episode_.task_id, episode_.configuration, episode_.run,
                                        episode_.store, episode_.model, episode_.task_text}) {
      text(name, "a name");
    }
    const auto by_key = [](const Tag& a, const Tag& b) { return a.key < b.key; };
    hold(std::is_sorted(episode_.tags.begin(), episode_.tags.end(), by_key), "tags are not sorted");
    hold(episode_.source.byte_begin <= episode_.source.byte_end, "the source ends before it begins");
    for (std::size_t id = 0; id < episode_.texts.size(); ++id) text(episode_.texts[static_cast<TextId>(id)], "a text");
  }

  void messages() {
    std::set<std::string_view> ids;
    for (const Message& message : episode_.messages) {
      hold(message.id.empty() || ids.insert(message.id).second, "two messages are called '{}'", message.id);
      hold(message.order <= episode_.lines, "a message stands behind the last line");
      hold(message.of_step <= episode_.step_count(), "a message belongs to step {}", message.of_step);
      hold(!message.versions.empty(), "a message has no text");
      std::uint32_t before = 0;
      for (const TextVersion& version : message.versions) {
        hold(version.text < episode_.texts.size(), "a message has text {}", version.text);
        hold(before <= version.order, "texts of a message go back in time");
        before = version.order;
      }
    }
  }

  void steps() {
    std::uint32_t before = 0;
    for (const Step& step : episode_.steps) {
      hold(step.order >= before && step.order <= episode_.lines, "steps are out of order");
      before = step.order;
      hold(!step.response_message || *step.response_message < episode_.messages.size(), "a response is no message");
      for (const Result& result : step.results) {
        hold(result.message < episode_.messages.size(), "a result is no message");
      }
      for (const Action& action : step.actions) {
        text(action.name, "an action's name");
        text(action.arguments, "an action's arguments");
      }
      text(step.response, "a response");
      text(step.reasoning, "a reasoning");
      count(step.cost_usd, "a cost");
    }
  }

  void deliveries() {
    std::set<std::string_view> ids;
    for (const Delivery& delivery : episode_.deliveries) {
      hold(ids.insert(delivery.id).second, "two deliveries are called '{}'", delivery.id);
      hold(delivery.order <= episode_.lines, "a delivery stands behind the last line");
      hold(is_step(delivery.consuming_step), "a delivery is consumed by step {}", delivery.consuming_step);
      hold(!delivery.message || *delivery.message < episode_.messages.size(), "a delivery is in no message");
      if (!fault_.empty()) return;
      if (delivery.range) inside(*delivery.range, delivery);
      text(episode_.placed_text(delivery), "a placed text");
      for (const Entry& entry : delivery.entries) {
        text(entry.text, "an entry");
        if (entry.range) inside(*entry.range, delivery);
        for (const std::string_view identifier : entry.identifiers) text(identifier, "an identifier");
      }
    }
  }

  void records() {
    for (const Search& search : episode_.searches) {
      hold(is_step(search.step), "a search is for step {}", search.step);
      for (const SearchHit& hit : search.returned) count(hit.score, "a score");
    }
    for (const MemoryOperation& operation : episode_.memory_operations) {
      hold(operation.after_step <= episode_.step_count(), "an operation follows step {}", operation.after_step);
    }
    for (const SideCall& call : episode_.side_calls) count(call.cost_usd, "a cost");
  }

  [[nodiscard]] bool is_step(std::uint32_t step) const {
    return step == kNever || (step >= 1 && step <= episode_.step_count());
  }

  /// A range is one of the text that the message had when the delivery was recorded.
  void inside(const ByteRange& range, const Delivery& delivery) {
    hold(range.begin <= range.end, "a range ends before it begins");
    hold(delivery.message.has_value(), "a range is in no message");
    if (!fault_.empty()) return;
    const Message& message = episode_.messages[*delivery.message];
    const std::size_t size = episode_.texts[message.text_at_order(delivery.order)].size();
    hold(range.end <= size, "a range ends at byte {} of {}", range.end, size);
  }

  const Episode& episode_;
  std::string fault_;
};

/// Takes the ids away that the writer of the trace gave to messages which had none and had to be named.
inline void forget_given_ids(Episode& written, const Episode& original) {
  const std::size_t count = std::min(written.messages.size(), original.messages.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (original.messages[i].id.empty()) written.messages[i].id = {};
  }
  for (Step& step : written.steps) {
    for (Result& result : step.results) result.id = written.messages[result.message].id;
  }
}

/// A breach of the model's rules, or that the canonical trace of an episode is not read as one episode and written
/// again as the same bytes. Empty when there is none. For any episode, also one that rules were applied to.
inline std::string breach_in(const Episode& episode, Episode* read_again = nullptr) {
  if (std::string fault = SoundEpisode(episode).fault(); !fault.empty()) return fault;
  const std::string trace = ingest::write_canonical_trace(episode);
  std::vector<Diagnostic> diagnostics;
  std::vector<Episode> again = ingest::read_canonical_trace(trace, {}, &diagnostics);
  if (again.size() != 1) return fmt::format("its canonical trace holds {} episodes", again.size());
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::error) return "its canonical trace has an error: " + diagnostic.detail;
  }
  if (ingest::write_canonical_trace(again.front()) != trace) return "its canonical trace is written otherwise again";
  if (read_again != nullptr) *read_again = std::move(again.front());
  return {};
}

/// The same for an episode as an adapter handed it over; its canonical trace must read back as the same episode as
/// well. (A delivery that a rule found stands at the very moment of its message, and a line later in the trace.)
inline std::string fault_in(const Episode& episode) {
  Episode again;
  if (std::string fault = breach_in(episode, &again); !fault.empty()) return fault;
  forget_given_ids(again, episode);
  if (std::string difference = first_difference(again, episode); !difference.empty()) {
    return "its canonical trace reads otherwise:\n" + difference;
  }
  return {};
}

}  // namespace memuse::test
