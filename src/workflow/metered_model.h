#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "chat/chat_model.h"
#include "chat/prices.h"

namespace memuse::workflow {

/// Passes calls on and adds up what they cost. Under a limit it makes no call that would not fit: what a call may cost
/// is estimated from the size of its request (at the tokens a byte that the endpoint counted so far, a quarter at
/// first) and the mean output of the calls so far, and is set aside while it runs. A reply that is longer than the mean
/// can exceed the limit by its own length.
class MeteredModel final : public chat::ChatModel {
 public:
  MeteredModel(chat::ChatModel& model, std::optional<chat::Price> price, std::optional<double> max_cost)
      : model_(model), price_(std::move(price)), max_cost_(max_cost) {}

  /// `ChatFault::stopped` when the call would not fit.
  chat::ChatOutcome complete(const chat::ChatRequest& request, const chat::CallPlace& place) override;

  /// No further call is made.
  void stop() { stopped_ = true; }

  /// US dollars so far, over calls whose cost is known.
  [[nodiscard]] double spent() const;
  /// True when a call was refused because of the limit.
  [[nodiscard]] bool is_exhausted() const { return exhausted_; }

 private:
  [[nodiscard]] double expected_cost(std::uint64_t bytes) const;
  /// True when the call fits; its expected cost is then set aside.
  bool reserve(double expected);
  void settle(double expected, std::uint64_t bytes, const chat::ChatOutcome& outcome);

  chat::ChatModel& model_;
  std::optional<chat::Price> price_;
  std::optional<double> max_cost_;
  mutable std::mutex mutex_;
  double spent_ = 0.0;
  double reserved_ = 0.0;              // of the calls that are running
  std::uint64_t counted_replies_ = 0;  // whose output tokens were counted
  std::uint64_t output_tokens_ = 0;
  std::uint64_t input_tokens_ = 0;
  std::uint64_t input_bytes_ = 0;  // of the requests whose tokens were counted
  std::atomic<bool> exhausted_ = false;
  std::atomic<bool> stopped_ = false;
};

}  // namespace memuse::workflow
