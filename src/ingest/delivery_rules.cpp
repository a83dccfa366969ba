#include "ingest/delivery_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "ingest/document.h"
#include "ingest/rule_match.h"
#include "ingest/rule_presets.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;

const EmbeddedFile* find_preset(std::string_view name) {
  for (const EmbeddedFile& preset : rule_presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

std::string read_rules_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    std::vector<std::string_view> names;
    for (const EmbeddedFile& preset : rule_presets()) names.push_back(preset.name);
    throw Error(ExitCode::usage, fmt::format("--rules: '{}' is neither a file nor a preset; presets: {}, all",
                                             printable(path), fmt::join(names, ", ")));
  }
  try {
    const Document document(open_file(path), kMaxFileBytes);
    if (!document.too_long()) return std::string(document.text());
  } catch (const ReadFault& fault) {
    throw Error(ExitCode::environment, fmt::format("--rules: '{}' cannot be read: {}", printable(path), fault.reason));
  }
  throw Error(ExitCode::usage, fmt::format("--rules: '{}' is larger than {} bytes", printable(path), kMaxFileBytes));
}

/// Which action each message answers, by message index; null where it is not known or the message is no result.
std::vector<const Action*> answered_actions(const Episode& episode) {
  std::vector<const Action*> answered(episode.messages.size(), nullptr);
  for (const Step& step : episode.steps) {
    std::unordered_map<std::string_view, const Action*> by_id;
    for (const Action& action : step.actions) {
      if (!action.id.empty()) by_id.emplace(action.id, &action);
    }
    for (const Result& result : step.results) {
      if (const auto found = by_id.find(result.action); found != by_id.end()) {
        answered[result.message] = found->second;
      } else if (result.action.empty() && step.actions.size() == 1 && step.results.size() == 1) {
        answered[result.message] = &step.actions.front();
      }
    }
  }
  return answered;
}

/// A block found in one text of one message.
struct Candidate {
  const DeliveryRule* rule = nullptr;
  MatchedBlock block;
};

bool overlap(const ByteRange& a, const ByteRange& b) {
  return a.begin < b.end && b.begin < a.end;
}

/// Keeps the blocks that are deliveries of their own: of two that overlap, the one that begins first (then the longer,
/// then the one of the earlier rule), for what stands inside a block is part of its text. `candidates` keep the order
/// of the rules where they tie. Those of fallback rules count only where no other is.
std::vector<Candidate> without_overlaps(std::vector<Candidate> candidates) {
  const auto by_place = [](const Candidate& a, const Candidate& b) {
    return std::make_tuple(a.block.range.begin, b.block.range.end) <
           std::make_tuple(b.block.range.begin, a.block.range.end);
  };
  std::stable_sort(candidates.begin(), candidates.end(), by_place);
  std::vector<Candidate> kept;
  std::vector<Candidate> fallbacks;
  for (Candidate& candidate : candidates) {
    std::vector<Candidate>& list = candidate.rule->fallback ? fallbacks : kept;
    if (!list.empty() && overlap(list.back().block.range, candidate.block.range)) continue;
    list.push_back(std::move(candidate));
  }
  // Both lists are ascending and free of overlaps, so one walk along both is enough.
  const std::size_t certain = kept.size();
  std::size_t at = 0;
  for (Candidate& fallback : fallbacks) {
    while (at < certain && kept[at].block.range.end <= fallback.block.range.begin) ++at;
    if (at == certain || !overlap(kept[at].block.range, fallback.block.range)) kept.push_back(std::move(fallback));
  }
  std::stable_sort(kept.begin(), kept.end(), by_place);
  return kept;
}

/// Applies rules to one episode.
class Application {
 public:
  Application(const std::vector<RuleSet>& sets, Episode& episode)
      : sets_(sets), episode_(episode), matcher_(episode.arena), answered_(answered_actions(episode)) {
    for (std::uint32_t i = 0; i < episode.messages.size(); ++i) {
      const Message& message = episode.messages[i];
      auto& first = first_of_role_[static_cast<std::size_t>(message.role)];
      if (!first && message.of_step == 0) first = i;
    }
  }

  RulesApplied run() {
    for (std::uint32_t i = 0; i < episode_.messages.size(); ++i) find_in_message(i);
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tie(a.delivery.order, a.message, a.begin) < std::tie(b.delivery.order, b.message, b.begin);
    });
    name_deliveries();
    RulesApplied applied;
    applied.deliveries = found_.size();
    applied.overflowing.assign(overflowing_.begin(), overflowing_.end());
    if (found_.empty()) return applied;
    for (Found& found : found_) episode_.deliveries.push_back(std::move(found.delivery));
    std::stable_sort(episode_.deliveries.begin(), episode_.deliveries.end(),
                     [](const Delivery& a, const Delivery& b) { return a.order < b.order; });
    episode_.delivery_grade = DeliveryGrade::by_rule;
    return applied;
  }

 private:
  struct Found {
    const DeliveryRule* rule = nullptr;
    std::uint32_t message = 0;
    std::uint64_t begin = 0;
    Delivery delivery;
  };

  bool looks_at(const RulePlace& place, std::uint32_t index) {
    const Message& message = episode_.messages[index];
    if (message.role != place.role) return false;
    if (place.first && first_of_role_[static_cast<std::size_t>(place.role)] != index) return false;
    if (!place.tools) return true;
    const Action* action = answered_[index];
    if (action == nullptr || !place.tools->matches(action->name)) return false;
    return !place.arguments || matcher_.arguments_match(*place.arguments, action->arguments);
  }

  void find_in_message(std::uint32_t index) {
    if (episode_.messages[index].role == Role::assistant) return;  // what the model says is no placement
    std::vector<const DeliveryRule*> rules;
    for (const RuleSet& set : sets_) {
      for (const DeliveryRule& rule : set.rules) {
        const bool wanted = std::any_of(rule.where.begin(), rule.where.end(),
                                        [&](const RulePlace& place) { return looks_at(place, index); });
        if (wanted) rules.push_back(&rule);
      }
    }
    if (rules.empty()) return;
    const std::size_t versions = episode_.messages[index].versions.size();
    for (std::size_t v = 0; v < versions; ++v) {
      const std::vector<TextVersion>& all = episode_.messages[index].versions;
      const bool never_shown = v + 1 < versions && all[v + 1].from_step == all[v].from_step;
      if (!never_shown) find_in_text(rules, index, all[v]);
    }
  }

  void find_in_text(const std::vector<const DeliveryRule*>& rules, std::uint32_t index, const TextVersion& version) {
    const std::string_view text = episode_.texts[version.text];
    std::vector<Candidate> candidates;
    for (const DeliveryRule* rule : rules) {
      auto blocks = matcher_.match(*rule, text);
      if (!blocks) {
        overflowing_.insert(rule->name);
        continue;
      }
      for (MatchedBlock& block : *blocks) candidates.push_back({rule, std::move(block)});
    }
    for (Candidate& candidate : without_overlaps(std::move(candidates))) {
      found_.push_back({candidate.rule, index, candidate.block.range.begin, delivery_of(candidate, index, version)});
    }
  }

  Delivery delivery_of(Candidate& candidate, std::uint32_t index, const TextVersion& version) {
    Delivery delivery;
    delivery.route = candidate.rule->route;
    delivery.form = kept(candidate.rule->form);
    delivery.order = version.order;
    delivery.consuming_step = version.from_step <= episode_.step_count() ? version.from_step : kNever;
    if (!candidate.block.empty) {  // an empty one has no placed text (trace-format.md)
      delivery.message = index;
      delivery.range = candidate.block.range;
      delivery.entries = std::move(candidate.block.entries);
    }
    return delivery;
  }

  /// Ids from the rule's name and a number, unlike all others of the episode.
  void name_deliveries() {
    std::unordered_set<std::string_view> taken;
    for (const Delivery& delivery : episode_.deliveries) taken.insert(delivery.id);
    std::unordered_map<const DeliveryRule*, std::uint64_t> numbers;
    for (Found& found : found_) {
      std::string id;
      do {
        id = fmt::format("{}#{}", found.rule->name, ++numbers[found.rule]);
      } while (taken.find(id) != taken.end());
      found.delivery.id = episode_.arena.keep(id);
    }
  }

  std::string_view kept(const std::string& form) {
    std::string_view& text = forms_[form];
    if (text.empty()) text = episode_.arena.keep(form);
    return text;
  }

  const std::vector<RuleSet>& sets_;
  Episode& episode_;
  RuleMatcher matcher_;
  std::vector<const Action*> answered_;
  std::optional<std::uint32_t> first_of_role_[4];
  std::vector<Found> found_;
  std::set<std::string> overflowing_;
  std::unordered_map<std::string, std::string_view> forms_;
};

}  // namespace

DeliveryRules DeliveryRules::parse(std::string_view text, const std::string& source) {
  DeliveryRules rules;
  rules.add_text(text, source);
  return rules;
}

DeliveryRules DeliveryRules::load(const std::vector<std::string>& paths_or_presets) {
  DeliveryRules rules;
  for (const std::string& name : paths_or_presets) {
    if (name == "all") {
      for (const EmbeddedFile& preset : rule_presets()) rules.add_text(preset.text, std::string(preset.name));
    } else if (const EmbeddedFile* preset = find_preset(name)) {
      rules.add_text(preset->text, name);
    } else {
      rules.add_text(read_rules_file(name), printable(name));
    }
  }
  return rules;
}

void DeliveryRules::add_text(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_rules_json(text, source);
  if (!document.is_array()) {
    add(document, source);
    return;
  }
  for (const nlohmann::json& set : document) add(set, source);
}

void DeliveryRules::add(const nlohmann::json& document, const std::string& source) {
  RuleSet set = read_rule_set(document, source);
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    if (sets_[i].name != set.name) continue;
    if (*documents_[i] == document) return;
    throw Error(
        ExitCode::usage,
        fmt::format("{}: there is another set of rules called \"{}\"; give this one another name", source, set.name));
  }
  sets_.push_back(std::move(set));
  documents_.push_back(std::make_shared<const nlohmann::json>(document));
}

std::string DeliveryRules::json() const {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& document : documents_) all.push_back(*document);
  return all.dump();
}

RulesApplied DeliveryRules::apply(Episode& episode) const {
  if (episode.delivery_grade != DeliveryGrade::not_recorded) return {};
  return Application(sets_, episode).run();
}

std::string_view rule_of(const Delivery& delivery) {
  const std::size_t number = delivery.id.find('#');
  return number == std::string_view::npos || rule_set_of(delivery).empty() ? std::string_view{}
                                                                           : delivery.id.substr(0, number);
}

std::string_view rule_set_of(const Delivery& delivery) {
  const std::size_t slash = delivery.id.find('/');
  return slash == std::string_view::npos ? std::string_view{} : delivery.id.substr(0, slash);
}

}  // namespace memuse::ingest
