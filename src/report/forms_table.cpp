#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attribution/summaries.h"
#include "model/error.h"
#include "model/text.h"
#include "report/episode_columns.h"
#include "report/profile_columns.h"
#include "report/tables.h"

namespace memuse::report {
namespace {

using attribution::EpisodeFacts;
using attribution::FormFacts;
using attribution::FormSummary;
using attribution::Quantity;
using attribution::StudyFacts;

constexpr std::size_t kSharesPerForm = 4;

std::string route_letter(const std::string& route) {
  if (route == "host") return "H";
  if (route == "agent") return "A";
  return route;
}

/// A number of the form in an episode; 0 where it was not delivered.
Quantity form_quantity(const StudyFacts& study, std::uint32_t form, std::function<double(const FormFacts&)> number) {
  return [&study, form, number = std::move(number)](const EpisodeFacts& facts) {
    for (const FormFacts& delivered : study.forms_of(facts)) {
      if (delivered.form == form) return number(delivered);
    }
    return 0.0;
  };
}

/// Share of tokens, share of beneficial entries, relevant and acted-on rates.
std::vector<attribution::Ratio> form_ratios(const StudyFacts& study, std::uint32_t form) {
  const rules::TokenEstimator estimator = study.profile.estimator;
  const auto of_form = [&study, form](std::uint32_t FormFacts::*member) {
    return form_quantity(study, form, [member](const FormFacts& f) { return static_cast<double>(f.*member); });
  };
  attribution::Ratio tokens;
  tokens.numerator =
      form_quantity(study, form, [estimator](const FormFacts& f) { return static_cast<double>(f.tokens(estimator)); });
  tokens.denominator = [estimator](const EpisodeFacts& facts) { return static_cast<double>(facts.tokens(estimator)); };
  tokens.events = of_form(&FormFacts::deliveries);
  const Quantity beneficial = [](const EpisodeFacts& facts) { return static_cast<double>(facts.beneficial()); };
  return {tokens, attribution::share_ratio(of_form(&FormFacts::beneficial), beneficial),
          attribution::share_ratio(of_form(&FormFacts::relevant), of_form(&FormFacts::assessed)),
          attribution::share_ratio(of_form(&FormFacts::acted_on), of_form(&FormFacts::assessed))};
}

class FormsTable {
 public:
  FormsTable(const StudyFacts& study, const TableOptions& options)
      : study_(study), resampling_(optional_resampling(options)) {
    table_.name = "forms";
    table_.title = "Delivery forms";
    table_.columns = {
        {"form", "Form", Align::left, 32}, {"route", "Route", Align::left},   {"deliveries", "Deliveries"},
        {"token_share", "Tokens %"},       {"beneficial_share", "Benefit %"}, {"assessed", "Entries"},
        {"relevant_rate", "Relevant %"},   {"acted_on_rate", "Acted on %"},   {"harmful", "Harmful"}};
    for (const EpisodeColumn& group : groups(options)) add_group(group);
  }

  Table take() { return std::move(table_); }

 private:
  /// The named groups, then the configurations that are in none of them.
  std::vector<EpisodeColumn> groups(const TableOptions& options) {
    std::vector<EpisodeColumn> all;
    std::vector<std::string> grouped;
    for (const ConfigurationGroup& group : options.groups) {
      attribution::Episodes episodes;
      for (const std::string& configuration : group.configurations) {
        const auto of_one = attribution::episodes_of(study_, configuration);
        episodes.insert(episodes.end(), of_one.begin(), of_one.end());
        grouped.push_back(configuration);
      }
      all.push_back(episode_column(study_, group.name, group.name, std::move(episodes)));
    }
    for (EpisodeColumn& column : episode_columns(study_, options.pooling)) {
      if (std::find(grouped.begin(), grouped.end(), column.configuration) == grouped.end()) {
        all.push_back(std::move(column));
      }
    }
    return all;
  }

  void add_group(const EpisodeColumn& group) {
    const std::vector<FormSummary> forms = attribution::summarise_forms(study_, group.episodes);
    std::uint64_t tokens = 0;
    std::uint64_t beneficial = 0;
    std::vector<attribution::Ratio> ratios;
    for (const FormSummary& form : forms) {
      tokens += form.tokens;
      beneficial += form.beneficial;
      for (attribution::Ratio& ratio : form_ratios(study_, form.form)) ratios.push_back(std::move(ratio));
    }
    std::vector<attribution::RatioEstimate> estimates;
    if (resampling_.resamples > 0) estimates = attribution::estimate(group.episodes, ratios, resampling_);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      add_form(group, forms[i], tokens, beneficial,
               std::span(estimates).subspan(estimates.empty() ? 0 : i * kSharesPerForm,
                                            estimates.empty() ? 0 : kSharesPerForm));
    }
  }

  void add_form(const EpisodeColumn& group, const FormSummary& form, std::uint64_t tokens, std::uint64_t beneficial,
                std::span<const attribution::RatioEstimate> estimates) {
    const bool is_judged = group.profiled_spans > 0;
    const bool has_effects = is_judged && group.with_effects;
    const bool has_relevance = is_judged && study_.profile.assessed.relevance;
    const attribution::DeliveryForm& name = study_.forms[form.form];
    const auto share = [&](bool is_known, std::uint64_t part, std::uint64_t whole, std::size_t estimate) {
      if (!is_known) return Cell::missing();
      const Cell cell = Cell::percent(share_of(part, whole));
      return estimates.empty() ? cell : with_interval(table_, cell, estimates[estimate]);
    };
    Row row{name.form + "/" + name.route, group.name, {Cell::text(name.form), Cell::text(route_letter(name.route))}};
    row.cells.push_back(Cell::count(form.deliveries));
    row.cells.push_back(share(true, form.tokens, tokens, 0));
    row.cells.push_back(share(has_effects, form.beneficial, beneficial, 1));
    row.cells.push_back(is_judged ? Cell::count(form.assessed) : Cell::missing());
    row.cells.push_back(share(has_relevance, form.relevant, form.assessed, 2));
    row.cells.push_back(share(is_judged, form.acted_on, form.assessed, 3));
    row.cells.push_back(has_effects ? Cell::count(form.harmful) : Cell::missing());
    table_.rows.push_back(std::move(row));
  }

  const StudyFacts& study_;
  stats::Resampling resampling_;
  Table table_;
};

std::string group_words(const TableOptions& options) {
  std::string words;
  for (const ConfigurationGroup& group : options.groups) {
    std::string members;
    for (const std::string& name : group.configurations) members += (members.empty() ? "" : ", ") + name;
    words += fmt::format(" {}: {}.", group.name, members);
  }
  return words;
}

}  // namespace

Table forms_table(const StudyFacts& study, const JudgementSetRecord& set, const TableOptions& options) {
  Table table = FormsTable(study, options).take();
  table.caption = fmt::format(
      "Route: H, placed by the harness; A, asked for by the agent. Deliveries and tokens: restatements and spans "
      "without a profile included; tokens count under each delivery's own form. Benefit: share of the beneficial "
      "entries; an entry's form is that of its span's first delivery. Entries: those that the judge answered; "
      "relevant and acted on: rates over these. Harmful: entries acted on that harmed.{}{} {} {} A dash: not assessed, "
      "or nothing to compute it from.",
      group_words(options), interval_words(study, options),
      sample_sizes(profile_columns(study.profile, Pooling::configurations)), provenance(study.profile, set));
  return table;
}

}  // namespace memuse::report
