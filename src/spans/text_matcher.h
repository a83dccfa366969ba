#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memuse::spans {

/// Finds which of a fixed set of texts occur in another text, in one pass over it.
class TextMatcher {
 public:
  static constexpr std::uint32_t kNoText = std::numeric_limits<std::uint32_t>::max();

  /// `texts` are distinct and not empty; they are read during construction only.
  explicit TextMatcher(const std::vector<std::string_view>& texts);

  /// Calls `visit(end, text)` for every position `end` of `subject` (bytes read so far) at which a text ends, with the
  /// number of the longest text that ends there.
  template <typename Visit>
  void scan(std::string_view subject, Visit&& visit) const {
    std::uint32_t node = kRoot;
    for (std::size_t i = 0; i < subject.size(); ++i) {
      node = advance(node, static_cast<unsigned char>(subject[i]));
      if (longest_[node] != kNoText) visit(i + 1, longest_[node]);
    }
  }

  /// The longest other text that is a suffix of text `number`, or `kNoText`.
  [[nodiscard]] std::uint32_t longest_proper_suffix(std::uint32_t number) const { return suffix_[number]; }

 private:
  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kNoNode = kNoText;

  /// A node of the trie. Most nodes have one child, which then stands right behind them.
  struct Node {
    unsigned char label = 0;     // byte that leads here
    bool next_is_child = false;  // the node behind this one is a child
    bool has_branches = false;   // `branches_` holds further children
  };

  [[nodiscard]] std::uint32_t child(std::uint32_t node, unsigned char byte) const {
    const Node parent = nodes_[node];
    if (parent.next_is_child && nodes_[node + 1].label == byte) return node + 1;
    return parent.has_branches ? branch(node, byte) : kNoNode;
  }
  [[nodiscard]] std::uint32_t branch(std::uint32_t node, unsigned char byte) const;
  [[nodiscard]] std::uint32_t advance(std::uint32_t node, unsigned char byte) const {
    const std::uint32_t next = child(node, byte);
    return next != kNoNode ? next : advance_from_suffix(node, byte);
  }
  [[nodiscard]] std::uint32_t advance_from_suffix(std::uint32_t node, unsigned char byte) const;
  std::uint32_t add_child(std::uint32_t node, unsigned char byte);
  void add_text(std::string_view text, std::uint32_t number);
  void link_failures();

  static std::uint64_t branch_key(std::uint32_t node, unsigned char byte) { return (std::uint64_t{node} << 8U) | byte; }

  std::vector<Node> nodes_;
  std::array<std::uint32_t, 256> root_branches_{};
  std::unordered_map<std::uint64_t, std::uint32_t> branches_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> branch_list_;  // (parent, child), for walking the trie
  std::vector<std::uint32_t> failure_;  // longest proper suffix of a node's string that is a node
  std::vector<std::uint32_t> longest_;  // longest text that is a suffix of a node's string
  std::vector<std::uint32_t> ends_;     // node of each text
  std::vector<std::uint32_t> suffix_;
};

}  // namespace memuse::spans
