#include "workflow/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "attribution/collector.h"
#include "model/error.h"
#include "model/text.h"
#include "report/origins_table.h"
#include "store/database.h"
#include "store/item_facts.h"
#include "store/judgements.h"
#include "store/origin_facts.h"
#include "store/reader.h"
#include "store/study_facts.h"
#include "workflow/judgement_sets.h"
#include "workflow/sources.h"

namespace memuse::workflow {
namespace {

constexpr std::size_t kShortestUidPrefix = 6;
constexpr std::size_t kCandidatesListed = 10;

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string full_name(const EpisodeRecord& record) {
  return fmt::format("{}/{}/{}", record.configuration, record.run, record.episode);
}

template <typename Record>
Record one_of(std::vector<Record> candidates, const std::string& what, const std::string& name,
              const std::function<std::string(const Record&)>& describe) {
  if (candidates.size() == 1) return std::move(candidates.front());
  std::string message = fmt::format(
      "{} '{}'", candidates.empty() ? "there is no " + what : "more than one " + what + " is", printable(name));
  if (!candidates.empty()) message += "; write one of:";
  for (std::size_t i = 0; i < std::min(candidates.size(), kCandidatesListed); ++i) {
    message += "\n  " + printable(describe(candidates[i]));
  }
  if (candidates.size() > kCandidatesListed)
    message += fmt::format("\n  … and {} more", candidates.size() - kCandidatesListed);
  throw Error(ExitCode::usage, message);
}

}  // namespace

struct Study::Parts {
  /// Without a judge, no set is chosen.
  Parts(const std::string& path, const std::optional<std::string>& judge)
      : database(store::Database::open_existing(path)),
        set(judge ? choose_judgement_set(store::judgement_sets(database), *judge) : JudgementSetRecord{}),
        sources(database) {}

  [[nodiscard]] std::optional<std::int64_t> set_id() const {
    return set.judge.empty() ? std::nullopt : std::optional(set.id);
  }
  void for_each(const store::EpisodeFilter& filter, const std::function<void(const EpisodeSpansRecord&)>& visit) const {
    store::for_each_episode(database, filter, set_id(), [&](const EpisodeSpansRecord& record) {
      visit(record);
      return true;
    });
  }
  [[nodiscard]] std::vector<EpisodeRecord> matching(const std::string& name) const;

  store::Database database;
  JudgementSetRecord set;
  SourceReader sources;
};

Study::Study(const std::string& database, const std::string& judge)
    : parts_(std::make_unique<Parts>(database, judge)) {}
Study::Study(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Study Study::without_answers(const std::string& database) {
  return Study(std::make_unique<Parts>(database, std::nullopt));
}
Study::~Study() = default;
Study::Study(Study&&) noexcept = default;

const JudgementSetRecord& Study::judgement_set() const {
  return parts_->set;
}

StudyContents Study::contents() const {
  return study_contents(parts_->database, parts_->set);
}

rules::StudyProfile Study::profile() const {
  rules::StudyTally tally;
  parts_->for_each({}, [&](const EpisodeSpansRecord& record) { tally.add(record); });
  rules::StudyProfile profile = tally.finish(rules::assessed_signals(parts_->set));
  const std::set<std::string> baselines = store::baselines(parts_->database);
  if (!baselines.empty()) profile.baseline = *baselines.begin();
  return profile;
}

attribution::StudyFacts Study::facts(const rules::PriceOf& price_of) const {
  attribution::Collector collector(price_of);
  parts_->for_each({}, [&](const EpisodeSpansRecord& record) { collector.add(record); });
  const std::set<std::string> baselines = store::baselines(parts_->database);
  return collector.finish(rules::assessed_signals(parts_->set), baselines.empty() ? std::string() : *baselines.begin());
}

std::vector<KnownAgreement> Study::agreements() const {
  return known_agreements(parts_->database, parts_->set);
}

std::vector<JudgingWork> Study::judging_work() const {
  const std::optional<std::int64_t> set = parts_->set_id();
  return set ? store::judging_work(parts_->database, *set) : std::vector<JudgingWork>{};
}

report::Table Study::origins_table(report::Pooling pooling) const {
  JudgementSetRecord set = parts_->set;
  set.agreements = known_agreements(parts_->database, set);
  report::OriginsTable origins(pooling);
  for_each_run_origins([&](const graph::RunOrigins& run) { origins.add(run); });
  return origins.finish(set);
}

report::Table Study::origins_list() const {
  JudgementSetRecord set = parts_->set;
  set.agreements = known_agreements(parts_->database, set);
  report::OriginsList list;
  for_each_run_origins([&](const graph::RunOrigins& run) { list.add(run); });
  return std::move(list).finish(set);
}

void Study::write_export(const std::string& kind, report::ExportFormat format, std::ostream& out) const {
  if (kind == "profiles") return report::write_profiles(out, profile(), parts_->set.judge, format);
  const auto known = report::parse_export_kind(kind);
  if (!known) throw Error(ExitCode::usage, fmt::format("unknown export '{}'", printable(kind)));
  report::ExportWriter writer(out, *known, format, parts_->set.judge);
  parts_->for_each({}, [&](const EpisodeSpansRecord& record) { writer.add(record); });
}

void Study::for_each_episode(const std::function<void(const EpisodeSpansRecord&)>& visit) const {
  parts_->for_each({}, visit);
}

std::vector<EpisodeSpansRecord> Study::run(const std::string& name) const {
  std::vector<store::RunRecord> matching;
  for (store::RunRecord& run : store::runs(parts_->database)) {
    if (name == run.run || name == run.configuration + "/" + run.run) matching.push_back(std::move(run));
  }
  if (matching.empty()) {
    std::string known;
    for (const store::RunRecord& run : store::runs(parts_->database)) {
      known += fmt::format("\n  {}", printable(run.configuration + "/" + run.run));
    }
    throw Error(ExitCode::usage, fmt::format("there is no run '{}'; there are:{}", printable(name), known));
  }
  const store::RunRecord chosen = one_of<store::RunRecord>(
      std::move(matching), "run", name, [](const store::RunRecord& run) { return run.configuration + "/" + run.run; });
  std::vector<EpisodeSpansRecord> records;
  parts_->for_each({chosen.configuration, chosen.run, std::nullopt},
                   [&](const EpisodeSpansRecord& record) { records.push_back(record); });
  return records;
}

/// Names may hold slashes themselves, so every way to split the name is tried.
std::vector<EpisodeRecord> Study::Parts::matching(const std::string& name) const {
  std::map<std::string, EpisodeRecord> found;
  const auto look = [&](const store::EpisodeFilter& filter) {
    for (EpisodeRecord& record : store::find_episodes(database, filter)) {
      std::string uid = record.uid;
      found.emplace(std::move(uid), std::move(record));
    }
  };
  look({std::nullopt, std::nullopt, name});
  for (std::size_t second = name.find('/'); second != std::string::npos; second = name.find('/', second + 1)) {
    const std::string left = name.substr(0, second);
    const std::string episode = name.substr(second + 1);
    look({std::nullopt, left, episode});
    for (std::size_t first = left.find('/'); first != std::string::npos; first = left.find('/', first + 1)) {
      look({left.substr(0, first), left.substr(first + 1), episode});
    }
  }
  if (found.empty() && name.size() >= kShortestUidPrefix && is_hex(name)) {
    for (EpisodeRecord& record : store::find_episodes(database, {})) {
      if (record.uid.starts_with(name)) found.emplace(record.uid, record);
    }
  }
  std::vector<EpisodeRecord> records;
  for (auto& [uid, record] : found) records.push_back(std::move(record));
  std::sort(records.begin(), records.end(), report::export_before);
  return records;
}

EpisodeSpansRecord Study::episode(const std::string& name) const {
  std::vector<EpisodeRecord> candidates = parts_->matching(name);
  const bool attempts_of_one = std::all_of(candidates.begin(), candidates.end(), [&](const EpisodeRecord& record) {
    return full_name(record) == full_name(candidates.front());
  });
  // Of several attempts under one name the retained one is meant; the others are reached by their uid.
  if (attempts_of_one && candidates.size() > 1) {
    const auto others = std::remove_if(candidates.begin(), candidates.end(),
                                       [](const EpisodeRecord& record) { return !record.retained; });
    if (others != candidates.begin()) candidates.erase(others, candidates.end());
  }
  const EpisodeRecord chosen = one_of<EpisodeRecord>(
      std::move(candidates), "episode", name,
      [](const EpisodeRecord& record) { return fmt::format("{}  (uid {})", full_name(record), record.uid); });
  EpisodeSpansRecord result;
  parts_->for_each({chosen.configuration, chosen.run, chosen.uid},
                   [&](const EpisodeSpansRecord& record) { result = record; });
  return result;
}

std::vector<graph::ItemLineage> Study::items(const ItemName& name) const {
  const auto given = [](const std::string& part) { return part.empty() ? std::nullopt : std::optional(part); };
  const store::ItemFilter filter{name.item, given(name.configuration), given(name.run), given(name.store)};
  std::vector<graph::ItemLineage> all;
  for (graph::ItemFacts& facts : store::item_facts(parts_->database, filter, parts_->set_id())) {
    all.push_back(graph::item_lineage(std::move(facts)));
  }
  if (all.empty()) {
    const bool restricted = filter.configuration || filter.run || filter.store;
    throw Error(ExitCode::usage, fmt::format("there is no item '{}'{}", printable(name.item),
                                             restricted ? " in that configuration, run and store" : ""));
  }
  return all;
}

void Study::for_each_run_origins(const std::function<void(const graph::RunOrigins&)>& visit) const {
  store::for_each_run_of_origins(parts_->database, parts_->set_id(),
                                 [&](graph::RunOriginFacts facts) { visit(graph::run_origins(std::move(facts))); });
}

std::optional<JudgementDetails> Study::judging(const EpisodeRecord& record, std::uint32_t span) const {
  const std::optional<std::int64_t> set = parts_->set_id();
  return set ? store::judgement_details(parts_->database, *set, record.uid, span) : std::nullopt;
}

std::optional<Episode> Study::source(const EpisodeRecord& record, const SourceRoots& roots, std::string& why) const {
  SourceRead read = parts_->sources.read(record, store::episode_probe(parts_->database, record.uid), roots);
  if (read.fault) why = to_line(*read.fault);
  return std::move(read.episode);
}

const std::vector<std::string>& export_names() {
  static const std::vector<std::string> names{"spans", "entries", "deliveries", "episodes", "profiles"};
  return names;
}

}  // namespace memuse::workflow
