#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/episode_recorder.h"

namespace memuse::ingest {

/// One message of an input that a trace states whole.
struct StatedMessage {
  std::string_view id;  ///< for the message that it becomes when it is new; must not be in the episode yet
  Role role = Role::user;
  Origin origin = Origin::other;
  std::string_view text;
};

/// Records a conversation of which the trace states whole inputs: makes each next input what the trace says, with as
/// few drops, rewrites and new messages as a comparison with the input before can find. Linear in both inputs.
class StatedInput {
 public:
  explicit StatedInput(EpisodeRecorder& recorder) : recorder_(recorder) {}

  /// Makes the input of the next step show exactly `wanted`, in that order. A message whose text changed in its place
  /// is rewritten; one in the middle of older ones puts all behind it anew.
  void follow(const std::vector<StatedMessage>& wanted);
  /// Takes in the response and the results of the step that was added last.
  void take_step();

 private:
  /// A message of the next step's input.
  struct Shown {
    std::uint32_t message = 0;
    Role role = Role::user;
    std::string_view text;

    [[nodiscard]] bool is(const StatedMessage& wanted) const { return role == wanted.role && text == wanted.text; }
  };

  void drop(const Shown& shown);
  void show(std::uint32_t message);

  EpisodeRecorder& recorder_;
  std::vector<Shown> shown_;  // in order
};

}  // namespace memuse::ingest
