#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"

namespace memuse {

/// A text as `normalise_text` gives it, with the way back to the bytes that it was made from.
class FoldedText {
 public:
  explicit FoldedText(std::string_view given);

  /// Equal to `normalise_text(given)`.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The bytes of the given text that bytes [begin, end) of `text()` stand for; not empty, inside the text. Where NFC
  /// changed something, the range is widened to the next ASCII characters around it.
  [[nodiscard]] ByteRange given_range(ByteRange folded) const;

 private:
  /// A stretch of `text_` up to where the next one begins.
  struct Stretch {
    std::uint64_t begin = 0;  ///< in `text_`
    ByteRange given;
    bool exact = false;  ///< byte i stands for byte i; else the whole for the whole
  };

  void add(std::string_view bytes, ByteRange given, bool exact);
  void fold(std::string_view bytes, ByteRange given, bool exact);
  [[nodiscard]] const Stretch& stretch_of(std::uint64_t folded) const;

  std::string text_;
  std::vector<Stretch> stretches_;
  ByteRange white_space_;  ///< pending, not yet written
};

}  // namespace memuse
