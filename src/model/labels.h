#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memuse {

// The signals of semantics.md §5. `null` is an empty optional everywhere.

enum class Accuracy : std::uint8_t { corroborated, uncontradicted, contradicted };
enum class Novelty : std::uint8_t { novel, confirming, redundant };
enum class Influence : std::uint8_t { none, referenced, selected, acted_on };
enum class Effect : std::uint8_t { improved, no_effect, harmed };

/// Verdict of a span (semantics.md §7).
enum class Verdict : std::uint8_t { mixed, beneficial, harmful, undetermined, neutral };
/// What happens with a span (semantics.md §4).
enum class Routing : std::uint8_t { judged, automatic_neutral, empty };
/// What became of a span (semantics.md §7).
enum class SpanStatus : std::uint8_t { judged, automatic, empty, unresolved, not_judged };

std::string_view name(Accuracy value);
std::string_view name(Novelty value);
std::string_view name(Influence value);
std::string_view name(Effect value);
std::string_view name(Verdict value);
std::string_view name(Routing value);
std::string_view name(SpanStatus value);

/// The value of that name, or nothing. Specialised for every enum above.
template <typename Enum>
std::optional<Enum> parse_name(std::string_view text);

/// The five signals of one entry.
struct Labels {
  std::optional<bool> relevance;
  std::optional<Accuracy> accuracy;
  std::optional<Novelty> novelty;
  std::optional<Influence> influence;
  std::optional<Effect> effect;
  friend bool operator==(const Labels&, const Labels&) = default;
};

/// One cited place: a step of the episode (0 = the task text), or an evidence file by name.
struct Evidence {
  std::optional<std::uint32_t> step;  ///< 1-based step; 0 for the task
  std::string file;      ///< name of an evidence file when `step` is empty (`target`, `prior_context`, …)
  std::string quote;     ///< verbatim text of that place (compared after white-space folding)
  std::string supports;  ///< the signal it supports (`influence`, `novelty`, `effect`, …)
  std::string value;     ///< the carried value inside the quote, as it stands there; empty if none
  /// Where the quote stands, when it was looked up in the evidence files of its span (docs/evidence.md).
  struct Place {
    std::string file;                  ///< name of the evidence file
    std::uint64_t begin = 0, end = 0;  ///< half-open byte range
    friend bool operator==(const Place&, const Place&) = default;
  };
  std::optional<Place> place = std::nullopt;
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// What a judge says of one entry with a credit window.
struct EntryAnswer {
  std::uint32_t entry = 0;  ///< index of the entry in its target delivery
  Labels labels;
  std::vector<std::uint32_t> anchors;  ///< steps where the influence shows, ascending
  std::vector<Evidence> evidence;
  std::string reason;
  friend bool operator==(const EntryAnswer&, const EntryAnswer&) = default;
};

/// What a judge says of one span.
struct Answer {
  std::vector<EntryAnswer> entries;
  friend bool operator==(const Answer&, const Answer&) = default;
};

}  // namespace memuse
