#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/delivery_rules.h"
#include "model/episode.h"

namespace memuse::workflow {

/// An entry of a match, its text shortened.
struct MatchedEntry {
  std::optional<std::string> item;
  std::optional<std::string> version;
  std::string text;
  std::vector<std::string> identifiers;
};

/// One delivery that a rule found, for a person who tries a rule.
struct RuleMatch {
  std::string file;
  std::uint64_t line = 0;  ///< of the episode's start in the file
  std::string episode;
  std::uint32_t number = 0;              ///< of the delivery in its episode
  std::optional<std::uint32_t> step;     ///< consuming step; nothing when it was never consumed
  std::optional<std::uint32_t> message;  ///< 1-based place of its message in the episode; nothing for an empty delivery
  std::string role;
  std::string message_id;
  std::string rule;
  std::string route;
  std::string form;
  std::string placed_text;  ///< shortened
  std::vector<MatchedEntry> entries;
  std::uint64_t entries_total = 0;

  friend bool operator<(const RuleMatch& a, const RuleMatch& b) {
    return std::tie(a.file, a.line, a.episode, a.number) < std::tie(b.file, b.line, b.episode, b.number);
  }
};

/// Collects matches; keeps the first `kMaxKept` in the order of files, whatever order they come in. Not thread-safe.
class RuleMatches {
 public:
  static constexpr std::size_t kMaxKept = 1000;
  static constexpr std::size_t kMaxEntries = 50;     ///< shown of one delivery
  static constexpr std::size_t kMaxTextBytes = 160;  ///< shown of one text

  void add(const Episode& episode);
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] const std::set<RuleMatch>& kept() const { return kept_; }

 private:
  std::set<RuleMatch> kept_;
  std::uint64_t total_ = 0;
};

/// What the presets would find, each alone, in episodes that record no deliveries. A preset counts only where it also
/// finds something beside all others: a weak form that another knows better is not suggested.
class RuleSuggestions {
 public:
  struct Count {
    std::uint64_t deliveries = 0;
    std::uint64_t episodes = 0;
  };
  using Counts = std::map<std::string, Count>;

  /// Counts per preset for one episode of grade `not_recorded`, which is left as it was. Safe to call from several
  /// threads on different episodes.
  static std::map<std::string, std::uint64_t> try_presets(Episode& episode);

  void add(const std::map<std::string, std::uint64_t>& found);
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  Counts counts_;
};

}  // namespace memuse::workflow
