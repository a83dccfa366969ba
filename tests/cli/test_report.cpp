// `memuse report`: what is in the page, against the tables and exports of the same database.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "support/json_schema.h"
#include "support/program.h"
#include "support/report_page.h"

namespace memuse::test {
namespace {

using Json = nlohmann::json;

struct Report {
  std::string html;
  Json study, episodes, items, texts;
  std::vector<Json> episode_pages, item_pages;
};

Report read_report(const std::string& path) {
  Report report;
  report.html = read_file(path);
  const auto elements = data_elements(report.html);
  report.study = Json::parse(elements.at("study"));
  report.episodes = Json::parse(elements.at("episodes"));
  report.items = Json::parse(elements.at("items"));
  report.texts = Json::parse(elements.at("texts"));
  for (std::size_t block = 0; elements.contains("block-" + std::to_string(block)); ++block) {
    for (Json& one : unpacked(elements.at("block-" + std::to_string(block)))) {
      (one.contains("transcript") ? report.episode_pages : report.item_pages).push_back(std::move(one));
    }
  }
  return report;
}

std::string study_of_traces(const TemporaryFolder& folder, const std::string& traces) {
  memuse_output({"run", traces, "-o", folder / "out"});
  return folder / "out" + "/memuse.db";
}

std::string example_traces() {
  return std::string(MEMUSE_SOURCE_DIR) + "/examples/traces";
}

Report report_of(const TemporaryFolder& folder, const std::string& database, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"report", "--db", database, "-o", folder / "report.html"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProgramResult result = run_memuse(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return read_report(folder / "report.html");
}

const Json& page_of(const Report& report, const std::string& run, const std::string& episode) {
  for (const Json& page : report.episode_pages) {
    if (page["episode"]["run"] == run && page["episode"]["episode"] == episode) return page;
  }
  throw std::runtime_error("no page of " + episode);
}

/// All text of parts.
std::string joined(const Json& parts) {
  std::string text;
  for (const Json& part : parts) {
    if (part.is_string()) text += part.get<std::string>();
    if (part.is_object() && part.contains("t")) text += part["t"].get<std::string>();
  }
  return text;
}

}  // namespace

TEST_CASE("report: its tables are those of `memuse tables`, its lists those of the exports") {
  const TemporaryFolder folder;
  const std::string database = study_of_traces(folder, example_traces());
  const Report report = report_of(folder, database);
  REQUIRE(report.study["tables"]["made"].size() >= 6);
  for (auto& [name, table] : report.study["tables"]["made"].items()) {
    INFO(name);
    Json plain = table;
    for (Json& row : plain["rows"]) {
      for (Json& cell : row["cells"]) cell.erase("shown");
    }
    CHECK(plain == Json::parse(memuse_output({"tables", name, "--db", database, "--json"})));
  }
  CHECK(report.study["tables"]["lacking"].contains("difficulty"));
  CHECK(report.episodes["count"] == 24);
  CHECK(report.episode_pages.size() == 24);
  CHECK(report.items["count"] == report.item_pages.size());
  CHECK(report.texts["limit"].is_null());
  std::istringstream rows(memuse_output({"export", "episodes", "--db", database}));
  std::size_t place = 0;
  for (std::string row; std::getline(rows, row); ++place) {
    const Json episode = Json::parse(row);
    CHECK(report.episodes["uid"][place] == episode["uid"]);
    CHECK(report.episodes["numbers"]["steps"][place] == episode["steps"]);
    CHECK(report.episodes["numbers"]["deliveries"][place] == episode["deliveries"]);
    CHECK(page_of(report, episode["run"], episode["episode"])["source_missing"].is_null());
  }
  CHECK(place == 24);
}

TEST_CASE("report: every object fits the schema") {
  const TemporaryFolder folder;
  const JsonSchema schema = JsonSchema::of_project("report-data-1");
  const JsonSchema lineage = JsonSchema::of_project("item-lineage-1");
  for (const char* example : {"traces", "study", "bridge-root", "merit-cell", "unannotated"}) {
    INFO(example);
    const TemporaryFolder inner;
    const Report report =
        report_of(folder, study_of_traces(inner, std::string(MEMUSE_SOURCE_DIR) + "/examples/" + example));
    CHECK(schema.faults({{"study", report.study}}) == "");
    CHECK(schema.faults({{"episodes", report.episodes}}) == "");
    CHECK(schema.faults({{"items", report.items}}) == "");
    CHECK(schema.faults({{"texts", report.texts}}) == "");
    CHECK_FALSE(report.episode_pages.empty());
    for (const Json& page : report.episode_pages) CHECK(schema.faults({{"episode", page}}) == "");
    CHECK(lineage.faults(report.item_pages) == "");
  }
}

TEST_CASE("report: a verdict can be followed to the quoted line") {
  const TemporaryFolder folder;
  const Report report = report_of(folder, study_of_traces(folder, example_traces()));
  const Json& page = page_of(report, "r2", "refund-client");
  const Json& span = page["spans"].at(1);
  CHECK(span["verdict"] == "harmful");
  CHECK(joined(span["placed"]).find("the first retry comes after 400 ms") != std::string::npos);
  const Json& entry = span["entries"].at(0);
  CHECK(entry["labels"]["effect"] == "harmed");
  CHECK(entry["earlier_copies"].at(0) == Json{{"span", 1}, {"entry", 0}, {"step", 3}, {"visible", true}});
  REQUIRE(entry["quotes"].size() == 4);
  for (const Json& number : entry["quotes"]) CHECK(page["quotes"].at(number.get<std::size_t>())["found"] == true);
  // The command of step 4 holds the quote, and the memory stands in the result of step 3.
  std::string quoted;
  std::string placed;
  for (const Json& line : page["transcript"]) {
    if (!line.contains("step")) continue;
    for (const Json& action : line["actions"]) {
      for (const Json& argument : action["arguments"]) {
        for (const Json& part : argument["text"]) {
          if (line["step"] == 4 && part.is_object() && part.contains("q")) quoted += part["t"].get<std::string>();
        }
      }
    }
    for (const Json& result : line["results"]) {
      for (const Json& part : result["text"]) {
        if (line["step"] == 3 && part.is_object() && part.contains("m") && part["m"] == Json{2}) {
          placed += part["t"].get<std::string>();
        }
      }
    }
  }
  CHECK(quoted.find("RETRY_BASE_MS = 400") != std::string::npos);
  CHECK(placed == joined(span["placed"]));
}

TEST_CASE("report: the same database gives the same bytes, and less text where less is wanted") {
  const TemporaryFolder folder;
  const std::string database = study_of_traces(folder, example_traces());
  const std::string first = report_of(folder, database).html;
  CHECK(report_of(folder, database).html == first);
  const Report small = report_of(folder, database, {"--text-limit", "40"});
  CHECK(small.texts["limit"] == 40);
  CHECK(small.html.size() < first.size());
  const Json& page = page_of(small, "r2", "refund-client");
  CHECK(page["task"].dump().find("{\"cut\":") != std::string::npos);
  // Quotes are there however little is kept.
  for (const Json& quote : page["quotes"]) {
    if (quote["found"] == true) CHECK(page["transcript"].dump().find("\"q\":[") != std::string::npos);
  }
}

TEST_CASE("report: what does not fit is left out, harm last, and listed all the same") {
  const TemporaryFolder folder;
  const std::string database = study_of_traces(folder, example_traces());
  const ProgramResult result = run_memuse({"report", "--db", database, "-o", folder / "r.html", "--max-mb", "0"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.find("details of 24 episodes left out") != std::string::npos);
  CHECK(result.err.find("memuse view shows all of it") != std::string::npos);
  const Report report = read_report(folder / "r.html");
  CHECK(report.episodes["count"] == 24);
  CHECK(report.episode_pages.empty());
  for (const Json& block : report.episodes["block"]) CHECK(block.is_null());
  const Report fewer = report_of(folder, database, {"--items", "3"});
  CHECK(fewer.item_pages.size() == 3);
  CHECK(fewer.items["count"] == 18);
}

TEST_CASE("report: without its source an episode is shown from the database, and it is said") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "traces");
  std::filesystem::copy_file(example_traces() + "/cards.r1.jsonl", folder.path() / "traces" / "a.jsonl");
  const std::string database = study_of_traces(folder, folder / "traces");
  std::filesystem::rename(folder.path() / "traces", folder.path() / "moved");
  const ProgramResult result = run_memuse({"report", "--db", database, "-o", folder / "r.html"});
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("the source of 6 episodes could not be read again") != std::string::npos);
  const Report report = read_report(folder / "r.html");
  REQUIRE(report.episode_pages.size() == 6);
  for (const Json& page : report.episode_pages) {
    CHECK(page["transcript"].is_null());
    CHECK(page["source_missing"].get<std::string>().find("a.jsonl") != std::string::npos);
  }
  CHECK(joined(page_of(report, "r1", "refund-client")["spans"][1]["entries"][0]["text"]).find("1250") !=
        std::string::npos);
  const Report again = report_of(folder, database, {"--source-root", folder / "traces" + "=" + (folder / "moved")});
  CHECK_FALSE(again.episode_pages.at(0)["transcript"].is_null());
}

TEST_CASE("report: hostile texts stay texts") {
  const TemporaryFolder folder;
  const std::string evil = "</script><img src=x onerror=alert(1)><!--<script>&lt;\x1b[31m\xE2\x80\xAE\xE2\x80\xA8";
  const std::string escaped = Json(evil).dump();
  const std::string line = escaped.substr(1, escaped.size() - 2);
  std::string trace =
      R"({"type":"episode","schema":"memuse-trace/1","configuration":"c</script>","run":"r<b>","episode":")" + line +
      R"(","task_id":"t","task":{"text":")" + line + "\"}}\n";
  trace += R"({"type":"message","id":"m1","role":"user","origin":"memory","text":")" + line +
           std::string(1'000'000, 'x') + "\"}\n";
  trace += R"({"type":"delivery","id":"d1","route":"host","form":")" + line +
           R"(","message":"m1","entries":[{"item":")" + line + R"(","text":")" + line + "\"}]}\n";
  trace += R"({"type":"step","step":1,"id":"s0","response":"broken )" + std::string("\xFF\xC3") + R"( "})" + "\n";
  trace += R"({"type":"step","step":1,"id":"s1","response":")" + line + "\"}\n";
  write_file(folder.path() / "evil.jsonl", trace);
  run_memuse({"run", folder / "evil.jsonl", "-o", folder / "out"});
  const ProgramResult result = run_memuse({"report", "--db", folder / "out" + "/memuse.db", "-o", folder / "r.html"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Report report = read_report(folder / "r.html");
  REQUIRE(report.episode_pages.size() == 1);
  CHECK(report.episode_pages[0]["episode"]["episode"] == evil);
  CHECK(joined(report.episode_pages[0]["task"]) == evil);
  CHECK(report.html.find("<img") == std::string::npos);
  CHECK(report.html.find("onerror=alert(1)>") == std::string::npos);
  CHECK(report.html.find('\x1b') == std::string::npos);
}

TEST_CASE("report: wrong use is told") {
  const TemporaryFolder folder;
  const std::string database = study_of_traces(folder, example_traces());
  CHECK(run_memuse({"report", "--db", folder / "none.db", "-o", folder / "r.html"}).exit_code != 0);
  CHECK(run_memuse({"report", "--db", database}).exit_code == 2);
  for (const char* limit : {"", "many", "-1", "10x"}) {
    const ProgramResult wrong =
        run_memuse({"report", "--db", database, "-o", folder / "r.html", "--text-limit", limit});
    CHECK(wrong.exit_code == 2);
  }
  CHECK(run_memuse({"report", "--db", database, "-o", folder / "r.html", "--baseline", "nobody"}).exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "r.html"));
  CHECK(run_memuse({"report", "--db", database, "-o", folder / "no/such/r.html"}).exit_code == 3);
}

}  // namespace memuse::test
