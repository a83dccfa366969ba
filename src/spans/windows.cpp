#include "spans/windows.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "spans/containment.h"
#include "spans/identifier_sets.h"
#include "spans/open_credit.h"

// Credit windows, by family.
//
// An entry with an item id looks only at entries of its item; one without looks at all. So the entries of an item form
// a family, and all entries of the episode form one more, which is needed only where some entry has no item id. A
// family has its distinct texts, the graph of which contains which, and its entries in order. Three questions are
// answered in it, the first and the last by passing stretches of steps down the graph, longest text first:
//
//   held     a text is held where the copy of an entry with it, or with a text that contains it, is visible. Held from
//            the span's first step on without a gap: that is the window, unless it is empty.
//   empty    entries are taken in order. One whose window is not empty offers its credit, until the window closes, to
//            every text inside its own. A later entry of such a text whose identifiers the offer covers gets no window
//            (`open_credit`).
//   unowned  a text whose entry has an empty window may be held for longer than the windows of the texts around it (of
//            any identifiers, earlier or later) are open; those steps are counted.
//
// An item's windows depend on that item alone; the family of all comes last, when every window of an entry with an item
// id is known.
//
// Cost: the bytes of the family's distinct texts, and the stretches passed down: a text has at most as many as the
// deliveries whose bytes contain it.

namespace memuse::spans {
namespace {

/// Steps in which the copies of entries with one text are visible.
class TextSightings {
 public:
  void add(const Copy& copy, std::uint32_t text, const Visibility& visibility) {
    if (copy.unchanged) stretches_.push_back(*copy.unchanged);
    const std::vector<Stretch>& later = visibility.after_rewrites(copy.message, text);
    if (later.empty()) return;
    const auto [earliest, is_new] = first_by_message_.try_emplace(copy.message, copy.first);
    if (!is_new) earliest->second = std::min(earliest->second, copy.first);
  }

  /// All stretches, unordered; the object is spent.
  std::vector<Stretch> take(std::uint32_t text, const Visibility& visibility) {
    // Of several copies in one message, the later ones see nothing after rewrites that the earliest does not see.
    for (const auto& [message, first] : first_by_message_) {
      append_from(stretches_, visibility.after_rewrites(message, text), first);
    }
    return std::move(stretches_);
  }

 private:
  std::vector<Stretch> stretches_;
  std::unordered_map<std::uint32_t, std::uint32_t> first_by_message_;
};

/// An entry of a span in its family.
struct Member {
  SpanEntry* entry = nullptr;
  std::uint32_t first_step = 0;
  std::uint32_t text = 0;         // in the family
  std::uint32_t identifiers = 0;  // number of the set
  bool asks = false;              // its window is decided in this family
  Stretch held;                   // of an entry that asks
};

/// Entries that are compared with each other.
class Family {
 public:
  Family(const Exposures& exposures, const Visibility& visibility) : exposures_(exposures), visibility_(visibility) {}

  void add_copy(const Copy& copy, std::uint32_t text) {
    const std::uint32_t number = number_of(text);
    sightings_[number].add(copy, text, visibility_);
  }

  /// Members are added in order, after all copies; their texts are among those of the copies.
  void add_member(Member member, std::uint32_t text) {
    member.text = number_of(text);
    members_.push_back(member);
  }

  /// Decides the windows of the members that ask; returns the unowned entry steps among them.
  std::uint64_t decide(const IdentifierSets& identifier_sets) {
    std::vector<std::string_view> texts;
    texts.reserve(texts_.size());
    for (const std::uint32_t text : texts_) texts.push_back(exposures_.text(text));
    const Containment containment(texts);
    find_held(containment);
    assign(containment, identifier_sets);
    return count_unowned(containment);
  }

 private:
  std::uint32_t number_of(std::uint32_t text) {
    const auto [place, is_new] = numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) {
      texts_.push_back(text);
      sightings_.emplace_back();
    }
    return place->second;
  }

  /// Members that ask, by text.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> asking_by_text() const {
    std::vector<std::vector<std::uint32_t>> asking(texts_.size());
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
      if (members_[i].asks) asking[members_[i].text].push_back(i);
    }
    return asking;
  }

  /// Adds to the stretches of every text those of the texts that contain it, and shows each joined list to `visit`.
  template <typename Visit>
  void pass_down(const Containment& containment, std::vector<std::vector<Stretch>> stretches, Visit&& visit) const {
    for (const std::uint32_t text : containment.longest_first()) {
      std::vector<Stretch> joined = std::move(stretches[text]);
      join_stretches(joined);
      visit(text, joined);
      for (const std::uint32_t inner : containment.inside(text)) {
        stretches[inner].insert(stretches[inner].end(), joined.begin(), joined.end());
      }
    }
  }

  void find_held(const Containment& containment) {
    std::vector<std::vector<Stretch>> visible(texts_.size());
    for (std::size_t i = 0; i < texts_.size(); ++i) visible[i] = sightings_[i].take(texts_[i], visibility_);
    const std::vector<std::vector<std::uint32_t>> asking = asking_by_text();
    pass_down(containment, std::move(visible), [&](std::uint32_t text, const std::vector<Stretch>& held) {
      for (const std::uint32_t i : asking[text]) {
        Member& member = members_[i];
        const std::optional<Stretch> around = stretch_at(held, member.first_step);
        member.held = {member.first_step, around ? around->last : member.first_step};
      }
    });
  }

  void assign(const Containment& containment, const IdentifierSets& identifier_sets) {
    const std::vector<std::vector<std::uint32_t>> asking = asking_by_text();
    OpenCredit credit(containment, identifier_sets, asking);
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      std::optional<Window>& window = member.entry->window;
      if (member.asks && !credit.covers(member.text, member.identifiers, member.first_step)) window = member.held;
      if (window) credit.open(i, member.text, member.identifiers, window->last);
    }
  }

  [[nodiscard]] std::uint64_t count_unowned(const Containment& containment) const {
    const bool all_have_windows =
        std::all_of(members_.begin(), members_.end(), [](const Member& member) { return member.entry->window; });
    if (all_have_windows) return 0;
    std::vector<std::vector<Stretch>> owned(texts_.size());
    for (const Member& member : members_) {
      if (member.entry->window) owned[member.text].push_back(*member.entry->window);
    }
    const std::vector<std::vector<std::uint32_t>> asking = asking_by_text();
    std::uint64_t unowned = 0;
    pass_down(containment, std::move(owned), [&](std::uint32_t text, const std::vector<Stretch>& windows) {
      for (const std::uint32_t i : asking[text]) {
        if (!members_[i].entry->window) unowned += steps_outside(windows, members_[i].held);
      }
    });
    return unowned;
  }

  const Exposures& exposures_;
  const Visibility& visibility_;
  std::vector<std::uint32_t> texts_;  // numbers in `Exposures`
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::vector<TextSightings> sightings_;  // by text
  std::vector<Member> members_;
};

/// True when some consumed delivery exposes an entry without an item id.
bool has_entry_without_item(const Exposures& exposures, const Visibility& visibility) {
  for (std::uint32_t i = 0; i < exposures.delivery_count(); ++i) {
    if (!visibility.consumed(i)) continue;
    for (const Exposure& exposure : exposures.of(i)) {
      if (exposure.item == kNone) return true;
    }
  }
  return false;
}

/// The families of an episode.
class Families {
 public:
  Families(const Exposures& exposures, const Visibility& visibility) {
    of_item_.reserve(exposures.item_count());
    for (std::uint32_t i = 0; i < exposures.item_count(); ++i) of_item_.emplace_back(exposures, visibility);
    if (has_entry_without_item(exposures, visibility)) of_all_.emplace(exposures, visibility);
    for (std::uint32_t i = 0; i < exposures.delivery_count(); ++i) {
      if (!visibility.consumed(i)) continue;
      for (const Exposure& exposure : exposures.of(i)) {
        if (exposure.item != kNone) of_item_[exposure.item].add_copy(visibility.copy(i), exposure.text);
        if (of_all_) of_all_->add_copy(visibility.copy(i), exposure.text);
      }
    }
  }

  void add_member(Member member, const Exposure& exposure) {
    if (exposure.item != kNone) {
      member.asks = true;
      of_item_[exposure.item].add_member(member, exposure.text);
    }
    if (of_all_) {
      member.asks = exposure.item == kNone;
      of_all_->add_member(member, exposure.text);
    }
  }

  std::uint64_t decide(const IdentifierSets& identifier_sets) {
    std::uint64_t unowned = 0;
    for (Family& family : of_item_) unowned += family.decide(identifier_sets);
    if (of_all_) unowned += of_all_->decide(identifier_sets);
    return unowned;
  }

 private:
  std::vector<Family> of_item_;
  std::optional<Family> of_all_;
};

/// Identifiers of an exposed entry; none for a delivery that counts as its placed text.
const std::vector<std::string_view>& identifiers_of(const Delivery& delivery, const Exposure& exposure) {
  static const std::vector<std::string_view> none;
  const bool recorded = exposure.index < delivery.entries.size() && !is_blank(delivery.entries[exposure.index].text);
  return recorded ? delivery.entries[exposure.index].identifiers : none;
}

}  // namespace

std::uint64_t assign_windows(const Exposures& exposures, const Visibility& visibility, std::vector<Span>& spans) {
  Families families(exposures, visibility);
  IdentifierSets identifier_sets;
  for (Span& span : spans) {
    if (span.entries.empty()) continue;
    const std::uint32_t target = span.deliveries.front().delivery;
    const Delivery& delivery = exposures.episode().deliveries[target];
    const std::vector<Exposure>& exposed = exposures.of(target);
    for (std::size_t i = 0; i < exposed.size(); ++i) {
      Member member;
      member.entry = &span.entries[i];
      member.first_step = span.first_step;
      member.identifiers = identifier_sets.number_of(identifiers_of(delivery, exposed[i]));
      families.add_member(member, exposed[i]);
    }
  }
  return families.decide(identifier_sets);
}

}  // namespace memuse::spans
