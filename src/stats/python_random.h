#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace memuse::stats {

/// Seeds std::mt19937 with an array of 32-bit keys as `init_by_array` of the reference implementation does (Matsumoto
/// and Nishimura, mt19937ar.c, 2002). The generator's own seeding differs; but it takes its whole state from what a
/// seed sequence generates, and this one generates that state.
class ArraySeed {
 public:
  using result_type = std::uint32_t;

  /// `keys` must not be empty and must outlive the seeding.
  explicit ArraySeed(std::span<const std::uint32_t> keys) : keys_(keys) {}

  /// Fills [first, last), which must be the 624 words that std::mt19937 asks for.
  void generate(std::uint32_t* first, std::uint32_t* last) const;

 private:
  std::span<const std::uint32_t> keys_;
};

/// The numbers of Python's `random.Random(seed)` for an integer seed from 0 to 2^64 - 1 (CPython,
/// Modules/_randommodule.c and Lib/random.py, 3.2 and later). For results that must equal those of a Python program;
/// else use `RandomStream`.
class PythonRandom {
 public:
  explicit PythonRandom(std::uint64_t seed);

  /// `getrandbits(count)` for 1 to 32 bits: the top bits of the next 32-bit output.
  std::uint32_t bits(unsigned count) { return static_cast<std::uint32_t>(engine_()) >> (32U - count); }

  /// `randrange(bound)` for 0 < bound < 2^32; `choice` picks by it: as many
  /// bits as `bound` has, again while the value is not below it.
  std::uint32_t below(std::uint32_t bound);

 private:
  std::mt19937 engine_;
};

}  // namespace memuse::stats
