#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A table as a value, and its writers. Texts may be anything: every writer makes them harmless for its format.

namespace memuse::report {

/// What stands in a cell. Build one with the functions named after the kinds.
struct Cell {
  enum class Kind : std::uint8_t { missing, text, count, number, percent };

  Kind kind = Kind::missing;
  std::string content;                                ///< of a text
  std::uint64_t whole = 0;                            ///< of a count
  double value = 0.0;                                 ///< of a number, or of a percent as a share 0…1
  int decimals = 0;                                   ///< shown after the point
  std::optional<double> deviation;                    ///< printed behind "±", in the unit of `value`
  std::optional<std::pair<double, double>> interval;  ///< printed as [low, high], in the unit of `value`
  std::size_t note = 0;                               ///< 1-based index into `Table::notes`; 0 for none

  /// Prints as "—": not assessed, or nothing to compute it from. Never the same as 0.
  static Cell missing() { return {}; }
  static Cell text(std::string content);
  static Cell count(std::uint64_t whole);
  static Cell number(std::optional<double> value, int decimals);
  /// `share` is 0…1 and prints as a percentage without a sign: the label or the column says "%".
  static Cell percent(std::optional<double> share, int decimals = 2);

  [[nodiscard]] Cell with_deviation(std::optional<double> spread) const;
  [[nodiscard]] Cell with_note(std::size_t index) const;
};

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string key;   ///< stable name in JSON and CSV (a configuration's own name where the column is one)
  std::string name;  ///< heading for people
  Align align = Align::right;
  std::size_t max_width = 48;  ///< terminal only: wider texts wrap
};

struct Row {
  std::string key;    ///< stable name in JSON and CSV
  std::string group;  ///< heading of the group of rows it belongs to; empty for none
  std::vector<Cell> cells;
};

/// A table ready to be written. Every row has as many cells as there are columns.
struct Table {
  std::string name;  ///< of the command (`profile`)
  std::string title;
  std::string caption;  ///< definitions, n, judge, rule set, estimator
  std::vector<Column> columns;
  std::size_t label_columns = 1;  ///< leading columns that are repeated when the table is split
  std::vector<Row> rows;
  std::vector<std::string> notes;
};

enum class TableFormat : std::uint8_t { text, markdown, latex, csv, json };
/// `text`, `markdown`, `latex`, `csv` or `json`.
[[nodiscard]] std::optional<TableFormat> parse_table_format(std::string_view name);

struct TableStyle {
  std::size_t width = 100;      ///< of the terminal; text tables are split to fit
  std::size_t max_columns = 6;  ///< columns beside the labels before Markdown and LaTeX tables are split
  bool bold = false;            ///< ANSI bold for the title and headings of a text table
};

/// The table in one of the formats; ends with a line feed.
[[nodiscard]] std::string render(const Table& table, TableFormat format, const TableStyle& style = {});

[[nodiscard]] std::string to_text(const Table& table, const TableStyle& style = {});
[[nodiscard]] std::string to_markdown(const Table& table, const TableStyle& style = {});
/// Needs the packages booktabs and, for names outside Latin script, an engine that reads UTF-8 (LuaLaTeX, XeLaTeX).
[[nodiscard]] std::string to_latex(const Table& table, const TableStyle& style = {});
/// RFC 4180, one header line. Numbers are unrounded, percentages as percentages; "—" is an empty field; a column with
/// deviations, intervals or notes is followed by columns of its own for them. Title and caption are not in it.
[[nodiscard]] std::string to_csv(const Table& table);
/// Numbers raw (percentages as shares), missing as null.
[[nodiscard]] nlohmann::ordered_json to_json(const Table& table);

/// What a cell shows, before any escaping: `1,234`, `12.30`, `<0.01`, `12.3 ± 0.4`, `—`.
[[nodiscard]] std::string shown(const Cell& cell);

/// Column indices of the parts of a split table: the label columns and at most `max_columns` others in each.
[[nodiscard]] std::vector<std::vector<std::size_t>> split_columns(const Table& table, std::size_t max_columns);

}  // namespace memuse::report
