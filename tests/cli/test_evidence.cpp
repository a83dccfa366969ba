// `memuse evidence` through the real program.

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "support/program.h"

using Catch::Matchers::Contains;
using memuse::test::memuse_output;
using memuse::test::ProgramResult;
using memuse::test::read_file;
using memuse::test::run_memuse;
using memuse::test::TemporaryFolder;
using memuse::test::write_file;
using Json = nlohmann::json;

namespace {

std::string trace(const std::string& response) {
  const auto line = [](const Json& record) { return record.dump() + "\n"; };
  return line({{"type", "episode"},
               {"schema", "memuse-trace/1"},
               {"episode", "e1"},
               {"task_id", "t1"},
               {"configuration", "c"},
               {"run", "r1"},
               {"task", {{"text", "Set the port."}}},
               {"reference", {{"kind", "patch"}, {"text", "+port=7719"}}},
               {"outcome", {{"resolved", true}}}}) +
         line({{"type", "message"},
               {"id", "m"},
               {"role", "user"},
               {"origin", "memory"},
               {"text", "Port 7719 \x1b[2J."}}) +
         line({{"type", "delivery"}, {"id", "d"}, {"route", "host"}, {"form", "recall"}, {"message", "m"}}) +
         line({{"type", "step"}, {"step", 1}, {"id", "s1"}, {"response", response}}) + line({{"type", "end"}});
}

/// A database of one episode and the trace that it was made from.
struct Ingested {
  Ingested() {
    write_file(folder.path() / "trace.jsonl", trace("Port it is."));
    memuse_output({"ingest", folder / "trace.jsonl", "--db", database});
  }
  [[nodiscard]] ProgramResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "evidence");
    arguments.insert(arguments.end(), {"--db", database});
    return run_memuse(arguments);
  }
  std::string output(const std::vector<std::string>& arguments) const {
    const ProgramResult result = run(arguments);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return result.out;
  }

  TemporaryFolder folder;
  std::string database = folder / "memuse.db";
};

std::set<std::string> files_below(const std::filesystem::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(std::filesystem::relative(entry.path(), folder).string());
  }
  return files;
}

}  // namespace

TEST_CASE("evidence lists, prints and writes the same files") {
  const Ingested study;
  CHECK_THAT(study.output({"e1/S1"}), Contains("Evidence of span S1 of episode e1: 6 files") && Contains("steps/0001"));
  const Json list = Json::parse(study.output({"c/r1/e1/S1", "--json"}));
  CHECK(list["span"] == "S1");
  const std::filesystem::path set = study.folder.path() / "set";
  CHECK(study.output({"e1/S1", "-o", set.string()}).empty());
  std::set<std::string> listed;
  for (const Json& file : list["files"]) {
    const auto name = file["file"].get<std::string>();
    listed.insert(name);
    const std::string bytes = read_file(set / name);
    CHECK(file["bytes"] == bytes.size());
    CHECK(study.output({"e1/S1", "--file", name}) == bytes);
  }
  CHECK(listed == files_below(set));
  CHECK(listed ==
        std::set<std::string>{"task", "target", "prior_context", "earlier_copies", "deliveries", "steps/0001"});
  CHECK(study.output({"e1/S1", "--file", "target", "-o", study.folder / "target.txt"}).empty());
  CHECK(read_file(study.folder.path() / "target.txt") == read_file(set / "target"));
}

TEST_CASE("reference and outcome are shown when asked for") {
  const Ingested study;
  CHECK_THAT(study.output({"e1/S1", "--reference", "--outcome"}), Contains("reference") && Contains("outcome"));
  CHECK_THAT(study.output({"e1/S1", "--reference", "--file", "reference"}), Contains("+port=7719"));
  CHECK(study.run({"e1/S1", "--file", "reference"}).exit_code == 2);
}

TEST_CASE("evidence needs no judgement and does not mind several") {
  const Ingested study;
  memuse_output({"judge", "--db", study.database});
  CHECK_THAT(study.output({"e1/S1"}), Contains("6 files"));
}

TEST_CASE("a trace that changed since gives no evidence") {
  const Ingested study;
  write_file(study.folder.path() / "trace.jsonl", trace("Gate it is."));
  const ProgramResult result = study.run({"e1/S1"});
  CHECK(result.exit_code == 3);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Contains("the evidence cannot be made") && Contains("trace.jsonl"));
}

TEST_CASE("wrong command lines say what to do") {
  const Ingested study;
  const auto fails = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const ProgramResult result = study.run(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(message));
  };
  fails({"e1"}, "names no span");
  fails({"e1/S2"}, "no span S2; its spans are S1 to S1");
  fails({"e9/S1"}, "there is no episode");
  fails({"e1/S1", "--file", "../task"}, "no file '../task'");
  fails({"e1/S1", "--file", "task", "--section", "D1"}, "no section 'D1'");
  fails({"e1/S1", "--section", "D1"}, "say which with --file");
  fails({"e1/S1", "--json", "--file", "task"}, "leave --file and -o out");
  fails({"e1/S1", "-o", study.folder.path().string()}, "is not empty");
}
