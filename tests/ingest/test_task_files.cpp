#include "ingest/task_files.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../support/temporary_folder.h"
#include "ingest/csv_rows.h"
#include "model/error.h"

namespace memuse::ingest {
namespace {

struct Outcomes {
  OutcomeTable table;
  std::vector<Diagnostic> diagnostics;
};

Outcomes outcomes(const std::string& bytes) {
  const test::TemporaryFolder folder;
  Outcomes all;
  all.table = read_outcomes(folder.write("outcomes", bytes), all.diagnostics);
  for (const Diagnostic& diagnostic : all.diagnostics) UNSCOPED_INFO(to_line(diagnostic));
  return all;
}

struct Probes {
  ProbeTable table;
  std::vector<Diagnostic> diagnostics;
};

Probes probes(const std::string& bytes) {
  const test::TemporaryFolder folder;
  Probes all;
  all.table = read_probes(folder.write("probes", bytes), all.diagnostics);
  for (const Diagnostic& diagnostic : all.diagnostics) UNSCOPED_INFO(to_line(diagnostic));
  return all;
}

/// The message of the error that reading must end with.
template <typename Read>
std::string refusal(const Read& read, const std::string& bytes) {
  INFO(bytes);
  try {
    read(bytes);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  FAIL("was not refused");
  return {};
}

/// "task configuration run resolved reward" of each row.
std::vector<std::string> rows(const OutcomeTable& table) {
  std::vector<std::string> all;
  for (const OutcomeRow& row : table.rows) {
    all.push_back(row.task_id + " " + row.configuration + " " + row.run + " " +
                  (row.resolved ? (*row.resolved ? "true" : "false") : "-") + " " +
                  (row.reward ? fmt::format("{}", *row.reward) : "-"));
  }
  return all;
}
using Rows = std::vector<std::string>;

TEST_CASE("outcomes from CSV") {
  const Outcomes all = outcomes(
      "\xEF\xBB\xBFreward,Task_ID,run,resolved,configuration\r\n"
      "0.5,t1,r1,TRUE,c\r\n"
      "\r\n"
      ",t2,,no,\r\n"
      "-1e3,\"t,\"\"3\"\"\nx\",,,c\r\n"
      " , t4 , , 1 ,\n"
      ",t5,,0,\n"
      ",t6,,Yes,\n"
      ",t7,,False,");
  CHECK(all.diagnostics.empty());
  CHECK(rows(all.table) == Rows{"t,\"3\"\nx c  - -1000", "t1 c r1 true 0.5", "t2   false -", "t4   true -",
                                "t5   false -", "t6   true -", "t7   false -"});
  CHECK(all.table.find("t4", "x", "y")->line == 7);
}

TEST_CASE("columns may be few") {
  CHECK(rows(outcomes("task_id,resolved\nt1,true\n").table) == Rows{"t1   true -"});
  CHECK(rows(outcomes("reward,task_id\n0.25,t1\n").table) == Rows{"t1   - 0.25"});
  CHECK(outcomes("task_id,resolved").table.rows.empty());
}

TEST_CASE("bad rows of CSV are told with their lines, the rest is used") {
  const std::string text =
      "task_id,resolved,reward,note\n"  // 1
      "t1,true,1,x\n"
      "t2,maybe,1,x\n"        // 3
      "t3,true,much,x\n"      // 4
      "t4,true,nan,x\n"       // 5
      ",true,1,x\n"           // 6
      "t5,true,1\n"           // 7
      "t6,true,1,x,y\n"       // 8
      "\"t\n7\",perhaps,,\n"  // 9 and 10
      "t8\xFF,true,,\n"       // 11
      "t9,false,,\n";
  const Outcomes all = outcomes(text);
  CHECK(rows(all.table) == Rows{"t1   true 1", "t9   false -"});
  std::vector<std::pair<std::uint64_t, Fault>> found;
  for (const Diagnostic& diagnostic : all.diagnostics) found.emplace_back(diagnostic.line, diagnostic.fault);
  CHECK(found == std::vector<std::pair<std::uint64_t, Fault>>{{1, Fault::unknown_field},
                                                              {3, Fault::unknown_value},
                                                              {4, Fault::wrong_type},
                                                              {5, Fault::wrong_type},
                                                              {6, Fault::missing_field},
                                                              {7, Fault::invalid_row},
                                                              {8, Fault::invalid_row},
                                                              {9, Fault::unknown_value},
                                                              {11, Fault::invalid_utf8}});
  CHECK(all.diagnostics[2].byte == text.find("t3,"));
}

TEST_CASE("a quoted cell that is never closed is told at its line") {
  const Outcomes all = outcomes("task_id,resolved\nt1,true\n\"t2,true\nt3,true\n");
  CHECK(rows(all.table) == Rows{"t1   true -"});
  REQUIRE(all.diagnostics.size() == 1);
  CHECK(all.diagnostics[0].fault == Fault::invalid_row);
  CHECK(all.diagnostics[0].line == 3);
  CHECK_THAT(all.diagnostics[0].detail, Catch::Matchers::Contains("never closed"));
}

TEST_CASE("outcomes from JSON") {
  CHECK(rows(outcomes(R"([{"task_id":"t1","resolved":true,"reward":0.5,"configuration":"c","run":1},
                          {"task_id":2,"resolved":null},{"resolved":false,"task_id":"t3","configuration":null}])")
                 .table) == Rows{"2   - -", "t1 c 1 true 0.5", "t3   false -"});
  CHECK(rows(outcomes(R"({"t1":true,"t2":{"resolved":false,"reward":1.5},"t3":null,"t4":{"resolved":true,"run":"r"}})")
                 .table) == Rows{"t1   true -", "t2   false 1.5", "t3   - -", "t4  r true -"});
  CHECK(rows(outcomes("{\"task_id\":\"t1\",\"resolved\":true}\n\n{\"task_id\":\"t2\",\"resolved\":false}").table) ==
        Rows{"t1   true -", "t2   false -"});
  CHECK(rows(outcomes(R"( {"task_id":"t1","resolved":true})").table) == Rows{"t1   true -"});
  CHECK(outcomes("[]").table.rows.empty());
  CHECK(outcomes("{}").table.rows.empty());
}

TEST_CASE("bad rows of JSON are told with their lines, the rest is used") {
  const Outcomes list = outcomes(
      "[{\"task_id\":\"t1\",\"resolved\":true},\n"
      " {\"resolved\":true},\n"
      " 7,\n"
      " {\"task_id\":\"t2\",\"resolved\":\"yes\"},\n"
      " {\"task_id\":\"t3\",\"resolved\":true,\"extra\":1},\n"
      " {\"task_id\":\"\",\"resolved\":true}]");
  CHECK(rows(list.table) == Rows{"t1   true -", "t3   true -"});
  std::vector<std::pair<std::uint64_t, Fault>> found;
  for (const Diagnostic& diagnostic : list.diagnostics) found.emplace_back(diagnostic.line, diagnostic.fault);
  CHECK(found == std::vector<std::pair<std::uint64_t, Fault>>{{2, Fault::missing_field},
                                                              {3, Fault::invalid_row},
                                                              {4, Fault::wrong_type},
                                                              {4, Fault::invalid_row},
                                                              {5, Fault::unknown_field},
                                                              {6, Fault::missing_field}});
  const Outcomes map = outcomes("{\"t1\":true,\n\"t2\":1,\n\"t3\":{\"resolved\":2},\n\"t1\":false}");
  CHECK(rows(map.table) == Rows{"t1   false -"});
  found.clear();
  for (const Diagnostic& diagnostic : map.diagnostics) found.emplace_back(diagnostic.line, diagnostic.fault);
  CHECK(found ==
        std::vector<std::pair<std::uint64_t, Fault>>{
            {2, Fault::invalid_row}, {3, Fault::wrong_type}, {3, Fault::invalid_row}, {4, Fault::duplicate_row}});
  const Outcomes lines = outcomes("{\"task_id\":\"t1\"\n{\"task_id\":\"t2\",\"resolved\":true}\n[1]\n");
  CHECK(rows(lines.table) == Rows{"t2   true -"});
  REQUIRE(lines.diagnostics.size() == 2);
  CHECK(lines.diagnostics[0].line == 1);
  CHECK(lines.diagnostics[0].fault == Fault::invalid_json);
  CHECK(lines.diagnostics[1].line == 3);
  CHECK(lines.diagnostics[1].fault == Fault::not_an_object);
}

TEST_CASE("of two rows for one scope the last one counts, with a warning") {
  for (const std::string& text :
       {std::string("task_id,resolved,run\nt1,true,\nt1,true,r\nt1,false,\n"),
        std::string(
            "[{\"task_id\":\"t1\",\"resolved\":true},\n{\"task_id\":\"t1\",\"resolved\":true,\"run\":\"r\"},\n\n"
            "{\"task_id\":\"t1\",\"resolved\":false}]")}) {
    const Outcomes all = outcomes(text);
    CHECK(rows(all.table) == Rows{"t1   false -", "t1  r true -"});
    REQUIRE(all.diagnostics.size() == 1);
    CHECK(all.diagnostics[0].fault == Fault::duplicate_row);
    CHECK(all.diagnostics[0].severity == Severity::warning);
    CHECK(all.diagnostics[0].line == 4);
  }
}

TEST_CASE("the most specific row wins") {
  const OutcomeTable table = outcomes(
                                 "task_id,configuration,run,reward,resolved\n"
                                 "t,,,0,\nt,,r,1,\nt,c,,2,\nt,c,r,3,\nu,c,r,4,\n")
                                 .table;
  const auto reward = [&](const char* task, const char* configuration, const char* run) {
    const OutcomeRow* row = table.find(task, configuration, run);
    return row == nullptr ? -1.0 : row->reward.value();
  };
  CHECK(reward("t", "c", "r") == 3);
  CHECK(reward("t", "c", "x") == 2);
  CHECK(reward("t", "x", "r") == 1);
  CHECK(reward("t", "x", "x") == 0);
  CHECK(reward("u", "c", "r") == 4);
  CHECK(reward("u", "c", "x") == -1);
  CHECK(reward("v", "c", "r") == -1);
}

TEST_CASE("a file of no known form is refused with the expected form") {
  const auto read = [](const std::string& bytes) { outcomes(bytes); };
  for (const char* bytes : {"", "\n\n", "hello", "task,resolved\nt1,true\n", "task_id,note\nt1,x\n",
                            "task_id,resolved,Resolved\nt,1,1\n", "{\"a\":", "[1,2", "[{\"task_id\":\"t\"},]",
                            "\x7f"
                            "ELF\x02"}) {
    const std::string message = refusal(read, bytes);
    CHECK(message.find("task_id,resolved,reward,configuration,run") != std::string::npos);
    CHECK(message.find("outcomes") != std::string::npos);
  }
  CHECK(refusal(read, "[{\"task_id\":\"t\"},\n]").find("line 2") != std::string::npos);
  const auto read_probe_bytes = [](const std::string& bytes) { probes(bytes); };
  for (const char* bytes : {"", "task_id,gold\nt,1\n", "{\"a\":", "[1", "{broken\n{broken too\n"}) {
    CHECK(refusal(read_probe_bytes, bytes).find("\"gold\"") != std::string::npos);
  }
  std::vector<Diagnostic> diagnostics;
  CHECK_THROWS_AS(read_outcomes("/no/such/file", diagnostics), Error);
  CHECK_THROWS_AS(read_probes("/", diagnostics), Error);
}

TEST_CASE("probes from every form") {
  const std::string row =
      R"({"task_id":"t1","configuration":"c","run":"r","dependent":true,"gold":["12",3.50],"stale":["11"],"pre_satisfied":false,"memory_had_fact":true,"memory_utilized":false,"corruption":{"mode":"swap","rate":0.5}})";
  const std::string second = R"({"task_id":"t2","gold":[],"stale":[]})";
  for (const std::string& text : {row + "\n" + second + "\n", "[" + row + ",\n" + second + "]"}) {
    const Probes all = probes(text);
    CHECK(all.diagnostics.empty());
    REQUIRE(all.table.rows.size() == 2);
    const ProbeRow& probe = all.table.rows[0];
    CHECK(probe.task_id == "t1");
    CHECK(probe.configuration == "c");
    CHECK(probe.run == "r");
    CHECK(probe.dependent == true);
    CHECK(probe.gold == std::vector<std::string>{"12", "3.50"});
    CHECK(probe.stale == std::vector<std::string>{"11"});
    CHECK(probe.pre_satisfied == false);
    CHECK(probe.memory_had_fact == true);
    CHECK(probe.memory_utilized == false);
    REQUIRE(probe.corruption);
    CHECK(probe.corruption->mode == "swap");
    CHECK(probe.corruption->rate == 0.5);
    CHECK(all.table.rows[1].line == 2);
    CHECK_FALSE(all.table.rows[1].dependent);
  }
  const Probes map = probes(R"({"t1":{"gold":["x"]},"t2":true})");
  REQUIRE(map.table.rows.size() == 1);
  CHECK(map.table.rows[0].gold == std::vector<std::string>{"x"});
  REQUIRE(map.diagnostics.size() == 1);
  CHECK(map.diagnostics[0].fault == Fault::invalid_row);
}

TEST_CASE("bad probes are told, the rest is used") {
  const Probes all = probes(
      "{\"task_id\":\"t1\",\"gold\":[\"a\"]}\n"
      "{\"task_id\":\"t2\",\"gold\":\"a\"}\n"
      "{\"task_id\":\"t3\",\"gold\":[true]}\n"
      "{\"task_id\":\"t4\",\"gold\":[\"a\"]\n"
      "{\"task_id\":\"t5\",\"gold\":[\"\\ud800\"],\"gold\":[]}\n");
  REQUIRE(all.table.rows.size() == 2);
  CHECK(all.table.rows[1].gold == std::vector<std::string>{"\xEF\xBF\xBD"});
  std::vector<std::pair<std::uint64_t, Fault>> found;
  for (const Diagnostic& diagnostic : all.diagnostics) found.emplace_back(diagnostic.line, diagnostic.fault);
  CHECK(found == std::vector<std::pair<std::uint64_t, Fault>>{{2, Fault::wrong_type},
                                                              {2, Fault::invalid_row},
                                                              {3, Fault::wrong_type},
                                                              {3, Fault::invalid_row},
                                                              {4, Fault::invalid_json},
                                                              {5, Fault::lone_surrogate},
                                                              {5, Fault::duplicate_key}});
}

TEST_CASE("a probe fills in or replaces what the trace says") {
  ProbeTable table = probes(R"([{"task_id":"t","gold":["new"],"dependent":true,"corruption":{"mode":"m"}}])").table;
  Episode episode;
  episode.task_id = "t";
  REQUIRE(apply_probes(episode, table));
  REQUIRE(episode.probe);
  CHECK(episode.probe->gold == std::vector<std::string_view>{"new"});
  CHECK(episode.probe->stale.empty());

  Episode known;
  known.task_id = "t";
  known.probe.emplace();
  known.probe->gold = {"old", "older"};
  known.probe->stale = {"gone"};
  known.probe->dependent = false;
  known.probe->memory_had_fact = true;
  REQUIRE(apply_probes(known, table));
  table.rows.clear();  // the episode keeps its own copy of the texts
  CHECK(known.probe->gold == std::vector<std::string_view>{"new"});
  CHECK(known.probe->stale == std::vector<std::string_view>{"gone"});
  CHECK(known.probe->dependent == true);
  CHECK(known.probe->memory_had_fact == true);
  CHECK(known.probe->corruption->mode == "m");

  Episode other;
  other.task_id = "u";
  CHECK_FALSE(apply_probes(other, table));
  CHECK_FALSE(other.probe);
}

TEST_CASE("rows of CSV know the line they start in") {
  std::vector<CsvRow> all;
  read_csv_rows("a,b\n\n\"x\n\ny\",1\r\n  \n,\nlast", [&](CsvRow&& row) { all.push_back(std::move(row)); });
  REQUIRE(all.size() == 4);
  CHECK(all[0].line == 1);
  CHECK(all[1].line == 3);
  CHECK(all[1].byte == 5);
  CHECK(all[1].cells == std::vector<std::string>{"x\n\ny", "1"});
  CHECK(all[2].line == 7);
  CHECK(all[2].cells == std::vector<std::string>{"", ""});
  CHECK(all[3].line == 8);
  CHECK(all[3].cells == std::vector<std::string>{"last"});
}

}  // namespace
}  // namespace memuse::ingest
