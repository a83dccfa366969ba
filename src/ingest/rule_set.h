#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/rule_pattern.h"
#include "model/episode.h"

// A file of delivery rules as values; schemas/delivery-rules.schema.json says what each field means.

namespace memuse::ingest {

/// `schema` of the files.
inline constexpr std::string_view kRulesSchema = "memuse-delivery-rules/1";

/// How the form that a rule describes is known.
enum class FormSource : std::uint8_t { code, docs, unverified };
std::string_view name(FormSource value);

/// Messages that a rule looks at.
struct RulePlace {
  Role role = Role::system;
  bool first = false;                ///< only the first message of this role
  std::optional<Pattern> tools;      ///< the whole name of the tool that gave the result
  std::optional<Pattern> arguments;  ///< found in a string among the arguments of its call
};

/// One step of reading a text as data.
struct DecodeStep {
  enum class Kind : std::uint8_t { json, json_lines, python, at };
  Kind kind = Kind::json;
  std::vector<std::string> path;  ///< for `at`: the way to a string that holds the next text
};

/// Where a value of an entry comes from.
struct ValueSource {
  enum class From : std::uint8_t { pattern, piece, section, block, data };
  From from = From::pattern;
  int group = 0;                  ///< of the pattern or opening mark
  std::vector<std::string> path;  ///< for `data`: from the element on
};

/// How entries are cut out of a section.
struct EntryRule {
  std::vector<std::string> each;  ///< for decoded sections: the way to the elements; `*` is every element
  std::optional<RegionRule> piece;
  std::optional<Pattern> pattern;
  std::vector<ValueSource> text;  ///< the first that is there; none: the whole piece, trimmed
  std::optional<ValueSource> item;
  std::optional<ValueSource> version;
  std::vector<ValueSource> identifiers;
};

/// A part of a block with entries of one kind.
struct SectionRule {
  std::optional<RegionRule> region;  ///< none: the whole block
  std::vector<DecodeStep> decode;
  std::vector<EntryRule> entries;  ///< the first that finds an entry is used
};

/// What a block without any entry is.
enum class WithoutEntries : std::uint8_t { text, empty, nothing };

struct DeliveryRule {
  std::string name;  ///< with that of its set: `mem0/user-memories`
  std::string description;
  FormSource known_from = FormSource::unverified;
  Route route = Route::host;
  std::string form;
  std::vector<RulePlace> where;
  std::optional<Pattern> strip;
  std::optional<RegionRule> block;  ///< none: the whole message
  std::optional<Pattern> before;
  std::optional<Pattern> after;
  std::optional<Pattern> guard;
  std::vector<SectionRule> sections;
  WithoutEntries without_entries = WithoutEntries::text;
  bool fallback = false;
};

/// One file.
struct RuleSet {
  std::string name;
  std::string description;
  FormSource known_from = FormSource::unverified;  ///< the least sure of its rules
  std::vector<DeliveryRule> rules;
};

/// Reads one set from its JSON. Throws Error(usage) that names the source, the rule and the field.
RuleSet read_rule_set(const nlohmann::json& value, const std::string& source);

/// Parses JSON text strictly (no duplicate keys). Throws Error(usage).
nlohmann::json parse_rules_json(std::string_view text, const std::string& source);

}  // namespace memuse::ingest
