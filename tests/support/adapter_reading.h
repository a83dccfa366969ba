#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/adapter.h"

namespace memuse::test {

/// What an adapter made of some input.
struct AdapterReading {
  std::vector<Episode> episodes;
  std::vector<Diagnostic> diagnostics;

  [[nodiscard]] const Episode& only() const {
    REQUIRE(episodes.size() == 1);
    return episodes.front();
  }
  [[nodiscard]] const Episode& episode(std::string_view id) const {
    const auto found =
        std::find_if(episodes.begin(), episodes.end(), [id](const Episode& one) { return one.id == id; });
    REQUIRE(found != episodes.end());
    return *found;
  }
  [[nodiscard]] std::size_t count(Fault fault) const {
    return static_cast<std::size_t>(
        std::count_if(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& d) { return d.fault == fault; }));
  }
  /// Each kind of fault once, sorted.
  [[nodiscard]] std::vector<Fault> faults() const {
    std::vector<Fault> all;
    for (const Diagnostic& diagnostic : diagnostics) all.push_back(diagnostic.fault);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
};

/// `read` calls a function of an adapter with the sink and the log that it is given.
template <typename Read>
AdapterReading reading_of(const std::string& path, Read read) {
  AdapterReading reading;
  ingest::DiagnosticLog log(path);
  read([&](Episode&& episode) { reading.episodes.push_back(std::move(episode)); }, log);
  reading.diagnostics = log.take();
  return reading;
}

/// Reads `bytes` as the file `path`.
inline AdapterReading read_bytes(const ingest::Adapter& adapter, const std::string& bytes, const std::string& path,
                                 const ingest::ReadOptions& options = {}) {
  return reading_of(path, [&](const ingest::EpisodeSink& sink, ingest::DiagnosticLog& log) {
    adapter.read(ingest::open_string(bytes), path, options, sink, log);
  });
}

/// Reads a folder that the adapter claims.
inline AdapterReading read_claimed(const ingest::Adapter& adapter, const std::string& folder,
                                   const ingest::ReadOptions& options = {}) {
  return reading_of(folder, [&](const ingest::EpisodeSink& sink, ingest::DiagnosticLog& log) {
    adapter.read_folder(folder, options, sink, log);
  });
}

}  // namespace memuse::test
