#include "workflow/metered_model.h"

#include <fmt/format.h>

namespace memuse::workflow {
namespace {

constexpr double kTokensPerByte = 0.25;
/// Output tokens of a reply before any was seen.
constexpr double kFirstOutputTokens = 300.0;

std::uint64_t bytes_of(const chat::ChatRequest& request) {
  std::uint64_t bytes = 0;
  for (const chat::ChatMessage& message : request.messages) {
    bytes += message.text.size();
    for (const chat::ToolCall& call : message.tool_calls) bytes += call.name.size() + call.arguments.size();
  }
  for (const chat::ToolSpec& tool : request.tools) bytes += tool.description.size() + tool.parameters.dump().size();
  return bytes;
}

}  // namespace

chat::ChatOutcome MeteredModel::complete(const chat::ChatRequest& request, const chat::CallPlace& place) {
  if (stopped_) {
    chat::ChatOutcome outcome;
    outcome.error = chat::ChatError{chat::ChatFault::stopped, "stopped"};
    return outcome;
  }
  const std::uint64_t bytes = max_cost_ ? bytes_of(request) : 0;
  const double expected = max_cost_ ? expected_cost(bytes) : 0.0;
  if (!reserve(expected)) {
    exhausted_ = true;
    chat::ChatOutcome outcome;
    outcome.error = chat::ChatError{chat::ChatFault::stopped,
                                    fmt::format("the next call would exceed the limit of ${}", *max_cost_)};
    return outcome;
  }
  chat::ChatOutcome outcome = model_.complete(request, place);
  settle(expected, bytes, outcome);
  return outcome;
}

double MeteredModel::expected_cost(std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  const double per_byte =
      input_bytes_ == 0 ? kTokensPerByte : static_cast<double>(input_tokens_) / static_cast<double>(input_bytes_);
  const double output = counted_replies_ == 0
                            ? kFirstOutputTokens
                            : static_cast<double>(output_tokens_) / static_cast<double>(counted_replies_);
  chat::TokenUsage usage;
  usage.input = static_cast<std::uint64_t>(static_cast<double>(bytes) * per_byte);
  usage.output = static_cast<std::uint64_t>(output);
  return chat::call_cost(usage, price_).value_or(0.0);
}

bool MeteredModel::reserve(double expected) {
  if (!max_cost_) return true;
  const std::lock_guard lock(mutex_);
  if (spent_ + reserved_ + expected > *max_cost_) return false;
  reserved_ += expected;
  return true;
}

void MeteredModel::settle(double expected, std::uint64_t bytes, const chat::ChatOutcome& outcome) {
  const std::lock_guard lock(mutex_);
  if (max_cost_) reserved_ -= expected;
  if (!outcome.reply) return;
  // Under a limit a call whose tokens were not counted is taken for what it was expected to cost.
  spent_ += chat::call_cost(outcome.reply->usage, price_).value_or(expected);
  const chat::TokenUsage& usage = outcome.reply->usage;
  if (usage.output) {
    ++counted_replies_;
    output_tokens_ += *usage.output;
  }
  if (usage.input && bytes > 0) {
    input_tokens_ += *usage.input;
    input_bytes_ += bytes;
  }
}

double MeteredModel::spent() const {
  const std::lock_guard lock(mutex_);
  return spent_;
}

}  // namespace memuse::workflow
