#include "model/call_totals.h"

#include <catch2/catch.hpp>

using namespace memuse;

namespace {

Step step(std::optional<std::uint64_t> input, std::optional<std::uint64_t> output, std::optional<double> cost,
          std::string_view model = {}) {
  Step made;
  made.usage = {input, std::nullopt, output};
  made.cost_usd = cost;
  made.model = model;
  return made;
}

}  // namespace

TEST_CASE("calls with tokens and without a cost are summed by model") {
  Episode episode;
  episode.model = "agent-model";
  episode.steps.push_back(step(100, 10, std::nullopt));
  episode.steps.push_back(step(200, 20, 0.5));                     // has a cost
  episode.steps.push_back(step(300, std::nullopt, std::nullopt));  // lacks output tokens
  episode.steps.push_back(step(400, 40, std::nullopt, "router-model"));
  episode.steps.push_back(step(500, 50, std::nullopt));
  episode.steps.back().usage.cached_input = 250;
  CHECK(agent_calls_without_cost(episode) ==
        std::vector<UncostedCalls>{{"agent-model", 2, 600, 250, 60}, {"router-model", 1, 400, 0, 40}});
}

TEST_CASE("a cost of the whole episode leaves nothing to estimate") {
  Episode episode;
  episode.steps.push_back(step(100, 10, std::nullopt));
  episode.totals = AgentTotals{};
  episode.totals->cost_usd = 0.25;
  CHECK(agent_calls_without_cost(episode).empty());
}

TEST_CASE("tokens of the whole episode stand for calls that state none") {
  Episode episode;
  episode.model = "agent-model";
  episode.totals = AgentTotals{};
  episode.totals->usage = {1000, 400, 30};
  CHECK(agent_calls_without_cost(episode) == std::vector<UncostedCalls>{{"agent-model", 1, 1000, 400, 30}});
  episode.steps.push_back(step(std::nullopt, std::nullopt, std::nullopt));
  episode.steps.push_back(step(100, 10, std::nullopt));
  CHECK(agent_calls_without_cost(episode) == std::vector<UncostedCalls>{{"agent-model", 2, 1000, 400, 30}});
  // Of several models nobody knows which tokens are whose.
  episode.steps.back().model = "router-model";
  CHECK(agent_calls_without_cost(episode) == std::vector<UncostedCalls>{{"", 2, 1000, 400, 30}});
  // Where one call has a cost, the totals hold its tokens too.
  episode.steps.front().cost_usd = 0.5;
  CHECK(agent_calls_without_cost(episode) == std::vector<UncostedCalls>{{"router-model", 1, 100, 0, 10}});
}

TEST_CASE("a side call that names no model is not the agent's") {
  Episode episode;
  episode.model = "agent-model";
  SideCall call;
  call.usage = {10, std::nullopt, 5};
  episode.side_calls.push_back(call);
  call.model = "extractor";
  episode.side_calls.push_back(call);
  call.cost_usd = 0.5;
  episode.side_calls.push_back(call);
  CHECK(side_calls_without_cost(episode) == std::vector<UncostedCalls>{{"", 1, 10, 0, 5}, {"extractor", 1, 10, 0, 5}});
}
