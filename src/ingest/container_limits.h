#pragma once

#include <atomic>
#include <cstdint>

namespace memuse::ingest {

/// What a compressed file or an archive may come to before it is taken for one that was made to exhaust the reader.
struct ContainerLimits {
  /// Bytes for each byte of the file, beyond a first allowance (`kExpansionAllowance`). JSON Lines of traces come to a
  /// tenth of the default; a file made to exhaust the reader comes to a thousand.
  std::uint64_t expansion = 200;
  /// Entries of one archive, with those of the archives inside it.
  std::uint64_t members = 1'000'000;
  /// Set from outside when nobody wants the rest any more; may be null.
  const std::atomic<bool>* stop = nullptr;
};

/// Thrown while an archive is unpacked, when `ContainerLimits::stop` is set.
struct UnpackingStopped {};

/// Bytes that every container may become, however small it is.
inline constexpr std::uint64_t kExpansionAllowance = std::uint64_t{64} << 20;

/// Archives inside archives are opened this deep: an archive, one inside it, and one inside that.
inline constexpr int kMaxArchiveDepth = 3;

/// The largest limits that the options take; for what was read once under limits that are no longer known.
inline constexpr ContainerLimits kLargestContainerLimits{1'000'000, 100'000'000};

/// True when `bytes_out` bytes are more than `bytes_in` bytes of a container may become.
[[nodiscard]] constexpr bool expands_too_far(std::uint64_t bytes_in, std::uint64_t bytes_out,
                                             const ContainerLimits& limits) {
  return bytes_out > kExpansionAllowance && (bytes_out - kExpansionAllowance) / limits.expansion > bytes_in;
}

/// The limits that hold for what this thread opens; the defaults, unless a scope says otherwise.
[[nodiscard]] const ContainerLimits& container_limits();

/// While it lives, files that this thread opens are read under these limits: adapters open files beside their own, and
/// the limits must hold for those, too.
class ContainerLimitsScope {
 public:
  explicit ContainerLimitsScope(const ContainerLimits& limits);
  ~ContainerLimitsScope();
  ContainerLimitsScope(const ContainerLimitsScope&) = delete;
  ContainerLimitsScope& operator=(const ContainerLimitsScope&) = delete;

 private:
  ContainerLimits outer_;
};

}  // namespace memuse::ingest
