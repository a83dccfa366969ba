#include "rules/call_cost.h"

#include <catch2/catch.hpp>

using namespace memuse;
using namespace memuse::rules;

namespace {

/// 1, 0.1 and 10 US dollars per million tokens for the model `known`; 2, 2 and 4 for `other`.
std::optional<TokenPrice> two_prices(std::string_view model) {
  if (model == "known") return TokenPrice{1.0, 0.1, 10.0};
  if (model == "other") return TokenPrice{2.0, 2.0, 4.0};
  return std::nullopt;
}

CallTotals totals(std::uint64_t calls, std::uint64_t without_cost, double usd) {
  CallTotals sums;
  sums.calls = calls;
  sums.calls_without_cost = without_cost;
  sums.cost_usd = usd;
  return sums;
}

}  // namespace

TEST_CASE("tokens cost what the table says of fresh and cached input and of output") {
  // 600,000 fresh × 1 + 400,000 cached × 0.1 + 50,000 out × 10, per million.
  CHECK(price_of_tokens({"known", 3, 1'000'000, 400'000, 50'000}, {1.0, 0.1, 10.0}) == Approx(0.6 + 0.04 + 0.5));
  // A cached part larger than the whole is a fault of the trace: it cannot make the rest negative.
  CHECK(price_of_tokens({"known", 1, 100, 1'000'000, 0}, {1.0, 0.1, 10.0}) == Approx(100 * 0.1 / 1e6));
}

TEST_CASE("a cost that every call records is taken as it is") {
  EpisodeRecord episode;
  episode.agent = totals(4, 0, 0.25);
  const EpisodeCost cost = episode_cost(episode, two_prices);
  CHECK(cost.usd() == 0.25);
  CHECK_FALSE(cost.is_estimated());
  CHECK(cost.unknown_calls() == 0);
}

TEST_CASE("without a price table a call without a cost is unknown") {
  EpisodeRecord episode;
  episode.agent = totals(4, 1, 0.25);
  episode.agent_uncosted = {{"known", 1, 1000, 0, 100}};
  const EpisodeCost cost = episode_cost(episode, {});
  CHECK_FALSE(cost.usd());
  CHECK(cost.agent.known() == 0.25);
  CHECK(cost.unknown_calls() == 1);
}

TEST_CASE("only the calls without a cost are estimated") {
  EpisodeRecord episode;
  episode.agent = totals(4, 2, 0.25);
  episode.agent_uncosted = {{"known", 1, 1000, 0, 100}, {"other", 1, 500, 0, 0}};
  const EpisodeCost cost = episode_cost(episode, two_prices);
  // 1000 × 1 + 100 × 10 = 2000 and 500 × 2 = 1000 millionths.
  CHECK(*cost.usd() == Approx(0.25 + 0.002 + 0.001));
  CHECK(cost.is_estimated());
  CHECK(cost.agent.estimated_calls == 2);
  CHECK(cost.agent.recorded_usd == 0.25);
}

TEST_CASE("a call whose tokens or model are unknown stays unknown beside estimated ones") {
  EpisodeRecord episode;
  episode.agent = totals(5, 4, 0.5);
  // One of the four has no tokens at all: it stands in no group.
  episode.agent_uncosted = {{"", 1, 10, 0, 10}, {"known", 1, 1000, 0, 100}, {"nobody's", 1, 10, 0, 10}};
  const EpisodeCost cost = episode_cost(episode, two_prices);
  CHECK_FALSE(cost.usd());
  CHECK(cost.agent.unknown_calls == 3);
  CHECK(*cost.agent.known() == Approx(0.502));
}

TEST_CASE("side calls are kept apart and add to the whole") {
  EpisodeRecord episode;
  episode.agent = totals(1, 0, 0.25);
  CHECK(episode_cost(episode, {}).usd() == 0.25);
  episode.side = totals(2, 1, 0.05);
  CHECK_FALSE(episode_cost(episode, {}).usd());
  episode.side_uncosted = {{"other", 1, 1'000'000, 0, 0}};
  const EpisodeCost cost = episode_cost(episode, two_prices);
  CHECK(*cost.usd() == Approx(2.3));
  CHECK(*cost.side.whole() == Approx(2.05));
  CHECK(cost.agent.whole() == 0.25);
}

TEST_CASE("an episode that says nothing of its cost is unknown and not free") {
  EpisodeRecord episode;
  CHECK_FALSE(episode_cost(episode, two_prices).usd());
  // Tokens of the whole episode without a single recorded step.
  episode.agent_uncosted = {{"known", 1, 1'000'000, 0, 0}};
  CHECK(*episode_cost(episode, two_prices).usd() == Approx(1.0));
  episode.agent_uncosted.front().model = "nobody's";
  const EpisodeCost cost = episode_cost(episode, two_prices);
  CHECK_FALSE(cost.usd());
  CHECK(cost.unknown_calls() == 1);
}

TEST_CASE("a cost of nothing that every call records is known") {
  EpisodeRecord episode;
  episode.agent = totals(2, 0, 0.0);
  CHECK(episode_cost(episode, {}).usd() == 0.0);
}

TEST_CASE("a judge is estimated only when no call of it has a cost and all have tokens") {
  JudgementSetRecord set;
  set.judge = "known";
  set.calls = 10;
  set.calls_without_cost = 10;
  set.input_tokens = 1'000'000;
  CHECK(*judge_cost(set, two_prices).whole() == Approx(1.0));
  set.calls_without_tokens = 1;
  CHECK_FALSE(judge_cost(set, two_prices).known());
  CHECK(judge_cost(set, two_prices).unknown_calls == 10);
  set.calls_without_tokens = 0;
  set.calls_without_cost = 9;
  set.cost_usd = 0.125;
  CHECK(judge_cost(set, two_prices).known() == 0.125);
  CHECK_FALSE(judge_cost(set, two_prices).whole());
}
