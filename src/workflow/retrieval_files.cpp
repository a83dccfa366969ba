#include "workflow/retrieval_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "ingest/byte_stream.h"
#include "ingest/csv_rows.h"
#include "ingest/diagnostic_log.h"
#include "ingest/document.h"
#include "ingest/json.h"
#include "ingest/line_reader.h"
#include "ingest/record_fields.h"
#include "model/arena.h"
#include "model/error.h"
#include "model/text.h"
#include "store/timestamp.h"

namespace memuse::workflow {
namespace {

using ingest::DiagnosticLog;
using ingest::JsonValue;
using ingest::or_empty;
using ingest::RecordFields;
using ingest::RecordPlace;
using retrieval::GoldQuestion;
using retrieval::ItemVersion;
using retrieval::Moment;
using retrieval::Returned;
using retrieval::SearchResult;

constexpr std::size_t kMaxResultLineBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxResultCsvBytes = std::size_t{1} << 30;
constexpr std::size_t kShownBytes = 60;

[[noreturn]] void cannot_read(const std::string& path, const std::string& reason) {
  throw Error(ExitCode::usage, fmt::format("cannot read '{}': {}", printable(path), reason));
}

void append(std::vector<Diagnostic>& all, std::vector<Diagnostic>&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Hands every line's object to `visit`; lines that are none become diagnostics.
void for_each_record(const std::string& path, DiagnosticLog& log,
                     const std::function<void(const JsonValue&, RecordPlace)>& visit) {
  try {
    ingest::LineReader reader(ingest::open_file(path), kMaxResultLineBytes);
    ingest::JsonParser parser;
    ingest::Line line;
    while (reader.next(line)) {
      const RecordPlace place{line.number, line.byte};
      if (line.too_long) {
        log.add(Severity::error, Fault::line_too_long, place.line, place.byte, "");
        continue;
      }
      if (is_blank(line.text)) continue;
      Arena arena;
      ingest::JsonFault fault;
      const JsonValue* record = parser.parse(line.text, reader.readable(line.text), arena, fault);
      if (record == nullptr) {
        log.add(Severity::error, fault.fault, place.line, place.byte + fault.byte, fault.detail);
        continue;
      }
      ingest::report_repairs(parser, place, log);
      visit(*record, place);
    }
  } catch (const ingest::ReadFault& fault) {
    cannot_read(path, fault.reason);
  }
}

/// RFC 3339, or a date, which means its first moment in UTC.
std::optional<Moment> moment_of(std::string_view text) {
  static constexpr std::size_t kDateBytes = 10;
  if (text.size() == kDateBytes) return store::microseconds_of(std::string(text) + "T00:00:00Z");
  return store::microseconds_of(text);
}

/// A time of a record; sets `good` to false for one that is none.
std::optional<Moment> time_field(RecordFields& fields, std::string_view name, bool& good) {
  const auto text = fields.string(name);
  if (!text) return std::nullopt;
  const std::optional<Moment> moment = moment_of(*text);
  if (!moment) {
    good = false;
    fields.report(Severity::error, Fault::unknown_value,
                  fmt::format("`{}` is \"{}\"; expected a date or an RFC 3339 time", name,
                              shortened(printable(*text), kShownBytes)));
  }
  return moment;
}

/// Reads gold questions, record by record.
class GoldReader {
 public:
  explicit GoldReader(DiagnosticLog& log) : log_(log) {}

  void take(const JsonValue& record, RecordPlace place) {
    RecordFields fields(record, "gold", place, log_);
    GoldQuestion question;
    bool good = true;
    question.line = place.line;
    question.id = or_empty(fields.string_or_number("question_id"));
    question.search = or_empty(fields.string_or_number("search_id"));
    question.category = or_empty(fields.string("category"));
    question.text = or_empty(fields.string("question"));
    question.abstention = fields.boolean("abstention").value_or(false);
    take_relevant(fields, question);
    for (const JsonValue* fact : fields.objects("supersessions")) good = take_fact(*fact, place, question) && good;
    question.as_of = time_field(fields, "as_of", good);
    for (const JsonValue* version : fields.objects("valid")) {
      question.valid.push_back(item_version(*version, "gold.valid", place, good));
    }
    fields.count_unknown();
    good = check(fields, question) && good && fields.clean();
    if (good) {
      questions_.push_back(std::move(question));
    } else {
      fields.report(Severity::error, Fault::invalid_row, "this question was set aside");
    }
  }

  std::vector<GoldQuestion> take_all() { return std::move(questions_); }

 private:
  static void take_relevant(RecordFields& fields, GoldQuestion& question) {
    std::set<std::string_view> seen;
    for (const std::string_view id : fields.strings("relevant")) {
      if (seen.insert(id).second) question.relevant.emplace_back(id);
    }
  }

  ItemVersion item_version(const JsonValue& value, const std::string& name, RecordPlace place, bool& good) {
    RecordFields fields(value, name, place, log_);
    ItemVersion version{std::string(or_empty(fields.string_or_number("item"))),
                        std::string(or_empty(fields.string_or_number("version")))};
    fields.count_unknown();
    good = good && fields.clean();
    if (version.item.empty()) {
      good = false;
      fields.report(Severity::error, Fault::missing_field, fmt::format("`{}.item`", name));
    }
    return version;
  }

  bool take_fact(const JsonValue& value, RecordPlace place, GoldQuestion& question) {
    RecordFields fields(value, "gold.supersessions", place, log_);
    retrieval::Supersession fact;
    bool good = true;
    if (const JsonValue* newest = fields.object("newest")) {
      fact.newest = item_version(*newest, "gold.supersessions.newest", place, good);
    } else {
      good = false;
      fields.report(Severity::error, Fault::missing_field, "`gold.supersessions.newest`");
    }
    for (const JsonValue* old : fields.objects("superseded")) {
      fact.superseded.push_back(item_version(*old, "gold.supersessions.superseded", place, good));
    }
    fact.value = or_empty(fields.string_or_number("value"));
    for (const std::string_view stale : fields.strings("stale_values")) fact.stale_values.emplace_back(stale);
    fields.count_unknown();
    if (good && std::find(fact.superseded.begin(), fact.superseded.end(), fact.newest) != fact.superseded.end()) {
      good = false;
      fields.report(Severity::error, Fault::inconsistent_record, "the newest version is among the superseded ones");
    }
    const bool same_item = std::any_of(fact.superseded.begin(), fact.superseded.end(),
                                       [&](const ItemVersion& old) { return old.item == fact.newest.item; });
    if (good && fact.newest.version.empty() && same_item) {
      good = false;
      fields.report(Severity::error, Fault::inconsistent_record,
                    "`newest` needs a version: a superseded one is of the same item");
    }
    good = good && fields.clean();
    question.supersessions.push_back(std::move(fact));
    return good;
  }

  bool check(RecordFields& fields, const GoldQuestion& question) {
    const auto refuse = [&](Fault fault, const std::string& detail) {
      fields.report(Severity::error, fault, detail);
      return false;
    };
    if (question.id.empty()) return refuse(Fault::missing_field, "`gold.question_id`");
    if (question.abstention && !question.relevant.empty()) {
      return refuse(Fault::inconsistent_record, "an abstention item has no relevant ids");
    }
    if (!question.abstention && question.relevant.empty()) {
      return refuse(Fault::missing_field, "`gold.relevant` (at least one id, or `abstention` true)");
    }
    if (!question.valid.empty() && !question.as_of) {
      return refuse(Fault::missing_field, "`gold.as_of` (`valid` says what holds at that time)");
    }
    if (!seen_.insert({question.id, question.search}).second) {
      return refuse(Fault::duplicate_row, fmt::format("`{}`", shortened(printable(question.id), kShownBytes)));
    }
    return true;
  }

  DiagnosticLog& log_;
  std::vector<GoldQuestion> questions_;
  std::set<std::pair<std::string, std::string>> seen_;
};

/// Puts results together and finds their questions.
class ResultCollector {
 public:
  ResultCollector(const std::vector<GoldQuestion>& questions, const std::string& configuration, const std::string& run,
                  DiagnosticLog& log)
      : configuration_(configuration), run_(run), log_(log) {
    for (std::size_t i = 0; i < questions.size(); ++i)
      by_id_.emplace(std::pair(questions[i].id, questions[i].search), i);
  }

  /// The result of that question; null when no gold question has the id. `is_new` says whether it was just made.
  SearchResult* result_of(const std::string& question, const std::string& search, std::string configuration,
                          std::string run, bool& is_new) {
    const auto gold = by_id_.find(std::pair(question, search));
    if (gold == by_id_.end()) {
      unknown_.insert(question);
      return nullptr;
    }
    if (configuration.empty()) configuration = configuration_;
    if (run.empty()) run = run_;
    const auto [place, inserted] = places_.try_emplace(std::tuple(configuration, run, gold->second), results_.size());
    is_new = inserted;
    if (inserted) {
      SearchResult result;
      result.question = gold->second;
      result.configuration = std::move(configuration);
      result.run = std::move(run);
      results_.push_back(std::move(result));
    }
    return &results_[place->second];
  }

  RecordedResults take() { return {std::move(results_), {unknown_.begin(), unknown_.end()}}; }
  [[nodiscard]] DiagnosticLog& log() { return log_; }

 private:
  const std::string& configuration_;
  const std::string& run_;
  DiagnosticLog& log_;
  std::map<std::pair<std::string, std::string>, std::size_t> by_id_;
  std::map<std::tuple<std::string, std::string, std::size_t>, std::size_t> places_;
  std::vector<SearchResult> results_;
  std::set<std::string> unknown_;
};

/// A returned item: an id, or an object with more.
bool take_returned(const JsonValue& value, RecordPlace place, DiagnosticLog& log, std::vector<Returned>& all) {
  Returned returned;
  bool good = true;
  if (value.kind == ingest::JsonKind::string || value.kind == ingest::JsonKind::number) {
    returned.what.item = value.text;
  } else {
    if (value.kind != ingest::JsonKind::object) {
      log.add(Severity::error, Fault::wrong_type, place.line, place.byte,
              "`result.returned` should be an array of ids or objects");
      return false;
    }
    RecordFields fields(value, "result.returned", place, log);
    returned.what.item = or_empty(fields.string_or_number("item"));
    returned.what.version = or_empty(fields.string_or_number("version"));
    returned.valid_from = time_field(fields, "valid_from", good);
    returned.valid_to = time_field(fields, "valid_to", good);
    fields.count_unknown();
    good = good && fields.clean();
  }
  if (returned.what.item.empty()) {
    log.add(Severity::error, Fault::missing_field, place.line, place.byte, "`result.returned.item`");
    good = false;
  }
  all.push_back(std::move(returned));
  return good;
}

/// A count or time of a record: not negative.
std::optional<double> amount(RecordFields& fields, std::string_view name, bool& good) {
  const std::optional<double> value = fields.number(name);
  if (value && *value < 0.0) {
    good = false;
    fields.report(Severity::error, Fault::unknown_value, fmt::format("`{}` is negative", name));
  }
  return value;
}

void take_json_result(const JsonValue& record, RecordPlace place, ResultCollector& collector) {
  RecordFields fields(record, "result", place, collector.log());
  bool good = true;
  const std::string question(or_empty(fields.string_or_number("question_id")));
  const std::string search(or_empty(fields.string_or_number("search_id")));
  const std::string configuration(or_empty(fields.string_or_number("configuration")));
  const std::string run(or_empty(fields.string_or_number("run")));
  std::vector<Returned> returned;
  const JsonValue* list = fields.array("returned");
  if (list == nullptr) {
    good = false;
    fields.report(Severity::error, Fault::missing_field, "`result.returned` (an array; [] when nothing was returned)");
  } else {
    for (const JsonValue& one : ingest::JsonChildren(*list)) {
      good = take_returned(one, place, collector.log(), returned) && good;
    }
  }
  const std::optional<double> tokens = amount(fields, "tokens", good);
  const std::optional<double> latency = amount(fields, "latency_ms", good);
  fields.count_unknown();
  if (question.empty()) {
    good = false;
    fields.report(Severity::error, Fault::missing_field, "`result.question_id`");
  }
  if (!good || !fields.clean()) {
    fields.report(Severity::error, Fault::invalid_row, "this result was set aside");
    return;
  }
  bool is_new = false;
  SearchResult* result = collector.result_of(question, search, configuration, run, is_new);
  if (result == nullptr) return;
  if (!is_new) {
    fields.report(Severity::error, Fault::duplicate_row,
                  fmt::format("`{}`: the first result counts", shortened(printable(question), kShownBytes)));
    return;
  }
  result->returned = std::move(returned);
  result->tokens = tokens;
  result->latency_ms = latency;
}

/// Reads results as CSV: a row per returned item, best first; a row without an item says that nothing was returned.
/// Rows of a result stand together. A result with a row that cannot be used is set aside whole: without that row the
/// others would have another rank.
class CsvResults {
 public:
  CsvResults(const std::string& path, ResultCollector& collector) : path_(path), collector_(collector) {}

  void take(const ingest::CsvRow& row) {
    if (columns_.empty()) return take_header(row);
    if (!row.closed) return skip(row, Fault::invalid_row, "a quoted cell is never closed; the rest was set aside");
    if (row.cells.size() != columns_.size()) {
      return skip(row, Fault::invalid_row,
                  fmt::format("{} cells were expected, {} found", columns_.size(), row.cells.size()));
    }
    cells_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (valid_utf8_prefix(row.cells[i]) != row.cells[i].size()) return skip(row, Fault::invalid_utf8, "");
      cells_[columns_[i]] = row.cells[i];
    }
    if (cells_["question_id"].empty()) return skip(row, Fault::missing_field, "`result.question_id`");
    take_cells(row);
  }

  void finish() {
    if (columns_.empty()) cannot_read(path_, "it is empty");
    close_result();
  }

 private:
  /// The result whose rows are being read.
  struct Open {
    std::string question;
    std::string search;
    std::string configuration;
    std::string run;
    RecordPlace place;  ///< of its first row
    std::vector<Returned> returned;
    std::optional<double> tokens;
    std::optional<double> latency;
    bool nothing_returned = false;  ///< a row said so
    bool good = true;

    [[nodiscard]] auto key() const { return std::tie(question, search, configuration, run); }
  };

  void take_header(const ingest::CsvRow& row) {
    static const std::set<std::string> kKnown{"question_id", "search_id",  "configuration", "run",    "item",
                                              "version",     "valid_from", "valid_to",      "tokens", "latency_ms"};
    std::set<std::string> seen;
    for (const std::string& cell : row.cells) {
      if (!seen.insert(cell).second) {
        cannot_read(path_, fmt::format("column `{}` stands twice in its header", printable(cell)));
      }
      if (kKnown.count(cell) == 0) collector_.log().count_unknown_field("result", cell, row.line, row.byte);
      columns_.push_back(cell);
    }
    if (seen.count("question_id") == 0 || seen.count("item") == 0) {
      cannot_read(path_, "its first row does not name the columns `question_id` and `item`");
    }
  }

  /// A fault in a row of the open result.
  void refuse(const ingest::CsvRow& row, Fault fault, const std::string& detail) {
    collector_.log().add(Severity::error, fault, row.line, row.byte, detail);
    open_->good = false;
  }

  /// A row that does not say to which result it belongs: it may be one of the open result or of the next one.
  void skip(const ingest::CsvRow& row, Fault fault, const std::string& detail) {
    collector_.log().add(Severity::error, fault, row.line, row.byte, detail);
    if (open_) open_->good = false;
    skipped_ = true;
  }

  /// Opens the result of the row, unless it is open.
  void open_result(const ingest::CsvRow& row) {
    Open next;
    next.question = cells_["question_id"];
    next.search = cells_["search_id"];
    next.configuration = cells_["configuration"];
    next.run = cells_["run"];
    next.place = {row.line, row.byte};
    if (!open_ || open_->key() != next.key()) {
      close_result();
      next.good = !skipped_;
      open_ = std::move(next);
    }
    skipped_ = false;
  }

  void close_result() {
    if (!open_) return;
    const auto fault = [this](Fault kind, const std::string& detail) {
      collector_.log().add(Severity::error, kind, open_->place.line, open_->place.byte, detail);
    };
    if (!open_->good) return fault(Fault::invalid_row, "the result that starts here was set aside");
    bool is_new = false;
    SearchResult* result =
        collector_.result_of(open_->question, open_->search, open_->configuration, open_->run, is_new);
    if (result == nullptr) return;
    if (!is_new) {
      return fault(Fault::duplicate_row, fmt::format("`{}`: the first result counts; rows of one must stand together",
                                                     shortened(printable(open_->question), kShownBytes)));
    }
    result->returned = std::move(open_->returned);
    result->tokens = open_->tokens;
    result->latency_ms = open_->latency;
  }

  /// False when the cell holds something else than a number from 0 on.
  bool number(const std::string& name, std::optional<double>& value) {
    const std::string& cell = cells_[name];
    if (cell.empty()) return true;
    double read = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), read);
    if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(read) || read < 0.0) return false;
    value = read;
    return true;
  }

  bool time(const std::string& name, std::optional<Moment>& value) {
    const std::string& cell = cells_[name];
    if (!cell.empty()) value = moment_of(cell);
    return cell.empty() || value.has_value();
  }

  void take_cells(const ingest::CsvRow& row) {
    open_result(row);
    std::optional<double> tokens;
    std::optional<double> latency;
    Returned returned{{cells_["item"], cells_["version"]}, std::nullopt, std::nullopt};
    if (!number("tokens", tokens) || !number("latency_ms", latency)) {
      return refuse(row, Fault::wrong_type, "`tokens` and `latency_ms` should be numbers from 0 on, or empty");
    }
    if (!time("valid_from", returned.valid_from) || !time("valid_to", returned.valid_to)) {
      return refuse(row, Fault::unknown_value,
                    "`valid_from` and `valid_to` should be dates or RFC 3339 times, or empty");
    }
    if (!agree(open_->tokens, tokens) || !agree(open_->latency, latency)) {
      return refuse(row, Fault::inconsistent_record, "rows of one result give different tokens or latencies");
    }
    const bool no_item = returned.what.item.empty();
    if (open_->nothing_returned || (no_item && !open_->returned.empty())) {
      return refuse(row, Fault::inconsistent_record, "a row without an item must be the only one of its result");
    }
    if (no_item) {
      open_->nothing_returned = true;
    } else {
      open_->returned.push_back(std::move(returned));
    }
  }

  /// Takes the number in, unless another one is there.
  static bool agree(std::optional<double>& known, std::optional<double> given) {
    if (!given) return true;
    if (!known) known = given;
    return *known == *given;
  }

  const std::string& path_;
  ResultCollector& collector_;
  std::vector<std::string> columns_;
  std::map<std::string, std::string> cells_;
  std::optional<Open> open_;
  bool skipped_ = false;  ///< rows since the last one of a result could not be read
};

bool is_json(const std::string& path) {
  try {
    const auto stream = ingest::open_file(path);
    const std::string beginning = ingest::read_up_to(*stream, 4096);
    const std::size_t first = beginning.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    return first != std::string::npos && beginning[first] == '{';
  } catch (const ingest::ReadFault& fault) {
    cannot_read(path, fault.reason);
  }
}

void read_csv_results(const std::string& path, ResultCollector& collector) {
  try {
    const ingest::Document file(ingest::open_file(path), kMaxResultCsvBytes);
    if (file.too_long()) cannot_read(path, fmt::format("it is larger than {} MiB", kMaxResultCsvBytes >> 20U));
    CsvResults results(path, collector);
    ingest::read_csv_rows(file.text(), [&](ingest::CsvRow&& row) { results.take(row); });
    results.finish();
  } catch (const ingest::ReadFault& fault) {
    cannot_read(path, fault.reason);
  }
}

}  // namespace

std::vector<GoldQuestion> read_gold_questions(const std::string& path, std::vector<Diagnostic>& diagnostics) {
  DiagnosticLog log(path);
  GoldReader reader(log);
  for_each_record(path, log, [&](const JsonValue& record, RecordPlace place) { reader.take(record, place); });
  append(diagnostics, log.take());
  return reader.take_all();
}

RecordedResults read_results(const std::string& path, const std::vector<GoldQuestion>& questions,
                             const std::string& configuration, const std::string& run,
                             std::vector<Diagnostic>& diagnostics) {
  DiagnosticLog log(path);
  ResultCollector collector(questions, configuration, run, log);
  if (is_json(path)) {
    for_each_record(path, log,
                    [&](const JsonValue& record, RecordPlace place) { take_json_result(record, place, collector); });
  } else {
    read_csv_results(path, collector);
  }
  append(diagnostics, log.take());
  return collector.take();
}

void read_ingested_texts(const std::string& path, const std::function<void(const std::string&, std::uint64_t)>& sink,
                         std::vector<Diagnostic>& diagnostics) {
  DiagnosticLog log(path);
  for_each_record(path, log, [&](const JsonValue& record, RecordPlace place) {
    RecordFields fields(record, "ingested", place, log);
    if (const auto text = fields.required_string("text")) sink(std::string(*text), place.line);
  });
  append(diagnostics, log.take());
}

}  // namespace memuse::workflow
