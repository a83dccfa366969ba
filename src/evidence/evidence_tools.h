#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence_set.h"

namespace memuse::evidence {

/// Bytes of a file that a tool result shows.
struct ShownRange {
  std::string file;
  ByteRange range;
};

/// What a tool gives back: text for the model, and the bytes that this text shows.
struct ToolResult {
  std::string text;
  std::vector<ShownRange> shown;
  bool failed = false;  ///< the call was wrong (unknown file, bad pattern …); `text` says how to do better
};

struct ToolLimits {
  std::uint64_t page_bytes = 60'000;    ///< most bytes of a file in one read
  std::uint64_t search_bytes = 12'000;  ///< most bytes of lines that one search prints
};

/// The index of the evidence: every file with its size and what it holds. Shows no byte of any file.
std::string file_index(const EvidenceSet& evidence);

/// `list_files`.
ToolResult list_files(const EvidenceSet& evidence);

/// `read_file`: bytes [from, from + bytes) of a file, at most a page, cut at character borders, with a header line that
/// says what is shown and how to go on. `bytes` 0 means up to a page.
ToolResult read_file(const EvidenceSet& evidence, std::string_view file, std::uint64_t from, std::uint64_t bytes,
                     const ToolLimits& limits);

/// `search`: lines that match the RE2 pattern, in one file or (empty name) in all, with their byte positions. Only the
/// bytes of the lines printed count as shown. A pattern that RE2 refuses is a failed result.
ToolResult search(const EvidenceSet& evidence, std::string_view pattern, std::string_view file,
                  const ToolLimits& limits);

}  // namespace memuse::evidence
