#include "workflow/judgement_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "agreement/agreement.h"
#include "model/error.h"
#include "model/text.h"
#include "store/judged_entries.h"
#include "store/judged_spans.h"
#include "store/judgements.h"

namespace memuse::workflow {
namespace {

constexpr std::size_t kSettingsShown = 120;

/// The number behind `#`; nothing when `name` is no such name.
std::optional<std::int64_t> id_in(std::string_view name) {
  if (!name.starts_with('#')) return std::nullopt;
  std::int64_t id = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + 1, end, id);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return id;
}

template <typename Keep>
std::vector<JudgementSetRecord> those(const std::vector<JudgementSetRecord>& sets, const Keep& keep) {
  std::vector<JudgementSetRecord> kept;
  std::copy_if(sets.begin(), sets.end(), std::back_inserter(kept), keep);
  return kept;
}

std::vector<JudgementSetRecord> matching(const std::vector<JudgementSetRecord>& sets, const std::string& name) {
  if (name.empty()) {
    if (sets.size() < 2) return sets;
    std::vector<JudgementSetRecord> judges = those(sets, [](const auto& set) { return !is_label_set(set); });
    return judges.empty() ? sets : judges;
  }
  if (const auto id = id_in(name)) return those(sets, [&](const auto& set) { return set.id == *id; });
  std::vector<JudgementSetRecord> exact = those(sets, [&](const auto& set) { return set.judge == name; });
  if (!exact.empty()) return exact;
  return those(sets, [&](const auto& set) { return set.judge.starts_with(name + "/"); });
}

std::string setting_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The sets, each with the settings in which they differ among themselves.
std::string listed(const std::vector<JudgementSetRecord>& sets) {
  std::string text;
  for (const JudgementSetRecord& set : sets) {
    text += fmt::format("\n  #{} {}: {} spans", set.id, printable(set.judge), set.accepted + set.unresolved);
    const nlohmann::json mine = nlohmann::json::parse(set.settings, nullptr, false);
    if (!mine.is_object()) continue;
    std::string differences;
    for (const auto& [key, value] : mine.items()) {
      const bool differs = std::any_of(sets.begin(), sets.end(), [&](const JudgementSetRecord& other) {
        const nlohmann::json theirs = nlohmann::json::parse(other.settings, nullptr, false);
        return other.judge == set.judge && theirs.is_object() && (!theirs.contains(key) || theirs[key] != value);
      });
      if (differs) differences += fmt::format("{}{} {}", differences.empty() ? "" : ", ", key, setting_text(value));
    }
    if (!differences.empty()) text += fmt::format(" ({})", printable(shortened(differences, kSettingsShown)));
  }
  return text;
}

}  // namespace

bool is_label_set(const JudgementSetRecord& set) {
  return set.judge.starts_with(kLabelPrefix);
}

JudgementSetRecord choose_judgement_set(const std::vector<JudgementSetRecord>& sets, const std::string& name) {
  std::vector<JudgementSetRecord> found = matching(sets, name);
  if (found.size() == 1) return std::move(found.front());
  if (found.empty() && name.empty()) return {};
  if (found.empty()) {
    throw Error(
        ExitCode::usage,
        sets.empty()
            ? fmt::format("no answers of judge '{}' here; nothing was judged yet (run `memuse judge`)", printable(name))
            : fmt::format("no answers of judge '{}' here; there are:{}", printable(name), listed(sets)));
  }
  throw Error(
      ExitCode::usage,
      fmt::format("several judgement sets match{}; name one with --judge, by its judge or its number ('#{}'):{}",
                  name.empty() ? std::string() : " '" + printable(name) + "'", found.front().id, listed(found)));
}

std::string set_summary(const JudgementSetRecord& set) {
  const nlohmann::json settings = nlohmann::json::parse(set.settings, nullptr, false);
  std::string text;
  if (settings.is_object()) {
    for (const auto& [key, value] : settings.items()) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, setting_text(value));
    }
  }
  const std::string name = fmt::format("#{} {}", set.id, printable(set.judge));
  return text.empty() ? name : fmt::format("{} ({})", name, printable(shortened(text, kSettingsShown)));
}

std::vector<KnownAgreement> known_agreements(const store::Database& database, const JudgementSetRecord& set) {
  if (set.judge.empty()) return {};
  std::vector<std::int64_t> ids{set.id};
  std::vector<agreement::Rater> raters{agreement::rater(set)};
  for (const JudgementSetRecord& other : store::judgement_sets(database)) {
    if (other.id == set.id || !is_label_set(other)) continue;
    ids.push_back(other.id);
    raters.push_back(agreement::rater(other));
  }
  if (ids.size() == 1) return {};
  agreement::AgreementTally tally(raters);
  store::for_each_judged_episode(database, ids, [&](const store::JudgedEpisode& episode) {
    tally.begin_episode(episode.has_probe);
    for (const store::JudgedEntryLabels& entry : episode.entries) tally.add(entry.labels);
  });
  std::vector<KnownAgreement> known;
  for (const agreement::PairAgreement& pair : tally.finish({0, 0, {}, 0.95}).pairs) {
    if (pair.first != 0 || pair.both == 0) continue;
    const auto kappa = [&](agreement::Signal signal) {
      return pair.signals[static_cast<std::size_t>(signal)].kappa.value;
    };
    known.push_back(
        {raters[pair.second].name, pair.both, kappa(agreement::Signal::influence), kappa(agreement::Signal::effect)});
  }
  return known;
}

std::vector<report::JudgementSetFacts> judgement_set_facts(const std::string& database) {
  const store::Database opened = store::Database::open_existing(database);
  const std::uint64_t spans = store::judged_span_count(opened);
  std::vector<report::JudgementSetFacts> facts;
  for (JudgementSetRecord& set : store::judgement_sets(opened)) {
    const std::int64_t id = set.id;
    facts.push_back({std::move(set), spans, store::returned_models(opened, id)});
  }
  return facts;
}

}  // namespace memuse::workflow
