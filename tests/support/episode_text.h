#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/episode.h"

namespace memuse::test {

/// Prints every field of an episode that matters, one a line; two episodes are equal when these texts are. Left out:
/// the source, and the distances on the line clock (its order is printed).
class EpisodeText {
 public:
  explicit EpisodeText(const Episode& episode) : episode_(episode) {
    head();
    for (std::size_t i = 0; i < episode.messages.size(); ++i) message(i);
    for (std::size_t i = 0; i < episode.steps.size(); ++i) step(i);
    for (const Delivery& delivery : episode.deliveries) this->delivery(delivery);
    for (const Search& search : episode.searches) this->search(search);
    for (const MemoryOperation& operation : episode.memory_operations) memory(operation);
    for (const SideCall& call : episode.side_calls) {
      add("side_call", call.purpose, usage(call.usage), value(call.cost_usd), call.model);
    }
    clock();
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  template <typename T>
  static std::string value(const std::optional<T>& given) {
    return given ? fmt::format("<{}>", *given) : "-";
  }
  static std::string value(const std::optional<ByteRange>& range) {
    return range ? fmt::format("[{},{})", range->begin, range->end) : "-";
  }
  static std::string usage(const Usage& usage) {
    return value(usage.input) + value(usage.cached_input) + value(usage.output);
  }
  template <typename T>
  static std::string list(const std::vector<T>& values) {
    std::string out = "{";
    for (const T& one : values) out += fmt::format("<{}>", one);
    return out + "}";
  }
  template <typename... Parts>
  void add(std::string_view what, const Parts&... parts) {
    text_ += what;
    ((text_ += fmt::format(" | {}", parts)), ...);
    text_ += '\n';
  }

  void head() {
    const Episode& e = episode_;
    add("episode", e.id, e.task_id, e.configuration, e.run, e.store, name(e.visibility), name(e.delivery_grade),
        value(e.position), e.repo, e.domain, e.group, e.tier, e.model, e.seed, e.condition, e.task_text,
        value(e.end_reason));
    for (const Tag& tag : e.tags) add("tag", tag.key, tag.value);
    if (e.probe) {
      add("probe", value(e.probe->dependent), list(e.probe->gold), list(e.probe->stale), value(e.probe->pre_satisfied),
          value(e.probe->memory_had_fact), value(e.probe->memory_utilized));
      if (e.probe->corruption) add("corruption", e.probe->corruption->mode, value(e.probe->corruption->rate));
    }
    if (e.outcome) add("outcome", value(e.outcome->resolved), value(e.outcome->reward), e.outcome->source);
    if (e.totals) {
      const Usage& usage = e.totals->usage;
      add("totals", value(e.totals->calls), value(usage.input), value(usage.cached_input), value(usage.output),
          value(e.totals->cost_usd), value(e.totals->seconds));
    }
    if (e.reference) add("reference", e.reference->kind, e.reference->text);
  }

  void message(std::size_t index) {
    const Message& m = episode_.messages[index];
    add("message", m.id, name(m.role), name(m.origin), m.transient, m.first_step, m.end_step, m.of_step);
    for (const TextVersion& version : m.versions) add("version", version.from_step, episode_.texts[version.text]);
  }

  void step(std::size_t index) {
    const Step& s = episode_.steps[index];
    add("step", value(s.response_message), s.response, s.reasoning, usage(s.usage), value(s.cost_usd), s.time, s.model,
        s.persist);
    for (const Action& action : s.actions) add("action", action.id, action.name, action.arguments);
    for (const Result& result : s.results) add("result", result.id, result.action, result.message);
  }

  void delivery(const Delivery& d) {
    add("delivery", d.id, name(d.route), d.form, d.consuming_step, value(d.message), value(d.range), d.search,
        value(d.tokens), episode_.placed_text(d));
    for (const Entry& entry : d.entries) {
      add("entry", value(entry.item), value(entry.version), entry.text, list(entry.identifiers), value(entry.range));
    }
  }

  void search(const Search& s) {
    add("search", s.id, s.query, value(s.matched), s.completed, s.step);
    for (const SearchHit& hit : s.returned) add("hit", hit.item, value(hit.version), value(hit.score));
  }

  void memory(const MemoryOperation& m) {
    add("memory", name(m.op), m.item, value(m.version), value(m.text), list(m.from), m.operation, list(m.steps), m.at,
        m.after_step);
  }

  /// The sequence in which things stand on the line clock.
  void clock() {
    std::vector<std::tuple<std::uint32_t, std::string, std::size_t>> events;
    for (std::size_t i = 0; i < episode_.messages.size(); ++i) {
      for (const TextVersion& version : episode_.messages[i].versions) events.emplace_back(version.order, "text of", i);
    }
    const auto all = [&](const auto& records, const char* kind) {
      for (std::size_t i = 0; i < records.size(); ++i) events.emplace_back(records[i].order, kind, i);
    };
    all(episode_.messages, "message");
    all(episode_.steps, "step");
    all(episode_.deliveries, "delivery");
    all(episode_.searches, "search");
    all(episode_.memory_operations, "memory");
    all(episode_.side_calls, "side call");
    std::sort(events.begin(), events.end());
    std::uint32_t before = 0;
    std::size_t rank = 0;
    for (const auto& [order, kind, index] : events) {
      if (order != before) ++rank;
      before = order;
      add("clock", rank, kind, index);
    }
  }

  const Episode& episode_;
  std::string text_;
};

inline std::string episode_text(const Episode& episode) {
  return EpisodeText(episode).text();
}

/// The first line in which two episodes differ, with both versions; empty when they are equal.
inline std::string first_difference(const Episode& a, const Episode& b) {
  std::istringstream left(episode_text(a));
  std::istringstream right(episode_text(b));
  std::string left_line;
  std::string right_line;
  while (true) {
    const bool more_left = static_cast<bool>(std::getline(left, left_line));
    const bool more_right = static_cast<bool>(std::getline(right, right_line));
    if (!more_left && !more_right) return {};
    if (more_left != more_right || left_line != right_line) {
      return fmt::format("{}\n  against\n{}", more_left ? left_line : "(end)", more_right ? right_line : "(end)");
    }
  }
}

}  // namespace memuse::test
