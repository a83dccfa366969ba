#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "report/table.h"
#include "report/text_layout.h"

// Text tables for a terminal. Columns that do not fit beside each other go into further blocks below, each with the
// label columns repeated.

namespace memuse::report {
namespace {

constexpr std::size_t kGap = 2;            // columns between two columns
constexpr std::size_t kHeadingWidth = 14;  // a longer heading wraps before it widens its column

using Lines = std::vector<std::string>;

std::string superscript(std::size_t number) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char digit : std::to_string(number)) out += kDigits[digit - '0'];
  return out;
}

std::string bold_line(std::string_view text) {
  return fmt::format("\x1b[1m{}\x1b[0m\n", text);
}

std::size_t width_of(const Lines& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

/// The table with every cell as safe, wrapped lines, and the width of every column.
struct Layout {
  std::vector<Lines> headings;
  std::vector<std::vector<Lines>> rows;
  std::vector<std::size_t> widths;
};

Lines cell_lines(const Table& table, const Row& row, std::size_t column) {
  const Cell& cell = row.cells[column];
  std::string text = printable(shown(cell));
  if (cell.note != 0) text += superscript(cell.note);
  if (column == 0 && !row.group.empty()) text.insert(0, 2, ' ');
  return wrap(text, table.columns[column].max_width);
}

Layout lay_out(const Table& table) {
  Layout layout;
  layout.widths.resize(table.columns.size());
  for (const Row& row : table.rows) {
    std::vector<Lines> cells;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      cells.push_back(cell_lines(table, row, i));
      layout.widths[i] = std::max(layout.widths[i], width_of(cells.back()));
    }
    layout.rows.push_back(std::move(cells));
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    layout.headings.push_back(wrap(printable(table.columns[i].name), std::max(layout.widths[i], kHeadingWidth)));
    layout.widths[i] = std::max(layout.widths[i], width_of(layout.headings.back()));
  }
  return layout;
}

/// Columns of the blocks: as many as fit into `width`, at least one beside the labels.
std::vector<std::vector<std::size_t>> blocks_of(const Table& table, const Layout& layout, std::size_t width) {
  std::vector<std::size_t> labels;
  std::size_t label_width = 0;
  for (std::size_t i = 0; i < std::min(table.label_columns, table.columns.size()); ++i) {
    labels.push_back(i);
    label_width += layout.widths[i] + kGap;
  }
  std::vector<std::vector<std::size_t>> blocks{labels};
  std::size_t used = label_width;
  for (std::size_t i = labels.size(); i < table.columns.size(); ++i) {
    if (used + layout.widths[i] > width && blocks.back().size() > labels.size()) {
      blocks.push_back(labels);
      used = label_width;
    }
    blocks.back().push_back(i);
    used += layout.widths[i] + kGap;
  }
  return blocks;
}

void trim_right(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
}

/// One row of cells as lines of the terminal; `bottom` puts short cells at the bottom, as headings want it.
void put_cells(const Table& table, const Layout& layout, const std::vector<std::size_t>& columns,
               const std::vector<Lines>& cells, bool bottom, const TableStyle& style, std::string& out) {
  std::size_t height = 0;
  for (const std::size_t column : columns) height = std::max(height, cells[column].size());
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (const std::size_t column : columns) {
      const Lines& lines = cells[column];
      const std::size_t skip = bottom ? height - lines.size() : 0;
      const std::string part = line >= skip && line - skip < lines.size() ? lines[line - skip] : std::string();
      if (column != columns.front()) text += std::string(kGap, ' ');
      text += table.columns[column].align == Align::left ? pad_right(part, layout.widths[column])
                                                         : pad_left(part, layout.widths[column]);
    }
    trim_right(text);
    out += bottom && style.bold ? bold_line(text) : text + "\n";
  }
}

void put_block(const Table& table, const Layout& layout, const std::vector<std::size_t>& columns,
               const TableStyle& style, std::string& out) {
  std::size_t width = 0;
  for (const std::size_t column : columns) width += layout.widths[column] + (column == columns.front() ? 0 : kGap);
  std::string rule;
  for (std::size_t i = 0; i < width; ++i) rule += "─";
  rule += "\n";
  out += rule;
  put_cells(table, layout, columns, layout.headings, true, style, out);
  out += rule;
  std::string group;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i].group != group) {
      group = table.rows[i].group;
      if (!group.empty()) out += hanging("", printable(group), std::max<std::size_t>(width, 20));
    }
    put_cells(table, layout, columns, layout.rows[i], false, style, out);
  }
  out += rule;
}

}  // namespace

std::string to_text(const Table& table, const TableStyle& style) {
  const Layout layout = lay_out(table);
  std::string out;
  if (!table.title.empty()) {
    const std::string title = printable(table.title);
    for (const std::string& line : wrap(title, style.width)) out += style.bold ? bold_line(line) : line + "\n";
  }
  const auto blocks = blocks_of(table, layout, style.width);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i != 0) out += "\n";
    put_block(table, layout, blocks[i], style, out);
  }
  for (std::size_t i = 0; i < table.notes.size(); ++i) {
    out += hanging(superscript(i + 1) + " ", printable(table.notes[i]), style.width);
  }
  if (!table.caption.empty()) out += hanging("", printable(table.caption, true), style.width);
  return out;
}

}  // namespace memuse::report
