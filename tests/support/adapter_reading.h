#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "ingest/adapter.h"
#include "ingest/byte_stream.h"
#include "support/episode_text.h"

namespace memuse::test {

/// What an adapter made of one document.
struct Reading {
  std::vector<Episode> episodes;
  std::vector<Diagnostic> diagnostics;

  [[nodiscard]] const Episode& only() const {
    REQUIRE(episodes.size() == 1);
    return episodes.front();
  }
  [[nodiscard]] std::size_t count(Fault fault) const {
    return static_cast<std::size_t>(
        std::count_if(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& d) { return d.fault == fault; }));
  }
  [[nodiscard]] std::size_t count(Severity severity) const {
    return static_cast<std::size_t>(std::count_if(diagnostics.begin(), diagnostics.end(),
                                                  [&](const Diagnostic& d) { return d.severity == severity; }));
  }
};

/// Reads `bytes` as if they stood at `path`.
inline Reading read_bytes(const ingest::Adapter& adapter, const std::string& bytes, const std::string& path,
                          const ingest::ReadOptions& options = {}) {
  Reading reading;
  ingest::DiagnosticLog log(path);
  adapter.read(
      ingest::open_string(bytes), path, options,
      [&](Episode&& episode) { reading.episodes.push_back(std::move(episode)); }, log);
  reading.diagnostics = log.take();
  return reading;
}

/// Reads a file.
inline Reading read_path(const ingest::Adapter& adapter, const std::filesystem::path& path,
                         const ingest::ReadOptions& options = {}) {
  Reading reading;
  ingest::DiagnosticLog log(path.string());
  adapter.read(
      ingest::open_file(path.string()), path.string(), options,
      [&](Episode&& episode) { reading.episodes.push_back(std::move(episode)); }, log);
  reading.diagnostics = log.take();
  return reading;
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
