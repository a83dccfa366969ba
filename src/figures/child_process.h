#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace memuse::figures {

struct ProcessResult {
  enum class Outcome { finished, not_found, timed_out };

  Outcome outcome = Outcome::finished;
  int exit_code = -1;  ///< 128 and more for a signal
  std::string errors;  ///< the first 4 KB of standard error
};

/// Runs a program, without a shell, in `folder`, with an empty standard input and standard output; `environment` is
/// added to the process' own. Ends it when `limit` is over. Throws Error(environment) when a process can not be started
/// for another reason than that there is no such program.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                                        const std::vector<std::string>& environment, std::chrono::milliseconds limit);

}  // namespace memuse::figures
