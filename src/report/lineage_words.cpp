#include "report/lineage_words.h"

#include <fmt/format.h>

#include <set>

#include "report/show_common.h"
#include "report/text_layout.h"

namespace memuse::report {

using graph::OriginKind;

std::string version_label(std::size_t index) {
  return fmt::format("V{}", index + 1);
}

std::string_view outcome_word(const graph::EpisodeNode& episode) {
  return !episode.resolved ? "unknown" : *episode.resolved ? "resolved" : "failed";
}

std::string change_place(const graph::EpisodeNode& episode, const graph::Change& change) {
  std::string out = safe(episode.episode) + " (";
  if (episode.position) out += fmt::format("position {}, ", *episode.position);
  out += episode.resolved ? std::string(outcome_word(episode)) : "outcome unknown";
  out += change.after_step == 0 ? "), before its first step" : fmt::format("), after step {}", change.after_step);
  if (change.after_step > 0 && change.after_step == episode.steps) out += ", at its end";
  return out;
}

std::string change_place(const graph::ItemLineage& lineage, const graph::Change& change) {
  return change_place(lineage.episode_of(change), change);
}

std::string steps_text(const std::vector<std::uint32_t>& steps) {
  std::string out;
  for (std::size_t i = 0; i < steps.size();) {
    std::size_t last = i;
    while (last + 1 < steps.size() && steps[last + 1] == steps[last] + 1) ++last;
    if (!out.empty()) out += ", ";
    out += last > i ? fmt::format("{}–{}", steps[i], steps[last]) : fmt::format("{}", steps[i]);
    i = last + 1;
  }
  return out;
}

std::string parents_text(const graph::ItemLineage& lineage, const graph::ItemVersion& version) {
  std::string out;
  for (const graph::Parent& parent : version.parents) {
    if (!out.empty()) out += ", ";
    if (!parent.index) {
      out += fmt::format("{} (not seen elsewhere)", safe(parent.version));
      continue;
    }
    out += version_label(*parent.index);
    if (!lineage.versions[*parent.index].maker) out += " (its making is not recorded)";
  }
  return out;
}

std::optional<std::size_t> own_version(const graph::ItemLineage& lineage, std::string_view version) {
  for (std::size_t i = 0; i < lineage.versions.size(); ++i) {
    if (lineage.versions[i].kin == graph::Kin::own && lineage.versions[i].version == version) return i;
  }
  return std::nullopt;
}

namespace {

std::string earlier_text(const graph::EpisodeNode& source, const graph::EpisodeNode& target) {
  const auto gap = graph::position_gap(source, target);
  std::string out = !gap        ? "earlier episode"
                    : *gap == 0 ? "earlier attempt"
                                : plural(static_cast<std::uint64_t>(*gap), "task") + " before";
  out += source.resolved ? fmt::format(", {}", outcome_word(source)) : ", outcome unknown";
  if (!source.repo.empty() && !target.repo.empty() && source.repo != target.repo) out += ", another repository";
  return out;
}

}  // namespace

std::string_view origin_words(OriginKind kind) {
  switch (kind) {
    case OriginKind::earlier_episode:
      return "earlier episode";
    case OriginKind::same_episode:
      return "this episode";
    case OriginKind::recorded_later:
      return "recorded only later";
    case OriginKind::order_unknown:
      return "order of episodes unknown";
    case OriginKind::other_version:
      return "only other versions recorded";
    case OriginKind::not_recorded:
      break;
  }
  return "not recorded";
}

std::string origin_text(const graph::Origin& origin, const graph::EpisodeNode* source,
                        const graph::EpisodeNode& target) {
  std::string out = origin.kind == OriginKind::earlier_episode ? earlier_text(*source, target)
                                                               : std::string(origin_words(origin.kind));
  if (origin.change && origin.identity == graph::Identity::text) out += " (by text)";
  return out;
}

std::string origin_text(const graph::ItemLineage& lineage, const graph::Showing& showing) {
  const graph::EpisodeNode* source =
      showing.origin.change ? &lineage.episode_of(lineage.changes[*showing.origin.change]) : nullptr;
  return origin_text(showing.origin, source, lineage.episode_of(showing));
}

std::string acted_on_text(const EntryAnswer& answer) {
  return answer.labels.influence == Influence::acted_on ? steps_text(answer.anchors) : std::string();
}

std::string exposed_text(const graph::ItemLineage& lineage) {
  std::set<std::size_t> episodes;
  std::uint64_t deliveries = 0;
  std::uint64_t acted_on = 0;
  std::uint64_t improved = 0;
  std::uint64_t harmed = 0;
  for (const graph::Showing& showing : lineage.showings) {
    episodes.insert(showing.exposure.episode);
    deliveries += showing.exposure.placements.size();
    if (!showing.exposure.answer) continue;
    const Labels& labels = showing.exposure.answer->labels;
    if (labels.influence != Influence::acted_on) continue;
    ++acted_on;
    if (labels.effect == Effect::improved) ++improved;
    if (labels.effect == Effect::harmed) ++harmed;
  }
  return fmt::format("{} in {} and {}; acted on {}: improved {}, harmed {}",
                     plural_of(deliveries, "delivery", "deliveries"), plural(lineage.showings.size(), "span"),
                     plural(episodes.size(), "episode"), plural(acted_on, "time"), improved, harmed);
}

std::string plural_of(std::uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", with_separators(count), count == 1 ? one : several);
}

}  // namespace memuse::report
