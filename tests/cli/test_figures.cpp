#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/temporary_folder.h"

// `memuse figures` on the made-up study of examples/study.

namespace memuse::test {
namespace {

/// The example study, judged by its labeller.
class FiguredStudy {
 public:
  FiguredStudy() {
    const std::string source = std::string(MEMUSE_SOURCE_DIR) + "/examples/study";
    memuse_output({"ingest", "--manifest", source + "/runs.csv", "--db", database()});
    memuse_output({"label", "--db", database(), "--read", source + "/labels.jsonl", "--labeller", "workshop"});
  }

  [[nodiscard]] std::string database() const { return folder_ / "study.db"; }
  [[nodiscard]] std::string out(const std::string& name) const { return folder_ / name; }

  [[nodiscard]] ProgramResult draw(std::vector<std::string> arguments, const std::string& out_folder = "out") const {
    arguments.insert(arguments.begin(), "figures");
    arguments.insert(arguments.end(), {"--db", database(), "-o", out(out_folder)});
    return run_memuse(arguments);
  }

  [[nodiscard]] std::string data(const std::string& figure, const std::string& out_folder = "out") const {
    return read_file(std::filesystem::path(out(out_folder)) / (figure + ".csv"));
  }

 private:
  TemporaryFolder folder_;
};

std::vector<std::string> csv_files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".csv") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("figures all draws what needs no argument and the same again") {
  const FiguredStudy study;
  const ProgramResult result = study.draw({"all"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(csv_files_in(study.out("out")) == std::vector<std::string>{"effects", "forms", "radar", "variation"});
  CHECK(holds(result.out, "radar: "));
  REQUIRE(study.draw({"all"}, "again").exit_code == 0);
  for (const auto& entry : std::filesystem::directory_iterator(study.out("out"))) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    CHECK(read_file(entry.path()) == read_file(std::filesystem::path(study.out("again")) / name));
  }
}

TEST_CASE("a figure leaves configurations without memory out and says so") {
  const FiguredStudy study;
  REQUIRE(study.draw({"radar"}).exit_code == 0);
  CHECK(holds(study.data("radar"), ",cards\n"));
  CHECK_FALSE(holds(study.data("radar"), ",plain\n"));
  const std::string script = read_file(std::filesystem::path(study.out("out")) / "radar.gp");
  CHECK(holds(script, "Not drawn, without a profiled span: plain."));
  CHECK(holds(script, "label:workshop"));
}

TEST_CASE("figures per run and of groups") {
  const FiguredStudy study;
  REQUIRE(study.draw({"radar", "--per-run"}).exit_code == 0);
  CHECK(csv_files_in(study.out("out")) == std::vector<std::string>{"radar-cards", "radar-pinned"});
  REQUIRE(study.draw({"effects", "--per-run"}, "runs").exit_code == 0);
  CHECK(holds(study.data("effects", "runs"), ",cards / r1\n"));
  REQUIRE(study.draw({"forms", "--group", "memory=cards,pinned", "--log-scale"}, "groups").exit_code == 0);
  CHECK(holds(study.data("forms", "groups"), ",memory\n"));
  CHECK_FALSE(holds(study.data("forms", "groups"), ",cards\n"));
}

TEST_CASE("a timeline of an episode and the lineage of an item") {
  const FiguredStudy study;
  const ProgramResult timeline = study.draw({"timeline", "cards/r1/points-spare"});
  INFO(timeline.err);
  REQUIRE(timeline.exit_code == 0);
  CHECK(holds(study.data("timeline-points-spare"), "improved,"));
  CHECK(holds(study.data("timeline-points-spare"), "arrow,"));
  const ProgramResult lineage = study.draw({"lineage", "N3"}, "items");
  INFO(lineage.err);
  REQUIRE(lineage.exit_code == 0);
  const std::vector<std::string> names = csv_files_in(study.out("items"));
  REQUIRE_FALSE(names.empty());
  CHECK(holds(study.data(names.front(), "items"), "created,"));
}

TEST_CASE("figures refuse what does not fit and say what to do") {
  const FiguredStudy study;
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"timeline"}, "of which episode?"},
      {{"lineage"}, "of which item?"},
      {{"radar", "cards/r1"}, "it is about the whole study"},
      {{"timeline", "no-such-episode"}, "there is no episode"},
      {{"lineage", "no-such-item"}, "there is no item"},
      {{"radar", "--group", "a=cards"}, "--group is for the figures forms and effects"},
      {{"forms", "--group", "a"}, "NAME=CONFIGURATION"},
      {{"forms", "--group", "a=none-such"}, "none-such"},
      {{"forms", "--group", "a=cards", "--group", "a=pinned"}, "twice"},
      {{"forms", "--group", "a=cards", "--per-run"}, "exclude each other"},
      {{"variation", "--per-run"}, "--per-run is not for"},
      {{"radar", "--log-scale"}, "--log-scale is for"}};
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = study.draw(arguments);
    INFO(arguments[0] << ": " << result.err);
    CHECK(result.exit_code == 2);
    CHECK(holds(result.err, message));
  }
  CHECK_FALSE(std::filesystem::exists(study.out("out")));
}

TEST_CASE("a study without answers has no profile to draw") {
  const TemporaryFolder folder;
  const std::string source = std::string(MEMUSE_SOURCE_DIR) + "/examples/study";
  const std::string database = folder / "study.db";
  memuse_output({"ingest", "--manifest", source + "/runs.csv", "--db", database});
  const ProgramResult result = run_memuse({"figures", "radar", "--db", database, "-o", folder / "out"});
  CHECK(result.exit_code == 1);
  CHECK(holds(result.err, "radar: nothing to draw"));
}

}  // namespace memuse::test
