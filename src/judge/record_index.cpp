#include "judge/record_index.h"

#include <algorithm>
#include <limits>

#include "judge/action_text.h"
#include "judge/atoms.h"
#include "model/entries.h"

namespace memuse::judge {
namespace {

/// Spots kept of one pattern in one text; more would say the same again.
constexpr std::size_t kSpotsPerText = 4;
constexpr std::size_t kLongestName = 256;

/// Bytes of a message that no delivery placed.
std::vector<std::string_view> outside_of(std::string_view text, std::vector<ByteRange> placed) {
  std::sort(placed.begin(), placed.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  std::vector<std::string_view> pieces;
  std::uint64_t at = 0;
  for (const ByteRange& range : placed) {
    if (range.begin > at) pieces.push_back(text.substr(at, std::min<std::uint64_t>(range.begin, text.size()) - at));
    at = std::max(at, std::min<std::uint64_t>(range.end, text.size()));
  }
  pieces.push_back(text.substr(at));
  std::erase_if(pieces, [](std::string_view piece) { return is_blank(piece); });
  return pieces;
}

/// First step that does not show the entry any more: the message left, or a rewrite took the entry's text out.
std::uint32_t copy_end(const Episode& episode, const Message& message, const Delivery& delivery,
                       std::string_view text) {
  for (const TextVersion& version : message.versions) {
    const bool rewritten = version.order > delivery.order;
    if (rewritten && episode.texts[version.text].find(text) == std::string_view::npos) {
      return std::min(version.from_step, message.end_step);
    }
  }
  return message.end_step;
}

/// For each spot the index, up to it, of the one whose place stays visible longest.
std::vector<std::uint32_t> running_latest(const std::vector<Spot>& spots, const std::vector<Place>& places) {
  std::vector<std::uint32_t> latest(spots.size());
  for (std::uint32_t i = 0; i < spots.size(); ++i) {
    latest[i] = i;
    if (i > 0 && places[spots[latest[i - 1]].place].end >= places[spots[i].place].end) latest[i] = latest[i - 1];
  }
  return latest;
}

}  // namespace

RecordIndex::RecordIndex(const Episode& episode, const PatternTable& table,
                         const std::unordered_set<std::uint64_t>& parts)
    : episode_(episode) {
  add_place({PlaceKind::task, 0, 0, kNever, 0, 0, 0, false}, episode.task_text);
  add_messages();
  add_steps();
  add_exposures();
  mark_teasers();
  note_parts(parts);
  find_patterns(table);
  sort_occurrences();
}

void RecordIndex::add_place(Place place, std::string_view text) {
  if (text.empty()) return;
  const auto [known, inserted] = text_ids_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (inserted) texts_.push_back(text);
  place.text = known->second;
  places_.push_back(place);
}

void RecordIndex::add_message(std::uint32_t index, const std::vector<const Delivery*>& deliveries) {
  const Message& message = episode_.messages[index];
  for (std::size_t v = 0; v < message.versions.size(); ++v) {
    const TextVersion& version = message.versions[v];
    const bool last = v + 1 == message.versions.size();
    Place place{PlaceKind::environment,
                message.of_step,
                std::max(message.first_step, version.from_step),
                message.end_step,
                message.order,
                0,
                index,
                false};
    if (!last) place.end = std::min(place.end, message.versions[v + 1].from_step);
    const std::string_view text = episode_.texts[version.text];
    std::vector<ByteRange> placed;
    for (const Delivery* delivery : deliveries) {
      // A rewritten message keeps its memory, but the ranges were those of the text before.
      const bool ranged = delivery->range && message.text_at_order(delivery->order) == version.text;
      placed.push_back(ranged ? *delivery->range : ByteRange{0, text.size()});
    }
    if (placed.empty()) {
      add_place(place, text);
    } else {
      for (const std::string_view piece : outside_of(text, placed)) add_place(place, piece);
    }
  }
}

void RecordIndex::add_messages() {
  std::unordered_map<std::uint32_t, std::vector<const Delivery*>> deliveries;
  for (const Delivery& delivery : episode_.deliveries) {
    if (delivery.message) deliveries[*delivery.message].push_back(&delivery);
  }
  const std::vector<const Delivery*> none;
  for (std::uint32_t i = 0; i < episode_.messages.size(); ++i) {
    const Message& message = episode_.messages[i];
    if (message.of_step != 0 && message.role == Role::assistant) continue;  // the step's own words
    const auto found = deliveries.find(i);
    add_message(i, found == deliveries.end() ? none : found->second);
  }
}

void RecordIndex::add_steps() {
  for (std::uint32_t k = 1; k <= episode_.step_count(); ++k) {
    const Step& step = episode_.steps[k - 1];
    add_place({PlaceKind::words, k, k + 1, kNever, step.order, 0, 0, false}, step.response);
    add_place({PlaceKind::words, k, k + 1, kNever, step.order, 0, 1, false}, step.reasoning);
    for (std::uint32_t a = 0; a < step.actions.size(); ++a) {
      const Place place{PlaceKind::action, k, k + 1, kNever, step.order, 0, a, false};
      for (std::string& text : action_text(step.actions[a]).strings) {
        add_place(place, decoded_.emplace_back(std::move(text)));
      }
      Place recorded = place;  // the keys of numbers stand only here
      recorded.as_recorded = true;
      add_place(recorded, step.actions[a].arguments);
    }
  }
}

void RecordIndex::add_exposures() {
  for (std::uint32_t d = 0; d < episode_.deliveries.size(); ++d) {
    const Delivery& delivery = episode_.deliveries[d];
    if (!delivery.message || delivery.consuming_step == kNever) continue;
    const Message& message = episode_.messages[*delivery.message];
    if (!message.visible_at(delivery.consuming_step)) continue;
    for (const ExposedEntry& entry : exposed_entries(episode_, delivery)) {
      Exposure exposure{d, entry.index, delivery.consuming_step, std::nullopt, entry.text, {}, message.of_step, false};
      if (entry.recorded != nullptr) {
        exposure.item = entry.recorded->item;
        exposure.identifiers = entry.recorded->identifiers;
      }
      const auto id = static_cast<std::uint32_t>(exposures_.size());
      if (exposure.item) by_item_[*exposure.item].push_back(id);
      exposures_.push_back(std::move(exposure));
      const std::uint32_t end = copy_end(episode_, message, delivery, entry.text);
      add_place({PlaceKind::memory, 0, delivery.consuming_step, end, delivery.order, 0, id, false}, entry.text);
    }
  }
}

void RecordIndex::mark_teasers() {
  for (auto& [item, ids] : by_item_) {
    std::size_t longest_fetched = 0;
    std::uint32_t fetched_by = 0;
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
      Exposure& exposure = exposures_[*id];
      exposure.is_teaser = longest_fetched > exposure.text.size() && fetched_by >= exposure.step;
      if (exposure.opened_by != 0 && exposure.text.size() > longest_fetched) {
        longest_fetched = exposure.text.size();
        fetched_by = exposure.opened_by;
      }
    }
  }
}

const std::vector<std::uint32_t>& RecordIndex::exposures_of(std::string_view item) const {
  static const std::vector<std::uint32_t> none;
  const auto found = by_item_.find(item);
  return found == by_item_.end() ? none : found->second;
}

void RecordIndex::note_parts(const std::unordered_set<std::uint64_t>& parts) {
  if (parts.empty()) return;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (places_[i].kind != PlaceKind::memory) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return places_[a].from < places_[b].from; });
  std::unordered_set<std::uint32_t> texts_read;
  std::unordered_set<std::uint64_t> words_read;
  std::vector<Atom> atoms;
  for (const std::uint32_t index : order) {
    const Place& place = places_[index];
    if (!texts_read.insert(place.text).second) continue;
    const std::string_view text = texts_[place.text];
    for (std::size_t position = 0; position < text.size();) {
      atoms.clear();
      position = read_atoms(text, position, kAtomsAtATime, atoms);
      for (const Atom& atom : atoms) {
        const std::size_t length = atom.end - atom.begin;
        if (atom.kind != AtomKind::word || length > kLongestName || !words_read.insert(atom.key).second) continue;
        for (const std::string& part : word_parts(text.substr(atom.begin, length))) {
          const std::uint64_t key = atom_key(part);
          if (parts.contains(key)) part_from_.try_emplace(key, place.from);
        }
      }
    }
  }
}

void RecordIndex::find_patterns(const PatternTable& table) {
  struct Found {
    PatternId pattern;
    std::size_t begin;
    std::size_t end;
  };
  std::vector<std::vector<Found>> found(texts_.size());
  std::vector<std::uint32_t> last_text(table.size(), kNever);
  std::vector<std::size_t> spots_in_text(table.size(), 0);
  for (std::uint32_t t = 0; t < texts_.size(); ++t) {
    table.scan(texts_[t], [&](PatternId pattern, std::size_t begin, std::size_t end) {
      if (last_text[pattern] != t) {
        last_text[pattern] = t;
        spots_in_text[pattern] = 0;
      }
      if (spots_in_text[pattern]++ < kSpotsPerText) found[t].push_back({pattern, begin, end});
    });
  }
  occurrences_.resize(table.size());
  for (std::uint32_t p = 0; p < places_.size(); ++p) {
    const Place& place = places_[p];
    for (const Found& hit : found[place.text]) {
      Occurrences& here = occurrences_[hit.pattern];
      const Spot spot{p, hit.begin, hit.end};
      switch (place.kind) {
        case PlaceKind::task:
          here.task.push_back(spot);
          break;
        case PlaceKind::words:
          here.words.push_back(spot);
          break;
        case PlaceKind::action:
          here.actions.push_back(spot);
          break;
        case PlaceKind::environment:
          here.environment.push_back(spot);
          break;
        case PlaceKind::memory:
          (exposures_[place.part].is_teaser ? here.teasers : here.memory).push_back(spot);
          break;
      }
    }
  }
}

void RecordIndex::sort_occurrences() {
  const auto earlier = [&](const Spot& a, const Spot& b) {
    const Place& x = places_[a.place];
    const Place& y = places_[b.place];
    return x.from != y.from ? x.from < y.from : x.order < y.order;
  };
  for (Occurrences& here : occurrences_) {
    // Words and actions stand in step order already.
    std::stable_sort(here.environment.begin(), here.environment.end(), earlier);
    std::stable_sort(here.memory.begin(), here.memory.end(), earlier);
    std::stable_sort(here.teasers.begin(), here.teasers.end(), earlier);
    here.latest_environment = running_latest(here.environment, places_);
    here.latest_memory = running_latest(here.memory, places_);
  }
}

const Spot* RecordIndex::visible_in_environment(PatternId pattern, std::uint32_t step) const {
  const Occurrences& here = occurrences_[pattern];
  const auto past = std::partition_point(here.environment.begin(), here.environment.end(),
                                         [&](const Spot& spot) { return place(spot).from <= step; });
  if (past == here.environment.begin()) return nullptr;
  const Spot& spot =
      here.environment[here.latest_environment[static_cast<std::size_t>(past - here.environment.begin()) - 1]];
  return place(spot).end > step ? &spot : nullptr;
}

const Spot* RecordIndex::visible_in_memory(PatternId pattern, std::uint32_t step, std::uint32_t order) const {
  const Occurrences& here = occurrences_[pattern];
  const auto past = std::partition_point(here.memory.begin(), here.memory.end(), [&](const Spot& spot) {
    const Place& at = place(spot);
    return at.from < step || (at.from == step && at.order < order);
  });
  if (past == here.memory.begin()) return nullptr;
  const Spot& spot = here.memory[here.latest_memory[static_cast<std::size_t>(past - here.memory.begin()) - 1]];
  return place(spot).end > step ? &spot : nullptr;
}

bool RecordIndex::part_known(std::uint64_t part, std::uint32_t step) const {
  const auto found = part_from_.find(part);
  return found != part_from_.end() && found->second <= step;
}

bool RecordIndex::step_visible(std::uint32_t step, std::uint32_t at) const {
  if (step == 0 || step > episode_.step_count() || step >= at) return false;
  const Step& cited = episode_.steps[step - 1];
  if (cited.response_message && episode_.messages[*cited.response_message].visible_at(at)) return true;
  return std::any_of(cited.results.begin(), cited.results.end(),
                     [&](const Result& result) { return episode_.messages[result.message].visible_at(at); });
}

}  // namespace memuse::judge
