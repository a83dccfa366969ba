#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence_set.h"
#include "model/episode.h"

namespace memuse::evidence {

/// A recorded text or value as an evidence file shows it.
struct RecordedPart {
  ByteRange range;                 ///< bytes of the file
  std::uint32_t message = kNever;  ///< index of the message whose text it is (step files); kNever for none
  bool visible_before = false;     ///< was before the agent when the target was consumed (files of a span)
  std::uint64_t replaced = 0;      ///< invalid bytes shown as U+FFFD
};

/// One evidence file, ready.
struct BuiltFile {
  std::string name;
  std::string text;
  std::string summary;
  std::vector<RecordedPart> recorded;  ///< ascending, disjoint
  std::vector<EvidenceSection> sections;
};

/// `text` with every byte that is not UTF-8 replaced by U+FFFD; `replaced` counts them.
std::string valid_utf8(std::string_view text, std::uint64_t& replaced);

/// `text` as a JSON string on one line, after `valid_utf8`.
std::string json_string(std::string_view text);

/// Puts an evidence file together: lines in memuse's words, values of the trace as JSON strings, and texts of the trace
/// between borders. A border holds a token that occurs nowhere else in the file, so that no text can imitate it.
class FileWriter {
 public:
  explicit FileWriter(std::string name) : name_(std::move(name)) {}

  /// A line in memuse's own words; `words` holds no text of the trace but what `json_string` made safe.
  void line(std::string_view words);
  /// `label: "value", "value"`; the values can be quoted.
  void values(std::string_view label, const std::vector<std::string_view>& values, bool visible_before = false);
  void value(std::string_view label, std::string_view value, bool visible_before = false) {
    values(label, {value}, visible_before);
  }
  /// A line that can be quoted, for what memuse itself states as evidence or for JSON of the trace without line breaks.
  void statement(std::string_view label, std::string_view statement);
  /// Recorded text between borders; `part` says more of it (its range is filled in).
  void text(std::string_view recorded, RecordedPart part = {});
  /// Everything up to the next section belongs to the section `name`.
  void begin_section(std::string name);

  /// The file: a header, then the pieces. `what` are the first lines; `identity` says of which episode and span, for
  /// the token alone.
  BuiltFile finish(std::string_view what, std::string_view identity, std::string summary) &&;

 private:
  struct Piece {
    std::string bytes;
    bool bordered = false;
    std::vector<RecordedPart> recorded;  // ranges of `bytes`
    std::string section;                 // begins with this piece, when not empty
  };

  [[nodiscard]] std::string token(std::string_view what, std::string_view identity) const;
  Piece& add(std::string bytes);

  std::string name_;
  std::vector<Piece> pieces_;
  std::string next_section_;
};

}  // namespace memuse::evidence
