#include "report/agreement_table.h"

#include <array>
#include <catch2/catch.hpp>

#include "report/profile_columns.h"
#include "report/show_judges.h"

using namespace memuse;
using agreement::AgreementTally;
using report::AgreementReport;
using report::Cell;
using report::Table;
using Answers = std::vector<std::optional<Labels>>;

namespace {

Labels labels(Influence influence, std::optional<Effect> effect = std::nullopt) {
  return {true, Accuracy::uncontradicted, Novelty::novel, influence, effect};
}

JudgementSetRecord set(std::int64_t id, const std::string& judge) {
  JudgementSetRecord record;
  record.id = id;
  record.judge = judge;
  record.rules = "memuse-rules/1";
  record.settings = "{}";
  return record;
}

/// Four entries that two labellers answered, of which an offline judge answered three, and one that it has alone.
AgreementReport example(std::uint64_t resamples = 0) {
  AgreementReport report;
  report.sets = {set(1, "tracer/1"), set(2, "label:ada"), set(3, "label:ben")};
  report.sets[0].assesses_relevance = false;
  report.sets[0].assesses_accuracy = false;
  report.sets[0].effects_need_probe = true;
  report.resampling.resamples = resamples;
  std::vector<agreement::Rater> raters;
  for (const JudgementSetRecord& record : report.sets) raters.push_back(agreement::rater(record));
  AgreementTally tally(raters);
  tally.begin_episode(false);
  tally.add(Answers{labels(Influence::none), labels(Influence::none), labels(Influence::referenced)});
  tally.add(Answers{labels(Influence::acted_on), labels(Influence::acted_on, Effect::improved),
                    labels(Influence::acted_on, Effect::improved)});
  tally.begin_episode(false);
  tally.add(Answers{labels(Influence::none), labels(Influence::none), labels(Influence::none)});
  tally.add(Answers{std::nullopt, labels(Influence::selected), labels(Influence::selected)});
  tally.add(Answers{labels(Influence::none), std::nullopt, std::nullopt});
  report.agreement = tally.finish(report.resampling);
  return report;
}

const report::Row* find_row(const Table& table, const std::string& key) {
  for (const report::Row& row : table.rows) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("agreement: a line for each signal that both sets of a pair assess") {
  const Table table = report::agreement_table(example());
  for (const report::Row& row : table.rows) REQUIRE(row.cells.size() == table.columns.size());
  const report::Row* influence = find_row(table, "label:ada and label:ben: influence");
  REQUIRE(influence != nullptr);
  CHECK(influence->group == "label:ada and label:ben");
  CHECK(shown(influence->cells[1]) == "4");
  CHECK(shown(influence->cells[2]) == "0.750");
  // Chance 0.25 (none 2·1, selected 1·1, acted_on 1·1 of 16).
  CHECK(shown(influence->cells[3]) == "0.667");
  CHECK(find_row(table, "tracer/1 and label:ada: relevance") == nullptr);
  CHECK(find_row(table, "tracer/1 and label:ada: novelty") != nullptr);
  const report::Row* effect = find_row(table, "tracer/1 and label:ada: effect");
  REQUIRE(effect != nullptr);
  CHECK(shown(effect->cells[1]) == "0");
  CHECK(shown(effect->cells[2]) == "—");
  const report::Row* all = find_row(table, "All 3 sets: influence");
  REQUIRE(all != nullptr);
  CHECK(shown(all->cells[1]) == "4");
  CHECK(shown(all->cells[2]) == "—");
  CHECK(all->cells[5].kind == Cell::Kind::number);
}

TEST_CASE("agreement: the caption says what was compared, how, and what was left out") {
  using Catch::Matchers::Contains;
  AgreementReport report = example(1000);
  report.sets[1].sample = {3, 7, 40};
  report.sets[1].sample_answered = 3;
  const std::string caption = report::agreement_table(report).caption;
  CHECK_THAT(caption, Contains("tracer/1 and label:ada: 3 answered by both, 1 entry by tracer/1 alone, 1 entry by "
                               "label:ada alone."));
  CHECK_THAT(caption, !Contains("label:ada and label:ben: "));
  CHECK_THAT(caption, Contains("tracer/1 does not assess relevance and accuracy: left out."));
  CHECK_THAT(caption, Contains("only in episodes with a probe"));
  CHECK_THAT(caption, Contains("95 % bootstrap intervals, 1,000 resamples of whole episodes, seed 0."));
  CHECK_THAT(caption, Contains("label:ada: partial: 3 of 40 spans (a sample with seed 7)."));
  CHECK_THAT(caption, Contains("weights of the sample are not used"));
}

TEST_CASE("agreement: intervals stand in their cells") {
  const Table table = report::agreement_table(example(1000));
  const report::Row* influence = find_row(table, "label:ada and label:ben: influence");
  REQUIRE(influence != nullptr);
  REQUIRE(influence->cells[2].interval);
  CHECK(influence->cells[2].interval->first == 0.5);
  CHECK(influence->cells[2].interval->second == 1.0);
}

TEST_CASE("agreement: confusion matrices, first set down") {
  const std::vector<Table> tables = report::confusion_tables(example());
  const auto influence = std::find_if(tables.begin(), tables.end(), [](const Table& table) {
    return table.title == "influence: label:ada (down) and label:ben (across)";
  });
  REQUIRE(influence != tables.end());
  const report::Row* none = find_row(*influence, "none");
  REQUIRE(none != nullptr);
  CHECK(shown(none->cells[1]) == "1");
  CHECK(shown(none->cells[2]) == "1");
  CHECK(influence->columns.back().key == "null");
  CHECK(std::none_of(tables.begin(), tables.end(), [](const Table& table) {
    return table.title.find("tracer/1") != std::string::npos && table.name == "confusion-effect";
  }));
}

TEST_CASE("agreement: JSON holds every number") {
  const nlohmann::ordered_json json = report::agreement_json(example());
  CHECK(json["sets"][1]["name"] == "label:ada");
  CHECK(json["sets"][0]["entries"] == 4);
  const auto& pair = json["pairs"][2];
  CHECK(pair["first"] == "label:ada");
  CHECK(pair["both"] == 4);
  const auto& influence = pair["signals"][3];
  CHECK(influence["signal"] == "influence");
  CHECK(influence["agreement"]["value"] == 0.75);
  CHECK(influence["agreement"]["low"].is_null());
  CHECK(influence["categories"].back() == "null");
  CHECK(influence["confusion"][0][1] == 1);
  CHECK(json["pairs"][0]["signals"][0]["assessed"] == false);
  CHECK(!json["pairs"][0]["signals"][0].contains("n"));
  CHECK(json["pairs"][0]["signals"][4]["agreement"].is_null());
  CHECK(json["all"][3]["n"] == 4);
  CHECK(json["weights_used"] == false);
}

TEST_CASE("captions say which part a sample covers and how the judge agrees with labels") {
  JudgementSetRecord judge = set(4, "some-model");
  CHECK(report::sample_sentence(judge).empty());
  CHECK(report::agreement_sentence(judge).empty());
  judge.sample = {200, 5, 1204};
  judge.sample_answered = 40;
  judge.agreements = {{"label:ada", 134, 0.8412, 0.7888}, {"label:ben", 1, 0.5, std::nullopt}};
  CHECK(report::sample_sentence(judge) == " partial: 40 of 1,204 spans (a sample with seed 5).");
  CHECK(
      report::agreement_sentence(judge) ==
      " Agreement with label:ada on 134 entries: influence kappa 0.84, effect kappa 0.79. Agreement with label:ben on "
      "1 entry: influence kappa 0.50, effect kappa not defined.");
  const std::string caption = report::provenance(rules::StudyTally().finish({}), judge);
  CHECK_THAT(caption, Catch::Matchers::Contains("partial: 40 of 1,204 spans") &&
                          Catch::Matchers::Contains("Agreement with label:ada on 134 entries"));
}

TEST_CASE("the list of judges says what is not known") {
  using Catch::Matchers::Contains;
  report::JudgementSetFacts facts{set(3, "vendor/\x1b[31mmodel"), 60, {{"model-2026", 12}}};
  facts.set.settings = R"({"temperature": 0, "prompts": "ab12"})";
  facts.set.accepted = 38;
  facts.set.unresolved = 2;
  facts.set.calls = 1200;
  facts.set.input_tokens = 5'000'000;
  facts.set.calls_without_cost = 1200;
  facts.set.sample = {40, 9, 60};
  facts.set.sample_answered = 40;
  const std::string text = report::show_judges({facts}, {});
  CHECK_THAT(text, Contains("#3 vendor/\\x1b[31mmodel"));
  CHECK_THAT(text, Contains("38 accepted, 2 unresolved; 60 to judge"));
  CHECK_THAT(text, Contains("40 of 60 spans, seed 9; 40 of them answered"));
  CHECK_THAT(text, Contains("— (1200 calls without a known cost)"));
  CHECK_THAT(text, Contains("model-2026 (12 spans)"));
  CHECK_THAT(text, Contains("prompts: ab12"));
  CHECK_THAT(report::show_judges({}, {}), Contains("Nothing was judged yet"));
  const nlohmann::ordered_json json = report::show_judges_json({facts});
  CHECK(json[0]["cost_usd"].is_null());
  CHECK(json[0]["calls_without_cost"] == 1200);
  CHECK(json[0]["sample"]["answered"] == 40);
  CHECK(json[0]["settings"]["temperature"] == 0);
  CHECK(json[0]["returned_models"]["model-2026"] == 12);
}
