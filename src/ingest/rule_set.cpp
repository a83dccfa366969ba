#include "ingest/rule_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "model/error.h"
#include "model/text.h"

namespace memuse::ingest {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxRules = 200;
constexpr std::size_t kMaxList = 32;
constexpr std::size_t kMaxNameBytes = 64;

/// True when the pattern names a line feed other than to shut it out (`[^\n]`).
bool asks_for_line_feed(std::string pattern) {
  static const re2::RE2 negated_class(R"(\[\^[^\]]*\])");
  re2::RE2::GlobalReplace(&pattern, negated_class, "");
  return pattern.find("\\n") != std::string::npos;
}

/// One object of a rules file with the way to it, for messages.
class Fields {
 public:
  Fields(const json& object, std::string at) : object_(object), at_(std::move(at)) {
    if (!object_.is_object()) fail("is not an object");
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(ExitCode::usage, at_ + ": " + what); }
  [[noreturn]] void fail(const std::string& field, const std::string& what) const {
    throw Error(ExitCode::usage, fmt::format("{}: \"{}\" {}", at_, field, what));
  }

  /// Every field has to be one of these.
  void only(std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      fail(fmt::format("unknown field \"{}\"; known: {}", printable(key), fmt::join(known, ", ")));
    }
  }

  [[nodiscard]] const json* find(const std::string& field) const {
    const auto found = object_.find(field);
    return found == object_.end() ? nullptr : &*found;
  }
  [[nodiscard]] std::string at(const std::string& field) const { return at_ + "." + field; }
  [[nodiscard]] std::string at(const std::string& field, std::size_t index) const {
    return fmt::format("{}.{}[{}]", at_, field, index);
  }

  [[nodiscard]] std::optional<std::string> string(const std::string& field) const {
    const json* value = find(field);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) fail(field, "is not a string");
    return value->get<std::string>();
  }
  [[nodiscard]] std::string required_string(const std::string& field) const {
    auto value = string(field);
    if (!value) fail(field, "is missing");
    if (is_blank(*value)) fail(field, "is empty");
    return *value;
  }
  [[nodiscard]] bool flag(const std::string& field) const {
    const json* value = find(field);
    if (value == nullptr) return false;
    if (!value->is_boolean()) fail(field, "is neither true nor false");
    return value->get<bool>();
  }
  /// A list, bounded; null when absent.
  [[nodiscard]] const json* list(const std::string& field, std::size_t most = kMaxList) const {
    const json* value = find(field);
    if (value == nullptr) return nullptr;
    if (!value->is_array() || value->empty()) fail(field, "is not a list with something in it");
    if (value->size() > most) fail(field, fmt::format("has more than {} elements", most));
    return value;
  }
  /// A string or a list of strings.
  [[nodiscard]] std::vector<std::string> strings(const std::string& field) const {
    const json* value = find(field);
    if (value == nullptr) return {};
    if (value->is_string()) return {value->get<std::string>()};
    std::vector<std::string> result;
    for (const json& element : *list(field)) {
      if (!element.is_string()) fail(field, "holds something that is not a string");
      result.push_back(element.get<std::string>());
    }
    return result;
  }
  template <typename Value, std::size_t N>
  [[nodiscard]] Value word(const std::string& field, const std::pair<std::string_view, Value> (&words)[N]) const {
    const std::string given = required_string(field);
    std::vector<std::string_view> known;
    for (const auto& [text, value] : words) {
      if (text == given) return value;
      known.push_back(text);
    }
    fail(field, fmt::format("is \"{}\"; known: {}", printable(given), fmt::join(known, ", ")));
  }
  [[nodiscard]] std::optional<Pattern> pattern(const std::string& field, PatternUse use) const {
    const auto text = string(field);
    if (!text) return std::nullopt;
    const bool one_line = use == PatternUse::opening || use == PatternUse::closing;
    if (one_line && asks_for_line_feed(*text)) {
      fail(field, "is matched inside one line, so it cannot hold \\n");
    }
    try {
      return Pattern(*text, use);
    } catch (const PatternFault& fault) {
      fail(field, fmt::format("is not a usable pattern: {} (in {})", printable(fault.what()), printable(*text)));
    }
  }

 private:
  const json& object_;
  std::string at_;
};

/// Splits a JSON pointer (RFC 6901); the empty pointer is the value itself.
std::vector<std::string> parse_path(const Fields& fields, const std::string& field, const std::string& pointer) {
  if (pointer.empty()) return {};
  try {
    json::json_pointer parsed(pointer);
    std::vector<std::string> path;
    for (; !parsed.empty(); parsed.pop_back()) path.push_back(parsed.back());
    std::reverse(path.begin(), path.end());
    if (path.size() > kMaxList) fields.fail(field, "is too long a path");
    return path;
  } catch (const json::exception&) {
    fields.fail(field, fmt::format("holds \"{}\", which is no JSON pointer (/name/0/name)", printable(pointer)));
  }
}

std::optional<RegionRule> read_region(const Fields& fields) {
  auto begin = fields.pattern("begin", PatternUse::opening);
  auto end = fields.pattern("end", PatternUse::closing);
  auto until = fields.pattern("until", PatternUse::opening);
  if (!begin) {
    if (end) fields.fail("end", "wants a \"begin\" beside it");
    if (until) fields.fail("until", "wants a \"begin\" beside it");
    return std::nullopt;
  }
  if (end && until) fields.fail("until", "cannot stand beside \"end\"");
  return RegionRule{std::move(*begin), std::move(end), std::move(until)};
}

RulePlace read_place(const Fields& fields) {
  fields.only({"role", "first", "tools", "arguments"});
  RulePlace place;
  place.role = fields.word<Role>("role", {{"system", Role::system}, {"user", Role::user}, {"tool", Role::tool}});
  place.first = fields.flag("first");
  place.tools = fields.pattern("tools", PatternUse::whole);
  place.arguments = fields.pattern("arguments", PatternUse::text);
  const bool tool = place.role == Role::tool;
  if (tool && !place.tools) fields.fail("tools", "is missing: a rule for tool results has to name the tools");
  if (!tool && (place.tools || place.arguments)) fields.fail("tools and arguments belong to the role tool");
  if (tool && place.first) fields.fail("first", "does not go with the role tool");
  return place;
}

std::vector<DecodeStep> read_decode(const Fields& fields) {
  std::vector<DecodeStep> steps;
  for (const std::string& word : fields.strings("decode")) {
    DecodeStep step;
    if (word == "json") {
      step.kind = DecodeStep::Kind::json;
    } else if (word == "json_lines") {
      step.kind = DecodeStep::Kind::json_lines;
    } else if (word == "python") {
      step.kind = DecodeStep::Kind::python;
    } else if (!word.empty() && word.front() == '/') {
      step.kind = DecodeStep::Kind::at;
      step.path = parse_path(fields, "decode", word);
    } else {
      fields.fail("decode",
                  fmt::format("holds \"{}\"; known: json, json_lines, python, or a JSON pointer", printable(word)));
    }
    const bool reads = step.kind != DecodeStep::Kind::at;
    const bool wanted = steps.empty() || steps.back().kind == DecodeStep::Kind::at;
    if (reads != wanted) fields.fail("decode", "has to go in turns: read, then a JSON pointer to a string, then read");
    steps.push_back(std::move(step));
  }
  if (!steps.empty() && steps.back().kind == DecodeStep::Kind::at) fields.fail("decode", "ends in a JSON pointer");
  return steps;
}

/// The opening marks around an entry, whose groups its values may name.
struct Marks {
  const RegionRule* block = nullptr;
  const RegionRule* section = nullptr;
};

class EntryReader {
 public:
  EntryReader(const Fields& fields, bool decoded, const Marks& marks)
      : fields_(fields), decoded_(decoded), marks_(marks) {}

  EntryRule read() {
    if (decoded_) {
      fields_.only({"each", "text", "item", "version", "identifiers"});
      const auto each = fields_.string("each");
      if (!each) fields_.fail("each", "is missing: the JSON pointer to the elements, with * for every element");
      rule_.each = parse_path(fields_, "each", *each);
    } else {
      fields_.only({"begin", "end", "until", "pattern", "text", "item", "version", "identifiers"});
      rule_.piece = read_region(fields_);
      rule_.pattern = fields_.pattern("pattern", PatternUse::text);
    }
    for (const std::string& from : fields_.strings("text")) rule_.text.push_back(source("text", from));
    if (rule_.text.empty()) {
      if (decoded_) fields_.fail("text", "is missing");
      if (auto group = own_group("text")) rule_.text.push_back(std::move(*group));
    }
    rule_.item = optional_source("item");
    rule_.version = optional_source("version");
    for (const std::string& from : fields_.strings("identifiers")) {
      rule_.identifiers.push_back(source("identifiers", from));
    }
    return std::move(rule_);
  }

 private:
  std::optional<ValueSource> optional_source(const std::string& field) {
    if (const auto from = fields_.string(field)) return source(field, *from);
    return own_group(field);
  }

  std::optional<ValueSource> own_group(const std::string& name) const {
    if (!rule_.pattern) return std::nullopt;
    const auto group = rule_.pattern->group(name);
    if (!group) return std::nullopt;
    return ValueSource{ValueSource::From::pattern, *group, {}};
  }

  /// A JSON pointer into the element, or the name of a group: of the entry's pattern, then of the opening marks of
  /// entry, section and block.
  ValueSource source(const std::string& field, const std::string& from) const {
    if (decoded_ && (from.empty() || from.front() == '/')) {
      return {ValueSource::From::data, 0, parse_path(fields_, field, from)};
    }
    if (auto group = own_group(from)) return *group;
    const std::pair<ValueSource::From, const RegionRule*> around[] = {
        {ValueSource::From::piece, rule_.piece ? &*rule_.piece : nullptr},
        {ValueSource::From::section, marks_.section},
        {ValueSource::From::block, marks_.block}};
    for (const auto& [where, mark] : around) {
      if (mark == nullptr) continue;
      if (const auto group = mark->begin.group(from)) return {where, *group, {}};
    }
    fields_.fail(field, fmt::format("names the group \"{}\", which no pattern around it has{}", printable(from),
                                    decoded_ ? " (a JSON pointer starts with /)" : ""));
  }

  const Fields& fields_;
  bool decoded_ = false;
  Marks marks_;
  EntryRule rule_;
};

/// What a section and a rule without sections have in common: `decode` and `entries`.
void read_entries(const Fields& fields, SectionRule& section, const RegionRule* block) {
  section.decode = read_decode(fields);
  const Marks marks{block, section.region ? &*section.region : nullptr};
  const bool decoded = !section.decode.empty();
  if (const json* entries = fields.list("entries")) {
    for (std::size_t i = 0; i < entries->size(); ++i) {
      const Fields entry((*entries)[i], fields.at("entries", i));
      section.entries.push_back(EntryReader(entry, decoded, marks).read());
    }
  } else if (decoded) {
    fields.fail("entries", "is missing beside \"decode\"");
  } else {
    section.entries.emplace_back();  // the whole of it is one entry
  }
}

std::vector<SectionRule> read_sections(const Fields& fields, const RegionRule* block) {
  std::vector<SectionRule> sections;
  const json* list = fields.list("sections");
  if (list == nullptr) {
    read_entries(fields, sections.emplace_back(), block);
    return sections;
  }
  if (fields.find("entries") != nullptr) fields.fail("entries", "belongs into the sections when there are any");
  if (fields.find("decode") != nullptr) fields.fail("decode", "belongs into the sections when there are any");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Fields part((*list)[i], fields.at("sections", i));
    part.only({"begin", "end", "until", "decode", "entries"});
    SectionRule& section = sections.emplace_back();
    section.region = read_region(part);
    if (!section.region) part.fail("begin", "is missing");
    read_entries(part, section, block);
  }
  return sections;
}

void check_name(const Fields& fields, const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
  if (!plain || name.size() > kMaxNameBytes) {
    fields.fail("name", fmt::format("has to be made of a-z, 0-9, '-', '_' and '.', at most {} of them", kMaxNameBytes));
  }
}

DeliveryRule read_rule(const Fields& fields, const std::string& set) {
  fields.only({"name", "description", "known_from", "route", "form", "where", "strip", "block", "sections", "decode",
               "entries", "without_entries", "fallback"});
  DeliveryRule rule;
  const std::string name = fields.required_string("name");
  check_name(fields, name);
  rule.name = set + "/" + name;
  rule.description = fields.required_string("description");
  rule.known_from = fields.word<FormSource>(
      "known_from", {{"code", FormSource::code}, {"docs", FormSource::docs}, {"unverified", FormSource::unverified}});
  rule.route = fields.word<Route>("route", {{"host", Route::host}, {"agent", Route::agent}});
  rule.form = fields.required_string("form");
  const json* places = fields.list("where");
  if (places == nullptr) fields.fail("where", "is missing");
  for (std::size_t i = 0; i < places->size(); ++i) {
    rule.where.push_back(read_place(Fields((*places)[i], fields.at("where", i))));
  }
  rule.strip = fields.pattern("strip", PatternUse::opening);
  if (const json* block = fields.find("block")) {
    const Fields part(*block, fields.at("block"));
    part.only({"begin", "end", "until", "before", "after", "guard"});
    rule.block = read_region(part);
    rule.before = part.pattern("before", PatternUse::whole);
    rule.after = part.pattern("after", PatternUse::whole);
    rule.guard = part.pattern("guard", PatternUse::text);
    if (!rule.block && (rule.before || rule.after)) part.fail("before and after want a \"begin\" beside them");
  }
  rule.sections = read_sections(fields, rule.block ? &*rule.block : nullptr);
  if (fields.find("without_entries") != nullptr) {
    rule.without_entries = fields.word<WithoutEntries>(
        "without_entries",
        {{"text", WithoutEntries::text}, {"empty", WithoutEntries::empty}, {"nothing", WithoutEntries::nothing}});
  }
  rule.fallback = fields.flag("fallback");
  return rule;
}

/// Where rule `index` stands, by its name if it has one.
std::string rule_place(const json& rules, std::size_t index, const std::string& source) {
  const json& rule = rules[index];
  const bool named = rule.is_object() && rule.contains("name") && rule["name"].is_string();
  return named ? fmt::format("{}: rule \"{}\"", source, printable(rule["name"].get<std::string>()))
               : fmt::format("{}: rules[{}]", source, index);
}

}  // namespace

std::string_view name(FormSource value) {
  switch (value) {
    case FormSource::code:
      return "code";
    case FormSource::docs:
      return "docs";
    case FormSource::unverified:
      break;
  }
  return "unverified";
}

RuleSet read_rule_set(const json& value, const std::string& source) {
  const Fields fields(value, source);
  const auto schema = fields.string("schema");
  if (!schema || *schema != kRulesSchema) fields.fail("schema", fmt::format("has to be \"{}\"", kRulesSchema));
  fields.only({"schema", "name", "description", "rules"});
  RuleSet set;
  set.name = fields.required_string("name");
  check_name(fields, set.name);
  set.description = fields.required_string("description");
  const json* rules = fields.list("rules", kMaxRules);
  if (rules == nullptr) fields.fail("rules", "is missing");
  set.known_from = FormSource::code;
  std::set<std::string> names;
  for (std::size_t i = 0; i < rules->size(); ++i) {
    const Fields rule((*rules)[i], rule_place(*rules, i, source));
    set.rules.push_back(read_rule(rule, set.name));
    set.known_from = std::max(set.known_from, set.rules.back().known_from);
    if (!names.insert(set.rules.back().name).second) rule.fail("name", "stands twice in this file");
  }
  return set;
}

json parse_rules_json(std::string_view text, const std::string& source) {
  std::vector<std::set<std::string>> keys;
  std::string duplicate;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      duplicate = parsed.get<std::string>();
    }
    return true;
  };
  json parsed;
  try {
    parsed = json::parse(text, watch);
  } catch (const json::exception& fault) {
    throw Error(ExitCode::usage, fmt::format("{}: not valid JSON: {}", source, printable(fault.what())));
  }
  if (!duplicate.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("{}: the field \"{}\" stands twice in one object", source, printable(duplicate)));
  }
  return parsed;
}

}  // namespace memuse::ingest
