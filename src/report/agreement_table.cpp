#include "report/agreement_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/show_common.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using agreement::Agreement;
using agreement::Estimated;
using agreement::JointAgreement;
using agreement::PairAgreement;
using agreement::SignalAgreement;

constexpr int kDecimals = 3;

Cell cell(const Estimated& estimated) {
  Cell cell = Cell::number(estimated.value, kDecimals);
  if (estimated.value && estimated.interval) {
    cell.interval = std::pair(estimated.interval->low, estimated.interval->high);
  }
  return cell;
}

std::string pair_name(const Agreement& agreement, const PairAgreement& pair) {
  return fmt::format("{} and {}", agreement.raters[pair.first].name, agreement.raters[pair.second].name);
}

void add_pair_rows(const Agreement& agreement, const PairAgreement& pair, Table& table) {
  const std::string group = pair_name(agreement, pair);
  for (const SignalAgreement& signal : pair.signals) {
    if (!signal.assessed) continue;
    const std::string name(agreement::scale(signal.signal).name);
    table.rows.push_back({group + ": " + name,
                          group,
                          {Cell::text(name), Cell::count(signal.n), cell(signal.agreement), cell(signal.kappa),
                           cell(signal.weighted_kappa), cell(signal.alpha)}});
  }
}

void add_joint_rows(const Agreement& agreement, Table& table) {
  const std::string group = fmt::format("All {} sets", agreement.raters.size());
  for (const JointAgreement& joint : agreement.joint) {
    if (joint.raters < 2) continue;
    const std::string name(agreement::scale(joint.signal).name);
    table.rows.push_back({group + ": " + name,
                          group,
                          {Cell::text(name), Cell::count(joint.n), Cell::missing(), Cell::missing(), Cell::missing(),
                           cell(joint.alpha)}});
  }
}

/// What was compared, in numbers.
std::string unit_sentences(const Agreement& agreement) {
  std::string text = "Units are entries with a credit window that both sets answered.";
  if (agreement.raters.size() > 2) text += " For all sets together: entries that at least two answered.";
  for (const PairAgreement& pair : agreement.pairs) {
    if (pair.only_first + pair.only_second == 0) continue;
    const auto alone = [&](std::uint64_t count, std::size_t rater) {
      return fmt::format("{} by {} alone", plural(count, "entry"), agreement.raters[rater].name);
    };
    text += fmt::format(" {}: {} answered by both, {}, {}.", pair_name(agreement, pair), with_separators(pair.both),
                        alone(pair.only_first, pair.first), alone(pair.only_second, pair.second));
  }
  return text;
}

std::string not_assessed_sentences(const Agreement& agreement) {
  std::string text;
  for (const agreement::Rater& rater : agreement.raters) {
    if (!rater.assesses_relevance || !rater.assesses_accuracy) {
      const char* what = rater.assesses_accuracy    ? "relevance"
                         : rater.assesses_relevance ? "accuracy"
                                                    : "relevance and accuracy";
      text += fmt::format(" {} does not assess {}: left out.", rater.name, what);
    }
    if (rater.effects_need_probe) {
      text += fmt::format(" {} assesses effects only in episodes with a probe: only their entries are compared.",
                          rater.name);
    }
  }
  return text;
}

std::string interval_sentence(const AgreementReport& report) {
  const stats::Resampling& resampling = report.resampling;
  if (resampling.resamples == 0) return " No intervals were asked for.";
  return fmt::format(" In brackets: {:g} % bootstrap intervals, {} resamples of whole episodes, seed {}.",
                     resampling.confidence * 100.0, with_separators(resampling.resamples), resampling.seed);
}

std::string sample_sentences(const AgreementReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.sets.size(); ++i) {
    const JudgementSetRecord& set = report.sets[i];
    if (set.sample) text += fmt::format(" {}:{}", report.agreement.raters[i].name, sample_sentence(set));
  }
  if (!text.empty()) text += " Entries count once each; the weights of the sample are not used.";
  return text;
}

std::string caption(const AgreementReport& report) {
  return unit_sentences(report.agreement) +
         " Agreement: share of equal labels. Kappa: Cohen's, null a category of its own. Weighted kappa: linear weights"
         " on none < referenced < selected < acted_on and harmed < no_effect < improved, entries with null left out."
         " Alpha: Krippendorff's, nominal, null a category of its own." +
         interval_sentence(report) + not_assessed_sentences(report.agreement) + sample_sentences(report) +
         " A dash: not defined. No set is taken for the truth.";
}

nlohmann::ordered_json json_of(const Estimated& estimated) {
  using Json = nlohmann::ordered_json;
  if (!estimated.value) return nullptr;
  Json json{{"value", *estimated.value}, {"low", nullptr}, {"high", nullptr}};
  if (estimated.interval) {
    json["low"] = estimated.interval->low;
    json["high"] = estimated.interval->high;
  }
  return json;
}

nlohmann::ordered_json matrix_json(const stats::ConfusionMatrix& matrix) {
  auto rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < matrix.categories(); ++i) {
    auto row = nlohmann::ordered_json::array();
    for (std::size_t j = 0; j < matrix.categories(); ++j) {
      row.push_back(static_cast<std::uint64_t>(matrix.count(i, j)));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

nlohmann::ordered_json signal_json(const SignalAgreement& signal) {
  const agreement::SignalScale& scale = agreement::scale(signal.signal);
  nlohmann::ordered_json json{{"signal", scale.name}, {"assessed", signal.assessed}};
  if (!signal.assessed) return json;
  json["n"] = signal.n;
  json["episodes"] = signal.episodes;
  json["agreement"] = json_of(signal.agreement);
  json["kappa"] = json_of(signal.kappa);
  json["weighted_kappa"] = json_of(signal.weighted_kappa);
  json["alpha"] = json_of(signal.alpha);
  json["ordinal_alpha"] = json_of(signal.ordinal_alpha);
  json["categories"] = scale.categories;
  json["confusion"] = matrix_json(signal.confusion);
  return json;
}

nlohmann::ordered_json pair_json(const Agreement& agreement, const PairAgreement& pair) {
  nlohmann::ordered_json json{{"first", agreement.raters[pair.first].name},
                              {"second", agreement.raters[pair.second].name},
                              {"both", pair.both},
                              {"only_first", pair.only_first},
                              {"only_second", pair.only_second},
                              {"signals", nlohmann::ordered_json::array()}};
  for (const SignalAgreement& signal : pair.signals) json["signals"].push_back(signal_json(signal));
  return json;
}

nlohmann::ordered_json set_json(const AgreementReport& report, std::size_t index) {
  const JudgementSetRecord& set = report.sets[index];
  nlohmann::ordered_json json{
      {"name", report.agreement.raters[index].name}, {"id", set.id},     {"judge", set.judge}, {"rules", set.rules},
      {"entries", report.agreement.answered[index]}, {"sample", nullptr}};
  if (set.sample) {
    json["sample"] = {{"size", set.sample->size}, {"seed", set.sample->seed}, {"population", set.sample->population}};
  }
  return json;
}

}  // namespace

Table agreement_table(const AgreementReport& report) {
  Table table;
  table.name = "agreement";
  table.title = "Agreement between judgement sets";
  table.columns = {{"signal", "Signal", Align::left},    {"n", "n"},
                   {"agreement", "Agreement"},           {"kappa", "Kappa"},
                   {"weighted_kappa", "Weighted kappa"}, {"alpha", "Alpha"}};
  if (!report.agreement.joint.empty()) add_joint_rows(report.agreement, table);
  for (const PairAgreement& pair : report.agreement.pairs) add_pair_rows(report.agreement, pair, table);
  table.caption = caption(report);
  return table;
}

std::vector<Table> confusion_tables(const AgreementReport& report) {
  std::vector<Table> tables;
  for (const PairAgreement& pair : report.agreement.pairs) {
    for (const SignalAgreement& signal : pair.signals) {
      if (signal.n == 0) continue;
      const agreement::SignalScale& scale = agreement::scale(signal.signal);
      Table table;
      table.name = fmt::format("confusion-{}", scale.name);
      table.title = fmt::format("{}: {} (down) and {} (across)", scale.name, report.agreement.raters[pair.first].name,
                                report.agreement.raters[pair.second].name);
      table.columns.push_back({"label", "", Align::left});
      for (const std::string_view category : scale.categories) {
        table.columns.push_back({std::string(category), std::string(category)});
      }
      for (std::size_t i = 0; i < scale.categories.size(); ++i) {
        Row row{std::string(scale.categories[i]), "", {Cell::text(std::string(scale.categories[i]))}};
        for (std::size_t j = 0; j < scale.categories.size(); ++j) {
          row.cells.push_back(Cell::count(static_cast<std::uint64_t>(signal.confusion.count(i, j))));
        }
        table.rows.push_back(std::move(row));
      }
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

nlohmann::ordered_json agreement_json(const AgreementReport& report) {
  const Agreement& agreement = report.agreement;
  using Json = nlohmann::ordered_json;
  Json json{{"sets", Json::array()}, {"pairs", Json::array()}, {"all", Json::array()}};
  for (std::size_t i = 0; i < report.sets.size(); ++i) json["sets"].push_back(set_json(report, i));
  for (const PairAgreement& pair : agreement.pairs) json["pairs"].push_back(pair_json(agreement, pair));
  for (const JointAgreement& joint : agreement.joint) {
    json["all"].push_back({{"signal", agreement::scale(joint.signal).name},
                           {"sets", joint.raters},
                           {"n", joint.n},
                           {"episodes", joint.episodes},
                           {"alpha", json_of(joint.alpha)},
                           {"ordinal_alpha", json_of(joint.ordinal_alpha)}});
  }
  json["bootstrap"] = {{"unit", "episode"},
                       {"resamples", report.resampling.resamples},
                       {"seed", report.resampling.seed},
                       {"confidence", report.resampling.confidence},
                       {"method", "percentile"}};
  json["weights_used"] = false;
  return json;
}

std::string agreement_sentence(const JudgementSetRecord& set) {
  std::string text;
  const auto kappa = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.2f}", *value) : std::string("not defined");
  };
  for (const KnownAgreement& known : set.agreements) {
    text += fmt::format(" Agreement with {} on {}: influence kappa {}, effect kappa {}.", known.with,
                        plural(known.entries, "entry"), kappa(known.influence_kappa), kappa(known.effect_kappa));
  }
  return text;
}

std::string sample_sentence(const JudgementSetRecord& set) {
  if (!set.sample) return {};
  return fmt::format(" partial: {} of {} spans (a sample with seed {}).", with_separators(set.sample_answered),
                     with_separators(set.sample->population), set.sample->seed);
}

}  // namespace memuse::report
