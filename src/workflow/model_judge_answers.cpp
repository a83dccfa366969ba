#include "workflow/model_judge_answers.h"

#include <nlohmann/json.hpp>

namespace memuse::workflow {
namespace {

using nlohmann::ordered_json;

std::string dumped(const ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void put(ordered_json& object, const char* key, const std::optional<std::uint64_t>& value) {
  if (value) object[key] = *value;
}

ordered_json to_json(const chat::TokenUsage& usage) {
  ordered_json json = ordered_json::object();
  put(json, "input", usage.input);
  put(json, "cached_input", usage.cached_input);
  put(json, "cache_write", usage.cache_write);
  put(json, "output", usage.output);
  if (usage.cost_usd) json["cost_usd"] = *usage.cost_usd;
  return json;
}

}  // namespace

CallTotals call_totals(const agentic_judge::SpanJudgement& judgement, const std::optional<chat::Price>& price) {
  CallTotals totals;
  for (const agentic_judge::CallRecord& call : judgement.calls) {
    ++totals.calls;
    totals.input_tokens += call.usage.input.value_or(0);
    totals.cached_input_tokens += call.usage.cached_input.value_or(0);
    totals.output_tokens += call.usage.output.value_or(0);
    if (!call.usage.input || !call.usage.output) ++totals.calls_without_tokens;
    if (const std::optional<double> cost = chat::call_cost(call.usage, price)) {
      totals.cost_usd += *cost;
    } else {
      ++totals.calls_without_cost;
    }
  }
  return totals;
}

void add(const CallTotals& more, CallTotals& totals) {
  totals.calls += more.calls;
  totals.input_tokens += more.input_tokens;
  totals.cached_input_tokens += more.cached_input_tokens;
  totals.output_tokens += more.output_tokens;
  totals.calls_without_tokens += more.calls_without_tokens;
  totals.cost_usd += more.cost_usd;
  totals.calls_without_cost += more.calls_without_cost;
}

JudgementDetails judgement_details(const agentic_judge::SpanJudgement& judgement) {
  JudgementDetails details;
  details.returned_model = judgement.returned_model;
  details.refused_answers = judgement.refused_answers;
  ordered_json ledger = ordered_json::object();
  for (const auto& [file, ranges] : judgement.ledger.shown()) {
    ordered_json list = ordered_json::array();
    for (const ByteRange& range : ranges) list.push_back({range.begin, range.end});
    ledger[file] = std::move(list);
  }
  details.ledger = dumped(ledger);
  ordered_json calls = ordered_json::array();
  for (const agentic_judge::CallRecord& call : judgement.calls) {
    calls.push_back(
        {{"call", call.call}, {"usage", to_json(call.usage)}, {"model", call.model}, {"reply", call.reply}});
  }
  details.calls = dumped(calls);
  return details;
}

}  // namespace memuse::workflow
