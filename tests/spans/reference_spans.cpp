#include "reference_spans.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace memuse::test {
namespace {

struct InputMessage {
  std::size_t message;
  std::string text;       // normalised
  std::uint32_t written;  // line at which it got this text
};
using Input = std::vector<InputMessage>;

struct Exposed {
  std::uint32_t index;
  std::optional<std::string> item;
  std::string text;  // normalised
  std::vector<std::string> identifiers;

  [[nodiscard]] bool same_as(const Exposed& other) const { return item == other.item && text == other.text; }
};

struct Placed {
  std::uint32_t number;  // deliveries first, then searches
  std::uint32_t step;
  const Delivery* delivery;  // null for a search
  std::vector<Exposed> entries;
  std::tuple<std::uint32_t, bool, std::uint32_t, std::uint64_t, std::uint32_t> rank;
};

bool contains(const std::string& outer, const std::string& inner) {
  return outer.find(inner) != std::string::npos;
}

class Reference {
 public:
  explicit Reference(const Episode& episode) : episode_(episode) {}

  EpisodeSpans run() {
    write_inputs();
    take_deliveries();
    for (const Placed& placed : placed_) {
      if (placed.entries.empty()) {
        group_empty(placed);
      } else {
        group(placed);
      }
    }
    for (std::size_t i = 0; i < result_.spans.size(); ++i) set_last_step(i);
    set_windows();
    for (Span& span : result_.spans) set_routing(span);
    return result_;
  }

 private:
  void write_inputs() {
    inputs_.resize(episode_.steps.size() + 1);
    for (std::uint32_t k = 1; k < inputs_.size(); ++k) {
      for (std::size_t m = 0; m < episode_.messages.size(); ++m) {
        const Message& message = episode_.messages[m];
        if (k < message.first_step || k >= message.end_step) continue;
        const TextVersion* shown = &message.versions.front();
        for (const TextVersion& version : message.versions) {
          if (version.from_step <= k) shown = &version;
        }
        inputs_[k].push_back({m, normalise_text(episode_.texts[shown->text]), shown->order});
      }
    }
  }

  [[nodiscard]] std::vector<Exposed> exposed(const Delivery& delivery) const {
    std::vector<Exposed> list;
    for (std::uint32_t i = 0; i < delivery.entries.size(); ++i) {
      const Entry& entry = delivery.entries[i];
      const std::string text = normalise_text(entry.text);
      if (text.empty()) continue;
      std::optional<std::string> item;
      if (entry.item) item = std::string(*entry.item);
      list.push_back({i, item, text, {entry.identifiers.begin(), entry.identifiers.end()}});
    }
    const std::string placed = normalise_text(episode_.placed_text(delivery));
    if (list.empty() && !placed.empty()) list.push_back({0, std::nullopt, placed, {}});
    return list;
  }

  [[nodiscard]] const InputMessage* in_input(const Delivery& delivery, std::uint32_t step) const {
    for (const InputMessage& shown : inputs_[step]) {
      if (delivery.message && *delivery.message == shown.message) return &shown;
    }
    return nullptr;
  }

  [[nodiscard]] bool entry_visible(const Placed& placed, const Exposed& entry, std::uint32_t step) const {
    if (step < placed.step) return false;
    const InputMessage* shown = in_input(*placed.delivery, step);
    if (shown == nullptr) return false;
    return shown->written <= placed.delivery->order || contains(shown->text, entry.text);
  }

  [[nodiscard]] bool copy_visible(const Placed& placed, std::uint32_t step) const {
    for (const Exposed& entry : placed.entries) {
      if (!entry_visible(placed, entry, step)) return false;
    }
    return true;
  }

  void take_deliveries() {
    for (std::uint32_t i = 0; i < episode_.deliveries.size(); ++i) {
      const Delivery& delivery = episode_.deliveries[i];
      Placed placed{i, delivery.consuming_step, &delivery, exposed(delivery), {}};
      const std::string step = std::to_string(delivery.consuming_step);
      if (delivery.consuming_step == kNever) {
        result_.unconsumed.push_back({i, "No step followed it."});
      } else if (!delivery.message && !placed.entries.empty()) {
        result_.unconsumed.push_back({i, "It names no message, so no input is known to hold its entries."});
      } else if (delivery.message && in_input(delivery, placed.step) == nullptr) {
        result_.unconsumed.push_back({i, "Its message was not in the input of step " + step + "."});
      } else if (!copy_visible(placed, placed.step)) {
        result_.unconsumed.push_back(
            {i, "Its message was rewritten before step " + step + " and no longer held the text of every entry."});
      } else {
        const bool empty = placed.entries.empty();
        placed.rank = {placed.step, empty, empty ? 0 : *delivery.message,
                       !empty && delivery.range ? delivery.range->begin : 0, delivery.order};
        placed_.push_back(placed);
      }
    }
    for (std::uint32_t i = 0; i < episode_.searches.size(); ++i) {
      const Search& search = episode_.searches[i];
      bool counts = search.completed && search.returned.empty() && search.step != kNever;
      for (const Delivery& delivery : episode_.deliveries) counts = counts && delivery.search != search.id;
      if (!counts) continue;
      const auto number = static_cast<std::uint32_t>(episode_.deliveries.size()) + i;
      placed_.push_back({number, search.step, nullptr, {}, {search.step, true, 0, 0, search.order}});
    }
    std::sort(placed_.begin(), placed_.end(), [](const Placed& a, const Placed& b) { return a.rank < b.rank; });
  }

  [[nodiscard]] bool some_member_visible(std::size_t span, std::uint32_t step) const {
    return std::any_of(members_[span].begin(), members_[span].end(),
                       [&](const Placed& member) { return copy_visible(member, step); });
  }

  void open(const Placed& placed) {
    Span span;
    span.number = static_cast<std::uint32_t>(result_.spans.size()) + 1;
    span.first_step = placed.step;
    for (const Exposed& entry : placed.entries) span.entries.push_back({entry.index, std::nullopt});
    result_.spans.push_back(span);
    members_.emplace_back();
  }

  void join(std::size_t span, const Placed& placed) {
    result_.spans[span].deliveries.push_back({placed.number, placed.step, !members_[span].empty()});
    members_[span].push_back(placed);
  }

  void group(const Placed& placed) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::vector<Exposed>& own = members_[i].front().entries;
      bool joins = std::equal(own.begin(), own.end(), placed.entries.begin(), placed.entries.end(),
                              [](const Exposed& a, const Exposed& b) { return a.same_as(b); });
      for (std::uint32_t k = result_.spans[i].first_step; k < placed.step; ++k) {
        joins = joins && some_member_visible(i, k);
      }
      if (joins) return join(i, placed);
    }
    open(placed);
    join(members_.size() - 1, placed);
  }

  void group_empty(const Placed& placed) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const bool is_empty = members_[i].front().entries.empty();
      if (is_empty && members_[i].back().step + 1 >= placed.step) return join(i, placed);
    }
    open(placed);
    join(members_.size() - 1, placed);
  }

  void set_last_step(std::size_t i) {
    Span& span = result_.spans[i];
    if (span.entries.empty()) {
      span.last_step = members_[i].back().step;
      return;
    }
    span.last_step = span.first_step;
    while (span.last_step < episode_.step_count() && some_member_visible(i, span.last_step + 1)) ++span.last_step;
  }

  [[nodiscard]] bool held(const Exposed& entry, std::uint32_t step) const {
    for (const Placed& placed : placed_) {
      for (const Exposed& other : placed.entries) {
        const bool comparable = !entry.item || other.item == entry.item;
        if (comparable && contains(other.text, entry.text) && entry_visible(placed, other, step)) return true;
      }
    }
    return false;
  }

  struct Decided {
    Exposed entry;
    std::optional<Window> window;
  };

  static bool has_identifiers(const Exposed& earlier, const Exposed& entry) {
    return std::all_of(entry.identifiers.begin(), entry.identifiers.end(), [&](const std::string& identifier) {
      return std::find(earlier.identifiers.begin(), earlier.identifiers.end(), identifier) != earlier.identifiers.end();
    });
  }

  [[nodiscard]] static bool open_above(const Decided& earlier, const Exposed& entry, std::uint32_t step) {
    const bool comparable = !entry.item || earlier.entry.item == entry.item;
    return comparable && earlier.window && earlier.window->first <= step && step <= earlier.window->last &&
           contains(earlier.entry.text, entry.text);
  }

  void set_windows() {
    std::vector<Decided> decided;
    struct Unowned {
      Exposed entry;
      Window held;
    };
    std::vector<Unowned> without_window;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (std::size_t e = 0; e < result_.spans[i].entries.size(); ++e) {
        const Exposed& entry = members_[i].front().entries[e];
        const std::uint32_t first = result_.spans[i].first_step;
        Window window{first, first};
        while (window.last < episode_.step_count() && held(entry, window.last + 1)) ++window.last;
        const bool empty = std::any_of(decided.begin(), decided.end(), [&](const Decided& earlier) {
          return open_above(earlier, entry, first) && has_identifiers(earlier.entry, entry);
        });
        if (empty) {
          without_window.push_back({entry, window});
          decided.push_back({entry, std::nullopt});
        } else {
          result_.spans[i].entries[e].window = window;
          decided.push_back({entry, window});
        }
      }
    }
    for (const Unowned& unowned : without_window) {
      for (std::uint32_t k = unowned.held.first; k <= unowned.held.last; ++k) {
        const bool owned = std::any_of(decided.begin(), decided.end(),
                                       [&](const Decided& other) { return open_above(other, unowned.entry, k); });
        if (!owned) ++result_.unowned_entry_steps;
      }
    }
  }

  static void set_routing(Span& span) {
    if (span.entries.empty()) {
      span.routing = Routing::empty;
      return;
    }
    span.routing = Routing::automatic_neutral;
    for (const SpanEntry& entry : span.entries) {
      if (entry.window) span.routing = Routing::judged;
    }
  }

  const Episode& episode_;
  std::vector<Input> inputs_;
  std::vector<Placed> placed_;
  std::vector<std::vector<Placed>> members_;  // by span
  EpisodeSpans result_;
};

}  // namespace

EpisodeSpans reference_spans(const Episode& episode) {
  return Reference(episode).run();
}

std::string describe(const EpisodeSpans& spans) {
  std::ostringstream out;
  for (const Span& span : spans.spans) {
    out << "S" << span.number << " [" << span.first_step << ", " << span.last_step << "] " << name(span.routing) << ":";
    for (const SpanDelivery& delivery : span.deliveries) {
      out << " " << delivery.delivery << "@" << delivery.step << (delivery.restatement ? "r" : "");
    }
    out << ";";
    for (const SpanEntry& entry : span.entries) {
      out << " " << entry.entry << " ";
      if (entry.window) {
        out << "[" << entry.window->first << ", " << entry.window->last << "]";
      } else {
        out << "empty";
      }
    }
    out << "\n";
  }
  for (const UnconsumedDelivery& delivery : spans.unconsumed) {
    out << "unconsumed " << delivery.delivery << ": " << delivery.reason << "\n";
  }
  out << "unowned " << spans.unowned_entry_steps << "\n";
  return out.str();
}

}  // namespace memuse::test
