#include "store/database.h"

#include <fmt/format.h>

#include "model/error.h"
#include "model/text.h"
#include "store/schema.h"

namespace memuse::store {
namespace {

[[noreturn]] void refuse(const Connection& connection, std::string_view why) {
  throw Error(ExitCode::environment, fmt::format("{}: {}", printable(connection.path().string()), why));
}

/// Schema version of the file; 0 for an empty one. Throws for a file that is not ours or newer than this program.
std::int64_t checked_version(const Connection& connection) {
  const std::int64_t application = connection.integer("PRAGMA application_id");
  const std::int64_t version = connection.integer("PRAGMA user_version");
  if (application != kApplicationId) {
    const bool untouched =
        application == 0 && version == 0 && connection.integer("SELECT count(*) FROM sqlite_schema") == 0;
    if (!untouched) {
      refuse(connection, "this is a database of another program; it was left alone: name another file with --db");
    }
    return 0;
  }
  if (version > schema_version()) {
    refuse(connection, fmt::format("the database has schema version {}, this memuse knows versions up to {}; "
                                   "use the newer memuse that wrote it",
                                   version, schema_version()));
  }
  return version;
}

/// Brings the schema up to date, one transaction per version. The lock is taken even when there is nothing to do, so
/// that a second writer is noticed at the start and not in the middle of its work.
void migrate(const Connection& connection) {
  while (true) {
    Transaction transaction(connection, Transaction::Kind::write);
    const std::int64_t version = checked_version(connection);
    if (version < schema_version()) {
      connection.execute(std::string(migrations()[static_cast<std::size_t>(version)]));
      connection.execute(
          fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, version + 1));
    }
    transaction.commit();
    if (version >= schema_version()) return;
  }
}

}  // namespace

namespace {

void refuse_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ExitCode::environment, fmt::format("{0}: this is a folder; name the database in it, e.g. {0}/memuse.db",
                                                   printable(path.string())));
  }
}

/// Opens for reading. A change that a killed writer left half done is taken back first, for which the file is opened
/// for writing once.
std::unique_ptr<Connection> open_to_read(const std::filesystem::path& path, int busy_timeout_ms) {
  auto connection = std::make_unique<Connection>(path, Connection::Mode::read_only, busy_timeout_ms);
  if (!connection->needs_recovery()) return connection;
  Connection(path, Connection::Mode::read_write, busy_timeout_ms).execute("PRAGMA schema_version");
  return std::make_unique<Connection>(path, Connection::Mode::read_only, busy_timeout_ms);
}

}  // namespace

Database Database::open(const std::filesystem::path& path, int busy_timeout_ms) {
  refuse_folder(path);
  auto connection = std::make_unique<Connection>(path, Connection::Mode::read_write_create, busy_timeout_ms);
  checked_version(*connection);
  if (connection->is_read_only()) refuse(*connection, "no permission to write to this file");
  // The page size is fixed with the first page, so it comes before the journal mode. Where a file system has no shared
  // memory for a write-ahead log, SQLite stays with its rollback journal, which is as safe.
  connection->execute("PRAGMA page_size = 8192");
  connection->execute("PRAGMA journal_mode = WAL");
  connection->execute(
      "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 16384; PRAGMA cache_size = -8192;"
      "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON");
  migrate(*connection);
  return {std::move(connection), true};
}

Database Database::open_existing(const std::filesystem::path& path, int busy_timeout_ms) {
  refuse_folder(path);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(ExitCode::environment, fmt::format("{0}: there is no such database; make it first with "
                                                   "`memuse ingest TRACES --db {0}`",
                                                   printable(path.string())));
  }
  auto connection = open_to_read(path, busy_timeout_ms);
  const std::int64_t version = checked_version(*connection);
  if (version == 0) {
    refuse(*connection, "the database is empty; fill it first with `memuse ingest TRACES --db FILE`");
  }
  if (version < schema_version()) {
    refuse(*connection, fmt::format("the database has the older schema version {}; run `memuse ingest` on it once to "
                                    "bring it to version {}",
                                    version, schema_version()));
  }
  connection->execute("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY");
  return {std::move(connection), false};
}

Database::~Database() {
  if (!connection_ || !writable_) return;
  try {
    leave_single_file();
  } catch (const Error&) {
    // Everything committed is safe in the write-ahead log beside the file; the next opening takes it in.
  }
}

void Database::close() {
  if (writable_) leave_single_file();
  connection_.reset();
}

void Database::leave_single_file() const {
  const Connection& connection = *connection_;
  // A reader at work keeps the log alive; waiting for it would only delay the end of the command.
  connection.execute("PRAGMA busy_timeout = 0");
  if (!connection.try_execute("PRAGMA optimize")) return;
  if (!connection.try_execute("PRAGMA wal_checkpoint(TRUNCATE)")) return;
  static_cast<void>(connection.try_execute("PRAGMA journal_mode = DELETE"));
}

}  // namespace memuse::store
