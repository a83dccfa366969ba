#include "report/exports.h"

#include <fmt/format.h>

#include <ostream>
#include <tuple>

#include "model/csv.h"
#include "model/version.h"

namespace memuse::report {
namespace {

template <typename Enum>
Json name_or_null(std::optional<Enum> value) {
  return value ? Json(name(*value)) : Json(nullptr);
}

std::string span_name(std::uint32_t number) {
  return fmt::format("S{}", number);
}

/// Where a row belongs: the first columns of every kind but spans, whose order trace-format.md fixes.
void put_place(const EpisodeRecord& episode, Json& row) {
  row["configuration"] = episode.configuration;
  row["run"] = episode.run;
  row["episode"] = episode.episode;
  row["task_id"] = episode.task_id;
  row["position"] = or_null(episode.position);
}

Json span_row(const EpisodeRecord& episode, const SpanRecord& span, const std::string& judge) {
  Json row;
  row["configuration"] = episode.configuration;
  row["run"] = episode.run;
  row["episode"] = episode.episode;
  row["span"] = span_name(span.number);
  row["first_step"] = span.first_step;
  row["last_step"] = span.last_step;
  row["routing"] = name(span.routing);
  row["status"] = name(span.status);
  row["verdict"] = name_or_null(span.verdict);
  row["deliveries"] = Json::array();
  for (const DeliveryRecord& delivery : span.deliveries) {
    Json one;
    one["delivery"] = delivery.delivery;
    one["step"] = delivery.step;
    one["restatement"] = delivery.restatement;
    one["route"] = delivery.route;
    one["form"] = delivery.form;
    one["tokens"] = or_null(delivery.recorded_tokens);
    row["deliveries"].push_back(std::move(one));
  }
  row["entries"] = Json::array();
  for (const EntryRecord& entry : span.entries) {
    Json one;
    one["entry"] = entry.entry;
    one["item"] = or_null(entry.item);
    one["version"] = or_null(entry.version);
    one["window"] = entry.window ? Json{entry.window->first, entry.window->last} : Json(nullptr);
    one["text_sha256"] = entry.text_sha256;
    one["labels"] = entry.answer ? labels_json(*entry.answer, judge) : Json(nullptr);
    row["entries"].push_back(std::move(one));
  }
  row["task_id"] = episode.task_id;
  row["position"] = or_null(episode.position);
  row["retained"] = episode.retained;
  row["unresolved_reason"] = or_null(span.unresolved_reason);
  return row;
}

Json entry_row(const EpisodeRecord& episode, const SpanRecord& span, const EntryRecord& entry,
               const std::string& judge) {
  Json row;
  put_place(episode, row);
  row["span"] = span_name(span.number);
  row["routing"] = name(span.routing);
  row["status"] = name(span.status);
  row["verdict"] = name_or_null(span.verdict);
  row["entry"] = entry.entry;
  row["item"] = or_null(entry.item);
  row["version"] = or_null(entry.version);
  row["window_first"] = entry.window ? Json(entry.window->first) : Json(nullptr);
  row["window_last"] = entry.window ? Json(entry.window->last) : Json(nullptr);
  row["text_sha256"] = entry.text_sha256;
  row["text"] = entry.text;
  row["identifiers"] = entry.identifiers;
  const Labels labels = entry.answer ? entry.answer->labels : Labels{};
  row["relevance"] = or_null(labels.relevance);
  row["accuracy"] = name_or_null(labels.accuracy);
  row["novelty"] = name_or_null(labels.novelty);
  row["influence"] = name_or_null(labels.influence);
  row["effect"] = name_or_null(labels.effect);
  row["anchors"] = entry.answer ? Json(entry.answer->anchors) : Json(nullptr);
  row["evidence"] = entry.answer ? evidence_json(entry.answer->evidence) : Json(nullptr);
  row["reason"] = entry.answer ? Json(entry.answer->reason) : Json(nullptr);
  row["judge"] = entry.answer ? Json(judge) : Json(nullptr);
  return row;
}

Json delivery_row(const EpisodeRecord& episode, const DeliveryRecord& delivery) {
  Json row;
  put_place(episode, row);
  row["delivery"] = delivery.delivery;
  row["step"] = delivery.step == 0 ? Json(nullptr) : Json(delivery.step);
  row["consumed"] = delivery.consumed;
  row["unconsumed_reason"] = or_null(delivery.unconsumed_reason);
  row["span"] = delivery.span == 0 ? Json(nullptr) : Json(span_name(delivery.span));
  row["restatement"] = delivery.restatement;
  row["route"] = delivery.route;
  row["form"] = delivery.form;
  row["entries"] = delivery.entries;
  row["placed_bytes"] = delivery.placed_bytes;
  row["recorded_tokens"] = or_null(delivery.recorded_tokens);
  row["estimated_tokens"] = delivery.estimated_tokens;
  return row;
}

void put_calls(const char* prefix, const CallTotals& calls, Json& row) {
  const auto key = [prefix](const char* rest) { return fmt::format("{}_{}", prefix, rest); };
  row[key("calls")] = calls.calls;
  row[key("input_tokens")] = calls.input_tokens;
  row[key("cached_input_tokens")] = calls.cached_input_tokens;
  row[key("output_tokens")] = calls.output_tokens;
  row[key("calls_without_tokens")] = calls.calls_without_tokens;
  row[key("cost_usd")] = calls.cost_usd;
  row[key("calls_without_cost")] = calls.calls_without_cost;
}

Json episode_row(const EpisodeSpansRecord& record) {
  const EpisodeRecord& episode = record.episode;
  const rules::Counts counts = rules::counts_of(record);
  Json row;
  put_place(episode, row);
  row["uid"] = episode.uid;
  row["store"] = episode.store;
  row["repo"] = episode.repo;
  row["domain"] = episode.domain;
  row["group"] = episode.group;
  row["tier"] = episode.tier;
  row["model"] = episode.model;
  row["seed"] = episode.seed;
  row["condition"] = episode.condition;
  row["visibility"] = episode.visibility;
  row["delivery_grade"] = episode.delivery_grade;
  row["resolved"] = or_null(episode.resolved);
  row["reward"] = or_null(episode.reward);
  row["outcome_source"] = or_null(episode.outcome_source);
  row["merit_utilized"] = or_null(episode.memory_utilized);
  row["merit_utilized_recomputed"] = or_null(episode.memory_utilized_recomputed);
  row["retained"] = episode.retained;
  row["finalised"] = episode.finalised;
  row["steps"] = episode.steps;
  row["deliveries"] = counts.deliveries;
  row["restatements"] = counts.restatements;
  row["unconsumed"] = counts.unconsumed;
  row["estimated_tokens"] = counts.estimated_tokens;
  row["spans"] = counts.spans();
  row["judged_spans"] = counts.profiled_spans;
  row["automatic_spans"] = counts.automatic_spans;
  row["empty_spans"] = counts.empty_spans;
  row["unresolved_spans"] = counts.unresolved_spans;
  row["not_judged_spans"] = counts.not_judged_spans;
  row["beneficial_entries"] = counts.beneficial_entries;
  row["harmful_entries"] = counts.harmful_entries;
  row["unowned_entry_steps"] = episode.unowned_entry_steps;
  put_calls("agent", episode.agent, row);
  put_calls("side", episode.side, row);
  row["agent_seconds"] = or_null(episode.agent_seconds);
  row["delivery_rules"] = or_null(episode.delivery_rules);
  row["source_path"] = episode.source_path;
  row["source_format"] = episode.source_format;
  row["source_format_version"] = episode.source_format_version;
  row["source_sha256"] = episode.source_sha256;
  row["source_line"] = episode.source_line;
  row["source_byte_begin"] = episode.source_byte_begin;
  row["source_byte_end"] = episode.source_byte_end;
  return row;
}

Json profile_row(const rules::StudyProfile& study, const std::string& configuration, Json run, std::size_t runs,
                 const rules::Profile& profile, const std::string& judge) {
  const rules::Counts& counts = profile.counts;
  Json row;
  row["configuration"] = configuration;
  row["run"] = std::move(run);
  row["runs"] = runs;
  for (const rules::MeasureInfo& measure : rules::measures()) {
    row[std::string(measure.key)] = or_null(profile.value(measure.measure));
  }
  row["episodes"] = counts.episodes;
  row["attempts_set_aside"] = counts.attempts_set_aside;
  row["attempts_set_aside_cost_usd"] = or_null(counts.attempts_set_aside_cost.known());
  row["agent_cost_usd"] = or_null(counts.agent_cost.known());
  row["side_cost_usd"] = or_null(counts.side_cost.known());
  row["calls_without_cost"] = counts.agent_cost.calls_without_cost + counts.side_cost.calls_without_cost;
  row["resolved_episodes"] = counts.resolved;
  row["without_result"] = counts.without_result;
  row["episodes_not_recorded"] = counts.episodes_of(DeliveryGrade::not_recorded);
  row["episodes_with_delivery"] = counts.episodes_with_delivery;
  row["episodes_with_profiled_span"] = counts.episodes_with_profiled_span;
  row["recurring_items"] = counts.recurring_items;
  row["deliveries"] = counts.deliveries;
  row["restatements"] = counts.restatements;
  row["unconsumed"] = counts.unconsumed;
  row["delivered_tokens"] = counts.tokens(study.estimator);
  row["token_estimator"] = name(study.estimator);
  row["profiled_spans"] = counts.profiled_spans;
  row["automatic_spans"] = counts.automatic_spans;
  row["empty_spans"] = counts.empty_spans;
  row["unresolved_spans"] = counts.unresolved_spans;
  row["not_judged_spans"] = counts.not_judged_spans;
  for (const Verdict verdict :
       {Verdict::mixed, Verdict::beneficial, Verdict::harmful, Verdict::undetermined, Verdict::neutral}) {
    row[fmt::format("verdict_{}", name(verdict))] = counts.verdict_count(verdict);
  }
  row["entries"] = counts.entries;
  row["assessed_entries"] = counts.assessed_entries;
  row["beneficial_entries"] = counts.beneficial_entries;
  row["harmful_entries"] = counts.harmful_entries;
  row["judge"] = or_null(judge);
  row["rules"] = kRuleSet;
  return row;
}

std::vector<std::string> keys_of(const Json& row) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : row.items()) keys.push_back(key);
  return keys;
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return csv_text(value.get_ref<const std::string&>());
  if (value.is_number_float()) return csv_number(value.get<double>());
  if (value.is_structured()) return csv_text(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  return value.dump();
}

}  // namespace

Json labels_json(const EntryAnswer& answer, const std::string& judge) {
  Json json;
  json["relevance"] = or_null(answer.labels.relevance);
  json["accuracy"] = name_or_null(answer.labels.accuracy);
  json["novelty"] = name_or_null(answer.labels.novelty);
  json["influence"] = name_or_null(answer.labels.influence);
  json["effect"] = name_or_null(answer.labels.effect);
  json["anchors"] = answer.anchors;
  json["judge"] = judge;
  return json;
}

Json evidence_json(const std::vector<Evidence>& evidence) {
  Json list = Json::array();
  for (const Evidence& piece : evidence) {
    Json one;
    one["step"] = or_null(piece.step);
    one["file"] = or_null(piece.file);
    one["quote"] = piece.quote;
    one["supports"] = piece.supports;
    one["value"] = or_null(piece.value);
    list.push_back(std::move(one));
  }
  return list;
}

std::optional<ExportKind> parse_export_kind(std::string_view name) {
  if (name == "spans") return ExportKind::spans;
  if (name == "entries") return ExportKind::entries;
  if (name == "deliveries") return ExportKind::deliveries;
  if (name == "episodes") return ExportKind::episodes;
  return std::nullopt;
}

std::optional<ExportFormat> parse_export_format(std::string_view name) {
  if (name == "jsonl") return ExportFormat::jsonl;
  if (name == "csv") return ExportFormat::csv;
  return std::nullopt;
}

// The columns are read off a row of nothing, so that rows and headers can not drift apart.
const std::vector<std::string>& export_columns(ExportKind kind) {
  static const std::vector<std::string> kSpans = keys_of(span_row({}, {}, ""));
  static const std::vector<std::string> kEntries = keys_of(entry_row({}, {}, {}, ""));
  static const std::vector<std::string> kDeliveries = keys_of(delivery_row({}, {}));
  static const std::vector<std::string> kEpisodes = keys_of(episode_row({}));
  switch (kind) {
    case ExportKind::spans:
      return kSpans;
    case ExportKind::entries:
      return kEntries;
    case ExportKind::deliveries:
      return kDeliveries;
    case ExportKind::episodes:
      break;
  }
  return kEpisodes;
}

const std::vector<std::string>& profile_columns_exported() {
  static const std::vector<std::string> kColumns = keys_of(profile_row({}, "", nullptr, 0, {}, ""));
  return kColumns;
}

std::vector<Json> export_rows(ExportKind kind, const EpisodeSpansRecord& record, const std::string& judge) {
  std::vector<Json> rows;
  if (kind == ExportKind::episodes) {
    rows.push_back(episode_row(record));
    return rows;
  }
  for (const SpanRecord& span : record.spans) {
    if (kind == ExportKind::spans) rows.push_back(span_row(record.episode, span, judge));
    if (kind == ExportKind::entries) {
      for (const EntryRecord& entry : span.entries) rows.push_back(entry_row(record.episode, span, entry, judge));
    }
    if (kind == ExportKind::deliveries) {
      for (const DeliveryRecord& delivery : span.deliveries) rows.push_back(delivery_row(record.episode, delivery));
    }
  }
  if (kind == ExportKind::deliveries) {
    for (const DeliveryRecord& delivery : record.unconsumed) rows.push_back(delivery_row(record.episode, delivery));
  }
  return rows;
}

std::vector<Json> profile_rows(const rules::StudyProfile& study, const std::string& judge) {
  std::vector<Json> rows;
  for (const auto& configuration : study.configurations) {
    rows.push_back(profile_row(study, configuration.configuration, nullptr, configuration.runs.size(),
                               configuration.pooled, judge));
    for (const auto& run : configuration.runs) {
      rows.push_back(profile_row(study, configuration.configuration, run.run, 1, run.profile, judge));
    }
  }
  return rows;
}

bool export_before(const EpisodeRecord& a, const EpisodeRecord& b) {
  const auto key = [](const EpisodeRecord& episode) {
    return std::make_tuple(std::string_view(episode.configuration), std::string_view(episode.run),
                           !episode.position.has_value(), episode.position.value_or(0),
                           std::string_view(episode.episode));
  };
  return key(a) < key(b);
}

RowWriter::RowWriter(std::ostream& out, ExportFormat format, std::vector<std::string> columns)
    : out_(out), format_(format), columns_(std::move(columns)) {
  if (format_ != ExportFormat::csv) return;
  for (std::size_t i = 0; i < columns_.size(); ++i) out_ << (i == 0 ? "" : ",") << csv_text(columns_[i]);
  out_ << "\r\n";
}

void RowWriter::write(const Json& row) {
  if (format_ == ExportFormat::jsonl) {
    out_ << row.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    return;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) out_ << (i == 0 ? "" : ",") << csv_cell(row.at(columns_[i]));
  out_ << "\r\n";
}

ExportWriter::ExportWriter(std::ostream& out, ExportKind kind, ExportFormat format, std::string judge)
    : kind_(kind), judge_(std::move(judge)), rows_(out, format, export_columns(kind)) {}

void ExportWriter::add(const EpisodeSpansRecord& record) {
  for (const Json& row : export_rows(kind_, record, judge_)) rows_.write(row);
}

void write_profiles(std::ostream& out, const rules::StudyProfile& study, const std::string& judge,
                    ExportFormat format) {
  RowWriter rows(out, format, profile_columns_exported());
  for (const Json& row : profile_rows(study, judge)) rows.write(row);
}

}  // namespace memuse::report
