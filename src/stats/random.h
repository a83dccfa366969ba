#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace memuse::stats {

/// The generator SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): a counter
/// that is mixed. Used to spread a seed over a larger state.
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t state) : state_(state) {}

  constexpr std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

/// The random numbers of one resample.
///
/// A stream is a function of (seed, index) alone. Resample i draws from stream (seed, i), so a result is the same for
/// any number of threads and any order in which they work. The generator is xoshiro256++ (Blackman and Vigna,
/// "Scrambled linear pseudorandom number generators", 2021), its state filled by SplitMix64 as its authors advise.
class RandomStream {
 public:
  using State = std::array<std::uint64_t, 4>;

  constexpr RandomStream(std::uint64_t seed, std::uint64_t index) : RandomStream(state_of(seed, index)) {}
  /// A stream that starts in a given state, which must not be all zero.
  explicit constexpr RandomStream(const State& state) : state_(state) {}

  /// 64 random bits.
  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// An integer in [0, bound), each equally likely; `bound` must not be 0. The high 32 bits of the next outputs, by
  /// multiplication with rejection (Lemire, "Fast random integer generation in an interval", 2019).
  constexpr std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (next() >> 32U) * bound;
    auto low = static_cast<std::uint32_t>(product);
    if (low < bound) {
      const std::uint32_t excess = (0U - bound) % bound;
      while (low < excess) {
        product = (next() >> 32U) * bound;
        low = static_cast<std::uint32_t>(product);
      }
    }
    return static_cast<std::uint32_t>(product >> 32U);
  }

  /// A number in [0, 1), a multiple of 2^-53.
  constexpr double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  /// Mixing the seed before the index is added keeps the streams of neighbouring seeds apart.
  static constexpr State state_of(std::uint64_t seed, std::uint64_t index) {
    SplitMix64 words(SplitMix64(SplitMix64(seed).next() + index).next());
    State state{};
    for (std::uint64_t& word : state) word = words.next();
    return state;
  }

  State state_;
};

}  // namespace memuse::stats
