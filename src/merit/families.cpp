#include "merit/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/text.h"

namespace memuse::merit {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kBuiltIn[] = {"H1", "H2", "H3", "H4", "hard-tier"};

/// A value with its place, so that a fault can say where it is.
class Place {
 public:
  Place(const Json& value, std::string path, const std::string& file)
      : value_(value), path_(std::move(path)), file_(file) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ExitCode::usage,
                fmt::format("{}: {}{}{}", printable(file_), printable(path_), path_.empty() ? "" : ": ", reason));
  }

  [[nodiscard]] bool is_text() const { return value_.is_string(); }

  [[nodiscard]] std::string text() const {
    if (!value_.is_string() || value_.get_ref<const std::string&>().empty()) fail("must be a text that is not empty");
    return value_.get<std::string>();
  }

  [[nodiscard]] double rate() const {
    if (!value_.is_number()) fail("must be a number from 0 to 1");
    const double rate = value_.get<double>();
    if (!(rate >= 0.0 && rate <= 1.0)) fail("must be a number from 0 to 1");
    return rate;
  }

  [[nodiscard]] std::vector<Place> elements() const {
    if (!value_.is_array() || value_.empty()) fail("must be a list that is not empty");
    std::vector<Place> list;
    for (std::size_t i = 0; i < value_.size(); ++i)
      list.emplace_back(value_[i], fmt::format("{}[{}]", path_, i), file_);
    return list;
  }

  /// An object with no keys but these.
  void must_have_only(std::initializer_list<std::string_view> keys) const {
    if (!value_.is_object()) fail("must be an object");
    for (const auto& [key, value] : value_.items()) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      std::string known;
      for (const std::string_view name : keys) known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
      fail(fmt::format("unknown key `{}`; known: {}", printable(shortened(key, 60)), known));
    }
  }

  [[nodiscard]] bool has(const char* key) const { return value_.contains(key); }

  [[nodiscard]] Place at(const char* key) const {
    if (!has(key)) fail(fmt::format("`{}` is missing", key));
    return {value_.at(key), path_.empty() ? key : fmt::format("{}.{}", path_, key), file_};
  }

 private:
  const Json& value_;
  std::string path_;
  const std::string& file_;
};

Side read_side(const Place& place) {
  Side side;
  if (place.is_text()) {
    side.condition = place.text();
    return side;
  }
  place.must_have_only({"condition", "corruption"});
  side.condition = place.at("condition").text();
  if (!place.has("corruption")) return side;
  const Place corruption = place.at("corruption");
  corruption.must_have_only({"mode", "rate"});
  side.mode = corruption.at("mode").text();
  if (side.mode == "none") corruption.at("mode").fail("leave `corruption` out for clean episodes");
  if (corruption.has("rate")) side.rate = corruption.at("rate").rate();
  return side;
}

std::pair<Side, Side> read_comparison(const Place& place) {
  place.must_have_only({"first", "second"});
  std::pair<Side, Side> sides{read_side(place.at("first")), read_side(place.at("second"))};
  if (sides.first == sides.second) place.fail("a side is compared with itself");
  return sides;
}

/// The values of an optional list of texts.
std::vector<std::string> read_names(const Place& object, const char* key) {
  std::vector<std::string> names;
  if (!object.has(key)) return names;
  for (const Place& element : object.at(key).elements()) names.push_back(element.text());
  return names;
}

bool read_episodes(const Place& family) {
  if (!family.has("episodes")) return true;
  const Place episodes = family.at("episodes");
  const std::string text = episodes.text();
  if (text != "dependent" && text != "independent") episodes.fail("must be `dependent` or `independent`");
  return text == "dependent";
}

Over read_over(const Place& family) {
  if (!family.has("over")) return Over::cell;
  const Place place = family.at("over");
  const std::string text = place.text();
  for (const Over over : {Over::cell, Over::tier, Over::model}) {
    if (text == name(over)) return over;
  }
  place.fail("must be `cell`, `tier` or `model`");
}

FamilyDeclaration read_family(const Place& place) {
  place.must_have_only({"name", "episodes", "over", "comparisons", "models", "domains", "tiers"});
  FamilyDeclaration family;
  family.name = place.at("name").text();
  if (std::find(std::begin(kBuiltIn), std::end(kBuiltIn), family.name) != std::end(kBuiltIn)) {
    place.at("name").fail(fmt::format("`{}` is built in; take another name", family.name));
  }
  family.dependent = read_episodes(place);
  family.over = read_over(place);
  for (const Place& element : place.at("comparisons").elements()) {
    family.comparisons.push_back(read_comparison(element));
    const auto& all = family.comparisons;
    if (std::count(all.begin(), all.end(), all.back()) > 1) element.fail("this comparison stands above already");
  }
  family.models = read_names(place, "models");
  family.domains = read_names(place, "domains");
  family.tiers = read_names(place, "tiers");
  return family;
}

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string_view name(Over over) {
  switch (over) {
    case Over::cell:
      return "cell";
    case Over::tier:
      return "tier";
    case Over::model:
      break;
  }
  return "model";
}

bool FamilyDeclaration::takes(std::string_view model, std::string_view domain, std::string_view tier) const {
  return holds(models, model) && holds(domains, domain) && holds(tiers, tier);
}

std::vector<FamilyDeclaration> parse_families(std::string_view json, const std::string& file) {
  Json document;
  try {
    document = Json::parse(json);
  } catch (const Json::parse_error& error) {
    throw Error(ExitCode::usage, fmt::format("{}: no JSON near byte {}; see docs/merit-measures.md for the form",
                                             printable(file), error.byte));
  }
  const Place root(document, "", file);
  root.must_have_only({"families"});
  std::vector<FamilyDeclaration> families;
  for (const Place& element : root.at("families").elements()) {
    FamilyDeclaration family = read_family(element);
    const bool known = std::any_of(families.begin(), families.end(),
                                   [&](const FamilyDeclaration& other) { return other.name == family.name; });
    if (known) element.at("name").fail(fmt::format("`{}` is declared twice", printable(family.name)));
    families.push_back(std::move(family));
  }
  return families;
}

}  // namespace memuse::merit
