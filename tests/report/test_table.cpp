#include "report/table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "model/csv.h"
#include "report/text_layout.h"

using namespace memuse::report;

namespace {

Table small_table() {
  Table table;
  table.name = "small";
  table.title = "A small table";
  table.caption = "Shares in %.";
  table.columns = {{"label", "", Align::left}, {"a", "a"}, {"b-long-name", "b-long-name"}};
  table.rows = {{"share", "Group", {Cell::text("Share"), Cell::percent(0.12345), Cell::missing()}},
                {"n", "Group", {Cell::text("Count"), Cell::count(1234567), Cell::count(0).with_note(1)}},
                {"x", "", {Cell::text("Other"), Cell::number(2.5, 1).with_deviation(0.25), Cell::number(-3.0, 0)}}};
  table.notes = {"a note"};
  return table;
}

/// A table with one column of that name.
Table named(const std::string& name) {
  Table table;
  table.name = "named";
  table.title = name;
  table.caption = name;
  table.columns = {{"label", "", Align::left}, {name, name}};
  table.rows = {{"r", name, {Cell::text(name), Cell::count(1)}}};
  table.notes = {name};
  return table;
}

const std::vector<std::string> kHostile{"a & b",
                                        "snake_case_name",
                                        "<script>alert(1)</script>",
                                        "\"quoted\", 'single'",
                                        "two\nlines",
                                        "記憶システム",
                                        "=cmd|'/C calc'!A0",
                                        "\x1b[31mred\x1b[0m\x07",
                                        "{\\bf x} $x^2$ #1 ~%",
                                        "[x](http://e.example) `c` | **b**",
                                        "@team www.e.example",
                                        "\xE2\x80\xAEtxt.exe",
                                        "bad \xFF byte",
                                        "-- --- *",
                                        "+1",
                                        "\ttab first"};

/// Reads CSV by RFC 4180 in the obvious way.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1);
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        field += '"';
        ++i;
      } else if (c == '"') {
        quoted = false;
      } else {
        field += c;
      }
    } else if (c == '"') {
      REQUIRE(field.empty());
      quoted = true;
    } else if (c == ',') {
      rows.back().push_back(std::exchange(field, {}));
    } else if (c == '\r') {
      REQUIRE(text.at(i + 1) == '\n');
      ++i;
      rows.back().push_back(std::exchange(field, {}));
      rows.emplace_back();
    } else {
      REQUIRE(c != '\n');
      field += c;
    }
  }
  REQUIRE_FALSE(quoted);
  REQUIRE(rows.back().empty());
  rows.pop_back();
  return rows;
}

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7F;
  });
}

}  // namespace

TEST_CASE("what a cell shows") {
  CHECK(shown(Cell::missing()) == "—");
  CHECK(shown(Cell::percent(std::nullopt)) == "—");
  CHECK(shown(Cell::number(std::nullopt, 2)) == "—");
  CHECK(shown(Cell::count(0)) == "0");
  CHECK(shown(Cell::count(1234567)) == "1,234,567");
  CHECK(shown(Cell::percent(0.12345)) == "12.35");
  CHECK(shown(Cell::percent(1.0)) == "100.00");
  CHECK(shown(Cell::percent(0.0)) == "0.00");
  CHECK(shown(Cell::percent(0.00001)) == "<0.01");  // not 0
  CHECK(shown(Cell::number(-0.001, 2)) == ">-0.01");
  CHECK(shown(Cell::number(-0.0, 2)) == "0.00");
  CHECK(shown(Cell::number(-1234.5, 1)) == "-1,234.5");
  CHECK(shown(Cell::number(0.4, 0)) == "<1");
  CHECK(shown(Cell::percent(0.5, 1).with_deviation(0.02)) == "50.0 ± 2.0");
  Cell interval = Cell::percent(0.5, 1);
  interval.interval = {0.4, 0.6};
  CHECK(shown(interval) == "50.0 [40.0, 60.0]");
}

TEST_CASE("text") {
  CHECK(to_text(small_table()) ==
        "A small table\n"
        "───────────────────────────────\n"
        "                 a  b-long-name\n"
        "───────────────────────────────\n"
        "Group\n"
        "  Share      12.35            —\n"
        "  Count  1,234,567           0¹\n"
        "Other    2.5 ± 0.2           -3\n"
        "───────────────────────────────\n"
        "¹ a note\n"
        "Shares in %.\n");
}

TEST_CASE("Markdown") {
  CHECK(to_markdown(small_table()) ==
        "**A small table**\n\n"
        "|  | a | b-long-name |\n"
        "| --- | ---: | ---: |\n"
        "| **Group** | | |\n"
        "| Share | 12.35 | — |\n"
        "| Count | 1,234,567 | 0<sup>1</sup> |\n"
        "| Other | 2.5 ± 0.2 | -3 |\n\n"
        "<sup>1</sup> a note  \n\n"
        "Shares in %.\n");
}

TEST_CASE("LaTeX") {
  CHECK(to_latex(small_table()) ==
        "\\begin{table}\n\\centering\n\\caption{A small table. Shares in \\%.}\n\\label{tab:small}\n"
        "\\small\n\\begin{tabular}{@{}lrr@{}}\n\\toprule\n & a & b-long-name \\\\\n\\midrule\n"
        "\\multicolumn{3}{@{}l@{}}{\\emph{Group}} \\\\\n"
        "\\quad Share & 12.35 & --- \\\\\n"
        "\\quad Count & 1,234,567 & 0\\textsuperscript{1} \\\\\n"
        "\\addlinespace\n"
        "Other & 2.5~$\\pm$~0.2 & $-$3 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n"
        "\n\\par\\footnotesize \\textsuperscript{1} a note\n"
        "\\end{table}\n");
}

TEST_CASE("LaTeX tables wrap before they are split, and go on in another float before they are too high") {
  Table table;
  table.name = "tall";
  table.title = "Tall";
  table.columns = {{"label", "", Align::left}, {"text", "Text", Align::left}};
  std::string sentence;
  for (int i = 0; i < 30; ++i) sentence += "word ";
  for (int i = 0; i < 60; ++i)
    table.rows.push_back({"r", "", {Cell::text("Row"), Cell::text(i == 0 ? sentence : "x")}});
  const std::string text = to_latex(table);
  CHECK(text.find("p{0.") != std::string::npos);
  CHECK(text.find("\\begin{table*}") == 0);
  CHECK(text.find("Table~\\ref{tab:tall}, continued.") != std::string::npos);
  CHECK(text.find("\\label{tab:tall}") == text.rfind("\\label{tab:tall}"));
  std::size_t rows = 0;
  for (std::size_t at = text.find("Row &"); at != std::string::npos; at = text.find("Row &", at + 1)) ++rows;
  CHECK(rows == 60);
}

TEST_CASE("long names may be broken in LaTeX and words of letters are left to it") {
  const std::string text = to_latex(named("a_name_that_goes_on_and_on internationalisation"));
  CHECK(text.find("\\_\\allowbreak{}") != std::string::npos);
  CHECK(text.find("internationalisation") != std::string::npos);
}

TEST_CASE("CSV") {
  CHECK(to_csv(small_table()) ==
        "group,row,label,a,a sd,b-long-name,b-long-name note\r\n"
        "Group,share,Share,12.345,,,\r\n"
        "Group,n,Count,1234567,,0,a note\r\n"
        ",x,Other,2.5,0.25,-3,\r\n");
}

TEST_CASE("JSON") {
  const auto json = to_json(small_table());
  CHECK(json["table"] == "small");
  CHECK(json["columns"][2]["key"] == "b-long-name");
  CHECK(json["rows"][0]["group"] == "Group");
  CHECK(json["rows"][2]["group"].is_null());
  CHECK(json["rows"][0]["cells"][1]["value"] == 0.12345);
  CHECK(json["rows"][0]["cells"][1]["kind"] == "percent");
  CHECK(json["rows"][0]["cells"][2]["value"].is_null());
  CHECK(json["rows"][1]["cells"][2]["value"] == 0);
  CHECK(json["rows"][1]["cells"][2]["note"] == 1);
  CHECK(json["rows"][2]["cells"][1]["deviation"] == 0.25);
}

TEST_CASE("hostile names are harmless in text") {
  for (const std::string& name : kHostile) {
    const std::string text = to_text(named(name));
    INFO(name);
    CHECK_FALSE(has_control(text));
    CHECK(text.find("\xE2\x80\xAE") == std::string::npos);
    // A line feed in a name must not tear the table: title, rules, heading, group, row, note and caption only.
    CHECK(text.find("two\nlines\n") == (name == "two\nlines" ? text.rfind("two\nlines\n") : std::string::npos));
  }
  CHECK(to_text(named("\x1b[31mred")).find("\\x1b[31mred") != std::string::npos);
  TableStyle bold;
  bold.bold = true;
  CHECK(to_text(named("x"), bold).find("\x1b[1mx\x1b[0m\n") == 0);
}

TEST_CASE("hostile names are harmless in Markdown") {
  for (const std::string& name : kHostile) {
    INFO(name);
    const std::string text = to_markdown(named(name));
    CHECK_FALSE(has_control(text));
    CHECK(text.find("<script") == std::string::npos);
    CHECK(text.find("://") == std::string::npos);
    for (std::size_t at = text.find(']'); at != std::string::npos; at = text.find(']', at + 1))
      CHECK(text[at - 1] == '\\');
    CHECK(text.find('@') == std::string::npos);
    // Every table line has the cells of its header: unescaped bars only between cells.
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      if (line.empty() || line[0] != '|') continue;
      std::size_t bars = 0;
      for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\') {
          ++i;
        } else if (line[i] == '|') {
          ++bars;
        }
      }
      CHECK(bars == 3);
    }
  }
}

TEST_CASE("hostile names are harmless in LaTeX") {
  for (const std::string& name : kHostile) {
    INFO(name);
    const std::string text = to_latex(named(name));
    CHECK_FALSE(has_control(text));
    const std::size_t row = text.find("\\quad ") + 6;
    const std::string cell = text.substr(row, text.find(" & 1 \\\\\n", row) - row);
    // No special character but in front of its escape, and balanced braces.
    int depth = 0;
    for (std::size_t i = 0; i < cell.size(); ++i) {
      if (cell[i] == '\\') {
        ++i;
        continue;
      }
      CHECK(std::string("&%#_~^<>|\"`").find(cell[i]) == std::string::npos);
      depth += cell[i] == '{' ? 1 : cell[i] == '}' ? -1 : 0;
      CHECK(depth >= 0);
    }
    CHECK(depth == 0);
    CHECK(cell.find("--") == std::string::npos);
  }
  CHECK(to_latex(named("a&b_{d}")).find("\\quad a\\&b\\_\\{d\\} & 1") != std::string::npos);
  CHECK(to_latex(named("\\e[f]")).find("\\quad \\textbackslash{}e{[}f{]} & 1") != std::string::npos);
}

TEST_CASE("hostile names are harmless in CSV and come back whole") {
  for (const std::string& name : kHostile) {
    INFO(name);
    const auto rows = parse_csv(to_csv(named(name)));
    REQUIRE(rows.size() == 2);
    REQUIRE(rows[0].size() == 4);
    REQUIRE(rows[1].size() == 4);
    const std::string& field = rows[1][2];
    REQUIRE_FALSE(field.empty());
    CHECK(std::string("=+-@\t").find(field[0]) == std::string::npos);
    CHECK(field == rows[0][3]);
  }
  CHECK(memuse::csv_text("=1+1") == "'=1+1");
  CHECK(memuse::csv_text("a,\"b\"") == "\"a,\"\"b\"\"\"");
  CHECK(memuse::csv_text("plain") == "plain");
  CHECK(memuse::csv_text("two\nlines") == "\"two\nlines\"");
  CHECK(memuse::csv_text("\x1b[0m") == "\\x1b[0m");
  CHECK(memuse::csv_text("＝1") == "'＝1");
  CHECK(memuse::csv_number(0.1) == "0.1");
}

TEST_CASE("hostile names are kept in JSON") {
  for (const std::string& name : kHostile) {
    const std::string text = render(named(name), TableFormat::json);
    CHECK_FALSE(has_control(text));
    const auto json = nlohmann::json::parse(text);
    if (name != "bad \xFF byte") CHECK(json["columns"][1]["key"] == name);
  }
}

TEST_CASE("many columns are split into readable parts") {
  Table table;
  table.name = "wide";
  table.columns = {{"label", "", Align::left}};
  Row row{"r", "", {Cell::text("Row")}};
  for (int i = 0; i < 14; ++i) {
    const std::string name = "configuration-" + std::to_string(i);
    table.columns.push_back({name, name});
    row.cells.push_back(Cell::count(static_cast<std::uint64_t>(i)));
  }
  table.rows = {row};

  const auto parts = split_columns(table, 6);
  REQUIRE(parts.size() == 3);
  std::vector<std::size_t> seen;
  for (const auto& part : parts) {
    CHECK(part.front() == 0);
    CHECK(part.size() <= 7);
    CHECK(part.size() >= 5);
    seen.insert(seen.end(), part.begin() + 1, part.end());
  }
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == i + 1);
  CHECK(seen.size() == 14);

  for (const std::size_t width : {80U, 100U, 120U}) {
    TableStyle style;
    style.width = width;
    const std::string text = to_text(table, style);
    std::size_t begin = 0;
    std::size_t label_rows = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      CHECK(display_width(line) <= width);
      if (line.substr(0, 3) == "Row") ++label_rows;
      begin = end + 1;
    }
    CHECK(label_rows >= 2);
    for (int i = 0; i < 14; ++i) CHECK(text.find(std::to_string(i)) != std::string::npos);
  }
  CHECK(split_columns(Table{}, 6).size() == 1);
}

TEST_CASE("format names") {
  CHECK(parse_table_format("text") == TableFormat::text);
  CHECK(parse_table_format("markdown") == TableFormat::markdown);
  CHECK(parse_table_format("latex") == TableFormat::latex);
  CHECK(parse_table_format("csv") == TableFormat::csv);
  CHECK(parse_table_format("json") == TableFormat::json);
  CHECK_FALSE(parse_table_format("html"));
}
