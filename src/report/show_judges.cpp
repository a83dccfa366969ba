#include "report/show_judges.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/show_common.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using Json = nlohmann::ordered_json;

std::string with_separators(std::uint64_t count) {
  return grouped(fmt::format("{}", count));
}

/// The settings as an object; null when they are none.
Json settings_of(const JudgementSetRecord& set) {
  Json settings = Json::parse(set.settings, nullptr, false);
  return settings.is_object() ? settings : Json(nullptr);
}

std::string spans_text(const JudgementSetFacts& facts) {
  const JudgementSetRecord& set = facts.set;
  return fmt::format("{} accepted, {} unresolved; {} to judge", with_separators(set.accepted),
                     with_separators(set.unresolved), with_separators(facts.spans));
}

std::string sample_text(const JudgementSetRecord& set) {
  const JudgementSetRecord::Sample& sample = *set.sample;
  return fmt::format("{} of {} spans, seed {}; {} of them answered",
                     with_separators(std::min(sample.size, sample.population)), with_separators(sample.population),
                     sample.seed, with_separators(set.sample_answered));
}

std::string tokens_text(const JudgementSetRecord& set) {
  if (set.calls_without_tokens == set.calls) return "— (the endpoint did not count them)";
  std::string text = fmt::format("input {} ({} of them cached), output {}", with_separators(set.input_tokens),
                                 with_separators(set.cached_input_tokens), with_separators(set.output_tokens));
  if (set.calls_without_tokens > 0)
    text += fmt::format(" ({} without counts)", plural(set.calls_without_tokens, "call"));
  return text;
}

std::string cost_text(const JudgementSetRecord& set) {
  std::string text = set.cost_usd ? fmt::format("{:.4f} US dollars", *set.cost_usd) : std::string("—");
  if (set.calls_without_cost > 0) {
    text += fmt::format(" ({} without a known cost)", plural(set.calls_without_cost, "call"));
  }
  return text;
}

std::string models_text(const std::map<std::string, std::uint64_t>& models) {
  std::string text;
  for (const auto& [model, spans] : models) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", safe(model), plural(spans, "span"));
  }
  return text;
}

std::string show_set(const JudgementSetFacts& facts, const ShowOptions& options) {
  const JudgementSetRecord& set = facts.set;
  const Paint paint(options.colour);
  const auto line = [&](std::string_view label, std::string_view text) { return field(label, text, options.width); };
  std::string out = paint.bold(fmt::format("#{} {}", set.id, safe(set.judge))) + "\n";
  out += line("Spans", spans_text(facts));
  if (set.sample) out += line("Sample", sample_text(set));
  if (set.calls > 0) {
    out += line("Calls", with_separators(set.calls));
    out += line("Tokens", tokens_text(set));
    out += line("Cost", cost_text(set));
  } else {
    out += line("Calls", "none");
  }
  if (!facts.returned_models.empty()) out += line("Models", models_text(facts.returned_models));
  out += line("Rules", safe(set.rules));
  const Json settings = settings_of(set);
  if (!settings.is_object()) return out + line("Settings", safe(set.settings));
  std::string text;
  for (const auto& [key, value] : settings.items()) {
    const std::string shown =
        value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", safe(key), safe(shown));
  }
  return out + line("Settings", text.empty() ? "—" : text);
}

Json set_json(const JudgementSetFacts& facts) {
  const JudgementSetRecord& set = facts.set;
  Json json{{"id", set.id},
            {"judge", set.judge},
            {"rules", set.rules},
            {"accepted", set.accepted},
            {"unresolved", set.unresolved},
            {"spans", facts.spans},
            {"sample", nullptr},
            {"calls", set.calls},
            {"input_tokens", set.input_tokens},
            {"cached_input_tokens", set.cached_input_tokens},
            {"output_tokens", set.output_tokens},
            {"calls_without_tokens", set.calls_without_tokens},
            {"cost_usd", nullptr},
            {"calls_without_cost", set.calls_without_cost},
            {"returned_models", Json::object()},
            {"assesses_relevance", set.assesses_relevance},
            {"assesses_accuracy", set.assesses_accuracy},
            {"effects_need_probe", set.effects_need_probe},
            {"settings", settings_of(set)}};
  if (set.sample) {
    json["sample"] = {{"size", set.sample->size},
                      {"seed", set.sample->seed},
                      {"population", set.sample->population},
                      {"answered", set.sample_answered}};
  }
  if (set.cost_usd) json["cost_usd"] = *set.cost_usd;
  for (const auto& [model, spans] : facts.returned_models) json["returned_models"][model] = spans;
  return json;
}

}  // namespace

std::string show_judges(const std::vector<JudgementSetFacts>& sets, const ShowOptions& options) {
  if (sets.empty()) return "Nothing was judged yet (run `memuse judge`, or `memuse label` for labels by hand).\n";
  std::string out;
  for (const JudgementSetFacts& facts : sets) out += (out.empty() ? "" : "\n") + show_set(facts, options);
  return out;
}

nlohmann::ordered_json show_judges_json(const std::vector<JudgementSetFacts>& sets) {
  Json json = Json::array();
  for (const JudgementSetFacts& facts : sets) json.push_back(set_json(facts));
  return json;
}

}  // namespace memuse::report
