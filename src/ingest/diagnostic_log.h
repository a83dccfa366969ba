#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/diagnostic.h"

namespace memuse::ingest {

/// Collects the diagnostics of one file. Memory is bounded: beyond `kMaxPerFault` of one kind only their number is
/// kept, at the place of the last one listed. Not thread-safe; one per file.
class DiagnosticLog {
 public:
  static constexpr std::size_t kMaxPerFault = 200;

  explicit DiagnosticLog(std::string file) : file_(std::move(file)) {}

  void add(Severity severity, Fault fault, std::uint64_t line, std::uint64_t byte, const std::string& detail);
  /// Adds what the log of another file holds, for formats whose units have several files; empties that log.
  void absorb(DiagnosticLog& other);
  /// Counts an unknown field of a record type; listed once per file with its count, at its first place.
  void count_unknown_field(std::string_view record_type, std::string_view field, std::uint64_t line,
                           std::uint64_t byte);
  /// Counts a record of unknown type; listed once per file and type.
  void count_unknown_type(std::string_view type, std::uint64_t line, std::uint64_t byte);

  /// Everything so far, sorted by place; empties the log.
  [[nodiscard]] std::vector<Diagnostic> take();

 private:
  void count(Fault fault, const std::string& what, std::uint64_t line, std::uint64_t byte);

  struct Bucket {
    std::vector<Diagnostic> listed;
  };
  std::string file_;
  std::map<std::pair<Fault, Severity>, Bucket> buckets_;
  std::map<std::pair<Fault, std::string>, Diagnostic> counted_;
  std::vector<Diagnostic> absorbed_;
};

}  // namespace memuse::ingest
