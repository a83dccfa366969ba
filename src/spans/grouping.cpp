#include "spans/grouping.h"

#include <algorithm>
#include <cstring>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "model/entries.h"

// Identical deliveries without a gap become a span.
//
// Deliveries are taken in input order. Two are identical when their lists of (item, text) are equal; the list of
// numbers is the key. Only the last span of a key can be joined: an earlier one had a gap before the last one began.
// Whether it can is a question to its reach, the end of the unbroken stretch of steps from its first in which the copy
// of some member is visible. The reach only grows, and only by members: a copy that belongs to an earlier span of the
// same key and becomes visible again after a rewrite does not count.
//
// Each member adds its stretches to a queue ordered by their begin; those that the reach has come to extend it. The
// stretches that a message shows after rewrites are added once per span and message: a second member in the same
// message was consumed later, so it adds nothing to them.
//
// Cost: linear in the exposed entries, plus sorting the deliveries.

namespace memuse::spans {
namespace {

/// A delivery, or a search that counts as one, in input order.
struct Placement {
  std::uint32_t step = 0;
  bool is_empty = false;      // empty ones stand last in their step
  std::uint32_t message = 0;  // of an empty one, 0, as is `offset`: only line order counts
  std::uint64_t offset = 0;
  std::uint32_t order = 0;
  std::uint32_t delivery = 0;

  [[nodiscard]] auto rank() const { return std::tie(step, is_empty, message, offset, order, delivery); }
};

std::vector<Placement> placements_in_input_order(const Exposures& exposures, const Visibility& visibility) {
  const Episode& episode = exposures.episode();
  std::vector<Placement> placements;
  for (std::uint32_t i = 0; i < exposures.delivery_count(); ++i) {
    if (!visibility.consumed(i)) continue;
    const Delivery& delivery = episode.deliveries[i];
    Placement placement{delivery.consuming_step, exposures.of(i).empty(), 0, 0, delivery.order, i};
    if (!placement.is_empty) {
      placement.message = *delivery.message;
      placement.offset = delivery.range ? delivery.range->begin : 0;
    }
    placements.push_back(placement);
  }
  for (const std::uint32_t i : searches_counting_as_empty(episode)) {
    const Search& search = episode.searches[i];
    placements.push_back({search.step, true, 0, 0, search.order, exposures.delivery_count() + i});
  }
  std::sort(placements.begin(), placements.end(),
            [](const Placement& a, const Placement& b) { return a.rank() < b.rank(); });
  return placements;
}

/// The ordered list of (item, text) numbers as bytes.
std::string identity_of(const std::vector<Exposure>& exposures) {
  std::string identity(exposures.size() * 2 * sizeof(std::uint32_t), '\0');
  char* place = identity.data();
  for (const Exposure& exposure : exposures) {
    for (const std::uint32_t number : {exposure.item, exposure.text}) {
      std::memcpy(place, &number, sizeof number);
      place += sizeof number;
    }
  }
  return identity;
}

/// The last span of one identity, as far as its copies are known.
class OpenSpan {
 public:
  OpenSpan() = default;
  OpenSpan(std::size_t span, std::uint32_t first_step) : span_(span), reach_(first_step) {}

  /// True when no step before `step` lacks a visible copy.
  [[nodiscard]] bool reaches(std::uint32_t step) const { return reach_ + 1 >= step; }
  [[nodiscard]] std::size_t span() const { return span_; }
  [[nodiscard]] std::uint32_t reach() const { return reach_; }

  void add(const Copy& copy, const std::vector<Exposure>& exposures, const Visibility& visibility) {
    if (copy.unchanged) waiting_.push(*copy.unchanged);
    if (messages_.insert(copy.message).second) {
      std::vector<Stretch> later;
      append_from(later, steps_with_all_texts(copy.message, exposures, visibility), copy.first);
      for (const Stretch& stretch : later) waiting_.push(stretch);
    }
    while (!waiting_.empty() && waiting_.top().first <= reach_ + 1) {
      reach_ = std::max(reach_, waiting_.top().last);
      waiting_.pop();
    }
  }

 private:
  struct Later {
    bool operator()(const Stretch& a, const Stretch& b) const { return a.first > b.first; }
  };

  static std::vector<Stretch> steps_with_all_texts(std::uint32_t message, const std::vector<Exposure>& exposures,
                                                   const Visibility& visibility) {
    std::vector<Stretch> common = visibility.after_rewrites(message, exposures.front().text);
    for (std::size_t i = 1; i < exposures.size() && !common.empty(); ++i) {
      common = common_steps(common, visibility.after_rewrites(message, exposures[i].text));
    }
    return common;
  }

  std::size_t span_ = 0;
  std::uint32_t reach_ = 0;
  std::unordered_set<std::uint32_t> messages_;
  std::priority_queue<Stretch, std::vector<Stretch>, Later> waiting_;
};

class Grouping {
 public:
  Grouping(const Exposures& exposures, const Visibility& visibility) : exposures_(exposures), visibility_(visibility) {}

  std::vector<Span> group() {
    for (const Placement& placement : placements_in_input_order(exposures_, visibility_)) {
      if (placement.is_empty) {
        take_empty(placement);
      } else {
        take(placement);
      }
    }
    return std::move(spans_);
  }

 private:
  void take(const Placement& placement) {
    const std::vector<Exposure>& exposures = exposures_.of(placement.delivery);
    const auto [found, is_new] = open_by_identity_.try_emplace(identity_of(exposures));
    OpenSpan& open = found->second;
    if (is_new || !open.reaches(placement.step)) {
      open = OpenSpan(spans_.size(), placement.step);
      open_span(placement.step);
      for (const Exposure& exposure : exposures) spans_.back().entries.push_back({exposure.index, std::nullopt});
    }
    open.add(visibility_.copy(placement.delivery), exposures, visibility_);
    Span& span = spans_[open.span()];
    add_delivery(span, placement);
    span.last_step = open.reach();
  }

  void take_empty(const Placement& placement) {
    const bool joins = last_empty_ != kNoSpan && spans_[last_empty_].last_step + 1 >= placement.step;
    if (!joins) {
      last_empty_ = spans_.size();
      open_span(placement.step);
    }
    Span& span = spans_[last_empty_];
    add_delivery(span, placement);
    span.last_step = placement.step;
  }

  void open_span(std::uint32_t step) {
    Span& span = spans_.emplace_back();
    span.number = static_cast<std::uint32_t>(spans_.size());
    span.first_step = step;
  }

  static void add_delivery(Span& span, const Placement& placement) {
    span.deliveries.push_back({placement.delivery, placement.step, !span.deliveries.empty()});
  }

  static constexpr std::size_t kNoSpan = static_cast<std::size_t>(-1);

  const Exposures& exposures_;
  const Visibility& visibility_;
  std::vector<Span> spans_;
  std::unordered_map<std::string, OpenSpan> open_by_identity_;
  std::size_t last_empty_ = kNoSpan;
};

}  // namespace

std::vector<Span> group_deliveries(const Exposures& exposures, const Visibility& visibility) {
  return Grouping(exposures, visibility).group();
}

}  // namespace memuse::spans
