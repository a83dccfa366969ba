#include "ingest/manifest.h"

#include <catch2/catch.hpp>
#include <string>

#include "../support/temporary_folder.h"
#include "ingest/csv_rows.h"
#include "ingest/pipeline.h"
#include "model/error.h"

namespace memuse::ingest {
namespace {

using test::TemporaryFolder;

/// What is said against a manifest with this text.
std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.write("runs.csv", text);
  try {
    read_manifest(path);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  return "";
}

std::string episode_line(const std::string& id, const std::string& task) {
  return R"({"type":"episode","schema":"memuse-trace/1","episode":")" + id + R"(","task_id":")" + task +
         R"(","configuration":"own","run":"own-run","task":{"text":"t"}})" + "\n";
}

}  // namespace

TEST_CASE("a manifest names paths, in any order of columns, seen from its own folder") {
  const TemporaryFolder folder;
  const std::string path = folder.write("study/runs.csv",
                                        "run,path,configuration,baseline,outcomes,order\n"
                                        "r1,a/traces,\"with, memory\",no,a/out.csv,a/order.txt\n"
                                        "\n"
                                        ",/elsewhere/b,plain,yes,,\n");
  const std::vector<ManifestRow> rows = read_manifest(path);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].path == folder / "study/a/traces");
  CHECK(rows[0].configuration == "with, memory");
  CHECK(rows[0].run == "r1");
  CHECK(rows[0].outcomes == folder / "study/a/out.csv");
  CHECK(rows[0].order == folder / "study/a/order.txt");
  CHECK(rows[0].baseline == false);
  CHECK(rows[0].line == 2);
  CHECK(rows[1].path == "/elsewhere/b");
  CHECK(rows[1].run.empty());
  CHECK(rows[1].outcomes.empty());
  CHECK(rows[1].baseline == true);
  CHECK(rows[1].line == 4);
}

TEST_CASE("a manifest that cannot be followed to the letter is refused with line and reason") {
  using Catch::Matchers::Contains;
  CHECK_THAT(refusal(""), Contains("it is empty"));
  CHECK_THAT(refusal("path,run\n"), Contains("no rows"));
  CHECK_THAT(refusal("run,configuration\nr1,c\n"), Contains("no column `path`"));
  CHECK_THAT(refusal("path,colour\na,b\n"), Contains("unknown column `colour`"));
  CHECK_THAT(refusal("path,path\na,b\n"), Contains("`path` stands twice"));
  CHECK_THAT(refusal("path,run\na\n"), Contains("line 2: 2 cells were expected, 1 found"));
  CHECK_THAT(refusal("path,run\n,r\n"), Contains("line 2: `path` is empty"));
  CHECK_THAT(refusal("path,run\na,r\nb/../a,s\n"), Contains("line 3: this path stands in line 2 already"));
  CHECK_THAT(refusal("path,run\na,r\na/,s\n"), Contains("line 3: this path stands in line 2 already"));
  CHECK_THAT(refusal("path,baseline\na,maybe\n"), Contains("write yes or no"));
  CHECK_THAT(refusal("path,baseline\na,yes\n"), Contains("needs the name of its configuration"));
  CHECK_THAT(refusal("path,configuration,baseline\na,x,yes\nb,y,yes\n"), Contains("two baselines, 'x' and 'y'"));
  CHECK_THAT(refusal("path,configuration,baseline\na,x,yes\nb,x,no\n"), Contains("is and is not the baseline"));
  CHECK_THAT(refusal("path\n\"a\n"), Contains("never closed"));
  CHECK_THAT(refusal("path\n\xFF\n"), Contains("not valid UTF-8"));
  CHECK_THROWS_AS(read_manifest("/nowhere/runs.csv"), Error);
}

TEST_CASE("an order file gives places, a broken one is refused") {
  const TemporaryFolder folder;
  ManifestRow row;
  row.order = folder.write("order.txt", "t9\n\n  t1 \r\nt5");
  const auto naming = naming_of(row);
  CHECK(naming->positions == std::unordered_map<std::string, std::uint64_t>{{"t9", 1}, {"t1", 2}, {"t5", 3}});
  row.order = folder.write("twice.txt", "t1\nt2\nt1\n");
  CHECK_THROWS_WITH(naming_of(row), Catch::Matchers::Contains("task t1 stands twice (line 3)"));
  row.order = folder / "missing.txt";
  CHECK_THROWS_AS(naming_of(row), Error);
}

TEST_CASE("the names of a manifest replace those of the traces, of nested paths the longer one names") {
  const TemporaryFolder folder;
  folder.write("all/x.jsonl", episode_line("e1", "t1"));
  folder.write("all/deep/y.jsonl", episode_line("e2", "t2"));
  folder.write("all/deep/er/z.jsonl", episode_line("e3", "t3"));
  folder.write("order.txt", "t3\nt2\n");
  const std::string manifest = folder.write("runs.csv",
                                            "path,configuration,run,order\n"
                                            "all,plain,,\n"
                                            "all/deep,deep,r7,order.txt\n");
  std::vector<NamedPath> paths;
  for (const ManifestRow& row : read_manifest(manifest)) paths.push_back({row.path, naming_of(row)});
  std::map<std::string, std::string> named;
  PipelineOptions options;
  options.jobs = 1;
  read_inputs(
      find_inputs(paths).files, options,
      [&](Episode&& episode) {
        named[std::string(episode.id)] = std::string(episode.configuration) + "/" + std::string(episode.run) + "/" +
                                         (episode.position ? std::to_string(*episode.position) : "-");
      },
      [](FileReport&&) {});
  CHECK(named ==
        std::map<std::string, std::string>{{"e1", "plain/own-run/-"}, {"e2", "deep/r7/2"}, {"e3", "deep/r7/1"}});
}

TEST_CASE("a cell is read back as it was written") {
  for (const std::string text : {"plain", "", "a,b", "say \"hi\"", " spaced ", "two\nlines", "=1+1", "tab\t", "é"}) {
    std::vector<CsvRow> rows;
    read_csv_rows("x," + csv_cell(text) + "\n", [&](CsvRow&& row) { rows.push_back(std::move(row)); });
    REQUIRE(rows.size() == 1);
    REQUIRE(rows[0].cells.size() == 2);
    CHECK(rows[0].cells[1] == text);
  }
}

}  // namespace memuse::ingest
