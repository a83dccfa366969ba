#include "workflow/report_data.h"

#include <utility>

#include "model/version.h"
#include "report/agreement_table.h"
#include "report/episode_page.h"
#include "report/show.h"
#include "report/show_judges.h"
#include "workflow/agree_job.h"
#include "workflow/judgement_sets.h"

namespace memuse::workflow {
namespace {

using report::Json;

/// Sets whose agreement is worked out for the page: pairs grow with the square.
constexpr std::size_t kMostSetsCompared = 6;

/// A table as `tables --json` gives it, each cell with what people read in it.
Json table_json(const report::Table& table) {
  Json json = report::to_json(table);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (std::size_t cell = 0; cell < table.rows[row].cells.size(); ++cell) {
      json["rows"][row]["cells"][cell]["shown"] = report::shown(table.rows[row].cells[cell]);
    }
  }
  return json;
}

Json agreement_of_sets(const std::string& database, const std::vector<report::JudgementSetFacts>& sets) {
  if (sets.size() < 2 || sets.size() > kMostSetsCompared) return nullptr;
  AgreeOptions options;
  options.database = database;
  for (const report::JudgementSetFacts& facts : sets) options.sets.push_back("#" + std::to_string(facts.set.id));
  return table_json(report::agreement_table(compare_judgement_sets(options)));
}

Json known_agreements_json(const std::vector<KnownAgreement>& agreements) {
  Json list = Json::array();
  for (const KnownAgreement& one : agreements) {
    list.push_back({{"with", one.with},
                    {"entries", one.entries},
                    {"influence_kappa", report::or_null(one.influence_kappa)},
                    {"effect_kappa", report::or_null(one.effect_kappa)}});
  }
  return list;
}

}  // namespace

ReportData::ReportData(ReportOptions options)
    : options_(std::move(options)), study_(options_.database, options_.judge) {
  study_.for_each_episode([this](const EpisodeSpansRecord& record) { index_.add(record); });
}

Json ReportData::tables_json() const {
  const StudyTables tables(study_, options_.tables);
  Json made = Json::object();
  Json lacking = Json::object();
  for (const std::string& name : table_names()) {
    if (const auto why = tables.lacks(name)) {
      lacking[name] = *why;
    } else {
      made[name] = table_json(tables.table(name));
    }
  }
  return {{"made", std::move(made)}, {"lacking", std::move(lacking)}};
}

Json ReportData::study_json() const {
  const JudgementSetRecord& set = study_.judgement_set();
  const auto sets = judgement_set_facts(options_.database);
  Json json;
  json["schema"] = "memuse-report/1";
  json["program"] = kProgramVersion;
  json["rules"] = kRuleSet;
  json["judge"] = set.judge.empty() ? Json(nullptr) : Json(set.judge);
  json["set"] = set.judge.empty() ? Json(nullptr) : Json(set.id);
  json["sets"] = report::show_judges_json(sets);
  json["known_agreements"] = known_agreements_json(study_.agreements());
  json["agreement"] = agreement_of_sets(options_.database, sets);
  json["refused"] = index_.refused_json();
  json["tables"] = tables_json();
  return json;
}

Json ReportData::episode_json(const EpisodeSpansRecord& record, std::optional<std::size_t> limit) const {
  report::EpisodePageOptions page;
  page.text_limit = limit;
  page.judge = study_.judgement_set().judge;
  page.details = [&](std::uint32_t span) { return study_.judging(record.episode, span); };
  const std::optional<Episode> episode = study_.source(record.episode, options_.roots, page.source_missing);
  return report::episode_page_json(episode ? &*episode : nullptr, record, page);
}

Json ReportData::episode_json(const std::string& uid, std::optional<std::size_t> limit) const {
  return episode_json(study_.episode(uid), limit);
}

Json ReportData::item_json(const report::ItemKey& key) const {
  report::ShowOptions show;
  show.judge = study_.judgement_set().judge;
  return report::show_item_json(study_.items({key.item, key.configuration, key.run, key.store}).front(), show);
}

}  // namespace memuse::workflow
