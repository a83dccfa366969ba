#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "figures/child_process.h"
#include "figures/draw.h"
#include "model/error.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace memuse::figures {
namespace {

using test::TemporaryFolder;

Figure hostile_figure() {
  CategoryChart chart;
  chart.categories = {"`touch pwned`", "system('touch pwned')", "a'b\\"};
  chart.series = {{"@x {y}_z", {{10.0, Interval{5.0, 20.0}, "n = 1'`id`"}, {}, {30.0, std::nullopt, ""}}},
                  {"=SUM(A1)\nx", {{1.0, std::nullopt, ""}, {2.0, std::nullopt, ""}, {3.0, std::nullopt, ""}}}};
  chart.axis.label = "100 % 'of' \"it\"";
  return {"hostile", "caption \\", Width::one_column, {}, chart};
}

bool has_gnuplot() {
  return run_process({"gnuplot", "--version"}, ".", {}, std::chrono::seconds(20)).outcome ==
         ProcessResult::Outcome::finished;
}

}  // namespace

TEST_CASE("a drawn figure is the same on a second run and does nothing else") {
  if (!has_gnuplot()) {
    WARN("skipped: there is no gnuplot");
    return;
  }
  const TemporaryFolder first;
  const TemporaryFolder second;
  const Figure figure = hostile_figure();
  const DrawnFigure drawn = write_figure(first.path(), figure);
  INFO(drawn.reason);
  REQUIRE(drawn.drawn);
  REQUIRE(write_figure(second.path(), figure).drawn);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(first.path())) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    CHECK(name.starts_with("hostile."));
    CHECK(test::read_file(entry.path()) == test::read_file(second.path() / name));
    ++files;
  }
  CHECK(files == 5);
  const std::string svg = test::read_file(first.path() / "hostile.svg");
  CHECK(svg.find("`touch pwned`") != std::string::npos);
  CHECK(svg.find("@x {y}_z") != std::string::npos);
  CHECK(svg.find("=SUM(A1)\\nx") != std::string::npos);
  CHECK(test::read_file(first.path() / "hostile.pdf").find("CreationDate (D:19700101000000") != std::string::npos);
}

TEST_CASE("without gnuplot data and script are there and old pictures are gone") {
  const TemporaryFolder folder;
  folder.write("hostile.pdf", "of an earlier run");
  DrawOptions options;
  options.gnuplot = "no-such-gnuplot";
  const DrawnFigure drawn = write_figure(folder.path(), hostile_figure(), options);
  CHECK_FALSE(drawn.drawn);
  CHECK(drawn.reason.find("gnuplot-nox") != std::string::npos);
  CHECK(std::filesystem::exists(folder.path() / "hostile.csv"));
  CHECK(std::filesystem::exists(folder.path() / "hostile.gp"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "hostile.pdf"));
}

TEST_CASE("a program that hangs is stopped") {
  const ProcessResult result = run_process({"sleep", "600"}, ".", {}, std::chrono::milliseconds(50));
  CHECK(result.outcome == ProcessResult::Outcome::timed_out);
}

TEST_CASE("a program that fails says why") {
  const ProcessResult result = run_process({"ls", "no-such-file"}, ".", {"LC_ALL=C"}, std::chrono::seconds(60));
  CHECK(result.outcome == ProcessResult::Outcome::finished);
  CHECK(result.exit_code != 0);
  CHECK(result.errors.find("no-such-file") != std::string::npos);
}

TEST_CASE("a folder that can not be made is an error of the environment") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "x");
  CHECK_THROWS_AS(write_figure(file + "/below", hostile_figure()), Error);
}

}  // namespace memuse::figures
