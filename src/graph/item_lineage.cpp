#include "graph/item_lineage.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace memuse::graph {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Something that names a version, at its moment.
struct Mention {
  enum class Kind : std::uint8_t { change, exposure, returned };
  std::size_t episode = 0;
  std::uint32_t line_order = 0;
  Kind kind = Kind::change;
  std::size_t index = 0;  ///< in the list of its kind

  [[nodiscard]] auto moment() const { return std::tie(episode, line_order, kind, index); }
};

class LineageBuilder {
 public:
  explicit LineageBuilder(ItemFacts facts) : facts_(std::move(facts)) {}

  ItemLineage build() {
    find_origins();
    add_own_versions();
    index_makers();
    add_kin();
    set_replacements();
    move_facts();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_own(const Change& change) const { return change.item == facts_.item; }

  // --- origins -----------------------------------------------------------------------------------------------------

  void find_origins() {
    const CreatorIndex creators(facts_.episodes, facts_.changes);
    std::vector<Exposure> kept;
    for (Exposure& exposure : facts_.exposures) {
      Origin origin = creators.creator_of(exposure);
      // The text of an entry without an item id may first have been another item's.
      if (!exposure.item && (!origin.change || !is_own(facts_.changes[*origin.change]))) continue;
      const bool names_it = exposure.version && origin.change && !facts_.changes[*origin.change].version;
      if (names_it) named_by_delivery_.emplace(*origin.change, *exposure.version);
      origins_.push_back(origin);
      kept.push_back(std::move(exposure));
    }
    facts_.exposures = std::move(kept);
  }

  /// The id of the version that a change made or left: its own, else what a delivery of it is called.
  [[nodiscard]] std::string version_of(std::size_t change) const {
    if (facts_.changes[change].version) return *facts_.changes[change].version;
    const auto named = named_by_delivery_.find(change);
    return named == named_by_delivery_.end() ? std::string() : named->second;
  }

  // --- versions of the item ----------------------------------------------------------------------------------------

  void add_own_versions() {
    for (const Mention& mention : mentions()) {
      switch (mention.kind) {
        case Mention::Kind::change:
          mention_change(mention.index);
          break;
        case Mention::Kind::exposure:
          mention_exposure(mention.index);
          break;
        case Mention::Kind::returned:
          if (const auto& version = facts_.returns[mention.index].version) own_version(*version);
          break;
      }
    }
  }

  [[nodiscard]] std::vector<Mention> mentions() const {
    std::vector<Mention> all;
    for (std::size_t i = 0; i < facts_.changes.size(); ++i) {
      const Change& change = facts_.changes[i];
      if (is_own(change)) all.push_back({change.episode, change.line_order, Mention::Kind::change, i});
    }
    for (std::size_t i = 0; i < facts_.exposures.size(); ++i) {
      const Exposure& exposure = facts_.exposures[i];
      all.push_back({exposure.episode, exposure.line_order, Mention::Kind::exposure, i});
    }
    for (std::size_t i = 0; i < facts_.returns.size(); ++i) {
      const Return& returned = facts_.returns[i];
      all.push_back({returned.episode, returned.line_order, Mention::Kind::returned, i});
    }
    std::sort(all.begin(), all.end(), [](const Mention& a, const Mention& b) { return a.moment() < b.moment(); });
    return all;
  }

  std::size_t new_version(std::string item, Kin kin, std::string version) {
    out_.versions.push_back({std::move(item), kin, std::move(version), {}, {}, {}, {}});
    return out_.versions.size() - 1;
  }

  std::size_t own_version(const std::string& version) {
    const auto [found, is_new] = own_.try_emplace(version, out_.versions.size());
    if (is_new) new_version(facts_.item, Kin::own, version);
    return found->second;
  }

  void mention_change(std::size_t index) {
    const Change& change = facts_.changes[index];
    const std::string version = version_of(index);
    if (!change.makes_version()) {
      // A deletion without a version says nothing of one.
      if (!version.empty()) own_version(version);
      return;
    }
    const std::size_t made = version.empty() ? new_version(facts_.item, Kin::own, {}) : own_version(version);
    ItemVersion& node = out_.versions[made];
    made_by_.emplace(index, made);
    if (node.maker) return;
    node.maker = index;
    if (change.text) node.text = change.text;
  }

  void mention_exposure(std::size_t index) {
    const Exposure& exposure = facts_.exposures[index];
    const Origin& origin = origins_[index];
    std::size_t version = kNone;
    if (exposure.version) {
      version = own_version(*exposure.version);
    } else if (const auto made = origin.change ? made_by_.find(*origin.change) : made_by_.end();
               made != made_by_.end()) {
      version = made->second;
    } else if (!origin.change) {
      version = own_version({});
    }
    shown_version_.push_back(version);
    if (version != kNone) describe(version, index);
    order_of_shown_.push_back(index);
  }

  /// What a delivery tells of its version.
  void describe(std::size_t version, std::size_t exposure) {
    ItemVersion& node = out_.versions[version];
    if (!node.text) node.text = facts_.exposures[exposure].text;
    // Joined by the item alone, the version has the maker of the item's text at that moment.
    if (!node.maker && origins_[exposure].change) node.maker = origins_[exposure].change;
  }

  // --- other items -------------------------------------------------------------------------------------------------

  void index_makers() {
    for (std::size_t i = 0; i < facts_.changes.size(); ++i) {
      const Change& change = facts_.changes[i];
      if (!change.makes_version() || !change.version) continue;
      makers_[*change.version].try_emplace(change.item, i);
      for (const std::string& parent : change.from) {
        if (!is_own(change)) made_from_[parent].push_back(i);
      }
    }
  }

  void add_kin() {
    const std::size_t own = out_.versions.size();
    for (std::size_t i = 0; i < own; ++i) add_parents(i, Kin::ancestor);
    for (std::size_t i = own; i < out_.versions.size(); ++i) add_parents(i, Kin::ancestor);
    const std::size_t with_ancestors = out_.versions.size();
    for (std::size_t i = 0; i < own; ++i) add_descendants(i);
    for (std::size_t i = with_ancestors; i < out_.versions.size(); ++i) add_descendants(i);
    for (std::size_t i = with_ancestors; i < out_.versions.size(); ++i) link_parents(i);
  }

  /// The version that a change of `item` means by `parent`: one of its own item, made or delivered, else the only one
  /// of that id that another item has.
  [[nodiscard]] std::optional<std::pair<std::string, std::optional<std::size_t>>> parent_of(
      const std::string& item, const std::string& parent) const {
    if (item == facts_.item && own_.contains(parent)) return std::pair(item, std::optional<std::size_t>());
    if (facts_.delivered.contains({item, parent})) return std::pair(item, std::optional<std::size_t>());
    const auto found = makers_.find(parent);
    if (found == makers_.end()) return std::nullopt;
    if (const auto same = found->second.find(item); same != found->second.end()) {
      return std::pair(item, std::optional(same->second));
    }
    if (found->second.size() != 1) return std::nullopt;
    return std::pair(found->second.begin()->first, std::optional(found->second.begin()->second));
  }

  void add_parents(std::size_t child, Kin kin) {
    if (!out_.versions[child].maker) return;
    const Change& maker = facts_.changes[*out_.versions[child].maker];
    for (const std::string& name : maker.from) {
      Parent parent{name, std::nullopt};
      if (const auto known = parent_of(maker.item, name)) {
        parent.index =
            known->first == facts_.item ? own_index(name) : kin_version(known->first, name, kin, known->second);
      }
      out_.versions[child].parents.push_back(std::move(parent));
    }
  }

  [[nodiscard]] std::optional<std::size_t> own_index(const std::string& version) const {
    const auto found = own_.find(version);
    return found == own_.end() ? std::nullopt : std::optional(found->second);
  }

  std::size_t kin_version(const std::string& item, const std::string& version, Kin kin,
                          std::optional<std::size_t> maker) {
    const auto [found, is_new] = kin_.try_emplace(std::pair(item, version), out_.versions.size());
    if (is_new) {
      new_version(item, kin, version);
      out_.versions.back().maker = maker;
      if (maker) out_.versions.back().text = facts_.changes[*maker].text;
    }
    return found->second;
  }

  void add_descendants(std::size_t parent) {
    const auto found = made_from_.find(out_.versions[parent].version);
    if (found == made_from_.end()) return;
    const std::string item = out_.versions[parent].item;
    const std::string version = out_.versions[parent].version;
    for (const std::size_t change : found->second) {
      const Change& child = facts_.changes[change];
      const auto meant = parent_of(child.item, version);
      const bool is_meant = meant ? meant->first == item : item == facts_.item;
      if (is_meant) kin_version(child.item, *child.version, Kin::descendant, change);
    }
  }

  /// Parents of a descendant, as far as they are here already.
  void link_parents(std::size_t child) {
    ItemVersion& node = out_.versions[child];
    if (!node.maker) return;
    const Change& maker = facts_.changes[*node.maker];
    for (const std::string& name : maker.from) {
      Parent parent{name, std::nullopt};
      if (const auto known = parent_of(maker.item, name); !known) {
        parent.index = own_index(name);
      } else if (known->first == facts_.item) {
        parent.index = own_index(name);
      } else if (const auto there = kin_.find({known->first, name}); there != kin_.end()) {
        parent.index = there->second;
      }
      node.parents.push_back(std::move(parent));
    }
  }

  // --- the result --------------------------------------------------------------------------------------------------

  void set_replacements() {
    for (std::size_t i = 0; i < out_.versions.size(); ++i) {
      if (out_.versions[i].kin != Kin::own) continue;
      for (const Parent& parent : out_.versions[i].parents) {
        if (!parent.index || *parent.index == i) continue;
        ItemVersion& replaced = out_.versions[*parent.index];
        if (replaced.kin == Kin::own && !replaced.replaced_by) replaced.replaced_by = i;
      }
    }
  }

  /// Moves what the lineage names, and renumbers it.
  void move_facts() {
    out_.configuration = std::move(facts_.configuration);
    out_.run = std::move(facts_.run);
    out_.store = std::move(facts_.store);
    mark_changes();
    mark_episodes();
    std::vector<std::size_t> episode_index(facts_.episodes.size(), kNone);
    for (std::size_t i = 0; i < facts_.episodes.size(); ++i) {
      if (!episode_wanted_[i]) continue;
      episode_index[i] = out_.episodes.size();
      out_.episodes.push_back(std::move(facts_.episodes[i]));
    }
    std::vector<std::size_t> change_index(facts_.changes.size(), kNone);
    for (std::size_t i = 0; i < facts_.changes.size(); ++i) {
      if (!change_wanted_[i]) continue;
      change_index[i] = out_.changes.size();
      out_.changes.push_back(std::move(facts_.changes[i]));
      out_.changes.back().episode = episode_index[out_.changes.back().episode];
    }
    for (ItemVersion& version : out_.versions) {
      if (version.maker) version.maker = change_index[*version.maker];
    }
    move_showings(episode_index, change_index);
    for (Return& returned : facts_.returns) {
      out_.returns.push_back(std::move(returned));
      out_.returns.back().episode = episode_index[out_.returns.back().episode];
    }
    out_.item = std::move(facts_.item);
  }

  void mark_changes() {
    change_wanted_.assign(facts_.changes.size(), false);
    for (std::size_t i = 0; i < facts_.changes.size(); ++i) change_wanted_[i] = is_own(facts_.changes[i]);
    for (const ItemVersion& version : out_.versions) {
      if (version.maker) change_wanted_[*version.maker] = true;
    }
  }

  void mark_episodes() {
    episode_wanted_.assign(facts_.episodes.size(), false);
    for (std::size_t i = 0; i < facts_.changes.size(); ++i) {
      if (change_wanted_[i]) episode_wanted_[facts_.changes[i].episode] = true;
    }
    for (const Exposure& exposure : facts_.exposures) episode_wanted_[exposure.episode] = true;
    for (const Return& returned : facts_.returns) episode_wanted_[returned.episode] = true;
  }

  void move_showings(const std::vector<std::size_t>& episode_index, const std::vector<std::size_t>& change_index) {
    for (std::size_t i = 0; i < order_of_shown_.size(); ++i) {
      const std::size_t index = order_of_shown_[i];
      Showing showing{std::move(facts_.exposures[index]), 0, origins_[index]};
      showing.exposure.episode = episode_index[showing.exposure.episode];
      std::size_t version = shown_version_[i];
      if (version == kNone) {
        // Recorded as made only after it was shown: by now its version is there.
        const auto made = made_by_.find(*showing.origin.change);
        version = made->second;
      }
      showing.version = version;
      if (showing.origin.change) showing.origin.change = change_index[*showing.origin.change];
      out_.showings.push_back(std::move(showing));
    }
  }

  ItemFacts facts_;
  ItemLineage out_;
  std::vector<Origin> origins_;                                                 // by exposure
  std::unordered_map<std::size_t, std::string> named_by_delivery_;              // by change
  std::unordered_map<std::string, std::size_t> own_;                            // version id → index
  std::unordered_map<std::size_t, std::size_t> made_by_;                        // change → version
  std::map<std::pair<std::string, std::string>, std::size_t> kin_;              // (item, version) → index
  std::unordered_map<std::string, std::map<std::string, std::size_t>> makers_;  // version id → item → first maker
  std::unordered_map<std::string, std::vector<std::size_t>> made_from_;         // version id → changes of other items
  std::vector<std::size_t> shown_version_, order_of_shown_;
  std::vector<bool> change_wanted_, episode_wanted_;
};

}  // namespace

std::string_view name(Kin kin) {
  switch (kin) {
    case Kin::own:
      return "own";
    case Kin::ancestor:
      return "ancestor";
    case Kin::descendant:
      break;
  }
  return "descendant";
}

bool ItemVersion::is_merge(const std::vector<ItemVersion>& all) const {
  if (parents.size() > 1) return true;
  return parents.size() == 1 && parents.front().index && all[*parents.front().index].item != item;
}

ItemLineage item_lineage(ItemFacts facts) {
  return LineageBuilder(std::move(facts)).build();
}

}  // namespace memuse::graph
