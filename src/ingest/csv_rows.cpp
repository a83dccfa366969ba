#include "ingest/csv_rows.h"

#include <csv.h>

#include <new>
#include <utility>

namespace memuse::ingest {
namespace {

/// libcsv knows no line numbers. It is fed line by line, so that the line in which a row starts is known.
class RowCutter {
 public:
  explicit RowCutter(const std::function<void(CsvRow&&)>& sink) : sink_(sink) {
    if (csv_init(&parser_, 0) != 0) throw std::bad_alloc();
  }
  RowCutter(const RowCutter&) = delete;
  RowCutter& operator=(const RowCutter&) = delete;
  ~RowCutter() { csv_free(&parser_); }

  void feed(std::string_view line, std::uint64_t number, std::uint64_t byte) {
    if (!inside_row_) {
      start_.line = number;
      start_.byte = byte;
      inside_row_ = line.find_first_not_of(" \t\r\n") != std::string_view::npos;
    }
    if (csv_parse(&parser_, line.data(), line.size(), take_cell, take_row, this) != line.size()) throw std::bad_alloc();
    hand_over();
  }

  void finish() {
    // Strict only now: inside the text a quote in an unquoted cell is no fault, a cell that never ends is one.
    csv_set_opts(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    if (csv_fini(&parser_, take_cell, take_row, this) != 0) {
      start_.closed = false;
      start_.cells.clear();
      complete_.push_back(std::move(start_));
    }
    hand_over();
  }

 private:
  static void take_cell(void* bytes, std::size_t size, void* self) {
    static_cast<RowCutter*>(self)->start_.cells.emplace_back(static_cast<const char*>(bytes), size);
  }
  static void take_row(int, void* self) { static_cast<RowCutter*>(self)->end_row(); }

  void end_row() {
    complete_.push_back(start_);
    start_.cells.clear();
    inside_row_ = false;
  }

  /// Not from within libcsv's callbacks: what the sink throws must not unwind through C.
  void hand_over() {
    for (CsvRow& row : complete_) sink_(std::move(row));
    complete_.clear();
  }

  const std::function<void(CsvRow&&)>& sink_;
  csv_parser parser_{};
  CsvRow start_;
  std::vector<CsvRow> complete_;
  bool inside_row_ = false;
};

}  // namespace

void read_csv_rows(std::string_view text, const std::function<void(CsvRow&&)>& sink) {
  RowCutter cutter(sink);
  std::uint64_t number = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t feed = text.find('\n', begin);
    const std::size_t end = feed == std::string_view::npos ? text.size() : feed + 1;
    cutter.feed(text.substr(begin, end - begin), ++number, begin);
    begin = end;
  }
  cutter.finish();
}

std::string csv_cell(std::string_view text) {
  const bool plain =
      text.find_first_of(",\"\r\n") == std::string_view::npos &&
      (text.empty() || (text.front() != ' ' && text.front() != '\t' && text.back() != ' ' && text.back() != '\t'));
  if (plain) return std::string(text);
  std::string cell(csv_write(nullptr, 0, text.data(), text.size()), '\0');
  csv_write(cell.data(), cell.size(), text.data(), text.size());
  return cell;
}

}  // namespace memuse::ingest
