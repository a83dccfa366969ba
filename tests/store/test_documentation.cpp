#include <catch2/catch.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../support/data.h"
#include "store/judgements.h"
#include "store/writer.h"
#include "study.h"

using namespace memuse;
using namespace memuse::test;
using store::Connection;
using store::Database;
using store::Statement;

namespace {

std::string page() {
  return read_file(std::filesystem::path(MEMUSE_SOURCE_DIR) / "docs" / "database.md");
}

/// "table.column" for every column that the page explains: names in backticks in the first cell of a table's rows.
std::set<std::string> documented_columns(const std::string& text) {
  std::set<std::string> found;
  std::istringstream lines(text);
  std::string table;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("### `", 0) == 0) table = line.substr(5, line.find('`', 5) - 5);
    if (line.rfind("## ", 0) == 0) table.clear();
    if (table.empty() || line.rfind("| `", 0) != 0) continue;
    std::istringstream cell(line.substr(2, line.find(" |", 2) - 2));
    for (std::string name; std::getline(cell, name, '`');) {
      if (std::getline(cell, name, '`')) found.insert(table + "." + name);
    }
  }
  return found;
}

std::set<std::string> schema_columns(const Connection& connection) {
  std::set<std::string> found;
  Statement rows(connection,
                 "SELECT t.name || '.' || c.name FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c"
                 " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'");
  while (rows.step()) found.insert(rows.text(0));
  return found;
}

std::vector<std::string> queries(const std::string& text) {
  const std::string opening = "```sql\n";
  std::vector<std::string> found;
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
    at += opening.size();
    found.push_back(text.substr(at, text.find("```", at) - at));
  }
  return found;
}

/// A study in which every query of the page has something to find.
void make_study(const std::filesystem::path& path) {
  Database database = Database::open(path);
  const store::PreparedEpisode episode = make_prepared({});
  {
    store::Writer writer(database);
    writer.add(episode);
    writer.add_diagnostic({"a.jsonl", 9, 900, Severity::error, Fault::invalid_json, "found }", 1});
    writer.finish();
  }
  store::JudgementWriter writer(database, store::Durability::each_answer);
  Answer answer;
  answer.entries.push_back({0, {}, {2}, {}, "the lid was put on first"});
  answer.entries[0].labels.influence = Influence::acted_on;
  writer.put_answer(writer.open_judgement_set("j", "r", "{}", true, true), episode.record.uid, 1, answer,
                    Verdict::undetermined);
}

}  // namespace

TEST_CASE("docs/database.md explains every table and column, and no other") {
  const TemporaryFolder folder;
  const Database database = Database::open(folder.database());
  CHECK(documented_columns(page()) == schema_columns(database.connection()));
}

TEST_CASE("the queries of docs/database.md run and find something") {
  const TemporaryFolder folder;
  make_study(folder.database());
  const Database database = Database::open_existing(folder.database());
  const std::vector<std::string> all = queries(page());
  REQUIRE(all.size() >= 5);
  for (const std::string& sql : all) {
    INFO(sql);
    Statement rows(database.connection(), sql);
    CHECK(rows.step());
  }
}

TEST_CASE("indexes serve the walks over a study") {
  const TemporaryFolder folder;
  make_study(folder.database());
  const Database database = Database::open_existing(folder.database());
  const auto plan = [&database](const std::string& sql) {
    Statement rows(database.connection(), "EXPLAIN QUERY PLAN " + sql);
    std::string out;
    while (rows.step()) out += rows.text(3) + "\n";
    return out;
  };
  const std::string walk =
      plan("SELECT id FROM episode ORDER BY configuration, run, position IS NULL, position, episode, uid");
  CHECK(walk.find("episode_order") != std::string::npos);
  CHECK(walk.find("TEMP B-TREE") == std::string::npos);
  CHECK(plan("SELECT episode_id FROM entry WHERE item = 'I1'").find("entry_item") != std::string::npos);
}
