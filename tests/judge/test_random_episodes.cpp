#include <filesystem>
#include <random>

#include "../support/data.h"
#include "episodes.h"

using namespace memuse;
using namespace memuse::test;

namespace {

/// Text from a few words and values, so that chance makes repetitions, echoes and mentions of all kinds.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> pieces = {"QX9-4471",
                                                  "limit is 38",
                                                  "pump_limit=38",
                                                  "`drain --slow`",
                                                  "M-1",
                                                  "M-2/3",
                                                  "not",
                                                  "the notes",
                                                  "conf/pumps.toml",
                                                  "cat",
                                                  "open",
                                                  "grep",
                                                  "RESERVE",
                                                  "4 March 2031",
                                                  "2031-03-04",
                                                  "7,350",
                                                  "7350",
                                                  "t[min(t)[0]]",
                                                  "\n",
                                                  ";",
                                                  "é",
                                                  "25 seconds",
                                                  "grace_ms=25000",
                                                  "so",
                                                  "but",
                                                  "\"fill = slow\"",
                                                  "<<E\n",
                                                  "E",
                                                  "M-3",
                                                  "\\n",
                                                  "…",
                                                  "{",
                                                  "}"};
  std::string text;
  const std::size_t length = 1 + random() % 14;
  for (std::size_t i = 0; i < length; ++i) text += pieces[random() % pieces.size()] + " ";
  return text;
}

EpisodeText random_episode(std::mt19937& random) {
  EpisodeText text(random_text(random), {{"outcome", {{"resolved", random() % 2 == 0}}},
                                         {"probe", {{"gold", {"QX9-4471"}}, {"stale", {"7350"}}}}});
  const std::size_t steps = 1 + random() % 8;
  for (std::size_t k = 0; k < steps; ++k) {
    if (random() % 2 == 0) {
      std::vector<std::pair<std::string, std::string>> notes;
      for (std::size_t i = 0; i <= random() % 3; ++i) {
        notes.emplace_back("M-" + std::to_string(1 + random() % 4), random_text(random));
      }
      text.notes(notes, random() % 3 == 0);
    }
    const std::string item = "M-" + std::to_string(1 + random() % 4);
    if (random() % 3 == 0) {
      text.open_step(random_text(random), "mem open " + item, item, random_text(random));
    } else {
      text.step(random_text(random), random_text(random), random_text(random));
    }
  }
  return text;
}

}  // namespace

TEST_CASE("every answer on random episodes passes the checks and is the same again") {
  std::mt19937 random(11);
  std::map<std::optional<Influence>, int> seen;
  for (int round = 0; round < 600; ++round) {
    const EpisodeText text = random_episode(random);
    const Judged judged(text);
    const Judged again(text);
    CHECK(judged.answers == again.answers);
    for (std::size_t s = 0; s < judged.answers.size(); ++s) {
      std::size_t windows = 0;
      for (const SpanEntry& entry : judged.spans.spans[s].entries)
        if (entry.window) ++windows;
      CHECK(judged.answers[s].entries.size() == windows);
      for (const EntryAnswer& entry : judged.answers[s].entries) {
        ++seen[entry.labels.influence];
        for (const Evidence& evidence : entry.evidence) {
          CHECK(evidence.quote.find(evidence.value) != std::string::npos);
        }
      }
    }
  }
  for (const Influence influence : {Influence::none, Influence::referenced, Influence::selected, Influence::acted_on}) {
    CHECK(seen[influence] > 0);
  }
}

TEST_CASE("every answer on recorded and random traces passes the checks") {
  MEMUSE_NEEDS_SHARED_DATA();
  std::size_t judged_spans = 0;
  for (const std::string folder : {"recorded-runs/traces", "spans-worked", "spans-random"}) {
    for (const auto& file : std::filesystem::directory_iterator(shared_data() / folder)) {
      if (file.path().extension() != ".jsonl" || file.path().filename().string().starts_with("expected")) continue;
      for (const Episode& episode : ingest::read_canonical_trace(read_file(file.path()), {})) {
        const EpisodeSpans spans = spans::compute_spans(episode);
        const judge::Tracer tracer(episode, spans);
        for (const Span& span : spans.spans) {
          const auto faults = judge::answer_faults(episode, span, tracer.judge(span), judge::tracer_checks());
          for (const std::string& fault : faults) FAIL_CHECK(file.path() << " " << episode.id << " " << fault);
          if (span.routing == Routing::judged) ++judged_spans;
        }
      }
    }
  }
  CHECK(judged_spans > 0);
}
