#include "cli/model_judge_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "model/text.h"

namespace memuse::cli {
namespace {

constexpr std::size_t kUndecidedListed = 20;
constexpr std::size_t kReasonBytes = 300;

std::string money(const std::optional<double>& dollars) {
  if (!dollars) return "unknown price";
  return *dollars < 1 ? fmt::format("${:.4f}", *dollars) : fmt::format("${:.2f}", *dollars);
}

std::string spending(const CallTotals& calls) {
  std::string text = plural(calls.calls, "call");
  if (calls.calls == 0) return text;
  if (calls.calls_without_tokens == calls.calls) {
    text += ", tokens not counted by the endpoint";
  } else {
    text += fmt::format(", {} input tokens ({} cached), {} output tokens", calls.input_tokens,
                        calls.cached_input_tokens, calls.output_tokens);
    if (calls.calls_without_tokens > 0)
      text += fmt::format(" ({} without counts)", plural(calls.calls_without_tokens, "call"));
  }
  if (calls.calls_without_cost == calls.calls) return text + ", cost unknown";
  text += ", " + money(calls.cost_usd);
  if (calls.calls_without_cost > 0) {
    text += fmt::format(" and {} of unknown cost", plural(calls.calls_without_cost, "call"));
  }
  return text;
}

std::string stop_sentence(const workflow::ModelJudgeSummary& summary) {
  const std::string left = fmt::format("{} left", plural(summary.left, "span"));
  switch (summary.stopped) {
    case workflow::StopReason::none:
      return {};
    case workflow::StopReason::max_cost:
      return fmt::format("stopped at the limit of --max-cost; {}; the same command goes on from here\n", left);
    case workflow::StopReason::max_spans:
      return fmt::format("stopped at the limit of --max-spans; {}; the same command goes on from here\n", left);
    case workflow::StopReason::interrupted:
      return fmt::format(
          "interrupted; {}; the same command goes on from here and asks nothing twice that was answered\n", left);
    case workflow::StopReason::endpoint:
      return fmt::format("stopped, since the endpoint gives no replies ({}); {}; the same command goes on from here\n",
                         printable(summary.stop_message), left);
  }
  return {};
}

std::string line(const char* label, const workflow::CostRange& range) {
  return fmt::format("{:<6} {:>10} calls {:>14} input tokens {:>12} output tokens   {}\n", label, range.calls,
                     range.input_tokens, range.output_tokens, money(range.cost_usd));
}

nlohmann::ordered_json to_json(const workflow::CostRange& range) {
  return {{"calls", range.calls},
          {"input_tokens", range.input_tokens},
          {"output_tokens", range.output_tokens},
          {"cost_usd", range.cost_usd ? nlohmann::ordered_json(*range.cost_usd) : nlohmann::ordered_json()}};
}

}  // namespace

std::string to_text(const workflow::ModelJudgeSummary& summary) {
  std::string text =
      fmt::format("{}: {} judged, {} judged before", printable(summary.judge),
                  plural(summary.accepted + summary.unresolved, "span"), summary.kept + summary.unresolved_before);
  if (summary.unresolved > 0) text += fmt::format(", {} unresolved", summary.unresolved);
  if (summary.unresolved_before > 0) {
    text += fmt::format(", {} unresolved before (--retry-unresolved asks again)", summary.unresolved_before);
  }
  if (summary.failed > 0) text += fmt::format(", {} without a reply", summary.failed);
  if (summary.unread > 0) text += fmt::format(", {} not judged because their source could not be read", summary.unread);
  if (summary.spans < summary.population) text += fmt::format("; a sample of {} spans", summary.population);
  text += "\n" + spending(summary.calls) + "\n";
  for (std::size_t i = 0; i < std::min(summary.undecided.size(), kUndecidedListed); ++i) {
    const workflow::UndecidedSpan& span = summary.undecided[i];
    text += fmt::format("  {}: {}\n", printable(span.span), printable(shortened(span.reason, kReasonBytes)));
  }
  if (summary.undecided.size() > kUndecidedListed) {
    text += fmt::format("  … and {} more (--json lists all)\n", summary.undecided.size() - kUndecidedListed);
  }
  return text + stop_sentence(summary);
}

nlohmann::ordered_json to_json(const workflow::ModelJudgeSummary& summary) {
  auto undecided = nlohmann::ordered_json::array();
  for (const workflow::UndecidedSpan& span : summary.undecided) {
    undecided.push_back({{"span", span.span}, {"reason", span.reason}});
  }
  const CallTotals& calls = summary.calls;
  return {{"judge", summary.judge},
          {"judgement_set", summary.set},
          {"population", summary.population},
          {"spans", summary.spans},
          {"accepted", summary.accepted},
          {"kept", summary.kept},
          {"unresolved", summary.unresolved},
          {"unresolved_before", summary.unresolved_before},
          {"failed", summary.failed},
          {"unread", summary.unread},
          {"left", summary.left},
          {"calls", calls.calls},
          {"input_tokens", calls.input_tokens},
          {"cached_input_tokens", calls.cached_input_tokens},
          {"output_tokens", calls.output_tokens},
          {"calls_without_tokens", calls.calls_without_tokens},
          {"cost_usd",
           calls.calls_without_cost < calls.calls ? nlohmann::ordered_json(calls.cost_usd) : nlohmann::ordered_json()},
          {"calls_without_cost", calls.calls_without_cost},
          {"stopped", workflow::name(summary.stopped)},
          {"stop_message", summary.stop_message},
          {"undecided", undecided},
          {"diagnostics", to_json(summary.diagnostics)}};
}

std::string to_text(const workflow::JudgeEstimate& estimate) {
  std::string text = fmt::format("{} to judge, {}; {} bytes of evidence, {} of them needed by every answer\n",
                                 plural(estimate.spans, "span"),
                                 estimate.entries == 1 ? "1 entry" : fmt::format("{} entries", estimate.entries),
                                 estimate.evidence_bytes, estimate.required_bytes);
  if (estimate.unread > 0) {
    text += fmt::format("{} not counted: their source could not be read\n", plural(estimate.unread, "span"));
  }
  text += line("low", estimate.low) + line("high", estimate.high) + "Assumptions:\n";
  for (const std::string& assumption : estimate.assumptions) text += fmt::format("  {}\n", assumption);
  return text;
}

nlohmann::ordered_json to_json(const workflow::JudgeEstimate& estimate) {
  return {{"spans", estimate.spans},
          {"unread", estimate.unread},
          {"entries", estimate.entries},
          {"evidence_bytes", estimate.evidence_bytes},
          {"required_bytes", estimate.required_bytes},
          {"low", to_json(estimate.low)},
          {"high", to_json(estimate.high)},
          {"assumptions", estimate.assumptions},
          {"diagnostics", to_json(estimate.diagnostics)}};
}

ExitCode exit_code(const workflow::ModelJudgeSummary& summary) {
  switch (summary.stopped) {
    case workflow::StopReason::max_cost:
    case workflow::StopReason::max_spans:
      return ExitCode::limit;
    case workflow::StopReason::interrupted:
      return ExitCode::interrupted;
    case workflow::StopReason::endpoint:
      return ExitCode::environment;
    case workflow::StopReason::none:
      break;
  }
  return summary.unread + summary.unresolved + summary.failed > 0 ? ExitCode::partial : ExitCode::ok;
}

}  // namespace memuse::cli
