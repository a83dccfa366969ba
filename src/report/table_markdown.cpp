#include <algorithm>

#include <fmt/format.h>

#include "model/text.h"
#include "report/table.h"

// Markdown (GitHub's tables).

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

std::string markdown_cell(const Cell& cell) {
  std::string out = markdown(shown(cell));
  if (cell.note != 0) out += fmt::format("<sup>{}</sup>", cell.note);
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

}  // namespace memuse::report
