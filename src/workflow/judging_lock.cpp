#include "workflow/judging_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "model/error.h"
#include "model/text.h"

namespace memuse::workflow {

namespace {

/// A file that another process has removed in the meantime has another inode than the one of that name now.
bool is_still_named(int file, const std::filesystem::path& path) {
  struct stat here {};
  struct stat named {};
  return ::fstat(file, &here) == 0 && ::stat(path.c_str(), &named) == 0 && here.st_dev == named.st_dev &&
         here.st_ino == named.st_ino;
}

}  // namespace

JudgingLock::JudgingLock(const std::string& database) {
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(database, ignored);
  path_ = (real.empty() ? std::filesystem::path(database) : real).string() + "-judging";
  constexpr int kMode = 0600;
  do {
    if (file_ >= 0) ::close(file_);
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode);
    if (file_ < 0) fail("cannot be made; judging needs to write beside the database", errno);
    while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      const int error = errno;
      ::close(file_);
      if (error != EWOULDBLOCK) fail("cannot be locked", error);
      throw Error(ExitCode::environment,
                  fmt::format("{}: another memuse is judging this database with a model; wait for it, or stop it",
                              printable(database)));
    }
  } while (!is_still_named(file_, path_));
}

JudgingLock::~JudgingLock() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  ::close(file_);
}

void JudgingLock::fail(const char* what, int error) const {
  throw Error(ExitCode::environment, fmt::format("{}: {} ({})", printable(path_.string()), what, std::strerror(error)));
}

}  // namespace memuse::workflow
