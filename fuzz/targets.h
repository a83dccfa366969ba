#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// What is fed with hostile bytes, by libFuzzer (docs/fuzzing.md) and, a little at a time, by tests/fuzz.

namespace memuse::fuzz {

/// A property that must hold for all bytes does not.
class BrokenProperty : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws BrokenProperty when there is a fault to tell.
inline void hold_no_fault(const std::string& fault) {
  if (!fault.empty()) throw BrokenProperty(fault);
}

/// One reader and what holds for whatever it reads.
struct Target {
  std::string name;
  /// Throws BrokenProperty; any other exception is a fault as well.
  std::function<void(std::string_view bytes)> run;
  /// Inputs to start from; drawn from `examples/` and from code, sorted, never none.
  std::function<std::vector<std::string>()> seeds;
};

/// One for each adapter, then the others, in a fixed order.
const std::vector<Target>& targets();

/// Targets of one kind; `targets` joins them.
std::vector<Target> adapter_targets();
std::vector<Target> container_targets();
std::vector<Target> rule_targets();
std::vector<Target> table_targets();
std::vector<Target> answer_targets();
std::vector<Target> writer_targets();

/// The files below a folder of the source tree, sorted by path, those longer than `max_bytes` left out.
struct SeedFile {
  std::string path;
  std::string bytes;
};
std::vector<SeedFile> source_files(const std::string& folder, std::size_t max_bytes);

}  // namespace memuse::fuzz
