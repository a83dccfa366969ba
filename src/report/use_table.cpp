#include <fmt/format.h>

#include <array>
#include <functional>
#include <utility>

#include "attribution/summaries.h"
#include "report/episode_columns.h"
#include "report/profile_columns.h"
#include "report/tables.h"

namespace memuse::report {
namespace {

using attribution::EpisodeFacts;
using attribution::OutcomeCounts;
using attribution::Quantity;
using attribution::UseSummary;

constexpr const char* kRelevantGroup = "Relevant entries";
constexpr const char* kActedOnGroup = "Entries acted on";
constexpr const char* kDelayGroup = "Steps from delivery to first action";
constexpr const char* kBeneficialGroup = "Episodes with beneficial use";
constexpr const char* kHarmfulGroup = "Episodes with harmful use";

/// What has to be assessed for a row to say anything.
enum class Needs : std::uint8_t { spans, relevance, effects };

Quantity number_of(std::uint32_t (EpisodeFacts::*count)() const) {
  return [count](const EpisodeFacts& facts) { return static_cast<double>((facts.*count)()); };
}

Quantity number_of(std::uint32_t EpisodeFacts::*count) {
  return [count](const EpisodeFacts& facts) { return static_cast<double>(facts.*count); };
}

/// 1 for an episode with such entries and the outcome; any known outcome when none is named.
Quantity episodes_with(std::uint32_t (EpisodeFacts::*entries)() const, std::optional<bool> outcome) {
  return [entries, outcome](const EpisodeFacts& facts) {
    if ((facts.*entries)() == 0 || !facts.resolved) return 0.0;
    return !outcome || facts.resolved == outcome ? 1.0 : 0.0;
  };
}

class UseTable {
 public:
  UseTable(const attribution::StudyFacts& study, const TableOptions& options)
      : study_(study), resampling_(optional_resampling(options)), columns_(episode_columns(study, options.pooling)) {
    table_.name = "use";
    table_.title = options.pooling == Pooling::runs ? "Use of memory by run" : "Use of memory by configuration";
    table_.columns.push_back({"label", "", Align::left});
    for (const EpisodeColumn& column : columns_) {
      table_.columns.push_back({column.key, column.name, Align::right});
      uses_.push_back(attribution::summarise_use(study, column.episodes));
    }
    add_entries();
    add_delays();
    add_episodes();
    add_shares();
  }

  Table take() { return std::move(table_); }

 private:
  [[nodiscard]] bool is_assessed(Needs needs, std::size_t column) const {
    if (columns_[column].profiled_spans == 0) return false;
    switch (needs) {
      case Needs::relevance:
        return study_.profile.assessed.relevance;
      case Needs::effects:
        return columns_[column].with_effects;
      case Needs::spans:
        break;
    }
    return true;
  }

  template <typename MakeCell>
  void row(const char* key, const char* group, const char* label, Needs needs, const MakeCell& cell) {
    Row row{key, group, {Cell::text(label)}};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      row.cells.push_back(is_assessed(needs, i) ? cell(uses_[i]) : Cell::missing());
    }
    table_.rows.push_back(std::move(row));
  }

  void count(const char* key, const char* group, const char* label, Needs needs, std::uint64_t UseSummary::*member) {
    row(key, group, label, needs, [member](const UseSummary& use) { return Cell::count(use.*member); });
  }

  /// A share, whose intervals are made for all rows at once at the end.
  void share(const char* key, const char* group, const char* label, Needs needs, Quantity part, Quantity whole,
             const std::function<std::optional<double>(const UseSummary&)>& value) {
    row(key, group, label, needs, [&value](const UseSummary& use) { return Cell::percent(value(use)); });
    ratios_.push_back(attribution::share_ratio(std::move(part), std::move(whole)));
    ratio_rows_.push_back(table_.rows.size() - 1);
  }

  void entry_share(const char* key, const char* group, const char* label, Needs needs, Quantity part, Quantity whole,
                   std::uint64_t UseSummary::*counted, std::uint64_t UseSummary::*of) {
    share(key, group, label, needs, std::move(part), std::move(whole),
          [counted, of](const UseSummary& use) { return share_of(use.*counted, use.*of); });
  }

  void add_entries() {
    const Quantity acted_on = number_of(&EpisodeFacts::acted_on);
    count("relevant", kRelevantGroup, "Relevant", Needs::relevance, &UseSummary::relevant);
    entry_share("unused_share", kRelevantGroup, "Unused %", Needs::relevance, number_of(&EpisodeFacts::unused),
                number_of(&EpisodeFacts::relevant), &UseSummary::unused, &UseSummary::relevant);
    entry_share("novel_among_unused_share", kRelevantGroup, "Novel among unused %", Needs::relevance,
                number_of(&EpisodeFacts::novel_unused), number_of(&EpisodeFacts::unused), &UseSummary::novel_unused,
                &UseSummary::unused);
    count("acted_on", kActedOnGroup, "Acted on", Needs::spans, &UseSummary::acted_on);
    entry_share("improved_share", kActedOnGroup, "Improved %", Needs::effects, number_of(&EpisodeFacts::beneficial),
                acted_on, &UseSummary::improved, &UseSummary::acted_on);
    entry_share("no_effect_share", kActedOnGroup, "No effect %", Needs::effects, number_of(&EpisodeFacts::no_effect),
                acted_on, &UseSummary::no_effect, &UseSummary::acted_on);
    entry_share("harmed_share", kActedOnGroup, "Harmed %", Needs::effects, number_of(&EpisodeFacts::harmful), acted_on,
                &UseSummary::harmed, &UseSummary::acted_on);
    entry_share("undetermined_share", kActedOnGroup, "Undetermined %", Needs::spans,
                number_of(&EpisodeFacts::undetermined), acted_on, &UseSummary::undetermined, &UseSummary::acted_on);
  }

  void delay(const char* key, const char* label, double attribution::DelaySummary::*member) {
    row(key, kDelayGroup, label, Needs::spans, [member](const UseSummary& use) {
      return use.delay ? Cell::number((*use.delay).*member, 1) : Cell::missing();
    });
  }

  void add_delays() {
    delay("delay_median", "Median", &attribution::DelaySummary::median);
    delay("delay_lower_quartile", "Lower quartile", &attribution::DelaySummary::lower_quartile);
    delay("delay_upper_quartile", "Upper quartile", &attribution::DelaySummary::upper_quartile);
    row("delay_max", kDelayGroup, "Maximum", Needs::spans,
        [](const UseSummary& use) { return use.delay ? Cell::count(use.delay->max) : Cell::missing(); });
  }

  void add_episodes() {
    const auto counts = [this](const char* key, const char* group, const char* label, OutcomeCounts UseSummary::*side,
                               std::uint64_t (OutcomeCounts::*number)() const) {
      row(key, group, label, Needs::effects,
          [side, number](const UseSummary& use) { return Cell::count(((use.*side).*number)()); });
    };
    counts("beneficial_episodes", kBeneficialGroup, "Episodes", &UseSummary::beneficial, &OutcomeCounts::episodes);
    counts("beneficial_known", kBeneficialGroup, "… with a known outcome", &UseSummary::beneficial,
           &OutcomeCounts::known);
    share("beneficial_failed_share", kBeneficialGroup, "… of these failed %", Needs::effects,
          episodes_with(&EpisodeFacts::beneficial, false), episodes_with(&EpisodeFacts::beneficial, std::nullopt),
          [](const UseSummary& use) { return share_of(use.beneficial.failed, use.beneficial.known()); });
    counts("harmful_episodes", kHarmfulGroup, "Episodes", &UseSummary::harmful, &OutcomeCounts::episodes);
    counts("harmful_known", kHarmfulGroup, "… with a known outcome", &UseSummary::harmful, &OutcomeCounts::known);
    row("harmful_succeeded", kHarmfulGroup, "… of these succeeded", Needs::effects,
        [](const UseSummary& use) { return Cell::count(use.harmful.resolved); });
    share("harmful_succeeded_share", kHarmfulGroup, "… of these succeeded %", Needs::effects,
          episodes_with(&EpisodeFacts::harmful, true), episodes_with(&EpisodeFacts::harmful, std::nullopt),
          [](const UseSummary& use) { return share_of(use.harmful.resolved, use.harmful.known()); });
  }

  /// Intervals of all shares, column by column.
  void add_shares() {
    if (resampling_.resamples == 0) return;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const auto estimates = attribution::estimate(columns_[column].episodes, ratios_, resampling_);
      for (std::size_t i = 0; i < ratios_.size(); ++i) {
        Cell& cell = table_.rows[ratio_rows_[i]].cells[column + 1];
        cell = with_interval(table_, cell, estimates[i]);
      }
    }
  }

  const attribution::StudyFacts& study_;
  stats::Resampling resampling_;
  std::vector<EpisodeColumn> columns_;
  std::vector<UseSummary> uses_;
  std::vector<attribution::Ratio> ratios_;
  std::vector<std::size_t> ratio_rows_;
  Table table_;
};

}  // namespace

Table use_table(const attribution::StudyFacts& study, const JudgementSetRecord& set, const TableOptions& options) {
  Table table = UseTable(study, options).take();
  table.caption = fmt::format(
      "Counts are entries of profiled spans, each counted once. Unused: relevant with influence none. Novel among "
      "unused: novelty novel. Improved, no effect, harmed, undetermined: effect of the entries acted on; undetermined: "
      "the record does not settle it. Steps: from the first step that sees the entry's span to the first action that "
      "shows its influence; quartiles by linear interpolation. Beneficial use: an entry acted on that improved; "
      "harmful: one that harmed; an episode with both is in both groups, and unknown outcomes are in no share.{} {} {} "
      "A dash: not assessed, or nothing to compute it from.",
      interval_words(study, options), sample_sizes(profile_columns(study.profile, Pooling::configurations)),
      provenance(study.profile, set));
  return table;
}

}  // namespace memuse::report
