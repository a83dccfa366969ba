#include "workflow/span_sample.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>

#include "support/data.h"
#include "support/temporary_folder.h"
#include "workflow/ingest_job.h"

using namespace memuse;
using namespace memuse::workflow;

namespace {

/// Strata by form, each of so many spans, two of every episode.
SampleFrame frame_of(const std::map<std::string, std::uint32_t>& strata, bool backwards = false) {
  struct Place {
    std::string uid, form;
    std::uint32_t span;
  };
  std::vector<Place> places;
  for (const auto& [form, spans] : strata) {
    for (std::uint32_t i = 0; i < spans; ++i) places.push_back({form + std::to_string(1000 + i / 2), form, 1 + i % 2});
  }
  if (backwards) std::reverse(places.begin(), places.end());
  SampleFrame frame;
  for (const Place& place : places) frame.add(place.uid, place.span, "cards", "r1", place.form);
  return frame;
}

std::map<std::string, std::uint64_t> draws(const SpanSample& sample) {
  std::map<std::string, std::uint64_t> counts;
  for (const SampledSpan& span : sample.spans) ++counts[span.stratum];
  return counts;
}

std::string form(const std::string& name) {
  return stratum_name("cards", "r1", name);
}

double weights(const SpanSample& sample) {
  return std::accumulate(sample.spans.begin(), sample.spans.end(), 0.0,
                         [](double sum, const SampledSpan& span) { return sum + span.weight; });
}

using Places = std::set<std::pair<std::string, std::uint32_t>>;
Places places(const SpanSample& sample) {
  Places found;
  for (const SampledSpan& span : sample.spans) found.emplace(span.uid, span.span);
  return found;
}

}  // namespace

TEST_CASE("draws are allocated in proportion by largest remainder, at least one to each stratum") {
  // Worked by hand. 10 of 100: quotas 6.0, 3.1 and 0.9; c gets its one, then 9 of 91 are divided: 5.93 and 3.07.
  const SampleFrame frame = frame_of({{"a", 60}, {"b", 31}, {"c", 9}});
  using Counts = std::map<std::string, std::uint64_t>;
  CHECK(draws(draw_sample(frame, 10, 1)) == Counts{{form("a"), 6}, {form("b"), 3}, {form("c"), 1}});
  // 20 of 100: quotas 12.0, 6.2, 1.8: the remainder of c is largest.
  CHECK(draws(draw_sample(frame, 20, 1)) == Counts{{form("a"), 12}, {form("b"), 6}, {form("c"), 2}});
  CHECK(draws(draw_sample(frame, 3, 1)) == Counts{{form("a"), 1}, {form("b"), 1}, {form("c"), 1}});
  // Equal remainders: the name that comes first.
  CHECK(draws(draw_sample(frame_of({{"a", 5}, {"b", 5}}), 3, 1)) == Counts{{form("a"), 2}, {form("b"), 1}});
}

TEST_CASE("a sample smaller than the number of strata takes the largest strata and says what it leaves out") {
  const SpanSample sample = draw_sample(frame_of({{"a", 10}, {"b", 31}, {"c", 9}, {"d", 31}}), 2, 5);
  CHECK(draws(sample) == std::map<std::string, std::uint64_t>{{form("b"), 1}, {form("d"), 1}});
  CHECK(sample.strata_left_out == 2);
  CHECK(sample.spans_left_out == 19);
  CHECK(weights(sample) == Approx(62));
  CHECK_THAT(sample_note(sample), Catch::Matchers::Contains("2 strata with 19 spans") &&
                                      Catch::Matchers::Contains("the other 62 spans") &&
                                      Catch::Matchers::Contains("at least 4"));
  CHECK(sample_note(draw_sample(frame_of({{"a", 10}}), 1, 5)).empty());
  CHECK(draw_sample(frame_of({{"a", 10}}), 0, 5).spans.empty());
  CHECK(draw_sample(SampleFrame(), 5, 5).spans.empty());
}

TEST_CASE("a sample has its size, no span twice, and weights that add up to the population") {
  const SampleFrame frame = frame_of({{"a", 97}, {"b", 1}, {"c", 2}, {"d", 40}, {"e", 1}, {"f", 13}});
  for (std::uint64_t size = 6; size <= 160; ++size) {
    const SpanSample sample = draw_sample(frame, size, size * 7);
    CAPTURE(size);
    CHECK(sample.spans.size() == std::min<std::uint64_t>(size, 154));
    CHECK(places(sample).size() == sample.spans.size());
    CHECK(draws(sample).size() == 6);
    CHECK(weights(sample) == Approx(154));
    CHECK(sample.facts == JudgementSetRecord::Sample{size, size * 7, 154});
  }
}

TEST_CASE("which spans are drawn depends on seed and stratum alone") {
  const std::map<std::string, std::uint32_t> strata{{"a", 60}, {"b", 31}, {"c", 9}};
  const Places drawn = places(draw_sample(frame_of(strata), 20, 3));
  CHECK(places(draw_sample(frame_of(strata, true), 20, 3)) == drawn);
  CHECK(places(draw_sample(frame_of(strata), 20, 4)) != drawn);
  // Twelve of 60 in stratum a both times: another stratum's size does not matter to it.
  Places of_a;
  for (const auto& place : drawn) {
    if (place.first[0] == 'a') of_a.insert(place);
  }
  Places of_a_alone = places(draw_sample(frame_of({{"a", 60}}), 12, 3));
  CHECK(of_a_alone == of_a);
  // A larger draw contains a smaller one.
  const Places more = places(draw_sample(frame_of({{"a", 60}}), 20, 3));
  CHECK(std::includes(more.begin(), more.end(), of_a.begin(), of_a.end()));
}

TEST_CASE("every span of a stratum is drawn about equally often") {
  const SampleFrame frame = frame_of({{"a", 10}});
  std::map<std::pair<std::string, std::uint32_t>, int> times;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const auto& place : places(draw_sample(frame, 3, seed))) ++times[place];
  }
  REQUIRE(times.size() == 10);
  // 600 expected, standard deviation 20.5; five of them.
  for (const auto& [place, count] : times) CHECK(std::abs(count - 600) < 103);
}

TEST_CASE("names of strata do not run into each other") {
  CHECK(stratum_name("a", "b", "full card") == R"(["a","b","full card"])");
  CHECK(stratum_name("a/b", "c", "d") != stratum_name("a", "b/c", "d"));
  CHECK(stratum_name("a\",\"b", "c", "d") != stratum_name("a", "b\",\"c", "d"));
  CHECK_NOTHROW(stratum_name("\xff", "", ""));
}

TEST_CASE("the spans of a study to draw from") {
  const test::TemporaryFolder folder;
  IngestOptions options;
  options.traces = {std::string(MEMUSE_SOURCE_DIR) + "/examples/traces"};
  options.database = folder / "study.db";
  NoProgress progress;
  ingest_traces(options, progress);
  const SampleFrame frame = sample_frame(store::Database::open_existing(options.database));
  std::string sizes;
  for (const auto& [name, candidates] : frame.strata()) sizes += name + " " + std::to_string(candidates.size()) + "\n";
  CHECK(sizes ==
        "[\"cards\",\"r1\",\"full card\"] 1\n"
        "[\"cards\",\"r1\",\"search preview\"] 4\n"
        "[\"cards\",\"r1\",\"task recall\"] 1\n"
        "[\"cards\",\"r2\",\"full card\"] 2\n"
        "[\"cards\",\"r2\",\"search preview\"] 3\n"
        "[\"cards\",\"r2\",\"task recall\"] 1\n"
        "[\"notes-pinned\",\"r1\",\"pinned notes\"] 6\n"
        "[\"notes-pinned\",\"r2\",\"pinned notes\"] 7\n");
  CHECK(frame.population() == 25);
}
