#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"
#include "value_tracing/sightings.h"

// What became of the values that a dependent task needs: did delivered memory hold them, did an action carry them,
// could they have come from elsewhere (docs/value-tracing.md).

namespace memuse::value_tracing {

/// How delivered memory held a value.
enum class Held : std::uint8_t {
  none,
  reformatted,
  verbatim,
  unknown  ///< deliveries were not recorded
};
std::string_view name(Held held);

/// What the agent did with a value; the first that holds.
enum class Carried : std::uint8_t {
  verbatim,       ///< an action carries it byte for byte
  reformatted,    ///< an action carries it in another writing
  uncertain,      ///< an action holds it, but it is common and the word that says what it is is not with it
  stale_instead,  ///< no action carries it, and one carries a stale value
  speech_only,    ///< no action carries it, but the agent said it
  none,
  not_observable  ///< no step is recorded
};
inline constexpr std::size_t kCarriedKinds = 7;
std::string_view name(Carried carried);
/// True for `verbatim` and `reformatted`.
bool is_use(Carried carried);

/// Where a stale value is known from.
enum class StaleOrigin : std::uint8_t {
  probe,       ///< the probe names it
  digit_shift  ///< MERIT's damage: each digit of a gold value moved by 3, one to nine times
};
std::string_view name(StaleOrigin origin);

/// Why MERIT's search of texts and ours differ on a value.
enum class FlagRule : std::uint8_t {
  none,            ///< they agree
  part_of_longer,  ///< it stands only inside a longer word or number
  across_parts,    ///< it stands only across two arguments, or two entries of the block
  argument_name,   ///< it stands only in the name of an argument
  memory_action,   ///< it stands only in an action that searches or opens memory
  too_common,      ///< it is common, and the word that says what it is is not with it
  printed_escape,  ///< MERIT's printed form writes it with escapes
  unconsumed       ///< the block was placed, but no step followed
};
inline constexpr std::size_t kFlagRules = 8;
std::string_view name(FlagRule rule);

/// A place outside the memory where a value could have come from.
struct Leak {
  ValueSighting sighting;
  /// False when an action carried the value before: then this place is its echo, or came too late.
  bool before_use = true;
};

/// A stale value in one episode.
struct StaleTrace {
  std::string value;
  StaleOrigin origin = StaleOrigin::probe;
  std::optional<std::size_t> of;  ///< the gold value it was made from; nothing: of any
  bool telling = true;
  std::optional<ValueSighting> held;     ///< first in delivered memory
  std::optional<ValueSighting> carried;  ///< first in an action
  std::optional<ValueSighting> said;
};

/// A gold value in one episode.
struct GoldTrace {
  std::string value;
  bool telling = true;
  Held held = Held::none;
  std::optional<ValueSighting> held_at;
  std::vector<std::size_t> stale_beside;  ///< stale values that delivered memory held, too; into `EpisodeTrace::stale`
  Carried carried = Carried::none;
  std::optional<ValueSighting> carried_at;   ///< the action; of `stale_instead` that of the stale value
  std::optional<std::size_t> stale_carried;  ///< the stale value that an action carries, if any; into `stale`
  std::optional<ValueSighting> said_at;
  /// The action that carries it came before any delivery that holds it was visible.
  bool before_memory = false;
  std::vector<Leak> leaks;
  std::optional<bool> merit_held;       ///< it is a substring of a placed block; nothing without recorded deliveries
  std::optional<bool> merit_used;       ///< it is a substring of the printed arguments; nothing without recorded steps
  FlagRule held_rule = FlagRule::none;  ///< why `merit_held` and `held` differ
  FlagRule used_rule = FlagRule::none;  ///< why `merit_used` and `carried` (verbatim) differ

  /// It stood outside memory before an action carried it (or anywhere, when none did).
  [[nodiscard]] bool leaked_before_use() const;
};

/// The use of all gold values of an episode together; the first that holds.
enum class EpisodeUse : std::uint8_t {
  all,        ///< actions carry every gold value
  partial,    ///< some, and one at least not even perhaps
  uncertain,  ///< some or none for sure, the others perhaps
  stale_instead,
  speech_only,
  none,
  not_observable
};
inline constexpr std::size_t kEpisodeUses = 7;
std::string_view name(EpisodeUse use);

/// One dependent episode.
struct EpisodeTrace {
  std::vector<GoldTrace> gold;
  std::vector<StaleTrace> stale;
  EpisodeUse use = EpisodeUse::none;
  std::size_t used = 0;  ///< gold values that actions carry
  bool pre_satisfied = false;
  std::optional<bool> recorded_flag;    ///< MERIT's `memory_utilized` as recorded
  std::optional<bool> recomputed_flag;  ///< from gold values and printed arguments
  /// The flag as this tracing gives it: memory had the fact (as recorded), and actions carry every gold value verbatim.
  std::optional<bool> traced_flag;

  [[nodiscard]] bool leaked_before_use() const;
  /// Success of this episode says nothing about memory: a leak before use, or a goal that held at the start.
  [[nodiscard]] bool success_says_nothing() const { return pre_satisfied || leaked_before_use(); }
};

struct TraceOptions {
  bool digit_shifts = false;  ///< look for the values that MERIT's damage makes of the gold values
};

/// True for an episode to be traced: it has gold values, and its probe does not say that it is independent.
bool is_traceable(const Episode& episode);

/// Traces the gold values of an episode. `printed_arguments`: the arguments of all actions as MERIT prints them.
EpisodeTrace trace_values(const Episode& episode, std::string_view printed_arguments, const TraceOptions& options);

/// `value` with each digit moved by 3 · `times`, modulo 10.
std::string digit_shifted(std::string_view value, int times);

}  // namespace memuse::value_tracing
