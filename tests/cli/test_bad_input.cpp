// Bad input: a message that names file and place, the rest processed, the right exit code, nothing lost.

#include <sys/mount.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/program.h"

using memuse::test::memuse_command;
using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::run_memuse;
using memuse::test::run_shell;
using memuse::test::shell_quoted;
using memuse::test::TemporaryFolder;
using memuse::test::write_file;

namespace {

std::string episode_lines(const std::string& id) {
  return R"({"type":"episode","schema":"memuse-trace/1","episode":")" + id + R"(","task_id":")" + id +
         R"(","configuration":"c","run":"r1","task":{"text":"Fix it"}}
{"type":"message","id":"m1","role":"user","origin":"memory","text":"Use port 7411"}
{"type":"delivery","id":"d1","route":"host","form":"recall","message":"m1","entries":[{"item":"N-1","text":"Use port 7411"}]}
{"type":"step","step":1,"id":"s1","response":"ok","actions":[{"id":"a1","name":"bash","arguments":{"command":"serve --port 7411"}}],"results":[]}
{"type":"end","reason":"done"}
)";
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A good episode, a bad line inside a second one, a good third: what the program makes of it.
struct BadLineResult {
  ProgramResult run;
  std::size_t episodes = 0;
};

BadLineResult ingest_with_bad_line(const std::string& bad_line, bool at_end = false) {
  const TemporaryFolder folder;
  const std::string second = episode_lines("second");
  const std::size_t end_line = second.find("{\"type\":\"end\"");
  std::string trace = episode_lines("first");
  if (at_end) {
    trace += episode_lines("second") + bad_line;
  } else {
    trace += second.substr(0, end_line) + bad_line + "\n" + second.substr(end_line) + episode_lines("third");
  }
  write_file(folder.path() / "trace.jsonl", trace);
  BadLineResult result;
  result.run = run_memuse({"ingest", folder / "trace.jsonl", "--db", folder / "study.db"});
  result.episodes = count_lines(memuse_output({"export", "episodes", "--db", folder / "study.db"}));
  return result;
}

}  // namespace

TEST_CASE("a bad line costs that line alone and is named with file, line and byte", "[bad-input]") {
  const std::size_t byte = episode_lines("first").size() + episode_lines("second").find("{\"type\":\"end\"");
  struct Case {
    const char* what;
    std::string line;
    const char* message;
  };
  const Case cases[] = {
      {"cut-off line", R"({"type":"message","id":"m9","role":"us)", "not valid JSON"},
      {"invalid UTF-8", "{\"type\":\"message\",\"id\":\"m9\",\"role\":\"user\",\"text\":\"\xff\xfe\"}",
       "not valid UTF-8"},
      {"NUL", std::string("{\"type\":\"message\",\"id\":\"m9\",\"role\":\"user\",\"text\":\"a") + '\0' + "b\"}",
       "not valid JSON"},
      {"nesting",
       R"({"type":"message","id":"m9","role":"user","text":)" + std::string(100, '[') + std::string(100, ']') + "}",
       "nested too deeply"},
      {"two objects", R"({"type":"end"}{"type":"end"})", "something follows the JSON object"},
      {"NaN", R"({"type":"search","id":"q","returned":[{"item":"x","score":NaN}],"status":"completed"})",
       "not valid JSON"},
      {"not an object", "[1,2,3]", "a JSON object was expected"},
  };
  for (const Case& bad : cases) {
    INFO(bad.what);
    const BadLineResult result = ingest_with_bad_line(bad.line);
    CHECK(result.run.exit_code == 1);
    CHECK(result.episodes == 3);
    INFO(result.run.err);
    CHECK(result.run.err.find("trace.jsonl:10 (byte ") != std::string::npos);
    CHECK(result.run.err.find(bad.message) != std::string::npos);
    const std::size_t at = result.run.err.find("(byte ");
    REQUIRE(at != std::string::npos);
    const std::size_t named = std::stoul(result.run.err.substr(at + 6));
    CHECK(named >= byte);
    CHECK(named <= byte + bad.line.size());
  }
}

TEST_CASE("a cut-off last line is told apart from a broken one", "[bad-input]") {
  const BadLineResult result = ingest_with_bad_line(R"({"type":"episode","schema":"memuse-tr)", true);
  CHECK(result.run.exit_code == 1);
  CHECK(result.episodes == 2);
  CHECK(result.run.err.find("cut off") != std::string::npos);
}

TEST_CASE("a lone surrogate is replaced, said, and costs nothing", "[bad-input]") {
  const BadLineResult result =
      ingest_with_bad_line(R"({"type":"message","id":"m9","role":"user","origin":"user","text":"half \ud83d pair"})");
  CHECK(result.run.exit_code == 0);
  CHECK(result.episodes == 3);
  CHECK(result.run.err.find("lone UTF-16 surrogate") != std::string::npos);
}

TEST_CASE("an escaped NUL in a text is text", "[bad-input]") {
  const BadLineResult result =
      ingest_with_bad_line(R"({"type":"message","id":"m9","role":"user","origin":"user","text":"a\u0000b"})");
  CHECK(result.run.exit_code == 0);
  CHECK(result.episodes == 3);
}

TEST_CASE("an episode that lost a line is known in part only", "[bad-input]") {
  const TemporaryFolder folder;
  std::string trace = episode_lines("first");
  trace.insert(trace.find("{\"type\":\"end\""), "{broken\n");
  write_file(folder.path() / "trace.jsonl", trace + episode_lines("second"));
  run_memuse({"ingest", folder / "trace.jsonl", "--db", folder / "study.db"});
  const std::string exported = memuse_output({"export", "episodes", "--db", folder / "study.db"});
  const auto first = nlohmann::json::parse(exported.substr(0, exported.find('\n')));
  CHECK(first["episode"] == "first");
  CHECK(first["visibility"] == "partial");
  CHECK(exported.find("\"visibility\":\"exact\"") != std::string::npos);
}

TEST_CASE("files that hold no trace are named and the rest is processed", "[bad-input]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "runs" / "good.jsonl", episode_lines("first"));
  write_file(folder.path() / "runs" / "empty.jsonl", "");
  write_file(folder.path() / "runs" / "notes.txt", "nothing here");
  write_file(folder.path() / "other.jsonl", "{\"hello\":1}\n");
  std::filesystem::create_directories(folder.path() / "hollow");
  const ProgramResult result = run_memuse({"ingest", folder / "runs", folder / "hollow", folder / "other.jsonl",
                                           folder / "missing.jsonl", "--db", folder / "study.db", "--verbose"});
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("empty.jsonl: error: the file is empty") != std::string::npos);
  CHECK(result.err.find("notes.txt: note: no adapter knows this format") != std::string::npos);
  CHECK(result.err.find("hollow: error: no trace file was found here") != std::string::npos);
  CHECK(result.err.find("other.jsonl: error: no adapter knows this format") != std::string::npos);
  CHECK(result.err.find("missing.jsonl: error: the file cannot be read") != std::string::npos);
  CHECK(count_lines(memuse_output({"export", "episodes", "--db", folder / "study.db"})) == 1);
}

TEST_CASE("a file that may not be read is named and the rest is processed", "[bad-input]") {
  if (::geteuid() == 0 && run_shell("setpriv --reuid=65534 --clear-groups true").exit_code != 0) {
    WARN("skipped: cannot become another user here");
    return;
  }
  const TemporaryFolder folder;
  write_file(folder.path() / "open.jsonl", episode_lines("first"));
  write_file(folder.path() / "closed.jsonl", episode_lines("second"));
  run_shell("chmod 777 " + shell_quoted(folder.path().string()) + "; chmod 0 " + shell_quoted(folder / "closed.jsonl"));
  const std::string as_nobody = ::geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups " : "";
  // The program may lie in a folder that another user cannot enter.
  run_shell("cp " + shell_quoted(MEMUSE_BINARY) + " " + shell_quoted(folder / "program") + "; chmod 755 " +
            shell_quoted(folder / "program"));
  const ProgramResult result =
      run_shell(as_nobody + shell_quoted(folder / "program") + " ingest " + shell_quoted(folder.path().string()) +
                " --db " + shell_quoted(folder / "study.db"));
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("closed.jsonl: error: the file cannot be read: Permission denied") != std::string::npos);
  CHECK(count_lines(memuse_output({"export", "episodes", "--db", folder / "study.db"})) == 1);
}

TEST_CASE("a full disk ends the command with a clear message and the database stays sound", "[bad-input]") {
  const TemporaryFolder folder;
  const std::filesystem::path disk = folder.path() / "disk";
  std::filesystem::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=400k") != 0) {
    WARN("skipped: cannot mount a small file system here");
    return;
  }
  std::string trace;
  for (int i = 0; i < 4000; ++i) trace += episode_lines("episode-" + std::to_string(i));
  write_file(folder.path() / "trace.jsonl", trace);
  const ProgramResult result = run_memuse({"ingest", folder / "trace.jsonl", "--db", (disk / "study.db").string()});
  const ProgramResult check =
      run_shell("sqlite3 " + shell_quoted((disk / "study.db").string()) + " 'PRAGMA integrity_check' || true");
  ::umount(disk.c_str());
  INFO(result.err);
  CHECK(result.exit_code == 3);
  CHECK(result.err.find("study.db") != std::string::npos);
  CHECK(result.err.find("full") != std::string::npos);
  CHECK((check.out.find("ok") != std::string::npos || check.out.empty()));
}

TEST_CASE("an output that cannot be written is an error of the environment", "[bad-input]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "trace.jsonl", episode_lines("first"));
  memuse_output({"ingest", folder / "trace.jsonl", "--db", folder / "study.db"});
  const ProgramResult full =
      run_shell(memuse_command({"export", "spans", "--db", folder / "study.db"}) + " > /dev/full");
  CHECK(full.exit_code == 3);
  const ProgramResult nowhere =
      run_memuse({"export", "spans", "--db", folder / "study.db", "-o", folder / "no/such/folder/x.jsonl"});
  CHECK(nowhere.exit_code == 3);
  CHECK(nowhere.err.find("No such file") != std::string::npos);
}

TEST_CASE("databases that are not ours, not there or in use are refused and left alone", "[bad-input]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "trace.jsonl", episode_lines("first"));
  SECTION("not there") {
    const ProgramResult result = run_memuse({"tables", "profile", "--db", folder / "missing.db"});
    CHECK(result.exit_code == 3);
    CHECK(result.err.find("memuse ingest") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder / "missing.db"));
    CHECK(run_memuse({"judge", "--db", folder / "missing.db"}).exit_code == 3);
    CHECK_FALSE(std::filesystem::exists(folder / "missing.db"));
  }
  SECTION("foreign") {
    run_shell("sqlite3 " + shell_quoted(folder / "foreign.db") + " 'CREATE TABLE t (x); INSERT INTO t VALUES (1)'");
    const std::string before = memuse::test::read_file(folder / "foreign.db");
    const ProgramResult result = run_memuse({"ingest", folder / "trace.jsonl", "--db", folder / "foreign.db"});
    CHECK(result.exit_code == 3);
    CHECK(result.err.find("foreign.db") != std::string::npos);
    CHECK(memuse::test::read_file(folder / "foreign.db") == before);
  }
  SECTION("no database at all") {
    write_file(folder.path() / "text.db", "this is not a database, it is a text that is long enough to be looked at");
    const ProgramResult result = run_memuse({"ingest", folder / "trace.jsonl", "--db", folder / "text.db"});
    CHECK(result.exit_code == 3);
    CHECK(result.err.find("text.db") != std::string::npos);
  }
  SECTION("locked") {
    memuse_output({"ingest", folder / "trace.jsonl", "--db", folder / "study.db"});
    write_file(folder.path() / "more.jsonl", episode_lines("second"));
    const std::string locker = "(echo 'BEGIN IMMEDIATE;'; sleep 9; echo 'COMMIT;') | sqlite3 " +
                               shell_quoted(folder / "study.db") + " & sleep 1; ";
    const ProgramResult result =
        run_shell(locker + memuse_command({"ingest", folder / "more.jsonl", "--db", folder / "study.db"}) +
                  "; code=$?; kill %1; wait; exit $code");
    INFO(result.err);
    CHECK(result.exit_code == 3);
    CHECK(result.err.find("study.db") != std::string::npos);
    CHECK(result.err.find("writing") != std::string::npos);
  }
}

TEST_CASE("a wrong command line says what is wrong and exits with 2", "[bad-input]") {
  CHECK(run_memuse({}).exit_code == 2);
  const ProgramResult nonsense = run_memuse({"nonsense", "--help"});
  CHECK(nonsense.exit_code == 2);
  CHECK(nonsense.out.empty());
  CHECK(nonsense.err.find("unknown command 'nonsense'; `memuse --help`") != std::string::npos);
  const ProgramResult mistyped = run_memuse({"chekc", "traces"});
  CHECK(mistyped.exit_code == 2);
  CHECK(mistyped.err.find("did you mean 'check'?") != std::string::npos);
  const ProgramResult inner = run_memuse({"show", "spam", "e/S1"});
  CHECK(inner.exit_code == 2);
  CHECK(inner.err.find("unknown command 'spam' (did you mean 'span'?); `memuse show --help`") != std::string::npos);
  CHECK(run_memuse({"show", "--help"}).exit_code == 0);
  CHECK(run_memuse({"--help"}).exit_code == 0);
  CHECK(run_memuse({"run"}).exit_code == 2);
  CHECK(run_memuse({"tables", "nonsense", "--db", "x"}).exit_code == 2);
  CHECK(run_memuse({"ingest", "x"}).exit_code == 2);
  const TemporaryFolder folder;
  write_file(folder.path() / "trace.jsonl", episode_lines("first"));
  memuse_output({"ingest", folder / "trace.jsonl", "--db", folder / "study.db"});
  const ProgramResult span = run_memuse({"show", "span", "first", "--db", folder / "study.db"});
  CHECK(span.exit_code == 2);
  CHECK(span.err.find("EPISODE/S1") != std::string::npos);
  CHECK(run_memuse({"show", "span", "first/S9", "--db", folder / "study.db"}).exit_code == 2);
  CHECK(run_memuse({"show", "episode", "nobody", "--db", folder / "study.db"}).exit_code == 2);
  CHECK(run_memuse({"show", "item", "nothing", "--db", folder / "study.db"}).exit_code == 2);
  CHECK(run_memuse({"ingest", folder / "trace.jsonl", "--format", "odd", "--db", folder / "other.db"}).exit_code == 2);
}
