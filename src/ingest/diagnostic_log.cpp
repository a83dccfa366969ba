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

DiagnosticLog DiagnosticLog::for_file(std::string file) const {
  DiagnosticLog log(std::move(file));
  log.sink_ = sink_;
  return log;
}

void DiagnosticLog::add(Severity severity, Fault fault, std::uint64_t line, std::uint64_t byte,
                        const std::string& detail, Loss loss) {
  list(severity, fault, line, byte, detail);
  if (severity == Severity::error || fault == Fault::episode_set_aside) account(fault, line, byte, detail, loss);
}

void DiagnosticLog::list(Severity severity, Fault fault, std::uint64_t line, std::uint64_t byte,
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
    list(counted_severity(fault), fault, line, byte, what);
  }
}

void DiagnosticLog::count_unknown_field(std::string_view record_type, std::string_view field, std::uint64_t line,
                                        std::uint64_t byte) {
  count(Fault::unknown_field, printable(shortened(std::string(record_type) + "." + std::string(field), 100)), line,
        byte);
}

void DiagnosticLog::count_unknown_type(std::string_view type, std::uint64_t line, std::uint64_t byte, Loss loss) {
  const std::string what = printable(shortened(type, 100));
  count(Fault::unknown_type, what, line, byte);
  account(Fault::unknown_type, line, byte, what, loss);
}

void DiagnosticLog::begin_record(std::uint64_t line, std::uint64_t begin, std::uint64_t end) {
  begin_document(line, begin, end);
  current_->document = false;
}

void DiagnosticLog::begin_document(std::uint64_t line, std::uint64_t begin, std::optional<std::uint64_t> end) {
  settle();
  ++records_.read;
  current_ = Current{};  // not emplace(): clang 14 cannot tell yet that there is a constructor
  current_->line = line;
  current_->begin = begin;
  current_->end = end;
  current_->document = true;
}

void DiagnosticLog::in_parts() {
  if (current_) current_->in_parts = true;
}

void DiagnosticLog::lose(Fault fault, const std::string& detail) {
  if (!current_) return;
  lose_record({file_, current_->line, current_->begin, current_->end, Extent::record, fault, detail});
}

/// Books what a fault costs, on the record at its place.
void DiagnosticLog::account(Fault fault, std::uint64_t line, std::uint64_t byte, const std::string& detail, Loss loss) {
  SetAside lost{file_, line, byte, std::nullopt, Extent::record, fault, detail};
  const bool whole = fault == Fault::episode_set_aside && loss == Loss::record;
  if (!current_ || !current_->covers(line)) {
    if (line == 0) {
      lost.extent = Extent::input;
      ++records_.input_reasons[fault];
      return send(lost);
    }
    return loss == Loss::part ? lose_part(std::move(lost)) : lose_late(std::move(lost));
  }
  if (!whole && (loss == Loss::part || current_->in_parts)) return lose_part(std::move(lost));
  lost.line = current_->line;
  lost.byte_begin = current_->begin;
  lost.byte_end = current_->end;
  lose_record(std::move(lost));
}

void DiagnosticLog::lose_part(SetAside part) {
  part.extent = Extent::part;
  if (current_ && current_->set_aside) return;
  if (!current_ || !current_->covers(part.line)) {
    ++records_.part_reasons[part.fault];
    return send(part);
  }
  if (current_->pending) {
    ++records_.part_reasons[current_->pending->fault];
    send(*current_->pending);
  }
  current_->in_part = true;
  current_->pending = std::move(part);
}

void DiagnosticLog::lose_record(SetAside record) {
  if (current_->set_aside) return;
  if (current_->pending && record.fault == Fault::episode_set_aside) {  // it says why
    record.fault = current_->pending->fault;
    record.detail = current_->pending->detail;
    current_->pending.reset();
  }
  current_->set_aside = true;
  ++records_.set_aside;
  ++records_.reasons[record.fault];
  send(record);
}

/// A record that was read before turns out to be of no use.
void DiagnosticLog::lose_late(SetAside record) {
  if (records_.set_aside >= records_.read) return lose_part(std::move(record));  // of no record: still told
  if (!late_lines_.insert(record.line).second) return;
  ++records_.set_aside;
  ++records_.reasons[record.fault];
  send(record);
}

void DiagnosticLog::set_all_aside(Fault fault, const std::string& detail) {
  settle();
  const std::uint64_t kept = records_.kept();
  if (kept == 0) return;
  records_.set_aside += kept;
  records_.reasons[fault] += kept;
  records_.in_part = 0;
  send({file_, 0, 0, std::nullopt, Extent::input, fault, detail});
}

void DiagnosticLog::send(const SetAside& set_aside) const {
  if (!sink_) return;
  SetAside told = set_aside;
  told.detail = printable(shortened(told.detail, kMaxDetailBytes));
  sink_(told);
}

/// The current record is done.
void DiagnosticLog::settle() {
  if (!current_) return;
  if (current_->pending) {
    ++records_.part_reasons[current_->pending->fault];
    send(*current_->pending);
  }
  if (current_->in_part && !current_->set_aside) ++records_.in_part;
  current_.reset();
}

const RecordCounts& DiagnosticLog::records() {
  settle();
  return records_;
}

void DiagnosticLog::absorb(DiagnosticLog&& other) {
  records_.add(other.records());
  for (Diagnostic& diagnostic : other.take()) {
    Bucket& bucket = buckets_[{diagnostic.fault, diagnostic.severity}];
    if (bucket.listed.size() >= kMaxPerFault) {
      bucket.listed.back().count += diagnostic.count;
    } else {
      bucket.listed.push_back(std::move(diagnostic));
    }
  }
}

std::vector<Diagnostic> DiagnosticLog::take() {
  std::vector<Diagnostic> all;
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
