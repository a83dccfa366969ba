#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "judge/remarks.h"
#include "model/episode.h"

// Actions that turn to the memory instead of the task: searching it, and opening one of its entries. A search query
// that repeats an entry's words is not shaped by it in the sense of `acted_on`, and an identifier that opens an entry
// carries nothing of its content.

namespace memuse::judge {

/// Which actions of an episode search or read the memory, as far as the record tells: their result is a delivery, or a
/// recorded search took its query from their arguments.
class MemoryActions {
 public:
  explicit MemoryActions(const Episode& episode);
  /// True for action `index` of the step.
  [[nodiscard]] bool contains(std::uint32_t step, std::uint32_t index) const;

 private:
  void add_searches(const Episode& episode, std::uint32_t step, const std::unordered_set<std::string_view>& queries);
  void add(std::uint32_t step, std::uint32_t index) { actions_.insert(std::uint64_t{step} << 32U | index); }
  std::unordered_set<std::uint64_t> actions_;
};

/// An action's text, with the parts that are data of a command (here-documents) told apart. Refers to the text.
class CommandText {
 public:
  explicit CommandText(std::string_view text);
  /// True when the identifier at `place` is opened there: it follows a verb like `open` or `get` in a command, is in
  /// the list of a loop that does so, or is a whole argument of a tool named like that.
  [[nodiscard]] bool opens_entry(std::string_view action_name, TextRange place) const;
  /// True when the place belongs to a command that only looks for text (`grep`, `find`).
  [[nodiscard]] bool is_look_up(TextRange place) const;

 private:
  [[nodiscard]] bool in_here_document(std::size_t at) const;

  std::string_view text_;
  std::vector<TextRange> here_documents_;  ///< ascending
};

}  // namespace memuse::judge
