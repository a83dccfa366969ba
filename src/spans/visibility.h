#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/span.h"
#include "spans/exposures.h"
#include "spans/stretch.h"

namespace memuse::spans {

/// Where the copy of a delivery with text lies in time.
struct Copy {
  std::uint32_t message = 0;
  std::uint32_t first = 0;  ///< consuming step; the copy counts from there on
  /// Steps from `first` on in which the message is visible with the text that it had at the delivery line: everything
  /// that the delivery exposed is visible there. Absent when the message was rewritten before `first`.
  std::optional<Stretch> unchanged;
};

/// At which steps the copies of deliveries can be seen (semantics.md §1, §3; trace-format.md "Exact rules").
class Visibility {
 public:
  /// `exposures` must outlive the object.
  explicit Visibility(const Exposures& exposures);

  /// True when the delivery is part of some span.
  [[nodiscard]] bool consumed(std::uint32_t delivery) const { return faults_[delivery] == Fault::none; }
  /// The copy of a consumed delivery that exposes something.
  [[nodiscard]] const Copy& copy(std::uint32_t delivery) const { return copies_[delivery]; }
  /// Steps in which `message` is visible with a text that some `rewrite` gave it, and that text contains text `text`.
  [[nodiscard]] const std::vector<Stretch>& after_rewrites(std::uint32_t message, std::uint32_t text) const;
  /// Why a delivery that is not consumed is not, as a sentence.
  [[nodiscard]] std::string reason_unconsumed(std::uint32_t delivery) const;

 private:
  enum class Fault : std::uint8_t { none, no_step, no_message, not_in_input, text_gone };

  void scan_rewrites(std::uint32_t message, const std::vector<std::uint32_t>& deliveries);
  Fault place_copy(std::uint32_t delivery);
  [[nodiscard]] bool holds_everything_at(std::uint32_t delivery, const Copy& copy) const;

  static std::uint64_t key(std::uint32_t message, std::uint32_t text) { return (std::uint64_t{message} << 32U) | text; }

  const Exposures& exposures_;
  std::vector<Fault> faults_;
  std::vector<Copy> copies_;
  std::unordered_map<std::uint64_t, std::vector<Stretch>> after_rewrites_;
};

/// All deliveries that are not consumed, with the reason, in delivery order.
std::vector<UnconsumedDelivery> list_unconsumed(const Exposures& exposures, const Visibility& visibility);

}  // namespace memuse::spans
