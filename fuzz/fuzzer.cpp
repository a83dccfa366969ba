// The libFuzzer program. MEMUSE_FUZZ_TARGET names the target; scripts/fuzz.sh sets it.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <random>
#include <string_view>

#include "fuzz/targets.h"
#include "support/json_mutation.h"

namespace {

const memuse::fuzz::Target* chosen = nullptr;

const memuse::fuzz::Target* find_target(std::string_view name) {
  for (const memuse::fuzz::Target& target : memuse::fuzz::targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* name = std::getenv("MEMUSE_FUZZ_TARGET");
  chosen = find_target(name == nullptr ? "" : name);
  if (chosen != nullptr) return 0;
  std::fputs("MEMUSE_FUZZ_TARGET must be one of:\n", stderr);
  for (const memuse::fuzz::Target& target : memuse::fuzz::targets()) std::fprintf(stderr, "%s\n", target.name.c_str());
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    chosen->run({reinterpret_cast<const char*>(data), size});
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "broken property: %s\n", fault.what());
    std::abort();
  }
  return 0;
}

/// Half of the changes keep JSON well formed: bytes that no parser takes teach little about what comes behind it.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  std::mt19937_64 random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view before(reinterpret_cast<const char*>(data), size);
  const auto changed = random() % 4 == 0 ? std::optional(memuse::test::with_moved_lines(before, random))
                                         : memuse::test::with_swapped_value(before, random);
  if (!changed || changed->empty() || changed->size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  changed->copy(reinterpret_cast<char*>(data), changed->size());
  return changed->size();
}
