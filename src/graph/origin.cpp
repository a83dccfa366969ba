#include "graph/origin.h"

#include <algorithm>
#include <utility>

#include "model/text.h"

namespace memuse::graph {

std::string_view name(OriginKind kind) {
  switch (kind) {
    case OriginKind::earlier_episode:
      return "earlier_episode";
    case OriginKind::same_episode:
      return "same_episode";
    case OriginKind::recorded_later:
      return "recorded_later";
    case OriginKind::order_unknown:
      return "order_unknown";
    case OriginKind::other_version:
      return "other_version";
    case OriginKind::not_recorded:
      break;
  }
  return "not_recorded";
}

CreatorIndex::CreatorIndex(std::span<const EpisodeNode> episodes, std::span<const Change> changes)
    : episodes_(episodes), changes_(changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!changes[i].makes_version()) continue;
    const std::string& store = episodes[changes[i].episode].store;
    by_item_[{store, changes[i].item}].push_back(i);
    if (changes[i].text) by_text_[{store, normalise_text(*changes[i].text)}].push_back(i);
  }
}

Origin CreatorIndex::creator_of(const Exposure& exposure) const {
  const std::string& store = episodes_[exposure.episode].store;
  if (!exposure.item) {
    const auto found = by_text_.find({store, normalise_text(exposure.text)});
    if (found == by_text_.end()) return {OriginKind::not_recorded, {}, Identity::text, false};
    Origin origin = first_of(found->second, exposure);
    origin.identity = Identity::text;
    origin.by_version = false;
    return origin;
  }
  const auto found = by_item_.find({store, *exposure.item});
  if (found == by_item_.end()) return {};
  Candidates of_version;
  Candidates without_version;
  for (const std::size_t change : found->second) {
    if (!changes_[change].version || !exposure.version) {
      without_version.push_back(change);
    } else if (changes_[change].version == exposure.version) {
      of_version.push_back(change);
    }
  }
  if (!of_version.empty()) return first_of(of_version, exposure);
  if (without_version.empty()) return {OriginKind::other_version, {}, Identity::declared, true};
  Origin origin = last_of(without_version, exposure);
  origin.by_version = false;
  return origin;
}

OriginKind CreatorIndex::kind_of(std::size_t change, const Exposure& exposure) const {
  switch (order_of(episodes_[changes_[change].episode], episodes_[exposure.episode])) {
    case Order::before:
      return OriginKind::earlier_episode;
    case Order::same:
      return changes_[change].line_order < exposure.line_order ? OriginKind::same_episode : OriginKind::recorded_later;
    case Order::after:
      return OriginKind::recorded_later;
    case Order::unknown:
      break;
  }
  return OriginKind::order_unknown;
}

namespace {

/// A change that is known to have come before the delivery is a better creator than one whose order is unknown, and
/// that a better one than a change recorded afterwards.
int creator_rank(OriginKind kind) {
  if (kind == OriginKind::earlier_episode || kind == OriginKind::same_episode) return 0;
  return kind == OriginKind::order_unknown ? 1 : 2;
}

}  // namespace

Origin CreatorIndex::first_of(const Candidates& candidates, const Exposure& exposure) const {
  Origin best;
  for (const std::size_t change : candidates) {
    const OriginKind kind = kind_of(change, exposure);
    const bool better =
        !best.change || creator_rank(kind) < creator_rank(best.kind) ||
        (creator_rank(kind) == creator_rank(best.kind) &&
         order_of(episodes_[changes_[change].episode], episodes_[changes_[*best.change].episode]) == Order::before);
    if (better) best = {kind, change, Identity::declared, true};
  }
  return best;
}

Origin CreatorIndex::last_of(const Candidates& candidates, const Exposure& exposure) const {
  Origin best;
  for (const std::size_t change : candidates) {
    const OriginKind kind = kind_of(change, exposure);
    if (best.change && creator_rank(kind) > creator_rank(best.kind)) continue;
    const bool earlier_rank = !best.change || creator_rank(kind) < creator_rank(best.kind);
    // After the delivery, the nearest change is the first one.
    const Order order = earlier_rank
                            ? Order::same
                            : order_of(episodes_[changes_[change].episode], episodes_[changes_[*best.change].episode]);
    const bool better = earlier_rank || (creator_rank(kind) == 2 ? order == Order::before : order != Order::before);
    if (better) best = {kind, change, Identity::declared, true};
  }
  return best;
}

std::optional<std::int64_t> position_gap(const EpisodeNode& source, const EpisodeNode& target) {
  if (!source.position || !target.position) return std::nullopt;
  return static_cast<std::int64_t>(*target.position) - static_cast<std::int64_t>(*source.position);
}

}  // namespace memuse::graph
