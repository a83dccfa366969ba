#include "spans/text_matcher.h"

#include <algorithm>

// Aho–Corasick. The texts form a trie; the failure link of a node leads to the longest proper suffix of its string that
// is a node too, so a scan never goes back in its subject: it costs its length, whatever the texts look like.
//
// Nodes are laid out along the texts as these are added: the first child of a node stands right behind it and needs no
// pointer. That keeps a node small and makes a walk along a text a walk along memory. The rare further children
// are in a hash table, those of the root in an array, since a scan is at the root most of the time.
//
// Cost: time and memory in the sum of the texts' lengths.

namespace memuse::spans {

TextMatcher::TextMatcher(const std::vector<std::string_view>& texts) : ends_(texts.size()), suffix_(texts.size()) {
  root_branches_.fill(kNoNode);
  nodes_.emplace_back();
  longest_.push_back(kNoText);
  for (std::uint32_t i = 0; i < texts.size(); ++i) add_text(texts[i], i);
  link_failures();
  for (std::uint32_t i = 0; i < texts.size(); ++i) suffix_[i] = longest_[failure_[ends_[i]]];
}

std::uint32_t TextMatcher::branch(std::uint32_t node, unsigned char byte) const {
  if (node == kRoot) return root_branches_[byte];
  const auto found = branches_.find(branch_key(node, byte));
  return found == branches_.end() ? kNoNode : found->second;
}

std::uint32_t TextMatcher::advance_from_suffix(std::uint32_t node, unsigned char byte) const {
  while (node != kRoot) {
    node = failure_[node];
    const std::uint32_t next = child(node, byte);
    if (next != kNoNode) return next;
  }
  return kRoot;
}

std::uint32_t TextMatcher::add_child(std::uint32_t node, unsigned char byte) {
  const auto added = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back().label = byte;
  longest_.push_back(kNoText);
  if (added == node + 1) {
    nodes_[node].next_is_child = true;
    return added;
  }
  nodes_[node].has_branches = true;
  if (node == kRoot) {
    root_branches_[byte] = added;
  } else {
    branches_.emplace(branch_key(node, byte), added);
  }
  branch_list_.emplace_back(node, added);
  return added;
}

void TextMatcher::add_text(std::string_view text, std::uint32_t number) {
  std::uint32_t node = kRoot;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const std::uint32_t next = child(node, byte);
    node = next != kNoNode ? next : add_child(node, byte);
  }
  longest_[node] = number;
  ends_[number] = node;
}

void TextMatcher::link_failures() {
  failure_.assign(nodes_.size(), kRoot);
  std::sort(branch_list_.begin(), branch_list_.end());
  std::vector<std::uint32_t> level{kRoot};
  std::vector<std::uint32_t> next_level;
  const auto link = [&](std::uint32_t parent, std::uint32_t node) {
    failure_[node] = parent == kRoot ? kRoot : advance(failure_[parent], nodes_[node].label);
    if (longest_[node] == kNoText) longest_[node] = longest_[failure_[node]];
    next_level.push_back(node);
  };
  // Level by level: a failure link leads to a shorter string, whose own link must be there already.
  while (!level.empty()) {
    next_level.clear();
    for (const std::uint32_t node : level) {
      if (nodes_[node].next_is_child) link(node, node + 1);
      if (!nodes_[node].has_branches) continue;
      auto branch = std::lower_bound(branch_list_.begin(), branch_list_.end(), std::pair(node, std::uint32_t{0}));
      for (; branch != branch_list_.end() && branch->first == node; ++branch) link(node, branch->second);
    }
    level.swap(next_level);
  }
}

}  // namespace memuse::spans
