// `memuse merit` through the real program: MERIT's own figures as the reference, published results, and an
// example.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.h"

namespace {

using Catch::Matchers::Contains;
using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::read_file;
using memuse::test::run_memuse;
using memuse::test::shared_data;
using memuse::test::TemporaryFolder;
using memuse::test::write_file;
using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string merit_example(const std::string& name) {
  return (fs::path(MEMUSE_SOURCE_DIR) / "examples" / name).string();
}

/// Compares everything that the reference says with what we print; counts what was compared.
class Walk {
 public:
  void compare(const Json& wanted, const Json& found, const std::string& place) {
    if (wanted.is_object()) {
      for (const auto& [key, value] : wanted.items()) {
        const std::string ours = our_name(key);
        const std::string below = place + "/" + key;
        if (!found.is_object() || !found.contains(ours)) {
          fail(below + " is missing");
        } else {
          compare(value, found.at(ours), below);
        }
      }
    } else if (wanted.is_array()) {
      if (!found.is_array() || found.size() != wanted.size()) return fail(place + " has another length");
      for (std::size_t i = 0; i < wanted.size(); ++i) compare(wanted[i], found[i], place + "/" + std::to_string(i));
    } else {
      ++compared_;
      if (!same(wanted, found)) fail(place + ": wanted " + wanted.dump() + ", found " + found.dump());
    }
  }

  [[nodiscard]] std::size_t compared() const { return compared_; }
  [[nodiscard]] std::string faults() const {
    return faults_ + (fault_count_ > 20 ? "… " + std::to_string(fault_count_) + " in all\n" : "");
  }

 private:
  static std::string our_name(const std::string& key) {
    static const std::map<std::string, std::string> kNames{{"h1_dependent_vs_c0", "h1_dependent_vs_baseline"},
                                                           {"h2_independent_vs_c0", "h2_independent_vs_baseline"}};
    const auto found = kNames.find(key);
    return found == kNames.end() ? key : found->second;
  }
  /// Doubles bit by bit; a seed, a number there, is a text here.
  static bool same(const Json& wanted, const Json& found) {
    if (wanted.is_number() && found.is_string()) return found == wanted.dump();
    if (wanted.is_number() && found.is_number()) return wanted.get<double>() == found.get<double>();
    return wanted == found;
  }
  void fail(const std::string& what) {
    if (++fault_count_ <= 20) faults_ += what + "\n";
  }

  std::size_t compared_ = 0;
  std::size_t fault_count_ = 0;
  std::string faults_;
};

const Json& named(const Json& list, const std::string& key, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Json& item) { return item.at(key) == name; });
  INFO(name);
  REQUIRE(found != list.end());
  return *found;
}

Json document(std::vector<std::string> paths, const std::vector<std::string>& options = {"--as-published"}) {
  std::vector<std::string> arguments{"merit"};
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back("--json");
  return Json::parse(memuse_output(arguments));
}

/// Folders or files of the cells below `folder`.
std::vector<std::string> cells_below(const fs::path& folder) {
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.size() > 2 && name[0] == 'd' && name[2] == '-') paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void check_against(const std::string& metrics, const fs::path& folder, std::size_t least) {
  const Json wanted = Json::parse(read_file(shared_data() / "merit-mock" / "oracle" / metrics));
  const Json found = document(cells_below(folder));
  Walk walk;
  for (const auto& [name, cell] : wanted.at("cells").items()) {
    walk.compare(cell, named(found.at("cells"), "name", name), name);
  }
  CHECK(found.at("cells").size() == wanted.at("cells").size());
  for (const auto& [name, contrast] : wanted.at("hard_tier_contrasts").items()) {
    const std::string ours = name.substr(0, 2) + " - " + name.substr(3);
    walk.compare(contrast, named(found.at("hard_tier_contrasts"), "comparison", ours), name);
  }
  CHECK(walk.faults() == "");
  CHECK(walk.compared() >= least);
}

}  // namespace

TEST_CASE("every number of MERIT's own figures for the sample is ours") {
  MEMUSE_NEEDS_SHARED_DATA();
  check_against("metrics.json", shared_data() / "merit-mock", 2000);
}

TEST_CASE("every number of MERIT's own figures for the full run is ours") {
  MEMUSE_NEEDS_SHARED_DATA();
  check_against("metrics-full.json", shared_data() / "merit-mock" / "full", 4000);
}

TEST_CASE("every number of MERIT's own figures for the priced rows is ours") {
  MEMUSE_NEEDS_SHARED_DATA();
  check_against("metrics-priced.json", shared_data() / "merit-mock" / "priced", 1500);
}

TEST_CASE("published results of a real model come out as published") {
  MEMUSE_NEEDS_SHARED_DATA();
  const Json found = document({(shared_data() / "merit-real").string()}, {});
  const std::map<std::string, std::vector<double>> published{
      {"d1-easy", {0, 1.00, 0.90, 0.95, 1.00, 0.95}},   {"d1-medium", {0, 0.60, 0.30, 0.30, 0.80, 0.80}},
      {"d1-hard", {0, 1.00, 0.70, 1.00, 0.95, 0.80}},   {"d2-easy", {0, 1.00, 1.00, 1.00, 0.55, 0.80}},
      {"d2-medium", {0, 1.00, 0.95, 1.00, 0.40, 1.00}}, {"d2-hard", {0, 0.95, 0.35, 0.70, 0.75, 0.60}}};
  REQUIRE(found.at("cells").size() == published.size());
  const auto condition = [&](const std::string& cell, const std::string& name) {
    return named(found.at("cells"), "name", cell).at("conditions").at(name);
  };
  for (const auto& [cell, rates] : published) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
      INFO(cell << " C" << i);
      CHECK(condition(cell, "C" + std::to_string(i)).at("tsr_dependent").get<double>() == Approx(rates[i]));
    }
  }
  CHECK(std::round(condition("d1-easy", "C4").at("camu").get<double>()) == 4839);
  CHECK(std::round(condition("d2-easy", "C2").at("camu").get<double>()) == 6629);
  CHECK(condition("d1-hard", "C2").at("mur_n") == 19);
  CHECK(condition("d2-hard", "C2").at("mur_n") == 20);
  CHECK(condition("d1-hard", "C2").at("mur").get<double>() * 19 == Approx(14));
  CHECK(condition("d2-hard", "C2").at("mur").get<double>() * 20 == Approx(7));
}

TEST_CASE("the example cell is measured and its flags are computed again from gold values") {
  const Json found = document({merit_example("merit-cell")}, {"--probes", merit_example("merit-probes.jsonl")});
  REQUIRE(found.at("cells").size() == 1);
  const Json& cell = found.at("cells")[0];
  CHECK(cell.at("name") == "d2-easy");
  const Json& facts = cell.at("conditions").at("C4");
  CHECK(facts.at("n_dependent") == 1);
  CHECK(facts.at("tsr_dependent") == 1.0);
  CHECK(facts.at("mur") == 1.0);
  CHECK(facts.at("mur_recomputed") == 1.0);
  CHECK(facts.at("mur_recomputed_n") == 1);
  CHECK(cell.at("conditions").at("C0").at("tsr_dependent") == 0.0);
  CHECK(cell.at("conditions").at("C0").at("mur") == nullptr);
}

TEST_CASE("the same numbers come from a canonical trace") {
  const TemporaryFolder folder;
  write_file(folder.path() / "trace.jsonl",
             memuse_output({"ingest", merit_example("merit-cell"), "--emit-trace", "-"}));
  Json from_cell = document({merit_example("merit-cell")}, {});
  Json from_trace = document({folder / "trace.jsonl"}, {});
  CHECK(from_cell == from_trace);
}

TEST_CASE("the number of threads does not change a byte") {
  const auto with = [](const char* jobs) {
    return memuse_output({"merit", merit_example("merit-study"), "--jobs", jobs, "--json"});
  };
  CHECK(with("1") == with("4"));
}

TEST_CASE("outcomes from a file replace those of the rows") {
  const TemporaryFolder folder;
  write_file(folder.path() / "outcomes.csv",
             "task_id,configuration,resolved\nd2-arc0-000-e2-probe-cfg,example-agent/C4,false\n");
  const Json found = document({merit_example("merit-cell")}, {"--outcomes", folder / "outcomes.csv"});
  CHECK(found.at("cells")[0].at("conditions").at("C4").at("tsr_dependent") == 0.0);
}

TEST_CASE("all tables go into a folder in all formats") {
  const TemporaryFolder folder;
  const ProgramResult result = run_memuse({"merit", merit_example("merit-cell"), "--all", folder / "out"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  for (const char* table : {"measures", "difficulty", "harm", "hypotheses", "cost", "seeds", "replay"}) {
    for (const char* suffix : {"txt", "md", "tex", "csv", "json"}) {
      CHECK(fs::file_size(folder.path() / "out" / (std::string("merit-") + table + "." + suffix)) > 0);
    }
  }
  CHECK(Json::parse(read_file(folder.path() / "out" / "merit.json")).at("format") == "memuse-merit/1");
  CHECK(fs::exists(folder.path() / "out" / "merit-ignored.csv"));
  CHECK(fs::exists(folder.path() / "out" / "merit-ignored.gp"));
}

TEST_CASE("wrong uses of memuse merit are refused with a reason") {
  const TemporaryFolder folder;
  const auto refused = [](const std::vector<std::string>& arguments) {
    const ProgramResult result = run_memuse(arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK_THAT(refused({"merit"}), Contains("name traces to read"));
  CHECK_THAT(refused({"merit", merit_example("merit-cell"), "--as-published", "--seed", "3"}),
             Contains("leave --resamples"));
  CHECK_THAT(refused({"merit", merit_example("merit-cell"), "--family", folder / "none.json"}),
             Contains("cannot read"));
  CHECK_THAT(refused({"merit", merit_example("merit-cell"), "--table", "all", "--format", "csv"}),
             Contains("--all FOLDER"));
  fs::create_directory(folder.path() / "empty");
  CHECK_THAT(refused({"merit", folder / "empty"}), Contains("no episodes were found"));
}

TEST_CASE("memuse merit explains an episode as memuse values does") {
  const std::string probes = (fs::path(MEMUSE_SOURCE_DIR) / "examples" / "merit-probes.jsonl").string();
  const std::vector<std::string> rest{merit_example("merit-cell"), "--probes", probes, "--explain", "b27d9f13"};
  std::vector<std::string> merit{"merit"}, values{"values"};
  merit.insert(merit.end(), rest.begin(), rest.end());
  values.insert(values.end(), rest.begin(), rest.end());
  const std::string explained = memuse_output(merit);
  CHECK_THAT(explained, Contains("4817"));
  CHECK(explained == memuse_output(values));
  merit.insert(merit.end(), {"--table", "all"});
  CHECK(run_memuse(merit).exit_code == 2);
}

TEST_CASE("rows that two files hold are counted once and said") {
  const TemporaryFolder folder;
  const std::string rows = read_file(fs::path(merit_example("merit-cell")) / "results.jsonl");
  write_file(folder.path() / "a.results.jsonl", rows);
  write_file(folder.path() / "b.results.jsonl", rows);
  const ProgramResult result = run_memuse({"merit", folder.path().string(), "--json"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Contains("6 episodes of the same task, condition and id stand in two"));
  CHECK(Json::parse(result.out).at("episodes").at("scored") == 6);
}

TEST_CASE("a baseline that is not there is named") {
  const std::string with = memuse_output({"merit", merit_example("merit-study"), "--baseline", "C9"});
  CHECK_THAT(with, Contains("There is no condition C9: no H1, H2, CAMU"));
  CHECK_THAT(memuse_output({"merit", merit_example("merit-study")}), !Contains("There is no condition"));
}
