#pragma once

#include <tbb/task_group.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/sha256.h"

namespace memuse::ingest {

/// The SHA-256 of an episode's bytes, which come part by part. Hashing costs about as much as parsing and has an order
/// of its own: with `aside` it is done by a task of the current TBB arena, one after the other, while the reading goes
/// on. One that is not `wanted` costs nothing, and its digits are none.
class SourceHash {
 public:
  SourceHash(bool wanted, bool aside) : wanted_(wanted), aside_(wanted && aside), hash_(wanted) {}
  /// Waits for the part that is being hashed.
  ~SourceHash();
  SourceHash(const SourceHash&) = delete;
  SourceHash& operator=(const SourceHash&) = delete;

  /// The next bytes; `owner` keeps them alive (null for a literal).
  void add(std::string_view part, const std::shared_ptr<const void>& owner);
  /// Hex digits over all since the last call.
  std::string finish_hex();

 private:
  struct Part {
    std::string_view bytes;
    std::shared_ptr<const void> owner;
  };
  void start();

  bool wanted_;
  bool aside_;
  Sha256 hash_;
  std::vector<Part> next_;       // not yet begun
  std::vector<Part> under_way_;  // of the task
  std::size_t next_bytes_ = 0;
  tbb::task_group task_;
};

}  // namespace memuse::ingest
