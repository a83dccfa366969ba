#include "workflow/delta_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ingest/byte_stream.h"
#include "ingest/csv_rows.h"
#include "ingest/diagnostic_log.h"
#include "ingest/document.h"
#include "ingest/json.h"
#include "ingest/line_reader.h"
#include "model/error.h"
#include "model/text.h"
#include "store/database.h"
#include "store/reader.h"
#include "workflow/delta_row_fields.h"

namespace memuse::workflow {
namespace {

using controlled::Amount;
using controlled::Component;
using controlled::ResultRow;

constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxCsvBytes = std::size_t{1} << 30U;
constexpr std::size_t kMaxReferenceBytes = std::size_t{1} << 30U;
constexpr std::string_view kRecord = "result";
constexpr std::string_view kDatabaseStart = "SQLite format 3";
constexpr const char* kExpected =
    "expected CSV with a header, e.g.\n"
    "  strategy,instance,question_type,correct\n"
    "  rag,q1,update,true\n"
    "or JSON Lines, e.g.\n"
    "  {\"strategy\": \"rag\", \"instance\": \"q1\", \"correct\": true}\n"
    "or LongMemEval's evaluated answers, or a database of memuse (docs/controlled-comparisons.md)";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ExitCode::usage, fmt::format("cannot read results from '{}': {}\n{}", printable(path), why, kExpected));
}

RowValue json_value(const ingest::JsonValue& value) {
  RowValue read;
  read.text = value.text;
  switch (value.kind) {
    case ingest::JsonKind::string:
      read.kind = RowValue::Kind::text;
      break;
    case ingest::JsonKind::boolean:
      read.kind = RowValue::Kind::boolean;
      read.boolean = value.boolean;
      break;
    case ingest::JsonKind::number:
      if (const auto number = value.as_double()) {
        read.kind = RowValue::Kind::number;
        read.number = *number;
      }
      break;
    default:
      break;
  }
  return read;
}

/// Reads JSON Lines: rows of our own form and of LongMemEval's.
class JsonLinesReader {
 public:
  JsonLinesReader(const std::string& path, const QuestionTypes& types, const RowSink& sink, ingest::DiagnosticLog& log)
      : lines_(ingest::open_file(path), kMaxLineBytes), types_(types), sink_(sink), log_(log) {}

  void read() {
    while (lines_.next(line_)) {
      if (line_.too_long) {
        report(Fault::line_too_long, line_.byte, fmt::format("more than {} MiB", kMaxLineBytes >> 20U));
      } else if (!is_blank(line_.text)) {
        read_line();
      }
    }
  }

 private:
  void report(Fault fault, std::uint64_t byte, const std::string& detail) {
    log_.add(Severity::error, fault, line_.number, byte, detail);
  }

  void read_line() {
    Arena arena;
    ingest::JsonFault fault;
    const ingest::JsonValue* record = parser_.parse(line_.text, lines_.readable(line_.text), arena, fault);
    if (record == nullptr) return report(fault.fault, line_.byte + fault.byte, fault.detail);
    if (!parser_.repairs().duplicate_keys.empty()) {
      return report(Fault::duplicate_key, line_.byte, std::string(parser_.repairs().duplicate_keys.front()));
    }
    ResultRowBuilder builder;
    const bool evaluated = record->field("instance") == nullptr && record->field("question_id") != nullptr;
    if (evaluated) {
      take_evaluated(*record, builder);
    } else {
      take_fields(*record, builder);
    }
    const ResultRow* row = builder.finish();
    const std::string wrong = row == nullptr ? builder.fault() : sink_(*row, line_.number);
    if (!wrong.empty()) report(Fault::invalid_row, line_.byte, wrong);
  }

  void take_fields(const ingest::JsonValue& record, ResultRowBuilder& builder) {
    for (const ingest::JsonValue& field : ingest::JsonChildren(record)) {
      if (field.is_null() || builder.set(field.key, json_value(field))) continue;
      log_.count_unknown_field(kRecord, field.key, line_.number, line_.byte);
    }
  }

  static bool is_of_evaluation(std::string_view field) {
    return field == "question_id" || field == "hypothesis" || field == "autoeval_label" || field == "question_type";
  }

  /// {"question_id", "hypothesis", "autoeval_label": {"model", "label"}}; the type of the question stands elsewhere.
  /// Further fields are those of a row of our own.
  void take_evaluated(const ingest::JsonValue& record, ResultRowBuilder& builder) {
    const ingest::JsonValue& id = *record.field("question_id");
    builder.set("instance", json_value(id));
    const std::string_view question = id.as_string().value_or(std::string_view());
    builder.set("abstention", RowValue{RowValue::Kind::boolean, "", 0.0, question.ends_with("_abs")});
    if (const auto type = types_.find(std::string(question)); type != types_.end()) {
      builder.set("question_type", RowValue{RowValue::Kind::text, type->second, 0.0, false});
    } else if (const ingest::JsonValue* stated = record.field("question_type"); stated != nullptr) {
      if (!stated->is_null()) builder.set("question_type", json_value(*stated));
    }
    for (const ingest::JsonValue& field : ingest::JsonChildren(record)) {
      if (is_of_evaluation(field.key) || field.is_null() || builder.set(field.key, json_value(field))) continue;
      log_.count_unknown_field(kRecord, field.key, line_.number, line_.byte);
    }
    const ingest::JsonValue* label = record.field("autoeval_label");
    if (label == nullptr || label->kind != ingest::JsonKind::object) return;  // not judged: no score
    if (const ingest::JsonValue* right = label->field("label"); right != nullptr && !right->is_null()) {
      builder.set("correct", json_value(*right));
    }
    if (const ingest::JsonValue* judge = label->field("model"); judge != nullptr && !judge->is_null()) {
      builder.set("judge", json_value(*judge));
    }
  }

  ingest::LineReader lines_;
  ingest::Line line_;
  ingest::JsonParser parser_{kMaxLineBytes};
  const QuestionTypes& types_;
  const RowSink& sink_;
  ingest::DiagnosticLog& log_;
};

/// Reads CSV with a header.
class CsvResultReader {
 public:
  CsvResultReader(const std::string& path, const RowSink& sink, ingest::DiagnosticLog& log)
      : path_(path), sink_(sink), log_(log) {}

  void read() {
    const ingest::Document file(ingest::open_file(path_), kMaxCsvBytes);
    if (file.too_long()) refuse(path_, fmt::format("it is larger than {} MiB; use JSON Lines", kMaxCsvBytes >> 20U));
    ingest::read_csv_rows(file.text(), [&](ingest::CsvRow&& row) {
      row.byte += file.begin();
      if (header_.empty()) {
        take_header(std::move(row));
      } else {
        take_row(row);
      }
    });
    if (header_.empty()) refuse(path_, "it is empty");
  }

 private:
  void take_header(ingest::CsvRow&& row) {
    const auto& known = result_fields();
    for (auto cell = row.cells.begin(); cell != row.cells.end(); ++cell) {
      if (std::find(known.begin(), known.end(), *cell) == known.end()) {
        log_.count_unknown_field(kRecord, *cell, row.line, row.byte);
      } else if (std::find(row.cells.begin(), cell, *cell) != cell) {
        refuse(path_, fmt::format("column `{}` stands twice in its header", *cell));
      }
    }
    header_ = std::move(row.cells);
    for (const char* needed : {"instance", "correct"}) {
      if (std::find(header_.begin(), header_.end(), needed) == header_.end()) {
        refuse(path_, fmt::format("its first row does not name the column `{}`", needed));
      }
    }
  }

  void take_row(const ingest::CsvRow& row) {
    const std::string wrong = fault_of(row);
    if (!wrong.empty()) log_.add(Severity::error, Fault::invalid_row, row.line, row.byte, wrong);
  }

  std::string fault_of(const ingest::CsvRow& row) {
    if (!row.closed) return "a quoted cell is never closed; the rest of the file was set aside";
    if (row.cells.size() != header_.size()) {
      return fmt::format("{} cells were expected, {} found", header_.size(), row.cells.size());
    }
    ResultRowBuilder builder;
    for (std::size_t i = 0; i < header_.size(); ++i) {
      const std::string& cell = row.cells[i];
      if (valid_utf8_prefix(cell) != cell.size()) return fmt::format("`{}` is not UTF-8", printable(header_[i]));
      if (!cell.empty()) builder.set(header_[i], RowValue{RowValue::Kind::cell, cell, 0.0, false});
    }
    const ResultRow* result = builder.finish();
    return result == nullptr ? builder.fault() : sink_(*result, row.line);
  }

  const std::string& path_;
  const RowSink& sink_;
  ingest::DiagnosticLog& log_;
  std::vector<std::string> header_;
};

/// The retained attempts of a database. What it holds of a memory system's own calls does not say which of them build
/// the memory, so the write path stays unknown.
void read_database(const std::string& path, const RowSink& sink, ingest::DiagnosticLog& log) {
  const store::Database database = store::Database::open_existing(path);
  std::uint64_t number = 0;
  for (const EpisodeRecord& episode : store::find_episodes(database, {})) {
    ++number;
    if (!episode.retained) continue;
    ResultRow row;
    row.strategy = episode.configuration;
    row.instance = episode.task_id;
    row.run = episode.run;
    if (episode.resolved) row.score = *episode.resolved ? 1.0 : 0.0;
    if (!episode.model.empty()) row.components[Component::reader_model] = episode.model;
    const CallTotals& calls = episode.agent;
    const auto set = [&](Amount amount, std::optional<double> value) {
      row.amounts[static_cast<std::size_t>(amount)] = value;
    };
    if (calls.calls > 0 && calls.calls_without_tokens == 0) {
      set(Amount::read_tokens, static_cast<double>(calls.input_tokens + calls.output_tokens));
    }
    if (calls.calls > 0 && calls.calls_without_cost == 0) set(Amount::read_dollars, calls.cost_usd);
    set(Amount::read_seconds, episode.agent_seconds);
    const std::string wrong = row.instance.empty()
                                  ? fmt::format("episode `{}` names no task", shortened(episode.episode, 60))
                                  : sink(row, number);
    if (!wrong.empty()) log.add(Severity::error, Fault::invalid_row, 0, 0, wrong);
  }
}

void take_type(const ingest::JsonValue& question, QuestionTypes& types) {
  if (question.kind != ingest::JsonKind::object) return;
  const ingest::JsonValue* id = question.field("question_id");
  const ingest::JsonValue* type = question.field("question_type");
  if (id == nullptr || type == nullptr || !id->as_string() || !type->as_string()) return;
  types[std::string(*id->as_string())] = std::string(*type->as_string());
}

QuestionTypes types_of_lines(const std::string& path) {
  QuestionTypes types;
  ingest::LineReader lines(ingest::open_file(path), kMaxReferenceBytes);
  ingest::JsonParser parser;
  for (ingest::Line line; lines.next(line);) {
    Arena arena;
    ingest::JsonFault fault;
    const ingest::JsonValue* question = parser.parse(line.text, lines.readable(line.text), arena, fault);
    if (question != nullptr) take_type(*question, types);
  }
  return types;
}

QuestionTypes types_of_list(const std::string& path) {
  QuestionTypes types;
  const ingest::Document file(ingest::open_file(path), kMaxReferenceBytes);
  if (file.too_long()) {
    throw Error(ExitCode::usage,
                fmt::format("the questions in '{}' are more than {} MiB; the oracle file has the types, "
                            "too, and is smaller",
                            printable(path), kMaxReferenceBytes >> 20U));
  }
  Arena arena;
  ingest::JsonFault fault;
  ingest::JsonParser parser;
  const ingest::JsonValue* root = parser.parse(file.text(), file.readable(), arena, fault, ingest::JsonRoot::container);
  if (root == nullptr || root->kind != ingest::JsonKind::array) return types;
  for (const ingest::JsonValue& question : ingest::JsonChildren(*root)) take_type(question, types);
  return types;
}

char first_character(const std::string& start) {
  const std::size_t at = start.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return at == std::string::npos ? '\0' : start[at];
}

std::string start_of(const std::string& path) {
  constexpr std::size_t kLookedAt = 4096;
  return ingest::read_up_to(*ingest::open_file(path), kLookedAt);
}

}  // namespace

void read_result_file(const std::string& path, const QuestionTypes& types, const RowSink& sink,
                      std::vector<Diagnostic>& diagnostics) {
  ingest::DiagnosticLog log(path);
  try {
    const std::string start = start_of(path);
    if (start.starts_with(kDatabaseStart)) {
      read_database(path, sink, log);
    } else if (first_character(start) == '[') {
      refuse(path, "it is a JSON list; write one row a line");
    } else if (first_character(start) == '{') {
      JsonLinesReader(path, types, sink, log).read();
    } else {
      CsvResultReader(path, sink, log).read();
    }
  } catch (const ingest::ReadFault& fault) {
    refuse(path, fault.reason);
  }
  for (Diagnostic& diagnostic : log.take()) diagnostics.push_back(std::move(diagnostic));
}

QuestionTypes read_question_types(const std::string& path) {
  QuestionTypes types;
  try {
    types = first_character(start_of(path)) == '[' ? types_of_list(path) : types_of_lines(path);
  } catch (const ingest::ReadFault& fault) {
    throw Error(ExitCode::usage, fmt::format("cannot read the questions in '{}': {}", printable(path), fault.reason));
  }
  if (types.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("'{}' holds no objects with question_id and question_type", printable(path)));
  }
  return types;
}

}  // namespace memuse::workflow
