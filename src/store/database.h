#pragma once

#include <cstdint>
#include <filesystem>

#include "store/connection.h"

namespace memuse::store {

/// The one file that holds a study (docs/database.md). A `Database` belongs to one thread; several processes may read
/// while one writes.
class Database {
 public:
  /// How long to wait for another process's lock before giving up, in milliseconds.
  static constexpr int kBusyTimeoutMs = 5000;

  /// Opens for writing, creates the file when it is missing, and brings an older schema up to date.
  /// Throws `Error{ExitCode::environment}` for a foreign or newer database, a file that is none, a locked one, missing
  /// permission and a full disk; the file is then as it was.
  static Database open(const std::filesystem::path& path, int busy_timeout_ms = kBusyTimeoutMs);

  /// Opens an existing database for reading only. Throws `Error{ExitCode::environment}` like `open`, and when the file
  /// is missing or of an older schema; the message then says which command helps.
  static Database open_existing(const std::filesystem::path& path, int busy_timeout_ms = kBusyTimeoutMs);

  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) = delete;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  /// Leaves a single file when it can; use `close` to hear of failures.
  ~Database();

  /// Checkpoints, makes the database a single file (unless another process is using it: the last one to leave does it
  /// then) and closes it. Writers and readers of this database must be gone. Further use is an error.
  void close();

  [[nodiscard]] bool is_writable() const { return writable_; }
  [[nodiscard]] const Connection& connection() const { return *connection_; }

 private:
  Database(std::unique_ptr<Connection> connection, bool writable)
      : connection_(std::move(connection)), writable_(writable) {}
  void leave_single_file() const;

  std::unique_ptr<Connection> connection_;  ///< on the heap, so that statements may point at it when this is moved
  bool writable_ = false;
};

}  // namespace memuse::store
