#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "support/program.h"

namespace memuse::test {

inline bool has_python() {
  return run_shell("python3 -c 'import fractions, random'").exit_code == 0;
}

/// What a Python program, given as text, prints as JSON.
inline nlohmann::json python_json(const std::string& program) {
  const ProgramResult result = run_shell("python3 -c " + shell_quoted(program));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return nlohmann::json::parse(result.out);
}

}  // namespace memuse::test

/// Leaves the test case when there is no Python 3 to compare with.
#define MEMUSE_NEEDS_PYTHON()                    \
  if (!memuse::test::has_python()) {             \
    WARN("skipped: no python3 on this machine"); \
    return;                                      \
  }
