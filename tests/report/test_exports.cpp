#include "report/exports.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <sstream>

#include "../support/data.h"
#include "../support/json_schema.h"
#include "example.h"

using namespace memuse;
using report::ExportFormat;
using report::ExportKind;
using report::Json;

namespace {

class SchemaFile {
 public:
  explicit SchemaFile(const std::string& kind) : schema_(test::JsonSchema::of_project(kind + "-export-1")) {}

  /// Empty when the row is valid, else what is wrong.
  [[nodiscard]] std::string faults(const Json& row) const {
    return schema_.faults(nlohmann::json::parse(row.dump(-1, ' ', false, Json::error_handler_t::replace)));
  }

  [[nodiscard]] std::vector<std::string> properties() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : schema_.document()["properties"].items()) names.push_back(name);
    return names;
  }

 private:
  test::JsonSchema schema_;
};

const std::vector<std::pair<ExportKind, std::string>> kKinds{{ExportKind::spans, "spans"},
                                                             {ExportKind::entries, "entries"},
                                                             {ExportKind::deliveries, "deliveries"},
                                                             {ExportKind::episodes, "episodes"}};

std::vector<std::string> keys(const Json& row) {
  std::vector<std::string> out;
  for (const auto& [key, value] : row.items()) out.push_back(key);
  return out;
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

std::string exported(ExportKind kind, ExportFormat format, const EpisodeSpansRecord& record) {
  std::ostringstream out;
  report::ExportWriter writer(out, kind, format, "tracer/1");
  writer.add(record);
  return out.str();
}

/// The example with statuses, nulls and texts that try the schemas.
std::vector<EpisodeSpansRecord> varied_records() {
  std::vector<EpisodeSpansRecord> records{test::example().record};
  EpisodeSpansRecord bare;
  bare.episode.configuration = "=c,\"x\"\n";
  bare.episode.run = "r";
  bare.episode.episode = "bad \xFF byte";
  bare.episode.visibility = "unknown";
  bare.episode.delivery_grade = "none";
  for (int status = 0; status < 5; ++status) {
    SpanRecord span = records[0].spans[0];
    span.number = static_cast<std::uint32_t>(status + 1);
    span.status = static_cast<SpanStatus>(status);
    span.verdict = status == 0 ? std::optional(Verdict::mixed) : std::nullopt;
    if (span.status == SpanStatus::empty) {
      span.entries.clear();
      span.routing = Routing::empty;
    }
    for (EntryRecord& entry : span.entries) {
      entry.item.reset();
      entry.version.reset();
      if (status != 0) entry.answer.reset();
      if (entry.answer) entry.answer->labels = {};
    }
    span.deliveries[0].recorded_tokens = 12;
    bare.spans.push_back(span);
  }
  records.push_back(bare);
  return records;
}

}  // namespace

TEST_CASE("span rows have the fields of the trace format, in its order") {
  const auto rows = report::export_rows(ExportKind::spans, test::example().record, "tracer/1");
  REQUIRE(rows.size() == 2);
  const std::vector<std::string> start{"configuration", "run",    "episode", "span",       "first_step", "last_step",
                                       "routing",       "status", "verdict", "deliveries", "entries"};
  auto names = keys(rows[0]);
  names.resize(start.size());
  CHECK(names == start);
  CHECK(keys(rows[0]["deliveries"][0]) ==
        std::vector<std::string>{"delivery", "step", "restatement", "route", "form", "tokens"});
  CHECK(keys(rows[0]["entries"][0]) ==
        std::vector<std::string>{"entry", "item", "version", "window", "text_sha256", "labels"});
  CHECK(keys(rows[0]["entries"][0]["labels"]) ==
        std::vector<std::string>{"relevance", "accuracy", "novelty", "influence", "effect", "anchors", "judge"});
  CHECK(rows[0]["entries"][0]["labels"].dump() ==
        R"({"relevance":true,"accuracy":"corroborated","novelty":"novel","influence":"acted_on","effect":"improved",)"
        R"("anchors":[3],"judge":"tracer/1"})");
  CHECK(rows[0]["entries"][0]["window"].dump() == "[2,5]");
  CHECK(rows[1]["entries"][0]["window"].is_null());
  CHECK(rows[1]["entries"][0]["labels"].is_null());
  CHECK(rows[1]["routing"] == "automatic_neutral");
  CHECK(rows[1]["verdict"] == "neutral");
}

TEST_CASE("deliveries export holds consumed and unconsumed ones") {
  const auto rows = report::export_rows(ExportKind::deliveries, test::example().record, "");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["span"] == "S1");
  CHECK(rows[2]["consumed"] == false);
  CHECK(rows[2]["unconsumed_reason"] == "no step followed");
  CHECK(rows[2]["span"].is_null());
  CHECK(rows[2]["step"].is_null());
}

TEST_CASE("every exported row is valid under its schema, and the schema names exactly its columns") {
  for (const auto& [kind, name] : kKinds) {
    INFO(name);
    const SchemaFile schema(name);
    CHECK(sorted(schema.properties()) == sorted(report::export_columns(kind)));
    std::size_t rows = 0;
    for (const auto& record : varied_records()) {
      for (const Json& row : report::export_rows(kind, record, "tracer/1")) {
        CHECK(schema.faults(row).empty());
        CHECK(keys(row) == report::export_columns(kind));
        ++rows;
      }
    }
    CHECK(rows >= 2);
  }
}

TEST_CASE("profile rows are valid under their schema") {
  const SchemaFile schema("profiles");
  CHECK(sorted(schema.properties()) == sorted(report::profile_columns_exported()));
  rules::StudyTally tally;
  for (const auto& record : varied_records()) tally.add(record);
  for (const rules::AssessedSignals assessed : {rules::AssessedSignals{}, rules::AssessedSignals{false, false}}) {
    const auto rows = report::profile_rows(tally.finish(assessed), "tracer/1");
    REQUIRE(rows.size() == 4);
    for (const Json& row : rows) CHECK(schema.faults(row).empty());
    CHECK(rows[0]["run"].is_null());
    CHECK(rows[1]["run"] == "r");
    CHECK(rows[2]["relevance"].is_null() == !assessed.relevance);
  }
}

TEST_CASE("the schemas refuse wrong rows") {
  const SchemaFile schema("spans");
  Json row = report::export_rows(ExportKind::spans, test::example().record, "tracer/1")[0];
  REQUIRE(schema.faults(row).empty());
  const auto refuses = [&](auto&& spoil) {
    Json spoilt = row;
    spoil(spoilt);
    return !schema.faults(spoilt).empty();
  };
  CHECK(refuses([](Json& r) { r.erase("verdict"); }));
  CHECK(refuses([](Json& r) { r["verdict"] = "good"; }));
  CHECK(refuses([](Json& r) { r["span"] = "1"; }));
  CHECK(refuses([](Json& r) { r["entries"][0]["window"] = {1}; }));
  CHECK(refuses([](Json& r) { r["entries"][0]["text_sha256"] = "00"; }));
  CHECK(refuses([](Json& r) { r["entries"][0]["labels"]["influence"] = "used"; }));
  CHECK(refuses([](Json& r) { r["surprise"] = 1; }));
}

TEST_CASE("JSON Lines: one row a line, bytes that are no UTF-8 replaced") {
  const auto records = varied_records();
  const std::string text = exported(ExportKind::entries, ExportFormat::jsonl, records[1]);
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto row = nlohmann::json::parse(line);
    CHECK(row["configuration"] == "=c,\"x\"\n");
    CHECK(row["episode"] == "bad \uFFFD byte");
  }
  CHECK(count == 8);
}

TEST_CASE("CSV: nested lists as JSON in a cell, nulls as nothing, formulas disarmed") {
  const auto records = varied_records();
  const std::string spans = exported(ExportKind::spans, ExportFormat::csv, records[0]);
  CHECK(spans.substr(0, 46) == "configuration,run,episode,span,first_step,last");
  CHECK(spans.find("\r\nnotebook-v2,r1,ep-17,S1,2,5,judged,judged,beneficial,\"[{\"\"delivery\"\":\"\"d1\"\"") !=
        std::string::npos);
  CHECK(spans.find(",invoice-retry,17,true,\r\n") != std::string::npos);
  const std::string hostile = exported(ExportKind::deliveries, ExportFormat::csv, records[1]);
  CHECK(hostile.find("\r\n\"'=c,\"\"x\"\"\n\",r,") != std::string::npos);
}

TEST_CASE("the same rows give the same bytes, whatever was written before") {
  const auto records = varied_records();
  for (const auto& [kind, name] : kKinds) {
    for (const auto format : {ExportFormat::jsonl, ExportFormat::csv}) {
      CHECK(exported(kind, format, records[0]) == exported(kind, format, records[0]));
    }
  }
}

TEST_CASE("order of exports: configuration, run, position with none last, episode") {
  const auto episode = [](std::string configuration, std::string run, std::optional<std::uint64_t> position,
                          std::string id) {
    EpisodeRecord record;
    record.configuration = std::move(configuration);
    record.run = std::move(run);
    record.position = position;
    record.episode = std::move(id);
    return record;
  };
  const std::vector<EpisodeRecord> expected{episode("a", "r1", 2, "z"),  episode("a", "r1", 10, "a"),
                                            episode("a", "r1", 10, "b"), episode("a", "r1", {}, "0"),
                                            episode("a", "r2", 1, "q"),  episode("b", "r1", 1, "q")};
  auto shuffled = expected;
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    std::sort(shuffled.begin(), shuffled.end(), report::export_before);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(shuffled[i].episode == expected[i].episode);
      CHECK(shuffled[i].position == expected[i].position);
    }
  }
}

TEST_CASE("names of kinds and formats") {
  for (const auto& [kind, name] : kKinds) CHECK(report::parse_export_kind(name) == kind);
  CHECK_FALSE(report::parse_export_kind("span"));
  CHECK(report::parse_export_format("jsonl") == ExportFormat::jsonl);
  CHECK(report::parse_export_format("csv") == ExportFormat::csv);
  CHECK_FALSE(report::parse_export_format("xml"));
}
