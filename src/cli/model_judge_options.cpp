#include "cli/model_judge_options.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "agentic_judge/prompts.h"
#include "chat/endpoint.h"
#include "chat/recording.h"
#include "cli/terminal.h"
#include "model/error.h"
#include "model/text.h"
#include "workflow/judge_settings.h"

namespace memuse::cli {
namespace {

constexpr std::string_view kOpenAi = "https://api.openai.com/v1";
constexpr std::string_view kAnthropic = "https://api.anthropic.com";

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ExitCode::usage, message);
}

bool given(const CLI::Option* option) {
  return option != nullptr && option->count() > 0;
}

chat::Protocol protocol_of(const ModelJudgeArguments& arguments) {
  return chat::parse_protocol(arguments.protocol).value_or(chat::Protocol::openai);
}

agentic_judge::Prompts prompts_of(const ModelJudgeArguments& arguments) {
  return arguments.prompts.empty() ? agentic_judge::shipped_prompts() : agentic_judge::load_prompts(arguments.prompts);
}

/// Limits and prices, which both ways of judging take.
void set_limits(const ModelJudgeArguments& arguments, workflow::ModelJudgeOptions& options) {
  const chat::PriceTable prices =
      arguments.prices.empty() ? chat::PriceTable::shipped() : chat::PriceTable::load(arguments.prices);
  options.price = prices.find(options.settings.judge);
  if (given(arguments.max_cost_option)) {
    if (!options.price) {
      refuse(
          fmt::format("--max-cost: no price of model '{}' is known; name a price table that has it with --prices FILE "
                      "(docs/endpoints.md)",
                      printable(options.settings.judge)));
    }
    options.max_cost = arguments.max_cost;
  }
  if (given(arguments.max_spans_option)) options.max_spans = arguments.max_spans;
  if (given(arguments.sample_option)) {
    options.sample = workflow::SampleRequest{arguments.sample, arguments.seed};
  } else if (given(arguments.seed_option)) {
    refuse("--seed is the seed of a sample and needs --sample; the model's own is --model-seed");
  }
  options.retry_unresolved = arguments.retry_unresolved;
  options.parallel = arguments.parallel;
}

}  // namespace

void add_model_judge_options(CLI::App& command, ModelJudgeArguments& a) {
  const auto declare = [&](CLI::Option* option, const char* group) {
    a.declared.push_back(option->group(group));
    return option;
  };
  const char* model = "Language model (--judge chat)";
  declare(command.add_option("--model", a.model, "The model, as the endpoint names it"), model);
  declare(command
              .add_option("--protocol", a.protocol,
                          "Form of the requests: openai (chat completions; most servers and "
                          "gateways) or anthropic (messages)")
              ->capture_default_str()
              ->check(CLI::IsMember({"openai", "anthropic"})),
          model);
  declare(command.add_option("--base-url", a.base_url,
                             "The endpoint (default: OpenAI's or Anthropic's), e.g. http://localhost:8000/v1"),
          model);
  declare(command.add_option("--key-env", a.key_env,
                             "Variable that holds the key (default: OPENAI_API_KEY or ANTHROPIC_API_KEY, if set)"),
          model);
  declare(command.add_option("--key-file", a.key_file, "File that holds the key"), model);
  declare(command.add_option("--ca-file", a.ca_file, "Certificate authorities (PEM) instead of the system's"), model);
  declare(command.add_flag("--no-stream", a.no_stream, "Ask for replies in one piece"), model);
  declare(command
              .add_option("--tool-protocol", a.tool_protocol,
                          "native (the endpoint's tool calls) or json (for models without them)")
              ->capture_default_str()
              ->check(CLI::IsMember({"native", "json"})),
          model);
  a.temperature_option =
      declare(command.add_option("--temperature", a.temperature, "Sampling temperature (default: the endpoint's)")
                  ->check(CLI::Range(0.0, 2.0)),
              model);
  a.model_seed_option = declare(
      command.add_option("--model-seed", a.model_seed, "Seed for the model, where the endpoint takes one"), model);
  declare(command.add_option("--prompts", a.prompts, "Folder with prompts of your own instead of the built-in ones"),
          model);
  declare(command.add_flag("--reference", a.reference, "Show the judge the reference solution, where there is one"),
          model);
  declare(command.add_flag("--outcome", a.outcome, "Show the judge the recorded outcome"), model);
  declare(command.add_option("--max-calls", a.max_calls, "Model calls a span, the final answer included")
              ->capture_default_str()
              ->check(CLI::Range(1U, 10'000U)),
          model);
  declare(command.add_option("--repair-rounds", a.repair_rounds, "Rounds in which a refused answer can be put right")
              ->capture_default_str()
              ->check(CLI::Range(0U, 20U)),
          model);
  declare(command.add_option("--context-tokens", a.context_tokens, "The model's context window")
              ->capture_default_str()
              ->check(CLI::Range(std::uint64_t{8'000}, std::uint64_t{100'000'000})),
          model);
  declare(
      command.add_option("--max-output-tokens", a.max_output_tokens, "Most output tokens a call, reasoning included")
          ->capture_default_str()
          ->check(CLI::Range(256U, 10'000'000U)),
      model);

  const char* flow = "Pace and failures (--judge chat)";
  declare(command.add_option("--parallel", a.parallel, "Spans at a time; fewer for a while when the endpoint says so")
              ->capture_default_str()
              ->check(CLI::Range(1U, 256U)),
          flow);
  declare(command.add_option("--idle-timeout", a.idle_timeout, "Seconds without a byte that end a request")
              ->capture_default_str()
              ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{86'400})),
          flow);
  declare(command.add_option("--retries", a.retries, "Further tries after a failed request")
              ->capture_default_str()
              ->check(CLI::Range(0U, 100U)),
          flow);
  declare(command
              .add_option("--first-wait", a.first_wait,
                          "Seconds before the first retry; the wait doubles, with jitter, up to two minutes")
              ->capture_default_str()
              ->check(CLI::Range(0.0, 120.0)),
          flow);

  const char* money = "Money and amount (--judge chat, replay)";
  declare(command.add_flag("--dry-run", a.dry_run, "Only say what it would take: spans, calls, tokens, a price range"),
          money);
  declare(command.add_option("--prices", a.prices, "Price table (JSON) instead of the built-in one"), money);
  a.max_cost_option = declare(command
                                  .add_option("--max-cost", a.max_cost,
                                              "Stop before more than so many US dollars are "
                                              "spent by this command")
                                  ->check(CLI::PositiveNumber),
                              money);
  a.max_spans_option = declare(
      command.add_option("--max-spans", a.max_spans, "Stop after so many spans")->check(CLI::PositiveNumber), money);
  a.sample_option = declare(command
                                .add_option("--sample", a.sample,
                                            "Judge only a sample of so many spans, stratified by configuration, run "
                                            "and delivery form")
                                ->check(CLI::PositiveNumber),
                            money);
  a.seed_option = declare(command.add_option("--seed", a.seed, "Seed of the sample")->capture_default_str(), money);
  declare(
      command.add_flag("--retry-unresolved", a.retry_unresolved, "Ask again where an answer was refused to the end"),
      money);

  const char* recording = "Recordings";
  declare(command.add_option("--record", a.record, "Folder that takes down every reply (--judge chat)"), recording);
  declare(command.add_option("--from", a.from, "Folder of a recording (--judge replay)"), recording);
}

void refuse_model_options(const ModelJudgeArguments& arguments) {
  for (const CLI::Option* option : arguments.declared) {
    if (!given(option)) continue;
    // A variable for all commands (MEMUSE_MODEL …) is no wish for this one.
    if (std::getenv(option->get_envname().c_str()) != nullptr) continue;
    refuse(fmt::format("{} is for a language model; add --judge chat", option->get_name()));
  }
}

workflow::ModelJudgeOptions chat_options(const ModelJudgeArguments& arguments) {
  if (arguments.model.empty()) refuse("--judge chat needs --model");
  if (!arguments.from.empty()) refuse("--from is for --judge replay");
  workflow::ModelJudgeOptions options;
  options.prompts = prompts_of(arguments);
  workflow::ModelJudgeSettings& settings = options.settings;
  settings.judge = arguments.model;
  settings.protocol = arguments.protocol;
  settings.evidence.reference = arguments.reference;
  settings.evidence.outcome = arguments.outcome;
  settings.span.protocol =
      arguments.tool_protocol == "json" ? agentic_judge::ToolProtocol::json : agentic_judge::ToolProtocol::native;
  if (given(arguments.temperature_option)) settings.span.temperature = arguments.temperature;
  if (given(arguments.model_seed_option)) settings.span.seed = arguments.model_seed;
  settings.span.budget.calls = arguments.max_calls;
  settings.span.budget.repair_rounds = arguments.repair_rounds;
  settings.span.budget.context_tokens = arguments.context_tokens;
  settings.span.budget.max_output_tokens = arguments.max_output_tokens;
  if (arguments.max_output_tokens >= arguments.context_tokens) {
    refuse("--max-output-tokens leaves no room in --context-tokens for anything to read");
  }
  settings.prompt_version = options.prompts.version;
  settings.prompt_sha256 = options.prompts.sha256();
  set_limits(arguments, options);
  return options;
}

workflow::ModelJudgeOptions replay_options(const ModelJudgeArguments& arguments) {
  if (arguments.from.empty()) refuse("--judge replay needs --from, the folder of a recording");
  if (!arguments.record.empty()) refuse("--record is for --judge chat");
  workflow::ModelJudgeOptions options;
  options.settings = workflow::settings_from_description(chat::recording_description(arguments.from));
  options.prompts = prompts_of(arguments);
  if (options.prompts.sha256() != options.settings.prompt_sha256) {
    refuse(fmt::format(
        "the recording was made with other prompts (version {}, {}…) than these (version {}, {}…); name its "
        "prompts with --prompts, or use the memuse that made it",
        printable(options.settings.prompt_version), options.settings.prompt_sha256.substr(0, 12),
        printable(options.prompts.version), options.prompts.sha256().substr(0, 12)));
  }
  set_limits(arguments, options);
  return options;
}

std::unique_ptr<chat::ChatModel> chat_model(const ModelJudgeArguments& arguments,
                                            const workflow::ModelJudgeOptions& options, workflow::Progress& progress) {
  chat::EndpointOptions endpoint;
  endpoint.protocol = protocol_of(arguments);
  endpoint.base_url = !arguments.base_url.empty()                      ? arguments.base_url
                      : endpoint.protocol == chat::Protocol::anthropic ? std::string(kAnthropic)
                                                                       : std::string(kOpenAi);
  endpoint.model = arguments.model;
  endpoint.key = chat::load_key(endpoint.protocol, arguments.key_env, arguments.key_file);
  endpoint.streaming = !arguments.no_stream;
  endpoint.ca_file = arguments.ca_file;
  endpoint.idle_timeout = std::chrono::seconds(arguments.idle_timeout);
  endpoint.retries = arguments.retries;
  endpoint.first_backoff = std::chrono::milliseconds(std::llround(arguments.first_wait * 1000.0));
  endpoint.parallel = arguments.parallel;
  endpoint.stop = options.stop;
  endpoint.notice = [&progress](const std::string& message) { progress.notice(message); };
  std::unique_ptr<chat::ChatModel> model = chat::connect(std::move(endpoint));
  if (arguments.record.empty()) return model;
  return chat::record(std::move(model), arguments.record, workflow::recording_description(options.settings));
}

}  // namespace memuse::cli
