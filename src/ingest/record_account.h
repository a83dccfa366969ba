#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "model/diagnostic.h"

namespace memuse::ingest {

/// How much was set aside at one place.
enum class Extent : std::uint8_t {
  input,   ///< a whole file or folder, before any record of it was read
  record,  ///< one record: a line of JSON Lines, or a file that is one JSON document
  part     ///< something inside a record whose rest was kept
};
std::string_view extent_name(Extent extent);

/// Something that was set aside.
struct SetAside {
  std::string file;                       ///< where its bytes lie
  std::uint64_t line = 0;                 ///< 1-based line or record; 0 when the whole input is meant
  std::uint64_t byte_begin = 0;           ///< offset of its first byte in the (decompressed) file
  std::optional<std::uint64_t> byte_end;  ///< offset behind its last byte (without the line end); nothing if not known
  Extent extent = Extent::record;
  Fault fault = Fault::invalid_json;  ///< the first reason, when there are several
  std::string detail;                 ///< of that reason, escaped for the terminal
  /// What the file is called: of a member `archive!/path`. Set by the pipeline.
  std::string shown = {};
};

/// Takes what is set aside, in the order in which it is found, which does not depend on the number of threads.
using SetAsideSink = std::function<void(const SetAside&)>;

/// What became of the records of a file: each one that was read is kept or set aside, never both.
struct RecordCounts {
  std::uint64_t read = 0;
  std::uint64_t set_aside = 0;
  std::uint64_t in_part = 0;                     ///< of the kept ones: records of which something was set aside
  std::map<Fault, std::uint64_t> reasons;        ///< of `set_aside`, whose sum they are
  std::map<Fault, std::uint64_t> part_reasons;   ///< parts of kept records that were set aside
  std::map<Fault, std::uint64_t> input_reasons;  ///< inputs that were set aside before a record was read

  [[nodiscard]] std::uint64_t kept() const { return read - set_aside; }
  void add(const RecordCounts& other);
};

}  // namespace memuse::ingest
