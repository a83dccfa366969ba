#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/item_lineage.h"

// How views and tables speak of lineage. All texts are safe to print.

namespace memuse::report {

/// "V1": the place of a version in the view of its item.
[[nodiscard]] std::string version_label(std::size_t index);

/// "resolved", "failed", "unknown".
[[nodiscard]] std::string_view outcome_word(const graph::EpisodeNode& episode);

/// "ep-03 (position 3, failed), after step 12 of 12".
[[nodiscard]] std::string change_place(const graph::ItemLineage& lineage, const graph::Change& change);
[[nodiscard]] std::string change_place(const graph::EpisodeNode& episode, const graph::Change& change);

/// "1–4, 7".
[[nodiscard]] std::string steps_text(const std::vector<std::uint32_t>& steps);

/// "V1, J.2 (its making is not recorded)".
[[nodiscard]] std::string parents_text(const graph::ItemLineage& lineage, const graph::ItemVersion& version);

/// The own version of that id.
[[nodiscard]] std::optional<std::size_t> own_version(const graph::ItemLineage& lineage, std::string_view version);

/// "earlier episode", "this episode", "recorded only later".
[[nodiscard]] std::string_view origin_words(graph::OriginKind kind);

/// "3 tasks before, failed", "this episode", "recorded later", "— (not recorded)".
[[nodiscard]] std::string origin_text(const graph::ItemLineage& lineage, const graph::Showing& showing);
[[nodiscard]] std::string origin_text(const graph::Origin& origin, const graph::EpisodeNode* source,
                                      const graph::EpisodeNode& target);

/// Steps at which an entry was acted on; empty when it was not.
[[nodiscard]] std::string acted_on_text(const EntryAnswer& answer);

/// "in 2 spans and 1 episode; acted on 1 time: improved 1, harmed 0".
[[nodiscard]] std::string exposed_text(const graph::ItemLineage& lineage);

/// `count` and the word in the right number.
[[nodiscard]] std::string plural_of(std::uint64_t count, std::string_view one, std::string_view several);

}  // namespace memuse::report
