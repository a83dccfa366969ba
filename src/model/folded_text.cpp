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

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_ascii(c); });
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
  const bool valid = is_ascii(given) || valid_utf8_prefix(given) == given.size();
  for (std::size_t begin = 0; begin < given.size();) {
    const std::size_t end = valid ? end_of_piece(given, begin) : given.size();
    const std::string_view piece = given.substr(begin, end - begin);
    const std::string nfc = is_ascii(piece) ? std::string() : to_nfc(piece);
    if (!nfc.empty() && nfc != piece) {
      fold(nfc, {begin, end}, false);
    } else {
      fold(piece, {begin, end}, true);
    }
    begin = end;
  }
}

/// Takes in a piece that stands for `given`: byte by byte when `exact`, else as a whole.
void FoldedText::fold(std::string_view bytes, ByteRange given, bool exact) {
  const auto given_part = [&](std::size_t begin, std::size_t end) {
    return exact ? ByteRange{given.begin + begin, given.begin + end} : given;
  };
  for (std::size_t at = 0; at < bytes.size();) {
    if (const std::size_t white = white_space_length(bytes.substr(at)); white > 0) {
      const ByteRange part = given_part(at, at + white);
      if (white_space_.begin == white_space_.end) white_space_ = part;
      white_space_.end = part.end;
      at += white;
      continue;
    }
    std::size_t end = at + 1;
    while (end < bytes.size() && white_space_length(bytes.substr(end)) == 0) ++end;
    if (white_space_.begin < white_space_.end) {
      if (!text_.empty()) add(" ", white_space_, white_space_.end - white_space_.begin == 1);
      white_space_ = {};
    }
    add(bytes.substr(at, end - at), given_part(at, end), exact);
    at = end;
  }
}

void FoldedText::add(std::string_view bytes, ByteRange given, bool exact) {
  Stretch* last = stretches_.empty() ? nullptr : &stretches_.back();
  if (exact && last != nullptr && last->exact && last->given.end == given.begin) {
    last->given.end = given.end;
  } else if (exact || last == nullptr || last->exact || last->given != given) {
    stretches_.push_back({text_.size(), given, exact});
  }
  text_ += bytes;
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
