// Tables, document and figures of task-level measures, from a study written by hand.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <variant>

#include "merit/analysis.h"
#include "report/merit_figures.h"
#include "report/merit_json.h"
#include "report/merit_tables.h"
#include "support/json_schema.h"

namespace {

using namespace memuse;
using Catch::Matchers::Contains;

/// Two tiers of one domain: C0 solves nothing, C1 everything, C4 all but one arc of the hard tier and costs nothing
/// more than C0 there; damaged memory halves C4 on the easy tier.
merit::Analysis study(bool as_published = false) {
  merit::ScoredEpisodes episodes;
  std::uint64_t line = 0;
  const auto add = [&](const char* tier, const char* condition, const std::string& arc, bool success, double cost,
                       merit::Setting setting = {}) {
    merit::ScoredEpisode row;
    row.id = row.task = episodes.names.keep("t" + std::to_string(++line));
    row.model = "example-agent";
    row.domain = "d8";
    row.tier = tier;
    row.directory = "study";
    row.seed = line % 2 == 0 ? "0" : "1";
    row.condition = condition;
    row.arc = episodes.names.keep(arc);
    row.path = "study/results.jsonl";
    row.line = line;
    row.setting = setting;
    row.dependent = true;
    row.outcome = success;
    row.pre_satisfied = false;
    row.memory_had_fact = condition[1] != '0';
    row.memory_utilized = success;
    row.tokens = 1234;
    row.memory_tokens = 0;
    row.agent_cost_usd = cost;
    row.memory_cost_usd = 0.0;
    episodes.rows.push_back(row);
  };
  for (int i = 0; i < 4; ++i) {
    const std::string arc = "arc" + std::to_string(i);
    add("easy", "C0", arc, false, 0.001);
    add("easy", "C1", arc, true, 0.003);
    add("easy", "C4", arc, true, 0.002);
    add("easy", "C4", arc, i % 2 == 0, 0.002, {"stale", 0.3});
    add("hard", "C0", arc, false, 0.001);
    add("hard", "C1", arc, true, 0.003);
    add("hard", "C4", arc, i != 3, 0.001);
  }
  episodes.settle();
  merit::AnalysisOptions options;
  options.resampling.resamples = 400;
  options.as_published = as_published;
  options.families = merit::parse_families(
      R"({"families": [{"name": "mine", "over": "model", "comparisons": [{"first": "C4", "second": "C1"}]}]})", "f");
  return merit::analyse(episodes, options);
}

const report::Row& row_of(const report::Table& table, const std::string& group, const std::string& key) {
  const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&](const report::Row& row) { return row.group == group && row.key.ends_with(key); });
  INFO(group << " " << key);
  REQUIRE(found != table.rows.end());
  return *found;
}

std::string cell(const report::Table& table, const std::string& group, const std::string& key,
                 const std::string& column) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const report::Column& candidate) { return candidate.key == column; });
  REQUIRE(found != table.columns.end());
  return report::shown(row_of(table, group, key).cells[static_cast<std::size_t>(found - table.columns.begin())]);
}

}  // namespace

TEST_CASE("every table of task-level measures has a cell for every column and a caption") {
  const merit::Analysis analysis = study();
  for (const std::string& name : report::merit_table_names()) {
    const report::Table table = report::merit_table(analysis, name);
    INFO(name);
    CHECK(table.name == "merit-" + name);
    CHECK_FALSE(table.rows.empty());
    CHECK_FALSE(table.caption.empty());
    for (const report::Row& row : table.rows) CHECK(row.cells.size() == table.columns.size());
  }
}

TEST_CASE("measures print what was counted by hand") {
  const report::Table table = report::merit_table(study(), "measures");
  CHECK(cell(table, "d8-hard", "/C4", "tsr_dependent") == "75.0");
  CHECK(cell(table, "d8-hard", "/C4", "mur_n") == "4");
  CHECK(cell(table, "d8-hard", "/C4", "ignore_rate") == "25.0");
  CHECK(cell(table, "d8-hard", "/C0", "ignore_rate") == "—");
  CHECK(cell(table, "d8-hard", "/C0", "tsr_independent") == "—");
  CHECK(cell(table, "d8-hard", "/C4", "tokens") == "1,234");
  CHECK(cell(table, "all cells", "/C4", "tsr_dependent") == "87.5");
  CHECK(cell(table, "d8-hard", "/C4", "seconds") == "—");
}

TEST_CASE("the table of costs says dominates where a gain costs nothing and infinity as published") {
  CHECK(cell(report::merit_table(study(), "cost"), "d8-hard", "/C4", "camu") == "dominates");
  CHECK(cell(report::merit_table(study(true), "cost"), "d8-hard", "/C4", "camu") == "inf");
  const report::Table table = report::merit_table(study(), "cost");
  CHECK(cell(table, "d8-easy", "/C4", "camu") == "1,000");
  CHECK(cell(table, "d8-easy", "/C1", "camu") == "500");
  CHECK(cell(table, "d8-easy", "/C1", "rank_camu") == "2");
  CHECK(cell(table, "d8-easy", "/C4", "rank_camu") == "1");
  CHECK(cell(table, "d8-easy", "/C0", "camu") == "—");
}

TEST_CASE("harm and difficulty print what was counted by hand") {
  const merit::Analysis analysis = study();
  const report::Table harm = report::merit_table(analysis, "harm");
  CHECK(cell(harm, "d8-easy", "C4 stale@0.3", "tsr_damaged") == "50.0");
  CHECK_THAT(cell(harm, "d8-easy", "C4 stale@0.3", "harm"), Catch::Matchers::StartsWith("50.0 ["));
  const report::Table difficulty = report::merit_table(analysis, "difficulty");
  CHECK(cell(difficulty, "d8", "/C4", "easy") == "100.0");
  CHECK(cell(difficulty, "d8", "/C4", "hard") == "75.0");
}

TEST_CASE("captions name resamples, seed and what was scored") {
  const std::string caption = report::merit_table(study(), "hypotheses").caption;
  CHECK_THAT(caption, Contains("400 resamples of whole arcs") && Contains("seed 0") && Contains("against C0"));
  CHECK_THAT(caption, Contains("no episode here has one that did"));
}

TEST_CASE("the document of all numbers follows its schema") {
  const test::JsonSchema schema = test::JsonSchema::of_project("merit-1");
  for (const bool as_published : {false, true}) {
    const nlohmann::json document = report::merit_json(study(as_published));
    CHECK(schema.faults(document) == "");
    CHECK(document.at("cells").size() == 2);
    CHECK(document.at("families")[0].at("comparisons")[0].at("over") == "all cells");
  }
  CHECK(report::merit_json(study(true)).at("cells")[1].at("conditions").at("C4").at("camu") == "inf");
  nlohmann::json broken = report::merit_json(study());
  broken.at("cells")[0].erase("rows");
  CHECK_FALSE(schema.accepts(broken));
}

TEST_CASE("the schema of families accepts the example") {
  const test::JsonSchema schema = test::JsonSchema::of_project("families-1");
  CHECK(schema.accepts(nlohmann::json::parse(
      R"({"families": [{"name": "a", "comparisons": [{"first": "C4", "second": {"condition": "C4", "corruption":
          {"mode": "stale", "rate": 0.3}}}]}]})")));
  CHECK_FALSE(schema.accepts(nlohmann::json::parse(R"({"families": [{"name": "a", "comparisons": []}]})")));
}

TEST_CASE("figures hold the numbers of the tables") {
  const std::vector<figures::Figure> all = report::merit_figures(study());
  const auto find = [&](const std::string& name) -> const figures::Figure& {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& figure) { return figure.name == name; });
    INFO(name);
    REQUIRE(found != all.end());
    return *found;
  };
  const auto& ladder = std::get<figures::CategoryChart>(find("merit-difficulty-d8").chart);
  CHECK(ladder.categories == std::vector<std::string>{"easy", "hard"});
  REQUIRE(ladder.series.size() == 3);
  CHECK(ladder.series[2].values[1].value == 75.0);
  const auto& ignored = std::get<figures::CategoryChart>(find("merit-ignored").chart);
  CHECK(ignored.series.back().values[1].value == 25.0);
  CHECK(ignored.series.back().values[1].note == "4");
  const auto& cost = std::get<figures::ScatterChart>(find("merit-cost-d8-hard").chart);
  CHECK(cost.points.size() == 3);
  // C4 costs what C0 costs and solves more; C1 is dearer and solves all.
  CHECK(cost.front == std::vector<std::pair<double, double>>{{0.001, 75.0}, {0.003, 100.0}});
  const auto& harm = std::get<figures::CategoryChart>(find("merit-harm-d8-easy").chart);
  CHECK(harm.series[0].values[0].value == 50.0);
  CHECK(find("merit-hard-tier").width == figures::Width::two_columns);
}

TEST_CASE("cells without a tier keep their directories apart in the table of difficulty") {
  merit::Analysis analysis = study();
  analysis.pools.clear();
  for (merit::Group& group : analysis.cells) {
    group.directories = {"dir-" + group.tier};
    group.tier.clear();
  }
  const report::Table table = report::merit_table(analysis, "difficulty");
  CHECK(report::shown(row_of(table, "dir-easy", "/C4").cells[1]) == "100.0");
  CHECK(report::shown(row_of(table, "dir-hard", "/C4").cells[1]) == "75.0");
}

TEST_CASE("ties share a rank and are no difference of rankings unless as published") {
  const report::Table table = report::merit_table(study(), "cost");
  CHECK(cell(table, "d8-easy", "/C1", "rank_tsr") == "1");
  CHECK(cell(table, "d8-easy", "/C4", "rank_tsr") == "1");
  CHECK(cell(report::merit_table(study(true), "cost"), "d8-easy", "/C4", "rank_tsr") == "2");
  // In the hard tier C1 solves more, and C4 gains for nothing.
  CHECK_THAT(table.caption, Contains("differ: in d8-hard; not in d8-easy"));
}

TEST_CASE("columns of many seeds are left out") {
  merit::Analysis analysis = study();
  for (int i = 0; i < 30; ++i) analysis.cells[0].seeds.push_back("s" + std::to_string(i));
  const report::Table table = report::merit_table(analysis, "seeds");
  CHECK(table.columns.size() == 4);
  CHECK_THAT(table.caption, Contains("32 seeds"));
}

TEST_CASE("measures say when use is not known or a mean is over fewer episodes") {
  CHECK_THAT(report::merit_table(study(), "measures").caption, !Contains("use is not known"));
  merit::Analysis analysis = study();
  analysis.cells[0].conditions[0].use_unknown = 3;
  analysis.cells[0].conditions[0].tokens.n -= 1;
  CHECK_THAT(report::merit_table(analysis, "measures").caption,
             Contains("Of 3 dependent episodes") && Contains("states its tokens: the mean"));
}

TEST_CASE("costs of exactly nothing are 0 and a difference has its letter in LaTeX") {
  const report::Table table = report::merit_table(study(), "cost");
  CHECK(cell(table, "d8-easy", "/C4", "memory_cost_usd") == "0");
  CHECK(cell(table, "d8-easy", "/C4", "cost_usd") == "0.002000");
  const std::string latex = report::render(table, report::TableFormat::latex, {});
  CHECK_THAT(latex, Contains("$\\Delta$ USD") && !Contains("Δ"));
}
