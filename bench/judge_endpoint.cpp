// How much of the wall time of `memuse judge --judge chat` is the model's, and how much is memuse's own.
//
//   build/bench/judge_endpoint [MEMUSE [SPANS [PARALLEL [LATENCY_MS]]]]
//
// Judges SPANS spans (500) against a mock endpoint that takes LATENCY_MS (50) for every call, PARALLEL (16) at a time,
// and prints wall time against the ideal (calls × latency / parallel) and memuse's CPU time for a call.

#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/mock_judge.h"
#include "support/span_traces.h"

namespace {

using Clock = std::chrono::steady_clock;

double children_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

bool run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string memuse = argc > 1 ? argv[1] : "build/release/memuse";
  const int spans = argc > 2 ? std::atoi(argv[2]) : 500;
  const int parallel = argc > 3 ? std::atoi(argv[3]) : 16;
  const int latency = argc > 4 ? std::atoi(argv[4]) : 50;

  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "memuse-bench-judge";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "notes.jsonl") << memuse::test::two_span_trace(spans / 2);
  const std::string database = (folder / "study.db").string();
  if (!run(memuse + " ingest " + (folder / "notes.jsonl").string() + " --db " + database)) return 1;

  memuse::test::MockEndpoint endpoint([latency](const nlohmann::json& request, const memuse::test::MockCall&) {
    memuse::test::MockReply reply = memuse::test::careful_reply(request);
    reply.latency = std::chrono::milliseconds(latency);
    return reply;
  });
  endpoint.keep_bodies(false);
  const double cpu_before = children_cpu_seconds();
  const auto start = Clock::now();
  const bool done = run(memuse + " judge --db " + database + " --judge chat --model mock --base-url " +
                        endpoint.base_url() + " --parallel " + std::to_string(parallel));
  const double wall = std::chrono::duration<double>(Clock::now() - start).count();
  const double cpu = children_cpu_seconds() - cpu_before;
  const auto calls = static_cast<double>(endpoint.request_count());
  const double ideal = calls * latency / 1000.0 / parallel;
  std::printf("%d spans, %.0f calls, %d at a time (largest seen %zu), %d ms each\n", spans, calls, parallel,
              endpoint.largest_concurrency(), latency);
  std::printf("wall %.2f s, ideal %.2f s: %.2f times\n", wall, ideal, wall / ideal);
  std::printf("memuse's CPU %.2f s: %.2f ms a call\n", cpu, 1000.0 * cpu / calls);
  std::filesystem::remove_all(folder);
  return done ? 0 : 1;
}
