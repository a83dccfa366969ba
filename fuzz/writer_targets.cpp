// What is printed: a hostile text stays text in every format.

#include <nlohmann/json.hpp>

#include "fuzz/targets.h"
#include "ingest/csv_rows.h"
#include "model/csv.h"
#include "model/text.h"
#include "report/latex_text.h"
#include "report/table.h"
#include "view/embedding.h"

namespace memuse::fuzz {
namespace {

/// A table with the text in every place that a text of a trace may get to.
report::Table table_of(const std::string& text) {
  report::Table table;
  table.name = "fuzz";
  table.title = text;
  table.caption = text;
  table.columns = {{"name", "Name", report::Align::left}, {text, text}};
  table.rows = {{text, text, {report::Cell::text(text), report::Cell::text(text).with_note(1)}},
                {"other", "", {report::Cell::text("other"), report::Cell::count(3)}}};
  table.notes = {text};
  return table;
}

void hold_on_terminal(const report::Table& table) {
  const std::string out = report::to_text(table);
  if (printable(out, true) != out) throw BrokenProperty("a terminal would act on a text");
}

void hold_in_csv(const std::string& text) {
  const std::string field = csv_text(text);
  std::vector<ingest::CsvRow> rows;
  ingest::read_csv_rows("head," + field + "\nnext\n", [&](ingest::CsvRow&& row) { rows.push_back(std::move(row)); });
  if (rows.size() != 2 || rows[0].cells.size() != 2 || !rows[0].closed) {
    throw BrokenProperty("a field ends its row or its file");
  }
  const std::string& cell = rows[0].cells[1];
  if (!cell.empty() && std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos) {
    throw BrokenProperty("a spreadsheet would take a field for a formula");
  }
}

/// In what `latex_text` prints, a special character stands behind a backslash or is part of a command of its own.
void hold_in_latex(const std::string& text) {
  const std::string out = report::latex_text(text);
  int open = 0;
  bool mathematics = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char c = out[i];
    if (c == '\\') {
      const bool letter =
          i + 1 < out.size() && ((out[i + 1] >= 'a' && out[i + 1] <= 'z') || (out[i + 1] >= 'A' && out[i + 1] <= 'Z'));
      if (!letter) ++i;
      continue;
    }
    if (c == '{') ++open;
    if (c == '}' && --open < 0) throw BrokenProperty("a text closes a group of LaTeX");
    if (c == '$') mathematics = !mathematics;
    if (c == '&' || c == '%' || c == '#' || c == '_' || c == '^') {
      throw BrokenProperty("a special character of LaTeX is not escaped");
    }
  }
  if (open != 0 || mathematics) throw BrokenProperty("a text leaves something of LaTeX open");
}

void hold_in_json(const std::string& text) {
  const std::string json = nlohmann::json{{"text", text}}.dump();
  const std::string safe = view::script_safe(json);
  if (safe.find_first_of("<>&") != std::string::npos) throw BrokenProperty("a text can end its script element");
  if (nlohmann::json::parse(safe) != nlohmann::json::parse(json))
    throw BrokenProperty("a text is another one in a page");
}

void run_writers(std::string_view bytes) {
  // Texts of episodes are UTF-8: their readers see to it.
  const std::string text(bytes.substr(0, valid_utf8_prefix(bytes)));
  const report::Table table = table_of(text);
  hold_on_terminal(table);
  hold_in_csv(text);
  hold_in_latex(text);
  hold_in_json(text);
  if (!report::to_latex(table).ends_with('\n') || !report::to_markdown(table).ends_with('\n')) {
    throw BrokenProperty("a table has no end");
  }
  const std::string csv = report::to_csv(table);
  std::size_t rows = 0;
  ingest::read_csv_rows(csv, [&](ingest::CsvRow&&) { ++rows; });
  if (rows != 3) throw BrokenProperty("a text makes rows of its own in a CSV file");
  if (nlohmann::json::parse(report::to_json(table).dump()).at("rows").size() != 2) {
    throw BrokenProperty("a text changes the JSON of its table");
  }
}

std::vector<std::string> writer_seeds() {
  return {"plain",
          "=1+2",
          "a,\"b\"\r\nc",
          "100 % of $x_1^2 & {y} # ~ \\end{table}",
          "</script><img src=x onerror=alert(1)><!-- &amp;",
          "\x1b[31mred\x1b]8;;x\x07 \xE2\x80\xAE rtl \xC2\x9B",
          "| a | b |\n|---|---|\n`code` *x* [l](j)",
          "\xE2\x89\xA5 \xCE\xBA \xE2\x80\xA6 \xE2\x80\x94 \xE6\xBC\xA2\xE5\xAD\x97 \xF0\x9D\x92\x9C e\xCC\x81",
          std::string(300, 'x') + "_" + std::string(300, 'y')};
}

}  // namespace

std::vector<Target> writer_targets() {
  return {{"writers", run_writers, writer_seeds}};
}

}  // namespace memuse::fuzz
