#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ingest/record_account.h"
#include "model/diagnostic.h"

namespace memuse::ingest {

/// What a fault costs, when it costs something.
enum class Loss : std::uint8_t {
  record,  ///< the whole record (unless `in_parts` was said of it)
  part     ///< something inside the record; the rest is kept
};

/// Collects the diagnostics of one file, and keeps the account of its records. Memory is bounded: beyond
/// `kMaxPerFault` of one kind only their number is kept, at the place of the last one listed. Not thread-safe; one per
/// file.
///
/// The account: a reader says `begin_record` for every line or document that it reads, also for one that turns out to
/// be unusable. A diagnostic of severity `error`, `episode_set_aside` of any severity and a record of unknown type set
/// the record at their place aside, once, with the first of them as the reason.
class DiagnosticLog {
 public:
  static constexpr std::size_t kMaxPerFault = 200;

  explicit DiagnosticLog(std::string file) : file_(std::move(file)) {}

  /// A log for another file that is read along with this one; it is to be absorbed when that is done.
  [[nodiscard]] DiagnosticLog for_file(std::string file) const;
  /// From now on `sink` gets everything that is set aside.
  void tell(SetAsideSink sink) { sink_ = std::move(sink); }

  void add(Severity severity, Fault fault, std::uint64_t line, std::uint64_t byte, const std::string& detail,
           Loss loss = Loss::record);
  /// Lists a fault of records that the account has already (`lose`).
  void list(Severity severity, Fault fault, std::uint64_t line, std::uint64_t byte, const std::string& detail);
  /// Counts an unknown field of a record type; listed once per file with its count, at its first place.
  void count_unknown_field(std::string_view record_type, std::string_view field, std::uint64_t line,
                           std::uint64_t byte);
  /// Counts a record of unknown type; listed once per file and type. The record is set aside.
  void count_unknown_type(std::string_view type, std::uint64_t line, std::uint64_t byte, Loss loss = Loss::record);

  /// A line is read; its bytes are those from `begin` to `end`. Each place is to be said once.
  void begin_record(std::uint64_t line, std::uint64_t begin, std::uint64_t end);
  /// A whole document, or a member of one, is read, which may stretch over many lines.
  void begin_document(std::uint64_t line, std::uint64_t begin, std::optional<std::uint64_t> end);
  /// The record is made of parts that are used one by one: from now on a fault costs only one of them.
  void in_parts();
  /// The current record is set aside, without a diagnostic of its own.
  void lose(Fault fault, const std::string& detail);
  /// No record of this file is used, for there is no episode in it.
  void set_all_aside(Fault fault, const std::string& detail);

  /// Takes in what the log of another file holds, under the same limit per kind of fault.
  void absorb(DiagnosticLog&& other);

  /// Everything so far, sorted by place; empties the log, but not the account.
  [[nodiscard]] std::vector<Diagnostic> take();
  /// What became of the records so far.
  [[nodiscard]] const RecordCounts& records();

 private:
  struct Bucket {
    std::vector<Diagnostic> listed;
  };
  /// The record that is being read.
  struct Current {
    std::uint64_t line = 0;
    std::uint64_t begin = 0;
    std::optional<std::uint64_t> end;
    bool document = false;
    bool in_parts = false;
    bool set_aside = false;
    bool in_part = false;
    std::optional<SetAside> pending;  // a part: if the whole is set aside next, its reason

    [[nodiscard]] bool covers(std::uint64_t wanted) const { return document || wanted == line; }
  };

  void count(Fault fault, const std::string& what, std::uint64_t line, std::uint64_t byte);
  void account(Fault fault, std::uint64_t line, std::uint64_t byte, const std::string& detail, Loss loss);
  void lose_part(SetAside part);
  void lose_record(SetAside record);
  void lose_late(SetAside record);
  void send(const SetAside& set_aside) const;
  void settle();

  std::string file_;
  std::map<std::pair<Fault, Severity>, Bucket> buckets_;
  std::map<std::pair<Fault, std::string>, Diagnostic> counted_;
  RecordCounts records_;
  std::optional<Current> current_;
  std::unordered_set<std::uint64_t> late_lines_;  // set aside after they had been read
  SetAsideSink sink_;
};

}  // namespace memuse::ingest
