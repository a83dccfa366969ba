#include "model/fault_advice.h"

#include <algorithm>
#include <array>

namespace memuse {
namespace {

struct FaultAdvice {
  Fault fault;
  std::string_view advice;
};

/// Faults that need nothing done, or whose sentence says it, are not here.
constexpr std::array kAdvice{
    FaultAdvice{Fault::unreadable_file, "look at the permissions and at the disk, then read it again"},
    FaultAdvice{Fault::empty_file, "copy the file again if it should hold something"},
    FaultAdvice{Fault::no_traces_found, "name the folder that holds the traces"},
    FaultAdvice{Fault::invalid_utf8, "list the lines with --bad, convert them to UTF-8 and put them back"},
    FaultAdvice{Fault::invalid_json, "list the lines with --bad, mend them and put them back"},
    FaultAdvice{Fault::nesting_too_deep, "look at the lines with --bad: no trace that is known nests so deeply"},
    FaultAdvice{Fault::not_an_object, "list them with --bad and see what wrote them"},
    FaultAdvice{Fault::trailing_content, "put each object on a line of its own"},
    FaultAdvice{Fault::truncated_line, "the writer was stopped, or the copy was: copy the file again if there is more"},
    FaultAdvice{Fault::missing_field, "compare the record (--bad) with the page of its format in docs"},
    FaultAdvice{Fault::wrong_type, "compare the record with the page of its format in docs"},
    FaultAdvice{Fault::unknown_value, "compare the record with the page of its format in docs"},
    FaultAdvice{Fault::out_of_place, "mend the `episode` line before them, which was lost"},
    FaultAdvice{Fault::duplicate_message, "give each message of an episode an id of its own"},
    FaultAdvice{Fault::unknown_message, "see whether the line of that message was set aside"},
    FaultAdvice{Fault::episode_set_aside, "the fault before it, at the same place, says why"},
    FaultAdvice{Fault::unknown_schema, "use a newer memuse, or write a schema that this one knows"},
    FaultAdvice{Fault::stated_count, "see which of the two numbers you trust; memuse counts what the trace holds"},
    FaultAdvice{Fault::under_recorded, "what rests on it is graded accordingly; record it next time"},
    FaultAdvice{Fault::shortened_input, "nothing can be done for these runs; their grade says so"},
    FaultAdvice{Fault::input_loop, "name the folder once"},
    FaultAdvice{Fault::invalid_row, "mend the row"},
    FaultAdvice{Fault::rule_overflow, "make the rule stricter, or its limit larger"},
};

}  // namespace

std::string_view fault_advice(Fault fault) {
  const auto found =
      std::find_if(kAdvice.begin(), kAdvice.end(), [&](const FaultAdvice& advice) { return advice.fault == fault; });
  return found == kAdvice.end() ? std::string_view{} : found->advice;
}

}  // namespace memuse
