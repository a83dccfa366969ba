#include "workflow/rule_matches.h"

#include <algorithm>
#include <memory>

#include "ingest/rule_presets.h"
#include "model/text.h"

namespace memuse::workflow {
namespace {

std::string short_text(std::string_view text) {
  return shortened(text, RuleMatches::kMaxTextBytes);
}

RuleMatch match_of(const Episode& episode, const Delivery& delivery, std::uint32_t number) {
  RuleMatch match;
  match.file = episode.source.path;
  match.line = episode.source.line;
  match.episode = episode.id;
  match.number = number;
  if (delivery.consuming_step != kNever) match.step = delivery.consuming_step;
  if (delivery.message) {
    const Message& message = episode.messages[*delivery.message];
    match.message = *delivery.message + 1;
    match.role = name(message.role);
    match.message_id = message.id;
  }
  match.rule = ingest::rule_of(delivery);
  match.route = name(delivery.route);
  match.form = delivery.form;
  match.placed_text = short_text(episode.placed_text(delivery));
  match.entries_total = delivery.entries.size();
  const std::size_t shown = std::min(delivery.entries.size(), RuleMatches::kMaxEntries);
  for (std::size_t i = 0; i < shown; ++i) {
    const Entry& entry = delivery.entries[i];
    MatchedEntry copy;
    copy.item = entry.item;
    copy.version = entry.version;
    copy.text = short_text(entry.text);
    copy.identifiers.assign(entry.identifiers.begin(), entry.identifiers.end());
    match.entries.push_back(std::move(copy));
  }
  return match;
}

const std::map<std::string, ingest::DeliveryRules>& presets() {
  static const std::map<std::string, ingest::DeliveryRules> all = [] {
    std::map<std::string, ingest::DeliveryRules> rules;
    for (const EmbeddedFile& preset : ingest::rule_presets()) {
      const std::string name(preset.name);
      rules.emplace(name, ingest::DeliveryRules::parse(preset.text, name));
    }
    return rules;
  }();
  return all;
}

const ingest::DeliveryRules& all_presets() {
  static const ingest::DeliveryRules all = ingest::DeliveryRules::load({"all"});
  return all;
}

}  // namespace

void RuleMatches::add(const Episode& episode) {
  std::uint32_t number = 0;
  for (const Delivery& delivery : episode.deliveries) {
    ++number;
    if (ingest::rule_of(delivery).empty()) continue;
    ++total_;
    kept_.insert(match_of(episode, delivery, number));
    if (kept_.size() > kMaxKept) kept_.erase(std::prev(kept_.end()));
  }
}

std::map<std::string, std::uint64_t> RuleSuggestions::try_presets(Episode& episode) {
  std::map<std::string, std::uint64_t> found;
  if (episode.delivery_grade != DeliveryGrade::not_recorded) return found;
  const std::vector<Delivery> before = episode.deliveries;
  const auto restore = [&] {
    episode.deliveries = before;
    episode.delivery_grade = DeliveryGrade::not_recorded;
  };
  // All together first: a weak form that another preset knows better is no suggestion of its own.
  if (all_presets().apply(episode).deliveries == 0) return found;
  for (const Delivery& delivery : episode.deliveries) {
    if (const std::string_view name = ingest::rule_set_of(delivery); !name.empty()) found.emplace(name, 0);
  }
  restore();
  for (auto& [name, deliveries] : found) {
    const auto preset = presets().find(name);
    if (preset == presets().end()) continue;
    deliveries = preset->second.apply(episode).deliveries;
    restore();
  }
  std::erase_if(found, [](const auto& one) { return one.second == 0; });
  return found;
}

void RuleSuggestions::add(const std::map<std::string, std::uint64_t>& found) {
  for (const auto& [name, deliveries] : found) {
    Count& count = counts_[name];
    count.deliveries += deliveries;
    ++count.episodes;
  }
}

}  // namespace memuse::workflow
