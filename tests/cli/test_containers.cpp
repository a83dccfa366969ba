// Archives and standard input from the command line: the same study as the unpacked folder.

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/program.h"

namespace {

using memuse::test::memuse_command;
using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::read_file;
using memuse::test::run_shell;
using memuse::test::shell_quoted;
using memuse::test::TemporaryFolder;

const std::string kExamples = std::string(MEMUSE_SOURCE_DIR) + "/examples";

/// Every table of a study, one after the other.
std::string tables_of(const std::string& output) {
  std::string all;
  for (const char* name : {"profile", "runs", "units", "use", "forms"}) {
    const std::filesystem::path file = std::filesystem::path(output) / "tables" / (std::string(name) + ".csv");
    if (std::filesystem::exists(file)) all += read_file(file);
  }
  return all;
}

void pack(const std::string& folder, const std::string& archive, const std::string& members = ".") {
  const ProgramResult packed =
      run_shell("tar -C " + shell_quoted(folder) + " -czf " + shell_quoted(archive) + " " + members);
  REQUIRE(packed.exit_code == 0);
}

}  // namespace

TEST_CASE("a study from an archive has the tables of the study from its folder") {
  const TemporaryFolder folder;
  for (const char* name : {"traces", "bridge-root", "merit-cell", "swe-runs"}) {
    INFO(name);
    const std::string source = kExamples + "/" + name;
    const std::string archive = folder / (std::string(name) + ".tgz");
    pack(source, archive);
    const std::string plain_out = folder / (std::string(name) + "-plain");
    const std::string packed_out = folder / (std::string(name) + "-packed");
    const ProgramResult plain = run_shell(memuse_command({"run", source, "-o", plain_out}));
    const ProgramResult packed = run_shell(memuse_command({"run", archive, "-o", packed_out}));
    INFO(packed.err);
    CHECK(packed.exit_code == plain.exit_code);
    REQUIRE(!tables_of(plain_out).empty());
    CHECK(tables_of(packed_out) == tables_of(plain_out));
    // No temporary place is shown.
    const std::string temporary = (std::filesystem::temp_directory_path() / "memuse-").string();
    for (std::size_t at = packed.err.find(temporary); at != std::string::npos;
         at = packed.err.find(temporary, at + 1)) {
      CHECK(packed.err.compare(at, folder.path().string().size(), folder.path().string()) == 0);
    }
    const std::string exported = read_file(std::filesystem::path(packed_out) / "exports" / "episodes.jsonl");
    CHECK(exported.find(archive + "!/") != std::string::npos);
  }
}

TEST_CASE("standard input is read as any file, packed or not, and kept for later commands") {
  const TemporaryFolder folder;
  const std::string trace = kExamples + "/traces/cards.r1.jsonl";
  const std::string database = folder / "study.db";
  const ProgramResult ingested =
      run_shell("gzip -c " + shell_quoted(trace) + " | " + memuse_command({"ingest", "-", "--db", database, "--json"}));
  INFO(ingested.err);
  REQUIRE(ingested.exit_code == 0);
  const auto summary = nlohmann::json::parse(ingested.out);
  CHECK(summary["episodes"].get<int>() > 0);
  const std::string kept = summary["standard_input"];
  CHECK(kept.starts_with(database + ".stdin-"));
  CHECK(std::filesystem::exists(kept));
  CHECK(memuse_output({"judge", "--db", database}).find("error") == std::string::npos);

  const ProgramResult checked = run_shell(memuse_command({"check", "-"}) + " < " + shell_quoted(trace));
  CHECK(checked.exit_code == 0);
  CHECK(checked.out.starts_with("-: memuse-trace/1"));

  const ProgramResult twice = run_shell(memuse_command({"check", "-", "-"}) + " < " + shell_quoted(trace));
  CHECK(twice.exit_code == 2);
  CHECK(twice.err.find("can be named once only") != std::string::npos);
}

TEST_CASE("an archive on standard input is read like one in a file") {
  const TemporaryFolder folder;
  pack(kExamples + "/traces", folder / "traces.tgz");
  const ProgramResult checked = run_shell(memuse_command({"check", "-"}) + " < " + shell_quoted(folder / "traces.tgz"));
  CHECK(checked.exit_code == 0);
  CHECK(checked.out.find("-!/cards.r1.jsonl: memuse-trace/1") != std::string::npos);
}

TEST_CASE("limits of archives are options, and what they stop is an error that names them") {
  const TemporaryFolder folder;
  pack(kExamples + "/traces", folder / "traces.tgz");
  const ProgramResult few = run_shell(memuse_command({"check", folder / "traces.tgz", "--max-members", "2"}));
  CHECK(few.exit_code == 1);
  CHECK(few.out.find("raise --max-members") != std::string::npos);
}
