// Labels by hand and agreement, through the real program.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
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
using memuse::test::write_file;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

const fs::path kExamples = fs::path(MEMUSE_SOURCE_DIR) / "examples";

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

/// The examples, ingested.
std::string example_database(const TemporaryFolder& folder) {
  std::string database = folder / "study.db";
  memuse_output({"ingest", (kExamples / "traces").string(), "--db", database});
  return database;
}

std::vector<Json> example_labels(const std::string& labeller) {
  return json_lines(read_file(kExamples / "labels" / (labeller + ".jsonl")));
}

/// Copies flat labels into the forms of a folder that is not blind. Returns the folders of the spans that were filled.
std::vector<fs::path> fill_in(const fs::path& folder, const std::vector<Json>& labels) {
  std::vector<fs::path> filled;
  for (const Json& label : labels) {
    const auto text = [&](const char* field) { return label[field].get<std::string>(); };
    const fs::path span = folder / text("configuration") / text("run") / text("episode") / text("span");
    Json form = Json::parse(read_file(span / "answer.json"));
    for (Json& entry : form["entries"]) {
      if (entry["entry"] != label["entry"]) continue;
      CHECK(entry["item"] == label["item"]);
      for (const char* field :
           {"reason", "evidence", "relevance", "accuracy", "novelty", "influence", "anchors", "effect"}) {
        entry[field] = label[field];
      }
      // Forms cite memory text from the file that it stands in.
      for (Json& piece : entry["evidence"]) {
        if (piece["step"] != 0) continue;
        piece.erase("step");
        piece["file"] = "target";
      }
    }
    write_file(span / "answer.json", form.dump(2));
    filled.push_back(span);
  }
  return filled;
}

Json agreement(const std::string& database, std::vector<std::string> sets, const std::string& resamples = "0") {
  sets.insert(sets.begin(), "agree");
  for (const char* argument : {"--db", database.c_str(), "--json", "--resamples", resamples.c_str()}) {
    sets.emplace_back(argument);
  }
  return Json::parse(memuse_output(sets));
}

double rounded(const Json& number) {
  return std::round(number["value"].get<double>() * 1000) / 1000;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("flat labels of two people are read, listed and compared") {
  const TemporaryFolder folder;
  const std::string database = example_database(folder);
  for (const std::string labeller : {"ada", "ben"}) {
    const Json read = Json::parse(
        memuse_output({"label", "--db", database, "--read", (kExamples / "labels" / (labeller + ".jsonl")).string(),
                       "--labeller", labeller, "--json"}));
    CHECK(read["stored"] == 7);
    CHECK(read["entries"] == 8);
    CHECK(read["refused"] == 0);
    CHECK(read["moved_quotes"].get<int>() >= 2);
  }
  const Json pair = agreement(database, {"label:ada", "label:ben"})["pairs"][0];
  CHECK(pair["both"] == 8);
  std::map<std::string, double> equal;
  for (const Json& signal : pair["signals"]) equal[signal["signal"]] = rounded(signal["agreement"]);
  CHECK(equal ==
        std::map<std::string, double>{
            {"accuracy", 1.0}, {"effect", 0.875}, {"influence", 0.875}, {"novelty", 1.0}, {"relevance", 0.875}});
  const Json judges = Json::parse(memuse_output({"show", "judges", "--db", database, "--json"}));
  REQUIRE(judges.size() == 2);
  CHECK(judges[0]["judge"] == "label:ada");
  CHECK(judges[0]["accepted"] == 7);
  CHECK(judges[0]["spans"] == 25);
  CHECK(judges[0]["settings"]["reads"] == "not recorded");

  // Reading again replaces, and changes nothing else.
  const ProgramResult again =
      run_memuse({"label", "--db", database, "--read", (kExamples / "labels/ada.jsonl").string(), "--labeller", "ada"});
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.err, Contains("7 of them in place of earlier ones"));
  CHECK(agreement(database, {"label:ada", "label:ben"})["pairs"][0] == pair);
}

TEST_CASE("tables on a judge say how it agrees with labels, and labels do not get in its way") {
  const TemporaryFolder folder;
  const std::string database = example_database(folder);
  memuse_output({"judge", "--db", database});
  const std::string before = Json::parse(memuse_output({"tables", "profile", "--db", database, "--json"}))["caption"];
  CHECK_THAT(before, !Contains("Agreement with"));
  memuse_output({"label", "--db", database, "--read", (kExamples / "labels/ada.jsonl").string(), "--labeller", "ada"});
  const std::string after = Json::parse(memuse_output({"tables", "profile", "--db", database, "--json"}))["caption"];
  CHECK_THAT(after, Contains("Judge tracer/1;") && Contains("Agreement with label:ada on 8 entries: influence kappa "));
  const std::string by_hand =
      Json::parse(memuse_output({"tables", "profile", "--db", database, "--judge", "label:ada", "--json"}))["caption"];
  CHECK_THAT(by_hand, Contains("Judge label:ada;") && !Contains("Agreement with label:ada"));
  CHECK_THAT(memuse_output({"show", "span", "cards/r2/refund-client/S2", "--db", database, "--judge", "#2"}),
             Contains("harmful") && Contains("label:ada"));
}

TEST_CASE("a folder of forms goes out untouched, and comes back filled in") {
  const TemporaryFolder folder;
  const std::string database = example_database(folder);
  const fs::path forms = folder.path() / "forms";
  const ProgramResult written = run_memuse({"label", "--db", database, "--write", forms.string()});
  CHECK(written.exit_code == 0);
  CHECK_THAT(written.err, Contains("25 spans of 20 episodes"));
  CHECK(fs::exists(forms / "README.txt"));
  CHECK(fs::exists(forms / "cards/r1/refund-client/S2/target.txt"));
  CHECK(fs::exists(forms / "cards/r1/refund-client/S2/prior_context.txt"));
  CHECK(fs::exists(forms / "cards/r1/refund-client/steps/0004.txt"));
  CHECK_THAT(read_file(forms / "cards/r1/refund-client/S2/task.txt"), Contains("Refunds have a client of their own"));
  // Nothing of the outcome, which was not asked for.
  CHECK(!fs::exists(forms / "cards/r1/refund-client/S2/outcome.txt"));

  const Json blank = Json::parse(
      memuse_output({"label", "--db", database, "--read", forms.string(), "--labeller", "nobody", "--json"}));
  CHECK(blank["spans"] == 25);
  CHECK(blank["blank"] == 25);
  CHECK(blank["stored"] == 0);

  fill_in(forms, example_labels("ada"));
  const Json read = Json::parse(
      memuse_output({"label", "--db", database, "--read", forms.string(), "--labeller", "forms", "--json"}));
  CHECK(read["stored"] == 7);
  CHECK(read["blank"] == 18);
  memuse_output({"label", "--db", database, "--read", (kExamples / "labels/ada.jsonl").string(), "--labeller", "flat"});
  const Json pair = agreement(database, {"label:forms", "label:flat"})["pairs"][0];
  CHECK(pair["both"] == 8);
  for (const Json& signal : pair["signals"]) CHECK(signal["agreement"]["value"] == 1.0);

  // What stands there is never written over.
  const ProgramResult twice = run_memuse({"label", "--db", database, "--write", forms.string()});
  CHECK(twice.exit_code == 2);
  CHECK_THAT(twice.err, Contains("not empty"));
}

TEST_CASE("the same forms are written again, byte for byte") {
  const TemporaryFolder folder;
  const std::string database = example_database(folder);
  for (const char* name : {"one", "two"}) {
    memuse_output({"label", "--db", database, "--write", folder / name, "--sample", "9", "--seed", "4", "--blind"});
  }
  const std::vector<fs::path> files = files_below(folder.path() / "one");
  CHECK(files == files_below(folder.path() / "two"));
  for (const fs::path& file : files) {
    CHECK(read_file(folder.path() / "one" / file) == read_file(folder.path() / "two" / file));
  }
}

TEST_CASE("faults in forms are listed with file and line, and the rest is stored") {
  const TemporaryFolder folder;
  const std::string database = example_database(folder);
  const fs::path forms = folder.path() / "forms";
  memuse_output({"label", "--db", database, "--write", forms.string()});
  const std::vector<fs::path> filled = fill_in(forms, example_labels("ada"));
  const auto change = [](const fs::path& span, const std::function<void(Json&)>& edit) {
    Json form = Json::parse(read_file(span / "answer.json"));
    edit(form);
    write_file(span / "answer.json", form.dump(2));
  };
  const fs::path base = forms / "cards";
  change(base / "r1/refund-client/S2",
         [](Json& form) { form["entries"][0]["evidence"][0]["quote"] = "never said by anyone"; });
  change(base / "r1/refund-client/S1", [](Json& form) { form["entries"][1]["novelty"] = ""; });
  change(base / "r2/refund-client/S2", [](Json& form) { form["entries"][0]["anchors"] = {99}; });
  change(base / "r2/partner-export/S1", [](Json& form) { form["entries"][0]["effect"] = "great"; });
  write_file(base / "r2/gateway-retries/S1/answer.json", "{\"format\": ");
  fs::copy_file(base / "r1/gateway-retries/S1/answer.json", base / "r1/flag-rename/S1/answer.json",
                fs::copy_options::overwrite_existing);

  const ProgramResult read = run_memuse({"label", "--db", database, "--read", forms.string(), "--labeller", "ada"});
  CHECK(read.exit_code == 1);
  CHECK_THAT(read.err, Contains("r1/refund-client/S2/answer.json:") && Contains("never said by anyone"));
  CHECK_THAT(read.err, Contains("cards/r1/refund-client/S1: entry 1: novelty is not filled in"));
  CHECK_THAT(read.err, Contains("anchor 99 is outside the window"));
  CHECK_THAT(read.err, Contains("effect is \"great\""));
  CHECK_THAT(read.err, Contains("no valid JSON"));
  CHECK_THAT(read.err, Contains("cards/r1/flag-rename/S1: this form was made for another span"));
  CHECK_THAT(read.err, Contains("labels of 2 spans (2 entries) stored"));
  CHECK_THAT(read.err, Contains("6 spans refused"));
  // The line of the second entry, not of the form.
  CHECK_THAT(read.err, !Contains("r1/refund-client/S1/answer.json:1:"));

  const Json judges = Json::parse(memuse_output({"show", "judges", "--db", database, "--json"}));
  CHECK(judges[0]["accepted"] == 2);
  CHECK(judges[0]["unresolved"] == 0);
}

TEST_CASE("a blind sample names nothing, and its size stands in captions") {
  const TemporaryFolder folder;
  const std::string database = example_database(folder);
  const fs::path forms = folder.path() / "forms";
  const ProgramResult written =
      run_memuse({"label", "--db", database, "--write", forms.string(), "--sample", "8", "--seed", "2", "--blind"});
  CHECK(written.exit_code == 0);
  CHECK_THAT(written.err, Contains("8 spans") && Contains("a sample of 25 spans"));
  std::size_t answers = 0;
  for (const fs::path& file : files_below(forms)) {
    INFO(file);
    if (file == "labels.json" || file == "spans.jsonl") continue;
    const std::string text = file.string() + "\n" + read_file(forms / file);
    CHECK_THAT(text, !Contains("notes-pinned"));
    CHECK_THAT(text, !Contains("\"r1\"") && !Contains("hidden check"));
    answers += file.filename() == "answer.json" ? 1U : 0U;
  }
  CHECK(answers == 8);
  double weights = 0;
  for (const Json& span : json_lines(read_file(forms / "spans.jsonl"))) weights += span["weight"].get<double>();
  CHECK(weights == Approx(25));

  memuse_output({"label", "--db", database, "--read", forms.string(), "--labeller", "eve"});
  const std::string caption = Json::parse(memuse_output({"tables", "units", "--db", database, "--json"}))["caption"];
  CHECK_THAT(caption, Contains("partial: 0 of 25 spans (a sample with seed 2)."));

  const ProgramResult small =
      run_memuse({"label", "--db", database, "--write", folder / "small", "--sample", "3", "--seed", "2"});
  CHECK_THAT(small.err, Contains("are not represented"));
  const ProgramResult contradiction =
      run_memuse({"label", "--db", database, "--write", folder / "other", "--blind", "--outcome"});
  CHECK(contradiction.exit_code == 2);
}

TEST_CASE("wrong ways to call label and agree are refused with what to do") {
  const TemporaryFolder folder;
  const std::string database = example_database(folder);
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, {"--db", database});
    const ProgramResult result = run_memuse(arguments);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  const std::string ada = (kExamples / "labels/ada.jsonl").string();
  CHECK_THAT(refused({"label"}), Contains("--write DIR"));
  CHECK_THAT(refused({"label", "--read", ada}), Contains("--labeller"));
  CHECK_THAT(refused({"label", "--read", folder / "nothing", "--labeller", "a"}), Contains("there is no"));
  CHECK_THAT(refused({"label", "--read", folder.path().string(), "--labeller", "a"}), Contains("labels.json"));
  CHECK_THAT(refused({"label", "--read", folder.write("x.jsonl", "[1]\n"), "--labeller", "a"}), Contains("x.jsonl:1"));
  CHECK_THAT(refused({"agree", "label:ada", "label:ben"}), Contains("nothing was judged yet"));
  memuse_output({"label", "--db", database, "--read", ada, "--labeller", "ada"});
  CHECK_THAT(refused({"agree", "label:ada", "label:ada"}), Contains("named twice"));
  CHECK_THAT(refused({"agree", "label:ada", "label:ben"}), Contains("#1 label:ada"));
}

TEST_CASE("flat labels for other spans, items and episodes are refused") {
  const TemporaryFolder folder;
  const std::string database = example_database(folder);
  std::string text;
  std::vector<Json> labels = example_labels("ada");
  labels[0]["episode"] = "no-such-episode";
  labels[3]["item"] = "CARD-9";
  labels[4]["span"] = "S40";
  labels[5]["entry"] = 7;
  for (const Json& label : labels) text += label.dump() + "\n";
  text += "not JSON\n{\"configuration\": \"cards\"}\n";
  const ProgramResult read =
      run_memuse({"label", "--db", database, "--read", folder.write("some.jsonl", text), "--labeller", "ada"});
  CHECK(read.exit_code == 1);
  CHECK_THAT(read.err, Contains("some.jsonl:1: cards/r1/no-such-episode/S1: its episode is not in this database"));
  CHECK_THAT(read.err, Contains("some.jsonl:4:") && Contains("item CARD-1 here, and the labels are for item CARD-9"));
  CHECK_THAT(read.err, Contains("some.jsonl:5:") && Contains("no span S40"));
  CHECK_THAT(read.err, Contains("some.jsonl:6:") && Contains("entry 7"));
  CHECK_THAT(read.err, Contains("some.jsonl:9:") && Contains("no valid JSON"));
  CHECK_THAT(read.err, Contains("some.jsonl:10:") && Contains("\"run\""));
  CHECK_THAT(read.err, Contains("labels of 3 spans (4 entries) stored"));
}

TEST_CASE("agreement of the two annotators of the recorded runs is what their README states") {
  MEMUSE_NEEDS_SHARED_DATA();
  const fs::path data = shared_data() / "recorded-runs";
  const TemporaryFolder folder;
  const std::string database = folder / "study.db";
  memuse_output({"ingest", (data / "traces").string(), "--db", database});
  memuse_output({"judge", "--db", database});
  for (const std::string number : {"1", "2"}) {
    const ProgramResult read = run_memuse({"label", "--db", database, "--read",
                                           (data / "labels" / ("annotator-" + number + ".jsonl")).string(),
                                           "--labeller", "annotator-" + number, "--accept-unfound-quotes", "--json"});
    const Json summary = Json::parse(read.out);
    CHECK(read.exit_code == 0);
    CHECK(summary["entries"] == 134);
    // The annotators were shown a line on the outcome that no trace holds, and a few quoted it.
    CHECK(summary["unfound_quotes"].size() == (number == "1" ? 2 : 5));
    for (const Json& quote : summary["unfound_quotes"]) {
      CHECK_THAT(quote["message"].get<std::string>(), Contains("\"Recorded outcome"));
    }
  }
  const Json all = agreement(database, {"label:annotator-1", "label:annotator-2", "tracer/1"});
  struct Stated {
    double agreement, kappa;
  };
  const std::map<std::string, Stated> stated{{"relevance", {0.985, 0.909}},
                                             {"accuracy", {0.963, 0.935}},
                                             {"novelty", {0.985, 0.963}},
                                             {"influence", {0.918, 0.888}},
                                             {"effect", {0.910, 0.828}}};
  for (const Json& signal : all["pairs"][0]["signals"]) {
    const Stated& expected = stated.at(signal["signal"]);
    CHECK(signal["n"] == 134);
    CHECK(signal["episodes"] == 25);
    CHECK(rounded(signal["agreement"]) == Approx(expected.agreement));
    CHECK(rounded(signal["kappa"]) == Approx(expected.kappa));
  }
  for (const std::size_t pair : {1U, 2U}) {
    const Json& signals = all["pairs"][pair]["signals"];
    CHECK(signals[0]["assessed"] == false);
    CHECK(signals[1]["assessed"] == false);
    CHECK(signals[2]["n"] == 134);
    CHECK(signals[3]["n"] == 134);
    CHECK(signals[4]["n"] == 0);  // no probes in these runs
  }
}
