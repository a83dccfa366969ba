#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attribution/collector.h"
#include "model/records.h"

// A small invented study whose tables are worked out by hand in the tests.
//
// resolved   t1     t2     t3     t5     t6
// base  r1   yes    no     no     yes    -
//       r2   yes    yes    no     ?      -
// cards r1   yes    yes    no     -      yes
//       r2   yes    yes    yes    -      yes
// notes r1   yes    no     ?      -      -
//       r2   no     yes    no     -      -

namespace memuse::test {

inline const Labels kImprovedEntry{true, Accuracy::corroborated, Novelty::novel, Influence::acted_on, Effect::improved};
inline const Labels kHarmedEntry{true, Accuracy::contradicted, Novelty::novel, Influence::acted_on, Effect::harmed};
inline const Labels kNoEffectEntry{true, Accuracy::uncontradicted, Novelty::novel, Influence::acted_on,
                                   Effect::no_effect};
inline const Labels kOpenEffectEntry{true, Accuracy::uncontradicted, Novelty::novel, Influence::acted_on, {}};
inline const Labels kUnusedNovelEntry{true, Accuracy::uncontradicted, Novelty::novel, Influence::none, {}};
inline const Labels kUnusedKnownEntry{true, Accuracy::uncontradicted, Novelty::redundant, Influence::none, {}};
inline const Labels kReferencedEntry{true, Accuracy::uncontradicted, Novelty::confirming, Influence::referenced, {}};
inline const Labels kForeignOpenEntry{false, Accuracy::uncontradicted, {}, {}, {}};

struct TestEntry {
  std::optional<Labels> labels;  ///< nothing: an empty window
  std::vector<std::uint32_t> anchors = {};
};

inline EpisodeSpansRecord attempt(std::string configuration, std::string run, std::string task,
                                  std::optional<bool> resolved, std::optional<double> agent_cost,
                                  double side_cost = 0.0) {
  EpisodeSpansRecord record;
  record.episode.uid = configuration + run + task;
  record.episode.configuration = std::move(configuration);
  record.episode.run = std::move(run);
  record.episode.episode = task;
  record.episode.task_id = std::move(task);
  record.episode.store = "default";
  record.episode.resolved = resolved;
  record.episode.has_probe = true;
  record.episode.agent.calls = 1;
  record.episode.agent.cost_usd = agent_cost.value_or(0.0);
  record.episode.agent.calls_without_cost = agent_cost ? 0 : 1;
  if (side_cost > 0.0) {
    record.episode.side.calls = 1;
    record.episode.side.cost_usd = side_cost;
  }
  return record;
}

/// Adds a judged span with as many deliveries of `tokens` tokens each as asked for.
inline void add_judged_span(EpisodeSpansRecord& record, const std::string& route, const std::string& form,
                            std::uint64_t tokens, std::uint32_t first_step, const std::vector<TestEntry>& entries,
                            std::size_t deliveries = 1) {
  SpanRecord span;
  span.number = static_cast<std::uint32_t>(record.spans.size() + 1);
  span.first_step = first_step;
  span.last_step = first_step + 10;
  span.status = SpanStatus::judged;
  for (std::size_t i = 0; i < deliveries; ++i) {
    DeliveryRecord delivery;
    delivery.route = route;
    delivery.form = form;
    delivery.placed_bytes = 4 * tokens;
    delivery.estimated_tokens = tokens;
    delivery.restatement = i > 0;
    span.deliveries.push_back(delivery);
  }
  for (const TestEntry& given : entries) {
    EntryRecord entry;
    entry.entry = static_cast<std::uint32_t>(span.entries.size());
    if (given.labels) {
      entry.window = Window{first_step, first_step + 10};
      entry.answer = EntryAnswer{};
      entry.answer->labels = *given.labels;
      entry.answer->anchors = given.anchors;
    }
    span.entries.push_back(entry);
  }
  record.spans.push_back(span);
}

inline std::vector<EpisodeSpansRecord> small_study_records() {
  std::vector<EpisodeSpansRecord> records;
  const auto put = [&records](EpisodeSpansRecord record) -> EpisodeSpansRecord& {
    records.push_back(std::move(record));
    return records.back();
  };
  put(attempt("base", "r1", "t1", true, 0.10));
  put(attempt("base", "r1", "t2", false, 0.10));
  put(attempt("base", "r1", "t3", false, 0.10));
  put(attempt("base", "r1", "t5", true, 0.10));
  put(attempt("base", "r2", "t1", true, 0.10));
  put(attempt("base", "r2", "t2", true, 0.10));
  put(attempt("base", "r2", "t3", false, 0.10));
  put(attempt("base", "r2", "t5", {}, 0.10));

  add_judged_span(put(attempt("cards", "r1", "t1", true, 0.10, 0.05)), "agent", "preview", 10, 2,
                  {{kImprovedEntry, {4, 6}}, {kUnusedNovelEntry}});
  add_judged_span(put(attempt("cards", "r1", "t2", true, 0.10, 0.05)), "agent", "full card", 30, 3,
                  {{kHarmedEntry, {3}}});
  add_judged_span(put(attempt("cards", "r1", "t3", false, 0.10, 0.05)), "host", "pinned", 40, 1,
                  {{kNoEffectEntry, {9}}, {kUnusedKnownEntry}}, 2);
  put(attempt("cards", "r1", "t6", true, 0.10, 0.05));
  add_judged_span(put(attempt("cards", "r2", "t1", true, 0.10, 0.05)), "agent", "full card", 30, 1,
                  {{kOpenEffectEntry, {3}}});
  put(attempt("cards", "r2", "t2", true, 0.10, 0.05));
  add_judged_span(put(attempt("cards", "r2", "t3", true, 0.10, 0.05)), "agent", "preview", 10, 2,
                  {{kImprovedEntry, {5}}, {kForeignOpenEntry}, {{}}});
  put(attempt("cards", "r2", "t6", true, 0.10, 0.05));

  put(attempt("notes", "r1", "t1", true, 0.20));
  put(attempt("notes", "r1", "t2", false, 0.20));
  put(attempt("notes", "r1", "t3", {}, {}));
  put(attempt("notes", "r2", "t1", false, 0.20));
  add_judged_span(put(attempt("notes", "r2", "t2", true, 0.20)), "host", "pinned", 100, 1, {{kReferencedEntry, {2}}});
  put(attempt("notes", "r2", "t3", false, 0.20));
  return records;
}

inline attribution::StudyFacts study_of(const std::vector<EpisodeSpansRecord>& records,
                                        rules::AssessedSignals assessed = {}, const std::string& baseline = "base") {
  attribution::Collector collector;
  for (const EpisodeSpansRecord& record : records) collector.add(record);
  return collector.finish(assessed, baseline);
}

inline attribution::StudyFacts small_study(rules::AssessedSignals assessed = {}, const std::string& baseline = "base") {
  return study_of(small_study_records(), assessed, baseline);
}

}  // namespace memuse::test
