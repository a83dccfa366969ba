#include "ingest/claude_code_tree.h"

namespace memuse::ingest {

ConversationTree::Node ConversationTree::add() {
  const auto node = static_cast<Node>(nodes_.size());
  nodes_.push_back({tip(), static_cast<std::uint32_t>(path_.size())});
  path_.push_back(node);
  return node;
}

/// A node that has left the path never comes back, so the way up can be made shorter for good.
ConversationTree::Node ConversationTree::nearest_on_path(Node node) {
  Node found = node;
  while (nodes_[found].place == kOffPath) found = nodes_[found].up;
  while (nodes_[node].place == kOffPath) {
    const Node next = nodes_[node].up;
    nodes_[node].up = found;
    node = next;
  }
  return found;
}

ConversationTree::Move ConversationTree::move_to(Node node) {
  Move move;
  const Node end = nearest_on_path(node);
  move.reached = end == node;
  while (path_.back() != end) {
    nodes_[path_.back()].place = kOffPath;
    move.left.push_back(path_.back());
    path_.pop_back();
  }
  return move;
}

}  // namespace memuse::ingest
