#include "cli/rules_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ingest/delivery_rules.h"
#include "model/text.h"

namespace memuse::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string on_one_line(std::string_view text) {
  return printable(normalise_text(text));
}

std::string match_text(const workflow::RuleMatch& match) {
  std::string text = fmt::format("{}:{}: episode {}, ", printable(match.file), match.line, printable(match.episode));
  text += match.step ? fmt::format("step {}", *match.step) : std::string("after the last step");
  if (match.message) {
    text += fmt::format(", message {} ({}{}{})", *match.message, match.role, match.message_id.empty() ? "" : " ",
                        printable(match.message_id));
  }
  text += fmt::format("\n  {} ({}, {})\n", match.rule, match.route, printable(match.form));
  if (!match.message) return text + "    nothing was delivered\n";
  if (match.entries_total == 0) text += fmt::format("    not split: {}\n", on_one_line(match.placed_text));
  for (const workflow::MatchedEntry& entry : match.entries) {
    text += "    - ";
    if (entry.item) text += fmt::format("{}: ", printable(*entry.item));
    text += on_one_line(entry.text);
    std::string names;
    for (const std::string& identifier : entry.identifiers) {
      if (entry.item && identifier == *entry.item) continue;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", printable(identifier));
    }
    text += names.empty() ? "\n" : fmt::format("  [{}]\n", names);
  }
  if (match.entries_total > match.entries.size()) {
    text += fmt::format("    … and {}\n",
                        counted(match.entries_total - match.entries.size(), "more entry", "more entries"));
  }
  return text;
}

Json optional_text(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

}  // namespace

std::string matches_text(const workflow::RuleMatches& matches) {
  if (matches.total() == 0) return "The rules found no delivery.\n";
  std::string text;
  for (const workflow::RuleMatch& match : matches.kept()) text += match_text(match);
  if (matches.total() > matches.kept().size()) {
    text += fmt::format("… and {}\n", counted(matches.total() - matches.kept().size(), "more match", "more matches"));
  }
  return text;
}

Json matches_json(const workflow::RuleMatches& matches) {
  Json list = Json::array();
  for (const workflow::RuleMatch& match : matches.kept()) {
    Json entries = Json::array();
    for (const workflow::MatchedEntry& entry : match.entries) {
      entries.push_back({{"item", optional_text(entry.item)},
                         {"version", optional_text(entry.version)},
                         {"text", entry.text},
                         {"identifiers", entry.identifiers}});
    }
    list.push_back({{"file", match.file},
                    {"line", match.line},
                    {"episode", match.episode},
                    {"step", match.step ? Json(*match.step) : Json(nullptr)},
                    {"message", match.message ? Json(*match.message) : Json(nullptr)},
                    {"message_id", match.message_id.empty() ? Json(nullptr) : Json(match.message_id)},
                    {"role", match.role.empty() ? Json(nullptr) : Json(match.role)},
                    {"rule", match.rule},
                    {"route", match.route},
                    {"form", match.form},
                    {"placed_text", match.placed_text},
                    {"entries_total", match.entries_total},
                    {"entries", entries}});
  }
  return list;
}

std::string suggestions_text(const workflow::RuleSuggestions& suggestions) {
  if (suggestions.counts().empty()) return {};
  std::string text =
      "Delivery rules were not asked for. Presets that match texts of episodes without recorded deliveries\n"
      "(--show-matches shows what; whether it is memory is for you to say):\n";
  for (const auto& [name, count] : suggestions.counts()) {
    text += fmt::format("  --rules {} finds {} in {}\n", name, counted(count.deliveries, "delivery", "deliveries"),
                        counted(count.episodes, "episode", "episodes"));
  }
  return text;
}

Json suggestions_json(const workflow::RuleSuggestions& suggestions) {
  Json list = Json::array();
  for (const auto& [name, count] : suggestions.counts()) {
    list.push_back({{"rules", name}, {"deliveries", count.deliveries}, {"episodes", count.episodes}});
  }
  return list;
}

std::string rules_text(const std::vector<std::string>& names) {
  const auto rules = ingest::DeliveryRules::load(names.empty() ? std::vector<std::string>{"all"} : names);
  std::string text;
  std::size_t width = 0;
  for (const ingest::RuleSet& set : rules.sets()) width = std::max(width, set.name.size());
  for (const ingest::RuleSet& set : rules.sets()) {
    text += fmt::format("{:<{}}  {:<10}  {}\n", set.name, width, name(set.known_from), printable(set.description));
    if (names.empty()) continue;
    for (const ingest::DeliveryRule& rule : set.rules) {
      text += fmt::format("  {} ({}, {}, {}): {}\n", rule.name, name(rule.known_from), name(rule.route),
                          printable(rule.form), printable(rule.description));
    }
  }
  return text;
}

Json rules_json(const std::vector<std::string>& names) {
  const auto rules = ingest::DeliveryRules::load(names.empty() ? std::vector<std::string>{"all"} : names);
  Json list = Json::array();
  for (const ingest::RuleSet& set : rules.sets()) {
    Json parts = Json::array();
    for (const ingest::DeliveryRule& rule : set.rules) {
      parts.push_back({{"name", rule.name},
                       {"known_from", name(rule.known_from)},
                       {"route", name(rule.route)},
                       {"form", rule.form},
                       {"description", rule.description}});
    }
    list.push_back(
        {{"name", set.name}, {"known_from", name(set.known_from)}, {"description", set.description}, {"rules", parts}});
  }
  return list;
}

}  // namespace memuse::cli
