#include "report/retrieval_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/decimals.h"
#include "report/exports.h"
#include "report/show_common.h"
#include "report/text_layout.h"

namespace memuse::report {
namespace {

using retrieval::CategorySummary;
using retrieval::CheckSummary;
using retrieval::ConfigurationSummary;
using retrieval::Depth;
using retrieval::DepthSummary;
using retrieval::GoldQuestion;
using retrieval::ScoredResult;

std::string depth_name(Depth depth) {
  return depth == 0 ? std::string("all") : std::to_string(depth);
}

Cell share(const std::optional<stats::Estimate>& estimate) {
  if (!estimate.has_value()) return Cell::missing();
  Cell cell = Cell::percent(estimate->value, kPercentDecimals);
  if (estimate->interval.has_value()) cell.interval = {estimate->interval->low, estimate->interval->high};
  return cell;
}

void add_cost(const retrieval::Cost& cost, std::vector<Cell>& cells) {
  cells.push_back(Cell::number(cost.tokens_p50, 0));
  cells.push_back(Cell::number(cost.tokens_p95, 0));
  cells.push_back(Cell::number(cost.latency_p50, 0));
  cells.push_back(Cell::number(cost.latency_p95, 0));
}

void add_cost_columns(Table& table) {
  table.columns.push_back({"tokens_p50", "Tokens p50"});
  table.columns.push_back({"tokens_p95", "Tokens p95"});
  table.columns.push_back({"latency_ms_p50", "ms p50"});
  table.columns.push_back({"latency_ms_p95", "ms p95"});
}

std::string category_name(const CategorySummary& category) {
  if (category.all) return "all, mean";
  return category.category.empty() ? "(no category)" : category.category;
}

std::string group_name(const ConfigurationSummary& configuration) {
  const std::size_t runs = configuration.runs.size();
  return runs > 1 ? fmt::format("{} ({} runs)", configuration.configuration, runs) : configuration.configuration;
}

void add_depth_rows(const ConfigurationSummary& configuration, const CategorySummary& category, Table& table) {
  const std::string group = group_name(configuration);
  for (const DepthSummary& depth : category.depths) {
    const std::string name = category_name(category);
    Row row{fmt::format("{}/{}@{}", configuration.configuration, name, depth_name(depth.depth)),
            group,
            {Cell::text(name), Cell::text(depth_name(depth.depth)), Cell::count(category.n), share(depth.precision),
             share(depth.recall), share(depth.f1)}};
    add_cost(category.cost, row.cells);
    table.rows.push_back(std::move(row));
  }
  if (!category.all) return;
  for (const DepthSummary& depth : category.depths) {
    Row row{fmt::format("{}/pooled@{}", configuration.configuration, depth_name(depth.depth)),
            group,
            {Cell::text("all, pooled"), Cell::text(depth_name(depth.depth)), Cell::count(category.n),
             Cell::percent(depth.micro_precision, kPercentDecimals),
             Cell::percent(depth.micro_recall, kPercentDecimals), Cell::percent(depth.micro_f1, kPercentDecimals)}};
    add_cost(category.cost, row.cells);
    table.rows.push_back(std::move(row));
  }
}

std::string interval_sentence(const RetrievalReport& report) {
  const stats::Resampling& resampling = report.options.resampling;
  if (resampling.resamples == 0) return " No intervals were asked for.";
  return fmt::format(
      " In brackets: {:g} % percentile bootstrap intervals over questions (a question with all its runs), {} "
      "resamples, "
      "seed {}; none for fewer than {} questions.",
      resampling.confidence * 100.0, with_separators(resampling.resamples), resampling.seed,
      retrieval::kFewestForInterval);
}

/// How many of the results say what they cost, over all configurations.
std::string cost_sentence(const RetrievalReport& report) {
  std::size_t results = 0;
  std::size_t tokens = 0;
  std::size_t estimated = 0;
  std::size_t latencies = 0;
  for (const ConfigurationSummary& configuration : report.configurations) {
    const CategorySummary& all = configuration.categories.back();
    results += all.n;
    tokens += all.cost.with_tokens;
    estimated += all.cost.tokens_estimated;
    latencies += all.cost.with_latency;
  }
  std::string text = fmt::format(
      " Tokens and latency (ms): median and 95th percentile (nearest rank) over the results that say them: {} of {} "
      "say "
      "tokens, {} latency.",
      with_separators(tokens), with_separators(results), with_separators(latencies));
  if (estimated > 0) {
    text += fmt::format(" The tokens of {} are estimated from the delivered text (utf8-bytes/4).",
                        with_separators(estimated));
  }
  return text;
}

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  return text;
}

std::string missing_sentences(const RetrievalReport& report) {
  std::string text;
  if (!report.without_result.empty()) {
    text += fmt::format(" {} of {} gold questions have no result and are left out: {}.", report.without_result.size(),
                        report.questions.size(), list(report.without_result));
  }
  for (const ConfigurationGap& gap : report.gaps) {
    text += fmt::format(" {} has no result for {} of them: {}. Its means are over other questions.", gap.configuration,
                        plural(gap.questions.size(), "question"), list(gap.questions));
  }
  if (!report.without_search.empty()) {
    text += fmt::format(" In {} episodes of gold questions no such search was made; they are left out: {}.",
                        report.without_search.size(), list(report.without_search));
  }
  if (!report.without_gold.empty()) {
    text += fmt::format(" Results of {} questions without gold are left out: {}.", report.without_gold.size(),
                        list(report.without_gold));
  }
  if (report.failed_searches > 0) {
    text += fmt::format(" {} failed searches count as having returned nothing.", report.failed_searches);
  }
  return text;
}

std::string phase_sentence(const RetrievalReport& report) {
  if (!report.phase_checked) return " Phase separation was not checked: nothing says what was ingested.";
  if (report.phase_questions == 0) return " Phase separation was not checked: no question's text is known.";
  std::vector<std::size_t> questions;
  for (const IngestedQuestion& one : report.ingested) questions.push_back(one.question);
  std::sort(questions.begin(), questions.end());
  questions.erase(std::unique(questions.begin(), questions.end()), questions.end());
  return fmt::format(
      " Phase separation: {} of {} questions with a known text stand in what was ingested before them{}.",
      questions.size(), report.phase_questions, questions.empty() ? "" : ", so that retrieval was not tested by them");
}

void add_check(const ConfigurationSummary& configuration, const char* key, const char* name, const CheckSummary& check,
               Table& table) {
  Row row{fmt::format("{}/{}", configuration.configuration, key),
          group_name(configuration),
          {Cell::text(name), Cell::count(check.n), Cell::count(check.unknown), share(check.share)}};
  add_cost(check.cost, row.cells);
  table.rows.push_back(std::move(row));
}

nlohmann::ordered_json optional_json(const std::optional<double>& value) {
  return value.has_value() ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json estimate_json(const std::optional<stats::Estimate>& estimate) {
  if (!estimate.has_value()) return nullptr;
  nlohmann::ordered_json json{{"value", estimate->value}, {"low", nullptr}, {"high", nullptr}};
  if (estimate->interval.has_value()) {
    json["low"] = estimate->interval->low;
    json["high"] = estimate->interval->high;
  }
  return json;
}

nlohmann::ordered_json cost_json(const retrieval::Cost& cost) {
  return {{"results_with_tokens", cost.with_tokens},          {"results_with_estimated_tokens", cost.tokens_estimated},
          {"tokens_p50", optional_json(cost.tokens_p50)},     {"tokens_p95", optional_json(cost.tokens_p95)},
          {"results_with_latency", cost.with_latency},        {"latency_ms_p50", optional_json(cost.latency_p50)},
          {"latency_ms_p95", optional_json(cost.latency_p95)}};
}

nlohmann::ordered_json depth_json(const DepthSummary& depth) {
  return {{"k", depth.depth == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(depth.depth)},
          {"precision", estimate_json(depth.precision)},
          {"recall", estimate_json(depth.recall)},
          {"f1", estimate_json(depth.f1)},
          {"micro_precision", optional_json(depth.micro_precision)},
          {"micro_recall", optional_json(depth.micro_recall)},
          {"micro_f1", optional_json(depth.micro_f1)}};
}

nlohmann::ordered_json category_json(const CategorySummary& category) {
  nlohmann::ordered_json json{{"category", category.category},
                              {"all", category.all},
                              {"results", category.n},
                              {"questions", category.questions},
                              {"depths", nlohmann::ordered_json::array()},
                              {"cost", cost_json(category.cost)}};
  for (const DepthSummary& depth : category.depths) json["depths"].push_back(depth_json(depth));
  return json;
}

nlohmann::ordered_json check_json(const CheckSummary& check) {
  return {{"right", check.right},
          {"n", check.n},
          {"unknown", check.unknown},
          {"share", estimate_json(check.share)},
          {"cost", cost_json(check.cost)}};
}

nlohmann::ordered_json configuration_json(const ConfigurationSummary& configuration) {
  nlohmann::ordered_json json{{"configuration", configuration.configuration},
                              {"runs", configuration.runs},
                              {"categories", nlohmann::ordered_json::array()},
                              {"abstention", check_json(configuration.abstention)},
                              {"newest_returned", check_json(configuration.newest_returned)},
                              {"newest_used", check_json(configuration.newest_used)},
                              {"stale_used", configuration.stale_used},
                              {"valid_returned", check_json(configuration.valid_returned)}};
  for (const CategorySummary& category : configuration.categories) {
    json["categories"].push_back(category_json(category));
  }
  return json;
}

nlohmann::ordered_json result_json(const RetrievalReport& report, const ScoredResult& scored) {
  const GoldQuestion& question = report.questions[scored.result.question];
  nlohmann::ordered_json json{
      {"configuration", scored.result.configuration},
      {"run", scored.result.run},
      {"episode",
       scored.result.episode.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(scored.result.episode)},
      {"question_id", question.id},
      {"search_id",
       question.search.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(question.search)},
      {"category", question.category},
      {"abstention", question.abstention},
      {"returned", nlohmann::ordered_json::array()},
      {"depths", nlohmann::ordered_json::array()},
      {"supersessions", nlohmann::ordered_json::array()},
      {"temporal", nullptr},
      {"tokens", optional_json(scored.result.tokens)},
      {"tokens_estimated", scored.result.tokens_estimated},
      {"latency_ms", optional_json(scored.result.latency_ms)}};
  for (const retrieval::Returned& one : scored.result.returned) {
    json["returned"].push_back({{"item", one.what.item},
                                {"version", one.what.version.empty() ? nlohmann::ordered_json(nullptr)
                                                                     : nlohmann::ordered_json(one.what.version)}});
  }
  for (std::size_t i = 0; i < scored.depths.size(); ++i) {
    const retrieval::DepthScore& score = scored.depths[i];
    const Depth depth = report.options.depths[i];
    json["depths"].push_back({{"k", depth == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(depth)},
                              {"returned", score.returned},
                              {"hits", score.hits},
                              {"relevant", score.relevant},
                              {"precision", score.precision},
                              {"recall", score.recall},
                              {"f1", score.f1}});
  }
  for (std::size_t i = 0; i < scored.facts.size(); ++i) {
    const retrieval::ValueUse use =
        i < scored.result.uses.size() ? scored.result.uses[i] : retrieval::ValueUse::unknown;
    json["supersessions"].push_back({{"returned", name(scored.facts[i])}, {"value_used", name(use)}});
  }
  if (scored.temporal.has_value()) json["temporal"] = name(*scored.temporal);
  return json;
}

/// One name for all cases of a result: the name itself, or how often each.
template <typename Values>
Cell named(const Values& values) {
  if (values.empty()) return Cell::missing();
  std::string text;
  for (const auto value : values) text += (text.empty() ? "" : ", ") + name(value);
  return Cell::text(text);
}

}  // namespace

Table retrieval_table(const RetrievalReport& report) {
  Table table;
  table.name = "retrieval";
  table.title = "Retrieval: precision, recall and F1 at k";
  table.columns = {{"category", "Category", Align::left},
                   {"k", "k"},
                   {"results", "n"},
                   {"precision", "Precision %"},
                   {"recall", "Recall %"},
                   {"f1", "F1 %"}};
  table.label_columns = 2;
  add_cost_columns(table);
  for (const ConfigurationSummary& configuration : report.configurations) {
    // Where nothing has a category, one row for "none" would repeat the one for all.
    const bool uncategorised =
        configuration.categories.size() == 2 && configuration.categories.front().category.empty();
    for (const CategorySummary& category : configuration.categories) {
      if (category.all || !uncategorised) add_depth_rows(configuration, category, table);
    }
  }
  table.caption =
      "Of the first k different items that were returned. Precision: relevant ones among them over those returned, 0 "
      "when nothing was. Recall: over all relevant ones. F1: their harmonic mean. Abstention items: precision 100 when "
      "nothing was returned, else 0; recall 100. Means over results (macro); pooled: from the sums of items (micro), "
      "what abstention items returned among them. n: results." +
      interval_sentence(report) + cost_sentence(report) + missing_sentences(report) + phase_sentence(report);
  return table;
}

Table retrieval_checks_table(const RetrievalReport& report) {
  Table table;
  table.name = "retrieval-checks";
  table.title = "Retrieval: abstention, supersession, time";
  table.columns = {{"check", "Check", Align::left}, {"n", "n"}, {"unknown", "Unknown"}, {"share", "Right %"}};
  add_cost_columns(table);
  std::size_t stale = 0;
  for (const ConfigurationSummary& configuration : report.configurations) {
    add_check(configuration, "abstention", "nothing returned (abstention)", configuration.abstention, table);
    add_check(configuration, "newest_returned", "newest version first", configuration.newest_returned, table);
    add_check(configuration, "newest_used", "newest version first and used", configuration.newest_used, table);
    add_check(configuration, "valid_returned", "version valid when asked", configuration.valid_returned, table);
    stale += configuration.stale_used;
  }
  table.caption =
      "n: abstention items; contradicted facts; questions about a time. Unknown: neither files nor trace tell; not in "
      "n. "
      "Newest first: before any superseded version, over all contradicted facts, returned or not. Used: an argument of "
      "an action after the search holds the newest value verbatim. Valid: of each relevant item the first returned "
      "version holds at the asked time, and at least one was returned." +
      (stale > 0 ? fmt::format(" Facts of which an action carries a superseded value and none the newest: {}.", stale)
                 : std::string()) +
      interval_sentence(report) + cost_sentence(report);
  return table;
}

Table phase_table(const RetrievalReport& report) {
  Table table;
  table.name = "phase-separation";
  table.title = "Questions that stand in what was ingested before them";
  table.columns = {{"question_id", "Question", Align::left},
                   {"configuration", "Configuration", Align::left},
                   {"run", "Run", Align::left},
                   {"place", "Place", Align::left},
                   {"order", "Order", Align::left}};
  for (const IngestedQuestion& one : report.ingested) {
    const std::string& id = report.questions[one.question].id;
    const auto text = [](const std::string& value) { return value.empty() ? Cell::missing() : Cell::text(value); };
    table.rows.push_back({fmt::format("{}/{}/{}", id, one.configuration, one.run),
                          "",
                          {Cell::text(id), text(one.configuration), text(one.run), Cell::text(one.place),
                           Cell::text(one.order_known ? "before" : "not recorded")}});
  }
  table.caption =
      "The whole question stands in the text (white space folded, case of ASCII letters ignored), so a search for it "
      "finds "
      "it by its own words: what was measured is not retrieval of the fact.";
  return table;
}

Table retrieval_questions_table(const RetrievalReport& report) {
  Table table;
  table.name = "retrieval-questions";
  table.title = "Retrieval, question by question";
  table.columns = {{"configuration", "Configuration", Align::left},
                   {"run", "Run", Align::left},
                   {"question_id", "Question", Align::left},
                   {"search_id", "Search", Align::left},
                   {"category", "Category", Align::left},
                   {"relevant", "Relevant"},
                   {"returned", "Returned"}};
  table.label_columns = 3;
  for (const Depth depth : report.options.depths) {
    const std::string k = depth_name(depth);
    table.columns.push_back({"precision@" + k, "P@" + k});
    table.columns.push_back({"recall@" + k, "R@" + k});
    table.columns.push_back({"f1@" + k, "F1@" + k});
  }
  table.columns.push_back({"newest_returned", "Contradicted facts", Align::left});
  table.columns.push_back({"value_used", "Value used", Align::left});
  table.columns.push_back({"temporal", "Time", Align::left});
  table.columns.push_back({"tokens", "Tokens"});
  table.columns.push_back({"latency_ms", "Latency (ms)"});
  for (const ScoredResult& scored : report.results) {
    const GoldQuestion& question = report.questions[scored.result.question];
    Row row{fmt::format("{}/{}/{}/{}", scored.result.configuration, scored.result.run, question.id, question.search),
            "",
            {Cell::text(scored.result.configuration), Cell::text(scored.result.run), Cell::text(question.id),
             question.search.empty() ? Cell::missing() : Cell::text(question.search),
             question.category.empty() ? Cell::missing() : Cell::text(question.category),
             Cell::count(question.relevant.size()), Cell::count(scored.result.returned.size())}};
    for (const retrieval::DepthScore& score : scored.depths) {
      row.cells.push_back(Cell::percent(score.precision, kPercentDecimals));
      row.cells.push_back(Cell::percent(score.recall, kPercentDecimals));
      row.cells.push_back(Cell::percent(score.f1, kPercentDecimals));
    }
    row.cells.push_back(named(scored.facts));
    row.cells.push_back(scored.facts.empty() ? Cell::missing() : named(scored.result.uses));
    row.cells.push_back(scored.temporal.has_value() ? Cell::text(name(*scored.temporal)) : Cell::missing());
    row.cells.push_back(Cell::number(scored.result.tokens, 0));
    row.cells.push_back(Cell::number(scored.result.latency_ms, 1));
    table.rows.push_back(std::move(row));
  }
  table.caption = "P, R, F1 in percent. Definitions stand below the summary.";
  return table;
}

nlohmann::ordered_json retrieval_json(const RetrievalReport& report, bool questions) {
  const stats::Resampling& resampling = report.options.resampling;
  Json json{{"gold_questions", report.questions.size()},
            {"results", report.results.size()},
            {"resampling",
             {{"method", "percentile bootstrap over questions"},
              {"resamples", resampling.resamples},
              {"seed", resampling.seed},
              {"confidence", resampling.confidence}}},
            {"configurations", Json::array()},
            {"phase_separation",
             {{"checked", report.phase_checked && report.phase_questions > 0},
              {"questions", report.phase_questions},
              {"found", Json::array()}}},
            {"questions_without_result", report.without_result},
            {"questions_without_result_by_configuration", Json::array()},
            {"questions_without_gold", report.without_gold},
            {"episodes_without_search", report.without_search},
            {"failed_searches", report.failed_searches}};
  for (const ConfigurationGap& gap : report.gaps) {
    json["questions_without_result_by_configuration"].push_back(
        {{"configuration", gap.configuration}, {"count", gap.questions.size()}, {"question_ids", gap.questions}});
  }
  for (const ConfigurationSummary& one : report.configurations)
    json["configurations"].push_back(configuration_json(one));
  for (const IngestedQuestion& one : report.ingested) {
    const auto text = [](const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); };
    json["phase_separation"]["found"].push_back({{"question_id", report.questions[one.question].id},
                                                 {"configuration", text(one.configuration)},
                                                 {"run", text(one.run)},
                                                 {"place", one.place},
                                                 {"order_known", one.order_known}});
  }
  if (questions) {
    json["question_results"] = Json::array();
    for (const ScoredResult& scored : report.results) json["question_results"].push_back(result_json(report, scored));
  }
  return json;
}

}  // namespace memuse::report
