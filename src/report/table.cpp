#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text_layout.h"

namespace memuse::report {
namespace {

/// A fixed-point number with thousands separators. A value that is not 0 never prints as 0.
std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  std::string digits = fmt::format("{:.{}f}", std::fabs(value), decimals);
  const bool shows_zero = digits.find_first_not_of("0.") == std::string::npos;
  if (shows_zero && value != 0.0) {
    digits.back() = '1';
    return fmt::format("{}{}", value < 0 ? ">-" : "<", digits);
  }
  const std::size_t point = std::min(digits.find('.'), digits.size());
  return fmt::format("{}{}{}", value < 0 && !shows_zero ? "-" : "", grouped(std::string_view(digits).substr(0, point)),
                     std::string_view(digits).substr(point));
}

Cell numeric(Cell::Kind kind, std::optional<double> value, int decimals) {
  Cell cell;
  if (!value) return cell;
  cell.kind = kind;
  cell.value = *value;
  cell.decimals = decimals;
  return cell;
}

}  // namespace

Cell Cell::text(std::string content) {
  Cell cell;
  cell.kind = Kind::text;
  cell.content = std::move(content);
  return cell;
}

Cell Cell::count(std::uint64_t whole) {
  Cell cell;
  cell.kind = Kind::count;
  cell.whole = whole;
  return cell;
}

Cell Cell::number(std::optional<double> value, int decimals) {
  return numeric(Kind::number, value, decimals);
}

Cell Cell::percent(std::optional<double> share, int decimals) {
  return numeric(Kind::percent, share, decimals);
}

Cell Cell::with_deviation(std::optional<double> spread) const {
  Cell cell = *this;
  cell.deviation = spread;
  return cell;
}

Cell Cell::with_note(std::size_t index) const {
  Cell cell = *this;
  cell.note = index;
  return cell;
}

std::string shown(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::missing:
      return "—";
    case Cell::Kind::text:
      return cell.content;
    case Cell::Kind::count:
      return grouped(fmt::format("{}", cell.whole));
    case Cell::Kind::number:
    case Cell::Kind::percent:
      break;
  }
  const double scale = cell.kind == Cell::Kind::percent ? 100.0 : 1.0;
  std::string out = fixed(cell.value * scale, cell.decimals);
  if (cell.deviation) out += " ± " + fixed(*cell.deviation * scale, cell.decimals);
  if (cell.interval) {
    out += fmt::format(" [{}, {}]", fixed(cell.interval->first * scale, cell.decimals),
                       fixed(cell.interval->second * scale, cell.decimals));
  }
  return out;
}

std::vector<std::vector<std::size_t>> split_columns(const Table& table, std::size_t max_columns) {
  max_columns = std::max<std::size_t>(max_columns, 1);
  std::vector<std::size_t> labels;
  for (std::size_t i = 0; i < std::min(table.label_columns, table.columns.size()); ++i) labels.push_back(i);
  const std::size_t others = table.columns.size() - labels.size();
  const std::size_t parts = std::max<std::size_t>(1, (others + max_columns - 1) / max_columns);
  std::vector<std::vector<std::size_t>> split(parts, labels);
  // Parts of equal size read better than a last part with a single column.
  for (std::size_t i = 0; i < others; ++i)
    split[i * parts / std::max<std::size_t>(others, 1)].push_back(labels.size() + i);
  return split;
}

std::optional<TableFormat> parse_table_format(std::string_view name) {
  if (name == "text") return TableFormat::text;
  if (name == "markdown") return TableFormat::markdown;
  if (name == "latex") return TableFormat::latex;
  if (name == "csv") return TableFormat::csv;
  if (name == "json") return TableFormat::json;
  return std::nullopt;
}

std::string render(const Table& table, TableFormat format, const TableStyle& style) {
  switch (format) {
    case TableFormat::text:
      return to_text(table, style);
    case TableFormat::markdown:
      return to_markdown(table, style);
    case TableFormat::latex:
      return to_latex(table, style);
    case TableFormat::csv:
      return to_csv(table);
    case TableFormat::json:
      break;
  }
  return to_json(table).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace memuse::report
