#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "../support/data.h"
#include "../support/scripted_judge.h"
#include "agentic_judge/prompts.h"
#include "agentic_judge/span_judge.h"
#include "evidence/evidence_set.h"
#include "ingest/canonical_trace.h"
#include "judge/answer_format.h"
#include "model/text.h"
#include "spans/spans.h"

// A judge that answers what an annotator wrote, through the real loop, and reads only what the rules demand of these
// labels.

namespace memuse::agentic_judge {
namespace {

using Json = nlohmann::ordered_json;
using SpanKey = std::tuple<std::string, std::string, std::string, std::string>;

/// The answers of a label file by span.
std::map<SpanKey, Json> labelled_answers(const std::filesystem::path& file) {
  std::map<SpanKey, Json> answers;
  std::istringstream lines(test::read_file(file));
  for (std::string line; std::getline(lines, line);) {
    Json row = Json::parse(line);
    const SpanKey key{row["configuration"], row["run"], row["episode"], row["span"]};
    for (const char* field : {"configuration", "run", "episode", "span", "item"}) row.erase(field);
    answers[key]["entries"].push_back(row);
  }
  return answers;
}

/// The labels cite "step 0" for what is task or memory text, and a step for memory that came with its result: such
/// quotes are given the file of the span where they stand. The annotators were told the outcome in a line that is not
/// the trace's; here it stands in the file `outcome`.
void settle_places(const evidence::EvidenceSet& evidence, Json& answer) {
  const auto stands_in = [&](std::string_view file, const std::string& quote) {
    const auto text = evidence.text(file);
    return text && normalise_text(*text).find(normalise_text(quote)) != std::string::npos;
  };
  for (Json& entry : answer["entries"]) {
    for (Json& piece : entry["evidence"]) {
      const std::string quote = piece["quote"].get<std::string>();
      if (quote == "Recorded outcome (corroborates only): resolved=True") {
        piece = {{"file", "outcome"}, {"quote", "resolved: true"}};
        continue;
      }
      const auto step = piece["step"].get<std::uint32_t>();
      if (step > 0 && stands_in(evidence::step_file(step), quote)) continue;
      for (const char* file : {"task", "target", "deliveries", "earlier_copies"}) {
        if (!stands_in(file, quote)) continue;
        piece.erase("step");
        piece["file"] = file;
        break;
      }
    }
  }
}

/// Labels of one span as text, for comparison.
std::string labels_of(const Json& answer) {
  std::map<std::uint32_t, std::string> by_entry;
  for (const Json& entry : answer["entries"]) {
    std::string& labels = by_entry[entry["entry"].get<std::uint32_t>()];
    for (const char* field : {"relevance", "accuracy", "novelty", "influence", "anchors", "effect"}) {
      labels += entry[field].dump() + " ";
    }
  }
  std::string all;
  for (const auto& [entry, labels] : by_entry) all += std::to_string(entry) + ": " + labels + "\n";
  return all;
}

}  // namespace

TEST_CASE("a judge that answers from recorded labels through the loop reproduces them") {
  MEMUSE_NEEDS_SHARED_DATA();
  const std::filesystem::path folder = test::shared_data() / "recorded-runs";
  if (!std::filesystem::exists(folder / "labels")) {
    WARN("skipped: no recorded runs");
    return;
  }
  for (const char* annotator : {"annotator-1.jsonl", "annotator-2.jsonl"}) {
    const std::map<SpanKey, Json> labels = labelled_answers(folder / "labels" / annotator);
    std::size_t judged = 0;
    std::size_t accepted = 0;
    std::size_t entries = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder / "traces")) {
      for (const Episode& episode : ingest::read_canonical_trace(test::read_file(file.path()), {})) {
        const EpisodeSpans spans = spans::compute_spans(episode);
        for (const Span& span : spans.spans) {
          if (span.routing != Routing::judged) continue;
          const SpanKey key{std::string(episode.configuration), std::string(episode.run), std::string(episode.id),
                            "S" + std::to_string(span.number)};
          REQUIRE(labels.contains(key));
          const evidence::EvidenceSet evidence(episode, spans, span, {.outcome = true});
          Json answer = labels.at(key);
          settle_places(evidence, answer);
          test::ScriptedModel model([&](const test::JudgeConversation& conversation) {
            return test::reading_move(conversation, {}, answer);
          });
          const SpanJudgement result = judge_span(evidence, model, "0123abcd", shipped_prompts(), {});
          ++judged;
          entries += span.entries.size();
          INFO(std::get<0>(key) << " " << std::get<1>(key) << " " << std::get<2>(key) << " " << std::get<3>(key));
          INFO((result.reasons.empty() ? "" : result.reasons[0]));
          CHECK(result.outcome == SpanOutcome::accepted);
          if (result.outcome != SpanOutcome::accepted) continue;
          ++accepted;
          CHECK(labels_of(judge::answer_to_json(result.answer)) == labels_of(answer));
        }
      }
    }
    CHECK(judged == labels.size());
    CHECK(judged == 69);
    CHECK(accepted == 69);
    CHECK(entries >= 134);
  }
}

}  // namespace memuse::agentic_judge
