#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "judge/patterns.h"
#include "model/episode.h"
#include "model/text.h"

// Where in the record of an episode each pattern stands. Every distinct text is read once per episode, whatever the
// number of entries; a question about one entry is then a search in short sorted lists.

namespace memuse::judge {

/// Who put a text into the record.
enum class PlaceKind : std::uint8_t {
  task,         ///< the task text: known from the start
  words,        ///< what the agent said or thought in a step
  action,       ///< an argument of an action
  environment,  ///< a tool's result that is no memory, or a message that is no step's
  memory        ///< an entry exposed by a consumed delivery
};

/// One text at one place of the record.
struct Place {
  PlaceKind kind = PlaceKind::task;
  std::uint32_t step = 0;  ///< the step of words, actions and results; 0 for messages of their own
  std::uint32_t from = 0;  ///< first step whose input can show it
  std::uint32_t end = kNever;
  std::uint32_t order = 0;  ///< line clock, for deliveries of one step
  std::uint32_t text = 0;
  std::uint32_t part = 0;    ///< action in its step, message or exposure
  bool as_recorded = false;  ///< of an action: the arguments with their JSON, after their decoded strings
};

/// A pattern found at a place.
struct Spot {
  std::uint32_t place = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// An entry as a consumed delivery exposed it.
struct Exposure {
  std::uint32_t delivery = 0;
  std::uint32_t entry = 0;
  std::uint32_t step = 0;  ///< consuming step
  std::optional<std::string_view> item;
  std::string_view text;
  std::vector<std::string_view> identifiers;
  std::uint32_t opened_by = 0;  ///< the step whose result it is; 0 when the host placed it
  bool is_teaser = false;       ///< a longer text of the item was fetched later
};

/// All places of one pattern, by kind.
struct Occurrences {
  std::vector<Spot> task;
  std::vector<Spot> words;                        ///< by step
  std::vector<Spot> actions;                      ///< by step
  std::vector<Spot> environment;                  ///< by `from`
  std::vector<Spot> memory;                       ///< by (`from`, `order`), teasers left out
  std::vector<Spot> teasers;                      ///< by `from`
  std::vector<std::uint32_t> latest_environment;  ///< per spot the one up to it that stays visible longest
  std::vector<std::uint32_t> latest_memory;
};

/// The index of one episode. Refers to the episode and to the table, which must outlive it.
class RecordIndex {
 public:
  /// `parts` are the name parts whose first appearance will be asked for.
  RecordIndex(const Episode& episode, const PatternTable& table, const std::unordered_set<std::uint64_t>& parts);

  [[nodiscard]] const Occurrences& of(PatternId pattern) const { return occurrences_[pattern]; }
  [[nodiscard]] const Place& place(const Spot& spot) const { return places_[spot.place]; }
  [[nodiscard]] std::string_view text(const Spot& spot) const { return texts_[places_[spot.place].text]; }
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] std::string_view text(std::uint32_t id) const { return texts_[id]; }
  [[nodiscard]] const std::vector<Exposure>& exposures() const { return exposures_; }
  /// Exposures of an item, in line order; empty for an item that was never exposed.
  [[nodiscard]] const std::vector<std::uint32_t>& exposures_of(std::string_view item) const;

  /// The environment's spot that V(step) shows, if any: of the spots seen before, the one visible longest.
  [[nodiscard]] const Spot* visible_in_environment(PatternId pattern, std::uint32_t step) const;
  /// The spot in another delivery consumed before (`step`, `order`) and still visible at `step`, if any.
  [[nodiscard]] const Spot* visible_in_memory(PatternId pattern, std::uint32_t step, std::uint32_t order) const;
  /// True when the name part stood in the task, in words, actions or environment before `step`.
  [[nodiscard]] bool part_known(std::uint64_t part, std::uint32_t step) const;
  /// True when the step's own messages are in V(`at`), so that it can be cited as visible.
  [[nodiscard]] bool step_visible(std::uint32_t step, std::uint32_t at) const;

 private:
  void add_place(Place place, std::string_view text);
  void add_messages();
  void add_message(std::uint32_t index, const std::vector<const Delivery*>& deliveries);
  void add_steps();
  void add_exposures();
  void mark_teasers();
  void note_parts(const std::unordered_set<std::uint64_t>& parts);
  void find_patterns(const PatternTable& table);
  void sort_occurrences();

  const Episode& episode_;
  std::deque<std::string> decoded_;  ///< owns the decoded arguments of actions
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, std::uint32_t> text_ids_;
  std::vector<Place> places_;
  std::vector<Exposure> exposures_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> by_item_;
  std::vector<Occurrences> occurrences_;
  std::unordered_map<std::uint64_t, std::uint32_t> part_from_;  ///< first step before which the part was seen
};

}  // namespace memuse::judge
