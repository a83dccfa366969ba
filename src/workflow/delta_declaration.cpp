#include "workflow/delta_declaration.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "controlled/results.h"
#include "ingest/byte_stream.h"
#include "judge/strict_json.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::workflow {
namespace {

using controlled::Component;
using nlohmann::json;

constexpr std::size_t kMaxComparisons = 10'000;

std::string shown(std::string_view text) {
  return printable(shortened(text, 80));
}

std::string component_list() {
  std::string text;
  for (const Component component : controlled::kComponents) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", controlled::name(component));
  }
  return text;
}

/// Walks over the document, collecting faults with the path to where they are.
class DeclarationReader {
 public:
  DeclarationReader(std::string folder, std::vector<std::string>& faults)
      : folder_(std::move(folder)), faults_(faults) {}

  DeltaDeclaration read(const json& root) {
    if (!is_object(root, "the document")) return {};
    only_keys(root, "", {"format", "results", "reference", "strategies", "comparisons", "model_families"});
    if (root.value("format", json()) != json(kDeltaFormat)) {
      fault("format", fmt::format("must be \"{}\"", kDeltaFormat));
    }
    result_.results = paths(root, "", "results");
    if (const auto reference = text(root, "", "reference")) result_.reference = resolved(*reference);
    read_strategies(root);
    read_comparisons(root);
    read_families(root);
    return std::move(result_);
  }

 private:
  void fault(const std::string& path, const std::string& what) { faults_.push_back(fmt::format("{}: {}", path, what)); }

  static std::string below(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
  }

  bool is_object(const json& value, const std::string& path) {
    if (!value.is_object()) fault(path, "must be an object");
    return value.is_object();
  }

  void only_keys(const json& object, const std::string& path, const std::vector<std::string>& allowed) {
    for (const auto& [key, value] : object.items()) {
      if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
      std::string list;
      for (const std::string& name : allowed) list += (list.empty() ? "" : ", ") + name;
      fault(below(path, shown(key)), fmt::format("unknown key; allowed: {}", list));
    }
  }

  /// The member, null when it is missing or `null`.
  static const json* member(const json& object, const std::string& key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  std::optional<std::string> text(const json& object, const std::string& path, const std::string& key) {
    const json* value = member(object, key);
    if (value == nullptr) return std::nullopt;
    if (value->is_string() && !is_blank(value->get_ref<const std::string&>())) {
      return std::string(trimmed(value->get_ref<const std::string&>()));
    }
    fault(below(path, shown(key)), "must be a text that is not empty");
    return std::nullopt;
  }

  std::optional<std::string> text_or_number(const json& object, const std::string& path, const std::string& key) {
    const json* value = member(object, key);
    if (value != nullptr && value->is_number()) return value->dump();
    if (value != nullptr && !value->is_string()) {
      fault(below(path, key), "must be a text, a number, or null");
      return std::nullopt;
    }
    return text(object, path, key);
  }

  std::optional<double> amount(const json& object, const std::string& path, const std::string& key) {
    const json* value = member(object, key);
    if (value == nullptr) return std::nullopt;
    const double number = value->is_number() ? value->get<double>() : -1.0;
    if (number >= 0.0 && number <= controlled::kMaxAmount) return number;
    fault(below(path, key), "must be a number from 0 to 1e15");
    return std::nullopt;
  }

  std::string resolved(const std::string& path) const {
    return (std::filesystem::path(folder_) / path).lexically_normal().string();
  }

  std::vector<std::string> paths(const json& object, const std::string& path, const std::string& key) {
    const json* value = member(object, key);
    std::vector<std::string> found;
    if (value == nullptr) return found;
    const bool all_texts = value->is_array() && std::all_of(value->begin(), value->end(),
                                                            [](const json& element) { return element.is_string(); });
    if (value->is_string()) {
      found.push_back(resolved(value->get<std::string>()));
    } else if (all_texts) {
      for (const json& element : *value) found.push_back(resolved(element.get<std::string>()));
    } else {
      fault(below(path, key), "must be a path or a list of paths");
    }
    return found;
  }

  const json* list(const json& root, const std::string& key, std::size_t most) {
    const json* value = member(root, key);
    if (value == nullptr) return nullptr;
    if (value->is_array() && value->size() <= most) return value;
    fault(key, fmt::format("must be a list of at most {} objects", most));
    return nullptr;
  }

  void read_strategies(const json& root) {
    const json* strategies = list(root, "strategies", kMaxStrategies);
    if (strategies == nullptr || strategies->empty()) return fault("strategies", "names no strategy");
    for (std::size_t i = 0; i < strategies->size(); ++i) {
      const std::string path = fmt::format("strategies[{}]", i);
      if (is_object((*strategies)[i], path)) read_strategy((*strategies)[i], path);
    }
  }

  void read_strategy(const json& object, const std::string& path) {
    only_keys(object, path, {"name", "components", "results", "select", "role", "ranked_as", "write_path"});
    controlled::Strategy strategy;
    if (const auto name = text(object, path, "name")) {
      strategy.name = *name;
    } else {
      fault(below(path, "name"), "is missing");
    }
    const std::size_t number = result_.declaration.strategies.size();
    if (!strategy.name.empty() && !numbers_.emplace(strategy.name, number).second) {
      fault(below(path, "name"), fmt::format("\"{}\" is declared twice", shown(strategy.name)));
    }
    strategy.ranked_as = text(object, path, "ranked_as").value_or(strategy.name);
    if (const json* components = member(object, "components")) {
      read_components(*components, below(path, "components"), strategy.components);
    }
    read_role(object, path, strategy);
    read_write_path(object, path, strategy);
    result_.strategy_files.push_back(paths(object, path, "results"));
    result_.selections.push_back(selection(object, path, strategy.name));
    result_.declaration.strategies.push_back(std::move(strategy));
  }

  void read_components(const json& object, const std::string& path,
                       controlled::ByComponent<std::optional<std::string>>& components) {
    if (!is_object(object, path)) return;
    for (const auto& [key, value] : object.items()) {
      const auto component = controlled::parse_component(key);
      if (!component) {
        fault(below(path, shown(key)), fmt::format("unknown component; allowed: {}", component_list()));
      } else {
        components[*component] = text_or_number(object, path, key);
      }
    }
  }

  void read_role(const json& object, const std::string& path, controlled::Strategy& strategy) {
    const auto role = text(object, path, "role");
    if (!role) return;
    strategy.role = controlled::parse_role(*role);
    if (!strategy.role) {
      fault(below(path, "role"),
            fmt::format("\"{}\" is no role; allowed: verbatim_rag, random_retrieval, null", shown(*role)));
    }
  }

  void read_write_path(const json& object, const std::string& path, controlled::Strategy& strategy) {
    const json* totals = member(object, "write_path");
    const std::string here = below(path, "write_path");
    if (totals == nullptr || !is_object(*totals, here)) return;
    only_keys(*totals, here, {"calls", "seconds", "dollars"});
    strategy.write_path = controlled::WritePathTotals{amount(*totals, here, "calls"), amount(*totals, here, "seconds"),
                                                      amount(*totals, here, "dollars")};
  }

  RowSelection selection(const json& object, const std::string& path, const std::string& name) {
    RowSelection selected;
    selected.strategy = name;
    const json* select = member(object, "select");
    const std::string here = below(path, "select");
    if (select == nullptr || !is_object(*select, here)) return selected;
    for (const auto& [key, value] : select->items()) {
      if (key == "strategy") {
        selected.strategy = text_or_number(*select, here, key).value_or(name);
      } else if (key == "run") {
        selected.run = text_or_number(*select, here, key);
      } else if (const auto component = controlled::parse_component(key)) {
        selected.components[*component] = text_or_number(*select, here, key);
      } else {
        fault(below(here, shown(key)), fmt::format("unknown key; allowed: strategy, run, {}", component_list()));
      }
    }
    return selected;
  }

  void read_comparisons(const json& root) {
    const json* comparisons = list(root, "comparisons", kMaxComparisons);
    if (comparisons == nullptr || comparisons->empty()) return fault("comparisons", "names no comparison");
    for (std::size_t i = 0; i < comparisons->size(); ++i) {
      const std::string path = fmt::format("comparisons[{}]", i);
      if (is_object((*comparisons)[i], path)) read_comparison((*comparisons)[i], path);
    }
  }

  std::optional<std::size_t> strategy_at(const json& object, const std::string& path, const std::string& key) {
    const auto name = text(object, path, key);
    const auto found = name ? numbers_.find(*name) : numbers_.end();
    if (found != numbers_.end()) return found->second;
    std::string names;
    for (const auto& [known, number] : numbers_) names += (names.empty() ? "" : ", ") + shown(known);
    fault(below(path, key),
          name ? fmt::format("\"{}\" is no declared strategy; declared: {}", shown(*name), shortened(names, 400))
               : std::string("names no strategy"));
    return std::nullopt;
  }

  void read_comparison(const json& object, const std::string& path) {
    only_keys(object, path, {"name", "first", "second", "factor", "comes_with"});
    controlled::Comparison comparison;
    const auto first = strategy_at(object, path, "first");
    const auto second = strategy_at(object, path, "second");
    comparison.factor = component_at(member(object, "factor"), below(path, "factor"));
    read_comes_with(object, path, comparison);
    const auto name = text(object, path, "name");
    if (!first || !second) return;
    comparison.first = *first;
    comparison.second = *second;
    if (*first == *second) fault(path, "compares a strategy with itself");
    const auto& strategies = result_.declaration.strategies;
    comparison.name = name.value_or(fmt::format("{} vs {}", strategies[*first].name, strategies[*second].name));
    if (!names_.insert(comparison.name).second) {
      fault(path,
            fmt::format("there is a comparison \"{}\" already; give this one another name", shown(comparison.name)));
    }
    result_.declaration.comparisons.push_back(std::move(comparison));
  }

  std::optional<Component> component_at(const json* value, const std::string& path) {
    if (value == nullptr) return std::nullopt;
    const auto component =
        value->is_string() ? controlled::parse_component(value->get_ref<const std::string&>()) : std::nullopt;
    if (!component) fault(path, fmt::format("must be a component: {}", component_list()));
    return component;
  }

  void read_comes_with(const json& object, const std::string& path, controlled::Comparison& comparison) {
    const json* value = member(object, "comes_with");
    const std::string here = below(path, "comes_with");
    if (value == nullptr) return;
    if (!value->is_array()) return fault(here, "must be a list of components");
    for (std::size_t i = 0; i < value->size(); ++i) {
      const std::string at = fmt::format("{}[{}]", here, i);
      const auto component = component_at(&(*value)[i], at);
      if (!component) continue;
      if (controlled::is_of_memory(*component)) {
        comparison.comes_with.push_back(*component);
      } else {
        fault(at, fmt::format("{} is there with any factor, so it cannot come with one", controlled::name(*component)));
      }
    }
  }

  void read_families(const json& root) {
    const json* families = member(root, "model_families");
    if (families == nullptr || !is_object(*families, "model_families")) return;
    for (const auto& [model, family] : families->items()) {
      if (const auto name = text(*families, "model_families", model)) {
        result_.declaration.model_families.emplace(model, *name);
      }
    }
  }

  std::string folder_;
  std::vector<std::string>& faults_;
  DeltaDeclaration result_;
  std::map<std::string, std::size_t> numbers_;
  std::set<std::string> names_;
};

std::string read_whole(const std::string& path) {
  try {
    return ingest::read_up_to(*ingest::open_file(path), judge::JsonLimits{}.bytes + 1);
  } catch (const ingest::ReadFault& fault) {
    throw Error(ExitCode::usage, fmt::format("cannot read the declaration '{}': {}", printable(path), fault.reason));
  }
}

[[noreturn]] void refuse(const std::string& path, const std::vector<std::string>& faults) {
  constexpr std::size_t kListed = 30;
  std::string text = fmt::format(
      "the declaration '{}' cannot be followed (its form is in schemas/delta-1.schema.json):", printable(path));
  for (std::size_t i = 0; i < std::min(faults.size(), kListed); ++i) text += "\n  " + faults[i];
  if (faults.size() > kListed) text += fmt::format("\n  … and {} more", faults.size() - kListed);
  throw Error(ExitCode::usage, text);
}

}  // namespace

DeltaDeclaration read_delta_declaration(const std::string& path) {
  std::vector<std::string> faults;
  const std::string text = read_whole(path);
  const auto document = judge::parse_strict_json(text, {}, faults);
  if (!document) refuse(path, faults);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  DeltaDeclaration declaration = DeclarationReader(folder, faults).read(*document);
  if (!faults.empty()) refuse(path, faults);
  return declaration;
}

}  // namespace memuse::workflow
