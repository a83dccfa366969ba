#include "workflow/metered_model.h"

#include <fmt/format.h>

namespace memuse::workflow {

chat::ChatOutcome MeteredModel::complete(const chat::ChatRequest& request, const chat::CallPlace& place) {
  if (max_cost_ && spent() >= *max_cost_) {
    exhausted_ = true;
    chat::ChatOutcome outcome;
    outcome.error = chat::ChatError{chat::ChatFault::stopped, fmt::format("the cost limit of ${} is reached", *max_cost_)};
    return outcome;
  }
  chat::ChatOutcome outcome = model_.complete(request, place);
  if (outcome.reply) {
    const std::optional<double> cost = chat::call_cost(outcome.reply->usage, price_);
    const std::lock_guard lock(mutex_);
    spent_ += cost.value_or(0.0);
  }
  return outcome;
}

double MeteredModel::spent() const {
  const std::lock_guard lock(mutex_);
  return spent_;
}

}  // namespace memuse::workflow
