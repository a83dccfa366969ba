// How fast are the parts of an ingest? Throughput is in bytes of the trace, so that the figures can be compared.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <cstring>
#include <string>

#include "ingest/canonical_trace.h"
#include "ingest/line_reader.h"
#include "judge/tracer.h"
#include "spans/spans.h"
#include "store/prepared_episode.h"

namespace {

using namespace memuse;

/// An episode of `steps` steps with a transient memory block at each, outputs of about `output_bytes` bytes.
std::string made_up_episode(int steps, std::size_t output_bytes) {
  std::string trace =
      R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r","task":{"text":"Fix the parser"}})"
      "\n"
      R"({"type":"message","id":"t","role":"user","origin":"task","text":"Fix the parser"})"
      "\n";
  std::string output;
  for (std::size_t i = 0; output.size() < output_bytes; ++i)
    output += fmt::format("src/parser.py:{}: token = next(self)\\n", i);
  for (int k = 1; k <= steps; ++k) {
    const int block = k / 10;
    trace += fmt::format(
        R"({{"type":"message","id":"m{0}","role":"user","origin":"memory","transient":true,"text":"Note {1}: the limit of parser {1} is {2}.\nNote 7: run tests with -x."}})"
        "\n"
        R"({{"type":"delivery","id":"d{0}","route":"host","form":"recall","message":"m{0}","entries":[{{"item":"N-{1}","version":"1","text":"Note {1}: the limit of parser {1} is {2}.","identifiers":["N-{1}"]}},{{"item":"N-7","text":"Note 7: run tests with -x."}}]}})"
        "\n"
        R"({{"type":"step","step":{0},"id":"r{0}","response":"I look at line {0}.","actions":[{{"id":"a{0}","name":"bash","arguments":{{"command":"sed -n {0},+20p src/parser.py; limit={2}"}}}}],"results":[{{"id":"o{0}","action":"a{0}","text":"{3}"}}]}})"
        "\n",
        k, block, 4000 + block, output);
  }
  return trace;
}

void set_bytes(benchmark::State& state, const std::string& trace) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(trace.size()));
}

void cut_lines(benchmark::State& state) {
  const std::string trace = made_up_episode(200, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    ingest::LineReader lines(ingest::open_string(trace), std::size_t{1} << 28);
    ingest::Line line;
    while (lines.next(line)) benchmark::DoNotOptimize(line.text.data());
  }
  set_bytes(state, trace);
}
BENCHMARK(cut_lines)->Arg(200)->Arg(4000)->Arg(100000);

/// The floor: simdjson walks every field of every line and keeps nothing.
void raw_simdjson(benchmark::State& state) {
  const std::string trace = made_up_episode(200, static_cast<std::size_t>(state.range(0)));
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(trace);
  for (auto _ : state) {
    const char* at = padded.data();
    const char* const end = at + padded.size();
    while (at < end) {
      const auto* feed = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      simdjson::dom::element element;
      const auto error = parser.parse(at, static_cast<std::size_t>(feed - at), false).get(element);
      benchmark::DoNotOptimize(error);
      at = feed + 1;
    }
  }
  set_bytes(state, trace);
}
BENCHMARK(raw_simdjson)->Arg(200)->Arg(4000)->Arg(100000);

void read_to_model(benchmark::State& state) {
  const std::string trace = made_up_episode(200, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(ingest::read_canonical_trace(trace, {}).size());
  set_bytes(state, trace);
}
BENCHMARK(read_to_model)->Arg(200)->Arg(4000)->Arg(100000);

void compute_spans(benchmark::State& state) {
  const std::string trace = made_up_episode(static_cast<int>(state.range(0)), 500);
  const auto episodes = ingest::read_canonical_trace(trace, {});
  for (auto _ : state) benchmark::DoNotOptimize(spans::compute_spans(episodes.front()).spans.size());
  set_bytes(state, trace);
}
BENCHMARK(compute_spans)->Arg(50)->Arg(500)->Arg(5000);

void prepare_rows(benchmark::State& state) {
  const std::string trace = made_up_episode(200, static_cast<std::size_t>(state.range(0)));
  const auto episodes = ingest::read_canonical_trace(trace, {});
  const EpisodeSpans spans = spans::compute_spans(episodes.front());
  for (auto _ : state) benchmark::DoNotOptimize(store::prepare(episodes.front(), spans).row_count());
  set_bytes(state, trace);
}
BENCHMARK(prepare_rows)->Arg(200)->Arg(4000)->Arg(100000);

void judge_with_tracer(benchmark::State& state) {
  const std::string trace = made_up_episode(static_cast<int>(state.range(0)), 4000);
  const auto episodes = ingest::read_canonical_trace(trace, {});
  const EpisodeSpans spans = spans::compute_spans(episodes.front());
  for (auto _ : state) {
    const judge::Tracer tracer(episodes.front(), spans);
    for (const Span& span : spans.spans) {
      if (span.routing == Routing::judged) benchmark::DoNotOptimize(tracer.judge(span).entries.size());
    }
  }
  set_bytes(state, trace);
}
BENCHMARK(judge_with_tracer)->Arg(50)->Arg(500)->Arg(5000);

}  // namespace

BENCHMARK_MAIN();
