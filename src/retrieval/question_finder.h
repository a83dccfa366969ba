#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memuse::retrieval {

/// Finds questions inside stored texts: a question that was ingested before it was asked tests no retrieval.
///
/// Texts are compared after Unicode NFC, white-space folding and lower case of ASCII letters. A question is looked up
/// by its first bytes, so a text costs one pass, however many questions there are; only where those bytes occur is the
/// rest compared.
class QuestionFinder {
 public:
  /// Shorter questions (bytes, normalised) stand in too many texts by chance and are not looked for.
  static constexpr std::size_t kShortest = 16;

  /// Of a longer question so many bytes (normalised) are compared: more than any sentence that stands there by chance.
  static constexpr std::size_t kMostCompared = 4096;

  explicit QuestionFinder(const std::vector<std::string>& questions);

  /// Indices of the questions that stand whole in `text`, ascending.
  [[nodiscard]] std::vector<std::size_t> find(std::string_view text) const;
  /// How many of the questions are long enough to be looked for.
  [[nodiscard]] std::size_t searched() const { return searched_; }

 private:
  std::vector<std::string> questions_;                                   // normalised
  std::unordered_multimap<std::string_view, std::size_t> by_beginning_;  // views into questions_
  std::size_t searched_ = 0;
};

}  // namespace memuse::retrieval
