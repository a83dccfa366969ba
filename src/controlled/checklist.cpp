#include "controlled/checklist.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "model/text.h"

namespace memuse::controlled {
namespace {

using State = CheckItem::State;

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i) {
    text += (i == 0 ? "" : ", ") + printable(shortened(names[i], 60));
  }
  if (names.size() > kListed) text += fmt::format(" and {} more", names.size() - kListed);
  return text;
}

bool has_results(const StrategySummary& summary) {
  return summary.accuracy[static_cast<std::size_t>(Failures::as_wrong)].has_value();
}

std::vector<std::size_t> with_role(const Declaration& declaration, Role role) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < declaration.strategies.size(); ++i) {
    if (declaration.strategies[i].role == role) found.push_back(i);
  }
  return found;
}

CheckItem verbatim_baseline(const Declaration& declaration, const Study& study) {
  CheckItem item{"verbatim_rag", "Verbatim-RAG baseline with a named embedding model", State::not_met, ""};
  item.why = "no strategy has the role verbatim_rag";
  for (const std::size_t i : with_role(declaration, Role::verbatim_rag)) {
    const std::string strategy = joined({declaration.strategies[i].name});
    const EffectiveComponent& embedding = study.components[i][Component::embedding_model];
    if (!has_results(study.summaries[i])) {
      item.state = State::cannot_tell;
      item.why = fmt::format("{} has no scored result", strategy);
    } else if (embedding.value && *embedding.value != kAbsent) {
      return {item.key, item.title, State::met, fmt::format("{} with {}", strategy, joined({*embedding.value}))};
    } else if (embedding.value) {
      item.state = State::not_met;
      item.why = fmt::format("{} has no embedding model", strategy);
    } else {
      item.state = State::not_met;
      item.why = fmt::format("the embedding model of {} is not named", strategy);
    }
  }
  return item;
}

CheckItem random_control(const Declaration& declaration, const Study& study) {
  CheckItem item{"random_retrieval", "Random-retrieval control", State::not_met, ""};
  item.why = "no strategy has the role random_retrieval";
  for (const std::size_t i : with_role(declaration, Role::random_retrieval)) {
    const std::string strategy = joined({declaration.strategies[i].name});
    if (has_results(study.summaries[i])) return {item.key, item.title, State::met, strategy};
    item.state = State::cannot_tell;
    item.why = fmt::format("{} has no scored result", strategy);
  }
  return item;
}

CheckItem model_families(const Study& study) {
  CheckItem item{"model_families", "Two or more model families", State::not_met, ""};
  const RankStability& ranks = study.ranks;
  if (!ranks.pairs.empty()) {
    item.state = State::met;
    item.why = joined(ranks.families);
    return item;
  }
  if (!ranks.models_without_family.empty()) {
    item.state = State::cannot_tell;
    item.why = fmt::format("model_families does not name the family of {}", joined(ranks.models_without_family));
  } else if (!ranks.strategies_without_model.empty()) {
    item.state = State::cannot_tell;
    item.why = fmt::format("the reader model of {} is not known", joined(ranks.strategies_without_model));
  } else if (ranks.families.empty()) {
    item.state = State::cannot_tell;
    item.why = "there is no scored result";
  } else if (ranks.families.size() >= 2) {
    item.why = fmt::format("{}, but no two strategies have scores on the same instances under two of them",
                           joined(ranks.families));
  } else {
    item.why = fmt::format("{} only", joined(ranks.families));
  }
  return item;
}

CheckItem embedding_swap(const Declaration& declaration, const Study& study) {
  CheckItem item{"embedding_swap", "Embedding-swap sensitivity", State::not_met, ""};
  item.why = "no comparison has the factor embedding_model";
  for (std::size_t i = 0; i < declaration.comparisons.size(); ++i) {
    const Comparison& comparison = declaration.comparisons[i];
    if (comparison.factor != Component::embedding_model) continue;
    const std::string shown = joined({comparison.name});
    if (study.comparisons[i].control.controlled()) return {item.key, item.title, State::met, shown};
    item.why = fmt::format("{} is not controlled", shown);
  }
  return item;
}

CheckItem write_path(const Declaration& declaration, const Study& study) {
  CheckItem item{"write_path_cost", "Write-path cost (calls, seconds, dollars)", State::met, ""};
  std::set<std::size_t> compared;
  for (const Comparison& comparison : declaration.comparisons) compared.insert({comparison.first, comparison.second});
  if (compared.empty()) return {item.key, item.title, State::cannot_tell, "no comparison is declared"};
  std::vector<std::string> silent;
  for (const std::size_t i : compared) {
    for (const Amount amount : {Amount::write_calls, Amount::write_seconds, Amount::write_dollars}) {
      if (study.summaries[i].costs[static_cast<std::size_t>(amount)].total()) continue;
      silent.push_back(declaration.strategies[i].name);
      break;
    }
  }
  if (silent.empty()) return {item.key, item.title, State::met, "stated for every compared strategy"};
  return {item.key, item.title, State::not_met, fmt::format("not stated in full for {}", joined(silent))};
}

CheckItem matched_instances(const Declaration& declaration, const Study& study) {
  CheckItem item{"matched_instances", "Matched instances", State::met, "the same instances on both sides"};
  if (study.comparisons.empty()) return {item.key, item.title, State::cannot_tell, "no comparison is declared"};
  std::vector<std::string> unequal;
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < study.comparisons.size(); ++i) {
    if (study.comparisons[i].dropped.empty() && study.comparisons[i].estimates[0]) continue;
    unequal.push_back(declaration.comparisons[i].name);
    dropped += study.comparisons[i].dropped.size();
  }
  if (unequal.empty()) return item;
  item.state = State::not_met;
  item.why = fmt::format("the matched subset was used in {}: {} dropped", joined(unequal), dropped);
  return item;
}

}  // namespace

std::vector<CheckItem> checklist(const Declaration& declaration, const Study& study) {
  return {
      verbatim_baseline(declaration, study), random_control(declaration, study), model_families(study),
      embedding_swap(declaration, study),    write_path(declaration, study),     matched_instances(declaration, study)};
}

}  // namespace memuse::controlled
