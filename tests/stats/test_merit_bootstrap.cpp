#include "stats/merit_bootstrap.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "stats/holm.h"
#include "support/program.h"

using namespace memuse;
using nlohmann::json;
using stats::MeritDifference;
using stats::MeritEpisode;

namespace {

/// A row of a results file as far as the comparisons need it.
struct ResultRow {
  std::string arc;
  std::string condition;
  std::string mode;
  double rate = 0.0;
  bool dependent = false;
  bool success = false;
};

std::vector<ResultRow> rows_of(const std::string& text, const std::string& arc_prefix = "") {
  std::vector<ResultRow> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const json row = json::parse(line);
    rows.push_back({arc_prefix + row["arc_id"].get<std::string>(), row["condition"], row["corrupt_mode"],
                    row["corrupt_rate"], row["dependent"], row["success"]});
  }
  return rows;
}

std::vector<MeritEpisode> chosen(const std::vector<ResultRow>& rows, const std::string& condition, bool dependent,
                                 const std::string& mode = "none", double rate = 0.0) {
  std::vector<MeritEpisode> episodes;
  for (const ResultRow& row : rows)
    if (row.condition == condition && row.dependent == dependent && row.mode == mode && row.rate == rate)
      episodes.push_back({row.arc, row.success});
  return episodes;
}

/// A reported comparison and what we compute for it.
struct Comparison {
  std::string name;
  json reported;
  std::string value_key;
  std::optional<MeritDifference> computed;
};

void check_number(const json& reported, std::optional<double> computed) {
  if (reported.is_null()) {
    CHECK_FALSE(computed);
  } else {
    REQUIRE(computed);
    CHECK(reported.get<double>() == *computed);
  }
}

void check_difference(const Comparison& comparison) {
  INFO(comparison.name);
  const auto& computed = comparison.computed;
  const auto part = [&](auto pick) { return computed ? std::optional<double>(pick(*computed)) : std::nullopt; };
  check_number(comparison.reported[comparison.value_key], part([](const auto& d) { return d.value; }));
  check_number(comparison.reported["ci_low"], part([](const auto& d) { return d.interval.low; }));
  check_number(comparison.reported["ci_high"], part([](const auto& d) { return d.interval.high; }));
  check_number(comparison.reported["p"], part([](const auto& d) { return d.p; }));
}

void check_family(const std::vector<Comparison>& family) {
  std::vector<std::optional<double>> p_values;
  for (const Comparison& comparison : family)
    p_values.push_back(comparison.computed ? std::optional<double>(comparison.computed->p) : std::nullopt);
  const auto adjusted = stats::holm_adjusted(p_values);
  for (std::size_t i = 0; i < family.size(); ++i) {
    check_difference(family[i]);
    INFO(family[i].name);
    check_number(family[i].reported["p_holm"], adjusted[i]);
  }
}

/// Checks every comparison of a cell; returns how many there were.
std::size_t check_cell(const std::string& cell, const json& reported, const std::vector<ResultRow>& rows) {
  std::vector<Comparison> dependent;
  std::vector<Comparison> independent;
  std::vector<Comparison> harm;
  for (const auto& [condition, figures] : reported["conditions"].items()) {
    if (condition == "C0") continue;
    for (const bool of_dependent : {true, false}) {
      const std::string key = of_dependent ? "h1_dependent_vs_c0" : "h2_independent_vs_c0";
      (of_dependent ? dependent : independent)
          .push_back(
              {cell + " " + condition + " " + key, figures[key], "delta",
               stats::merit_difference(chosen(rows, condition, of_dependent), chosen(rows, "C0", of_dependent))});
    }
    for (const json& corruption : figures.value("smh", json::array())) {
      const std::string mode = corruption["mode"];
      const double rate = corruption["rate"];
      const auto computed =
          stats::merit_difference(chosen(rows, condition, true), chosen(rows, condition, true, mode, rate));
      harm.push_back({cell + " " + condition + " " + mode + " " + std::to_string(rate), corruption, "smh", computed});
      if (computed) {
        CHECK(computed->arcs == corruption["shared_arcs"].get<std::size_t>());
        CHECK(computed->first == corruption["tsr_clean_shared_arcs"].get<double>());
      }
    }
  }
  check_family(dependent);
  check_family(independent);
  check_family(harm);
  return dependent.size() + independent.size() + harm.size();
}

void check_hard_tier(const json& reported, const std::vector<ResultRow>& pooled) {
  for (const std::string condition : {"C3", "C4"}) {
    const std::string name = condition + "-C2";
    check_difference({name, reported[name], "delta",
                      stats::merit_difference(chosen(pooled, condition, true), chosen(pooled, "C2", true))});
  }
}

/// Checks all cells; `text_of` gives the results file of a cell.
template <typename TextOf>
std::size_t check_all_cells(const json& metrics, const TextOf& text_of) {
  std::size_t comparisons = 0;
  std::vector<ResultRow> hard_tier;
  for (const auto& [cell, figures] : metrics["cells"].items()) {
    const std::string text = text_of(cell);
    comparisons += check_cell(cell, figures, rows_of(text));
    if (cell.ends_with("-hard")) {
      const auto rows = rows_of(text, cell.substr(0, 2) + "/");
      hard_tier.insert(hard_tier.end(), rows.begin(), rows.end());
    }
  }
  check_hard_tier(metrics["hard_tier_contrasts"], hard_tier);
  return comparisons + 2;
}

}  // namespace

TEST_CASE("the MERIT resampler: by hand") {
  CHECK_FALSE(stats::merit_difference({}, {}));
  CHECK_FALSE(stats::merit_difference(std::vector<MeritEpisode>{{"a", true}}, std::vector<MeritEpisode>{{"b", true}}));

  // One arc: every resample is the arc itself.
  const auto one = stats::merit_difference(std::vector<MeritEpisode>{{"a", true}, {"a", false}, {"b", true}},
                                           std::vector<MeritEpisode>{{"a", false}});
  REQUIRE(one);
  CHECK(one->arcs == 1);
  CHECK(one->value == 0.5);
  CHECK(one->interval == stats::Interval{0.5, 0.5});
  CHECK(one->p == 2.0 / 10001.0);

  const std::vector<MeritEpisode> same{{"a", true}, {"b", false}, {"c", true}};
  const auto none = stats::merit_difference(same, same);
  REQUIRE(none);
  CHECK(none->interval == stats::Interval{0.0, 0.0});
  CHECK(none->p == 1.0);
}

TEST_CASE("the MERIT resampler: the order of episodes changes nothing, p does not depend on the side") {
  std::vector<MeritEpisode> first;
  std::vector<MeritEpisode> second;
  const std::vector<std::string> arcs{"arc0-002", "arc0-010", "arc1-000", "arc0-000", "arc2-001", "arc10-000"};
  for (std::size_t i = 0; i < arcs.size(); ++i)
    for (std::size_t row = 0; row < 3; ++row) {
      first.push_back({arcs[i], (i + row) % 3 != 0});
      second.push_back({arcs[i], (i * row) % 2 == 1});
    }
  const auto before = stats::merit_difference(first, second);
  std::reverse(first.begin(), first.end());
  std::rotate(second.begin(), second.begin() + 5, second.end());
  const auto after = stats::merit_difference(first, second);
  REQUIRE((before && after));
  CHECK(after->interval == before->interval);
  CHECK(after->p == before->p);
  const auto swapped = stats::merit_difference(second, first);
  CHECK(swapped->value == -before->value);
  CHECK(swapped->p == before->p);
}

TEST_CASE("the MERIT resampler gives every interval and p of the sample's reference figures") {
  MEMUSE_NEEDS_SHARED_DATA();
  const auto folder = test::shared_data() / "merit-mock";
  const json metrics = json::parse(test::read_file(folder / "oracle" / "metrics.json"));
  const std::size_t comparisons = check_all_cells(
      metrics, [&](const std::string& cell) { return test::read_file(folder / cell / "results.jsonl"); });
  CHECK(comparisons == 9 * 10 + 3 * 30 + 2);
}

TEST_CASE("the MERIT resampler gives every interval and p of the full run's reference figures") {
  MEMUSE_NEEDS_SHARED_DATA();
  const auto folder = test::shared_data() / "merit-mock";
  const json metrics = json::parse(test::read_file(folder / "oracle" / "metrics-full.json"));
  const std::size_t comparisons = check_all_cells(metrics, [&](const std::string& cell) {
    const auto unpacked =
        test::run_shell("gzip -dc " + test::shell_quoted((folder / "full" / (cell + ".results.jsonl.gz")).string()));
    REQUIRE(unpacked.exit_code == 0);
    return unpacked.out;
  });
  CHECK(comparisons == 9 * 40 + 2);
}
