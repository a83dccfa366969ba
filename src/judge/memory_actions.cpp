#include "judge/memory_actions.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "judge/action_text.h"
#include "judge/atoms.h"

namespace memuse::judge {
namespace {

constexpr std::size_t kCommandReach = 2000;         ///< bytes looked at around a place
constexpr std::size_t kLongestQueryCommand = 4000;  ///< bytes; a longer command does more than to search
constexpr std::size_t kVerbPlaces = 3;              ///< among the first words of a command

constexpr auto kOpeningVerbs =
    std::to_array<std::string_view>({"cat", "expand", "fetch", "get", "head", "less", "load", "more", "open", "read",
                                     "recall", "retrieve", "show", "view"});
constexpr auto kLookUps =
    std::to_array<std::string_view>({"ack", "ag", "egrep", "fgrep", "find", "grep", "locate", "rg"});

bool is_opening_verb(std::string_view word) {
  return std::binary_search(kOpeningVerbs.begin(), kOpeningVerbs.end(), word);
}

/// `|` inside a search pattern and a lone `&` are no ends of a command.
bool separates_commands(std::string_view text, std::size_t i) {
  const auto beside = [&](char wanted) {
    return (i > 0 && text[i - 1] == wanted) || (i + 1 < text.size() && text[i + 1] == wanted);
  };
  switch (text[i]) {
    case ';':
    case '\n':
      return true;
    case '|':
      return beside(' ') || beside('|');
    case '&':
      return beside('&');
    default:
      return false;
  }
}

std::vector<std::string_view> first_words(std::string_view command, std::size_t limit) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < command.size() && words.size() < limit) {
    while (i < command.size() && is_space(command[i])) ++i;
    const std::size_t begin = i;
    while (i < command.size() && !is_space(command[i])) ++i;
    if (i > begin) words.push_back(command.substr(begin, i - begin));
  }
  return words;
}

/// The simple command around a place, as far as a line of shell can be told apart without a parser.
TextRange command_around(std::string_view text, TextRange place) {
  TextRange command = place;
  const std::size_t lowest = place.begin > kCommandReach ? place.begin - kCommandReach : 0;
  const std::size_t highest = std::min(text.size(), place.end + kCommandReach);
  while (command.begin > lowest && !separates_commands(text, command.begin - 1)) --command.begin;
  while (command.end < highest && !separates_commands(text, command.end)) ++command.end;
  return command;
}

/// The bodies of here-documents, whose text is data of a command.
std::vector<TextRange> here_documents(std::string_view text) {
  static const RE2 start(R"(<<-?\s*['"]?(\w+)['"]?[^\n]*\n)");
  std::vector<TextRange> bodies;
  re2::StringPiece rest(text.data(), text.size());
  re2::StringPiece word;
  while (RE2::FindAndConsume(&rest, start, &word)) {
    const auto begin = static_cast<std::size_t>(rest.data() - text.data());
    const std::size_t end = std::min(text.find("\n" + std::string(word.data(), word.size()), begin - 1), text.size());
    bodies.push_back({begin, end});
    rest = re2::StringPiece(text.data() + end, text.size() - end);
  }
  return bodies;
}

bool opens_in_command(std::string_view text, TextRange place) {
  const TextRange range = command_around(text, place);
  const std::string_view command = text.substr(range.begin, range.end - range.begin);
  const std::vector<std::string_view> words = first_words(command, kVerbPlaces + 1);
  for (std::size_t i = 0; i < std::min(words.size(), kVerbPlaces); ++i) {
    const auto verb_end = static_cast<std::size_t>(words[i].data() + words[i].size() - text.data());
    if (is_opening_verb(words[i]) && verb_end <= place.begin) return true;
  }
  if (words.size() < 3 || words[0] != "for" || words[2] != "in") return false;
  const std::string variable = "$" + std::string(words[1]);
  const std::string_view body = text.substr(range.end, kCommandReach);
  static const RE2 loop(
      R"(\b(?:cat|expand|fetch|get|less|load|open|read|recall|retrieve|show|view)\s+["']?\$\{?(\w+))");
  re2::StringPiece rest(body.data(), body.size());
  re2::StringPiece used;
  while (RE2::FindAndConsume(&rest, loop, &used)) {
    if (std::string_view(used.data(), used.size()) == words[1]) return true;
  }
  return false;
}

bool has_opening_verb(std::string_view action_name) {
  const std::vector<Atom> atoms = atoms_of(action_name);
  return std::any_of(atoms.begin(), atoms.end(), [&](const Atom& atom) {
    const std::vector<std::string> parts = word_parts(action_name.substr(atom.begin, atom.end - atom.begin));
    return std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return is_opening_verb(part); });
  });
}

}  // namespace

MemoryActions::MemoryActions(const Episode& episode) {
  std::unordered_set<std::uint32_t> delivered;
  for (const Delivery& delivery : episode.deliveries) {
    if (delivery.message) delivered.insert(*delivery.message);
  }
  std::size_t next_search = 0;
  for (std::uint32_t k = 1; k <= episode.step_count(); ++k) {
    const Step& step = episode.steps[k - 1];
    const auto by_id = [&](std::string_view id) {
      const auto found =
          std::find_if(step.actions.begin(), step.actions.end(), [&](const Action& action) { return action.id == id; });
      return static_cast<std::uint32_t>(found - step.actions.begin());
    };
    for (const Result& result : step.results) {
      if (!delivered.contains(result.message)) continue;
      const std::uint32_t action = result.action.empty() && step.actions.size() == 1 ? 0 : by_id(result.action);
      if (action < step.actions.size()) add(k, action);
    }
    // A search that an agent asks for is recorded after the step that asked.
    const std::uint32_t next_order = k < episode.step_count() ? episode.steps[k].order : kNever;
    std::unordered_set<std::string_view> queries;
    while (next_search < episode.searches.size() && episode.searches[next_search].order < next_order) {
      const Search& search = episode.searches[next_search++];
      if (search.order > step.order && !search.query.empty()) queries.insert(search.query);
    }
    add_searches(episode, k, queries);
  }
}

void MemoryActions::add_searches(const Episode& episode, std::uint32_t step,
                                 const std::unordered_set<std::string_view>& queries) {
  if (queries.empty()) return;
  const std::vector<Action>& actions = episode.steps[step - 1].actions;
  for (std::uint32_t a = 0; a < actions.size(); ++a) {
    const std::vector<std::string> strings = action_text(actions[a]).strings;
    const bool asks = std::any_of(strings.begin(), strings.end(), [&](const std::string& text) {
      // A query is a whole argument, or what a short command ends with.
      return queries.contains(text) || std::any_of(queries.begin(), queries.end(), [&](std::string_view query) {
               return text.size() <= kLongestQueryCommand && text.find(query) != std::string::npos;
             });
    });
    if (asks) add(step, a);
  }
}

bool MemoryActions::contains(std::uint32_t step, std::uint32_t index) const {
  return actions_.contains(std::uint64_t{step} << 32U | index);
}

CommandText::CommandText(std::string_view text) : text_(text), here_documents_(here_documents(text)) {}

bool CommandText::in_here_document(std::size_t at) const {
  const auto body = std::partition_point(here_documents_.begin(), here_documents_.end(),
                                         [&](const TextRange& range) { return range.end <= at; });
  return body != here_documents_.end() && body->begin <= at;
}

bool CommandText::opens_entry(std::string_view action_name, TextRange place) const {
  if (place.begin == 0 && place.end == text_.size()) return has_opening_verb(action_name);
  return !in_here_document(place.begin) && opens_in_command(text_, place);
}

bool CommandText::is_look_up(TextRange place) const {
  if (in_here_document(place.begin)) return false;
  const TextRange range = command_around(text_, place);
  const std::vector<std::string_view> words =
      first_words(text_.substr(range.begin, place.begin - range.begin), kCommandReach);
  return std::any_of(words.begin(), words.end(),
                     [](std::string_view word) { return std::binary_search(kLookUps.begin(), kLookUps.end(), word); });
}

}  // namespace memuse::judge
