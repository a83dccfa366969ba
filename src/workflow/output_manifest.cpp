#include "workflow/output_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "model/error.h"
#include "model/sha256.h"
#include "model/text.h"
#include "model/version.h"
#include "store/database.h"
#include "store/judgements.h"
#include "store/study_facts.h"
#include "workflow/judgement_sets.h"

namespace memuse::workflow {
namespace {

using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json digest_json(const store::ContentDigest& digest) {
  return {{"rows", digest.rows}, {"sha256", digest.sha256}};
}

/// A member of the settings, or null: judges without prompts have none.
Json setting(const Json& settings, const char* key) {
  return settings.is_object() && settings.contains(key) ? settings.at(key) : Json(nullptr);
}

Json agreement_json(const std::vector<KnownAgreement>& agreements) {
  Json list = Json::array();
  for (const KnownAgreement& agreement : agreements) {
    list.push_back({{"with", agreement.with},
                    {"entries", agreement.entries},
                    {"influence_kappa", optional_json(agreement.influence_kappa)},
                    {"effect_kappa", optional_json(agreement.effect_kappa)}});
  }
  return list;
}

Json judgement_json(const StudyContents& contents) {
  const JudgementSetRecord& set = contents.set;
  if (set.judge.empty()) return nullptr;
  const Json settings = Json::parse(set.settings, nullptr, false);
  Json sample(nullptr);
  if (set.sample) {
    sample = {{"size", set.sample->size}, {"seed", set.sample->seed}, {"population", set.sample->population}};
  }
  return {{"judge", set.judge},
          {"rules", set.rules},
          {"settings_sha256", sha256_hex(set.settings)},
          {"settings", settings.is_discarded() ? Json(set.settings) : settings},
          {"prompt_version", setting(settings, "prompt_version")},
          {"prompt_sha256", setting(settings, "prompt_sha256")},
          {"returned_models", contents.returned_models},
          {"accepted", set.accepted},
          {"unresolved", set.unresolved},
          {"sample", sample},
          {"agreement", agreement_json(set.agreements)},
          {"answers", digest_json(contents.answers)}};
}

Json resampling_json(const std::optional<stats::Resampling>& resampling) {
  if (!resampling) return nullptr;
  return {{"method", resampling->method == stats::IntervalMethod::bca ? "bca" : "percentile"},
          {"resamples", resampling->resamples},
          {"seed", resampling->seed},
          {"confidence", resampling->confidence}};
}

Json prices_json(const PriceSource& prices) {
  if (!prices.is_used()) return nullptr;
  return {{"name", prices.name}, {"date", prices.date}, {"sha256", prices.sha256}};
}

Json configurations_json(const StudyContents& contents) {
  Json list = Json::array();
  for (const store::StudyRunRecord& run : contents.runs) {
    if (list.empty() || list.back().at("name") != run.configuration) {
      list.push_back(
          {{"name", run.configuration}, {"baseline", run.configuration == contents.baseline}, {"runs", Json::array()}});
    }
    list.back()["runs"].push_back({{"run", run.run}, {"episodes", run.episodes}, {"retained", run.retained}});
  }
  return list;
}

Json sources_json(const std::vector<store::SourceFileRecord>& sources) {
  Json list = Json::array();
  for (const store::SourceFileRecord& source : sources) {
    list.push_back({{"path", source.path},
                    {"format", source.format},
                    {"format_version", source.format_version},
                    {"episodes", source.episodes},
                    {"sha256", source.sha256}});
  }
  return list;
}

Json outcomes_json(const std::vector<store::OutcomeSourceRecord>& outcomes) {
  Json list = Json::array();
  for (const store::OutcomeSourceRecord& source : outcomes) {
    list.push_back({{"source", source.source},
                    {"found", source.found},
                    {"rows", source.content.rows},
                    {"sha256", source.content.sha256}});
  }
  return list;
}

Json files_json(std::vector<WrittenFile> files) {
  std::sort(files.begin(), files.end(), [](const WrittenFile& a, const WrittenFile& b) { return a.path < b.path; });
  Json list = Json::array();
  for (const WrittenFile& file : files) {
    list.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  }
  return list;
}

}  // namespace

StudyContents study_contents(const store::Database& database, JudgementSetRecord set) {
  StudyContents contents;
  if (!set.judge.empty()) {
    set.agreements = known_agreements(database, set);
    contents.returned_models = store::returned_models(database, set.id);
    contents.answers = store::answers_digest(database, set.id);
  }
  contents.set = std::move(set);
  contents.runs = store::study_runs(database);
  const std::set<std::string> baselines = store::baselines(database);
  if (!baselines.empty()) contents.baseline = *baselines.begin();
  contents.sources = store::source_files(database);
  for (const auto& [sha256, text] : store::delivery_rules(database)) contents.delivery_rules.push_back(sha256);
  contents.outcomes = store::outcome_sources(database);
  contents.probes = store::probes_digest(database);
  return contents;
}

WrittenFile written_file(const std::string& folder, const std::string& relative_path) {
  const std::filesystem::path path = std::filesystem::path(folder) / relative_path;
  std::ifstream in(path, std::ios::binary);
  WrittenFile file;
  file.path = std::filesystem::path(relative_path).generic_string();
  Sha256 digest;
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::array<char, kPiece> piece{};
  while (in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto size = static_cast<std::size_t>(in.gcount());
    digest.update(std::string_view(piece.data(), size));
    file.bytes += size;
  }
  if (!in.eof()) {
    throw Error(ExitCode::environment, fmt::format("cannot read {} for its manifest", printable(path.string())));
  }
  file.sha256 = digest.finish_hex();
  return file;
}

nlohmann::ordered_json output_manifest(const StudyContents& contents, const OutputSettings& settings,
                                       std::vector<WrittenFile> files) {
  return {{"manifest", "memuse-output/1"},
          {"program", {{"name", "memuse"}, {"version", kProgramVersion}, {"rule_set", kRuleSet}}},
          {"command", settings.command},
          {"judgement_set", judgement_json(contents)},
          {"token_estimator", settings.token_estimator.empty() ? Json(nullptr) : Json(settings.token_estimator)},
          {"resampling", resampling_json(settings.resampling)},
          {"prices", prices_json(settings.prices)},
          {"study",
           {{"configurations", configurations_json(contents)},
            {"sources", sources_json(contents.sources)},
            {"delivery_rules", contents.delivery_rules},
            {"outcomes", outcomes_json(contents.outcomes)},
            {"probes", digest_json(contents.probes)}}},
          {"files", files_json(std::move(files))}};
}

}  // namespace memuse::workflow
