#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/error.h"
#include "workflow/judge_estimate.h"
#include "workflow/model_judge_job.h"

namespace memuse::cli {

/// What judging with a model came to, for standard error: numbers, money, what is undecided and how to go on.
std::string to_text(const workflow::ModelJudgeSummary& summary);
nlohmann::ordered_json to_json(const workflow::ModelJudgeSummary& summary);

/// What it would take, for standard output.
std::string to_text(const workflow::JudgeEstimate& estimate);
nlohmann::ordered_json to_json(const workflow::JudgeEstimate& estimate);

ExitCode exit_code(const workflow::ModelJudgeSummary& summary);

}  // namespace memuse::cli
