#pragma once

#include <string>

#include "ingest/json.h"

namespace memuse::ingest {

/// Python's printed form (`repr`) of a JSON value as `json.loads` gives it: `{'amount': 5, 'note': "it's"}`. MERIT
/// prints the arguments of calls so (formats: tool lines of transcripts, MERIT's own flag of use). Which characters
/// count as printable follows the Unicode tables of this build.
std::string python_repr(const JsonValue& value);

}  // namespace memuse::ingest
