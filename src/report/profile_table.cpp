#include <fmt/format.h>

#include <algorithm>

#include "report/profile_columns.h"
#include "report/tables.h"

namespace memuse::report {
namespace {

using rules::Measure;
using rules::Profile;

constexpr const char* kAxes = "Axes (mean entry share, %)";
constexpr const char* kContradicted = "Against the evidence (mean entry share, %)";
constexpr const char* kUncertainty = "Not settled by the record (mean entry share, %)";
constexpr const char* kYields = "Yields";
constexpr const char* kCoverage = "Coverage";
constexpr const char* kVolume = "Volume";

class ProfileTable {
 public:
  ProfileTable(const rules::StudyProfile& study, const JudgementSetRecord& set, Pooling pooling)
      : columns_(profile_columns(study, pooling)),
        table_(table_over(columns_, "profile",
                          pooling == Pooling::runs ? "Profiles of runs" : "Profiles of configurations", "")) {
    add_shares(study.assessed);
    add_yields();
    add_coverage();
    add_volume(study.estimator);
    table_.caption = caption(study, set);
  }

  Table take() { return std::move(table_); }

 private:
  void share(Measure measure, const char* group) {
    const rules::MeasureInfo& measure_info = rules::info(measure);
    add_row(table_, columns_, std::string(measure_info.key), group, std::string(measure_info.label),
            [measure](const Profile& profile) { return Cell::percent(profile.value(measure)); });
  }

  void number(Measure measure, std::string label) {
    add_row(table_, columns_, std::string(rules::info(measure).key), kYields, std::move(label),
            [measure](const Profile& profile) { return Cell::number(profile.value(measure), 2); });
  }

  void count(const char* key, const char* group, const char* label, std::uint64_t rules::Counts::*member) {
    add_row(table_, columns_, key, group, label,
            [member](const Profile& profile) { return Cell::count(profile.counts.*member); });
  }

  void add_shares(rules::AssessedSignals assessed) {
    for (std::size_t i = 0; i < rules::kAxisCount; ++i) share(static_cast<Measure>(i), kAxes);
    share(Measure::contradicted, kContradicted);
    share(Measure::novelty_null, kUncertainty);
    share(Measure::influence_null, kUncertainty);
    share(Measure::effect_null, kUncertainty);
    if (!assessed.relevance) share(Measure::relevance_null, kUncertainty);
    if (!assessed.accuracy) share(Measure::accuracy_null, kUncertainty);
  }

  void add_yields() {
    number(Measure::beneficial_yield, "Beneficial per 100 spans");
    number(Measure::harmful_yield, "Harmful per 100 spans");
    number(Measure::token_efficiency, "Beneficial per million tokens");
  }

  void add_coverage() {
    count("episodes", kCoverage, "Episodes", &rules::Counts::episodes);
    count("episodes_with_delivery", kCoverage, "… with a delivery", &rules::Counts::episodes_with_delivery);
    episodes_of(DeliveryGrade::not_recorded, "episodes_not_recorded", "… whose deliveries are not recorded");
    episodes_of(VisibilityGrade::unknown, "episodes_of_unknown_input", "… whose visible input is unknown (no spans)");
    count("episodes_with_profiled_span", kCoverage, "… with a profiled span",
          &rules::Counts::episodes_with_profiled_span);
    count("recurring_items", kCoverage, "Items in ≥ 50 episodes of a run", &rules::Counts::recurring_items);
  }

  /// A row for what most studies have none of; only where there are some.
  template <typename Grade>
  void episodes_of(Grade grade, const char* key, const char* label) {
    const auto has_some = [&](const ProfileColumn& column) { return column.profile->counts.episodes_of(grade) > 0; };
    if (std::none_of(columns_.begin(), columns_.end(), has_some)) return;
    add_row(table_, columns_, key, kCoverage, label,
            [grade](const Profile& profile) { return Cell::count(profile.counts.episodes_of(grade)); });
  }

  void add_volume(rules::TokenEstimator estimator) {
    count("profiled_spans", kVolume, "Profiled spans", &rules::Counts::profiled_spans);
    add_row(table_, columns_, "delivered_tokens", kVolume, "Delivered tokens",
            [estimator](const Profile& profile) { return Cell::count(profile.counts.tokens(estimator)); });
  }

  [[nodiscard]] std::string caption(const rules::StudyProfile& study, const JudgementSetRecord& set) const {
    std::string definitions;
    for (std::size_t i = 0; i < rules::kAxisCount; ++i) {
      const rules::MeasureInfo& axis = rules::info(static_cast<Measure>(i));
      definitions += fmt::format("{}{}: {}", i == 0 ? "" : "; ", axis.label, axis.definition);
    }
    return fmt::format(
        "A share is taken over all entries of a profiled span, those with an empty window included, and averaged with "
        "the "
        "same weight for each span. {}. Tokens include restatements and spans without a profile. {} {} A dash: not "
        "assessed, or nothing to compute it from.",
        definitions, sample_sizes(columns_), provenance(study, set));
  }

  std::vector<ProfileColumn> columns_;
  Table table_;
};

}  // namespace

Table profile_table(const rules::StudyProfile& study, const JudgementSetRecord& set, Pooling pooling) {
  return ProfileTable(study, set, pooling).take();
}

}  // namespace memuse::report
