#include "ingest/record_account.h"

namespace memuse::ingest {
namespace {

void add_counts(std::map<Fault, std::uint64_t>& sums, const std::map<Fault, std::uint64_t>& counts) {
  for (const auto& [fault, count] : counts) sums[fault] += count;
}

}  // namespace

std::string_view extent_name(Extent extent) {
  switch (extent) {
    case Extent::input:
      return "input";
    case Extent::record:
      return "record";
    case Extent::part:
      return "part";
  }
  return "";
}

void RecordCounts::add(const RecordCounts& other) {
  read += other.read;
  set_aside += other.set_aside;
  in_part += other.in_part;
  add_counts(reasons, other.reasons);
  add_counts(part_reasons, other.part_reasons);
  add_counts(input_reasons, other.input_reasons);
}

}  // namespace memuse::ingest
