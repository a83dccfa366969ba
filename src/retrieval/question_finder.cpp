#include "retrieval/question_finder.h"

#include <algorithm>
#include <set>

#include "model/text.h"

namespace memuse::retrieval {
namespace {

std::string compared(std::string_view text) {
  std::string normalised = normalise_text(text);
  for (char& c : normalised) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return normalised;
}

}  // namespace

QuestionFinder::QuestionFinder(const std::vector<std::string>& questions) {
  questions_.reserve(questions.size());
  for (const std::string& question : questions) {
    questions_.push_back(compared(question));
    if (questions_.back().size() > kMostCompared) questions_.back().resize(kMostCompared);
  }
  for (std::size_t i = 0; i < questions_.size(); ++i) {
    if (questions_[i].size() < kShortest) continue;
    by_beginning_.emplace(std::string_view(questions_[i]).substr(0, kShortest), i);
    ++searched_;
  }
}

std::vector<std::size_t> QuestionFinder::find(std::string_view text) const {
  if (searched_ == 0) return {};
  const std::string stored = compared(text);
  const std::string_view all = stored;
  std::set<std::size_t> found;
  for (std::size_t begin = 0; begin + kShortest <= all.size(); ++begin) {
    const auto [first, last] = by_beginning_.equal_range(all.substr(begin, kShortest));
    for (auto candidate = first; candidate != last; ++candidate) {
      if (found.count(candidate->second) > 0) continue;
      const std::string& question = questions_[candidate->second];
      if (all.compare(begin, question.size(), question) == 0) found.insert(candidate->second);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace memuse::retrieval
