#include "stats/python_random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>

namespace memuse::stats {
namespace {

std::mt19937 seeded_as_in_python(std::uint64_t seed) {
  // The key is the seed in 32-bit digits, lowest first, without leading zeros, at least one.
  const std::array<std::uint32_t, 2> digits{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)};
  ArraySeed sequence(std::span<const std::uint32_t>(digits).first(digits[1] == 0 ? 1 : 2));
  return std::mt19937(sequence);
}

std::uint32_t mixed(std::uint32_t word) {
  return word ^ (word >> 30U);
}

}  // namespace

void ArraySeed::generate(std::uint32_t* first, std::uint32_t* last) const {
  const std::span<std::uint32_t> state(first, last);
  assert(state.size() == std::mt19937::state_size);
  state[0] = 19650218U;
  for (std::size_t i = 1; i < state.size(); ++i)
    state[i] = 1812433253U * mixed(state[i - 1]) + static_cast<std::uint32_t>(i);

  std::size_t i = 1;
  const auto advance = [&] {
    if (++i < state.size()) return;
    state[0] = state.back();
    i = 1;
  };
  std::size_t key = 0;
  for (std::size_t round = std::max(state.size(), keys_.size()); round > 0; --round) {
    state[i] = (state[i] ^ (mixed(state[i - 1]) * 1664525U)) + keys_[key] + static_cast<std::uint32_t>(key);
    if (++key == keys_.size()) key = 0;
    advance();
  }
  for (std::size_t round = state.size() - 1; round > 0; --round) {
    state[i] = (state[i] ^ (mixed(state[i - 1]) * 1566083941U)) - static_cast<std::uint32_t>(i);
    advance();
  }
  state[0] = 0x80000000U;
}

PythonRandom::PythonRandom(std::uint64_t seed) : engine_(seeded_as_in_python(seed)) {}

std::uint32_t PythonRandom::below(std::uint32_t bound) {
  const auto width = static_cast<unsigned>(std::bit_width(bound));
  std::uint32_t value = bits(width);
  while (value >= bound) value = bits(width);
  return value;
}

}  // namespace memuse::stats
