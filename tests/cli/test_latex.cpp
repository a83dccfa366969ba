// LaTeX output through TeX: every table compiles in an article of one column and of two, and no line is too wide.

#include <catch2/catch.hpp>
#include <iostream>

#include "support/program.h"
#include "support/synthetic_study.h"

using memuse::test::memuse_output;
using memuse::test::read_file;
using memuse::test::run_shell;
using memuse::test::shell_quoted;
using memuse::test::TemporaryFolder;

namespace {

constexpr const char* kUnifont = "/usr/share/fonts/opentype/unifont/unifont.otf";

const std::string kPlainFonts = "\\usepackage[T1]{fontenc}\n\\usepackage{lmodern}\n";

/// Latin Modern, and Unifont for all that it lacks.
const std::string kAllFonts =
    std::string("\\usepackage{fontspec}\n\\directlua{luaotfload.add_fallback(\"others\", {\"[") + kUnifont +
    "]:mode=node;script=latn;\"})}\n"
    "\\setmainfont{lmroman10-regular.otf}[ItalicFont=lmroman10-italic.otf,"
    "RawFeature={fallback=others}]\n";

bool has_engine(const std::string& engine) {
  if (run_shell("command -v " + engine + " && kpsewhich booktabs.sty").exit_code == 0) return true;
  std::cout << "skipped: " << engine << " with booktabs is not installed (scripts/install_packages.sh --dev)\n";
  return false;
}

/// Every .tex file below `tables`, one after the other, in both layouts.
void check_compiles(const std::string& engine, const std::string& fonts, const std::filesystem::path& tables) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tables)) {
    if (entry.path().extension() == ".tex") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE_FALSE(files.empty());
  for (const char* columns : {"onecolumn", "twocolumn"}) {
    const TemporaryFolder folder;
    std::string document = "\\documentclass[" + std::string(columns) + "]{article}\n" + fonts +
                           "\\usepackage{booktabs}\n\\begin{document}\n";
    for (const std::filesystem::path& file : files) document += "\\input{" + file.string() + "}\n\\clearpage\n";
    folder.write("paper.tex", document + "\\end{document}\n");
    const auto run = run_shell("cd " + shell_quoted(folder.path().string()) + " && " + engine +
                               " -interaction=nonstopmode -halt-on-error paper.tex");
    const std::string log = read_file(folder.path() / "paper.log");
    INFO(engine << " " << columns << "\n" << log.substr(log.size() > 3000 ? log.size() - 3000 : 0));
    CHECK(run.exit_code == 0);
    for (const char* fault : {"Overfull", "Float too large", "Missing character", "! "}) {
      const std::size_t at = log.find(fault);
      INFO((at == std::string::npos ? std::string() : log.substr(at, 300)));
      CHECK(at == std::string::npos);
    }
  }
}

void write_tables(const std::string& database, const std::string& folder) {
  memuse_output(
      {"tables", "all", "--db", database, "--intervals", "--resamples", "100", "--format", "latex", "-o", folder});
  memuse_output({"tables", "profile", "--per-run", "--db", database, "-o", folder + "/profile-runs.tex"});
  memuse_output({"tables", "units", "--per-run", "--db", database, "-o", folder + "/units-runs.tex"});
}

void write_comparison(const std::string& database, const std::vector<std::string>& configurations,
                      const std::string& file) {
  std::vector<std::string> command{"compare"};
  command.insert(command.end(), configurations.begin(), configurations.end());
  command.insert(command.end(), {"--db", database, "--resamples", "100", "-o", file});
  memuse_output(command);
}

memuse::test::SyntheticStudy study_for_tex() {
  memuse::test::SyntheticStudy study = memuse::test::planted_study(3);
  study.tasks = 40;
  return study;
}

}  // namespace

TEST_CASE("LaTeX tables of a study fit the page") {
  if (!has_engine("pdflatex")) return;
  const TemporaryFolder folder;
  memuse::test::write_study(folder.database().string(), study_for_tex().source(), "none");
  write_tables(folder.database().string(), folder / "tables");
  check_compiles("pdflatex", kPlainFonts, folder.path() / "tables");
}

TEST_CASE("LaTeX tables of the examples fit the page") {
  if (!has_engine("pdflatex")) return;
  const TemporaryFolder folder;
  const std::string examples = std::string(MEMUSE_SOURCE_DIR) + "/examples";
  memuse_output({"run", "--manifest", examples + "/study/runs.csv", "-o", folder / "out"});
  write_tables(folder / "out/memuse.db", folder / "tables");
  write_comparison(folder / "out/memuse.db", {"plain", "cards", "pinned"}, folder / "tables/compare.tex");
  memuse_output({"delta", "--declaration", examples + "/delta/study.json", "--resamples", "100", "-o",
                 folder / "tables/delta.tex"});
  check_compiles("pdflatex", kPlainFonts, folder.path() / "tables");
}

TEST_CASE("LaTeX tables with hostile names fit the page") {
  if (!has_engine("lualatex")) return;
  REQUIRE(std::filesystem::exists(kUnifont));
  memuse::test::SyntheticStudy study = study_for_tex();
  study.runs = 2;
  std::string long_name;
  for (int i = 0; i < 12; ++i) long_name += "a_very_long_name_";
  study.configurations[0].name = "=cmd|\"/C calc\"!A0, & <b>_x_{}$%#~^\\";
  study.configurations[1].name = "two\nlines, \"quoted\" 'single'";
  study.configurations[2].name = "記憶システム — память";
  study.configurations[3].name = long_name;
  const TemporaryFolder folder;
  memuse::test::write_study(folder.database().string(), study.source(), study.configurations[0].name);
  write_tables(folder.database().string(), folder / "tables");
  std::vector<std::string> names;
  for (const auto& configuration : study.configurations) names.push_back(configuration.name);
  write_comparison(folder.database().string(), names, folder / "tables/compare.tex");
  check_compiles("lualatex", kAllFonts, folder.path() / "tables");
}
