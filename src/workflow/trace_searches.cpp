#include "workflow/trace_searches.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "evidence/action_arguments.h"
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

/// The decoded values of an action's arguments; all of the text where it is no JSON.
std::vector<std::string> argument_values(const Action& action) {
  std::vector<std::string> values;
  if (auto arguments = evidence::action_arguments(action.arguments)) {
    for (evidence::Argument& argument : *arguments) values.push_back(std::move(argument.value));
  } else {
    values.emplace_back(action.arguments);
  }
  return values;
}

/// Which value of `fact` do actions from step `first` on carry?
ValueUse value_use(const Episode& episode, const Supersession& fact, std::uint32_t first) {
  if (fact.value.empty()) return ValueUse::unknown;
  bool stale = false;
  for (std::uint32_t step = first; step <= episode.step_count(); ++step) {
    for (const Action& action : episode.steps[step - 1].actions) {
      for (const std::string& argument : argument_values(action)) {
        if (retrieval::holds_value(argument, fact.value)) return ValueUse::newest;
        stale = stale || any_holds(fact.stale_values, argument);
      }
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

using SeenVersions = std::set<std::pair<std::string, std::string>>;

void add_returned(const Search& search, SeenVersions& seen, SearchResult& result) {
  for (const SearchHit& hit : search.returned) {
    retrieval::ItemVersion what{std::string(hit.item), std::string(hit.version.value_or(std::string_view()))};
    if (!seen.insert({what.item, what.version}).second) continue;
    result.returned.push_back({std::move(what), std::nullopt, std::nullopt});
  }
}

}  // namespace

SearchedEpisode searched(const Episode& episode, const GoldQuestion& question) {
  SearchedEpisode found;
  std::uint32_t first_step = kNever;
  SeenVersions seen;
  for (const Search& search : episode.searches) {
    if (!question.search.empty() && search.id != question.search) continue;
    if (!found.result) {
      found.result.emplace();
      found.first_order = search.order;
    }
    if (!search.completed) ++found.failed;
    add_returned(search, seen, *found.result);
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

bool holds_stored_text(const Episode& episode) {
  return std::any_of(episode.memory_operations.begin(), episode.memory_operations.end(),
                     [](const MemoryOperation& operation) { return operation.text && !operation.text->empty(); }) ||
         std::any_of(episode.deliveries.begin(), episode.deliveries.end(), [](const Delivery& delivery) {
           return std::any_of(delivery.entries.begin(), delivery.entries.end(),
                              [](const Entry& entry) { return !entry.text.empty(); });
         });
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
