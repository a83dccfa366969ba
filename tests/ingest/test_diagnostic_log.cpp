#include "ingest/diagnostic_log.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace memuse::ingest {
namespace {

TEST_CASE("a log takes in those of other files under the same limit", "[diagnostics]") {
  DiagnosticLog whole("folder");
  for (int file = 0; file < 2; ++file) {
    DiagnosticLog part(file == 0 ? "a.json" : "b.json");
    for (std::size_t i = 0; i < DiagnosticLog::kMaxPerFault; ++i) {
      part.add(Severity::error, Fault::invalid_json, i + 1, 0, "");
    }
    whole.absorb(std::move(part));
  }
  const std::vector<Diagnostic> all = whole.take();
  REQUIRE(all.size() == DiagnosticLog::kMaxPerFault);
  std::uint64_t count = 0;
  for (const Diagnostic& diagnostic : all) {
    CHECK(diagnostic.file == "a.json");
    count += diagnostic.count;
  }
  CHECK(count == 2 * DiagnosticLog::kMaxPerFault);
}

TEST_CASE("diagnostics come sorted by place") {
  DiagnosticLog log("f");
  log.add(Severity::error, Fault::invalid_json, 9, 90, "late");
  log.add(Severity::note, Fault::unknown_value, 2, 20, "early");
  log.count_unknown_field("step", "x", 5, 50);
  const std::vector<Diagnostic> all = log.take();
  REQUIRE(all.size() == 3);
  CHECK(all[0].detail == "early");
  CHECK(all[1].detail == "step.x");
  CHECK(all[2].detail == "late");
  CHECK(log.take().empty());
}

TEST_CASE("many of one kind are listed up to a limit and counted beyond") {
  DiagnosticLog log("f");
  for (std::uint64_t i = 1; i <= 1000; ++i) log.add(Severity::error, Fault::invalid_json, i, i, "");
  log.add(Severity::warning, Fault::invalid_json, 2000, 2000, "another severity has room of its own");
  const std::vector<Diagnostic> all = log.take();
  REQUIRE(all.size() == DiagnosticLog::kMaxPerFault + 1);
  std::uint64_t total = 0;
  for (const Diagnostic& diagnostic : all) total += diagnostic.count;
  CHECK(total == 1001);
  CHECK(all[DiagnosticLog::kMaxPerFault - 1].count == 1000 - DiagnosticLog::kMaxPerFault + 1);
  CHECK(all.back().severity == Severity::warning);
}

TEST_CASE("unknown fields and types are counted, also when there are very many") {
  DiagnosticLog log("f");
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < 5000; ++i) {
      log.count_unknown_field("step", "field" + std::to_string(i), i + 1, i);
    }
    log.count_unknown_type("odd", 1, 0);
  }
  const std::vector<Diagnostic> all = log.take();
  CHECK(all.size() <= 1000);
  std::uint64_t total = 0;
  for (const Diagnostic& diagnostic : all) total += diagnostic.count;
  CHECK(total == 3 * 5001);
}

TEST_CASE("details are short and safe to print") {
  DiagnosticLog log("f");
  log.add(Severity::error, Fault::invalid_json, 1, 0, "\x1b[2J\xFF" + std::string(100'000, 'x'));
  log.count_unknown_field("step", "\x1b" + std::string(100'000, 'y'), 1, 0);
  log.count_unknown_type("\xE2\x80\xAE", 1, 0);
  for (const Diagnostic& diagnostic : log.take()) {
    CHECK(diagnostic.detail.size() < 1000);
    CHECK(diagnostic.detail.find('\x1b') == std::string::npos);
    CHECK(diagnostic.detail.find("\xE2\x80\xAE") == std::string::npos);
    CHECK(diagnostic.detail.find('\xFF') == std::string::npos);
  }
}

}  // namespace
}  // namespace memuse::ingest
