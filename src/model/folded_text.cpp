#include "model/folded_text.h"

#include <algorithm>

#include "model/text.h"

// NFC never joins an ASCII character to what stands before it. So a text may be cut before ASCII characters, and each
// piece be brought into NFC by itself. Nearly all pieces are in NFC already; for those every byte keeps its place.

namespace memuse {
namespace {

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

/// End of the piece that begins at `begin`: ASCII characters up to the last one before something else, or that last one
/// with all that follows up to the next ASCII character.
std::size_t end_of_piece(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && is_ascii(text[end])) ++end;
  if (end == text.size() || end > begin + 1) return end == text.size() ? end : end - 1;
  while (end < text.size() && !is_ascii(text[end])) ++end;
  return end;
}

}  // namespace

FoldedText::FoldedText(std::string_view given) {
  text_.reserve(given.size());
  const bool valid = valid_utf8_prefix(given) == given.size();
  for (std::size_t begin = 0; begin < given.size();) {
    const std::size_t end = valid ? end_of_piece(given, begin) : given.size();
    const std::string_view piece = given.substr(begin, end - begin);
    if (const std::string nfc = to_nfc(piece); nfc != piece) {
      fold(nfc, begin, end);
    } else {
      fold(piece, begin, begin);
    }
    begin = end;
  }
}

/// Takes in a piece that stands for [given_begin, given_end), or, when that is empty, for the bytes from there on.
void FoldedText::fold(std::string_view bytes, std::uint64_t given_begin, std::uint64_t given_end) {
  const bool exact = given_end == given_begin;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t white = white_space_length(bytes.substr(at));
    const std::size_t length = std::max<std::size_t>(white, 1);
    const ByteRange given =
        exact ? ByteRange{given_begin + at, given_begin + at + length} : ByteRange{given_begin, given_end};
    if (white > 0) {
      if (white_space_.begin == white_space_.end) white_space_ = given;
      white_space_.end = given.end;
    } else {
      if (white_space_.begin < white_space_.end) {
        if (!text_.empty()) add(' ', white_space_, white_space_.end - white_space_.begin == 1);
        white_space_ = {};
      }
      add(bytes[at], given, exact);
    }
    at += length;
  }
}

void FoldedText::add(char byte, ByteRange given, bool exact) {
  const bool goes_on =
      exact && !stretches_.empty() && stretches_.back().exact && stretches_.back().given.end == given.begin;
  if (goes_on) {
    stretches_.back().given.end = given.end;
  } else {
    const bool same_piece =
        !exact && !stretches_.empty() && !stretches_.back().exact && stretches_.back().given == given;
    if (!same_piece) stretches_.push_back({text_.size(), given, exact});
  }
  text_ += byte;
}

const FoldedText::Stretch& FoldedText::stretch_of(std::uint64_t folded) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), folded,
                       [](std::uint64_t place, const Stretch& stretch) { return place < stretch.begin; });
  return *(after - 1);
}

ByteRange FoldedText::given_range(ByteRange folded) const {
  const Stretch& first = stretch_of(folded.begin);
  const Stretch& last = stretch_of(folded.end - 1);
  return {first.exact ? first.given.begin + (folded.begin - first.begin) : first.given.begin,
          last.exact ? last.given.begin + (folded.end - last.begin) : last.given.end};
}

}  // namespace memuse
