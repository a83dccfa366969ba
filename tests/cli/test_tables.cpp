// `memuse tables` through the real program, on the study of the examples.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/program.h"

using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::read_file;
using memuse::test::run_memuse;
using memuse::test::run_shell;
using memuse::test::shell_quoted;
using memuse::test::TemporaryFolder;
using memuse::test::write_file;
using Json = nlohmann::json;

namespace {

const std::filesystem::path kStudy = std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / "study";

/// The study judged by the offline judge, with the labels of the made-up labeller.
std::string study_database(const TemporaryFolder& folder) {
  const std::string out = folder / "study";
  memuse_output({"run", "--manifest", (kStudy / "runs.csv").string(), "-o", out});
  const std::string database = out + "/memuse.db";
  memuse_output({"label", "--db", database, "--read", (kStudy / "labels.jsonl").string(), "--labeller", "workshop"});
  return database;
}

Json cell_of(const Json& table, const std::string& row, const std::string& column, const std::string& group = "") {
  std::size_t at = 0;
  while (table["columns"].at(at)["key"] != column) ++at;
  for (const Json& line : table["rows"]) {
    if (line["key"] == row && (group.empty() || line["group"] == group)) return line["cells"].at(at);
  }
  throw std::runtime_error("no row " + row);
}

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("tables all writes every table in every format, the same bytes each time") {
  const TemporaryFolder folder;
  const std::string database = study_database(folder);
  for (const char* target : {"first", "second"}) {
    memuse_output({"tables", "all", "--db", database, "--judge", "label:workshop", "--intervals", "--resamples", "500",
                   "-o", folder / target});
  }
  const auto names = names_in(folder.path() / "first");
  CHECK(names.size() == 8 * 5 + 1);
  CHECK(names.count("manifest.json") == 1);
  for (const char* table : {"success", "profile", "runs", "use", "difficulty", "forms", "origins", "units"}) {
    for (const char* suffix : {".txt", ".md", ".tex", ".csv", ".json"}) {
      INFO(table << suffix);
      CHECK(names.count(std::string(table) + suffix) == 1);
    }
  }
  for (const std::string& name : names) {
    INFO(name);
    const std::string text = read_file(folder.path() / "first" / name);
    CHECK_FALSE(text.empty());
    CHECK(text == read_file(folder.path() / "second" / name));
  }
  memuse_output({"tables", "all", "--db", database, "--judge", "tracer", "--format", "csv", "-o", folder / "csv"});
  CHECK(names_in(folder.path() / "csv").size() == 8 + 1);
}

TEST_CASE("the tables of the example study hold what its script planned") {
  const TemporaryFolder folder;
  const std::string database = study_database(folder);
  const auto table = [&database](const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"tables", name, "--db", database, "--judge", "label:workshop", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Json::parse(memuse_output(arguments));
  };
  const Json success = table("success");
  // plain resolves 4, 4 and 5 of 8 tasks, cards 7, 6 and 5, pinned 7, 8 and 6.
  CHECK(cell_of(success, "plain", "resolved")["value"].get<double>() == Approx(13.0 / 24));
  CHECK(cell_of(success, "cards", "difference")["value"].get<double>() == Approx(5.0 / 24));
  CHECK(cell_of(success, "pinned", "difference")["value"].get<double>() == Approx(8.0 / 24));
  CHECK(cell_of(success, "pinned", "difference")["interval"].is_array());
  const Json other = table("success", {"--baseline", "cards", "--resamples", "0"});
  CHECK(cell_of(other, "pinned", "difference")["value"].get<double>() == Approx(3.0 / 24));
  CHECK_FALSE(cell_of(other, "pinned", "difference").contains("interval"));
  const Json use = table("use");
  CHECK(cell_of(use, "acted_on", "cards")["value"] == 11);
  CHECK(cell_of(use, "harmful_episodes", "pinned")["value"] == 1);
  CHECK(cell_of(use, "acted_on", "plain")["value"].is_null());
  const Json difficulty = table("difficulty");
  CHECK(cell_of(difficulty, "0", "tasks")["value"] == 2);  // fare-mobile and wheel-profile
  CHECK(cell_of(difficulty, "3", "tasks")["value"] == 3);
  const Json forms = table("forms", {"--group", "memory=cards,pinned"});
  CHECK(cell_of(forms, "full card/agent", "harmful", "memory")["value"] == 1);
  CHECK(forms["rows"].size() == 3);
}

TEST_CASE("the files of the example study are those that its script writes") {
  if (run_shell("python3 --version").exit_code != 0) {
    WARN("skipped: no python3 on this machine");
    return;
  }
  const TemporaryFolder folder;
  const std::string script = (std::filesystem::path(MEMUSE_SOURCE_DIR) / "scripts" / "make_example_study.py").string();
  REQUIRE(run_shell("cd " + shell_quoted(folder.path().string()) + " && python3 " + shell_quoted(script)).exit_code ==
          0);
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "examples" / "study")) {
    if (!entry.is_regular_file()) continue;
    const auto relative = std::filesystem::relative(entry.path(), folder.path() / "examples" / "study");
    INFO(relative);
    CHECK(read_file(entry.path()) == read_file(kStudy / relative));
    ++compared;
  }
  CHECK(compared == 11);  // nine traces, the manifest, the labels
}

TEST_CASE("tables: what cannot be done is said with what to do") {
  const TemporaryFolder folder;
  const std::string database = study_database(folder);
  const auto fails = [&database](std::vector<std::string> arguments, const std::string& words) {
    arguments.insert(arguments.begin(), "tables");
    for (const char* more : {"--judge", "tracer", "--db"}) arguments.emplace_back(more);
    arguments.push_back(database);
    const ProgramResult result = run_memuse(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(words) != std::string::npos);
  };
  fails({"all"}, "name their folder with -o");
  fails({"success", "--baseline", "nobody"}, "there is no configuration 'nobody'");
  fails({"forms", "--group", "cards"}, "NAME=CONFIGURATION");
  fails({"forms", "--group", "g=cards,nobody"}, "nobody");
  fails({"forms", "--group", "g=cards", "--group", "g=pinned"}, "twice");
  fails({"forms", "--group", "g=cards,cards"}, "twice");
}

TEST_CASE("without a baseline difficulty is left out of tables all and says why") {
  const TemporaryFolder folder;
  memuse_output({"ingest", (kStudy / "traces" / "cards.r1.jsonl").string(), "--db", folder / "a.db"});
  memuse_output({"judge", "--db", folder / "a.db"});
  const ProgramResult alone = run_memuse({"tables", "difficulty", "--db", folder / "a.db"});
  CHECK(alone.exit_code == 2);
  CHECK(alone.err.find("--baseline") != std::string::npos);
  const ProgramResult all = run_memuse({"tables", "all", "--db", folder / "a.db", "-o", folder / "out"});
  CHECK(all.exit_code == 0);
  CHECK(all.err.find("difficulty was left out") != std::string::npos);
  CHECK(names_in(folder.path() / "out").count("difficulty.txt") == 0);
  CHECK(names_in(folder.path() / "out").count("success.txt") == 1);
}

TEST_CASE("a hostile name of a configuration comes through every table and format") {
  const TemporaryFolder folder;
  const std::string name = "=R&D_x<b>,\"q\" 100% $a^b\n#{東京}|`";
  std::string manifest = "path,configuration,run,outcomes,order,baseline\n";
  std::string quoted;
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  for (const char* run : {"r1", "r2"}) {
    manifest += (kStudy / "traces" / ("cards." + std::string(run) + ".jsonl")).string() + ",\"" + quoted + "\"," + run +
                ",,,no\n";
    manifest += (kStudy / "traces" / ("plain." + std::string(run) + ".jsonl")).string() + ",plain," + run + ",,,yes\n";
  }
  write_file(folder.path() / "runs.csv", manifest);
  memuse_output({"run", "--manifest", folder / "runs.csv", "-o", folder / "out"});
  const std::string database = folder / "out/memuse.db";
  memuse_output({"tables", "all", "--db", database, "--intervals", "--resamples", "100", "-o", folder / "tables"});
  REQUIRE(names_in(folder.path() / "tables").size() > 10);
  for (const std::string& file : names_in(folder.path() / "tables")) {
    INFO(file);
    const std::string text = read_file(folder.path() / "tables" / file);
    CHECK_FALSE(text.empty());
    if (file.ends_with(".json")) CHECK(Json::parse(text).contains(file == "manifest.json" ? "files" : "rows"));
    if (file.ends_with(".csv")) {
      for (const char* start : {"\n=R&D", ",=R&D", "\"=R&D"}) CHECK(text.find(start) == std::string::npos);
    }
    if (file.ends_with(".md")) CHECK(text.find("<b>") == std::string::npos);
    if (file.ends_with(".tex")) CHECK(text.find("R&D_x") == std::string::npos);
  }
  const Json success = Json::parse(read_file(folder.path() / "tables" / "success.json"));
  CHECK(success["rows"].at(1)["key"] == name);
  const Json grouped = Json::parse(
      memuse_output({"tables", "success", "--db", database, "--baseline", name, "--resamples", "0", "--json"}));
  CHECK(grouped["rows"].at(0)["key"] == name);
}
