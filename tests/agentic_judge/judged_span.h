#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/episode_builder.h"
#include "../support/scripted_judge.h"
#include "agentic_judge/prompts.h"
#include "agentic_judge/span_judge.h"
#include "evidence/evidence_set.h"
#include "spans/spans.h"

namespace memuse::test {

/// An episode with its spans and the evidence of one of them; stays where it was made.
class JudgedSpan {
 public:
  JudgedSpan(Episode episode, std::uint32_t number, evidence::EvidenceOptions options = {})
      : episode_(std::move(episode)),
        spans_(spans::compute_spans(episode_)),
        evidence_(episode_, spans_, spans_.spans.at(number - 1), options) {}
  JudgedSpan(const JudgedSpan&) = delete;
  JudgedSpan& operator=(const JudgedSpan&) = delete;

  [[nodiscard]] const evidence::EvidenceSet& evidence() const { return evidence_; }
  [[nodiscard]] std::uint64_t size_of(std::string_view file) const {
    const auto text = evidence_.text(file);
    REQUIRE(text);
    return text->size();
  }

  agentic_judge::SpanJudgement judge(ScriptedModel& model, const agentic_judge::SpanJudgeOptions& options = {}) const {
    return agentic_judge::judge_span(evidence_, model, "0123abcd", agentic_judge::shipped_prompts(), options);
  }

 private:
  Episode episode_;
  EpisodeSpans spans_;
  evidence::EvidenceSet evidence_;
};

/// Seven steps. A note of the crew is in view from step 2 on (S1). Two notes on the relay (S2) are delivered for step 3
/// and dropped after step 5; step 4 carries both. `said` stands in the result of step 1, `remembered` in the note.
inline Episode relay_episode(std::string_view said = "", std::string_view remembered = "") {
  const std::string port = "The relay listens on port 7443 since the move." + std::string(remembered);
  const std::string restart = "Restart it softly: relayctl kick --soft.";
  EpisodeBuilder builder("relay");
  builder.episode().task_text = builder.keep("Bring the relay of hall B back to life.");
  builder.episode().reference = Reference{"patch", builder.keep("listen = 7443 in relay.conf, then a soft restart")};
  builder.message("sys", "You look after relays and change nothing without need.",
                  {.role = Role::system, .origin = Origin::system});
  builder.message("task", "Bring the relay of hall B back to life.", {.role = Role::user, .origin = Origin::task});
  builder.step({.response = "I look at the queue first.",
                .results = {{"t1", "queue of hall B: 14 waiting, none delivered. " + std::string(said)}},
                .actions = {{"shell", R"({"command": "queue --list"})"}}});
  builder.message("crew", "Note of the crew: the pump room is closed on Mondays.");
  builder.delivery({.id = "d1",
                    .message = "crew",
                    .entries = {{.item = "n9", .text = "the pump room is closed on Mondays", .identifiers = {"n9"}}}});
  builder.step({.response = "The relay does not answer on 7000; I do not know why.",
                .results = {{"t2", "connection refused: 7000"}},
                .actions = {{"shell", R"({"command": "ping-relay 7000"})"}}});
  builder.message("notes", "Notes:\n" + port + "\n" + restart);
  builder.delivery({.id = "d2",
                    .message = "notes",
                    .entries = {{.item = "n1", .text = port, .identifiers = {"n1"}},
                                {.item = "n2", .text = restart, .identifiers = {"n2"}}}});
  builder.step({.response = "I read relay.conf.",
                .results = {{"t3", "listen = 7000"}},
                .actions = {{"shell", R"({"command": "cat relay.conf"})"}}});
  builder.step({.response = "Note n1 says port 7443, so I set it and restart softly.",
                .results = {{"t4", "relay restarted, listening on 7443"}},
                .actions = {{"shell", R"({"command": "sed -i s/7000/7443/ relay.conf && relayctl kick --soft"})"}}});
  builder.step({.response = "I wait for the queue.", .results = {{"t5", "queue: 3 waiting"}}});
  builder.drop("notes");
  builder.step({.response = "I look again.", .results = {{"t6", "queue of hall B is empty, 14 delivered"}}});
  builder.step({.response = "Done: the relay works again."});
  return builder.build();
}

/// The answer that the record of `relay_episode` supports.
inline nlohmann::ordered_json relay_answer() {
  return nlohmann::ordered_json::parse(R"({"entries": [
    {"entry": 0, "reason": "Nothing before holds the port; step 4 writes it and names n1; the queue empties.",
     "evidence": [{"file": "target", "quote": "The relay listens on port 7443", "supports": "novelty"},
                  {"step": 4, "quote": "sed -i s/7000/7443/ relay.conf", "supports": "influence"},
                  {"step": 6, "quote": "queue of hall B is empty", "supports": "effect"}],
     "relevance": true, "accuracy": "corroborated", "novelty": "novel", "influence": "acted_on", "anchors": [4],
     "effect": "improved"},
    {"entry": 1, "reason": "The soft restart stands nowhere before; step 4 runs it.",
     "evidence": [{"step": 4, "quote": "relayctl kick --soft", "supports": "influence"}],
     "relevance": true, "accuracy": "corroborated", "novelty": "novel", "influence": "acted_on", "anchors": [4],
     "effect": "improved"}]})");
}

inline bool any_holds(const std::vector<std::string>& texts, std::string_view words) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

/// Texts of all tool results (or messages) in the last request.
inline std::vector<std::string> texts_sent(const ScriptedModel& model) {
  std::vector<std::string> texts;
  for (const chat::ChatMessage& message : model.requests.back().messages) texts.push_back(message.text);
  return texts;
}

}  // namespace memuse::test
