// Manifests beside what the program writes: complete, true, and the same bytes again.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "model/text.h"
#include "support/json_schema.h"
#include "support/program.h"

using memuse::sha256_hex;
using memuse::test::JsonSchema;
using memuse::test::memuse_output;
using memuse::test::read_file;
using memuse::test::run_memuse;
using memuse::test::run_shell;
using memuse::test::shell_quoted;
using memuse::test::TemporaryFolder;
using memuse::test::write_file;
using Json = nlohmann::json;

namespace {

std::string example(const std::string& name) {
  return (std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / name).string();
}

Json manifest_at(const std::filesystem::path& path) {
  const Json manifest = Json::parse(read_file(path));
  CHECK(JsonSchema::of_project("output-manifest-1").faults(manifest).empty());
  return manifest;
}

/// Every file beside the manifest stands in it with its true size and hash, and nothing else does.
void check_files(const std::filesystem::path& folder, const std::string& name = "manifest.json") {
  const Json manifest = manifest_at(folder / name);
  std::set<std::string> listed;
  for (const Json& file : manifest.at("files")) {
    const std::string bytes = read_file(folder / file.at("path").get<std::string>());
    CHECK(file.at("bytes") == bytes.size());
    CHECK(file.at("sha256") == sha256_hex(bytes));
    listed.insert(file.at("path").get<std::string>());
  }
  std::set<std::string> present;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    present.insert(entry.path().filename().string());
  present.erase(name);
  CHECK(listed == present);
  CHECK_FALSE(listed.empty());
}

}  // namespace

TEST_CASE("run writes a manifest over its tables and one over its exports") {
  const TemporaryFolder folder;
  memuse_output({"run", "--manifest", example("study/runs.csv"), "-o", folder / "out"});
  check_files(folder.path() / "out" / "tables");
  check_files(folder.path() / "out" / "exports");
  const Json manifest = manifest_at(folder.path() / "out" / "exports" / "manifest.json");
  CHECK(manifest.at("command") == Json{"run"});
  CHECK(manifest.at("program").at("rule_set") == "memuse-rules/1");
  CHECK(manifest.at("judgement_set").at("judge") == "tracer/1");
  CHECK(manifest.at("judgement_set").at("answers").at("rows") > 0);
  CHECK(manifest.at("token_estimator").is_string());
  const Json& configurations = manifest.at("study").at("configurations");
  REQUIRE(configurations.size() == 3);
  CHECK(configurations[2].at("name") == "plain");
  CHECK(configurations[2].at("baseline") == true);
  CHECK(configurations[2].at("runs").size() == 3);
  CHECK(manifest.at("study").at("sources").size() == 9);
}

TEST_CASE("figures write a manifest over all of them, a single figure one of its own") {
  const TemporaryFolder folder;
  const std::string database = folder / "study.db";
  memuse_output({"ingest", "--manifest", example("study/runs.csv"), "--db", database});
  memuse_output({"label", "--db", database, "--read", example("study/labels.jsonl"), "--labeller", "workshop"});
  memuse_output({"figures", "all", "--db", database, "-o", folder / "all"});
  check_files(folder.path() / "all");
  CHECK(manifest_at(folder.path() / "all" / "manifest.json").at("token_estimator") == "recorded");
  memuse_output({"figures", "radar", "--db", database, "-o", folder / "one"});
  check_files(folder.path() / "one", "radar.manifest.json");
  const Json manifest = manifest_at(folder.path() / "one" / "radar.manifest.json");
  CHECK(manifest.at("command") == Json{"figures", "radar"});
  CHECK(manifest.at("token_estimator").is_null());
}

TEST_CASE("the hash of a source with one episode is that of the file's bytes") {
  const TemporaryFolder folder;
  const std::string trace =
      R"({"type":"episode","schema":"memuse-trace/1","episode":"e","task_id":"t","configuration":"c","run":"r"})"
      "\n"
      R"({"type":"step","step":1,"response":"done"})"
      "\n";
  write_file(folder / "one.jsonl", trace);
  memuse_output({"ingest", folder / "one.jsonl", "--db", folder / "d"});
  memuse_output(
      {"export", "episodes", "--db", folder / "d", "-o", folder / "e.jsonl", "--manifest", folder / "m.json"});
  const Json manifest = manifest_at(folder / "m.json");
  const Json& source = manifest.at("study").at("sources").at(0);
  CHECK(source.at("sha256") == sha256_hex(trace));
  CHECK(source.at("path") == folder / "one.jsonl");
  CHECK(manifest.at("judgement_set").is_null());
  CHECK(manifest.at("files").at(0).at("path") == "e.jsonl");
  CHECK(manifest.at("files").at(0).at("sha256") == sha256_hex(read_file(folder / "e.jsonl")));
}

TEST_CASE("the same command on the same database gives the same manifest, from anywhere") {
  const TemporaryFolder folder;
  const std::string db = folder / "study.db";
  memuse_output({"ingest", "--manifest", example("study/runs.csv"), "--db", db});
  memuse_output({"judge", "--db", db});
  const auto write = [&](const std::string& from, const std::string& name, const std::string& database) {
    std::filesystem::create_directories(folder.path() / from);
    const auto result = run_shell("cd " + shell_quoted(folder / from) + " && " + shell_quoted(MEMUSE_BINARY) +
                                  " compare plain cards --resamples 200 --seed 5 --format csv --db " +
                                  shell_quoted(database) + " -o " + shell_quoted(name) + " --manifest m.json");
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return read_file(folder.path() / from / "m.json");
  };
  const std::string first = write("here", "c.csv", db);
  CHECK(write("here", "c.csv", db) == first);
  CHECK(write("deep/er", "c.csv", "../../study.db") == first);
  const Json manifest = Json::parse(first);
  CHECK(JsonSchema::of_project("output-manifest-1").faults(manifest).empty());
  CHECK(manifest.at("command") ==
        Json{"compare", "plain", "cards", "--resamples", "200", "--seed", "5", "--format", "csv"});
  CHECK(manifest.at("resampling").at("resamples") == 200);
  CHECK(manifest.at("resampling").at("seed") == 5);
  CHECK(first.find(folder.path().string()) == std::string::npos);
}

TEST_CASE("run gives the same manifests with any number of threads") {
  const TemporaryFolder folder;
  memuse_output({"run", "--manifest", example("study/runs.csv"), "-o", folder / "a", "--jobs", "1"});
  memuse_output({"run", "--manifest", example("study/runs.csv"), "-o", folder / "b", "--jobs", "4"});
  for (const char* part : {"tables", "exports"}) {
    CHECK(read_file(folder.path() / "a" / part / "manifest.json") ==
          read_file(folder.path() / "b" / part / "manifest.json"));
  }
  const std::string before = read_file(folder.path() / "a" / "tables" / "manifest.json");
  memuse_output({"run", "--manifest", example("study/runs.csv"), "-o", folder / "a"});
  CHECK(read_file(folder.path() / "a" / "tables" / "manifest.json") == before);
}

TEST_CASE("other answers or outcomes are another manifest") {
  const TemporaryFolder folder;
  const std::string db = folder / "study.db";
  memuse_output({"ingest", "--manifest", example("study/runs.csv"), "--db", db});
  const auto exported = [&](const std::string& name) {
    memuse_output({"export", "spans", "--db", db, "-o", folder / "s.jsonl", "--manifest", folder / name});
    return manifest_at(folder / name);
  };
  const Json nothing_judged = exported("m1.json");
  memuse_output({"judge", "--db", db});
  const Json judged = exported("m2.json");
  CHECK(nothing_judged.at("judgement_set").is_null());
  CHECK(nothing_judged.at("study") == judged.at("study"));
  write_file(folder / "o.csv", "task_id,resolved\npoints-relay,false\n");
  memuse_output({"ingest", "--manifest", example("study/runs.csv"), "--db", db, "--outcomes", folder / "o.csv"});
  const Json with_outcomes = exported("m3.json");
  CHECK(with_outcomes.at("study").at("outcomes").size() == 1);
  CHECK(with_outcomes.at("study").at("outcomes") != judged.at("study").at("outcomes"));
}

TEST_CASE("what is not memuse's is not overwritten, and a manifest needs a file") {
  const TemporaryFolder folder;
  write_file(folder.path() / "out" / "tables" / "manifest.json", "{\"name\": \"somebody's app\"}\n");
  const auto result = run_memuse({"run", example("traces"), "-o", folder / "out"});
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("is not memuse's") != std::string::npos);
  CHECK(read_file(folder.path() / "out" / "tables" / "manifest.json") == "{\"name\": \"somebody's app\"}\n");
  const std::string db = folder / "out/memuse.db";
  CHECK(run_memuse({"export", "spans", "--db", db, "--manifest", folder / "m"}).exit_code == 2);
  CHECK(run_memuse({"export", "spans", "--db", db, "-o", folder / "s", "--manifest", folder / "s"}).exit_code == 2);
}

TEST_CASE("the variable for a study's manifest does not make output manifests") {
  const TemporaryFolder folder;
  memuse_output({"ingest", example("traces"), "--db", folder / "d"});
  const auto result =
      run_shell("MEMUSE_MANIFEST=" + shell_quoted(folder / "runs.csv") + " " + shell_quoted(MEMUSE_BINARY) +
                " export spans --db " + shell_quoted(folder / "d") + " -o " + shell_quoted(folder / "s.jsonl"));
  CHECK(result.exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "runs.csv"));
}
