#include "ingest/stated_input.h"

#include <optional>
#include <unordered_map>
#include <utility>

namespace memuse::ingest {
namespace {

/// The last place of each message in a list.
class LastPlaces {
 public:
  void add(Role role, std::string_view text, std::size_t at) { by_text_.insert_or_assign(text, Place{role, at}); }
  /// True when that message stands behind `at`.
  [[nodiscard]] bool stands_behind(std::size_t at, Role role, std::string_view text) const {
    const auto found = by_text_.find(text);
    return found != by_text_.end() && found->second.at > at && found->second.role == role;
  }

 private:
  struct Place {
    Role role;
    std::size_t at;
  };
  std::unordered_map<std::string_view, Place> by_text_;
};

}  // namespace

void StatedInput::drop(const Shown& shown) {
  recorder_.tick();
  recorder_.drop_message(shown.message);
}

void StatedInput::show(std::uint32_t message) {
  shown_.push_back({message, recorder_.episode().messages[message].role, recorder_.message_text(message)});
}

void StatedInput::follow(const std::vector<StatedMessage>& wanted) {
  const std::vector<Shown> before = std::exchange(shown_, {});
  std::optional<std::pair<LastPlaces, LastPlaces>> places;  // in `before`, and in `wanted`
  std::size_t now = 0;
  std::size_t want = 0;
  const auto keep = [&] {
    shown_.push_back(before[now++]);
    ++want;
  };
  const auto rewrite = [&] {
    recorder_.tick();
    recorder_.rewrite_message(before[now].message, wanted[want].text);
    keep();
    shown_.back().text = wanted[want - 1].text;
  };
  while (now < before.size() && want < wanted.size()) {
    if (before[now].is(wanted[want])) {
      keep();
      continue;
    }
    const bool same_role = before[now].role == wanted[want].role;
    const bool both_end = now + 1 == before.size() && want + 1 == wanted.size();
    const bool next_agree = now + 1 < before.size() && want + 1 < wanted.size() && before[now + 1].is(wanted[want + 1]);
    if (same_role && (both_end || next_agree)) {
      rewrite();
      continue;
    }
    if (!places) {
      places.emplace();
      for (std::size_t at = now; at < before.size(); ++at) places->first.add(before[at].role, before[at].text, at);
      for (std::size_t at = want; at < wanted.size(); ++at) places->second.add(wanted[at].role, wanted[at].text, at);
    }
    const bool kept_later = places->first.stands_behind(now, wanted[want].role, wanted[want].text);
    const bool wanted_later = places->second.stands_behind(want, before[now].role, before[now].text);
    if (!kept_later && wanted_later) break;  // something new stands before it, and messages stand as they were added
    if (!kept_later && same_role) {
      rewrite();
    } else {
      drop(before[now++]);
    }
  }
  for (; now < before.size(); ++now) drop(before[now]);
  for (; want < wanted.size(); ++want) {
    const StatedMessage& message = wanted[want];
    recorder_.tick();
    show(recorder_.add_message({message.id, message.role, message.origin, false, message.text}));
  }
}

void StatedInput::take_step() {
  const Step& step = recorder_.episode().steps.back();
  if (!step.persist) return;
  if (step.response_message) show(*step.response_message);
  for (const Result& result : step.results) show(result.message);
}

}  // namespace memuse::ingest
