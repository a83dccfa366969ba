#include "report/latex_layout.h"

#include <algorithm>
#include <cmath>

#include "report/latex_text.h"

namespace memuse::report {
namespace {

constexpr double kRowIndent = 1.0;        // of a row in a group
constexpr double kNote = 0.6;             // its number
constexpr double kHeading = 7.0;          // a longer heading wraps before it widens its column
constexpr double kLabel = 8.0;            // a text column is not made narrower than this if it can be helped
constexpr double kPageLines = 44.0;       // of the table's font
constexpr double kCaptionLine = 33.0;     // em of the text's font
constexpr std::size_t kMostColumns = 10;  // beside the labels, where their width allows it
constexpr double kRules = 1.5;            // lines that rules and the space around them take

/// How wide a column wants to be and how narrow it may get.
struct Wish {
  std::size_t column = 0;
  double least = 0.0, natural = 0.0;
};

double extra_width(const Row& row, std::size_t column) {
  const double indent = column == 0 && !row.group.empty() ? kRowIndent : 0.0;
  return indent + (row.cells[column].note != 0 ? kNote : 0.0);
}

Wish wish_of(const Table& table, std::size_t column) {
  Wish wish;
  wish.column = column;
  for (const Row& row : table.rows) {
    const std::string text = shown(row.cells[column]);
    const double extra = extra_width(row, column);
    wish.natural = std::max(wish.natural, latex_width(text) + extra);
    wish.least = std::max(wish.least, latex_unbreakable_width(text) + extra);
  }
  const std::string& heading = table.columns[column].name;
  const double word = latex_unbreakable_width(heading);
  wish.natural = std::max({wish.natural, word, std::min(latex_width(heading), kHeading)});
  wish.least = std::max(wish.least, word);
  if (table.columns[column].align == Align::left) wish.least = std::max(wish.least, std::min(wish.natural, kLabel));
  return wish;
}

double gaps(std::size_t columns) {
  return columns < 2 ? 0.0 : kLatexColumnGap * static_cast<double>(columns - 1);
}

/// Gives every column its natural width, or, where there is not enough room, a fair share of it.
LatexPart share_out(const std::vector<Wish>& wishes, double room) {
  LatexPart part;
  double natural = 0.0;
  for (const Wish& wish : wishes) natural += wish.natural;
  if (natural <= room) {
    for (const Wish& wish : wishes) part.columns.push_back({wish.column, wish.natural, false});
    return part;
  }
  // The largest limit at which all fit: columns below it keep their natural width, the others get the limit.
  const auto width_at = [](const Wish& wish, double limit) {
    return std::max(wish.least, std::min(wish.natural, limit));
  };
  double low = 0.0;
  double high = room;
  for (int i = 0; i < 40; ++i) {
    const double limit = (low + high) / 2.0;
    double used = 0.0;
    for (const Wish& wish : wishes) used += width_at(wish, limit);
    (used <= room ? low : high) = limit;
  }
  for (const Wish& wish : wishes) {
    const double width = width_at(wish, low);
    part.columns.push_back({wish.column, width, width < wish.natural});
  }
  return part;
}

/// Parts of the given number of columns beside the labels; empty when some part does not fit.
std::vector<LatexPart> parts_of(const Table& table, const std::vector<Wish>& wishes, std::size_t columns, double page,
                                bool must_fit) {
  std::vector<LatexPart> parts;
  for (const std::vector<std::size_t>& chosen : split_columns(table, columns)) {
    std::vector<Wish> present;
    double least = 0.0;
    for (const std::size_t column : chosen) {
      present.push_back(wishes[column]);
      least += wishes[column].least;
    }
    const double room = page - gaps(present.size());
    if (must_fit && least > room) return {};
    parts.push_back(share_out(present, room));
  }
  return parts;
}

double lines_of(const LatexPart& part, const Row& row) {
  double lines = 1.0;
  for (const LatexColumn& column : part.columns) {
    if (!column.wraps) continue;
    const double width = latex_width(shown(row.cells[column.column])) + extra_width(row, column.column);
    // Ragged lines are about four fifths full.
    lines = std::max(lines, std::ceil(width / (0.8 * column.width)));
  }
  return lines;
}

/// Lines of the headings of a part, rules included.
double heading_lines(const Table& table, const LatexPart& part) {
  double lines = 1.0;
  for (const LatexColumn& column : part.columns) {
    const double width = latex_width(table.columns[column.column].name);
    if (width > column.width) lines = std::max(lines, 1.0 + std::ceil(width / (0.75 * column.width)));
  }
  return lines + kRules;
}

/// Lines that the heading of a group takes; a little space where there is no heading.
double group_lines(const LatexPart& part, const std::string& group) {
  if (group.empty()) return 0.5;
  return 0.6 + std::ceil(latex_width(group) / std::max(part.width(), kLatexColumnPage / 2.0));
}

double caption_lines(const Table& table) {
  const double width = latex_width(table.title) + latex_width(table.caption);
  return 3.0 + 1.2 * std::ceil(width / kCaptionLine);
}

double note_lines(const Table& table) {
  double lines = 0.0;
  for (const std::string& note : table.notes) lines += 1.0 + std::ceil(latex_width(note) / kLatexSmallPage);
  return lines;
}

}  // namespace

double LatexPart::width() const {
  double sum = gaps(columns.size());
  for (const LatexColumn& column : columns) sum += column.width;
  return sum;
}

bool LatexPart::wraps() const {
  return std::any_of(columns.begin(), columns.end(), [](const LatexColumn& column) { return column.wraps; });
}

std::vector<LatexPart> latex_parts(const Table& table, std::size_t max_columns) {
  std::vector<Wish> wishes;
  for (std::size_t column = 0; column < table.columns.size(); ++column) wishes.push_back(wish_of(table, column));
  max_columns = std::max<std::size_t>(max_columns, 1);
  // The whole table first, in the larger font or else in the smaller one; then with cells that wrap; then in parts.
  for (const double page : {kLatexSmallPage, kLatexFootnotePage}) {
    const std::vector<LatexPart> whole = parts_of(table, wishes, std::max(max_columns, kMostColumns), page, true);
    if (whole.size() == 1 && !whole.front().wraps()) return whole;
  }
  for (std::size_t columns = max_columns; columns > 1; --columns) {
    std::vector<LatexPart> parts = parts_of(table, wishes, columns, kLatexFootnotePage, true);
    if (!parts.empty()) return parts;
  }
  return parts_of(table, wishes, 1, kLatexFootnotePage, false);
}

std::vector<std::vector<LatexBlock>> latex_floats(const Table& table, const std::vector<LatexPart>& parts) {
  std::vector<std::vector<LatexBlock>> floats(1);
  double left = kPageLines - caption_lines(table);
  // Notes stand below the last block.
  const double notes = note_lines(table);
  const auto next_float = [&] {
    floats.emplace_back();
    left = kPageLines - 2.0;
  };
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const bool last_part = part + 1 == parts.size();
    const double heading = heading_lines(table, parts[part]);
    double whole = heading + (last_part ? notes : 0.0);
    std::vector<double> heights;
    const std::string* group = nullptr;
    for (const Row& row : table.rows) {
      double lines = lines_of(parts[part], row);
      if (group == nullptr || *group != row.group) lines += group_lines(parts[part], row.group);
      group = &row.group;
      heights.push_back(lines);
      whole += lines;
    }
    if (whole > left && !floats.back().empty()) next_float();
    left -= heading;
    std::size_t begin = 0;
    for (std::size_t row = 0; row < heights.size(); ++row) {
      const double needed = heights[row] + (last_part && row + 1 == heights.size() ? notes : 0.0);
      if (needed > left && row > begin) {
        floats.back().push_back({part, begin, row});
        next_float();
        left -= heading;
        begin = row;
      }
      left -= heights[row];
    }
    floats.back().push_back({part, begin, heights.size()});
    left -= 1.5;
  }
  return floats;
}

}  // namespace memuse::report
