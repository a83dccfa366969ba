#include "workflow/manifest_draft.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "ingest/manifest.h"
#include "support/temporary_folder.h"

namespace memuse::workflow {
namespace {

ingest::FileReport file(const std::string& path, std::set<std::pair<std::string, std::string>> runs) {
  ingest::FileReport report;
  report.path = path;
  report.episodes = runs.size();
  report.runs = std::move(runs);
  return report;
}

}  // namespace

TEST_CASE("a draft has one row a run, and can be followed as it is") {
  const test::TemporaryFolder folder;
  const std::vector<ingest::FileReport> files{
      file(folder / "a/1.json", {{"mem, ory", "a"}}),
      file(folder / "a/2.json", {{"mem, ory", "a"}}),
      file(folder / "b/1.jsonl", {{"plain", "r1"}}),
      file(folder / "b/2.jsonl", {{"plain", "r2"}, {"plain", "r3"}}),
      file(folder / "b/notes.txt", {}),
      file(folder / "c/root", {{"plain", "root"}}),
  };
  const std::string draft = manifest_draft(files, {folder.path().string()}, folder.path().string());
  CHECK(draft ==
        "path,configuration,run,outcomes,order,baseline\n"
        "a,\"mem, ory\",a,,,\n"
        "b/1.jsonl,plain,r1,,,\n"
        "b/2.jsonl,,,,,\n"
        "c/root,plain,root,,,\n");
  const auto rows = ingest::read_manifest(folder.write("runs.csv", draft));
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].path == folder / "a");
  CHECK(rows[0].configuration == "mem, ory");
}

TEST_CASE("traces far from the manifest keep their whole path") {
  CHECK(manifest_draft({file("/data/x/y/z.jsonl", {{"c", "r"}})}, {"/data"}, "/home/someone/deep/study") ==
        "path,configuration,run,outcomes,order,baseline\n"
        "/data/x/y/z.jsonl,c,r,,,\n");
}

TEST_CASE("reports that are one run's are its outcomes in the draft") {
  const auto report = [](const std::string& path) {
    ingest::FileReport made;
    made.path = path;
    made.format = ingest::kReportFormat;
    made.outcomes.emplace_back().task_id = "t";
    return made;
  };
  const std::vector<ingest::FileReport> files{
      file("/s/a/traces/1.json", {{"c", "a"}}), file("/s/a/traces/2.json", {{"c", "a"}}),
      report("/s/a/reports/1.report.json"),     report("/s/a/reports/2.report.json"),
      file("/s/b/1.json", {{"c", "b"}}),        report("/s/b/run.json"),
      file("/s/d/1.json", {{"c", "d"}}),        report("/s/elsewhere/run.json"),
  };
  CHECK(manifest_draft(files, {"/s"}, "/s") ==
        "path,configuration,run,outcomes,order,baseline\n"
        "a/traces,c,a,a/reports,,\n"
        "b/1.json,c,b,b/run.json,,\n"
        "d/1.json,c,d,,,\n");
}

}  // namespace memuse::workflow
