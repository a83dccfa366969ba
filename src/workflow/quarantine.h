#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/record_account.h"

namespace memuse::workflow {

/// Lists what is set aside while a list of inputs is read: one JSON object a line
/// (schemas/set-aside-1.schema.json), input by input in the order of the list and in each in the order in which it was
/// found, whatever the number of threads. Memory is bounded: what waits for earlier inputs goes to temporary files.
class Quarantine {
 public:
  /// For that many inputs. `out` must outlive the object. `raw_folder`, which must be empty or not exist: set-aside
  /// records are copied there as they are, one file for each file they stand in; nothing for no copies. Throws
  /// Error(usage) when the folder holds something, Error(environment) when it cannot be made.
  Quarantine(std::size_t inputs, std::ostream& out, const std::optional<std::filesystem::path>& raw_folder);
  ~Quarantine();
  Quarantine(const Quarantine&) = delete;
  Quarantine& operator=(const Quarantine&) = delete;

  /// Takes what is set aside of one input.
  [[nodiscard]] ingest::SetAsideSink taker(std::size_t input);
  /// The input was read to its end: its lines are written as soon as those of all earlier inputs are. Thread-safe.
  void finish(std::size_t input);
  /// Writes what is left, also of inputs whose reading was stopped. Throws Error(environment) when something could not
  /// be kept.
  void finish();

  /// Lines written.
  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  class Shelf;
  void write_ready();

  std::ostream& out_;
  std::vector<std::unique_ptr<Shelf>> shelves_;
  std::vector<bool> done_;
  std::size_t next_ = 0;
  std::uint64_t written_ = 0;
  std::mutex mutex_;
};

}  // namespace memuse::workflow
