#include <fmt/format.h>

#include <algorithm>

#include "report/latex_layout.h"
#include "report/latex_text.h"
#include "report/table.h"

// LaTeX (booktabs). A table that fits a column of a two-column page is a `table`, a wider one a `table*`; one that is
// higher than a page goes on in further floats.

namespace memuse::report {
namespace {

/// Em of `\\footnotesize` that a line of the page is taken to have where widths are given as shares of it.
constexpr double kLine = 43.0;

bool is_numeric(const Cell& cell) {
  return cell.kind == Cell::Kind::number || cell.kind == Cell::Kind::percent;
}

void replace_hyphens(std::string& text) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 3))
    text.replace(at, 1, "$-$");
}

std::string latex_cell(const Cell& cell) {
  std::string out;
  if (is_numeric(cell)) {
    // Escaped first: an escape holds no hyphen of a number.
    out = latex_text(shown(cell));
    if (out != "---") replace_hyphens(out);
  } else {
    out = latex_text(shown(cell));
  }
  if (cell.note != 0) out += fmt::format("\\textsuperscript{{{}}}", cell.note);
  return out;
}

/// Writes one table as floats.
class LatexWriter {
 public:
  LatexWriter(const Table& table, const TableStyle& style)
      : table_(table), parts_(latex_parts(table, style.max_columns)) {
    double width = 0.0;
    bool wraps = false;
    for (const LatexPart& part : parts_) {
      width = std::max(width, part.width());
      wraps = wraps || part.wraps();
    }
    narrow_ = width <= kLatexColumnPage && !wraps;
    footnotesize_ = wraps || width > kLatexSmallPage;
  }

  std::string write() {
    const auto floats = latex_floats(table_, parts_);
    for (std::size_t i = 0; i < floats.size(); ++i) {
      out_ += fmt::format("\\begin{{{}}}\n\\centering\n", environment());
      put_caption(i == 0);
      bool first = true;
      for (const LatexBlock& block : floats[i]) {
        if (!first) out_ += "\n\\medskip\n\n";
        first = false;
        put_block(block);
      }
      if (i + 1 == floats.size()) put_notes();
      out_ += fmt::format("\\end{{{}}}\n", environment());
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] const char* environment() const { return narrow_ ? "table" : "table*"; }
  [[nodiscard]] const char* size() const { return footnotesize_ ? "footnotesize" : "small"; }

  void put_caption(bool first) {
    if (first) {
      const std::string caption = table_.caption.empty() ? std::string() : ". " + latex_text(table_.caption);
      out_ += fmt::format("\\caption{{{}{}}}\n\\label{{tab:{}}}\n\\{}\n", latex_text(table_.title), caption,
                          table_.name, size());
    } else {
      out_ += fmt::format("\\{}\nTable~\\ref{{tab:{}}}, continued.\\par\\medskip\n", size(), table_.name);
    }
  }

  std::string alignment(const LatexPart& part) const {
    std::string out;
    for (const LatexColumn& column : part.columns) {
      if (column.wraps) {
        out += fmt::format("p{{{:.3f}\\linewidth}}", column.width / kLine);
      } else {
        out += table_.columns[column.column].align == Align::left ? 'l' : 'r';
      }
    }
    return out;
  }

  /// A heading over a column; several lines when it is wider than the column.
  [[nodiscard]] std::string heading(const LatexColumn& column) const {
    const Column& meaning = table_.columns[column.column];
    if (latex_width(meaning.name) <= column.width) return aligned(column, latex_text(meaning.name));
    const std::vector<std::string> lines = latex_lines(meaning.name, column.width);
    const char side = meaning.align == Align::left ? 'l' : 'r';
    return aligned(column, fmt::format("\\shortstack[{}]{{{}}}", side, fmt::join(lines, "\\\\")));
  }

  /// What stands in a wrapping column says itself to which side it goes.
  [[nodiscard]] std::string aligned(const LatexColumn& column, const std::string& text) const {
    if (!column.wraps) return text;
    return fmt::format("{} {}", table_.columns[column.column].align == Align::left ? "\\raggedright" : "\\raggedleft",
                       text);
  }

  void put_row(const LatexPart& part, const Row& row, const char* row_end) {
    for (const LatexColumn& column : part.columns) {
      std::string text;
      if (&column == &part.columns.front() && !row.group.empty()) {
        text += column.wraps ? "\\hangindent=1em\\quad " : "\\quad ";
      }
      text += latex_cell(row.cells[column.column]);
      if (&column != &part.columns.front()) out_ += " & ";
      out_ += aligned(column, text);
    }
    out_ += row_end;
  }

  void put_group(const LatexPart& part, const std::string& group, const char* row_end) {
    if (latex_width(group) <= part.width()) {
      out_ += fmt::format("\\multicolumn{{{}}}{{@{{}}l@{{}}}}{{\\emph{{{}}}}}", part.columns.size(), latex_text(group));
    } else {
      out_ +=
          fmt::format("\\multicolumn{{{}}}{{@{{}}p{{{:.3f}\\linewidth}}@{{}}}}{{\\raggedright\\emph{{{}}}}}",
                      part.columns.size(), std::max(part.width(), kLatexColumnPage / 2.0) / kLine, latex_text(group));
    }
    out_ += row_end;
  }

  void put_block(const LatexBlock& block) {
    const LatexPart& part = parts_[block.part];
    // In a ragged cell `\\` would end a line of the cell.
    const char* row_end = part.wraps() ? " \\tabularnewline\n" : " \\\\\n";
    out_ += fmt::format("\\begin{{tabular}}{{@{{}}{}@{{}}}}\n\\toprule\n", alignment(part));
    for (const LatexColumn& column : part.columns) {
      if (&column != &part.columns.front()) out_ += " & ";
      out_ += heading(column);
    }
    out_ += row_end;
    out_ += "\\midrule\n";
    std::string group;
    for (std::size_t i = block.first_row; i < block.end_row; ++i) {
      const Row& row = table_.rows[i];
      if (row.group != group) {
        group = row.group;
        if (i != block.first_row) out_ += "\\addlinespace\n";
        if (!group.empty()) put_group(part, group, row_end);
      }
      put_row(part, row, row_end);
    }
    out_ += "\\bottomrule\n\\end{tabular}\n";
  }

  void put_notes() {
    for (std::size_t i = 0; i < table_.notes.size(); ++i) {
      out_ += fmt::format("\n\\par\\footnotesize \\textsuperscript{{{}}} {}\n", i + 1, latex_text(table_.notes[i]));
    }
  }

  const Table& table_;
  std::vector<LatexPart> parts_;
  bool narrow_ = true;
  bool footnotesize_ = false;
  std::string out_;
};

}  // namespace

std::string to_latex(const Table& table, const TableStyle& style) {
  return LatexWriter(table, style).write();
}

}  // namespace memuse::report
