#include "report/attribution_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "attribution/summaries.h"
#include "model/text.h"
#include "report/profile_columns.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using attribution::FormSummary;
using attribution::UseSummary;
using figures::Figure;
using rules::Measure;
using rules::Profile;

constexpr double kInPercent = 100.0;
constexpr double kSmallTokenShare = 0.001;
constexpr std::size_t kMostFormRows = 45;  // with headings; more would not fit a page

std::optional<double> in_percent(std::optional<double> share) {
  return share ? std::optional(*share * kInPercent) : std::nullopt;
}

/// `a, b and c`; names as they can be printed.
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += printable(names[i]);
  }
  return out;
}

std::string left_out(const std::vector<std::string>& names, const char* why) {
  return names.empty() ? std::string() : fmt::format(" Not drawn, {}: {}.", why, listed(names));
}

/// Series of at most `kMostSeries` each, as even as can be.
std::vector<std::vector<figures::Series>> dealt_out(std::vector<figures::Series> series) {
  std::vector<std::vector<figures::Series>> parts;
  const std::size_t count = (series.size() + kMostSeries - 1) / kMostSeries;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = series.size() * i / count;
    const std::size_t last = series.size() * (i + 1) / count;
    parts.emplace_back();
    for (std::size_t s = first; s < last; ++s) parts.back().push_back(std::move(series[s]));
  }
  return parts;
}

figures::Series axes_of(std::string name, const Profile& profile) {
  figures::Series series{std::move(name), {}};
  for (std::size_t a = 0; a < rules::kAxisCount; ++a) {
    figures::Estimate estimate;
    estimate.value = in_percent(profile.value(static_cast<Measure>(a)));
    series.values.push_back(std::move(estimate));
  }
  return series;
}

std::string radar_caption(const std::string& of, const std::vector<std::string>& without_profile,
                          const rules::StudyProfile& study, const JudgementSetRecord& set) {
  std::string definitions;
  for (std::size_t a = 0; a < rules::kAxisCount; ++a) {
    const rules::MeasureInfo& axis = rules::info(static_cast<Measure>(a));
    definitions += fmt::format("{}{}: {}", a == 0 ? "" : "; ", axis.label, axis.definition);
  }
  return fmt::format(
      "Mean entry shares of {} (%), on a logarithmic scale with rings from 0.001 to 100 %: zero in the centre, a "
      "broken "
      "line where an axis is not assessed. {}.{} {}",
      of, definitions, left_out(without_profile, "without a profiled span"), provenance(study, set));
}

void add_radars(std::vector<Figure>& figures, const std::string& name, std::vector<figures::Series> series,
                const std::string& caption) {
  const auto parts = dealt_out(std::move(series));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    figures::RadarChart chart;
    for (std::size_t a = 0; a < rules::kAxisCount; ++a) {
      const auto measure = static_cast<Measure>(a);
      chart.axes.push_back({std::string(rules::info(measure).label), measure == Measure::harm});
    }
    chart.series = parts[i];
    figures.push_back({parts.size() > 1 ? fmt::format("{}-{}", name, i + 1) : name, caption,
                       figures::Width::two_columns, std::nullopt, std::move(chart)});
  }
}

std::string form_label(const attribution::DeliveryForm& form) {
  const char* route = form.route == "host" ? "H" : form.route == "agent" ? "A" : "?";
  return fmt::format("{} ({})", form.form.empty() ? std::string("no name") : form.form, route);
}

/// The rows of one set; empty when nothing was delivered.
figures::PairedChart::Group form_rows(const attribution::StudyFacts& study, const EpisodeSet& set,
                                      std::size_t& not_drawn) {
  const std::vector<FormSummary> forms = attribution::summarise_forms(study, set.episodes);
  std::uint64_t tokens = 0;
  std::uint64_t beneficial = 0;
  for (const FormSummary& form : forms) {
    tokens += form.tokens;
    beneficial += form.beneficial;
  }
  const bool is_profiled = std::any_of(set.episodes.begin(), set.episodes.end(),
                                       [](const auto* episode) { return episode->profiled_spans > 0; });
  const bool assessed = is_profiled && attribution::effects_assessed(set.episodes, study.profile.assessed);
  figures::PairedChart::Group group{set.name, {}};
  for (const FormSummary& form : forms) {
    const double token_share = tokens == 0 ? 0.0 : static_cast<double>(form.tokens) / static_cast<double>(tokens);
    if (form.beneficial == 0 && token_share < kSmallTokenShare) {
      ++not_drawn;
      continue;
    }
    figures::PairedChart::Row row;
    row.label = form_label(study.forms[form.form]);
    if (tokens > 0) row.first = token_share * kInPercent;
    if (assessed && beneficial > 0) {
      row.second = static_cast<double>(form.beneficial) / static_cast<double>(beneficial) * kInPercent;
    }
    row.note = assessed ? fmt::format("{} of {}", with_separators(form.beneficial), with_separators(beneficial))
                        : std::string("not assessed");
    group.rows.push_back(std::move(row));
  }
  return group;
}

/// Groups of rows, together as many as fit a page.
std::vector<std::vector<figures::PairedChart::Group>> pages(std::vector<figures::PairedChart::Group> groups) {
  std::vector<std::vector<figures::PairedChart::Group>> out;
  std::size_t rows = 0;
  for (figures::PairedChart::Group& group : groups) {
    if (out.empty() || rows + group.rows.size() + 1 > kMostFormRows) {
      out.emplace_back();
      rows = 0;
    }
    rows += group.rows.size() + 1;
    out.back().push_back(std::move(group));
  }
  return out;
}

}  // namespace

std::string figure_file_name(std::string text, std::size_t most) {
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (!plain) c = '_';
  }
  if (text.size() > most) text.resize(most);
  return text;
}

void make_figure_names_unique(std::vector<Figure>& figures) {
  std::set<std::string> taken;
  for (Figure& figure : figures) {
    const std::string name = figure.name;
    for (int copy = 2; !taken.insert(figure.name).second; ++copy) figure.name = fmt::format("{}-{}", name, copy);
  }
}

std::vector<EpisodeSet> episode_sets(const attribution::StudyFacts& study, Pooling pooling) {
  std::vector<EpisodeSet> sets;
  for (const rules::ConfigurationProfile& configuration : study.profile.configurations) {
    if (pooling == Pooling::configurations) {
      sets.push_back({configuration.configuration, attribution::episodes_of(study, configuration.configuration)});
      continue;
    }
    for (const rules::RunProfile& run : configuration.runs) {
      sets.push_back({fmt::format("{} / {}", configuration.configuration, run.run),
                      attribution::episodes_of(study, configuration.configuration, run.run)});
    }
  }
  return sets;
}

std::vector<Figure> radar_figures(const rules::StudyProfile& study, const JudgementSetRecord& set, Pooling pooling) {
  std::vector<Figure> figures;
  std::vector<std::string> without_profile;
  std::vector<figures::Series> series;
  for (const rules::ConfigurationProfile& configuration : study.configurations) {
    const std::string& name = configuration.configuration;
    if (configuration.pooled.counts.profiled_spans == 0) {
      without_profile.push_back(name);
    } else if (pooling == Pooling::configurations) {
      series.push_back(axes_of(name, configuration.pooled));
    } else {
      std::vector<figures::Series> runs;
      for (const rules::RunProfile& run : configuration.runs) runs.push_back(axes_of(run.run, run.profile));
      add_radars(figures, "radar-" + figure_file_name(name), std::move(runs),
                 radar_caption("the runs of " + printable(name), {}, study, set));
    }
  }
  add_radars(figures, "radar", std::move(series), radar_caption("configurations", without_profile, study, set));
  make_figure_names_unique(figures);
  return figures;
}

std::vector<Figure> variation_figures(const rules::StudyProfile& study, const JudgementSetRecord& set) {
  figures::SpreadChart chart;
  std::vector<std::string> without_profile;
  std::vector<const rules::ConfigurationProfile*> drawn;
  std::string runs;
  for (const rules::ConfigurationProfile& configuration : study.configurations) {
    if (configuration.pooled.counts.profiled_spans == 0) {
      without_profile.push_back(configuration.configuration);
      continue;
    }
    drawn.push_back(&configuration);
    chart.names.push_back(configuration.configuration);
    runs += fmt::format("{}{} {}", runs.empty() ? "" : ", ", printable(configuration.configuration),
                        configuration.runs.size());
  }
  if (drawn.empty()) return {};
  for (std::size_t a = 0; a < rules::kAxisCount; ++a) {
    const auto measure = static_cast<Measure>(a);
    figures::SpreadChart::Panel panel{
        fmt::format("{} (%){}", rules::info(measure).label, measure == Measure::harm ? ", lower is better" : ""),
        {},
        0.0};
    for (const rules::ConfigurationProfile* configuration : drawn) {
      figures::SpreadChart::Row row;
      for (const rules::RunProfile& run : configuration->runs)
        row.values.push_back(in_percent(run.profile.value(measure)));
      if (const auto& spread = configuration->spread(measure)) {
        row.mean = spread->mean * kInPercent;
        row.deviation = in_percent(spread->deviation);
      }
      panel.rows.push_back(std::move(row));
    }
    chart.panels.push_back(std::move(panel));
  }
  return {{"variation",
           fmt::format("Mean entry shares of every run (marks), their mean (line) and mean ± sample standard deviation "
                       "over runs (shaded, not below 0; needs two runs). Scales differ. Runs: {}.{} {}",
                       runs, left_out(without_profile, "without a profiled span"), provenance(study, set)),
           figures::Width::two_columns, std::nullopt, std::move(chart)}};
}

std::vector<Figure> effects_figures(const attribution::StudyFacts& study, const JudgementSetRecord& set,
                                    const std::vector<EpisodeSet>& sets) {
  figures::StackedChart chart;
  chart.parts = {"improved", "no effect", "harmed", "undetermined"};
  chart.axis_label = "acted-on entries (%)";
  std::vector<std::string> without_profile;
  for (const EpisodeSet& each : sets) {
    const UseSummary use = attribution::summarise_use(study, each.episodes);
    if (use.profiled_spans == 0) {
      without_profile.push_back(each.name);
      continue;
    }
    if (!attribution::effects_assessed(each.episodes, study.profile.assessed)) {
      chart.bars.push_back({each.name, {}, "not assessed"});
      continue;
    }
    chart.bars.push_back({each.name,
                          {use.improved, use.no_effect, use.harmed, use.undetermined},
                          fmt::format("n = {}", with_separators(use.acted_on))});
  }
  if (chart.bars.empty()) return {};
  return {{"effects",
           fmt::format("What came of the entries that were acted on (n); undetermined: the record does not settle the "
                       "effect.{} {}",
                       left_out(without_profile, "without a profiled span"), provenance(study.profile, set)),
           figures::Width::one_column, std::nullopt, std::move(chart)}};
}

std::vector<Figure> forms_figures(const attribution::StudyFacts& study, const JudgementSetRecord& set,
                                  const std::vector<EpisodeSet>& sets, figures::Scale scale) {
  std::vector<std::string> without_delivery;
  std::vector<figures::PairedChart::Group> groups;
  std::size_t not_drawn = 0;
  for (const EpisodeSet& each : sets) {
    figures::PairedChart::Group group = form_rows(study, each, not_drawn);
    if (group.rows.empty()) {
      without_delivery.push_back(each.name);
    } else {
      groups.push_back(std::move(group));
    }
  }
  const std::string caption = fmt::format(
      "Share of delivered tokens (restatements included) against the share of beneficial entries, by delivery form (H: "
      "placed by the host, A: asked for by the agent). Tokens count under each delivery's own form, entries under that "
      "of their span's target delivery. Right: beneficial entries of the form and of all forms. Forms without a "
      "beneficial entry and with less than 0.1 % of the tokens are counted but not drawn ({} here).{} {}",
      not_drawn, left_out(without_delivery, "nothing delivered"), provenance(study.profile, set));
  std::vector<Figure> figures;
  const auto parts = pages(std::move(groups));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    figures::PairedChart chart;
    chart.first_name = "delivered tokens";
    chart.second_name = "beneficial entries";
    chart.axis.label = "share (%)";
    chart.axis.scale = scale;
    if (scale == figures::Scale::linear) chart.axis.low = 0.0;
    chart.axis.high = kInPercent;
    chart.groups = parts[i];
    figures.push_back({parts.size() > 1 ? fmt::format("forms-{}", i + 1) : std::string("forms"), caption,
                       figures::Width::two_columns, std::nullopt, std::move(chart)});
  }
  return figures;
}

}  // namespace memuse::report
