#include "model/diagnostic.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "model/text.h"

namespace memuse {
namespace {

struct FaultText {
  Fault fault;
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array kFaults{
    FaultText{Fault::unreadable_file, "unreadable_file", "the file cannot be read"},
    FaultText{Fault::empty_file, "empty_file", "the file is empty"},
    FaultText{Fault::unknown_format, "unknown_format",
              "no adapter knows this format; name it with --format or convert it to memuse-trace/1"},
    FaultText{Fault::no_traces_found, "no_traces_found", "no trace file was found here"},
    FaultText{Fault::line_too_long, "line_too_long",
              "the line is longer than the limit and was set aside; raise --max-record-bytes to read it"},
    FaultText{Fault::invalid_utf8, "invalid_utf8", "the line is not valid UTF-8 and was set aside"},
    FaultText{Fault::invalid_json, "invalid_json", "the line is not valid JSON and was set aside"},
    FaultText{Fault::nesting_too_deep, "nesting_too_deep", "the line is nested too deeply and was set aside"},
    FaultText{Fault::not_an_object, "not_an_object", "a JSON object was expected; the line was set aside"},
    FaultText{Fault::trailing_content, "trailing_content",
              "something follows the JSON object on its line; the line was set aside"},
    FaultText{Fault::truncated_line, "truncated_line", "the last line is cut off and was set aside"},
    FaultText{Fault::lone_surrogate, "lone_surrogate", "a lone UTF-16 surrogate was replaced by U+FFFD"},
    FaultText{Fault::duplicate_key, "duplicate_key", "a key stands twice in one object; the first value was used"},
    FaultText{Fault::missing_field, "missing_field", "a required field is missing; the record was set aside"},
    FaultText{Fault::wrong_type, "wrong_type", "a field has the wrong type"},
    FaultText{Fault::unknown_value, "unknown_value", "a field has a value that is not in its list"},
    FaultText{Fault::unknown_type, "unknown_type", "a record of unknown type was skipped"},
    FaultText{Fault::unknown_field, "unknown_field", "an unknown field was not used"},
    FaultText{Fault::out_of_place, "out_of_place", "the record stands where it cannot; it was set aside"},
    FaultText{Fault::duplicate_message, "duplicate_message",
              "a message id stands twice in the episode; the second line was set aside"},
    FaultText{Fault::unknown_message, "unknown_message", "a message id is not known in this episode"},
    FaultText{Fault::unmatched_result, "unmatched_result",
              "a result answers no known action of the step before it; it was kept as it stands"},
    FaultText{Fault::step_number, "step_number",
              "step numbers do not count 1, 2, … here; the order of the lines was used"},
    FaultText{Fault::bad_range, "bad_range", "a byte range does not fit its message and was corrected or dropped"},
    FaultText{Fault::blank_entry, "blank_entry", "an entry without text was dropped"},
    FaultText{Fault::unnamed_configuration, "unnamed_configuration",
              "the trace names no configuration or run; name them with --configuration and --run"},
    FaultText{Fault::unknown_schema, "unknown_schema", "the schema version is not known to this program"},
    FaultText{Fault::episode_set_aside, "episode_set_aside", "the episode was set aside"},
    FaultText{Fault::source_changed, "source_changed", "the source no longer holds what was ingested; ingest it again"},
    FaultText{Fault::source_missing, "source_missing",
              "the source file is gone; give its new place with --source-root OLD=NEW"},
    FaultText{Fault::duplicate_episode, "duplicate_episode",
              "the same episode was already read from another file; it is counted once"},
    FaultText{Fault::replaced_episode, "replaced_episode",
              "the file holds a newer version of this episode; the earlier one was replaced"},
    FaultText{Fault::outcome_conflict, "outcome_conflict",
              "the outcomes file and the trace disagree; the outcomes file was used"},
    FaultText{Fault::unmatched_outcome, "unmatched_outcome", "no episode has this task id"},
    FaultText{Fault::invalid_row, "invalid_row", "the row does not have the expected form and was set aside"},
    FaultText{Fault::duplicate_row, "duplicate_row", "two rows speak of the same task; the last one was used"},
    FaultText{
        Fault::ambiguous_outcome, "ambiguous_outcome",
        "an outcome that was found beside the traces does not say which run it belongs to, and was not used; name it "
        "in a manifest or with --outcomes"},
    FaultText{Fault::input_loop, "input_loop", "a folder was met twice through links; it is read once"},
    FaultText{Fault::stated_count, "stated_count", "the trace states another number than it holds"},
    FaultText{Fault::shortened_input, "shortened_input",
              "the model was sent less than the trace keeps; its visible input is known in part only"},
    FaultText{Fault::side_log, "side_log", "the file is a known tool's side log and holds no episode"},
    FaultText{Fault::under_recorded, "under_recorded", "something that happened is not in the recording"},
    FaultText{Fault::inconsistent_record, "inconsistent_record", "two parts of the recording do not agree"},
    FaultText{Fault::rule_overflow, "rule_overflow",
              "a delivery rule matched more often in one message than a rule may and was passed over there"},
    FaultText{Fault::not_read, "not_read", "something beside the files of this run directory was not read"},
    FaultText{Fault::unmatched_record, "unmatched_record",
              "a record has no partner in the file that goes with it; it was read alone"},
    FaultText{Fault::repeated_record, "repeated_record",
              "the record repeats an earlier one byte for byte; it is counted once"},
    FaultText{Fault::repeated_id, "repeated_id",
              "an episode id stands twice in one run; the later episode got a number behind its id"},
    FaultText{Fault::guessed_boundary, "guessed_boundary",
              "the record does not say where the memory block ends; the place was guessed"},
    FaultText{Fault::transcript_mismatch, "transcript_mismatch",
              "the transcript and the other fields of its record disagree"},
    FaultText{Fault::flag_conflict, "flag_conflict",
              "a recorded flag disagrees with what the record shows; both were kept"},
};

const FaultText& text_of(Fault fault) {
  for (const FaultText& text : kFaults) {
    if (text.fault == fault) return text;
  }
  return kFaults.front();
}

}  // namespace

std::string_view fault_name(Fault fault) {
  return text_of(fault).name;
}
std::string_view fault_sentence(Fault fault) {
  return text_of(fault).sentence;
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

bool any_error(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::error; });
}

std::string to_line(const Diagnostic& diagnostic) {
  std::string out = printable(diagnostic.file);
  if (diagnostic.line > 0) out += fmt::format(":{} (byte {})", diagnostic.line, diagnostic.byte);
  out += fmt::format(": {}: {}", severity_name(diagnostic.severity), fault_sentence(diagnostic.fault));
  if (!diagnostic.detail.empty()) out += ": " + diagnostic.detail;
  if (diagnostic.count > 1) out += fmt::format(" ({} times)", diagnostic.count);
  return out;
}

}  // namespace memuse
