// How far does an ingest get in how long? Runs one stage of it over traces and prints what that took as one JSON
// object; `bench/ingest_ratios.py` calls it, once for each measurement, so that peak memory is that of the stage.
//
//   build/bench/ingest_stages raw|parse|hash|spans|rows JOBS [BLOCK_BYTES] TRACE…
//
// raw: the floor. simdjson's On-Demand walks every value of every line (or document), unescapes every string and keeps
// nothing. parse: to the model, as `memuse check` does. hash: the same, and the SHA-256 of every episode's source.
// spans: the same, then visibility, spans and windows. rows: the same, then the rows of
// the database, which are then thrown away. The whole, with the database, is `memuse ingest`.

#include <fmt/format.h>
#include <simdjson.h>
#include <sys/resource.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/inputs.h"
#include "ingest/line_blocks.h"
#include "ingest/pipeline.h"
#include "model/error.h"
#include "spans/spans.h"
#include "store/prepared_episode.h"

namespace {

using namespace memuse;

/// What a stage has gone through; a sum over it keeps the work from being optimised away.
struct Tally {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> episodes{0};
  std::atomic<std::uint64_t> spans{0};
  std::atomic<std::uint64_t> rows{0};
  std::atomic<std::uint64_t> characters{0};
};

constexpr std::size_t kLongestLine = std::size_t{256} << 20;
constexpr std::size_t kBlock = std::size_t{1} << 20;

/// Walks a value whole; the number of bytes of its decoded strings.
std::uint64_t walk(simdjson::ondemand::value value);

std::uint64_t walk_object(simdjson::ondemand::object object) {
  std::uint64_t characters = 0;
  for (auto field : object) {
    characters += std::string_view(field.unescaped_key()).size();
    characters += walk(field.value());
  }
  return characters;
}

std::uint64_t walk_array(simdjson::ondemand::array array) {
  std::uint64_t characters = 0;
  for (auto element : array) characters += walk(element.value());
  return characters;
}

std::uint64_t walk(simdjson::ondemand::value value) {
  switch (value.type()) {
    case simdjson::ondemand::json_type::object:
      return walk_object(value.get_object());
    case simdjson::ondemand::json_type::array:
      return walk_array(value.get_array());
    case simdjson::ondemand::json_type::string:
      return std::string_view(value.get_string()).size();
    case simdjson::ondemand::json_type::number:
      return static_cast<std::uint64_t>(double(value.get_double()) != 0);
    case simdjson::ondemand::json_type::boolean:
      return bool(value.get_bool()) ? 1 : 0;
    case simdjson::ondemand::json_type::null:
      return value.is_null() ? 1 : 0;
  }
  return 0;
}

/// A parser's own: one per thread.
class RawWalker {
 public:
  /// Nothing is counted of a text with a fault.
  std::uint64_t walk_text(const char* text, std::size_t size, std::size_t readable) {
    try {
      simdjson::ondemand::document document = parser_.iterate(text, size, readable);
      return document.type() == simdjson::ondemand::json_type::array ? walk_array(document.get_array())
                                                                     : walk_object(document.get_object());
    } catch (const simdjson::simdjson_error&) {
      return 0;
    }
  }

 private:
  simdjson::ondemand::parser parser_;
};

using RawWalkers = tbb::enumerable_thread_specific<RawWalker>;

std::uint64_t walk_lines(const ingest::LineBlock& block, RawWalker& walker) {
  std::uint64_t characters = 0;
  for (std::size_t at = 0; at < block.size;) {
    const char* begin = block.buffer.data() + at;
    const auto* feed = static_cast<const char*>(std::memchr(begin, '\n', block.size - at));
    const std::size_t length = feed != nullptr ? static_cast<std::size_t>(feed - begin) : block.size - at;
    if (length > 0) characters += walker.walk_text(begin, length, block.buffer.size() - at);
    at += length + 1;
  }
  return characters;
}

void walk_line_file(const std::string& path, unsigned jobs, RawWalkers& walkers, Tally& tally) {
  ingest::LineBlockCutter cutter(ingest::open_file(path), kLongestLine, kBlock);
  using Block = std::shared_ptr<ingest::LineBlock>;
  const auto read = [&](tbb::flow_control& control) -> Block {
    auto block = std::make_shared<ingest::LineBlock>();
    if (!cutter.next(*block)) control.stop();
    return block;
  };
  const auto parse = [&](const Block& block) {
    tally.bytes += block->size;
    tally.characters += walk_lines(*block, walkers.local());
  };
  tbb::parallel_pipeline(2 * jobs, tbb::make_filter<void, Block>(tbb::filter_mode::serial_in_order, read) &
                                       tbb::make_filter<Block, void>(tbb::filter_mode::parallel, parse));
}

void walk_document(const std::string& path, RawWalkers& walkers, Tally& tally) {
  const std::unique_ptr<ingest::ByteStream> stream = ingest::open_file(path);
  std::string bytes = ingest::read_up_to(*stream, std::filesystem::file_size(path) + simdjson::SIMDJSON_PADDING);
  const std::size_t size = bytes.size();
  bytes.resize(size + simdjson::SIMDJSON_PADDING);
  tally.bytes += size;
  tally.characters += walkers.local().walk_text(bytes.data(), size, bytes.size());
}

/// All files that the inputs stand for, also in folders that are read as one.
std::vector<std::string> all_files(const std::vector<ingest::Input>& inputs) {
  std::vector<std::string> files;
  for (const ingest::Input& input : inputs) {
    if (!input.folder) {
      files.push_back(input.path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(input.path)) {
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    }
  }
  return files;
}

void run_raw(const std::vector<ingest::Input>& inputs, unsigned jobs, Tally& tally) {
  RawWalkers walkers;
  const std::vector<std::string> files = all_files(inputs);
  tbb::task_arena(static_cast<int>(jobs)).execute([&] {
    tbb::parallel_for(
        std::size_t{0}, files.size(),
        [&](std::size_t i) {
          const std::string& path = files[i];
          if (path.ends_with(".jsonl")) {
            walk_line_file(path, jobs, walkers, tally);
          } else {
            walk_document(path, walkers, tally);
          }
        },
        tbb::simple_partitioner());
  });
}

enum class Stage : std::uint8_t { parse, hash, spans, rows };

void run_stage(Stage stage, const std::vector<ingest::Input>& inputs, const ingest::PipelineOptions& options,
               Tally& tally) {
  ingest::read_inputs(
      inputs, options,
      [&](Episode&& episode) {
        ++tally.episodes;
        if (stage == Stage::parse || stage == Stage::hash) return;
        const EpisodeSpans spans = spans::compute_spans(episode);
        tally.spans += spans.spans.size();
        if (stage == Stage::rows) tally.rows += store::prepare(episode, spans).row_count();
      },
      [&](ingest::FileReport&& file) { tally.bytes += file.bytes; });
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

int run(const std::string& stage, unsigned jobs, std::size_t block_bytes, const std::vector<std::string>& paths) {
  const std::vector<ingest::Input> inputs = ingest::find_inputs(paths).files;
  ingest::PipelineOptions options;
  options.jobs = jobs;
  if (block_bytes > 0) options.read.block_bytes = block_bytes;
  Tally tally;
  const auto begin = std::chrono::steady_clock::now();
  options.read.hash_sources = stage != "parse";
  if (stage == "raw") {
    run_raw(inputs, jobs, tally);
  } else if (stage == "parse") {
    run_stage(Stage::parse, inputs, options, tally);
  } else if (stage == "hash") {
    run_stage(Stage::hash, inputs, options, tally);
  } else if (stage == "spans") {
    run_stage(Stage::spans, inputs, options, tally);
  } else if (stage == "rows") {
    run_stage(Stage::rows, inputs, options, tally);
  } else {
    fmt::print(stderr, "unknown stage {}\n", stage);
    return 2;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      R"({{"stage":"{}","jobs":{},"bytes":{},"episodes":{},"spans":{},"rows":{},"seconds":{:.4f},"cpu_seconds":{:.4f},"peak_mb":{:.1f}}})"
      "\n",
      stage, jobs, tally.bytes.load(), tally.episodes.load(), tally.spans.load(), tally.rows.load(), seconds,
      seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    const auto number = [&](std::size_t i) {
      const bool digits = i < arguments.size() && arguments[i].find_first_not_of("0123456789") == std::string::npos;
      return digits && !arguments[i].empty() ? std::stoul(arguments[i]) : 0UL;
    };
    const std::size_t block_bytes = number(2);
    const std::size_t first = block_bytes > 0 ? 3 : 2;
    if (arguments.size() <= first || number(1) == 0) {
      fmt::print(stderr, "usage: ingest_stages raw|parse|hash|spans|rows JOBS [BLOCK_BYTES] TRACE…\n");
      return 2;
    }
    return run(arguments[0], static_cast<unsigned>(number(1)), block_bytes,
               std::vector<std::string>(arguments.begin() + static_cast<std::ptrdiff_t>(first), arguments.end()));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
  } catch (const ingest::ReadFault& fault) {
    fmt::print(stderr, "{}\n", fault.reason);
  }
  return 1;
}
