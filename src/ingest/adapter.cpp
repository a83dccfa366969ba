#include "ingest/adapter.h"

#include <algorithm>
#include <utility>

#include "ingest/atif.h"
#include "ingest/bridge_adapter.h"
#include "ingest/canonical_trace.h"
#include "ingest/claude_code.h"
#include "ingest/codex.h"
#include "ingest/merit_adapter.h"
#include "ingest/mini_swe_agent.h"
#include "ingest/swe_agent.h"
#include "ingest/tau_bench.h"

namespace memuse::ingest {
namespace {

/// Part of a file, up to a number of bytes.
class LimitedStream final : public ByteStream {
 public:
  LimitedStream(std::unique_ptr<ByteStream> stream, std::uint64_t bytes) : stream_(std::move(stream)), left_(bytes) {}
  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t got = stream_->read(buffer, static_cast<std::size_t>(std::min<std::uint64_t>(size, left_)));
    left_ -= got;
    return got;
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::uint64_t left_;
};

}  // namespace

std::optional<std::string> Adapter::claims(const std::filesystem::path& /*folder*/) const {
  return std::nullopt;
}

void Adapter::read_folder(const std::string& path, const ReadOptions& /*options*/, const EpisodeSink& /*sink*/,
                          DiagnosticLog& /*log*/) const {
  throw ReadFault{"a folder of format " + std::string(name()) + " cannot be read as one: " + path};
}

void Adapter::read_again(const SourcePlace& place, const ReadOptions& options, const EpisodeSink& sink,
                         DiagnosticLog& log) const {
  auto stream =
      std::make_unique<LimitedStream>(open_file(place.path, place.byte_begin), place.byte_end - place.byte_begin);
  read(std::move(stream), place.path, options, sink, log);
}

const std::vector<const Adapter*>& adapters() {
  static const std::vector<const Adapter*> all{
      &bridge_adapter(),         &merit_adapter(),       &canonical_trace_adapter(),
      &mini_swe_agent_adapter(), &swe_agent_adapter(),   &tau_bench_adapter(),
      &atif_adapter(),           &claude_code_adapter(), &codex_adapter()};
  return all;
}

const Adapter* find_adapter(std::string_view name) {
  for (const Adapter* adapter : adapters()) {
    if (adapter->name() == name) return adapter;
  }
  return nullptr;
}

std::optional<DetectedFormat> detect_format(std::string_view head) {
  for (const Adapter* adapter : adapters()) {
    if (auto version = adapter->detect(head)) return DetectedFormat{adapter, std::move(*version)};
  }
  return std::nullopt;
}

std::optional<DetectedFormat> detect_folder(const std::filesystem::path& folder) {
  for (const Adapter* adapter : adapters()) {
    if (auto version = adapter->claims(folder)) return DetectedFormat{adapter, std::move(*version)};
  }
  return std::nullopt;
}

}  // namespace memuse::ingest
