#include "ingest/diagnostic_log.h"

#include <algorithm>

#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kMaxDetailBytes = 400;
/// Distinct unknown fields or types listed per file; a hostile file could have any number.
constexpr std::size_t kMaxCounted = 500;

/// A skipped record is a loss, an unused field is not.
Severity counted_severity(Fault fault) {
  return fault == Fault::unknown_type ? Severity::warning : Severity::note;
}

}  // namespace

void DiagnosticLog::add(Severity severity, Fault fault, std::uint64_t line, std::uint64_t byte,
                        const std::string& detail) {
  Bucket& bucket = buckets_[{fault, severity}];
  if (bucket.listed.size() >= kMaxPerFault) {
    ++bucket.listed.back().count;
    return;
  }
  bucket.listed.push_back({file_, line, byte, severity, fault, printable(shortened(detail, kMaxDetailBytes)), 1});
}

void DiagnosticLog::count(Fault fault, const std::string& what, std::uint64_t line, std::uint64_t byte) {
  const auto found = counted_.find({fault, what});
  if (found != counted_.end()) {
    ++found->second.count;
  } else if (counted_.size() < kMaxCounted) {
    counted_.emplace(std::pair{fault, what}, Diagnostic{file_, line, byte, counted_severity(fault), fault, what, 1});
  } else {
    add(counted_severity(fault), fault, line, byte, what);
  }
}

void DiagnosticLog::count_unknown_field(std::string_view record_type, std::string_view field, std::uint64_t line,
                                        std::uint64_t byte) {
  count(Fault::unknown_field, printable(shortened(std::string(record_type) + "." + std::string(field), 100)), line,
        byte);
}

void DiagnosticLog::count_unknown_type(std::string_view type, std::uint64_t line, std::uint64_t byte) {
  count(Fault::unknown_type, printable(shortened(type, 100)), line, byte);
}

void DiagnosticLog::absorb(DiagnosticLog& other) {
  std::vector<Diagnostic> taken = other.take();
  absorbed_.insert(absorbed_.end(), std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
}

std::vector<Diagnostic> DiagnosticLog::take() {
  std::vector<Diagnostic> all = std::move(absorbed_);
  absorbed_.clear();
  for (auto& [kind, bucket] : buckets_) {
    all.insert(all.end(), std::make_move_iterator(bucket.listed.begin()), std::make_move_iterator(bucket.listed.end()));
  }
  for (auto& [kind, diagnostic] : counted_) all.push_back(std::move(diagnostic));
  buckets_.clear();
  counted_.clear();
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace memuse::ingest
