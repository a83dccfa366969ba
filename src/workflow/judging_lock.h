#pragma once

#include <filesystem>
#include <string>

namespace memuse::workflow {

/// Keeps a second process from judging the same database with a model at the same time: it would pay for the same
/// answers. A file `<database>-judging` beside it, locked while this lives; the lock goes with the process.
class JudgingLock {
 public:
  /// Throws Error(environment) when another process holds it, or when the file cannot be made.
  explicit JudgingLock(const std::string& database);
  ~JudgingLock();
  JudgingLock(const JudgingLock&) = delete;
  JudgingLock& operator=(const JudgingLock&) = delete;

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace memuse::workflow
