#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "data.h"
#include "episode_text.h"
#include "ingest/adapter.h"
#include "ingest/episode_rereader.h"
#include "ingest/pipeline.h"

namespace memuse::test {

/// What an adapter made of a file.
struct Ingested {
  std::string format;
  std::string version;
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

/// Reads bytes with one adapter, as if they stood at `path`.
inline Ingested ingest_text(const ingest::Adapter& adapter, const std::string& bytes, const std::string& path,
                            const ingest::ReadOptions& options = {}) {
  Ingested result;
  ingest::DiagnosticLog log(path);
  adapter.read(
      ingest::open_string(bytes), path, options,
      [&](Episode&& episode) { result.episodes.push_back(std::move(episode)); }, log);
  result.diagnostics = log.take();
  return result;
}

/// Reads a file as the program does.
inline Ingested ingest_file(const std::filesystem::path& path) {
  Ingested result;
  ingest::PipelineOptions options;
  options.jobs = 1;
  ingest::read_inputs(
      {ingest::Input{path.string(), false, false}}, options,
      [&](Episode&& episode) { result.episodes.push_back(std::move(episode)); },
      [&](ingest::FileReport&& report) {
        result.format = report.format;
        result.version = report.format_version;
        result.diagnostics = std::move(report.diagnostics);
      });
  return result;
}

/// Checks that an episode read again from its source is the same.
inline void check_read_again(const Episode& episode) {
  Fault fault = Fault::invalid_json;
  std::string detail;
  ingest::ReadOptions options;
  options.configuration = episode.configuration;
  options.run = episode.run;
  const auto again = ingest::EpisodeRereader().read(episode.source, options, fault, detail);
  REQUIRE(again);
  CHECK(first_difference(*again, episode).empty());
}

/// Folder of the sample traces of a format.
inline std::filesystem::path sample_traces(const std::string& format) {
  return (shared_data() / ".." / "traces" / format).lexically_normal();
}

/// Ids of the messages in the input of a step, each followed by a space.
inline std::string visible_ids(const Episode& episode, std::uint32_t step) {
  std::string all;
  for (const Message& message : episode.messages) {
    if (message.visible_at(step)) all += std::string(message.id) + " ";
  }
  return all;
}

/// First text of the message with that id; empty when there is none.
inline std::string text_of_message(const Episode& episode, std::string_view id) {
  for (const Message& message : episode.messages) {
    if (message.id == id) return std::string(episode.texts[message.versions.front().text]);
  }
  return {};
}

}  // namespace memuse::test
