#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/episode_recorder.h"
#include "ingest/json.h"
#include "ingest/swe_agent_messages.h"

namespace memuse::ingest {

/// Number of lines of a text as Python's `str.splitlines` counts them.
std::size_t python_line_count(std::string_view text);

/// Hides old observations as the history processor `last_n_observations` does: before each call, all but the last n of
/// the observations so far, and never the first (the task), become one line that says how long they were.
class SweElision {
 public:
  /// Hides nothing.
  SweElision() = default;
  /// As the processor's settings say.
  explicit SweElision(const JsonValue& processor);

  /// Takes in a message that is not of a demonstration; `number` is its index in the episode.
  void take(const SweMessage& message, std::uint32_t number, EpisodeRecorder& recorder);
  /// To be called before each call.
  void before_call(EpisodeRecorder& recorder);

 private:
  struct Observation {
    std::uint32_t message = 0;
    bool keep = false;
  };
  static void hide(std::uint32_t message, EpisodeRecorder& recorder);

  bool active_ = false;
  std::size_t last_ = 0;
  std::size_t polling_ = 1;
  std::vector<std::string> keep_tags_;
  std::vector<std::string> remove_tags_;
  std::vector<Observation> observations_;
  std::size_t hidden_ = 1;  // observations before this one are dealt with; the first stays
};

}  // namespace memuse::ingest
