#include "report/episode_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attribution/summaries.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

constexpr const char* kFewEventsNote = "few events: fewer than 10, so no interval";
constexpr const char* kNoIntervalNote =
    "no interval: fewer than two tasks, or the value does not exist in too many resamples";

/// What is drawn whole.
const char* resampled_units(const attribution::StudyFacts& study) {
  const auto in_group = [](const attribution::EpisodeFacts& facts) { return facts.group != 0; };
  if (std::none_of(study.episodes.begin(), study.episodes.end(), in_group)) return "tasks";
  if (std::all_of(study.episodes.begin(), study.episodes.end(), in_group)) return "task groups (arcs)";
  return "task groups (arcs), or tasks where there is no group";
}

/// How many there are to draw from, by configuration: "n = 8", "n = 6 to 8".
std::string unit_counts(const attribution::StudyFacts& study) {
  std::size_t least = 0;
  std::size_t most = 0;
  for (const auto& configuration : study.profile.configurations) {
    const std::size_t n = attribution::count_clusters(attribution::episodes_of(study, configuration.configuration));
    least = most == 0 ? n : std::min(least, n);
    most = std::max(most, n);
  }
  if (least == most) return fmt::format("n = {}", with_separators(most));
  return fmt::format("n = {} to {} by configuration", with_separators(least), with_separators(most));
}

}  // namespace

EpisodeColumn episode_column(const attribution::StudyFacts& study, std::string key, std::string name,
                             attribution::Episodes episodes) {
  EpisodeColumn column{std::move(key), std::move(name), {}, std::move(episodes)};
  column.with_effects = attribution::effects_assessed(column.episodes, study.profile.assessed);
  for (const attribution::EpisodeFacts* facts : column.episodes) column.profiled_spans += facts->profiled_spans;
  return column;
}

std::vector<EpisodeColumn> episode_columns(const attribution::StudyFacts& study, Pooling pooling) {
  std::vector<EpisodeColumn> columns;
  for (const auto& configuration : study.profile.configurations) {
    const std::string& name = configuration.configuration;
    if (pooling == Pooling::configurations) {
      columns.push_back(episode_column(study, name, name, attribution::episodes_of(study, name)));
      columns.back().configuration = name;
      continue;
    }
    for (const auto& run : configuration.runs) {
      columns.push_back(episode_column(study, name + "/" + run.run, name + " / " + run.run,
                                       attribution::episodes_of(study, name, run.run)));
      columns.back().configuration = name;
    }
  }
  return columns;
}

std::size_t add_note(Table& table, const std::string& text) {
  const auto found = std::find(table.notes.begin(), table.notes.end(), text);
  if (found != table.notes.end()) return static_cast<std::size_t>(found - table.notes.begin()) + 1;
  table.notes.push_back(text);
  return table.notes.size();
}

Cell with_interval(Table& table, Cell cell, const attribution::RatioEstimate& estimate) {
  if (cell.kind == Cell::Kind::missing) return cell;
  if (estimate.few_events) return cell.with_note(add_note(table, kFewEventsNote));
  if (!estimate.interval) return cell.with_note(add_note(table, kNoIntervalNote));
  cell.interval = std::pair(estimate.interval->low, estimate.interval->high);
  return cell;
}

std::string resampling_words(const attribution::StudyFacts& study, const stats::Resampling& resampling) {
  const char* method = resampling.method == stats::IntervalMethod::bca ? "BCa" : "percentile";
  return fmt::format("{:g} % bootstrap intervals ({}), {} resamples of whole {} ({}), seed {}",
                     resampling.confidence * 100.0, method, with_separators(resampling.resamples),
                     resampled_units(study), unit_counts(study), resampling.seed);
}

std::string interval_words(const attribution::StudyFacts& study, const TableOptions& options) {
  if (optional_resampling(options).resamples == 0) return {};
  return fmt::format(" In brackets: {}.", resampling_words(study, options.resampling));
}

stats::Resampling optional_resampling(const TableOptions& options) {
  stats::Resampling resampling = options.resampling;
  if (!options.intervals) resampling.resamples = 0;
  return resampling;
}

std::optional<double> share_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace memuse::report
