#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agentic_judge/prompts.h"
#include "agentic_judge/span_judge.h"
#include "evidence/evidence_set.h"

namespace memuse::workflow {

/// How a model judges: everything that its answers depend on beside traces and model. It makes the judgement set: other
/// settings are another set.
struct ModelJudgeSettings {
  std::string judge;     ///< the model, as it was asked for
  std::string protocol;  ///< form of the endpoint's requests
  evidence::EvidenceOptions evidence;
  agentic_judge::SpanJudgeOptions span;
  std::string prompt_version;
  std::string prompt_sha256;
};

/// JSON of the settings without the judge's name, as judgement sets store it; the same settings give the same bytes.
std::string settings_json(const ModelJudgeSettings& settings);

/// Description of a recording: judge and settings.
nlohmann::ordered_json recording_description(const ModelJudgeSettings& settings);
/// The settings in a description. Throws Error(usage) when it is none of this program's.
ModelJudgeSettings settings_from_description(const nlohmann::json& description);

}  // namespace memuse::workflow
