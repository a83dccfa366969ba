#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/episode.h"

namespace memuse::ingest {

/// A text that was made from a message (cut out, line marks stripped, decoded), with the way back: which of its bytes
/// stand where in the message. Places are always checked against the message, so a wrong way back gives no place.
class MappedText {
 public:
  /// The message itself.
  explicit MappedText(std::string_view message) : message_(message), text_(message) { add_step(0, 0); }
  /// A text of the same message with a way back of its own, to be told by `add_step`.
  MappedText(const MappedText& from, std::string_view text) : message_(from.message_), text_(text) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  void set_text(std::string_view text) { text_ = text; }

  /// From byte `here` of this text on, bytes stand at `there` and after in the message. Steps are added ascending.
  void add_step(std::size_t here, std::size_t there) { steps_.push_back({here, there}); }

  /// Where byte `here` of this text stands in the message.
  [[nodiscard]] std::optional<std::size_t> place(std::size_t here) const {
    const auto after =
        std::upper_bound(steps_.begin(), steps_.end(), here, [](std::size_t at, const Step& s) { return at < s.here; });
    if (after == steps_.begin()) return std::nullopt;
    const Step& step = *(after - 1);
    return step.there + (here - step.here);
  }

  /// The bytes of the message that are `part`, which begins at byte `here` of this text; nothing when they are not the
  /// same there.
  [[nodiscard]] std::optional<ByteRange> range(std::size_t here, std::string_view part) const {
    const auto there = place(here);
    if (!there || *there > message_.size() || message_.substr(*there, part.size()) != part) return std::nullopt;
    return ByteRange{*there, *there + part.size()};
  }

  /// The part [begin, end) of this text as a text of its own.
  [[nodiscard]] MappedText part(std::size_t begin, std::size_t end) const {
    MappedText result(*this, text_.substr(begin, end - begin));
    if (const auto there = place(begin)) result.add_step(0, *there);
    auto step = std::upper_bound(steps_.begin(), steps_.end(), begin,
                                 [](std::size_t at, const Step& s) { return at < s.here; });
    for (; step != steps_.end() && step->here < end; ++step) result.add_step(step->here - begin, step->there);
    return result;
  }

 private:
  struct Step {
    std::size_t here = 0;
    std::size_t there = 0;
  };
  std::string_view message_;
  std::string_view text_;
  std::vector<Step> steps_;
};

}  // namespace memuse::ingest
