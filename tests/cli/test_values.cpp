// Value tracing and memory probes, through the real program.

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.h"

using Catch::Matchers::Contains;
using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::read_file;
using memuse::test::run_memuse;
using memuse::test::shared_data;
using memuse::test::TemporaryFolder;
using OrderedJson = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

const fs::path kExamples = fs::path(MEMUSE_SOURCE_DIR) / "examples";
const std::string kRuns = (kExamples / "memory-probes" / "runs.jsonl").string();
const std::string kGold = (kExamples / "memory-probes" / "gold.jsonl").string();
const std::string kProbes = (kExamples / "memory-probes" / "probes.jsonl").string();

std::vector<OrderedJson> value_lines(const std::string& text) {
  std::vector<OrderedJson> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(OrderedJson::parse(line));
  return lines;
}

std::string run_of(const OrderedJson& task) {
  const auto arc = task.at("arc_id").get<std::string>();
  const std::size_t begin = arc.find("arc") + 3;
  return task.at("cell").get<std::string>() + "/" + arc.substr(begin, arc.find('-', begin) - begin);
}

/// The probes of the MERIT sample, and its cells.
std::vector<std::string> merit_arguments(const TemporaryFolder& folder) {
  const fs::path data = shared_data() / "merit-mock";
  std::string probes;
  for (const OrderedJson& task : value_lines(read_file(data / "oracle" / "tasks.jsonl"))) {
    if (!task.contains("gold_values")) continue;
    OrderedJson probe{{"task_id", task.at("task_id")}, {"run", run_of(task)}, {"gold", task.at("gold_values")}};
    probe["stale"] = OrderedJson::array();
    if (task.contains("superseded_value")) probe["stale"].push_back(task.at("superseded_value"));
    probes += probe.dump() + "\n";
  }
  std::vector<std::string> arguments{"values", "--probes", folder.write("probes.jsonl", probes)};
  for (const char* domain : {"d1", "d2", "d3"}) {
    for (const char* tier : {"easy", "medium", "hard"}) {
      arguments.push_back((data / (std::string(domain) + "-" + tier)).string());
    }
  }
  return arguments;
}

std::string lines_with(const std::string& text, const std::string& part) {
  std::string found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.find(part) != std::string::npos) found += line + "\n";
  }
  return found;
}

}  // namespace

TEST_CASE("the flag of every dependent episode of the MERIT sample is the recorded one") {
  MEMUSE_NEEDS_SHARED_DATA();
  const TemporaryFolder folder;
  std::vector<std::string> arguments = merit_arguments(folder);
  arguments.insert(arguments.end(), {"--episodes", "-"});
  std::map<std::string, std::vector<OrderedJson>> episodes;
  for (const OrderedJson& row : value_lines(memuse_output(arguments))) {
    episodes[row.at("configuration").get<std::string>() + "/" + row.at("run").get<std::string>() + "/" +
             row.at("episode").get<std::string>()]
        .push_back(row);
  }
  CHECK(episodes.size() == 1512);
  std::set<std::string> shifted_in;
  for (const auto& [name, values] : episodes) {
    INFO(name);
    const OrderedJson& first = values.front();
    REQUIRE(first.at("merit_utilized").is_boolean());
    CHECK(first.at("merit_utilized") == first.at("merit_utilized_recomputed"));
    bool held = true;
    bool verbatim = true;
    for (const OrderedJson& value : values) {
      held = held && value.at("merit_value_held").get<bool>();
      verbatim = verbatim && value.at("carried") == "verbatim";
      // A difference without a reason would be a fault of ours.
      CHECK(value.at("merit_value_used").get<bool>() == (value.at("carried") == "verbatim"));
      CHECK(value.at("merit_value_held").get<bool>() == (value.at("held") == "verbatim"));
      for (const OrderedJson& stale : value.at("stale")) {
        if (stale.at("origin") == "digit_shift") shifted_in.insert(first.at("corruption").get<std::string>());
      }
    }
    CHECK((held && verbatim) == first.at("merit_utilized").get<bool>());
  }
  CHECK(shifted_in == std::set<std::string>{"contradiction@0.1", "contradiction@0.3", "stale@0.1", "stale@0.3"});
}

TEST_CASE("values gives the same bytes for any number of threads") {
  MEMUSE_NEEDS_SHARED_DATA();
  const TemporaryFolder folder;
  std::vector<std::string> one = merit_arguments(folder);
  std::vector<std::string> many = one;
  one.insert(one.end(), {"--jobs", "1", "--json", "--episodes", folder / "one.csv"});
  many.insert(many.end(), {"--jobs", "4", "--json", "--episodes", folder / "many.csv"});
  CHECK(memuse_output(one) == memuse_output(many));
  CHECK(read_file(folder.path() / "one.csv") == read_file(folder.path() / "many.csv"));
}

TEST_CASE("tables of values come in every format") {
  const auto table = [](const std::string& name, const std::string& format) {
    return memuse_output({"values", kRuns, "--probes", kGold, "--table", name, "--format", format});
  };
  CHECK_THAT(table("use", "text"), Contains("notes-current  3 (100 %)  3 (100 %)"));
  CHECK_THAT(table("use", "markdown"), Contains("| notes-all"));
  CHECK_THAT(table("use", "latex"), Contains("3 (100 \\%)"));
  CHECK_THAT(table("leaks", "csv"), Contains("leaked_success"));
  const OrderedJson document = OrderedJson::parse(table("use", "json"));
  CHECK(document.at("episodes") == 10);
  const OrderedJson& all = document.at("settings").at(0);
  CHECK(all.at("condition") == "notes-all");
  CHECK(all.at("tier").is_null());
  CHECK(all.at("carried").at("stale_instead") == 2);
  CHECK(all.at("use").at("all").at("resolved") == 1);
  CHECK(all.at("leaks").at("leaked").at("episodes") == 1);
  const ProgramResult csv = run_memuse({"values", kRuns, "--probes", kGold, "--format", "csv"});
  CHECK(csv.exit_code == 2);
  CHECK_THAT(csv.err, Contains("--table"));
}

TEST_CASE("what can not be traced says what to do") {
  const ProgramResult no_gold = run_memuse({"values", kRuns});
  CHECK(no_gold.exit_code == 2);
  CHECK_THAT(no_gold.err, Contains("--probes"));
  const ProgramResult unknown = run_memuse({"values", kRuns, "--probes", kGold, "--explain", "no\x1bsuch"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Contains("no\\x1bsuch"));
  const ProgramResult without = run_memuse({"values", kRuns, "--probes", kGold, "--explain", "all-call-vet"});
  CHECK(without.exit_code == 2);
  CHECK_THAT(without.err, Contains("no gold values"));
  const TemporaryFolder folder;
  const std::string twice = folder.write("twice.jsonl", read_file(kExamples / "memory-probes" / "runs.jsonl"));
  const ProgramResult ambiguous =
      run_memuse({"values", kRuns, twice, "--probes", kGold, "--explain", "all-frost-alarm"});
  CHECK(ambiguous.exit_code == 2);
  CHECK_THAT(ambiguous.err, Contains("2 episodes"));
}

TEST_CASE("memory probes are scored from actions") {
  std::map<std::string, std::string> results;
  for (const OrderedJson& row : value_lines(memuse_output({"memory-probes", kProbes, kRuns, "--episodes", "-"}))) {
    results[row.at("episode").get<std::string>()] = row.at("result").get<std::string>();
  }
  CHECK(results.at("all-water-east") == "mixed");
  CHECK(results.at("all-frost-alarm") == "stale_used");
  CHECK(results.at("current-call-vet") == "nothing_used");
  CHECK(results.at("current-order-feed") == "followed");
  const OrderedJson document = OrderedJson::parse(memuse_output({"memory-probes", kProbes, kRuns, "--json"}));
  CHECK(document.at("declared") == 5);
  CHECK(document.at("rows").size() == 10);
  CHECK(document.at("rows").at(0).at("probe") == "update");
  CHECK(document.at("rows").at(0).at("mixed").at("count") == 1);
  CHECK(document.at("rows").at(0).at("mixed_ended_well") == 1);
}

TEST_CASE("a fault in a file of memory probes is reported with its line") {
  const TemporaryFolder folder;
  const std::string good = R"({"task_id": "water-east", "probe": "update", "expect": ["V-742"]})";
  const std::vector<std::pair<std::string, std::string>> faults{
      {R"({"task_id": "t", "probe": "update"})", "neither `expect` nor `forbid`"},
      {R"({"task_id": "t", "probe": "renewal", "expect": ["x"]})", "\"renewal\""},
      {R"({"task_id": "t", "probe": 3, "expect": ["x"]})", "`probe` is no string"},
      {R"({"probe": "update", "expect": ["x"]})", "`task_id`"},
      {R"({"task_id": "t", "expect": ["x"]})", "`probe` is missing"},
      {R"({"task_id": "t", "probe": "deletion", "expect": ["x"]})", "deletion needs `forbid`"},
      {R"({"task_id": "t", "probe": "update", "expect": ["x", " "]})", "`expect` should be a list"},
      {R"({"task_id": "t", "probe": "update", "expect": {"x": 1}})", "`expect` should be a list"},
      {R"({"task_id": "t", "probe": "cascade", "expect": ["x"], "forbid": ["x"]})", "both expected and forbidden"},
      {R"({"task_id": "t", "probe": "over_alignment", "forbid": ["x"]})", "needs `evidence`"},
      {R"({"task_id": "t", "probe": "update", "expect": ["x"], "expects": ["y"]})", "unknown field `expects`"},
      {good, "stands in line 1"},
      {"[1]", "object"},
      {"{", "JSON"}};
  for (const auto& [line, message] : faults) {
    const std::string file = folder.write("probes.jsonl", good + "\n\n" + line + "\n");
    const ProgramResult result = run_memuse({"memory-probes", file, kRuns});
    INFO(line << "\n" << result.err);
    CHECK(result.exit_code == 1);
    CHECK_THAT(lines_with(result.err, "probes.jsonl:3 "), Contains(message));
    CHECK_THAT(result.out, Contains("1 probe declared"));
    const ProgramResult alone =
        run_memuse({"memory-probes", folder.write("alone.jsonl", line == good ? "\n" : line), kRuns});
    CHECK(alone.exit_code == 2);
  }
  const std::string other =
      folder.write("other.jsonl", R"({"task_id": "nowhere", "probe": "update", "expect": ["x"]})");
  const ProgramResult unmatched = run_memuse({"memory-probes", other, kRuns});
  CHECK(unmatched.exit_code == 2);
  CHECK_THAT(unmatched.err, Contains("nowhere"));
  CHECK(run_memuse({"memory-probes", folder / "missing.jsonl", kRuns}).exit_code == 2);
}

TEST_CASE("values and memory-probes follow a manifest and its outcomes") {
  const TemporaryFolder folder;
  folder.write("outcomes.csv", "task_id,resolved\nwater-east,false\n");
  const std::string manifest =
      folder.write("runs.csv", "path,configuration,run,outcomes\n" + kRuns + ",both,r7,outcomes.csv\n");
  const OrderedJson values =
      OrderedJson::parse(memuse_output({"values", "--manifest", manifest, "--probes", kGold, "--json"}));
  REQUIRE(values.at("settings").size() == 1);
  CHECK(values.at("settings")[0].at("condition") == "both");
  // Four episodes carry all values; the two of water-east are failures by the manifest's outcomes.
  CHECK(values.at("settings")[0].at("use").at("all").at("episodes") == 4);
  CHECK(values.at("settings")[0].at("use").at("all").at("resolved") == 2);
  CHECK_THAT(memuse_output({"values", "--manifest", manifest, "--probes", kGold, "--explain", "current-frost-alarm"}),
             Contains("configuration both") && Contains("run r7"));
  CHECK_THAT(memuse_output({"memory-probes", kProbes, "--manifest", manifest, "--episodes", "-"}),
             Contains("\"both\"") && !Contains("notes-all"));
}
