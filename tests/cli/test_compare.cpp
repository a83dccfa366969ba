// `memuse compare` through the real program.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/json_schema.h"
#include "support/program.h"

using memuse::test::JsonSchema;
using memuse::test::memuse_output;
using memuse::test::read_file;
using memuse::test::run_memuse;
using memuse::test::TemporaryFolder;
using memuse::test::write_file;
using Json = nlohmann::json;

namespace {

/// One episode of one step as a canonical trace.
std::string small_episode(const Json& fields, const std::optional<double>& usd, const Json& usage = nullptr) {
  Json episode{{"type", "episode"}, {"schema", "memuse-trace/1"}, {"delivery_grade", "none"}};
  episode.update(fields);
  Json step{{"type", "step"}, {"step", 1}, {"response", "done"}};
  if (usd) step["cost_usd"] = *usd;
  if (!usage.is_null()) step["usage"] = usage;
  return episode.dump() + "\n" + step.dump() + "\n";
}

Json fields(const std::string& configuration, const std::string& task, bool resolved) {
  return {{"episode", task},
          {"task_id", task},
          {"configuration", configuration},
          {"run", "r1"},
          {"repo", "depot"},
          {"model", "example-model"},
          {"outcome", {{"resolved", resolved}, {"source", "check"}}}};
}

Json compared(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"compare"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.emplace_back("--json");
  const Json document = Json::parse(memuse_output(command));
  CHECK(JsonSchema::of_project("compare-1").faults(document).empty());
  return document;
}

Json measure(const Json& comparison, const std::string& key) {
  for (const Json& row : comparison.at("measures")) {
    if (row.at("measure") == key) return row;
  }
  FAIL("no measure " << key);
  return nullptr;
}

std::string example(const std::string& name) {
  return (std::filesystem::path(MEMUSE_SOURCE_DIR) / "examples" / name).string();
}

}  // namespace

TEST_CASE("compare: resolve rate, costs and unmatched tasks by hand") {
  const TemporaryFolder folder;
  std::string trace;
  // Six tasks on both sides: without resolves t0, with resolves t0 to t4. One more on each side.
  for (int i = 0; i < 6; ++i) {
    const std::string task = "t" + std::to_string(i);
    trace += small_episode(fields("without", task, i == 0), 0.01);
    trace += small_episode(fields("with", task, i < 5), 0.02);
  }
  trace += small_episode(fields("without", "old", true), 5.0);
  trace += small_episode(fields("with", "new", true), 7.0);
  write_file(folder / "t.jsonl", trace);
  memuse_output({"ingest", folder / "t.jsonl", "--db", folder / "d"});
  const Json document = compared({"without", "with", "--db", folder / "d", "--measures", "resolved"});
  const Json& comparison = document.at("comparisons").at(0);
  CHECK(comparison.at("matched_tasks") == 6);
  CHECK(comparison.at("unmatched").at("first") == Json{"old"});
  CHECK(comparison.at("unmatched").at("second") == Json{"new"});
  const Json resolved = measure(comparison, "resolved");
  CHECK(resolved.at("first").get<double>() == Approx(1.0 / 6));
  CHECK(resolved.at("second").get<double>() == Approx(5.0 / 6));
  CHECK(resolved.at("difference").get<double>() == Approx(4.0 / 6));
  CHECK(resolved.at("p_method") == "mcnemar_exact");
  CHECK(resolved.at("p").get<double>() == Approx(2.0 / 16));
  CHECK(resolved.at("holm_p") == resolved.at("p"));
  const Json cost = measure(comparison, "cost");
  CHECK(cost.at("first").get<double>() == Approx(0.01));
  CHECK(cost.at("difference").get<double>() == Approx(0.01));
  CHECK(cost.at("holm_p").is_null());
  const std::string listed = memuse_output({"compare", "without", "with", "--db", folder / "d", "--list-unmatched"});
  CHECK(listed.find("old") != std::string::npos);
  CHECK(listed.find("new") != std::string::npos);
}

TEST_CASE("compare: costs are estimated only when a price table is named, and say so") {
  const TemporaryFolder folder;
  std::string trace;
  for (int i = 0; i < 2; ++i) {
    const std::string task = "t" + std::to_string(i);
    trace += small_episode(fields("a", task, true), 0.5);
    const Json usage{{"input", 1000000}, {"cached_input", 500000}, {"output", 100000}};
    trace += small_episode(fields("b", task, true), std::nullopt, usage);
  }
  write_file(folder / "t.jsonl", trace);
  memuse_output({"ingest", folder / "t.jsonl", "--db", folder / "d"});
  const Json without = compared({"a", "b", "--db", folder / "d"}).at("comparisons").at(0);
  CHECK(measure(without, "cost").at("second").is_null());
  CHECK(without.at("episodes_of_unknown_cost") == Json{0, 2});
  write_file(folder / "prices.json", R"({"date":"2026-01-02","currency":"USD","per_tokens":1000000,"models":[
      {"model":"example-model","input":2,"cached_input":1,"output":10}]})");
  const Json document = compared({"a", "b", "--db", folder / "d", "--prices", folder / "prices.json"});
  const Json with = document.at("comparisons").at(0);
  // 0.5 fresh × 2 + 0.5 cached × 1 + 0.1 out × 10
  CHECK(measure(with, "cost").at("second").get<double>() == Approx(2.5));
  CHECK(measure(with, "cost").at("difference").get<double>() == Approx(2.0));
  CHECK(with.at("episodes_of_estimated_cost") == Json{0, 2});
  CHECK(document.at("caption").get<std::string>().find("prices.json") != std::string::npos);
  CHECK(document.at("caption").get<std::string>().find(folder.path().string()) == std::string::npos);
  // Nobody knows the price of this model in the shipped table.
  const Json shipped = compared({"a", "b", "--db", folder / "d", "--prices", "shipped"}).at("comparisons").at(0);
  CHECK(measure(shipped, "cost").at("second").is_null());
}

TEST_CASE("compare: a second factor is warned of on standard error, in the table and in JSON") {
  const TemporaryFolder folder;
  Json other = fields("b", "t0", true);
  other["model"] = "another-model";
  write_file(folder / "t.jsonl", small_episode(fields("a", "t0", true), 0.5) + small_episode(other, 0.5));
  memuse_output({"ingest", folder / "t.jsonl", "--db", folder / "d"});
  const auto result = run_memuse({"compare", "a", "b", "--db", folder / "d", "--format", "csv"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.find("warning: b against a: the models differ (example-model against another-model)") !=
        std::string::npos);
  CHECK(memuse_output({"compare", "a", "b", "--db", folder / "d"}).find("the models differ") != std::string::npos);
  CHECK(compared({"a", "b", "--db", folder / "d"}).at("comparisons").at(0).at("warnings").size() == 1);
  const auto declared = run_memuse({"compare", "a", "b", "--db", folder / "d", "--factor", "model"});
  CHECK(declared.err.empty());
}

TEST_CASE("compare: the bundled study, one and several others, the same bytes again") {
  const TemporaryFolder folder;
  memuse_output({"ingest", "--manifest", example("study/runs.csv"), "--db", folder / "d"});
  memuse_output({"judge", "--db", folder / "d"});
  const std::vector<std::string> both{"compare", "plain",      "cards",       "pinned",
                                      "--db",    folder / "d", "--resamples", "500"};
  const std::string text = memuse_output(both);
  CHECK(text == memuse_output(both));
  const Json document =
      compared({"plain", "cards", "pinned", "--db", folder / "d", "--resamples", "500", "--method", "bca"});
  REQUIRE(document.at("comparisons").size() == 2);
  CHECK(document.at("comparisons").at(1).at("second") == "pinned");
  CHECK(document.at("resampling").at("method") == "bca");
  // The other way round: signs change.
  const Json forth = compared({"plain", "cards", "--db", folder / "d"}).at("comparisons").at(0);
  const Json back = compared({"cards", "plain", "--db", folder / "d"}).at("comparisons").at(0);
  for (const Json& row : forth.at("measures")) {
    const Json other = measure(back, row.at("measure").get<std::string>());
    CHECK(row.at("first") == other.at("second"));
    CHECK(row.at("p") == other.at("p"));
    if (!row.at("difference").is_null()) {
      CHECK(row.at("difference").get<double>() == -other.at("difference").get<double>());
    }
    if (!row.at("interval").is_null()) {
      CHECK(row.at("interval").at(0).get<double>() == -other.at("interval").at(1).get<double>());
    }
  }
}

TEST_CASE("compare: hostile names are harmless in every format") {
  const TemporaryFolder folder;
  const std::string first = "=cmd|' /C calc'!A0 & co_50% <b>";
  const std::string second = "памʼять, \"q\"\n\x1b[31mred\\end{table}";
  const std::string task = "<script>=1+1|a";
  std::string trace;
  for (const std::string& configuration : {first, second}) {
    Json of_side = fields(configuration, task, true);
    of_side["model"] = configuration + "$x_1$";
    trace += small_episode(of_side, 0.5);
  }
  trace += small_episode(fields(first, "-only & here\t", true), 0.5);
  write_file(folder / "t.jsonl", trace);
  memuse_output({"ingest", folder / "t.jsonl", "--db", folder / "d"});
  for (const std::string format : {"text", "markdown", "latex", "csv"}) {
    std::vector<std::string> command{"compare",  first,  second,     "--db", folder / "d",
                                     "--format", format, "--family", first};
    if (format != "csv") command.emplace_back("--list-unmatched");
    const auto result = run_memuse(command);
    INFO(format << "\n" << result.out);
    CHECK(result.exit_code == 0);
    CHECK(result.out.find('\x1b') == std::string::npos);
    CHECK(result.err.find('\x1b') == std::string::npos);
    CHECK(result.out.find("\n=cmd") == std::string::npos);
    if (format == "csv") CHECK(result.out.find(",=cmd") == std::string::npos);
    if (format == "latex") CHECK(result.out.find("red\\end{table}") == std::string::npos);
    if (format == "markdown") CHECK(result.out.find("<b>") == std::string::npos);
  }
  const Json document = compared({first, second, "--db", folder / "d"});
  CHECK(document.at("first") == first);
  CHECK(document.at("comparisons").at(0).at("second") == second);
}

TEST_CASE("compare: wrong use is told") {
  const TemporaryFolder folder;
  write_file(folder / "a.jsonl", small_episode(fields("a", "t0", true), 0.5));
  write_file(folder / "b.jsonl", small_episode(fields("b", "t0", true), 0.5));
  memuse_output({"ingest", folder / "a.jsonl", folder / "b.jsonl", "--db", folder / "d"});
  const auto refused = [&](std::vector<std::string> arguments, const std::string& reason) {
    arguments.insert(arguments.begin(), {"compare", "--db", folder / "d"});
    const auto result = run_memuse(arguments);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Catch::Contains(reason));
  };
  REQUIRE(run_memuse({"compare", "a", "b", "--db", folder / "d"}).exit_code == 0);  // nothing else is wrong
  refused({"a", "c"}, "there is no configuration 'c'; there are:\n  a\n  b");
  refused({"a", "a"}, "named twice");
  refused({"a"}, "2 required");
  refused({"a", "b", "--measures", "luck"}, "luck");
  refused({"a", "b", "--factor", "luck"}, "luck");
  refused({"a", "b", "--prices", folder / "none"}, folder / "none");
}
