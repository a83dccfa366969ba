#include "ingest/pipeline.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "ingest/delivery_rules.h"
#include "ingest/episode_tasks.h"
#include "ingest/peeked_stream.h"
#include "ingest/read_ahead.h"
#include "ingest/swe_bench_report.h"
#include "model/error.h"

namespace memuse::ingest {
namespace {

bool looks_like_trace_name(const std::string& path) {
  std::filesystem::path name(path);
  if (name.extension() == ".gz") name.replace_extension();
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

/// Reads one input to its end. Throws ReadingStopped.
FileReport read_input(const Input& input, const Reading& reading) {
  FileReport report;
  report.path = input.path;
  report.naming = input.naming;
  DiagnosticLog log(input.path);
  const ReadOptions read_options = options_for(input, reading.options.read);
  EpisodeTasks tasks(reading.options.read.rules.get(), reading.sink, reading.jobs > 1, log);
  const EpisodeSink counting = [&](Episode&& episode) {
    if (is_stopped(reading.options)) throw ReadingStopped{};
    ++report.episodes;
    if (input.naming && !place_in_run(episode, *input.naming)) ++report.unplaced;
    report.runs.emplace(episode.configuration, episode.run);
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
  report.diagnostics = log.take();
  return report;
}

/// The adapter of that name; null for `auto`. Throws Error(usage).
const Adapter* forced_adapter(const std::string& format) {
  if (format == "auto") return nullptr;
  if (const Adapter* adapter = find_adapter(format)) return adapter;
  std::string known;
  for (const Adapter* adapter : adapters()) known += fmt::format(" {}", adapter->name());
  throw Error(ExitCode::usage, fmt::format("unknown format '{}'; known: auto{}", format, known));
}

/// Text that may be parsed ahead for each thread: two blocks, so that none waits for the thread that reads.
constexpr std::size_t kBlocksAhead = 2;

}  // namespace

void read_inputs(const std::vector<Input>& inputs, const PipelineOptions& options, const EpisodeSink& sink,
                 const FileSink& file_sink) {
  const Adapter* forced = forced_adapter(options.format);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned jobs = options.jobs == 0 ? cores : options.jobs;
  PipelineOptions shared = options;
  if (jobs > 1) shared.read.read_ahead = std::make_shared<ReadAhead>(kBlocksAhead * jobs * options.read.block_bytes);
  const Reading reading{shared, forced, jobs, sink};
  const auto read_one = [&](const Input& input) {
    if (is_stopped(options)) return;
    try {
      file_sink(read_input(input, reading));
    } catch (const ReadingStopped&) {  // NOLINT(bugprone-empty-catch)
      // A file that was not read to its end has no report.
    }
  };
  if (jobs == 1) {
    std::for_each(inputs.begin(), inputs.end(), read_one);
    return;
  }
  tbb::task_arena arena(static_cast<int>(jobs));
  arena.execute([&] {
    tbb::parallel_for(
        std::size_t{0}, inputs.size(),
        [&](std::size_t index) {
          // Isolated: while it waits for a part of its own file, a thread must not begin another one.
          tbb::this_task_arena::isolate([&] { read_one(inputs[index]); });
        },
        tbb::simple_partitioner());
  });
}

std::optional<Episode> read_episode_again(const SourcePlace& place, const ReadOptions& options, Fault& fault,
                                          std::string& detail) {
  const Adapter* adapter = find_adapter(place.format);
  if (adapter == nullptr) {
    fault = Fault::unknown_format;
    detail = place.format;
    return std::nullopt;
  }
  std::optional<Episode> found;
  try {
    DiagnosticLog ignored(place.path);  // they were reported when the episode was ingested
    adapter->read_again(
        place, options,
        [&](Episode&& episode) {
          if (found || episode.source.sha256 != place.sha256) return;
          if (options.rules != nullptr) options.rules->apply(episode);
          found = std::move(episode);
        },
        ignored);
  } catch (const ReadFault& read_fault) {
    fault = Fault::source_missing;
    detail = read_fault.reason;
    return std::nullopt;
  }
  if (!found) {
    fault = Fault::source_changed;
    detail = place.path;
    return std::nullopt;
  }
  found->source = place;
  return found;
}

}  // namespace memuse::ingest
