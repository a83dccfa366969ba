#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/adapter.h"
#include "ingest/byte_stream.h"
#include "support/episode_text.h"

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
  [[nodiscard]] std::size_t count(Severity severity) const {
    return static_cast<std::size_t>(std::count_if(diagnostics.begin(), diagnostics.end(),
                                                  [&](const Diagnostic& d) { return d.severity == severity; }));
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

/// Reads a file.
inline AdapterReading read_path(const ingest::Adapter& adapter, const std::filesystem::path& path,
                                const ingest::ReadOptions& options = {}) {
  return reading_of(path.string(), [&](const ingest::EpisodeSink& sink, ingest::DiagnosticLog& log) {
    adapter.read(ingest::open_file(path.string()), path.string(), options, sink, log);
  });
}

/// The same episode, read again from where it says it lies.
inline void check_read_again(const ingest::Adapter& adapter, const Episode& episode,
                             const ingest::ReadOptions& options = {}) {
  std::vector<Episode> again;
  ingest::DiagnosticLog log(episode.source.path);
  adapter.read_again(
      episode.source, options,
      [&](Episode&& other) {
        if (other.source.sha256 == episode.source.sha256 && other.id == episode.id) again.push_back(std::move(other));
      },
      log);
  INFO(episode.source.path << " " << episode.id);
  REQUIRE(again.size() == 1);
  CHECK(first_difference(again.front(), episode).empty());
  CHECK(again.front().source.byte_begin == episode.source.byte_begin);
  CHECK(again.front().source.byte_end == episode.source.byte_end);
  CHECK(again.front().source.line == episode.source.line);
}

/// The texts of V(step), in order.
inline std::vector<std::string> visible_texts(const Episode& episode, std::uint32_t step) {
  std::vector<std::string> texts;
  for (const Message& message : episode.messages) {
    if (message.visible_at(step)) texts.emplace_back(episode.texts[message.text_at_step(step)]);
  }
  return texts;
}

/// Text of a message when it was added.
inline std::string first_text(const Episode& episode, std::uint32_t message) {
  return std::string(episode.texts[episode.messages[message].versions.front().text]);
}

}  // namespace memuse::test
