#include <algorithm>

#include <fmt/format.h>

#include "model/text.h"
#include "report/table.h"

// Markdown (GitHub's tables) and LaTeX (booktabs).

namespace memuse::report {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string markdown(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '@':
        out += "&#64;";  // no mentions
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '#':
      case '~':
      case '!':
      case '$':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  replace_all(out, "://", "&#58;//");  // no automatic links
  replace_all(out, "www.", "www&#46;");
  return out;
}

std::string latex(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += '\\';
        out += c;
        break;
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '<':
        out += "\\textless{}";
        break;
      case '>':
        out += "\\textgreater{}";
        break;
      case '|':
        out += "\\textbar{}";
        break;
      case '"':
        out += "\\symbol{34}";  // active in some languages
        break;
      case '`':
        out += "\\textasciigrave{}";
        break;
      case '-':  // no dashes out of hyphens
        if (!out.empty() && out.back() == '-') out += "{}";
        out += c;
        break;
      case '[':  // would be read as an argument of the line break before it
      case ']':
      case '*':
        out += '{';
        out += c;
        out += '}';
        break;
      default:
        out += c;
    }
  }
  replace_all(out, "±", "$\\pm$");
  replace_all(out, "≥", "$\\geq$");
  replace_all(out, "Δ", "$\\Delta$");
  replace_all(out, "—", "---");
  replace_all(out, "…", "\\dots{}");
  return out;
}

std::string markdown_cell(const Cell& cell) {
  std::string out = markdown(shown(cell));
  if (cell.note != 0) out += fmt::format("<sup>{}</sup>", cell.note);
  return out;
}

bool is_numeric(const Cell& cell) {
  return cell.kind == Cell::Kind::number || cell.kind == Cell::Kind::percent;
}

std::string latex_cell(const Cell& cell) {
  std::string out = latex(shown(cell));
  if (is_numeric(cell)) replace_all(out, "-", "$-$");
  if (cell.note != 0) out += fmt::format("\\textsuperscript{{{}}}", cell.note);
  return out;
}

void put_markdown_part(const Table& table, const std::vector<std::size_t>& columns, std::string& out) {
  std::string names = "|";
  std::string rule = "|";
  for (const std::size_t column : columns) {
    names += fmt::format(" {} |", markdown(table.columns[column].name));
    rule += table.columns[column].align == Align::left ? " --- |" : " ---: |";
  }
  out += names + "\n" + rule + "\n";
  std::string group;
  for (const Row& row : table.rows) {
    if (row.group != group) {
      group = row.group;
      if (!group.empty()) {
        out += fmt::format("| **{}** |", markdown(group));
        for (std::size_t i = 1; i < columns.size(); ++i) out += " |";
        out += "\n";
      }
    }
    out += "|";
    for (const std::size_t column : columns) out += fmt::format(" {} |", markdown_cell(row.cells[column]));
    out += "\n";
  }
}

void put_latex_part(const Table& table, const std::vector<std::size_t>& columns, std::string& out) {
  std::string alignment;
  std::string names;
  for (const std::size_t column : columns) {
    alignment += table.columns[column].align == Align::left ? 'l' : 'r';
    names += fmt::format("{}{}", column == columns.front() ? "" : " & ", latex(table.columns[column].name));
  }
  out += fmt::format("\\begin{{tabular}}{{@{{}}{}@{{}}}}\n\\toprule\n{} \\\\\n\\midrule\n", alignment, names);
  std::string group;
  bool first = true;
  for (const Row& row : table.rows) {
    if (row.group != group) {
      group = row.group;
      if (!first) out += "\\addlinespace\n";
      if (!group.empty()) {
        out += fmt::format("\\multicolumn{{{}}}{{@{{}}l@{{}}}}{{\\emph{{{}}}}} \\\\\n", columns.size(), latex(group));
      }
    }
    first = false;
    for (const std::size_t column : columns) {
      if (column != columns.front()) out += " & ";
      if (column == columns.front() && !row.group.empty()) out += "\\quad ";
      out += latex_cell(row.cells[column]);
    }
    out += " \\\\\n";
  }
  out += "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace

std::string to_markdown(const Table& table, const TableStyle& style) {
  std::string out;
  if (!table.title.empty()) out += fmt::format("**{}**\n\n", markdown(table.title));
  for (const auto& columns : split_columns(table, style.max_columns)) {
    put_markdown_part(table, columns, out);
    out += "\n";
  }
  for (std::size_t i = 0; i < table.notes.size(); ++i) {
    out += fmt::format("<sup>{}</sup> {}  \n", i + 1, markdown(table.notes[i]));
  }
  if (!table.notes.empty() && !table.caption.empty()) out += "\n";
  if (!table.caption.empty()) out += markdown(table.caption) + "\n";
  return out;
}

std::string to_latex(const Table& table, const TableStyle& style) {
  const std::string caption = table.caption.empty() ? std::string() : fmt::format(". {}", latex(table.caption));
  std::string out = fmt::format("\\begin{{table}}\n\\centering\n\\caption{{{}{}}}\n\\label{{tab:{}}}\n",
                                latex(table.title), caption, table.name);
  bool first = true;
  for (const auto& columns : split_columns(table, style.max_columns)) {
    if (!first) out += "\n\\medskip\n\n";
    first = false;
    put_latex_part(table, columns, out);
  }
  for (std::size_t i = 0; i < table.notes.size(); ++i) {
    out += fmt::format("\n\\par\\footnotesize \\textsuperscript{{{}}} {}\n", i + 1, latex(table.notes[i]));
  }
  return out + "\\end{table}\n";
}

}  // namespace memuse::report
