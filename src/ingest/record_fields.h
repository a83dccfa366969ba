#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/diagnostic_log.h"
#include "ingest/json.h"

namespace memuse::ingest {

/// Where a record stands, for its diagnostics.
struct RecordPlace {
  std::uint64_t line = 0;
  std::uint64_t byte = 0;
};

/// Reads the fields of one JSON object with the rules that all formats share: a required field that is missing or of
/// the wrong type is an error (and `complete()` turns false), an optional one of the wrong type is a warning and counts
/// as absent; `null` counts as absent; fields that nobody asked for are counted.
class RecordFields {
 public:
  /// `name` is the record's path in messages, e.g. `delivery.entries[2]`; here a literal, which costs no copy.
  RecordFields(const JsonValue& object, const char* name, RecordPlace place, DiagnosticLog& log)
      : object_(object), name_(name), place_(place), log_(log) {}
  /// The same with a name that was put together.
  RecordFields(const JsonValue& object, std::string name, RecordPlace place, DiagnosticLog& log)
      : object_(object), own_name_(std::move(name)), name_(own_name_), place_(place), log_(log) {}
  RecordFields(const RecordFields&) = delete;
  RecordFields& operator=(const RecordFields&) = delete;

  std::optional<std::string_view> required_string(std::string_view field);
  std::optional<std::string_view> string(std::string_view field);
  /// A string, or a number as written (version ids and seeds come as both).
  std::optional<std::string_view> string_or_number(std::string_view field);
  std::optional<bool> boolean(std::string_view field);
  std::optional<std::uint64_t> whole(std::string_view field);
  std::optional<double> number(std::string_view field);
  /// The array or object of that name, or null.
  const JsonValue* array(std::string_view field);
  const JsonValue* object(std::string_view field);
  /// Any value, null when absent.
  const JsonValue* any(std::string_view field);
  /// Strings of an array (numbers as written); other elements are reported and left out.
  std::vector<std::string_view> strings(std::string_view field);
  /// The same; an array of more than `most` is an error, and counts as empty.
  std::vector<std::string_view> strings(std::string_view field, std::size_t most);
  /// Whole numbers of an array; other elements are reported and left out.
  std::vector<std::uint64_t> wholes(std::string_view field);

  /// Counts the fields that were never asked for.
  void count_unknown();
  /// False when a required field was missing.
  [[nodiscard]] bool complete() const { return complete_; }
  /// False when any field was missing or of the wrong type.
  [[nodiscard]] bool clean() const { return complete_ && clean_; }

  /// The elements of the array of that name that are objects; others are reported and left out.
  std::vector<const JsonValue*> objects(std::string_view field);

  void report(Severity severity, Fault fault, const std::string& detail);
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] const RecordPlace& place() const { return place_; }

 private:
  const JsonValue* present(std::string_view field);
  void report_type(std::string_view field, std::string_view expected, Severity severity);

  [[nodiscard]] bool was_asked_for(std::string_view field) const;

  const JsonValue& object_;
  std::string own_name_;
  std::string_view name_;
  RecordPlace place_;
  DiagnosticLog& log_;
  // Fields that were asked for and are there: a bit for each of the first 64, the names of others.
  std::uint64_t asked_ = 0;
  std::vector<std::string_view> asked_beyond_;
  bool complete_ = true;
  bool clean_ = true;
};

/// Gold values, and stale values, that a probe may have: each is looked for in the whole episode.
inline constexpr std::size_t kMostProbeValues = 64;

/// The text, or none.
[[nodiscard]] inline std::string_view or_empty(std::optional<std::string_view> text) {
  return text.value_or(std::string_view{});
}

/// Reports what the parser repaired or passed over in a record. In a `map`, an object whose keys are names and not
/// fields, keys of its own are no matter for JSON.
void report_repairs(const JsonRepairs& repairs, RecordPlace place, DiagnosticLog& log, const JsonValue* map = nullptr);
/// The same for the last record of a parser.
inline void report_repairs(const JsonParser& parser, RecordPlace place, DiagnosticLog& log,
                           const JsonValue* map = nullptr) {
  report_repairs(parser.repairs(), place, log, map);
}

}  // namespace memuse::ingest
