#include <fmt/format.h>

#include <utility>

#include "attribution/summaries.h"
#include "model/error.h"
#include "report/decimals.h"
#include "report/episode_columns.h"
#include "report/profile_columns.h"
#include "report/tables.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using attribution::Difficulty;
using attribution::DifficultyLevel;

Row level_row(const EpisodeColumn& column, const Difficulty& difficulty, const DifficultyLevel& level) {
  const std::string label =
      level.solved_by ? fmt::format("{} of {}", *level.solved_by, difficulty.baseline_runs) : std::string("not known");
  const std::string key = level.solved_by ? fmt::format("{}", *level.solved_by) : std::string("not_known");
  Row row{key, column.name, {Cell::text(label), Cell::count(level.tasks), Cell::count(level.episodes())}};
  row.cells.push_back(Cell::percent(share_of(level.outcomes.resolved, level.episodes()), kPercentDecimals));
  const bool is_judged = column.profiled_spans > 0;
  const auto put = [&](bool is_known, std::uint64_t count) {
    row.cells.push_back(is_known ? Cell::count(count) : Cell::missing());
    row.cells.push_back(is_known ? Cell::percent(share_of(count, level.episodes()), kPercentDecimals)
                                 : Cell::missing());
  };
  put(is_judged, level.with_acted_on);
  put(is_judged && column.with_effects, level.with_beneficial);
  return row;
}

/// All memory configurations together, when there are several, then each.
std::vector<EpisodeColumn> memory_columns(const attribution::StudyFacts& study, const TableOptions& options) {
  std::vector<EpisodeColumn> columns;
  attribution::Episodes all;
  std::size_t configurations = 0;
  for (const auto& configuration : study.profile.configurations) {
    if (configuration.configuration == study.profile.baseline) continue;
    ++configurations;
    const auto episodes = attribution::episodes_of(study, configuration.configuration);
    all.insert(all.end(), episodes.begin(), episodes.end());
  }
  if (configurations > 1) {
    columns.push_back(episode_column(study, "(all)", fmt::format("All {} configurations", configurations), all));
  }
  for (EpisodeColumn& column : episode_columns(study, options.pooling)) {
    if (column.configuration != study.profile.baseline) columns.push_back(std::move(column));
  }
  return columns;
}

std::string difficulty_caption(const attribution::StudyFacts& study, const JudgementSetRecord& set,
                               const Difficulty& all, std::uint64_t without_result) {
  std::string left_out;
  if (all.levels.back().solved_by == std::nullopt) {
    left_out += " Not known: in some baseline run the task has no result, or was not run.";
  }
  if (all.episodes_without_baseline > 0) {
    left_out += fmt::format(" Left out, as the baseline does not have their tasks: {} episodes.",
                            with_separators(all.episodes_without_baseline));
  }
  if (without_result > 0) {
    left_out += fmt::format(" Episodes without a result: {}.", with_separators(without_result));
  }
  return fmt::format(
      "Solved by: how many of the {} runs of {} resolved the task. Episodes: those of the other configurations on "
      "these tasks. Resolved: episodes without a result count as not resolved. Acted on, beneficial: episodes with at "
      "least one entry that was acted on, or acted on and improved; their share is of the episodes of the row.{} {} A "
      "dash: not assessed, or nothing to compute it from.",
      all.baseline_runs, study.profile.baseline, left_out, provenance(study.profile, set));
}

}  // namespace

Table difficulty_table(const attribution::StudyFacts& study, const JudgementSetRecord& set,
                       const TableOptions& options) {
  const attribution::Episodes baseline = attribution::episodes_of(study, study.profile.baseline);
  if (study.profile.baseline.empty() || baseline.empty()) {
    throw Error(ExitCode::usage,
                "the table difficulty needs a baseline: name it with --baseline, or in the manifest's column "
                "`baseline` before ingest");
  }
  Table table;
  table.name = "difficulty";
  table.title = "Use of memory by difficulty of the task";
  table.columns = {{"solved_by", "Solved by", Align::left},
                   {"tasks", "Tasks"},
                   {"episodes", "Episodes"},
                   {"resolved", "Resolved %"},
                   {"acted_on", "Acted on"},
                   {"acted_on_share", "Acted on %"},
                   {"beneficial", "Beneficial"},
                   {"beneficial_share", "Beneficial %"}};
  attribution::Episodes memory;
  for (const attribution::EpisodeFacts& facts : study.episodes) {
    if (study.name(facts.configuration) != study.profile.baseline) memory.push_back(&facts);
  }
  const Difficulty all = attribution::group_by_difficulty(baseline, memory);
  for (const EpisodeColumn& column : memory_columns(study, options)) {
    const Difficulty difficulty = attribution::group_by_difficulty(baseline, column.episodes);
    for (const DifficultyLevel& level : difficulty.levels) table.rows.push_back(level_row(column, difficulty, level));
  }
  std::uint64_t without_result = 0;
  for (const DifficultyLevel& level : all.levels) without_result += level.outcomes.unknown;
  table.caption = difficulty_caption(study, set, all, without_result);
  return table;
}

}  // namespace memuse::report
