#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "ingest/episode_rereader.h"
#include "ingest/pipeline.h"
#include "model/entries.h"
#include "spans/spans.h"
#include "support/episode_text.h"

namespace memuse::test {

/// What a path was read as.
struct Reading {
  std::map<std::string, Episode> episodes;  ///< by id
  std::vector<Diagnostic> diagnostics;
  std::size_t handed_over = 0;

  [[nodiscard]] const Episode& at(const std::string& id) const {
    const auto found = episodes.find(id);
    INFO("episode " << id);
    REQUIRE(found != episodes.end());
    return found->second;
  }
  [[nodiscard]] std::size_t count(Fault fault) const {
    std::size_t sum = 0;
    for (const Diagnostic& diagnostic : diagnostics) sum += diagnostic.fault == fault ? 1 : 0;
    return sum;
  }
  [[nodiscard]] std::string faults() const {
    std::string all;
    for (const Diagnostic& diagnostic : diagnostics) all += to_line(diagnostic) + "\n";
    return all;
  }
};

inline Reading read_path(const std::string& path, const ingest::ReadOptions& options = {}) {
  Reading reading;
  ingest::InputList inputs = ingest::find_inputs({path});
  reading.diagnostics = std::move(inputs.diagnostics);
  ingest::PipelineOptions pipeline;
  pipeline.read = options;
  pipeline.jobs = 1;
  ingest::read_inputs(
      inputs.files, pipeline,
      [&](Episode&& episode) {
        ++reading.handed_over;
        reading.episodes.emplace(std::string(episode.id), std::move(episode));
      },
      [&](ingest::FileReport&& report) {
        reading.diagnostics.insert(reading.diagnostics.end(), report.diagnostics.begin(), report.diagnostics.end());
      });
  return reading;
}

inline std::string tag_of(const Episode& episode, std::string_view key) {
  for (const Tag& tag : episode.tags) {
    if (tag.key == key) return std::string(tag.value);
  }
  return {};
}

/// The spans of an episode, one a line: `1-4 judged 1 2 3 4: item [1,4] "text"; …`.
inline std::string spans_of(const Episode& episode) {
  const EpisodeSpans all = spans::compute_spans(episode);
  std::string out;
  for (const Span& span : all.spans) {
    out += fmt::format("{}-{} {}", span.first_step, span.last_step, name(span.routing));
    for (const SpanDelivery& delivery : span.deliveries) out += fmt::format(" {}", delivery.step);
    out += ":";
    if (span.deliveries.front().delivery < episode.deliveries.size()) {
      const auto exposed = exposed_entries(episode, episode.deliveries[span.deliveries.front().delivery]);
      for (std::size_t i = 0; i < exposed.size(); ++i) {
        const auto& window = span.entries[i].window;
        const Entry* entry = exposed[i].recorded;
        out += fmt::format(" {} {} \"{}\";", entry != nullptr && entry->item ? *entry->item : "-",
                           window ? fmt::format("[{},{}]", window->first, window->last) : "[]", exposed[i].text);
      }
    }
    out += "\n";
  }
  return out;
}

inline std::string all_spans(const Reading& reading) {
  std::string out;
  for (const auto& [id, episode] : reading.episodes) out += id + "\n" + spans_of(episode);
  return out;
}

/// Reads every episode again from its place and compares all that it holds.
inline void check_read_again(const Reading& reading) {
  for (const auto& [id, episode] : reading.episodes) {
    ingest::ReadOptions options;
    options.configuration = std::string(episode.configuration);
    options.run = std::string(episode.run);
    Fault fault = Fault::source_missing;
    std::string detail;
    const auto again = ingest::EpisodeRereader().read(episode.source, options, fault, detail);
    INFO(id << ": " << fault_name(fault) << " " << detail);
    REQUIRE(again);
    CHECK(first_difference(episode, *again).empty());
  }
}

}  // namespace memuse::test
