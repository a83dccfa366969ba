#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memuse {

/// How much a fault in the data costs.
enum class Severity : std::uint8_t {
  note,     ///< nothing lost, worth knowing
  warning,  ///< something was repaired, guessed or dropped; the record is used
  error     ///< a record or a file was set aside
};

/// What is wrong, as a closed list; `diagnostic_sentence` has the sentence for people.
enum class Fault : std::uint8_t {
  unreadable_file,
  empty_file,
  unknown_format,
  no_traces_found,
  line_too_long,
  invalid_utf8,
  invalid_json,
  nesting_too_deep,
  not_an_object,
  trailing_content,
  truncated_line,
  lone_surrogate,
  duplicate_key,
  missing_field,
  wrong_type,
  unknown_value,
  unknown_type,
  unknown_field,
  out_of_place,
  duplicate_message,
  unknown_message,
  unmatched_result,
  step_number,
  bad_range,
  blank_entry,
  unnamed_configuration,
  unknown_schema,
  episode_set_aside,
  source_changed,
  source_missing,
  duplicate_episode,
  replaced_episode,
  outcome_conflict,
  unmatched_outcome,
  invalid_row,
  duplicate_row,
  ambiguous_outcome,
  input_loop,
  stated_count,
  shortened_input,
  side_log,
  under_recorded,
  inconsistent_record,
  rule_overflow,
  not_read,
  unmatched_record,
  repeated_record,
  repeated_id,
  guessed_boundary,
  transcript_mismatch,
  flag_conflict
};

/// Name of the fault as it stands in JSON and in the database (`invalid_json`).
std::string_view fault_name(Fault fault);
/// One sentence for people: what it means and what to do about it.
std::string_view fault_sentence(Fault fault);
std::string_view severity_name(Severity severity);

/// One fault in the data, with its place. Ordered by place, so that a sorted list is the same for any thread count.
struct Diagnostic {
  std::string file;        ///< path as the user gave or as found below it
  std::uint64_t line = 0;  ///< 1-based line or record; 0 when the whole file is meant
  std::uint64_t byte = 0;  ///< 0-based byte offset in the file of the start of that line (or of the fault, if known)
  Severity severity = Severity::error;
  Fault fault = Fault::invalid_json;
  std::string detail;       ///< what was expected, what was found; escaped for the terminal
  std::uint64_t count = 1;  ///< how often, for faults that are counted per file (unknown fields)

  friend auto operator<=>(const Diagnostic&, const Diagnostic&) = default;
};

/// True when something was set aside.
[[nodiscard]] bool any_error(const std::vector<Diagnostic>& diagnostics);

/// "file:line (byte N): severity: sentence: detail" on one line.
std::string to_line(const Diagnostic& diagnostic);

}  // namespace memuse
