#include "workflow/judge_settings.h"

#include <fmt/format.h>

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

void read_settings(const nlohmann::json& json, ModelJudgeSettings& settings) {
  settings.protocol = json.at("protocol").get<std::string>();
  settings.span.protocol = json.at("tools").get<std::string>() == "json" ? agentic_judge::ToolProtocol::json
                                                                         : agentic_judge::ToolProtocol::native;
  settings.prompt_version = json.at("prompt_version").get<std::string>();
  settings.prompt_sha256 = json.at("prompt_sha256").get<std::string>();
  settings.span.temperature = optional_at<double>(json, "temperature");
  settings.span.seed = optional_at<std::int64_t>(json, "seed");
  settings.evidence.reference = json.at("reference").get<bool>();
  settings.evidence.outcome = json.at("outcome").get<bool>();
  agentic_judge::Budget& budget = settings.span.budget;
  budget.calls = json.at("calls").get<std::uint32_t>();
  budget.repair_rounds = json.at("repair_rounds").get<std::uint32_t>();
  budget.calls_per_repair = json.at("calls_per_repair").get<std::uint32_t>();
  budget.context_tokens = json.at("context_tokens").get<std::uint64_t>();
  budget.max_output_tokens = json.at("max_output_tokens").get<std::uint32_t>();
  settings.span.limits.page_bytes = json.at("page_bytes").get<std::uint64_t>();
  settings.span.limits.search_bytes = json.at("search_bytes").get<std::uint64_t>();
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
