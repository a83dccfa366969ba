// The whole job on recorded runs, through the real program.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <tuple>

#include "support/program.h"

using memuse::test::memuse_command;
using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::read_file;
using memuse::test::run_memuse;
using memuse::test::run_shell;
using memuse::test::shared_data;
using memuse::test::shell_quoted;
using memuse::test::TemporaryFolder;
using memuse::test::write_file;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> kExports{"spans", "entries", "deliveries", "episodes", "profiles"};

std::string examples() {
  return (std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / "traces").string();
}

std::string all_exports(const std::string& database) {
  std::string all;
  for (const std::string& kind : kExports) all += memuse_output({"export", kind, "--db", database});
  return all;
}

std::vector<Json> parse_lines(const std::string& text) {
  std::vector<Json> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
  return rows;
}

/// Every field of `expected` stands in `actual` with the same value; lists have the same length.
bool holds(const Json& actual, const Json& expected) {
  if (expected.is_object()) {
    return std::all_of(expected.items().begin(), expected.items().end(), [&](const auto& field) {
      return actual.contains(field.key()) && holds(actual[field.key()], field.value());
    });
  }
  if (expected.is_array()) {
    if (!actual.is_array() || actual.size() != expected.size()) return false;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!holds(actual[i], expected[i])) return false;
    }
    return true;
  }
  return actual == expected;
}

bool before(const Json& a, const Json& b) {
  const auto key = [](const Json& span) {
    return std::tuple(span["configuration"].get<std::string>(), span["run"].get<std::string>(),
                      span["episode"].get<std::string>(), span["first_step"].get<int>(),
                      span["span"].get<std::string>());
  };
  return key(a) < key(b);
}

/// `in_trace_order`: the reference file is in the order of its traces, not in that of exports.
void check_spans(const std::filesystem::path& trace, const std::filesystem::path& expected_file,
                 bool in_trace_order = false) {
  const TemporaryFolder folder;
  memuse_output({"ingest", trace.string(), "--db", folder / "d"});
  std::vector<Json> actual = parse_lines(memuse_output({"export", "spans", "--db", folder / "d"}));
  std::vector<Json> expected = parse_lines(read_file(expected_file));
  if (in_trace_order) {
    std::sort(expected.begin(), expected.end(), before);
    std::sort(actual.begin(), actual.end(), before);
  }
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    INFO("line " << i + 1 << "\nexpected " << expected[i] << "\nactual   " << actual[i]);
    CHECK(holds(actual[i], expected[i]));
  }
}

}  // namespace

TEST_CASE("span exports equal the reference", "[data]") {
  MEMUSE_NEEDS_SHARED_DATA();
  const auto data = shared_data();
  check_spans(data / "spans-worked/trace.jsonl", data / "spans-worked/expected-spans.jsonl");
  check_spans(data / "spans-worked/edge-cases.jsonl", data / "spans-worked/expected-edge-cases.jsonl");
  check_spans(data / "spans-random/trace.jsonl", data / "spans-random/expected-spans.jsonl");
  check_spans(data / "spans-random/trace-hard.jsonl", data / "spans-random/expected-spans-hard.jsonl");
  check_spans(data / "recorded-runs/traces", data / "recorded-runs/expected-spans.jsonl", true);
}

TEST_CASE("run does the whole job on the examples and ends with the profile") {
  const TemporaryFolder folder;
  const std::string out = memuse_output({"run", examples(), "-o", folder / "out"});
  CHECK(out.find("Benefit") != std::string::npos);
  CHECK(out.find("Harm") != std::string::npos);
  CHECK(out.find("tracer/1") != std::string::npos);
  // Relevance is not assessed by this judge: a dash, never 0.
  std::istringstream lines(out);
  bool dash = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Relevance") != std::string::npos && line.find("—") != std::string::npos) dash = true;
  }
  CHECK(dash);
  for (const char* table : {"profile", "runs", "units"}) {
    for (const char* suffix : {"txt", "md", "tex", "csv", "json"}) {
      CHECK(std::filesystem::file_size(folder.path() / "out/tables" / (std::string(table) + "." + suffix)) > 0);
    }
  }
  for (const std::string& kind : kExports) {
    CHECK(read_file(folder.path() / "out/exports" / (kind + ".jsonl")) ==
          memuse_output({"export", kind, "--db", folder / "out/memuse.db"}));
  }
}

// `mixed` and `unresolved` are beyond the offline judge: an improvement needs an episode that passed, a harm one that
// failed, and its answers always pass the checks.
TEST_CASE("the examples hold every verdict, status, routing and uncertainty that the offline judge can give") {
  const TemporaryFolder folder;
  memuse_output({"run", examples(), "-o", folder / "out"});
  const std::string spans = read_file(folder.path() / "out/exports/spans.jsonl");
  for (const char* verdict : {"beneficial", "harmful", "undetermined", "neutral"}) {
    CHECK(spans.find(std::string("\"verdict\":\"") + verdict + "\"") != std::string::npos);
  }
  for (const char* status : {"judged", "automatic", "empty"}) {
    CHECK(spans.find(std::string("\"status\":\"") + status + "\"") != std::string::npos);
  }
  for (const char* routing : {"judged", "automatic_neutral", "empty"}) {
    CHECK(spans.find(std::string("\"routing\":\"") + routing + "\"") != std::string::npos);
  }
  bool novelty_null = false;
  bool influence_null = false;
  bool effect_null = false;
  for (const Json& span : parse_lines(spans)) {
    for (const Json& entry : span["entries"]) {
      if (entry["labels"].is_null()) continue;
      novelty_null |= entry["labels"]["novelty"].is_null();
      influence_null |= entry["labels"]["influence"].is_null();
      effect_null |= entry["labels"]["influence"] == "acted_on" && entry["labels"]["effect"].is_null();
    }
  }
  CHECK(novelty_null);
  CHECK(influence_null);
  CHECK(effect_null);
  // Not judged is a status too: before any judge has run.
  memuse_output({"ingest", examples(), "--db", folder / "plain.db"});
  CHECK(memuse_output({"export", "spans", "--db", folder / "plain.db"}).find("\"status\":\"not_judged\"") !=
        std::string::npos);
}

TEST_CASE("any file order, number of threads and repetition gives the same exports, byte for byte") {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(examples())) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() >= 4);
  const auto run = [&](std::vector<std::string> traces, const char* jobs, const std::string& name) {
    std::vector<std::string> ingest{"ingest"};
    ingest.insert(ingest.end(), traces.begin(), traces.end());
    for (const std::string& argument : {std::string("--db"), folder / name, std::string("--jobs"), std::string(jobs)}) {
      ingest.push_back(argument);
    }
    memuse_output(ingest);
    memuse_output({"judge", "--db", folder / name, "--jobs", jobs});
    return all_exports(folder / name);
  };
  const std::string expected = run(files, "1", "a.db");
  CHECK(!expected.empty());
  CHECK(run(files, "8", "b.db") == expected);
  std::reverse(files.begin(), files.end());
  CHECK(run(files, "8", "c.db") == expected);
  CHECK(run(files, "1", "a.db") == expected);  // twice into the same database
  // One file at a time, judged in between.
  for (const std::string& file : files) run({file}, "2", "d.db");
  CHECK(all_exports(folder / "d.db") == expected);
  CHECK(run_shell("sqlite3 " + shell_quoted(folder / "d.db") + " 'PRAGMA integrity_check'").out == "ok\n");
}

TEST_CASE("the emitted canonical trace gives the same spans and labels") {
  const TemporaryFolder folder;
  memuse_output({"run", examples(), "-o", folder / "one"});
  memuse_output({"ingest", examples(), "--emit-trace", folder / "again.jsonl"});
  memuse_output({"run", folder / "again.jsonl", "-o", folder / "two"});
  CHECK(read_file(folder / "two/exports/spans.jsonl") == read_file(folder / "one/exports/spans.jsonl"));
  CHECK(read_file(folder / "two/exports/entries.jsonl") == read_file(folder / "one/exports/entries.jsonl"));
}

TEST_CASE("killed at any moment, the same command goes on and ends with the same result", "[slow]") {
  const TemporaryFolder folder;
  std::string trace;
  const std::string one = read_file(std::filesystem::directory_iterator(examples())->path());
  for (int copy = 0; copy < 60; ++copy) {
    std::string renamed = one;
    const std::string run = "\"run\": \"";
    for (const std::string& key : {std::string("\"run\":\""), run}) {
      for (std::size_t at = renamed.find(key); at != std::string::npos; at = renamed.find(key, at + key.size())) {
        renamed.insert(at + key.size(), std::to_string(copy) + "-");
      }
    }
    trace += renamed;
  }
  write_file(folder.path() / "trace.jsonl", trace);
  memuse_output({"run", folder / "trace.jsonl", "-o", folder / "whole"});
  const std::string expected = all_exports(folder / "whole/memuse.db");
  const std::string command = memuse_command({"run", folder / "trace.jsonl", "-o", folder / "killed"});
  for (int i = 1; i <= 12; ++i) {
    const std::string delay = "0.0" + std::to_string(i * 8 % 100 + 10);
    run_shell("timeout -s KILL " + delay + " " + command);
    if (std::filesystem::exists(folder / "killed/memuse.db")) {
      const ProgramResult check = run_shell("sqlite3 -cmd '.timeout 9000' " +
                                            shell_quoted(folder / "killed/memuse.db") + " 'PRAGMA integrity_check'");
      CHECK(check.out == "ok\n");
    }
    if (i % 4 == 0) std::filesystem::remove_all(folder / "killed");
  }
  memuse_output({"run", folder / "trace.jsonl", "-o", folder / "killed"});
  CHECK(all_exports(folder / "killed/memuse.db") == expected);
}

TEST_CASE("outcomes and probes from files reach verdicts and survive reading the traces again") {
  const TemporaryFolder folder;
  write_file(
      folder.path() / "trace.jsonl",
      R"({"type":"episode","schema":"memuse-trace/1","episode":"e1","task_id":"t1","configuration":"c","run":"r1","task":{"text":"Start the gateway"}}
{"type":"message","id":"m1","role":"user","origin":"memory","text":"The gateway listens on port 7411."}
{"type":"delivery","id":"d1","route":"host","form":"recall","message":"m1","entries":[{"item":"N-1","text":"The gateway listens on port 7411."}]}
{"type":"step","step":1,"id":"s1","response":"Starting it","actions":[{"id":"a1","name":"bash","arguments":{"command":"gateway --port 7411"}}],"results":[{"id":"o1","action":"a1","text":"up"}]}
{"type":"step","step":2,"id":"s2","response":"Done","actions":[],"results":[]}
)");
  write_file(folder.path() / "outcomes.csv", "task_id,resolved\nt1,true\nt2,false\n");
  write_file(folder.path() / "probes.jsonl", "{\"task_id\":\"t1\",\"gold\":[\"7411\"],\"stale\":[]}\n");
  const std::string database = folder / "d";
  const auto verdict = [&] {
    return parse_lines(memuse_output({"export", "spans", "--db", database})).at(0)["verdict"];
  };
  memuse_output({"ingest", folder / "trace.jsonl", "--db", database});
  memuse_output({"judge", "--db", database});
  CHECK(verdict() == "undetermined");  // acted on, but nothing says what came of it
  const ProgramResult with_files = run_memuse({"ingest", folder / "trace.jsonl", "--db", database, "--outcomes",
                                               folder / "outcomes.csv", "--probes", folder / "probes.jsonl"});
  CHECK(with_files.exit_code == 0);
  CHECK(with_files.err.find("no episode has this task id") != std::string::npos);
  memuse_output({"judge", "--db", database});
  CHECK(verdict() == "beneficial");
  memuse_output({"ingest", folder / "trace.jsonl", "--db", database});
  memuse_output({"judge", "--db", database});
  CHECK(verdict() == "beneficial");
}

TEST_CASE("show explains a verdict down to the action that carried the value") {
  const TemporaryFolder folder;
  memuse_output({"run", examples(), "-o", folder / "out"});
  const std::string database = folder / "out/memuse.db";
  bool shown = false;
  for (const Json& span : parse_lines(read_file(folder / "out/exports/spans.jsonl"))) {
    const std::string episode = span["configuration"].get<std::string>() + "/" + span["run"].get<std::string>() + "/" +
                                span["episode"].get<std::string>();
    const std::string text =
        memuse_output({"show", "span", episode + "/" + span["span"].get<std::string>(), "--db", database});
    CHECK(!text.empty());
    if (span["verdict"] == "harmful" || span["verdict"] == "beneficial") {
      INFO(text);
      CHECK(text.find("acted_on") != std::string::npos);
      CHECK(text.find("«") != std::string::npos);
      shown = true;
    }
    memuse_output({"show", "episode", episode, "--db", database});
    CHECK_NOTHROW(Json::parse(memuse_output({"show", "episode", episode, "--db", database, "--json"})));
  }
  CHECK(shown);
}

TEST_CASE("a source that changed or moved is said, and --source-root finds it") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "old");
  std::filesystem::copy(examples(), folder / "old", std::filesystem::copy_options::recursive);
  memuse_output({"ingest", folder / "old", "--db", folder / "d"});
  std::filesystem::rename(folder / "old", folder / "new");
  const ProgramResult gone = run_memuse({"judge", "--db", folder / "d"});
  CHECK(gone.exit_code == 1);
  CHECK(gone.err.find("--source-root") != std::string::npos);
  memuse_output({"judge", "--db", folder / "d", "--source-root", folder / "old" + std::string("=") + (folder / "new")});
  memuse_output({"ingest", folder / "new", "--db", folder / "fresh"});
  memuse_output({"judge", "--db", folder / "fresh"});
  CHECK(memuse_output({"export", "entries", "--db", folder / "d"}) ==
        memuse_output({"export", "entries", "--db", folder / "fresh"}));
}

TEST_CASE("every command has help with an example") {
  for (const std::vector<std::string>& command : {std::vector<std::string>{},
                                                  {"run"},
                                                  {"ingest"},
                                                  {"judge"},
                                                  {"show"},
                                                  {"show", "run"},
                                                  {"show", "episode"},
                                                  {"show", "span"},
                                                  {"show", "item"},
                                                  {"tables"},
                                                  {"export"},
                                                  {"check"}}) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const std::string help = memuse_output(arguments);
    CHECK(help.find("Example") != std::string::npos);
    CHECK(help.find("memuse ") != std::string::npos);
  }
  CHECK(memuse_output({"--version"}).find("memuse-rules/1") != std::string::npos);
}
