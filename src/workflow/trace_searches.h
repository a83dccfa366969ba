#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"
#include "retrieval/question.h"
#include "retrieval/question_finder.h"

namespace memuse::workflow {

/// What an episode's trace says about a gold question of its task.
struct SearchedEpisode {
  std::optional<retrieval::SearchResult> result;  ///< none when no such search was made
  std::uint64_t failed = 0;                       ///< of its searches
  std::uint32_t first_order = 0;                  ///< line clock of the first of its searches
};

/// The searches of `episode` that `question` means, as one result. Configuration, run and question index are left to
/// the caller.
SearchedEpisode searched(const Episode& episode, const retrieval::GoldQuestion& question);

/// A question that was found in a stored text of an episode.
struct StoredQuestion {
  std::size_t question = 0;
  std::string place;        ///< "memory operation on item `m1`, version `2`"
  std::uint32_t order = 0;  ///< line clock
};

/// Is there a text in which `stored_questions` can look?
bool holds_stored_text(const Episode& episode);

/// Questions in the texts that memory operations of `episode` store, and in the entries that were delivered in it (what
/// was delivered was stored before); each question once per episode, at its first place.
std::vector<StoredQuestion> stored_questions(const Episode& episode, const retrieval::QuestionFinder& finder);

}  // namespace memuse::workflow
