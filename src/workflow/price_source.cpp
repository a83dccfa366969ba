#include "workflow/price_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "chat/prices.h"
#include "model/text.h"

namespace memuse::workflow {
namespace {

constexpr const char* kShipped = "shipped";

rules::TokenPrice token_price(const chat::Price& price) {
  return {price.input, price.cached_input.value_or(price.input), price.output};
}

}  // namespace

std::string PriceSource::sentence() const {
  if (!is_used()) return "Costs are those that the traces record; none is estimated.";
  const std::string table = name == kShipped ? "the price table shipped with memuse" : "price table " + printable(name);
  return fmt::format("A call without a recorded cost counts with tokens × price, an estimate by {} of {}.", table,
                     date);
}

PriceSource load_prices(const std::string& option) {
  if (option.empty()) return {};
  const bool is_shipped = option == kShipped;
  const auto table = std::make_shared<const chat::PriceTable>(is_shipped ? chat::PriceTable::shipped()
                                                                         : chat::PriceTable::load(option));
  PriceSource source;
  source.name = is_shipped ? kShipped : std::filesystem::path(option).filename().string();
  source.date = table->date();
  source.sha256 = table->sha256();
  source.price_of = [table](std::string_view model) -> std::optional<rules::TokenPrice> {
    const std::optional<chat::Price> price = table->find(model);
    return price ? std::optional(token_price(*price)) : std::nullopt;
  };
  return source;
}

}  // namespace memuse::workflow
