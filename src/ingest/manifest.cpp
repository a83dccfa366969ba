#include "ingest/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "ingest/byte_stream.h"
#include "ingest/csv_rows.h"
#include "ingest/document.h"
#include "ingest/line_reader.h"
#include "ingest/paths.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxManifestBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxTaskId = std::size_t{64} << 10;

std::string columns_listed() {
  std::string list;
  for (const std::string& column : manifest_columns()) list += (list.empty() ? "" : ",") + column;
  return list;
}

[[noreturn]] void refuse(const std::string& path, std::uint64_t line, const std::string& why) {
  throw Error(ExitCode::usage,
              fmt::format("cannot follow the manifest '{}'{}: {}\nexpected CSV with a header, e.g.\n  {}\n"
                          "  runs/a,with-memory,r1,,runs/a/order.txt,no\n`memuse check TRACES --draft-manifest FILE` "
                          "writes one to start from",
                          printable(path), line == 0 ? "" : fmt::format(", line {}", line), why, columns_listed()));
}

/// A path of a row, seen from where the program runs.
std::string from_manifest(const fs::path& folder, const std::string& path) {
  if (path.empty() || fs::path(path).is_absolute() || folder.empty()) return path;
  return (folder / path).string();
}

std::optional<bool> yes_or_no(const std::string& cell, const std::string& path, std::uint64_t line) {
  if (cell.empty()) return std::nullopt;
  if (cell == "yes" || cell == "true" || cell == "1") return true;
  if (cell == "no" || cell == "false" || cell == "0") return false;
  refuse(path, line, fmt::format("`baseline` is \"{}\"; write yes or no", printable(shortened(cell, 60))));
}

/// Reads the rows of one manifest.
class ManifestReader {
 public:
  explicit ManifestReader(const std::string& path) : path_(path), folder_(fs::path(path).parent_path()) {}

  std::vector<ManifestRow> read(std::string_view text) {
    read_csv_rows(text, [&](CsvRow&& row) {
      if (!row.closed) refuse(path_, row.line, "a quoted cell is never closed");
      for (const std::string& cell : row.cells) {
        if (valid_utf8_prefix(cell) != cell.size()) refuse(path_, row.line, "a cell is not valid UTF-8");
      }
      if (columns_.empty()) {
        take_header(row);
      } else {
        take_row(row);
      }
    });
    if (columns_.empty()) refuse(path_, 0, "it is empty");
    if (rows_.empty()) refuse(path_, 0, "it has a header and no rows");
    check_baselines();
    return std::move(rows_);
  }

 private:
  void take_header(const CsvRow& row) {
    const auto& known = manifest_columns();
    for (const std::string& cell : row.cells) {
      if (std::find(known.begin(), known.end(), cell) == known.end()) {
        refuse(path_, row.line, fmt::format("unknown column `{}`", printable(shortened(cell, 60))));
      }
      if (std::find(columns_.begin(), columns_.end(), cell) != columns_.end()) {
        refuse(path_, row.line, fmt::format("column `{}` stands twice", cell));
      }
      columns_.push_back(cell);
    }
    if (std::find(columns_.begin(), columns_.end(), "path") == columns_.end()) {
      refuse(path_, row.line, "its first row names no column `path`");
    }
  }

  void take_row(const CsvRow& row) {
    if (row.cells.size() != columns_.size()) {
      refuse(path_, row.line, fmt::format("{} cells were expected, {} found", columns_.size(), row.cells.size()));
    }
    std::map<std::string_view, std::string> cells;
    for (std::size_t i = 0; i < columns_.size(); ++i) cells[columns_[i]] = row.cells[i];
    ManifestRow made;
    made.line = row.line;
    if (cells["path"].empty()) refuse(path_, row.line, "`path` is empty");
    made.path = from_manifest(folder_, cells["path"]);
    made.configuration = cells["configuration"];
    made.run = cells["run"];
    made.outcomes = from_manifest(folder_, cells["outcomes"]);
    made.order = from_manifest(folder_, cells["order"]);
    made.baseline = yes_or_no(cells["baseline"], path_, row.line);
    std::error_code error;
    fs::path real = fs::weakly_canonical(made.path, error);
    real = full_path(error ? made.path : real.string());
    const auto [earlier, is_new] = lines_.try_emplace(real.string(), row.line);
    if (!is_new) refuse(path_, row.line, fmt::format("this path stands in line {} already", earlier->second));
    if (made.baseline.value_or(false) && made.configuration.empty()) {
      refuse(path_, row.line, "a baseline needs the name of its configuration");
    }
    rows_.push_back(std::move(made));
  }

  void check_baselines() const {
    std::map<std::string, std::pair<bool, std::uint64_t>> said;
    std::string baseline;
    for (const ManifestRow& row : rows_) {
      if (!row.baseline) continue;
      const auto [first, is_new] = said.try_emplace(row.configuration, *row.baseline, row.line);
      if (!is_new && first->second.first != *row.baseline) {
        refuse(path_, row.line,
               fmt::format("configuration '{}' is and is not the baseline (line {})", printable(row.configuration),
                           first->second.second));
      }
      if (!*row.baseline) continue;
      if (!baseline.empty() && baseline != row.configuration) {
        refuse(path_, row.line,
               fmt::format("two baselines, '{}' and '{}'; a study is compared with one", printable(baseline),
                           printable(row.configuration)));
      }
      baseline = row.configuration;
    }
  }

  const std::string& path_;
  fs::path folder_;
  std::vector<std::string> columns_;
  std::vector<ManifestRow> rows_;
  std::map<std::string, std::uint64_t> lines_;
};

}  // namespace

const std::vector<std::string>& manifest_columns() {
  static const std::vector<std::string> columns{"path", "configuration", "run", "outcomes", "order", "baseline"};
  return columns;
}

std::vector<ManifestRow> read_manifest(const std::string& path) {
  try {
    const Document document(open_file(path), kMaxManifestBytes);
    if (document.too_long()) refuse(path, 0, "it is larger than 64 MiB");
    return ManifestReader(path).read(document.text());
  } catch (const ReadFault& fault) {
    refuse(path, 0, fault.reason);
  }
}

std::shared_ptr<const RunNaming> naming_of(const ManifestRow& row) {
  auto naming = std::make_shared<RunNaming>();
  naming->configuration = row.configuration;
  naming->run = row.run;
  if (row.order.empty()) return naming;
  const auto unusable = [&](const std::string& why) {
    return Error(ExitCode::usage, fmt::format("cannot use the order file '{}': {}; it should have one task id a line",
                                              printable(row.order), why));
  };
  try {
    LineReader lines(open_file(row.order), kMaxTaskId);
    Line line;
    while (lines.next(line)) {
      if (line.too_long) throw unusable(fmt::format("line {} is too long", line.number));
      const std::string_view task = trimmed(line.text);
      if (task.empty()) continue;
      const auto position = naming->positions.size() + 1;
      if (!naming->positions.try_emplace(std::string(task), position).second) {
        throw unusable(fmt::format("task {} stands twice (line {})", printable(shortened(task, 100)), line.number));
      }
    }
  } catch (const ReadFault& fault) {
    throw unusable(fault.reason);
  }
  return naming;
}

}  // namespace memuse::ingest
