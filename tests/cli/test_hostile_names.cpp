// Configurations with hostile names through every table and format, exports and `show`: complete and harmless.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/program.h"
#include "support/synthetic_study.h"

using memuse::test::memuse_output;
using memuse::test::read_file;
using memuse::test::run_memuse;
using memuse::test::TemporaryFolder;

namespace {

const std::vector<std::string> kHostileNames{"=cmd|'/C calc'!A0", "a & b_c <b>\"q\", 'r'\n2nd line", "記憶 — память",
                                             "\x1b[31m-1+1\t{x}%$#~^\\"};

memuse::test::SyntheticStudy hostile_study() {
  memuse::test::SyntheticStudy study = memuse::test::planted_study(2);
  study.runs = 2;
  study.tasks = 40;
  for (std::size_t i = 0; i < kHostileNames.size(); ++i) study.configurations[i].name = kHostileNames[i];
  return study;
}

/// Fields of RFC 4180, read in the obvious way.
std::vector<std::vector<std::string>> csv_fields(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = rows.back().back();
    if (text[i] == '"') {
      if (quoted && i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = !quoted;
      }
    } else if (!quoted && text[i] == ',') {
      rows.back().emplace_back();
    } else if (!quoted && text[i] == '\n') {
      rows.emplace_back(1);
    } else if (quoted || text[i] != '\r') {
      field += text[i];
    }
  }
  REQUIRE_FALSE(quoted);
  rows.pop_back();
  return rows;
}

void check_no_control(const std::string& text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) continue;
    REQUIRE((c == '\n' || c == '\r' || c == '\t'));
  }
}

void check_csv(const std::string& text) {
  const auto rows = csv_fields(text);
  REQUIRE(rows.size() > 1);
  for (const auto& row : rows) {
    CHECK(row.size() == rows.front().size());
    for (const std::string& field : row) {
      // A sign may only begin a number.
      if (field.empty() || std::string("=+-@\t\r").find(field[0]) == std::string::npos) continue;
      CHECK(field.find_first_not_of("0123456789.+-e") == std::string::npos);
    }
  }
}

/// Unescaped bars stand only between cells, so every line of a table has as many as its rule.
void check_markdown(const std::string& text) {
  CHECK(text.find("<b>") == std::string::npos);
  std::size_t in_table = 0;
  std::size_t table_lines = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] != '|') {
      in_table = 0;
      continue;
    }
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '|') {
        ++bars;
      }
    }
    if (in_table == 0) in_table = bars;
    CHECK(bars == in_table);
    ++table_lines;
  }
  CHECK(table_lines > 2);
}

/// Braces outside escapes balance, and no special character stands alone.
void check_latex(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    REQUIRE(depth >= 0);
    CHECK(std::string("#^<>|\"").find(text[i]) == std::string::npos);
  }
  CHECK(depth == 0);
  CHECK(text.find("記憶") != std::string::npos);
}

void check_file(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  INFO(file.filename().string());
  REQUIRE_FALSE(text.empty());
  check_no_control(text);
  const std::string extension = file.extension().string();
  if (extension == ".csv") check_csv(text);
  if (extension == ".md") check_markdown(text);
  if (extension == ".tex") check_latex(text);
  if (extension == ".json") CHECK_FALSE(nlohmann::json::parse(text).is_null());
}

}  // namespace

TEST_CASE("hostile names of configurations are whole and harmless in every table and format") {
  const TemporaryFolder folder;
  const std::string database = folder.database().string();
  memuse::test::write_study(database, hostile_study().source(), kHostileNames[0]);
  memuse_output({"tables", "all", "--db", database, "--intervals", "--resamples", "100", "-o", folder / "tables"});
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "tables")) {
    check_file(entry.path());
    ++files;
  }
  CHECK(files >= 35);
  // In JSON names are kept as they are.
  const auto profile = nlohmann::json::parse(read_file(folder.path() / "tables/profile.json"));
  std::vector<std::string> columns;
  for (const auto& column : profile.at("columns")) columns.push_back(column.at("key"));
  for (const std::string& name : kHostileNames) CHECK(std::count(columns.begin(), columns.end(), name) == 1);
}

TEST_CASE("hostile names of configurations are whole and harmless in exports") {
  const TemporaryFolder folder;
  const std::string database = folder.database().string();
  memuse::test::write_study(database, hostile_study().source(), kHostileNames[0]);
  for (const char* kind : {"spans", "entries", "deliveries", "episodes", "profiles"}) {
    const std::string csv = memuse_output({"export", kind, "--db", database, "--format", "csv"});
    INFO(kind);
    check_no_control(csv);
    check_csv(csv);
    std::istringstream lines(memuse_output({"export", kind, "--db", database, "--format", "jsonl"}));
    std::set<std::string> names;
    for (std::string line; std::getline(lines, line);) names.insert(nlohmann::json::parse(line).at("configuration"));
    CHECK(names.size() >= 3);
    for (const std::string& name : names) {
      CHECK(std::count(kHostileNames.begin(), kHostileNames.end(), name) == 1);
    }
  }
}

TEST_CASE("configurations with hostile names can be named on the command line") {
  const TemporaryFolder folder;
  const std::string database = folder.database().string();
  memuse::test::write_study(database, hostile_study().source(), "");
  REQUIRE_FALSE(kHostileNames.empty());
  for (const std::string& name : kHostileNames) {
    const auto success = nlohmann::json::parse(
        memuse_output({"tables", "success", "--db", database, "--resamples", "100", "--json", "--baseline=" + name}));
    CHECK(success.at("rows").size() == kHostileNames.size());
  }
  const auto wrong = run_memuse({"tables", "success", "--db", database, "--baseline=\x1b[31mno"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find('\x1b') == std::string::npos);
}

TEST_CASE("hostile names of configurations are whole and harmless in comparisons") {
  const TemporaryFolder folder;
  const std::string database = folder.database().string();
  memuse::test::write_study(database, hostile_study().source(), kHostileNames[0]);
  for (const char* suffix : {"txt", "md", "tex", "csv", "json"}) {
    const std::string file = folder / (std::string("compare.") + suffix);
    memuse_output({"compare", kHostileNames[0], kHostileNames[1], kHostileNames[2], kHostileNames[3], "--db", database,
                   "--resamples", "100", "-o", file, "--manifest", folder / "manifest.json"});
    check_file(file);
    check_file(folder / "manifest.json");
  }
  const std::string json = read_file(folder / "compare.json");
  for (const std::string& name : kHostileNames) {
    CHECK(json.find(nlohmann::json(name).dump()) != std::string::npos);
  }
}

TEST_CASE("hostile names of configurations are whole and harmless in graphs and figures") {
  const TemporaryFolder folder;
  const std::string database = folder.database().string();
  memuse::test::write_study(database, hostile_study().source(), kHostileNames[0]);
  for (const char* format : {"graphml", "dot", "json"}) {
    const std::string file = folder / (std::string("graph.") + format);
    memuse_output({"graph", "export", "--format", format, "--db", database, "-o", file});
    const std::string text = read_file(file);
    REQUIRE_FALSE(text.empty());
    check_no_control(text);
    if (std::string(format) == "graphml") CHECK(text.find("<b>") == std::string::npos);
    if (std::string(format) == "json") CHECK_FALSE(nlohmann::json::parse(text).is_null());
  }
  memuse_output({"figures", "all", "--db", database, "-o", folder / "figures"});
  std::size_t data = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "figures")) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".svg") CHECK(read_file(entry.path()).find("<b>") == std::string::npos);
    if (extension != ".csv") continue;
    check_csv(read_file(entry.path()));
    ++data;
  }
  CHECK(data >= 4);
}
