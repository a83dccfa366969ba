#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "../support/temporary_folder.h"
#include "ingest/diagnostic_log.h"
#include "ingest/pipeline.h"

namespace memuse::ingest {
namespace {

using test::TemporaryFolder;
namespace fs = std::filesystem;

/// A log whose losses are kept.
struct Account {
  Account() {
    log.tell([this](const SetAside& one) { told.push_back(one); });
  }
  DiagnosticLog log{"f"};
  std::vector<SetAside> told;
};

std::uint64_t sum_of(const std::map<Fault, std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [fault, count] : counts) sum += count;
  return sum;
}

TEST_CASE("a record with several errors is set aside once, for the first", "[records]") {
  Account account;
  account.log.begin_record(3, 30, 39);
  account.log.add(Severity::error, Fault::missing_field, 3, 30, "a");
  account.log.add(Severity::error, Fault::unknown_value, 3, 35, "b");
  account.log.begin_record(4, 40, 49);
  const RecordCounts& counts = account.log.records();
  CHECK(counts.read == 2);
  CHECK(counts.kept() == 1);
  CHECK(counts.reasons == std::map<Fault, std::uint64_t>{{Fault::missing_field, 1}});
  REQUIRE(account.told.size() == 1);
  CHECK(account.told[0].byte_begin == 30);
  CHECK(account.told[0].byte_end == 39);
  CHECK(account.told[0].detail == "a");
}

TEST_CASE("a warning costs no record, an unknown type does", "[records]") {
  Account account;
  account.log.begin_record(1, 0, 9);
  account.log.add(Severity::warning, Fault::wrong_type, 1, 0, "");
  account.log.begin_record(2, 10, 19);
  account.log.count_unknown_type("weather", 2, 10);
  CHECK(account.log.records().set_aside == 1);
  CHECK(account.log.records().reasons.at(Fault::unknown_type) == 1);
}

TEST_CASE("a fault in a part leaves the record, until the whole is set aside for it", "[records]") {
  Account kept;
  kept.log.begin_document(1, 0, 99);
  kept.log.in_parts();
  kept.log.add(Severity::error, Fault::not_an_object, 7, 70, "messages[2]");
  CHECK(kept.log.records().set_aside == 0);
  CHECK(kept.log.records().in_part == 1);
  REQUIRE(kept.told.size() == 1);
  CHECK(kept.told[0].extent == Extent::part);

  Account lost;
  lost.log.begin_document(1, 0, 99);
  lost.log.in_parts();
  lost.log.add(Severity::error, Fault::missing_field, 1, 0, "messages");
  lost.log.add(Severity::error, Fault::episode_set_aside, 1, 0, "");
  CHECK(lost.log.records().set_aside == 1);
  CHECK(lost.log.records().in_part == 0);
  REQUIRE(lost.told.size() == 1);
  CHECK(lost.told[0].extent == Extent::record);
  CHECK(lost.told[0].fault == Fault::missing_field);
}

TEST_CASE("a record that turns out useless later is set aside once", "[records]") {
  Account account;
  account.log.begin_record(1, 0, 9);
  account.log.begin_record(2, 10, 19);
  for (int i = 0; i < 2; ++i) account.log.add(Severity::error, Fault::episode_set_aside, 1, 0, "");
  CHECK(account.log.records().set_aside == 1);
  CHECK(account.told.size() == 1);
}

TEST_CASE("a file without an episode keeps no record", "[records]") {
  Account account;
  for (std::uint64_t line = 1; line <= 5; ++line) account.log.begin_record(line, line * 10, line * 10 + 9);
  account.log.add(Severity::error, Fault::invalid_json, 5, 50, "");
  account.log.set_all_aside(Fault::episode_set_aside, "no prompt");
  CHECK(account.log.records().kept() == 0);
  CHECK(account.log.records().reasons.at(Fault::invalid_json) == 1);
  CHECK(account.log.records().reasons.at(Fault::episode_set_aside) == 4);
}

TEST_CASE("losses of a file beyond the listed diagnostics are all told", "[records]") {
  Account account;
  constexpr std::uint64_t kMany = 3 * DiagnosticLog::kMaxPerFault;
  for (std::uint64_t line = 1; line <= kMany; ++line) {
    account.log.begin_record(line, line, line + 1);
    account.log.add(Severity::error, Fault::invalid_json, line, line, "");
  }
  CHECK(account.log.records().set_aside == kMany);
  CHECK(account.told.size() == kMany);
  CHECK(account.log.take().size() == DiagnosticLog::kMaxPerFault);
}

// --- every adapter, every example, at random damaged

void damage(const fs::path& file, std::mt19937& random) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  in.close();
  if (bytes.empty()) return;
  const auto at = [&] { return std::uniform_int_distribution<std::size_t>(0, bytes.size() - 1)(random); };
  const std::size_t hits = 1 + random() % 4;
  for (std::size_t i = 0; i < hits && !bytes.empty(); ++i) {
    switch (random() % 6) {
      case 0:
        bytes[at()] = static_cast<char>(random() % 256);
        break;
      case 1:
        bytes.resize(at());
        break;
      case 2:
        bytes.insert(at(), "\n");
        break;
      case 3:
        bytes.erase(at(), 1 + random() % 40);
        break;
      case 4: {  // a key that nobody knows
        const std::size_t quote = bytes.find('"', at());
        if (quote != std::string::npos) bytes.insert(quote + 1, "x");
        break;
      }
      default: {  // a line twice
        const std::size_t end = bytes.find('\n', at());
        const std::size_t begin = end == std::string::npos || end == 0 ? std::string::npos : bytes.rfind('\n', end - 1);
        if (begin != std::string::npos) bytes.insert(end, bytes.substr(begin, end - begin));
      }
    }
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

struct Accounts {
  std::vector<FileReport> files;
  std::map<std::size_t, std::vector<SetAside>> told;  // by input
};

Accounts read_accounts(const std::string& folder) {
  Accounts all;
  PipelineOptions options;
  options.jobs = 1;
  options.set_aside = [&](std::size_t input) {
    return [&all, input](const SetAside& one) { all.told[input].push_back(one); };
  };
  read_inputs(
      find_inputs({folder}).files, options, [](Episode&&) {},
      [&](FileReport&& report) { all.files.push_back(std::move(report)); });
  return all;
}

void check_accounts(const Accounts& all) {
  for (const FileReport& file : all.files) {
    INFO(file.path << " as " << file.format);
    const RecordCounts& records = file.records;
    CHECK(records.set_aside <= records.read);
    CHECK(records.kept() + records.set_aside == records.read);
    CHECK(sum_of(records.reasons) == records.set_aside);
    CHECK(records.in_part <= records.kept());
    if (file.episodes > 0) CHECK(records.kept() > 0);
    std::uint64_t told = 0;
    std::uint64_t whole = 0;
    const auto found = all.told.find(file.input);
    if (found != all.told.end()) {
      for (const SetAside& one : found->second) {
        told += one.extent == Extent::record ? 1 : 0;
        whole += one.extent == Extent::input ? 1 : 0;
        if (one.byte_end) CHECK(one.byte_begin <= *one.byte_end);
      }
    }
    // A file of which nothing was used is told as a whole, with what was not told before.
    if (whole == 0) {
      CHECK(told == records.set_aside);
    } else {
      CHECK(told <= records.set_aside);
    }
    // What is an error is accounted for: as a record, as a part or as the input.
    if (any_error(file.diagnostics)) {
      CHECK(records.set_aside + sum_of(records.part_reasons) + sum_of(records.input_reasons) > 0);
    }
  }
}

TEST_CASE("records read are records kept and records set aside, however the examples are damaged", "[records]") {
  const fs::path examples = fs::path(MEMUSE_SOURCE_DIR) / "examples";
  check_accounts(read_accounts(examples.string()));
  std::uint64_t set_aside = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const TemporaryFolder folder;
    fs::copy(examples, folder.path() / "examples", fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "examples")) {
      if (entry.is_regular_file() && entry.file_size() < 200000) damage(entry.path(), random);
    }
    const Accounts accounts = read_accounts((folder.path() / "examples").string());
    check_accounts(accounts);
    for (const FileReport& file : accounts.files) set_aside += file.records.set_aside;
  }
  CHECK(set_aside > 100);
}

}  // namespace
}  // namespace memuse::ingest
