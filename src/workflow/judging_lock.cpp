#include "workflow/judging_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "model/error.h"
#include "model/text.h"

namespace memuse::workflow {

JudgingLock::JudgingLock(const std::string& database) : path_(database + "-judging") {
  constexpr int kMode = 0600;
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode);
  if (file_ < 0) {
    throw Error(ExitCode::environment, fmt::format("{}: cannot be made; judging needs to write beside the database",
                                                   printable(path_.string())));
  }
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(file_);
  throw Error(ExitCode::environment,
              fmt::format("{}: another memuse is judging this database with a model; wait for it, or stop it",
                          printable(database)));
}

JudgingLock::~JudgingLock() {
  // Removed while it is still locked, so that nobody locks a file that is about to go.
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  ::close(file_);
}

}  // namespace memuse::workflow
