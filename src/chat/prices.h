#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/chat_message.h"

namespace memuse::chat {

/// US dollars per million tokens of one model.
struct Price {
  std::string model;
  double input = 0.0;
  std::optional<double> cached_input;  ///< as `input` when not stated
  std::optional<double> cache_write;   ///< as `input` when not stated
  double output = 0.0;
};

/// Prices with the day they were taken down. Shipped: `prices/models.json`, part of the program.
class PriceTable {
 public:
  static PriceTable shipped();
  /// Throws Error(usage) that names the fault when the file is no price table.
  static PriceTable load(const std::string& path);

  /// The price of a model: its exact name, else the longest entry that is the name without a date or provider prefix
  /// (`provider/name`, `name-2025-01-31`, `name-20250131`, `name@…`); nothing when it is unknown.
  [[nodiscard]] std::optional<Price> find(std::string_view model) const;
  [[nodiscard]] const std::string& date() const { return date_; }
  /// SHA-256 of the table's bytes.
  [[nodiscard]] const std::string& sha256() const { return sha256_; }
  [[nodiscard]] const std::vector<Price>& prices() const { return prices_; }

 private:
  static PriceTable parse(std::string_view json, std::string_view name);
  std::string date_;
  std::string sha256_;
  std::vector<Price> prices_;
};

/// What a call cost: as the endpoint stated it, else tokens × price; nothing when neither is known.
std::optional<double> call_cost(const TokenUsage& usage, const std::optional<Price>& price);

}  // namespace memuse::chat
