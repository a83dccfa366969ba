#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "chat/chat_model.h"
#include "workflow/model_judge_job.h"
#include "workflow/progress.h"

namespace memuse::cli {

/// The options of `memuse judge` that only a language model needs.
struct ModelJudgeArguments {
  std::vector<CLI::Option*> declared;  ///< to tell which were given

  std::string model;
  std::string protocol = "openai";
  std::string base_url;
  std::string key_env;
  std::string key_file;
  std::string ca_file;
  bool no_stream = false;
  std::string tool_protocol = "native";
  double temperature = 0.0;
  CLI::Option* temperature_option = nullptr;
  std::int64_t model_seed = 0;
  CLI::Option* model_seed_option = nullptr;
  std::string prompts;
  bool reference = false;
  bool outcome = false;

  unsigned parallel = 5;
  std::uint64_t idle_timeout = 300;
  std::uint32_t retries = 8;
  double first_wait = 1.0;
  std::uint32_t max_calls = 250;
  std::uint32_t repair_rounds = 2;
  std::uint64_t context_tokens = 272'000;
  std::uint32_t max_output_tokens = 32'768;

  std::string prices;
  bool dry_run = false;
  double max_cost = 0.0;
  CLI::Option* max_cost_option = nullptr;
  std::uint64_t max_spans = 0;
  CLI::Option* max_spans_option = nullptr;
  std::uint64_t sample = 0;
  CLI::Option* sample_option = nullptr;
  std::uint64_t seed = 0;
  CLI::Option* seed_option = nullptr;
  bool retry_unresolved = false;

  std::string record;
  std::string from;
};

void add_model_judge_options(CLI::App& command, ModelJudgeArguments& arguments);

/// Throws Error(usage) that names the first option that the built-in judge has no use for.
void refuse_model_options(const ModelJudgeArguments& arguments);

/// The job's options for `--judge chat` and for `--judge replay`. Throw Error(usage) for what does not fit together.
workflow::ModelJudgeOptions chat_options(const ModelJudgeArguments& arguments);
workflow::ModelJudgeOptions replay_options(const ModelJudgeArguments& arguments);

/// The endpoint, recorded when `--record` asks for it. `progress` is told of waits and must outlive it.
std::unique_ptr<chat::ChatModel> chat_model(const ModelJudgeArguments& arguments,
                                            const workflow::ModelJudgeOptions& options, workflow::Progress& progress);

}  // namespace memuse::cli
