#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"

// Where given values stand in the record of an episode: in delivered memory, in what the agent did and said, and in
// what it was told. The writings that count are those of the offline judge (judge/probe_forms.h).

namespace memuse::value_tracing {

/// Who put a text into the record.
enum class Where : std::uint8_t {
  memory,       ///< an entry of a consumed delivery
  action,       ///< an argument of an action that turns to the task, not to the memory
  speech,       ///< what the agent said or thought
  task,         ///< the task text
  user,         ///< a message of the user, memory cut out
  system,       ///< a system message, memory cut out
  tool_result,  ///< a tool's result that is no memory
  other         ///< any other message
};
std::string_view name(Where where);
/// True for what the agent was told: task, user, system, tool_result, other.
bool is_input(Where where);

/// One line with a value in it, cut at character borders when it is long.
struct Quote {
  std::string before, marked, after;
  bool cut_before = false, cut_after = false;
};

/// A value found at one place. At most one for a value, a place and a text; a verbatim one if there is any.
struct ValueSighting {
  Where where = Where::action;
  std::uint32_t step = 0;      ///< of actions, speech and tool results; 0 for messages of their own and memory
  std::uint32_t from = 0;      ///< first step whose input shows it; of actions and speech the step itself
  std::uint32_t delivery = 0;  ///< of memory: index into `Episode::deliveries`
  std::uint32_t entry = 0;     ///< of memory: index in the delivery's list
  std::string item;            ///< of memory: the entry's item; empty if it has none
  std::uint32_t action = 0;    ///< of an action: index in its step
  std::string action_name;     ///< of an action
  std::string argument;  ///< of an action: path in its arguments, `edits/0/new`; of speech: `response`, `reasoning`
  std::uint32_t message = 0;  ///< of messages and tool results: index into `Episode::messages`
  std::uint64_t begin = 0;    ///< bytes in the entry's text, the argument's decoded value, the words or the message
  std::uint64_t end = 0;
  bool verbatim = false;  ///< byte for byte; else in another writing
  bool telling = true;    ///< false when the value is common and the word that says what it is is not with it
  Quote quote;
};

/// A value to look for. Of values of different sides one that stands inside the other does not count there (the old
/// `Room 4` in the new `Room 4 East`).
struct SoughtValue {
  std::string_view text;
  std::uint8_t side = 0;
};

/// What was found of one value.
struct FoundValue {
  bool telling = true;                   ///< judge::is_telling_probe_value
  std::vector<ValueSighting> sightings;  ///< in the order of the record; of a step: input, speech, actions
};

/// All sightings of the values in one episode, one result per value. Linear in the episode. Actions that search or open
/// memory are left out, as are deliveries that no step consumed.
///
/// A value that is not telling is looked for with the words that stand with it in delivered memory (`rows = 12`); where
/// they are missing the sighting is kept with `telling` false. Numbers are also found in the units that memory gives
/// them (`8,084 cents` as `80.84`), when they are rare in that writing.
std::vector<FoundValue> find_values(const Episode& episode, const std::vector<SoughtValue>& values);

}  // namespace memuse::value_tracing
