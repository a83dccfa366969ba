#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

// A thin, typed layer over SQLite. Every failure throws `memuse::Error{ExitCode::environment}` with a message that
// names the file and says what to do. Not thread-safe: a connection and its statements belong to one thread.

namespace memuse::store {

/// An open SQLite connection.
class Connection {
 public:
  enum class Mode : std::uint8_t { read_only, read_write, read_write_create };

  /// Opens the file; nothing is read from it yet. Waits up to `busy_timeout_ms` for locks of other processes.
  Connection(const std::filesystem::path& path, Mode mode, int busy_timeout_ms);

  /// Runs one or more statements without parameters; rows are ignored.
  void execute(const std::string& sql) const;
  /// Like `execute`, but answers false instead of throwing when another process holds the lock.
  [[nodiscard]] bool try_execute(const std::string& sql) const;
  /// First column of the first row as an integer; 0 without a row.
  [[nodiscard]] std::int64_t integer(const std::string& sql) const;
  /// First column of the first row as text; empty without a row.
  [[nodiscard]] std::string text(const std::string& sql) const;

  [[nodiscard]] bool is_read_only() const;
  /// True when a writer was killed in the middle of a change and a read-only connection cannot take the change back:
  /// a connection that may write does so with its first read.
  [[nodiscard]] bool needs_recovery() const;
  /// True while a transaction is open.
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] std::int64_t last_insert_id() const;
  /// Rows changed by the last statement.
  [[nodiscard]] std::int64_t changes() const;
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Throws the error that belongs to a result code of SQLite.
  [[noreturn]] void fail(int code) const;

 private:
  struct Closer {
    void operator()(sqlite3* handle) const noexcept;
  };
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Closer> handle_;
};

/// A prepared statement, kept and run again with other values. Bound texts are not copied: they must live until the
/// statement was run (`run`) or reset.
class Statement {
 public:
  Statement(const Connection& connection, std::string_view sql);

  /// Binds all parameters in order; forgets a run before.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }
  /// The next row; false at the end (the statement is then reset).
  bool step();
  /// Binds, runs to the end, resets.
  template <typename... Values>
  void run(const Values&... values) {
    bind(values...);
    while (step()) {
    }
  }
  void reset();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::uint64_t count(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  [[nodiscard]] std::uint32_t number(int column) const { return static_cast<std::uint32_t>(integer(column)); }
  [[nodiscard]] bool boolean(int column) const { return integer(column) != 0; }
  [[nodiscard]] double real(int column) const;
  /// All bytes of the column, NUL characters included; empty for NULL.
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] std::optional<std::uint64_t> optional_count(int column) const;
  [[nodiscard]] std::optional<bool> optional_boolean(int column) const;
  [[nodiscard]] std::optional<double> optional_real(int column) const;
  [[nodiscard]] std::optional<std::string> optional_text(int column) const;

 private:
  void bind_one(int index, std::nullptr_t);
  void bind_one(int index, std::int64_t value);
  /// Values beyond the range of SQLite's integers (2^63 - 1) are stored as its largest.
  void bind_one(int index, std::uint64_t value);
  void bind_one(int index, std::uint32_t value) { bind_one(index, static_cast<std::int64_t>(value)); }
  void bind_one(int index, bool value) { bind_one(index, static_cast<std::int64_t>(value ? 1 : 0)); }
  void bind_one(int index, double value);
  void bind_one(int index, std::string_view value);
  void bind_one(int index, const std::string& value) { bind_one(index, std::string_view(value)); }
  void bind_one(int index, const char* value) { bind_one(index, std::string_view(value)); }
  template <typename Value>
  void bind_one(int index, const std::optional<Value>& value) {
    if (value) {
      bind_one(index, *value);
    } else {
      bind_one(index, nullptr);
    }
  }
  void check(int code) const;

  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  const Connection* connection_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

/// A transaction that is rolled back unless `commit` was called.
class Transaction {
 public:
  enum class Kind : std::uint8_t { read, write };

  Transaction(const Connection& connection, Kind kind);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  const Connection& connection_;
  bool open_ = true;
};

}  // namespace memuse::store
