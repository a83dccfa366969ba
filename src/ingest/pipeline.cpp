#include "ingest/pipeline.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "ingest/container_kind.h"
#include "ingest/delivery_rules.h"
#include "ingest/episode_tasks.h"
#include "ingest/peeked_stream.h"
#include "ingest/read_ahead.h"
#include "ingest/stated_totals.h"
#include "ingest/swe_bench_report.h"
#include "ingest/unpacked_archive.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

bool looks_like_trace_name(const std::string& path) {
  std::filesystem::path name(path);
  for (const char* packed : {".gz", ".zst", ".xz", ".bz2"}) {
    if (name.extension() == packed) {
      name.replace_extension();
      break;
    }
  }
  const std::string extension = name.extension().string();
  return extension == ".jsonl" || extension == ".ndjson" || extension == ".json";
}

/// How bad it is that a file holds nothing for us: an error when the user named it, or when its name promises a trace.
Severity severity_of_no_trace(const Input& input, Severity promised) {
  if (input.named) return Severity::error;
  return looks_like_trace_name(input.path) ? promised : Severity::note;
}

std::optional<DetectedFormat> choose_format(std::string_view head, const Adapter* forced) {
  if (forced == nullptr) return detect_format(head);
  return DetectedFormat{forced, forced->detect(head).value_or("")};
}

/// Detects the format of a file and reads it.
void read_file(const Input& input, const ReadOptions& options, const Adapter* forced, const EpisodeSink& sink,
               FileReport& report, DiagnosticLog& log) {
  auto stream = std::make_unique<PeekedStream>(open_file(input.path));
  struct stat status {};
  if (::stat(input.path.c_str(), &status) == 0) report.bytes = static_cast<std::uint64_t>(status.st_size);
  if (stream->head().empty()) {
    log.add(severity_of_no_trace(input, Severity::error), Fault::empty_file, 0, 0, "");
  } else if (const auto format = choose_format(stream->head(), forced)) {
    report.format = format->adapter->name();
    report.format_version = format->version;
    format->adapter->read(std::move(stream), input.path, options, sink, log);
  } else if (looks_like_swe_bench_report(stream->head())) {
    report.format = kReportFormat;
    report.outcomes = read_swe_bench_report(std::move(stream), input.path, log);
  } else if (const ContainerSeen seen = container_of_head(stream->head()); seen.kind == ContainerKind::unread) {
    log.add(severity_of_no_trace(input, Severity::warning), Fault::unknown_format, 0, 0,
            fmt::format("it is {}; unpack it and name the folder", seen.name));
  } else {
    log.add(severity_of_no_trace(input, Severity::warning), Fault::unknown_format, 0, 0, "");
  }
}

/// Options for one input: a manifest's names win over all others.
ReadOptions options_for(const Input& input, const ReadOptions& general) {
  ReadOptions options = general;
  if (input.naming == nullptr) return options;
  options.names_replace = true;
  options.configuration = input.naming->configuration;
  options.run = input.naming->run;
  return options;
}

/// False when the order of the run is known and does not name the episode's task.
bool place_in_run(Episode& episode, const RunNaming& naming) {
  const auto place = naming.positions.find(std::string(episode.task_id));
  if (place == naming.positions.end()) return naming.positions.empty();
  episode.position = place->second;
  return true;
}

/// Reads a folder that a format claims whole.
void read_folder(const Input& input, const ReadOptions& options, const EpisodeSink& sink, FileReport& report,
                 DiagnosticLog& log) {
  const auto format = detect_folder(input.path);
  if (!format) throw ReadFault{"the folder has changed while it was read"};
  report.format = format->adapter->name();
  report.format_version = format->version;
  format->adapter->read_folder(input.path, options, sink, log);
}

/// The user wants no more; unwinds the reading of a file.
struct ReadingStopped {};

bool is_stopped(const PipelineOptions& options) {
  return options.stop != nullptr && options.stop->load();
}

/// What the reading of one list of inputs shares.
struct Reading {
  const PipelineOptions& options;
  const Adapter* forced;
  unsigned jobs;
  const EpisodeSink& sink;
};

/// A path or a text that names one, as people know it.
std::string as_shown(const Input& input, const std::string& text) {
  return input.shown ? input.shown->show(text) : text;
}

void show_places(const Input& input, std::vector<Diagnostic>& diagnostics) {
  if (input.shown == nullptr) return;
  for (Diagnostic& diagnostic : diagnostics) {
    diagnostic.file = input.shown->show(diagnostic.file);
    diagnostic.detail = input.shown->show(diagnostic.detail);
  }
  std::sort(diagnostics.begin(), diagnostics.end());
}

/// Reads one input to its end. Throws ReadingStopped.
FileReport read_input(const Input& input, std::size_t index, const Reading& reading) {
  FileReport report;
  report.input = index;
  report.path = as_shown(input, input.path);
  report.naming = input.naming;
  DiagnosticLog log(input.path);
  if (reading.options.set_aside) {
    log.tell([&input, sink = reading.options.set_aside(index)](const SetAside& lost) {
      SetAside shown = lost;
      shown.shown = as_shown(input, lost.file);
      sink(shown);
    });
  }
  const ReadOptions read_options = options_for(input, reading.options.read);
  const ContainerLimitsScope limits(read_options.containers);
  EpisodeTasks tasks(reading.options.read.rules.get(), reading.sink, reading.jobs > 1, log);
  const EpisodeSink counting = [&](Episode&& episode) {
    if (is_stopped(reading.options)) throw ReadingStopped{};
    ++report.episodes;
    if (input.naming && !place_in_run(episode, *input.naming)) ++report.unplaced;
    report.runs.emplace(episode.configuration, episode.run);
    episode.source.path = as_shown(input, episode.source.path);
    if (episode.totals) reconcile_totals(episode, *episode.totals, {episode.source.line, 0}, log);
    tasks.add(std::move(episode));
  };
  try {
    if (input.folder) {
      read_folder(input, read_options, counting, report, log);
    } else {
      read_file(input, read_options, reading.forced, counting, report, log);
    }
  } catch (const ReadFault& fault) {
    log.add(Severity::error, Fault::unreadable_file, 0, 0, fault.reason);
  }
  tasks.finish();
  report.records = log.records();
  report.diagnostics = log.take();
  show_places(input, report.diagnostics);
  for (OutcomeRow& row : report.outcomes) row.file = as_shown(input, row.file);
  return report;
}

void read_file_or_folder(const Input& input, std::size_t index, const Reading& reading, const FileSink& file_sink) {
  if (is_stopped(reading.options)) return;
  try {
    file_sink(read_input(input, index, reading));
  } catch (const ReadingStopped&) {  // NOLINT(bugprone-empty-catch)
    // A file that was not read to its end has no report.
  }
}

/// Side by side in the current TBB arena, or one after the other: `read` gets the place of each of `count` inputs.
template <typename Read>
void for_each_input(std::size_t count, bool side_by_side, const Read& read) {
  if (!side_by_side) {
    for (std::size_t index = 0; index < count; ++index) read(index);
    return;
  }
  tbb::parallel_for(
      std::size_t{0}, count,
      [&](std::size_t index) {
        // Isolated: while it waits for a part of its own file, a thread must not begin another one.
        tbb::this_task_arena::isolate([&] { read(index); });
      },
      tbb::simple_partitioner());
}

/// Reads the members of an archive, and reports on the archive itself before them.
void read_archive(const Input& archive, std::size_t index, const Reading& reading, const FileSink& file_sink) {
  FileReport report;
  report.input = index;
  report.path = as_shown(archive, archive.path);
  report.format = kArchiveFormat;
  InputList members;
  std::shared_ptr<const UnpackedArchive> unpacked;
  try {
    unpacked = unpacked_archive(archive.path, reading.options.read.containers);
    members = find_members(archive, unpacked->root().string());
    report.diagnostics = std::move(members.diagnostics);
    for (Diagnostic diagnostic : unpacked->diagnostics()) {
      diagnostic.file = report.path + (diagnostic.file.empty() ? "" : "!/" + diagnostic.file);
      report.diagnostics.push_back(std::move(diagnostic));
    }
  } catch (const UnpackingStopped&) {
    return;  // as for a file that was not read to its end
  } catch (const ReadFault& fault) {
    report.diagnostics.push_back(
        {report.path, 0, 0, Severity::error, Fault::unreadable_file, printable(fault.reason), 1});
  }
  std::sort(report.diagnostics.begin(), report.diagnostics.end());
  file_sink(std::move(report));
  // What is set aside of an archive is told in the order of its members.
  const bool side_by_side = reading.jobs > 1 && !reading.options.set_aside;
  for_each_input(members.files.size(), side_by_side,
                 [&](std::size_t member) { read_file_or_folder(members.files[member], index, reading, file_sink); });
}

void read_all(const std::vector<Input>& inputs, const Reading& reading, const FileSink& file_sink) {
  for_each_input(inputs.size(), reading.jobs > 1, [&](std::size_t index) {
    if (inputs[index].is_archive()) {
      if (!is_stopped(reading.options)) read_archive(inputs[index], index, reading, file_sink);
    } else {
      read_file_or_folder(inputs[index], index, reading, file_sink);
    }
  });
}

/// The adapter of that name; null for `auto`. Throws Error(usage).
const Adapter* forced_adapter(const std::string& format) {
  if (format == "auto") return nullptr;
  if (const Adapter* adapter = find_adapter(format)) return adapter;
  std::string known;
  for (const Adapter* adapter : adapters()) known += fmt::format(" {}", adapter->name());
  throw Error(ExitCode::usage, fmt::format("unknown format '{}'; known: auto{}", format, known));
}

/// Blocks that may be parsed ahead for each thread, so that none waits for the thread that reads.
constexpr std::size_t kBlocksAhead = 4;

}  // namespace

void read_inputs(const std::vector<Input>& inputs, const PipelineOptions& options, const EpisodeSink& sink,
                 const FileSink& file_sink) {
  const Adapter* forced = forced_adapter(options.format);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned jobs = options.jobs == 0 ? cores : options.jobs;
  PipelineOptions shared = options;
  shared.read.containers.stop = options.stop;
  if (jobs > 1) shared.read.read_ahead = std::make_shared<ReadAhead>(kBlocksAhead * jobs * options.read.block_bytes);
  const Reading reading{shared, forced, jobs, sink};
  if (jobs == 1) {
    read_all(inputs, reading, file_sink);
    return;
  }
  tbb::task_arena arena(static_cast<int>(jobs));
  arena.execute([&] { read_all(inputs, reading, file_sink); });
}

}  // namespace memuse::ingest
