#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "chat/chat_model.h"
#include "chat/prices.h"

namespace memuse::workflow {

/// Passes calls on and adds up what they cost; when a limit is reached it makes no further call.
class MeteredModel final : public chat::ChatModel {
 public:
  MeteredModel(chat::ChatModel& model, std::optional<chat::Price> price, std::optional<double> max_cost)
      : model_(model), price_(std::move(price)), max_cost_(max_cost) {}

  /// `ChatFault::stopped` when the limit is reached.
  chat::ChatOutcome complete(const chat::ChatRequest& request, const chat::CallPlace& place) override;

  /// US dollars so far, over calls whose cost is known.
  [[nodiscard]] double spent() const;
  /// True when a call was refused because of the limit.
  [[nodiscard]] bool is_exhausted() const { return exhausted_; }

 private:
  chat::ChatModel& model_;
  std::optional<chat::Price> price_;
  std::optional<double> max_cost_;
  mutable std::mutex mutex_;
  double spent_ = 0.0;
  std::atomic<bool> exhausted_ = false;
};

}  // namespace memuse::workflow
