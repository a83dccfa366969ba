#include "workflow/trace_searches.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "retrieval/score.h"

namespace memuse::workflow {
namespace {

using retrieval::GoldQuestion;
using retrieval::SearchResult;
using retrieval::Supersession;
using retrieval::ValueUse;

constexpr std::size_t kBytesPerToken = 4;  // the estimator of semantics.md §8

bool any_holds(const std::vector<std::string>& values, std::string_view text) {
  return std::any_of(values.begin(), values.end(),
                     [&](const std::string& value) { return retrieval::holds_value(text, value); });
}

/// Which value of `fact` do actions from step `first` on carry?
ValueUse value_use(const Episode& episode, const Supersession& fact, std::uint32_t first) {
  if (fact.value.empty()) return ValueUse::unknown;
  bool stale = false;
  for (std::uint32_t step = first; step <= episode.step_count(); ++step) {
    for (const Action& action : episode.steps[step - 1].actions) {
      if (retrieval::holds_value(action.arguments, fact.value)) return ValueUse::newest;
      stale = stale || any_holds(fact.stale_values, action.arguments);
    }
  }
  return stale ? ValueUse::stale : ValueUse::none;
}

/// Adds the tokens of the deliveries that show `search`.
void add_tokens(const Episode& episode, const Search& search, SearchResult& result) {
  for (const Delivery& delivery : episode.deliveries) {
    if (search.id.empty() || delivery.search != search.id) continue;
    const std::size_t bytes = episode.placed_text(delivery).size();
    const std::uint64_t estimate = (bytes + kBytesPerToken - 1) / kBytesPerToken;
    if (!delivery.tokens) result.tokens_estimated = true;
    result.tokens = result.tokens.value_or(0.0) + static_cast<double>(delivery.tokens.value_or(estimate));
  }
}

void add_returned(const Search& search, SearchResult& result) {
  for (const SearchHit& hit : search.returned) {
    retrieval::ItemVersion what{std::string(hit.item), std::string(hit.version.value_or(std::string_view()))};
    const bool known = std::any_of(result.returned.begin(), result.returned.end(),
                                   [&](const retrieval::Returned& one) { return one.what == what; });
    if (!known) result.returned.push_back({std::move(what), std::nullopt, std::nullopt});
  }
}

}  // namespace

SearchedEpisode searched(const Episode& episode, const GoldQuestion& question) {
  SearchedEpisode found;
  std::uint32_t first_step = kNever;
  for (const Search& search : episode.searches) {
    if (!question.search.empty() && search.id != question.search) continue;
    if (!found.result) {
      found.result.emplace();
      found.first_order = search.order;
    }
    if (!search.completed) ++found.failed;
    add_returned(search, *found.result);
    add_tokens(episode, search, *found.result);
    first_step = std::min(first_step, search.step);
  }
  if (found.result) {
    for (const Supersession& fact : question.supersessions) {
      found.result->uses.push_back(value_use(episode, fact, first_step));
    }
  }
  return found;
}

std::vector<StoredQuestion> stored_questions(const Episode& episode, const retrieval::QuestionFinder& finder) {
  std::map<std::size_t, StoredQuestion> first;
  const auto look = [&](std::string_view text, std::uint32_t order, const auto& describe) {
    for (const std::size_t question : finder.find(text)) {
      const auto [place, inserted] = first.try_emplace(question);
      if (inserted || order < place->second.order) place->second = {question, describe(), order};
    }
  };
  for (const MemoryOperation& operation : episode.memory_operations) {
    if (!operation.text) continue;
    look(*operation.text, operation.order,
         [&] { return fmt::format("memory operation `{}` on item `{}`", name(operation.op), operation.item); });
  }
  for (const Delivery& delivery : episode.deliveries) {
    for (const Entry& entry : delivery.entries) {
      look(entry.text, delivery.order,
           [&] { return fmt::format("delivered entry of item `{}`", entry.item.value_or(std::string_view("?"))); });
    }
  }
  std::vector<StoredQuestion> stored;
  for (auto& [question, one] : first) stored.push_back(std::move(one));
  return stored;
}

}  // namespace memuse::workflow
