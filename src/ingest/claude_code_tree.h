#pragma once

#include <cstdint>
#include <vector>

namespace memuse::ingest {

/// The tree that the records of a session form by their parents, and the path through it that the conversation is on
/// now. What stands on the path is what the next call sees. All operations together cost near-linear time.
class ConversationTree {
 public:
  using Node = std::uint32_t;
  /// Above all records; always on the path.
  static constexpr Node kRoot = 0;

  /// What following a record to its parent means for the path.
  struct Move {
    std::vector<Node> left;  ///< nodes that are no longer on the path
    bool reached = true;     ///< false when the parent had been left before: the path then ends at its last ancestor
                             ///< that is still on it
  };

  ConversationTree() : nodes_{{kRoot, 0}}, path_{kRoot} {}

  /// A new node below the end of the path, which it becomes.
  Node add();
  [[nodiscard]] Node tip() const { return path_.back(); }
  /// Makes `node` the end of the path, leaving what is below it.
  Move move_to(Node node);

 private:
  static constexpr std::uint32_t kOffPath = 0xFFFFFFFF;
  struct Entry {
    Node up = kRoot;                 // the parent, or an ancestor once the nodes between are off the path
    std::uint32_t place = kOffPath;  // on the path
  };

  Node nearest_on_path(Node node);

  std::vector<Entry> nodes_;
  std::vector<Node> path_;
};

}  // namespace memuse::ingest
