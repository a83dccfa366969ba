#include "workflow/judge_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/text.h"

namespace memuse::workflow {
namespace {

using nlohmann::ordered_json;

template <typename Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

template <typename Value>
std::optional<Value> optional_at(const nlohmann::json& object, const char* key) {
  const nlohmann::json& value = object.at(key);
  return value.is_null() ? std::nullopt : std::optional<Value>(value.get<Value>());
}

ordered_json to_json(const ModelJudgeSettings& settings) {
  const agentic_judge::Budget& budget = settings.span.budget;
  return {{"protocol", settings.protocol},
          {"tools", settings.span.protocol == agentic_judge::ToolProtocol::native ? "native" : "json"},
          {"prompt_version", settings.prompt_version},
          {"prompt_sha256", settings.prompt_sha256},
          {"temperature", or_null(settings.span.temperature)},
          {"seed", or_null(settings.span.seed)},
          {"reference", settings.evidence.reference},
          {"outcome", settings.evidence.outcome},
          {"calls", budget.calls},
          {"repair_rounds", budget.repair_rounds},
          {"calls_per_repair", budget.calls_per_repair},
          {"context_tokens", budget.context_tokens},
          {"max_output_tokens", budget.max_output_tokens},
          {"page_bytes", settings.span.limits.page_bytes},
          {"search_bytes", settings.span.limits.search_bytes}};
}

/// A whole number that fits; anything else was not written by this program.
template <typename Number>
Number number_at(const nlohmann::json& object, const char* key) {
  constexpr auto kMost = std::min<std::uint64_t>(std::numeric_limits<Number>::max(), std::uint64_t{1} << 40);
  const nlohmann::json& value = object.at(key);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= kMost)
    return static_cast<Number>(value.get<std::uint64_t>());
  throw Error(ExitCode::usage, fmt::format("the recording's description has no fit number for '{}'", key));
}

agentic_judge::ToolProtocol parse_tools(const std::string& name) {
  if (name == "native") return agentic_judge::ToolProtocol::native;
  if (name == "json") return agentic_judge::ToolProtocol::json;
  throw Error(ExitCode::usage,
              fmt::format("the recording's description names an unknown way to call tools: '{}'", printable(name)));
}

void read_settings(const nlohmann::json& object, ModelJudgeSettings& settings) {
  settings.protocol = object.at("protocol").get<std::string>();
  settings.span.protocol = parse_tools(object.at("tools").get<std::string>());
  settings.prompt_version = object.at("prompt_version").get<std::string>();
  settings.prompt_sha256 = object.at("prompt_sha256").get<std::string>();
  settings.span.temperature = optional_at<double>(object, "temperature");
  settings.span.seed = optional_at<std::int64_t>(object, "seed");
  settings.evidence.reference = object.at("reference").get<bool>();
  settings.evidence.outcome = object.at("outcome").get<bool>();
  agentic_judge::Budget& budget = settings.span.budget;
  budget.calls = number_at<std::uint32_t>(object, "calls");
  budget.repair_rounds = number_at<std::uint32_t>(object, "repair_rounds");
  budget.calls_per_repair = number_at<std::uint32_t>(object, "calls_per_repair");
  budget.context_tokens = number_at<std::uint64_t>(object, "context_tokens");
  budget.max_output_tokens = number_at<std::uint32_t>(object, "max_output_tokens");
  settings.span.limits.page_bytes = number_at<std::uint64_t>(object, "page_bytes");
  settings.span.limits.search_bytes = number_at<std::uint64_t>(object, "search_bytes");
}

}  // namespace

std::string settings_json(const ModelJudgeSettings& settings) {
  return to_json(settings).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::ordered_json recording_description(const ModelJudgeSettings& settings) {
  return {{"judge", settings.judge}, {"settings", to_json(settings)}};
}

ModelJudgeSettings settings_from_description(const nlohmann::json& description) {
  try {
    ModelJudgeSettings settings;
    settings.judge = description.at("judge").get<std::string>();
    read_settings(description.at("settings"), settings);
    return settings;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ExitCode::usage, fmt::format("the recording's description is not one that this memuse wrote: {}",
                                             printable(error.what())));
  }
}

}  // namespace memuse::workflow
