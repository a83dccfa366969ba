// Every fuzzing target over its seeds, over the inputs that once broke something (fuzz/inputs), and over a few hundred
// kinds of damage to them, always the same. Long runs are libFuzzer's (docs/fuzzing.md).

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <random>
#include <set>
#include <string>

#include "fuzz/targets.h"
#include "support/json_mutation.h"

namespace memuse::fuzz {
namespace {

/// What the target says of an input; empty when all is well.
std::string fault_of(const Target& target, std::string_view input) {
  try {
    target.run(input);
  } catch (const std::exception& fault) {
    return fault.what();
  }
  return {};
}

/// The inputs in fuzz/inputs of a target.
std::vector<SeedFile> kept_inputs(const Target& target) {
  const std::string folder = "fuzz/inputs/" + target.name;
  constexpr std::size_t kLargest = std::size_t{1} << 20;
  if (!std::filesystem::exists(std::filesystem::path(MEMUSE_SOURCE_DIR) / folder)) return {};
  return source_files(folder, kLargest);
}

}  // namespace

TEST_CASE("fuzzing targets have different names and seeds that they accept") {
  std::set<std::string> names;
  for (const Target& target : targets()) {
    INFO(target.name);
    CHECK(names.insert(target.name).second);
    const std::vector<std::string> seeds = target.seeds();
    CHECK_FALSE(seeds.empty());
    for (const std::string& seed : seeds) CHECK(fault_of(target, seed) == "");
    CHECK(fault_of(target, "") == "");
  }
}

TEST_CASE("inputs that once broke something break nothing") {
  std::size_t inputs = 0;
  for (const Target& target : targets()) {
    for (const SeedFile& file : kept_inputs(target)) {
      INFO(file.path);
      CHECK(fault_of(target, file.bytes) == "");
      ++inputs;
    }
  }
  std::size_t files = 0;
  const std::filesystem::path folder = std::filesystem::path(MEMUSE_SOURCE_DIR) / "fuzz" / "inputs";
  REQUIRE(std::filesystem::exists(folder));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) files += entry.is_regular_file();
  CHECK(inputs == files);  // none stands where no target looks
}

TEST_CASE("damaged seeds are survived") {
  constexpr int kRounds = 60;
  for (const Target& target : targets()) {
    INFO(target.name);
    std::vector<std::string> inputs = target.seeds();
    for (SeedFile& file : kept_inputs(target)) inputs.push_back(std::move(file.bytes));
    REQUIRE_FALSE(inputs.empty());
    std::mt19937_64 random(20310401);
    for (int round = 0; round < kRounds; ++round) {
      std::string input = inputs[random() % inputs.size()];
      for (std::uint64_t times = 1 + random() % 3; times > 0; --times) input = test::with_damage(input, random);
      const std::string fault = fault_of(target, input);
      if (fault.empty()) continue;
      INFO(round << ": " << fault);
      FAIL_CHECK(input.substr(0, 4000));
      break;
    }
  }
}

}  // namespace memuse::fuzz
