#include "store/connection.h"

#include <sqlite3.h>

#include <fmt/format.h>
#include <limits>

#include "model/error.h"
#include "model/text.h"

namespace memuse::store {
namespace {

/// What a person should do about a result code.
std::string explanation(int code, const char* sqlite_message) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "the database is locked: another memuse may be writing to it; wait for it to finish and try again";
    case SQLITE_NOTADB:
      return "this file is not a database; name another file";
    case SQLITE_CANTOPEN:
      return "the file cannot be opened or created; check the folder and its permissions";
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY || code == SQLITE_READONLY_CANTINIT) {
        return "a command was killed while it wrote here, and what it left half done can only be taken back with "
               "permission to write to the file and its folder; run any memuse command on it with that permission once";
      }
      return "no permission to write here; check the permissions of the file and of its folder";
    case SQLITE_FULL:
      return "the disk is full; free some space and run the command again: it goes on where it stopped";
    case SQLITE_CORRUPT:
      return "the database is damaged; delete the file and ingest the traces again";
    case SQLITE_TOOBIG:
      return "a text is too long for the database (limit 1,000,000,000 bytes)";
    default:
      return fmt::format("database error {}: {}", code, sqlite_message);
  }
}

int open_flags(Connection::Mode mode) {
  switch (mode) {
    case Connection::Mode::read_only:
      return SQLITE_OPEN_READONLY;
    case Connection::Mode::read_write:
      return SQLITE_OPEN_READWRITE;
    case Connection::Mode::read_write_create:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  return SQLITE_OPEN_READONLY;
}

}  // namespace

void Connection::Closer::operator()(sqlite3* handle) const noexcept {
  sqlite3_close_v2(handle);
}

Connection::Connection(const std::filesystem::path& path, Mode mode, int busy_timeout_ms) : path_(path) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, open_flags(mode) | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(opened);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, busy_timeout_ms);
}

void Connection::execute(const std::string& sql) const {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

bool Connection::try_execute(const std::string& sql) const {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) return false;
  if (code != SQLITE_OK) fail(code);
  return true;
}

std::int64_t Connection::integer(const std::string& sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Connection::text(const std::string& sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

bool Connection::is_read_only() const {
  return sqlite3_db_readonly(handle_.get(), "main") == 1;
}
bool Connection::needs_recovery() const {
  // Any read looks for the journal that a killed writer left behind.
  switch (sqlite3_exec(handle_.get(), "PRAGMA schema_version", nullptr, nullptr, nullptr)) {
    case SQLITE_READONLY_ROLLBACK:
    case SQLITE_READONLY_RECOVERY:
    case SQLITE_READONLY_CANTINIT:
      return true;
    default:
      return false;
  }
}
bool Connection::in_transaction() const {
  return sqlite3_get_autocommit(handle_.get()) == 0;
}
std::int64_t Connection::last_insert_id() const {
  return sqlite3_last_insert_rowid(handle_.get());
}
std::int64_t Connection::changes() const {
  return sqlite3_changes64(handle_.get());
}

void Connection::fail(int code) const {
  const char* message = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  throw Error(ExitCode::environment, fmt::format("{}: {}", printable(path_.string()), explanation(code, message)));
}

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

Statement::Statement(const Connection& connection, std::string_view sql) : connection_(&connection) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(connection.handle(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
  statement_.reset(prepared);
  check(code);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) connection_->fail(code);
  return false;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const void* bytes = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), size};
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  return is_null(column) ? std::nullopt : std::optional(integer(column));
}
std::optional<std::uint64_t> Statement::optional_count(int column) const {
  return is_null(column) ? std::nullopt : std::optional(count(column));
}
std::optional<bool> Statement::optional_boolean(int column) const {
  return is_null(column) ? std::nullopt : std::optional(boolean(column));
}
std::optional<double> Statement::optional_real(int column) const {
  return is_null(column) ? std::nullopt : std::optional(real(column));
}
std::optional<std::string> Statement::optional_text(int column) const {
  return is_null(column) ? std::nullopt : std::optional(text(column));
}

void Statement::bind_one(int index, std::nullptr_t) {
  check(sqlite3_bind_null(statement_.get(), index));
}
void Statement::bind_one(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index, value));
}
void Statement::bind_one(int index, std::uint64_t value) {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  bind_one(index, static_cast<std::int64_t>(value < kLargest ? value : kLargest));
}
void Statement::bind_one(int index, double value) {
  check(sqlite3_bind_double(statement_.get(), index, value));
}
void Statement::bind_one(int index, std::string_view value) {
  // A null pointer would bind NULL, but an empty text is meant. A null destructor is SQLITE_STATIC: nothing is copied.
  const char* bytes = value.data() == nullptr ? "" : value.data();
  check(sqlite3_bind_text64(statement_.get(), index, bytes, value.size(), nullptr, SQLITE_UTF8));
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) connection_->fail(code);
}

Transaction::Transaction(const Connection& connection, Kind kind) : connection_(connection) {
  connection_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // SQLite has rolled back by itself after some errors; a second ROLLBACK is then refused, which is of no interest.
  if (open_) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace memuse::store
