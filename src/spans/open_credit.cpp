#include "spans/open_credit.h"

#include <algorithm>

// An entry with a window offers its credit, until the window closes, to every text inside its own. An offer is carried
// down the containment graph when it is made, rather than looked for from below: below a text there are at most as many
// texts as it has room for, while any number can stand above. It is carried only to texts that some later entry asks
// with, so that entries that grow from step to step, of which none asks again, cost nothing here.
//
// Cost: per window, the texts inside its own that are still asked for. Per question, the open offers of that text; one
// that covers ends the search, so only entries with ever new identifiers look at many.

namespace memuse::spans {
namespace {

std::vector<std::uint32_t> places_asked_until(const std::vector<std::vector<std::uint32_t>>& askers) {
  std::vector<std::uint32_t> until;
  until.reserve(askers.size());
  for (const std::vector<std::uint32_t>& places : askers) until.push_back(places.empty() ? 0 : places.back() + 1);
  return until;
}

}  // namespace

OpenCredit::OpenCredit(const Containment& containment, const IdentifierSets& identifier_sets,
                       const std::vector<std::vector<std::uint32_t>>& askers)
    : containment_(containment),
      identifier_sets_(identifier_sets),
      asked_until_(places_asked_until(askers)),
      asked_inside_until_(asked_until_),
      offers_(askers.size()),
      reached_by_(askers.size()) {
  const std::vector<std::uint32_t>& order = containment.longest_first();
  for (auto text = order.rbegin(); text != order.rend(); ++text) {
    for (const std::uint32_t inner : containment.inside(*text)) {
      asked_inside_until_[*text] = std::max(asked_inside_until_[*text], asked_inside_until_[inner]);
    }
  }
}

void OpenCredit::reach(std::uint32_t place, std::uint32_t text) {
  const bool asked_later = asked_inside_until_[text] > place + 1;
  if (!asked_later || reached_by_[text] == place + 1) return;
  reached_by_[text] = place + 1;
  to_visit_.push_back(text);
}

void OpenCredit::open(std::uint32_t place, std::uint32_t text, std::uint32_t identifiers, std::uint32_t last) {
  reach(place, text);
  while (!to_visit_.empty()) {
    const std::uint32_t reached = to_visit_.back();
    to_visit_.pop_back();
    if (asked_until_[reached] > place + 1) {
      std::vector<Offer>& offers = offers_[reached];
      if (!offers.empty() && offers.back().identifiers == identifiers) {
        offers.back().last = std::max(offers.back().last, last);
      } else {
        offers.push_back({identifiers, last});
      }
    }
    for (const std::uint32_t inner : containment_.inside(reached)) reach(place, inner);
  }
}

bool OpenCredit::covers(std::uint32_t text, std::uint32_t identifiers, std::uint32_t step) {
  std::vector<Offer>& offers = offers_[text];
  for (std::size_t i = offers.size(); i > 0; --i) {
    const Offer offer = offers[i - 1];
    if (offer.last < step) {
      offers[i - 1] = offers.back();
      offers.pop_back();
    } else if (identifier_sets_.covers(offer.identifiers, identifiers)) {
      return true;
    }
  }
  return false;
}

}  // namespace memuse::spans
