#include "ingest/merit_cell.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "ingest/document.h"
#include "ingest/instance_names.h"
#include "ingest/line_reader.h"
#include "ingest/merit_blocks.h"
#include "ingest/merit_episode.h"
#include "ingest/merit_index.h"
#include "ingest/paths.h"
#include "model/sha256.h"

// A cell is joined in two passes. The first goes over the traces and keeps places and first messages; the second goes
// over the rows and reads the trace of each from its place. What other lines decide about an episode (the end of its
// block, its position) goes into its source place, so that `read_merit_place` needs only the lines of the episode.

namespace memuse::ingest {
namespace {

namespace fs = std::filesystem;

/// Takes records of one file, one at a time.
class RecordParser {
 public:
  RecordParser(const ReadOptions& options, DiagnosticLog& log) : options_(options), log_(log) {}

  /// The record of a line, decoded into `arena`; null, with the reason in the log, when it is none. Blank lines are
  /// none without a reason.
  const JsonValue* parse(const Line& line, std::size_t readable, Arena& arena) {
    if (line.too_long) {
      log_.add(Severity::error, Fault::line_too_long, line.number, line.byte,
               fmt::format("more than {} bytes", options_.max_record_bytes));
      return nullptr;
    }
    if (is_blank(line.text)) return nullptr;
    JsonFault fault;
    const JsonValue* record = parser_.parse(line.text, readable, arena, fault);
    if (record == nullptr) {
      if (!line.terminated && fault.fault == Fault::invalid_json) fault.fault = Fault::truncated_line;
      log_.add(Severity::error, fault.fault, line.number, line.byte + fault.byte, fault.detail);
    }
    return record;
  }

  /// What was repaired in the last record.
  void report_repairs(RecordPlace place) { ingest::report_repairs(parser_, place, log_); }

  [[nodiscard]] DiagnosticLog& log() { return log_; }

 private:
  const ReadOptions& options_;
  DiagnosticLog& log_;
  JsonParser parser_;
};

/// One line, read from its place.
class LineBytes {
 public:
  /// Throws ReadFault when the file cannot be read; shorter than asked for when it ends before.
  LineBytes(const std::string& path, const LinePlace& place, std::size_t max_bytes)
      : bytes_(open_file_range(path, place.byte_begin, place.byte_end), max_bytes + 1) {
    if (bytes_.too_long()) throw ReadFault{"the line is longer than the limit"};
    line_.text = bytes_.text();
    line_.terminated = line_.text.ends_with('\n');
    if (line_.terminated) line_.text.remove_suffix(1);
    line_.number = place.line;
    line_.byte = place.byte_begin;
    line_.end = place.byte_end;
  }
  LineBytes(const LineBytes&) = delete;
  LineBytes& operator=(const LineBytes&) = delete;

  [[nodiscard]] const Line& line() const { return line_; }
  [[nodiscard]] std::size_t readable() const { return bytes_.readable(); }

 private:
  Document bytes_;
  Line line_;
};

LinePlace place_of(const Line& line) {
  return {line.number, line.byte, line.end};
}

void begin_line(const Line& line, DiagnosticLog& log) {
  if (!line.too_long && is_blank(line.text)) return;
  log.begin_record(line.number, line.byte, line.too_long ? line.end : line.byte + line.text.size());
}

RecordPlace record_place(const Line& line) {
  return {line.number, line.byte};
}

/// Hash over the lines that define an episode.
std::string hash_of(std::string_view row, std::string_view trace) {
  Sha256 hash;
  hash.update(row);
  if (!row.empty() && !trace.empty()) hash.update("\n");
  hash.update(trace);
  return hash.finish_hex();
}

/// One episode on its way: the lines of row and trace are read into it, then it is handed over.
class EpisodeAssembly {
 public:
  EpisodeAssembly(const MeritNames& names, RecordParser& rows, RecordParser& traces)
      : names_(names), rows_(rows), traces_(traces) {}

  [[nodiscard]] const MeritParts& parts() const { return parts_; }
  MeritContext& context() { return context_; }

  /// Takes the line of a row; false when it is none that can be used.
  bool take_row(const Line& line, std::size_t readable) {
    const JsonValue* record = parse(rows_, line, readable, MeritKind::row);
    if (record == nullptr) return false;
    parts_.row = read_merit_row(*record, record_place(line), rows_.log());
    if (!parts_.row) return false;
    parts_.row_place = record_place(line);
    row_text_ = line.text;
    row_line_ = place_of(line);
    return true;
  }

  /// Takes the line of a trace likewise.
  bool take_trace(const Line& line, std::size_t readable) {
    const JsonValue* record = parse(traces_, line, readable, MeritKind::trace);
    if (record == nullptr) return false;
    parts_.trace = read_merit_trace(*record, record_place(line), recorder_.episode().arena, traces_.log());
    if (!parts_.trace) return false;
    parts_.trace_place = record_place(line);
    trace_text_ = line.text;
    trace_line_ = place_of(line);
    return true;
  }

  void find_block(const KnownMessages& messages) {
    const auto after_heading = after_memory_heading(parts_.trace->transcript);
    if (!after_heading) return;
    std::vector<std::string> lines;
    for (const MeritCall& call : parts_.trace->calls) lines.push_back(call.line);
    const BlockForm form = block_form(merit_memory(parts_));
    const bool plain = form == BlockForm::none || form == BlockForm::facts;
    context_.block = find_block_end(*after_heading, messages.find(parts_.trace->task_id), plain, lines);
  }

  /// The lines must still be there. `row_path` is that of the row, or of the trace when there is no row.
  void finish(const std::string& path, const EpisodeSink& sink) {
    record_merit_episode(parts_, context_, names_, recorder_, rows_.log(), traces_.log());
    Episode episode = recorder_.take();
    const LinePlace& first = parts_.row ? row_line_ : trace_line_;
    episode.source.path = path;
    episode.source.format = "merit";
    episode.source.format_version = kMeritVersion;
    episode.source.locator = to_locator(context_);
    episode.source.line = first.line;
    episode.source.byte_begin = first.byte_begin;
    episode.source.byte_end = first.byte_end;
    episode.source.sha256 = hash_of(row_text_, trace_text_);
    sink(std::move(episode));
  }

 private:
  const JsonValue* parse(RecordParser& parser, const Line& line, std::size_t readable, MeritKind wanted) {
    const JsonValue* record = parser.parse(line, readable, recorder_.episode().arena);
    if (record == nullptr) return nullptr;
    parser.report_repairs(record_place(line));
    if (merit_kind(*record) == wanted) return record;
    parser.log().add(Severity::error, Fault::out_of_place, line.number, line.byte,
                     wanted == MeritKind::row ? "a row of results was expected" : "a trace was expected");
    return nullptr;
  }

  const MeritNames& names_;
  RecordParser& rows_;
  RecordParser& traces_;
  EpisodeRecorder recorder_;
  MeritParts parts_;
  MeritContext context_;
  std::string_view row_text_;
  std::string_view trace_text_;
  LinePlace row_line_;
  LinePlace trace_line_;
};

/// Sets position and copy of a scored episode; false when the row repeats an earlier one byte for byte.
bool place_in_run(EpisodeAssembly& assembly, const MeritNames& names, std::string_view bytes, RunIndex& runs,
                  RecordPlace place, DiagnosticLog& log) {
  const MeritParts& parts = assembly.parts();
  const std::string configuration = merit_configuration(parts, names);
  const std::string run = merit_run(parts, names);
  const MeritCommon& common = parts.row ? static_cast<const MeritCommon&>(*parts.row) : *parts.trace;
  const std::uint64_t copy = runs.copy_of(configuration, run, common.episode_id, bytes);
  if (copy == 0) {
    log.add(Severity::note, Fault::repeated_record, place.line, place.byte,
            fmt::format("episode {}", shortened(common.episode_id, 60)));
    return false;
  }
  if (copy > 1) {
    log.add(Severity::warning, Fault::repeated_id, place.line, place.byte,
            fmt::format("episode {} is called {}#{}", shortened(common.episode_id, 60),
                        shortened(common.episode_id, 60), copy));
  }
  assembly.context().copy = copy;
  if (parts.row) assembly.context().position = runs.position_of(configuration, run, common.task_id);
  return true;
}

/// Reads one folder.
class CellReader {
 public:
  CellReader(const std::string& folder, const ReadOptions& options, const EpisodeSink& sink)
      : results_path_(merit_results_path(folder)),
        traces_path_(merit_traces_path(folder)),
        options_(options),
        sink_(sink),
        names_{merit_cell_name(folder), options},
        row_log_(results_path_),
        trace_log_(traces_path_) {}

  void read(DiagnosticLog& log) {
    row_log_ = log.for_file(results_path_);
    trace_log_ = log.for_file(traces_path_);
    const bool has_rows = fs::exists(results_path_);
    has_traces_ = fs::exists(traces_path_);
    if (!has_rows && !has_traces_) throw ReadFault{"the folder has changed while it was read"};
    if (!has_traces_) {
      log.add(Severity::note, Fault::unmatched_record, 0, 0,
              "there is no traces/episodes.jsonl: no episode has a transcript");
    }
    if (!has_rows) {
      log.add(Severity::note, Fault::unmatched_record, 0, 0,
              "there is no results.jsonl: outcomes and corruption settings are unknown");
    }
    if (has_traces_) guarded(trace_log_, [this] { index_traces(); });
    if (has_rows) guarded(row_log_, [this] { read_rows(); });
    guarded(trace_log_, [&] { read_left_traces(has_rows); });
    log.absorb(std::move(row_log_));
    log.absorb(std::move(trace_log_));
  }

 private:
  /// One file of the two that cannot be read does not stop the other.
  template <typename Work>
  static void guarded(DiagnosticLog& log, Work work) {
    try {
      work();
    } catch (const ReadFault& fault) {
      log.add(Severity::error, Fault::unreadable_file, 0, 0, fault.reason);
    }
  }

  void index_traces() {
    LineReader lines(open_file(traces_path_), options_.max_record_bytes);
    RecordParser parser(options_, trace_log_);
    DiagnosticLog ignored(traces_path_);  // said when the episode is read
    for (Line line; lines.next(line);) {
      begin_line(line, trace_log_);
      Arena arena;
      const JsonValue* record = parser.parse(line, lines.readable(line.text), arena);
      if (record == nullptr) continue;
      if (merit_kind(*record) != MeritKind::trace) {
        trace_log_.add(Severity::error, Fault::out_of_place, line.number, line.byte, "a trace was expected");
        continue;
      }
      const bool usable = record->field("episode_id") != nullptr && record->field("task_id") != nullptr;
      const auto trace = read_merit_trace(*record, record_place(line), arena, usable ? ignored : trace_log_);
      static_cast<void>(ignored.take());
      if (!trace) {
        trace_log_.add(Severity::error, Fault::episode_set_aside, line.number, line.byte, "");
        continue;
      }
      traces_.add(*trace, place_of(line), line.text);
      messages_.note(*trace);
    }
  }

  void read_rows() {
    LineReader lines(open_file(results_path_), options_.max_record_bytes);
    RecordParser rows(options_, row_log_);
    RecordParser traces(options_, trace_log_);
    for (Line line; lines.next(line);) {
      begin_line(line, row_log_);
      EpisodeAssembly assembly(names_, rows, traces);
      if (!assembly.take_row(line, lines.readable(line.text))) {
        if (!line.too_long && is_blank(line.text)) continue;
        row_log_.add(Severity::error, Fault::episode_set_aside, line.number, line.byte, "");
        continue;
      }
      if (!place_in_run(assembly, names_, line.text, runs_, record_place(line), row_log_)) continue;
      const TraceIndex::Place* place = traces_.take(*assembly.parts().row);
      if (place == nullptr) {
        if (has_traces_) report_missing_trace(*assembly.parts().row, line);
        assembly.finish(results_path_, sink_);
        continue;
      }
      const LineBytes bytes(traces_path_, place->line, options_.max_record_bytes);
      if (assembly.take_trace(bytes.line(), bytes.readable())) {
        assembly.context().transcript = place->line;
        assembly.find_block(messages_);
      }
      assembly.finish(results_path_, sink_);
    }
  }

  void report_missing_trace(const MeritRow& row, const Line& line) {
    row_log_.add(
        Severity::warning, Fault::unmatched_record, line.number, line.byte,
        fmt::format("no trace of episode {}, task {}", shortened(row.episode_id, 60), shortened(row.task_id, 60)));
  }

  /// Traces that no row has taken.
  void read_left_traces(bool has_rows) {
    RecordParser rows(options_, row_log_);
    RecordParser traces(options_, trace_log_);
    const std::vector<LinePlace> left = traces_.left([this](const LinePlace& line) {
      trace_log_.add(Severity::note, Fault::repeated_record, line.line, line.byte_begin, "");
    });
    for (const LinePlace& place : left) {
      const LineBytes bytes(traces_path_, place, options_.max_record_bytes);
      EpisodeAssembly assembly(names_, rows, traces);
      if (!assembly.take_trace(bytes.line(), bytes.readable())) continue;
      const MeritTrace& trace = *assembly.parts().trace;
      if (!place_in_run(assembly, names_, bytes.line().text, runs_, record_place(bytes.line()), trace_log_)) continue;
      if (has_rows) {
        trace_log_.add(Severity::warning, Fault::unmatched_record, place.line, place.byte_begin,
                       fmt::format("no row of episode {}, task {}: outcome and corruption are unknown",
                                   shortened(trace.episode_id, 60), shortened(trace.task_id, 60)));
      }
      assembly.find_block(messages_);
      assembly.finish(traces_path_, sink_);
    }
  }

  const std::string results_path_;
  const std::string traces_path_;
  const ReadOptions& options_;
  const EpisodeSink& sink_;
  const MeritNames names_;
  DiagnosticLog row_log_;
  DiagnosticLog trace_log_;
  bool has_traces_ = false;
  TraceIndex traces_;
  KnownMessages messages_;
  RunIndex runs_;
};

std::string without_suffixes(std::string name) {
  for (const std::string_view suffix : {".gz", ".zst", ".xz", ".jsonl", ".ndjson", ".json", ".results", ".episodes"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  return name;
}

}  // namespace

std::string merit_cell_name(const std::string& path) {
  const fs::path full = full_path(path);
  const std::string name = full.filename().string();
  const std::string base = without_suffixes(name);
  const fs::path parent = full.parent_path();
  if (name != base && base == "results" && parent.has_filename()) {
    return name_of_folder(parent.filename().string());
  }
  if (name != base && base == "episodes" && parent.filename() == "traces" && parent.parent_path().has_filename()) {
    return name_of_folder(parent.parent_path().filename().string());
  }
  return name == base ? name_of_folder(base) : base;
}

std::string merit_results_path(const std::string& folder) {
  return (fs::path(folder) / "results.jsonl").string();
}

std::string merit_traces_path(const std::string& folder) {
  return (fs::path(folder) / "traces" / "episodes.jsonl").string();
}

void read_merit_folder(const std::string& folder, const ReadOptions& options, const EpisodeSink& sink,
                       DiagnosticLog& log) {
  CellReader(folder, options, sink).read(log);
}

void read_merit_file(std::unique_ptr<ByteStream> stream, const std::string& path, const ReadOptions& options,
                     const EpisodeSink& sink, DiagnosticLog& log) {
  const MeritNames names{merit_cell_name(path), options};
  RecordParser parser(options, log);
  KnownMessages messages;
  RunIndex runs;
  LineReader lines(std::move(stream), options.max_record_bytes);
  bool alone_said = false;
  for (Line line; lines.next(line);) {
    if (!line.too_long && is_blank(line.text)) continue;
    begin_line(line, log);
    EpisodeAssembly assembly(names, parser, parser);
    // Told apart by a first parse: which of the two a line is decides where its faults are said.
    Arena scratch;
    const JsonValue* record = parser.parse(line, lines.readable(line.text), scratch);
    const auto kind = record == nullptr ? std::nullopt : merit_kind(*record);
    if (record != nullptr && !kind) {
      log.add(Severity::error, Fault::out_of_place, line.number, line.byte, "a row of results or a trace was expected");
    }
    const bool taken = kind && (*kind == MeritKind::row ? assembly.take_row(line, lines.readable(line.text))
                                                        : assembly.take_trace(line, lines.readable(line.text)));
    if (!taken) {
      log.add(Severity::error, Fault::episode_set_aside, line.number, line.byte, "");
      continue;
    }
    if (!place_in_run(assembly, names, line.text, runs, record_place(line), log)) continue;
    if (!std::exchange(alone_said, true)) {
      log.add(Severity::note, Fault::unmatched_record, 0, 0,
              *kind == MeritKind::row ? "rows alone: name the run directory to have their transcripts too"
                                      : "traces alone: outcomes and corruption settings are unknown");
    }
    if (*kind == MeritKind::trace) {
      messages.note(*assembly.parts().trace);
      assembly.find_block(messages);
    }
    assembly.finish(path, sink);
  }
}

void read_merit_place(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                      DiagnosticLog& log) {
  const auto context = parse_locator(place.locator);
  if (!context) return;
  const std::string folder = fs::path(place.path).parent_path().string();
  MeritNames names{merit_cell_name(place.path), options};
  RecordParser parser(options, log);
  EpisodeAssembly assembly(names, parser, parser);
  assembly.context() = *context;
  const LineBytes first(place.path, {place.line, place.byte_begin, place.byte_end}, options.max_record_bytes);
  Arena scratch;
  const JsonValue* record = parser.parse(first.line(), first.readable(), scratch);
  if (record == nullptr) return;
  if (merit_kind(*record) == MeritKind::trace) {
    if (assembly.take_trace(first.line(), first.readable())) assembly.finish(place.path, sink);
    return;
  }
  if (!assembly.take_row(first.line(), first.readable())) return;
  if (!context->transcript) return assembly.finish(place.path, sink);
  const LineBytes second(merit_traces_path(folder), *context->transcript, options.max_record_bytes);
  if (assembly.take_trace(second.line(), second.readable())) assembly.finish(place.path, sink);
}

}  // namespace memuse::ingest
