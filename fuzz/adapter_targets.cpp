// Every adapter, whatever bytes it is given: it reads to the end, what it hands over is sound, and how the bytes came
// in makes no difference.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "fuzz/targets.h"
#include "ingest/adapter.h"
#include "ingest/delivery_rules.h"
#include "spans/spans.h"
#include "support/random_trace.h"
#include "support/sound_episode.h"

namespace memuse::fuzz {
namespace {

using ingest::Adapter;

/// Gives the bytes in pieces of every small size.
class PiecewiseStream final : public ingest::ByteStream {
 public:
  explicit PiecewiseStream(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(char* buffer, std::size_t size) override {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const std::size_t piece = 1 + (state_ >> 33U) % 61;
    const std::size_t count = std::min({size, piece, bytes_.size()});
    bytes_.copy(buffer, count);
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view bytes_;
  std::uint64_t state_ = 1;
};

struct AdapterOutput {
  std::vector<Episode> episodes;
  std::vector<Diagnostic> diagnostics;
};

AdapterOutput read_with(const Adapter& adapter, std::unique_ptr<ingest::ByteStream> stream) {
  AdapterOutput output;
  // No file is there, so that nothing beside the bytes plays a part.
  const std::string path = "/nowhere/run/trace.jsonl";
  ingest::DiagnosticLog log(path);
  ingest::ReadOptions options;
  options.max_record_bytes = std::size_t{1} << 20;
  adapter.read(
      std::move(stream), path, options, [&](Episode&& episode) { output.episodes.push_back(std::move(episode)); }, log);
  output.diagnostics = log.take();
  return output;
}

void hold_same_output(const AdapterOutput& a, const AdapterOutput& b, const std::string& what) {
  if (a.episodes.size() != b.episodes.size()) {
    throw BrokenProperty(fmt::format("{}: {} episodes, then {}", what, a.episodes.size(), b.episodes.size()));
  }
  for (std::size_t i = 0; i < a.episodes.size(); ++i) {
    const std::string difference = test::first_difference(a.episodes[i], b.episodes[i]);
    if (!difference.empty()) throw BrokenProperty(what + ": " + difference);
    const SourcePlace& left = a.episodes[i].source;
    const SourcePlace& right = b.episodes[i].source;
    if (left.sha256 != right.sha256 || left.byte_begin != right.byte_begin || left.byte_end != right.byte_end ||
        left.line != right.line) {
      throw BrokenProperty(what + ": the episode lies elsewhere");
    }
  }
  const auto same = [](const Diagnostic& x, const Diagnostic& y) {
    return x.fault == y.fault && x.line == y.line && x.byte == y.byte && x.detail == y.detail;
  };
  if (!std::equal(a.diagnostics.begin(), a.diagnostics.end(), b.diagnostics.begin(), b.diagnostics.end(), same)) {
    throw BrokenProperty(what + ": other diagnostics");
  }
}

const ingest::DeliveryRules& all_rules() {
  static const ingest::DeliveryRules rules = ingest::DeliveryRules::load({"all"});
  return rules;
}

void run_adapter(const Adapter& adapter, std::string_view bytes) {
  (void)adapter.detect(bytes.substr(0, ingest::kDetectionBytes));
  AdapterOutput whole = read_with(adapter, ingest::open_string(std::string(bytes)));
  const AdapterOutput pieces = read_with(adapter, std::make_unique<PiecewiseStream>(bytes));
  hold_same_output(whole, pieces, "read in pieces");
  for (Episode& episode : whole.episodes) {
    if (episode.source.byte_end > bytes.size()) throw BrokenProperty("the source ends behind the file");
    hold_no_fault(test::fault_in(episode));
    (void)spans::compute_spans(episode);
    if (all_rules().apply(episode).deliveries > 0) {
      hold_no_fault(test::breach_in(episode));
      (void)spans::compute_spans(episode);
    }
  }
}

/// Damage costs what it touches: the episodes before it stay as they were.
void run_earlier_episodes(std::string_view bytes) {
  const Adapter& adapter = *ingest::find_adapter("memuse-trace");
  const AdapterOutput whole = read_with(adapter, ingest::open_string(std::string(bytes)));
  if (whole.episodes.size() < 2) return;
  const auto cut = static_cast<std::size_t>(whole.episodes.back().source.byte_begin);
  const std::string damaged = std::string(bytes.substr(0, cut)) + "{\"type\": \"step\", \x01 ]\n";
  const AdapterOutput rest = read_with(adapter, ingest::open_string(damaged));
  if (rest.episodes.size() + 1 < whole.episodes.size()) throw BrokenProperty("damage costs an earlier episode");
  for (std::size_t i = 0; i + 2 < whole.episodes.size(); ++i) {
    hold_no_fault(test::first_difference(rest.episodes[i], whole.episodes[i]));
  }
}

/// The examples that an adapter knows.
std::vector<std::string> seeds_of(const Adapter& adapter) {
  constexpr std::size_t kMaxSeed = std::size_t{48} << 10;
  std::vector<std::string> seeds;
  for (SeedFile& file : source_files("examples", kMaxSeed)) {
    const std::string_view head = std::string_view(file.bytes).substr(0, ingest::kDetectionBytes);
    const auto format = ingest::detect_format(head);
    if (format && format->adapter == &adapter) seeds.push_back(std::move(file.bytes));
  }
  return seeds;
}

std::vector<std::string> trace_seeds() {
  std::vector<std::string> seeds = seeds_of(*ingest::find_adapter("memuse-trace"));
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    seeds.push_back(test::RandomTrace(seed).episode("one") + test::RandomTrace(seed + 100).episode("two") +
                    test::RandomTrace(seed + 200).episode("three"));
  }
  return seeds;
}

void run_detection(std::string_view bytes) {
  (void)ingest::detect_format(bytes.substr(0, ingest::kDetectionBytes));
}

std::vector<std::string> detection_seeds() {
  std::vector<std::string> seeds;
  for (const Adapter* adapter : ingest::adapters()) {
    for (const std::string& seed : seeds_of(*adapter)) {
      if (seeds.empty() || seeds.back().substr(0, 40) != seed.substr(0, 40)) seeds.push_back(seed.substr(0, 2000));
    }
  }
  return seeds;
}

}  // namespace

std::vector<Target> adapter_targets() {
  std::vector<Target> all;
  for (const Adapter* adapter : ingest::adapters()) {
    const bool canonical = adapter->name() == "memuse-trace";
    all.push_back({std::string(adapter->name()), [adapter](std::string_view bytes) { run_adapter(*adapter, bytes); },
                   canonical ? std::function(trace_seeds) : [adapter] { return seeds_of(*adapter); }});
  }
  all.push_back({"earlier-episodes", run_earlier_episodes, trace_seeds});
  all.push_back({"detection", run_detection, detection_seeds});
  return all;
}

}  // namespace memuse::fuzz
