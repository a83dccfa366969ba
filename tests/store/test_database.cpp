#include "store/database.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "model/error.h"
#include "store/reader.h"
#include "store/schema.h"
#include "store/writer.h"
#include "study.h"

using namespace memuse;
using namespace memuse::test;
using Catch::Matchers::Contains;
using store::Connection;
using store::Database;
using store::Writer;

namespace {

/// Message of the error that `action` throws; the exit code must be `environment`.
template <typename Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::environment);
    return error.what();
  }
  return "nothing was thrown";
}

std::string open_refusal(const std::filesystem::path& path) {
  return refusal([&path] { Database::open(path, 50); });
}
std::string read_refusal(const std::filesystem::path& path) {
  return refusal([&path] { Database::open_existing(path, 50); });
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void run_sql(const std::filesystem::path& path, const std::string& sql) {
  Connection(path, Connection::Mode::read_write_create, 0).execute(sql);
}

std::string schema_of(const Connection& connection) {
  return connection.text("SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)");
}

/// Makes a database as memuse left it at an older schema version: the base of tests of later migrations.
void make_version(const std::filesystem::path& path, std::size_t version) {
  for (std::size_t i = 0; i < version; ++i) run_sql(path, std::string(store::migrations()[i]));
  run_sql(path, "PRAGMA application_id = " + std::to_string(store::kApplicationId) +
                    "; PRAGMA user_version = " + std::to_string(version));
}

std::size_t files_in(const std::filesystem::path& folder) {
  const auto begin = std::filesystem::directory_iterator(folder);
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

}  // namespace

TEST_CASE("a new database") {
  const TemporaryFolder folder;
  {
    Database database = Database::open(folder.database());
    const Connection& connection = database.connection();
    CHECK(connection.integer("PRAGMA application_id") == store::kApplicationId);
    CHECK(connection.integer("PRAGMA user_version") == store::schema_version());
    CHECK(connection.integer("PRAGMA page_size") == 8192);
    CHECK(connection.text("PRAGMA journal_mode") == "wal");
    CHECK(connection.integer("PRAGMA synchronous") == 1);
    CHECK(connection.integer("PRAGMA foreign_keys") == 1);
    database.close();
  }
  CHECK(files_in(folder.path()) == 1);
  const Database again = Database::open_existing(folder.database());
  CHECK(!again.is_writable());
  CHECK(again.connection().text("PRAGMA journal_mode") == "delete");
  CHECK(store::find_episodes(again, {}).empty());
}

TEST_CASE("a result is one file, also without close") {
  const TemporaryFolder folder;
  {
    Database database = Database::open(folder.database());
    Writer writer(database);
    writer.add(make_prepared({}));
    writer.finish();
  }
  CHECK(files_in(folder.path()) == 1);
  CHECK(Database::open_existing(folder.database()).connection().text("PRAGMA integrity_check") == "ok");
}

TEST_CASE("an empty file becomes a database") {
  const TemporaryFolder folder;
  std::ofstream(folder.database()).close();
  CHECK_THAT(read_refusal(folder.database()), Contains("memuse ingest"));
  Database::open(folder.database());
  CHECK(Database::open_existing(folder.database()).connection().integer("SELECT count(*) FROM episode") == 0);
}

TEST_CASE("every version migrates to the present schema") {
  const TemporaryFolder folder;
  Database::open(folder.database());
  const std::string present = schema_of(Database::open_existing(folder.database()).connection());
  for (std::size_t version = 1; version <= store::migrations().size(); ++version) {
    const std::filesystem::path path = folder.path() / ("v" + std::to_string(version) + ".db");
    make_version(path, version);
    Database::open(path);
    const Database database = Database::open_existing(path);
    CHECK(database.connection().integer("PRAGMA user_version") == store::schema_version());
    CHECK(schema_of(database.connection()) == present);
  }
}

TEST_CASE("where MERIT's episodes lie is kept by the migration to version 3") {
  const TemporaryFolder folder;
  make_version(folder.database(), 2);
  // A row with nothing in it but what the migration looks at.
  run_sql(folder.database(), "INSERT INTO ingest (id, program_version, rule_set) VALUES (1, '', '')");
  std::string columns;
  std::string values;
  {
    const Connection connection(folder.database(), Connection::Mode::read_only, 0);
    store::Statement rows(connection, "SELECT name, type FROM pragma_table_info('episode') WHERE \"notnull\"");
    while (rows.step()) {
      const std::string name(rows.text(0));
      columns += (columns.empty() ? "" : ", ") + name;
      const std::string value = name == "source_format"           ? "'merit'"
                                : name == "source_format_version" ? "'1 transcript=2@30-40 copy=2'"
                                : name == "ingest_id"             ? "1"
                                : rows.text(1) == "TEXT"          ? "''"
                                                                  : "0";
      values += (values.empty() ? "" : ", ") + value;
    }
  }
  run_sql(folder.database(), "INSERT INTO episode (" + columns + ") VALUES (" + values + ")");
  const Database database = Database::open(folder.database());
  CHECK(database.connection().text("SELECT source_format_version FROM episode") == "1");
  CHECK(database.connection().text("SELECT source_locator FROM episode") == "transcript=2@30-40 copy=2");
}

TEST_CASE("foreign, newer and broken files are refused and left alone") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.database();

  SECTION("a database of another program") {
    run_sql(path, "CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('soup')");
  }
  SECTION("one with another application id") {
    run_sql(path, "PRAGMA application_id = 77");
  }
  SECTION("one without tables but with a version") {
    run_sql(path, "PRAGMA user_version = 3");
  }
  const bool is_foreign = std::filesystem::exists(path);
  SECTION("a newer schema") {
    make_version(path, 1);
    run_sql(path, "PRAGMA user_version = 9999");
  }
  SECTION("no database at all") {
    std::ofstream(path) << std::string(20000, 'x');
  }
  SECTION("a short text file") {
    std::ofstream(path) << "hello";
  }

  const std::string before = bytes_of(path);
  const std::string message = open_refusal(path);
  CHECK_THAT(message, Contains("study.db"));
  if (is_foreign) {
    CHECK_THAT(message, Contains("another program"));
  } else {
    CHECK_THAT(message, Contains("9999") || Contains("not a database"));
  }
  CHECK(read_refusal(path) == message);
  CHECK(bytes_of(path) == before);
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a missing file or folder") {
  const TemporaryFolder folder;
  CHECK_THAT(read_refusal(folder.path() / "none.db"), Contains("none.db") && Contains("memuse ingest"));
  CHECK(!std::filesystem::exists(folder.path() / "none.db"));
  CHECK_THAT(open_refusal(folder.path() / "no" / "such.db"), Contains("cannot be opened"));
  CHECK_THAT(open_refusal(folder.path()), Contains("cannot be opened"));
}

TEST_CASE("a file without permission to write") {
  const TemporaryFolder folder;
  Database::open(folder.database());
  if (geteuid() == 0) {
    // For the superuser every file is writable, so the test goes on as somebody else.
    REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
    REQUIRE(chmod(folder.database().c_str(), 0444) == 0);
    const pid_t child = fork();
    if (child == 0) {
      constexpr uid_t kNobody = 65534;
      if (setuid(kNobody) != 0) _exit(2);
      try {
        Database::open(folder.database(), 50);
      } catch (const Error& error) {
        _exit(std::string(error.what()).find("permission") != std::string::npos ? 0 : 3);
      }
      _exit(4);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 0);
  } else {
    REQUIRE(chmod(folder.database().c_str(), 0444) == 0);
    CHECK_THAT(open_refusal(folder.database()), Contains("permission"));
  }
}

TEST_CASE("a database that another process writes to") {
  const TemporaryFolder folder;
  Database first = Database::open(folder.database());
  Writer writer(first);  // holds its first batch open
  CHECK_THAT(open_refusal(folder.database()), Contains("study.db") && Contains("another memuse may be writing"));
  // Readers are welcome meanwhile, and see what was committed.
  CHECK(store::find_episodes(Database::open_existing(folder.database()), {}).empty());
  writer.add(make_prepared({}));
  writer.flush();
  const Database reader = Database::open_existing(folder.database());
  CHECK(store::find_episodes(reader, {}).size() == 1);
}

TEST_CASE("a reader keeps its state while others write") {
  const TemporaryFolder folder;
  Database writing = Database::open(folder.database());
  Writer writer(writing, {1, std::chrono::milliseconds(0)});
  EpisodeSketch sketch;
  writer.add(make_prepared(sketch));
  sketch.id = "e2";
  writer.add(make_prepared(sketch));
  const Database reading = Database::open_existing(folder.database());
  int seen = 0;
  store::for_each_episode(reading, {}, std::nullopt, [&](const EpisodeSpansRecord& record) {
    ++seen;
    sketch.id = "e3";
    sketch.content = "pan " + std::to_string(seen);
    writer.add(make_prepared(sketch));
    CHECK(store::episode_details(reading, record.episode.uid).has_value());  // nested reading
    CHECK(store::find_episodes(reading, {}).size() == 2);
    return true;
  });
  CHECK(seen == 2);
  CHECK(store::find_episodes(reading, {}).size() == 4);
}

TEST_CASE("the callback can stop the walk") {
  const TemporaryFolder folder;
  Database database = Database::open(folder.database());
  Writer writer(database);
  EpisodeSketch sketch;
  for (int i = 0; i < 3; ++i) {
    sketch.id = "e" + std::to_string(i);
    writer.add(make_prepared(sketch));
  }
  writer.finish();
  int seen = 0;
  store::for_each_episode(database, {}, std::nullopt, [&seen](const EpisodeSpansRecord&) { return ++seen < 2; });
  CHECK(seen == 2);
}

TEST_CASE("a full disk ends the command with advice and leaves what was committed") {
  const TemporaryFolder folder;
  int added = 0;
  {
    Database database = Database::open(folder.database());
    database.connection().execute("PRAGMA max_page_count = 60");
    Writer writer(database, {1, std::chrono::milliseconds(0)});
    const std::string message = refusal([&] {
      EpisodeSketch sketch;
      for (; added < 10000; ++added) {
        sketch.id = "e" + std::to_string(added);
        sketch.content = std::string(500, 'x') + sketch.id;
        writer.add(make_prepared(sketch));
      }
    });
    CHECK_THAT(message, Contains("disk is full"));
  }
  REQUIRE(added > 0);
  const Database database = Database::open_existing(folder.database());
  CHECK(database.connection().text("PRAGMA integrity_check") == "ok");
  CHECK(store::find_episodes(database, {}).size() == static_cast<std::size_t>(added));
}

TEST_CASE("damage is reported, not misread") {
  const TemporaryFolder folder;
  {
    Database database = Database::open(folder.database());
    Writer writer(database);
    writer.add(make_prepared({}));
    writer.finish();
  }
  const auto read_all = [&folder] { return refusal([&folder] { static_cast<void>(dump(folder.database())); }); };
  SECTION("unknown name") {
    run_sql(folder.database(), "UPDATE span SET routing = 'sideways' WHERE span = 1");
  }
  SECTION("broken JSON") {
    run_sql(folder.database(), "UPDATE entry SET identifiers = '[1' WHERE entry = 0");
  }
  SECTION("other JSON") {
    run_sql(folder.database(), "UPDATE transcript SET messages = '[7]'");
  }
  SECTION("unknown fault") {
    run_sql(folder.database(), "INSERT INTO diagnostic VALUES ('f', 1, 0, 'error', 'rust', '', 1, 1)");
  }
  CHECK_THAT(read_all(), Contains("damaged"));
}
