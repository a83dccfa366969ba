#include "ingest/task_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "ingest/byte_stream.h"
#include "ingest/container_kind.h"
#include "ingest/csv_rows.h"
#include "ingest/diagnostic_log.h"
#include "ingest/document.h"
#include "ingest/inputs.h"
#include "ingest/json.h"
#include "ingest/record_fields.h"
#include "ingest/swe_bench_report.h"
#include "ingest/unpacked_archive.h"
#include "model/error.h"
#include "model/text.h"

// A task file is small beside the traces, so it is read as a whole. Its form is told from its content: CSV unless it
// starts like JSON; JSON Lines when it is no single document but some line of it is a row.

namespace memuse::ingest {
namespace {

constexpr std::size_t kMaxTaskFileBytes = std::size_t{256} << 20;

/// What a kind of file is called and how it is written, for the person who gave us another one.
struct FileKind {
  std::string_view record;  // of one row, in diagnostics
  std::string_view content;
  std::string_view expected;
};

constexpr FileKind kOutcomes{"outcome", "outcomes",
                             "CSV with a header, e.g.\n"
                             "  task_id,resolved,reward,configuration,run\n"
                             "  task-1,true,0.5,,\n"
                             "or JSON, e.g.\n"
                             "  [{\"task_id\": \"task-1\", \"resolved\": true}]\n"
                             "or an evaluation report of SWE-bench, or a folder of them, or an object\n"
                             "  {\"task-1\": true, \"task-2\": {\"resolved\": false, \"reward\": 0.5}}"};
constexpr FileKind kProbes{"probe", "probes",
                           "JSON Lines or a JSON list, e.g.\n"
                           "  {\"task_id\": \"task-1\", \"gold\": [\"42\"], \"stale\": [\"41\"]}\n"
                           "or an object from task id to probe, e.g.\n"
                           "  {\"task-1\": {\"gold\": [\"42\"], \"stale\": [\"41\"]}}"};

[[noreturn]] void refuse(const FileKind& kind, const std::string& path, const std::string& why) {
  throw Error(ExitCode::usage, fmt::format("cannot read {} from '{}': {}\nexpected {}", kind.content, printable(path),
                                           why, kind.expected));
}

/// The whole file; throws Error(usage) when it cannot be had.
Document read_whole(const FileKind& kind, const std::string& path) {
  try {
    Document file(open_file(path), kMaxTaskFileBytes);
    if (file.too_long()) refuse(kind, path, fmt::format("it is larger than {} MiB", kMaxTaskFileBytes >> 20U));
    return file;
  } catch (const ReadFault& fault) {
    refuse(kind, path, fault.reason);
  }
}

/// Collects rows; of several for the same scope the last one stays.
template <typename Row>
class TableBuilder {
 public:
  explicit TableBuilder(DiagnosticLog& log) : log_(log) {}

  void add(Row row, RecordPlace place) {
    row.line = place.line;
    std::array<std::string, 3> scope{row.task_id, row.configuration, row.run};
    const auto [found, inserted] = rows_.try_emplace(std::move(scope));
    if (!inserted && !says_the_same(found->second, row)) {
      log_.add(Severity::warning, Fault::duplicate_row, place.line, place.byte,
               row.file.empty()
                   ? fmt::format("`{}`, first in line {}", shortened(row.task_id, 60), found->second.line)
                   : fmt::format("`{}` in {}, first in {}", shortened(row.task_id, 60), row.file, found->second.file));
    }
    found->second = std::move(row);
  }

  TaskTable<Row> take() {
    TaskTable<Row> table;
    for (auto& [scope, row] : rows_) table.rows.push_back(std::move(row));
    return table;
  }

 private:
  /// Reports of a run and of its instances repeat each other; that is worth no word.
  static bool says_the_same(const Row& a, const Row& b) {
    if constexpr (std::is_same_v<Row, OutcomeRow>) {
      return !b.file.empty() && a.resolved == b.resolved && a.reward == b.reward;
    } else {
      return false;
    }
  }

  DiagnosticLog& log_;
  std::map<std::array<std::string, 3>, Row> rows_;
};

void read_values(RecordFields& fields, OutcomeRow& row) {
  row.resolved = fields.boolean("resolved");
  row.reward = fields.number("reward");
}

void read_values(RecordFields& fields, ProbeRow& row) {
  row.dependent = fields.boolean("dependent");
  for (const std::string_view value : fields.strings("gold", kMostProbeValues)) row.gold.emplace_back(value);
  for (const std::string_view value : fields.strings("stale", kMostProbeValues)) row.stale.emplace_back(value);
  row.pre_satisfied = fields.boolean("pre_satisfied");
  row.memory_had_fact = fields.boolean("memory_had_fact");
  row.memory_utilized = fields.boolean("memory_utilized");
}

/// Reads JSON forms of a task file.
template <typename Row>
class JsonTaskReader {
 public:
  JsonTaskReader(const FileKind& kind, const std::string& path, const Document& file, DiagnosticLog& log,
                 TableBuilder<Row>& table)
      : kind_(kind), path_(path), file_(file), log_(log), table_(table), places_(file) {}

  void read() {
    JsonFault fault;
    const JsonValue* root =
        parser_.parse(file_.text(), file_.readable(file_.text()), arena_, fault, JsonRoot::container);
    if (root == nullptr) {
      if (!has_row_line()) {
        const RecordPlace place = places_.at(fault.byte);
        refuse(kind_, path_,
               fmt::format("line {} (byte {}): {}{}{}", place.line, place.byte, fault_name(fault.fault),
                           fault.detail.empty() ? "" : ", ", fault.detail));
      }
      return read_lines();
    }
    if (take_report(*root)) return;
    if (root->kind == JsonKind::array) {
      for (const JsonValue& element : JsonChildren(*root)) take_row(element, places_.at(element.byte));
      report_repairs(parser_, {}, log_);
    } else if (root->field("task_id") != nullptr) {
      take_row(*root, places_.at(0));
      report_repairs(parser_, places_.at(0), log_);
    } else {
      read_map(*root);
    }
  }

 private:
  /// Calls `visit(line, number, byte)` for each line that is not blank until it returns true.
  template <typename Visit>
  bool any_line(Visit visit) const {
    const std::string_view text = file_.text();
    std::uint64_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      ++number;
      if (!is_blank(line) && visit(line, RecordPlace{number, file_.begin() + begin})) return true;
      begin = end + 1;
    }
    return false;
  }

  bool take_report(const JsonValue& root) {
    if constexpr (std::is_same_v<Row, OutcomeRow>) {
      auto rows = swe_bench_outcomes(root, path_);
      if (!rows) return false;
      for (OutcomeRow& row : *rows) table_.add(std::move(row), {1, 0});
      return true;
    } else {
      return false;
    }
  }

  bool has_row_line() {
    return any_line([&](std::string_view line, RecordPlace) {
      JsonFault ignored;
      const JsonValue* record = parser_.parse(line, file_.readable(line), arena_, ignored);
      return record != nullptr && record->field("task_id") != nullptr;
    });
  }

  void read_lines() {
    any_line([&](std::string_view line, RecordPlace place) {
      JsonFault fault;
      const JsonValue* record = parser_.parse(line, file_.readable(line), arena_, fault);
      if (record == nullptr) {
        log_.add(Severity::error, fault.fault, place.line, place.byte + fault.byte, fault.detail);
      } else {
        report_repairs(parser_, place, log_);
        take_row(*record, place);
      }
      return false;
    });
  }

  void read_map(const JsonValue& root) {
    for (const JsonValue& element : JsonChildren(root)) {
      const RecordPlace place = places_.at(element.byte);
      Row row;
      row.task_id = element.key;
      if (take_short_form(element, row) || take_values(element, row, place)) table_.add(std::move(row), place);
    }
    report_repairs(parser_, {}, log_, &root);
  }

  /// `"task-1": true`.
  static bool take_short_form(const JsonValue& value, Row& row) {
    if constexpr (std::is_same_v<Row, OutcomeRow>) {
      row.resolved = value.as_bool();
      return value.kind == JsonKind::boolean || value.is_null();
    } else {
      static_cast<void>(row);
      return false;
    }
  }

  void take_row(const JsonValue& element, RecordPlace place) {
    Row row;
    if (take_values(element, row, place)) table_.add(std::move(row), place);
  }

  /// The fields of one row; its task id too, unless the row has it already. False when it cannot be used.
  bool take_values(const JsonValue& element, Row& row, RecordPlace place) {
    if (element.kind != JsonKind::object) {
      log_.add(Severity::error, Fault::invalid_row, place.line, place.byte, "an object was expected");
      return false;
    }
    RecordFields fields(element, std::string(kind_.record), place, log_);
    if (row.task_id.empty()) row.task_id = or_empty(fields.string_or_number("task_id"));
    row.configuration = or_empty(fields.string_or_number("configuration"));
    row.run = or_empty(fields.string_or_number("run"));
    read_values(fields, row);
    if constexpr (std::is_same_v<Row, ProbeRow>) read_corruption(fields, row);
    fields.count_unknown();
    if (row.task_id.empty()) {
      fields.report(Severity::error, Fault::missing_field, fmt::format("`{}.task_id`", kind_.record));
      return false;
    }
    if (!fields.clean()) {
      fields.report(Severity::error, Fault::invalid_row, fmt::format("task `{}`", shortened(row.task_id, 60)));
      return false;
    }
    return true;
  }

  void read_corruption(RecordFields& fields, ProbeRow& row) {
    const JsonValue* corruption = fields.object("corruption");
    if (corruption == nullptr) return;
    RecordFields parts(*corruption, "probe.corruption", fields.place(), log_);
    row.corruption = ProbeRow::Corruption{std::string(or_empty(parts.string("mode"))), parts.number("rate")};
    parts.count_unknown();
  }

  const FileKind& kind_;
  const std::string& path_;
  const Document& file_;
  DiagnosticLog& log_;
  TableBuilder<Row>& table_;
  DocumentPlaces places_;
  Arena arena_;
  JsonParser parser_;
};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Reads the CSV form of a file of outcomes.
class CsvOutcomeReader {
 public:
  CsvOutcomeReader(const std::string& path, const Document& file, DiagnosticLog& log, TableBuilder<OutcomeRow>& table)
      : path_(path), file_(file), log_(log), table_(table) {}

  void read() {
    read_csv_rows(file_.text(), [&](CsvRow&& row) {
      const RecordPlace place{row.line, file_.begin() + row.byte};
      if (columns_.empty()) {
        take_header(row, place);
      } else {
        take_row(row, place);
      }
    });
    if (columns_.empty()) refuse(kOutcomes, path_, "it is empty");
  }

 private:
  enum class Column { task_id, resolved, reward, configuration, run, unknown };

  static Column column_of(const std::string& name) {
    constexpr std::array<std::pair<std::string_view, Column>, 5> kColumns{{{"task_id", Column::task_id},
                                                                           {"resolved", Column::resolved},
                                                                           {"reward", Column::reward},
                                                                           {"configuration", Column::configuration},
                                                                           {"run", Column::run}}};
    for (const auto& [known, column] : kColumns) {
      if (known == name) return column;
    }
    return Column::unknown;
  }

  void take_header(const CsvRow& row, RecordPlace place) {
    for (const std::string& cell : row.cells) {
      const Column column = column_of(lower_case(cell));
      if (column == Column::unknown) {
        log_.count_unknown_field(kOutcomes.record, cell, place.line, place.byte);
      } else if (std::find(columns_.begin(), columns_.end(), column) != columns_.end()) {
        refuse(kOutcomes, path_, fmt::format("column `{}` stands twice in its header", printable(cell)));
      }
      columns_.push_back(column);
    }
    const auto has = [&](Column column) {
      return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
    };
    if (!has(Column::task_id) || (!has(Column::resolved) && !has(Column::reward))) {
      refuse(kOutcomes, path_, "its first row does not name the columns `task_id` and `resolved` or `reward`");
    }
  }

  void take_row(const CsvRow& row, RecordPlace place) {
    const auto set_aside = [&](Fault fault, const std::string& detail) {
      log_.add(Severity::error, fault, place.line, place.byte, detail);
    };
    if (!row.closed) {
      return set_aside(Fault::invalid_row, "a quoted cell is never closed; the rest of the file was set aside");
    }
    if (row.cells.size() != columns_.size()) {
      return set_aside(Fault::invalid_row,
                       fmt::format("{} cells were expected, {} found", columns_.size(), row.cells.size()));
    }
    OutcomeRow outcome;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = row.cells[i];
      if (valid_utf8_prefix(cell) != cell.size()) return set_aside(Fault::invalid_utf8, "");
      if (columns_[i] == Column::task_id) outcome.task_id = cell;
      if (columns_[i] == Column::configuration) outcome.configuration = cell;
      if (columns_[i] == Column::run) outcome.run = cell;
      if (columns_[i] == Column::resolved && !read_truth(cell, outcome.resolved)) {
        return set_aside(Fault::unknown_value,
                         fmt::format("`resolved` is \"{}\"; expected true, false or nothing", shortened(cell, 60)));
      }
      if (columns_[i] == Column::reward && !read_number(cell, outcome.reward)) {
        return set_aside(Fault::wrong_type,
                         fmt::format("`reward` is \"{}\"; expected a number or nothing", shortened(cell, 60)));
      }
    }
    if (outcome.task_id.empty()) return set_aside(Fault::missing_field, "`outcome.task_id`");
    table_.add(std::move(outcome), place);
  }

  static bool read_truth(const std::string& cell, std::optional<bool>& value) {
    const std::string word = lower_case(cell);
    if (word == "true" || word == "1" || word == "yes") value = true;
    if (word == "false" || word == "0" || word == "no") value = false;
    return value || word.empty();
  }

  static bool read_number(const std::string& cell, std::optional<double>& value) {
    if (cell.empty()) return true;
    double number = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(number)) return false;
    value = number;
    return true;
  }

  const std::string& path_;
  const Document& file_;
  DiagnosticLog& log_;
  TableBuilder<OutcomeRow>& table_;
  std::vector<Column> columns_;
};

bool starts_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

void append(std::vector<Diagnostic>& all, std::vector<Diagnostic>&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

template <typename T>
void replace_if_given(std::optional<T>& field, const std::optional<T>& given) {
  if (given) field = given;
}

}  // namespace

namespace {

/// The reports in a folder and below it, in the order of their paths.
OutcomeTable read_report_folder(const std::string& folder, std::vector<Diagnostic>& diagnostics) {
  DiagnosticLog log(folder);
  TableBuilder<OutcomeRow> table(log);
  InputList inputs = find_plain_files(folder);
  append(diagnostics, std::move(inputs.diagnostics));
  for (const Input& input : inputs.files) {
    if (!input.path.ends_with(".json")) continue;
    DiagnosticLog report_log(input.path);
    for (OutcomeRow& row : read_swe_bench_report(input.path, report_log)) {
      row.file = input.path;
      table.add(std::move(row), {1, 0});
    }
    append(diagnostics, report_log.take());
  }
  append(diagnostics, log.take());
  OutcomeTable read = table.take();
  if (read.rows.empty()) refuse(kOutcomes, folder, "there is no evaluation report in this folder");
  return read;
}

/// The same for a file or folder that can be opened as it stands.
OutcomeTable read_outcomes_at(const std::string& path, std::vector<Diagnostic>& diagnostics) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return read_report_folder(path, diagnostics);
  const Document file = read_whole(kOutcomes, path);
  DiagnosticLog log(path);
  TableBuilder<OutcomeRow> table(log);
  if (starts_like_json(file.text())) {
    JsonTaskReader<OutcomeRow>(kOutcomes, path, file, log, table).read();
  } else {
    CsvOutcomeReader(path, file, log, table).read();
  }
  append(diagnostics, log.take());
  return table.take();
}

}  // namespace

OutcomeTable read_outcomes(const std::string& path, std::vector<Diagnostic>& diagnostics) {
  OpenPlace place;
  try {
    place = open_place(is_archive(path) ? path + "!" : path, container_limits());
  } catch (const ReadFault& fault) {
    refuse(kOutcomes, path, fault.reason);
  }
  const ShownPaths shown{place.root, place.shown};
  std::vector<Diagnostic> found;
  OutcomeTable table = read_outcomes_at(place.path, found);
  for (Diagnostic& diagnostic : found) {
    diagnostic.file = shown.show(diagnostic.file);
    diagnostic.detail = shown.show(diagnostic.detail);
  }
  for (OutcomeRow& row : table.rows) row.file = shown.show(row.file);
  append(diagnostics, std::move(found));
  return table;
}

ProbeTable read_probes(const std::string& path, std::vector<Diagnostic>& diagnostics) {
  const Document file = read_whole(kProbes, path);
  if (!starts_like_json(file.text())) refuse(kProbes, path, "it is not JSON");
  DiagnosticLog log(path);
  TableBuilder<ProbeRow> table(log);
  JsonTaskReader<ProbeRow>(kProbes, path, file, log, table).read();
  append(diagnostics, log.take());
  return table.take();
}

bool apply_probes(Episode& episode, const ProbeTable& probes) {
  const ProbeRow* row = probes.find(episode.task_id, episode.configuration, episode.run);
  if (row == nullptr) return false;
  if (!episode.probe) episode.probe.emplace();
  Probe& probe = *episode.probe;
  const auto replace_values = [&](std::vector<std::string_view>& values, const std::vector<std::string>& given) {
    if (given.empty()) return;
    values.clear();
    for (const std::string& value : given) values.push_back(episode.arena.keep(value));
  };
  replace_if_given(probe.dependent, row->dependent);
  replace_values(probe.gold, row->gold);
  replace_values(probe.stale, row->stale);
  replace_if_given(probe.pre_satisfied, row->pre_satisfied);
  replace_if_given(probe.memory_had_fact, row->memory_had_fact);
  replace_if_given(probe.memory_utilized, row->memory_utilized);
  if (row->corruption) {
    probe.corruption = Corruption{episode.arena.keep(row->corruption->mode), row->corruption->rate};
  }
  return true;
}

}  // namespace memuse::ingest
