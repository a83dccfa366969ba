#pragma once

#include <stdexcept>
#include <string>

namespace memuse {

/// Exit codes of the program (architecture.md).
enum class ExitCode : int {
  ok = 0,            ///< all done
  partial = 1,       ///< done, but some inputs or spans failed (they were listed)
  usage = 2,         ///< the command line is wrong
  environment = 3,   ///< disk full, no permission, locked or foreign database, endpoint unreachable
  limit = 4,         ///< stopped at a limit that was set; resumable
  interrupted = 130  ///< stopped by a signal; resumable
};

/// A fault of the environment or of usage: ends the command. The message is for the person at the terminal and says
/// what to do next. Faults in data are never thrown; they are `Diagnostic` values.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace memuse
