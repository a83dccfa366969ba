#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/canonical_trace.h"
#include "judge/checks.h"
#include "judge/tracer.h"
#include "spans/spans.h"

namespace memuse::test {

using Json = nlohmann::ordered_json;

/// Writes the trace of one small episode, line by line.
class EpisodeText {
 public:
  explicit EpisodeText(std::string_view task, Json more = Json::object()) {
    Json line = {{"type", "episode"},       {"schema", "memuse-trace/1"}, {"episode", "e"},
                 {"task_id", "t"},          {"configuration", "c"},       {"run", "r"},
                 {"task", {{"text", task}}}};
    line.update(more);
    add(line);
  }
  /// A host delivery with one entry per (item, text); the item is the identifier too.
  EpisodeText& notes(const std::vector<std::pair<std::string, std::string>>& notes, bool transient = false) {
    std::string text;
    Json entries = Json::array();
    for (const auto& [item, note] : notes) {
      const std::size_t begin = text.size();
      text += note + "\n";
      entries.push_back(
          {{"item", item}, {"text", note}, {"identifiers", {item}}, {"range", {begin, begin + note.size()}}});
    }
    const std::string id = "n" + std::to_string(++deliveries_);
    add({{"type", "message"},
         {"id", id},
         {"role", "user"},
         {"origin", "memory"},
         {"text", text},
         {"transient", transient}});
    return add({{"type", "delivery"},
                {"id", "d" + std::to_string(deliveries_)},
                {"route", "host"},
                {"form", "notes"},
                {"message", id},
                {"entries", entries}});
  }
  /// A step with one shell command.
  EpisodeText& step(std::string_view says, std::string_view command, std::string_view result = "ok") {
    return tool_step(says, "bash", {{"command", command}}, result);
  }
  EpisodeText& tool_step(std::string_view says, std::string_view tool, const Json& arguments, std::string_view result) {
    const std::string k = std::to_string(++steps_);
    return add({{"type", "step"},
                {"step", steps_},
                {"id", "s" + k},
                {"response", says},
                {"actions", {{{"id", "a" + k}, {"name", tool}, {"arguments", arguments}}}},
                {"results", {{{"id", "o" + k}, {"action", "a" + k}, {"text", result}}}}});
  }
  /// A step whose result is one entry of the memory.
  EpisodeText& open_step(std::string_view says, std::string_view command, std::string_view item,
                         std::string_view text) {
    step(says, command, text);
    return add({{"type", "delivery"},
                {"id", "d" + std::to_string(++deliveries_)},
                {"route", "agent"},
                {"form", "card"},
                {"message", "o" + std::to_string(steps_)},
                {"entries", {{{"item", item}, {"text", text}, {"identifiers", {item}}}}}});
  }
  EpisodeText& add(const Json& line) {
    text_ += line.dump() + "\n";
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  int steps_ = 0;
  int deliveries_ = 0;
};

/// An episode with its spans and the answers of the offline judge, all of which must pass the checks.
struct Judged {
  explicit Judged(const EpisodeText& text) : Judged(text.text()) {}
  explicit Judged(const std::string& trace) {
    std::vector<Episode> episodes = ingest::read_canonical_trace(trace, {});
    REQUIRE(episodes.size() == 1);
    episode = std::move(episodes.front());
    spans = spans::compute_spans(episode);
    const judge::Tracer tracer(episode, spans);
    for (const Span& span : spans.spans) {
      answers.push_back(tracer.judge(span));
      const std::vector<std::string> faults =
          judge::answer_faults(episode, span, answers.back(), judge::tracer_checks());
      for (const std::string& fault : faults) FAIL_CHECK("S" << span.number << " " << fault);
    }
  }
  /// The answer for an entry of a span (1-based).
  [[nodiscard]] const EntryAnswer& of(std::size_t span, std::size_t entry = 0) const {
    return answers.at(span - 1).entries.at(entry);
  }

  Episode episode;
  EpisodeSpans spans;
  std::vector<Answer> answers;
};

/// The answer for a note that a host placed before step 1, when one command follows.
inline EntryAnswer judge_note(std::string_view note, std::string_view command, std::string_view says = "I go on.",
                              std::string_view task = "Put the service in order.") {
  EpisodeText text(task);
  text.notes({{"M-100", std::string(note)}}).step(says, command);
  return Judged(text).of(1);
}

}  // namespace memuse::test
