#include "workflow/delta_row_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "model/text.h"

namespace memuse::workflow {
namespace {

using controlled::ResultRow;

constexpr std::size_t kMaxNameBytes = 1024;
constexpr std::size_t kMaxComponentBytes = 65536;  ///< a prompt may be given whole
constexpr std::string_view kNoFailureWords = "a reason; leave the cell empty where nothing failed";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

std::optional<bool> truth(const RowValue& value) {
  if (value.kind == RowValue::Kind::boolean) return value.boolean;
  if (value.kind != RowValue::Kind::cell) return std::nullopt;
  const std::string word = lower_case(value.text.substr(0, 6));
  if (word == "true" || word == "yes" || word == "1") return true;
  if (word == "false" || word == "no" || word == "0") return false;
  return std::nullopt;
}

/// A finite number.
std::optional<double> number(const RowValue& value) {
  if (value.kind == RowValue::Kind::number) return value.number;
  if (value.kind != RowValue::Kind::cell) return std::nullopt;
  double parsed = 0.0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, parsed);
  if (error != std::errc{} || stop != end || !std::isfinite(parsed)) return std::nullopt;
  return parsed;
}

std::optional<double> score(const RowValue& value) {
  if (const auto is_right = truth(value)) return *is_right ? 1.0 : 0.0;
  const auto graded = number(value);
  return graded && *graded >= 0.0 && *graded <= 1.0 ? graded : std::nullopt;
}

/// A name, or a number as written.
std::optional<std::string_view> name(const RowValue& value, std::size_t max_bytes) {
  if (value.kind == RowValue::Kind::boolean || value.kind == RowValue::Kind::other) return std::nullopt;
  if (value.text.size() > max_bytes) return std::nullopt;
  return value.text;
}

/// What programs write into a cell where they have no value.
bool is_empty_word(const RowValue& value) {
  if (value.kind != RowValue::Kind::cell) return false;
  const std::string word = lower_case(value.text.substr(0, 5));
  return word == "none" || word == "nan" || word == "null" || word == "n/a" || word == "na" || word == "<na>";
}

std::string shown(const RowValue& value) {
  if (value.kind == RowValue::Kind::boolean) return value.boolean ? "true" : "false";
  if (value.kind == RowValue::Kind::other) return "a list, an object or no number";
  return fmt::format("\"{}\"", printable(shortened(value.text, 60)));
}

}  // namespace

const std::vector<std::string_view>& result_fields() {
  static const std::vector<std::string_view> fields = [] {
    std::vector<std::string_view> names{"strategy", "instance", "question_type",  "run",     "seed",
                                        "correct",  "failed",   "failure_reason", "refused", "abstention"};
    for (const controlled::Amount amount : controlled::kAmounts) names.push_back(controlled::name(amount));
    for (const controlled::Component component : controlled::kComponents) names.push_back(controlled::name(component));
    return names;
  }();
  return fields;
}

void ResultRowBuilder::refuse(std::string_view field, const RowValue& value, std::string_view expected) {
  if (fault_.empty()) fault_ = fmt::format("`{}` is {}; expected {}", field, shown(value), expected);
}

bool ResultRowBuilder::set(std::string_view field, const RowValue& value) {
  std::string_view ResultRow::*const target = field == "instance"         ? &ResultRow::instance
                                              : field == "strategy"       ? &ResultRow::strategy
                                              : field == "run"            ? &ResultRow::run
                                              : field == "question_type"  ? &ResultRow::question_type
                                              : field == "failure_reason" ? &ResultRow::failure_reason
                                                                          : nullptr;
  if (target == nullptr && field != "seed") {
    return set_truth_or_score(field, value) || set_amount(field, value) || set_component(field, value);
  }
  if (field == "failure_reason" && is_empty_word(value)) {
    refuse(field, value, kNoFailureWords);
  } else if (const auto text = name(value, kMaxNameBytes)) {
    (target == nullptr ? seed_ : row_.*target) = *text;
  } else {
    refuse(field, value, "a text of at most 1,024 bytes, or a number");
  }
  return true;
}

bool ResultRowBuilder::set_truth_or_score(std::string_view field, const RowValue& value) {
  if (field == "correct") {
    row_.score = score(value);
    if (!row_.score) refuse(field, value, "true, false, or a number from 0 to 1");
  } else if (field == "refused" || field == "abstention") {
    const auto said = truth(value);
    (field == "refused" ? row_.refused : row_.abstention) = said;
    if (!said) refuse(field, value, "true or false");
  } else if (field == "failed") {
    const auto said = truth(value);
    if (is_empty_word(value)) {
      refuse(field, value, kNoFailureWords);
      return true;
    }
    const bool is_word = value.kind == RowValue::Kind::text || value.kind == RowValue::Kind::cell;
    const auto reason = said || !is_word ? std::nullopt : name(value, kMaxNameBytes);
    row_.failed = said.value_or(reason && !reason->empty());
    if (reason) row_.failure_reason = *reason;
    if (!said && !reason) refuse(field, value, "true, false, or the reason in at most 1,024 bytes");
  } else {
    return false;
  }
  return true;
}

bool ResultRowBuilder::set_amount(std::string_view field, const RowValue& value) {
  for (std::size_t i = 0; i < controlled::kAmountCount; ++i) {
    if (field != controlled::name(controlled::kAmounts[i])) continue;
    const auto amount = number(value);
    if (amount && *amount >= 0.0 && *amount <= controlled::kMaxAmount) {
      row_.amounts[i] = amount;
    } else {
      refuse(field, value, "a number from 0 to 1e15");
    }
    return true;
  }
  return false;
}

bool ResultRowBuilder::set_component(std::string_view field, const RowValue& value) {
  const auto component = controlled::parse_component(field);
  if (!component) return false;
  if (const auto text = name(value, kMaxComponentBytes)) {
    if (!is_blank(*text)) row_.components[*component] = trimmed(*text);
  } else {
    refuse(field, value, "a text of at most 65,536 bytes, or a number");
  }
  return true;
}

const controlled::ResultRow* ResultRowBuilder::finish() {
  if (row_.run.empty()) row_.run = seed_;
  if (fault_.empty() && row_.instance.empty()) fault_ = "`instance` is missing";
  if (fault_.empty() && !row_.failed && !row_.failure_reason.empty()) {
    fault_ = "`failure_reason` is given, but `failed` is not true";
  }
  if (fault_.empty() && row_.failed && row_.score.value_or(0.0) > 0.0) {
    fault_ = "`failed` and `correct` contradict each other: an execution that broke down has no right answer";
  }
  return fault_.empty() ? &row_ : nullptr;
}

}  // namespace memuse::workflow
