#include "chat/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "chat/json_text.h"
#include "chat/price_files.h"
#include "chat/span_recording.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 20;
constexpr double kPerTokens = 1'000'000.0;

[[noreturn]] void refuse(std::string_view file, const std::string& why) {
  throw Error(ExitCode::usage,
              fmt::format("price table {}: {} (the form is in schemas/prices-1.schema.json)", printable(file), why));
}

void refuse_unknown_members(const json& object, const std::set<std::string>& known, std::string_view file) {
  for (const auto& [key, value] : object.items()) {
    if (known.count(key) == 0) refuse(file, "unknown member “" + shortened(printable(key), 60) + "”");
  }
}

bool is_date(const std::string& text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : (text[i] < '0' || text[i] > '9')) return false;
  }
  return true;
}

std::optional<double> price_at(const json& object, const char* key, const std::string& model, std::string_view file) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  const double price = found->is_number() ? found->get<double>() : -1.0;
  if (!std::isfinite(price) || price < 0.0) {
    refuse(file, fmt::format("“{}” of {} is no price", key, shortened(printable(model), 60)));
  }
  return price;
}

Price parse_price(const json& object, std::string_view file) {
  if (!object.is_object()) refuse(file, "an entry of “models” is no object");
  refuse_unknown_members(object, {"model", "input", "cached_input", "cache_write", "output"}, file);
  Price price;
  price.model = string_at(object, "model");
  if (price.model.empty()) refuse(file, "an entry has no “model”");
  const auto input = price_at(object, "input", price.model, file);
  const auto output = price_at(object, "output", price.model, file);
  if (!input || !output) refuse(file, shortened(printable(price.model), 60) + " lacks “input” or “output”");
  price.input = *input;
  price.output = *output;
  price.cached_input = price_at(object, "cached_input", price.model, file);
  price.cache_write = price_at(object, "cache_write", price.model, file);
  return price;
}

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The name without `@…`, `-2025-01-31` or `-20250131` at its end; the name itself when it has none of these.
std::string_view without_date(std::string_view name) {
  if (const std::size_t at = name.find('@'); at != std::string_view::npos) return name.substr(0, at);
  constexpr std::size_t kDashed = 11;
  constexpr std::size_t kPlain = 9;
  if (name.size() > kDashed && name[name.size() - kDashed] == '-' &&
      is_date(std::string(name.substr(name.size() - 10)))) {
    return name.substr(0, name.size() - kDashed);
  }
  if (name.size() > kPlain && name[name.size() - kPlain] == '-' && all_digits(name.substr(name.size() - 8))) {
    return name.substr(0, name.size() - kPlain);
  }
  return name;
}

/// Names by which a model may stand in the table, besides its own.
std::set<std::string_view> other_names(std::string_view model) {
  std::set<std::string_view> names;
  while (true) {
    names.insert(model);
    names.insert(without_date(model));
    const std::size_t slash = model.find('/');
    if (slash == std::string_view::npos) return names;
    model.remove_prefix(slash + 1);
  }
}

}  // namespace

PriceTable PriceTable::shipped() {
  const auto& files = price_files();
  const auto found = std::find_if(files.begin(), files.end(), [](const EmbeddedFile& f) { return f.name == "models"; });
  if (found == files.end()) throw Error(ExitCode::environment, "this program was built without its price table");
  return parse(found->text, "prices/models.json");
}

PriceTable PriceTable::load(const std::string& path) {
  return parse(read_bounded(path, kMaxFileBytes), path);
}

PriceTable PriceTable::parse(std::string_view text, std::string_view name) {
  const ParsedJson parsed = parse_json(text);
  if (!parsed.value) refuse(name, parsed.fault);
  const json& object = *parsed.value;
  if (!object.is_object()) refuse(name, "it is no object");
  refuse_unknown_members(object, {"date", "note", "currency", "per_tokens", "models"}, name);
  PriceTable table;
  table.date_ = string_at(object, "date");
  if (!is_date(table.date_)) refuse(name, "“date” is no day such as 2025-06-30");
  if (object.contains("note") && !object["note"].is_string()) refuse(name, "“note” is no text");
  if (string_at(object, "currency") != "USD") refuse(name, "“currency” is not USD");
  if (member(object, "per_tokens") != kPerTokens) refuse(name, "“per_tokens” is not 1000000");
  const json& models = member(object, "models");
  if (!models.is_array()) refuse(name, "“models” is no list");
  std::set<std::string> seen;
  for (const json& entry : models) {
    table.prices_.push_back(parse_price(entry, name));
    const std::string& model = table.prices_.back().model;
    if (!seen.insert(model).second) refuse(name, shortened(printable(model), 60) + " stands there twice");
  }
  return table;
}

std::optional<Price> PriceTable::find(std::string_view model) const {
  const auto exact = std::find_if(prices_.begin(), prices_.end(), [&](const Price& p) { return p.model == model; });
  if (exact != prices_.end()) return *exact;
  const auto names = other_names(model);
  const Price* longest = nullptr;
  for (const Price& price : prices_) {
    if (names.count(price.model) == 0) continue;
    if (longest == nullptr || price.model.size() > longest->model.size()) longest = &price;
  }
  return longest == nullptr ? std::nullopt : std::optional<Price>(*longest);
}

std::optional<double> call_cost(const TokenUsage& usage, const std::optional<Price>& price) {
  if (usage.cost_usd) return usage.cost_usd;
  if (!price || !usage.input || !usage.output) return std::nullopt;
  const std::uint64_t cached = std::min(usage.cached_input.value_or(0), *usage.input);
  const std::uint64_t written = std::min(usage.cache_write.value_or(0), *usage.input - cached);
  const std::uint64_t fresh = *usage.input - cached - written;
  const auto tokens = [](std::uint64_t count) { return static_cast<double>(count); };
  const double sum = tokens(fresh) * price->input + tokens(cached) * price->cached_input.value_or(price->input) +
                     tokens(written) * price->cache_write.value_or(price->input) +
                     tokens(*usage.output) * price->output;
  return sum / kPerTokens;
}

}  // namespace memuse::chat
