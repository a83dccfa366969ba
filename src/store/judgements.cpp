#include "store/judgements.h"

#include <fmt/format.h>

#include "model/error.h"
#include "model/text.h"
#include "store/json_text.h"

namespace memuse::store {
namespace {

constexpr std::size_t kBatchRows = 5000;
constexpr std::chrono::milliseconds kBatchTime{1000};

template <typename Enum>
std::optional<std::string_view> name_or_null(const std::optional<Enum>& value) {
  return value ? std::optional(name(*value)) : std::nullopt;
}

}  // namespace

JudgementWriter::JudgementWriter(Database& database, Durability durability)
    : connection_(database.connection()),
      durability_(durability),
      find_set_(connection_, "SELECT id FROM judgement_set WHERE judge = ? AND rules = ? AND settings = ?"),
      find_(connection_,
            "SELECT j.verdict IS NOT NULL FROM judgement AS j JOIN episode AS e ON e.id = j.episode_id"
            " WHERE e.uid = ? AND j.span = ? AND j.set_id = ?"),
      find_span_(connection_,
                 "SELECT s.episode_id FROM span AS s JOIN episode AS e ON e.id = s.episode_id"
                 " WHERE e.uid = ? AND s.span = ?"),
      remove_(connection_, "DELETE FROM judgement WHERE episode_id = ? AND span = ? AND set_id = ?"),
      judgement_(
          connection_,
          "INSERT INTO judgement (episode_id, span, set_id, verdict, unresolved_reason, basis, calls, input_tokens,"
          " cached_input_tokens, output_tokens, calls_without_tokens, cost_usd, calls_without_cost)"
          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      entry_(connection_,
             "INSERT INTO judged_entry (episode_id, span, set_id, entry, relevance, accuracy, novelty, influence,"
             " effect, first_anchor, answer) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      details_(connection_,
               "INSERT INTO judgement_record (episode_id, span, set_id, returned_model, refused_answers, ledger, calls)"
               " VALUES (?, ?, ?, ?, ?, ?, ?)"),
      abandoned_(connection_,
                 "INSERT INTO abandoned_judging (episode_id, span, set_id, reason, calls, input_tokens,"
                 " cached_input_tokens, output_tokens, calls_without_tokens, cost_usd, calls_without_cost)"
                 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET reason = excluded.reason,"
                 " calls = calls + excluded.calls, input_tokens = input_tokens + excluded.input_tokens,"
                 " cached_input_tokens = cached_input_tokens + excluded.cached_input_tokens,"
                 " output_tokens = output_tokens + excluded.output_tokens,"
                 " calls_without_tokens = calls_without_tokens + excluded.calls_without_tokens,"
                 " cost_usd = cost_usd + excluded.cost_usd,"
                 " calls_without_cost = calls_without_cost + excluded.calls_without_cost") {
  connection_.execute(durability == Durability::each_answer ? "PRAGMA synchronous = FULL"
                                                            : "PRAGMA synchronous = NORMAL");
}

JudgementWriter::~JudgementWriter() = default;

std::int64_t JudgementWriter::open_judgement_set(std::string_view judge, std::string_view rules,
                                                 std::string_view settings, bool assesses_relevance,
                                                 bool assesses_accuracy, bool effects_need_probe) {
  begin();
  Statement(connection_,
            "INSERT INTO judgement_set (judge, rules, settings, assesses_relevance, assesses_accuracy,"
            " effects_need_probe) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .run(judge, rules, settings, assesses_relevance, assesses_accuracy, effects_need_probe);
  find_set_.bind(judge, rules, settings).step();
  const std::int64_t id = find_set_.integer(0);
  find_set_.reset();
  flush();
  return id;
}

bool JudgementWriter::has_answer(std::int64_t set, std::string_view uid, std::uint32_t span) {
  const bool found = find_.bind(uid, span, set).step() && find_.boolean(0);
  find_.reset();
  return found;
}

bool JudgementWriter::is_unresolved(std::int64_t set, std::string_view uid, std::uint32_t span) {
  const bool found = find_.bind(uid, span, set).step() && !find_.boolean(0);
  find_.reset();
  return found;
}

void JudgementWriter::put_answer(std::int64_t set, std::string_view uid, std::uint32_t span, const Answer& answer,
                                 Verdict verdict, const CallTotals& cost, AnswerBasis basis,
                                 const JudgementDetails* details) {
  begin();
  put_span(set, uid, span, name(verdict), std::nullopt, cost, basis, details);
  const std::int64_t episode = episode_id(uid, span);
  for (const EntryAnswer& entry : answer.entries) {
    const Labels& labels = entry.labels;
    std::optional<std::uint32_t> first_anchor;
    if (!entry.anchors.empty()) first_anchor = entry.anchors.front();
    entry_.run(episode, span, set, entry.entry, labels.relevance, name_or_null(labels.accuracy),
               name_or_null(labels.novelty), name_or_null(labels.influence), name_or_null(labels.effect), first_anchor,
               answer_to_json(entry));
  }
  rows_in_batch_ += 1 + answer.entries.size();
  commit_when_due();
}

void JudgementWriter::put_unresolved(std::int64_t set, std::string_view uid, std::uint32_t span,
                                     std::string_view reason, const CallTotals& cost, AnswerBasis basis,
                                     const JudgementDetails* details) {
  begin();
  put_span(set, uid, span, std::nullopt, reason, cost, basis, details);
  ++rows_in_batch_;
  commit_when_due();
}

void JudgementWriter::put_span(std::int64_t set, std::string_view uid, std::uint32_t span,
                               std::optional<std::string_view> verdict,
                               std::optional<std::string_view> unresolved_reason, const CallTotals& cost,
                               AnswerBasis basis, const JudgementDetails* details) {
  const std::int64_t episode = episode_id(uid, span);
  remove_.run(episode, span, set);
  judgement_.run(episode, span, set, verdict, unresolved_reason, basis, cost.calls, cost.input_tokens,
                 cost.cached_input_tokens, cost.output_tokens, cost.calls_without_tokens, cost.cost_usd,
                 cost.calls_without_cost);
  if (details != nullptr) {
    details_.run(episode, span, set, details->returned_model, details->refused_answers, details->ledger,
                 details->calls);
  }
}

void JudgementWriter::put_abandoned(std::int64_t set, std::string_view uid, std::uint32_t span, std::string_view reason,
                                    const CallTotals& cost) {
  begin();
  abandoned_.run(episode_id(uid, span), span, set, reason, cost.calls, cost.input_tokens, cost.cached_input_tokens,
                 cost.output_tokens, cost.calls_without_tokens, cost.cost_usd, cost.calls_without_cost);
  ++rows_in_batch_;
  commit_when_due();
}

void JudgementWriter::remove_sample(std::int64_t set) {
  begin();
  Statement(connection_, "DELETE FROM sample WHERE set_id = ?").run(set);
  Statement(connection_, "DELETE FROM sampled_span WHERE set_id = ?").run(set);
  flush();
}

void JudgementWriter::put_sample(std::int64_t set, const JudgementSetRecord::Sample& sample,
                                 const std::vector<SampledSpan>& spans) {
  remove_sample(set);
  begin();
  Statement(connection_, "INSERT INTO sample (set_id, size, seed, population) VALUES (?, ?, ?, ?)")
      .run(set, sample.size, sample.seed, sample.population);
  Statement row(connection_,
                "INSERT INTO sampled_span (set_id, episode_id, span, stratum, weight) VALUES (?, ?, ?, ?, ?)");
  for (const SampledSpan& span : spans) {
    row.run(set, episode_id(span.uid, span.span), span.span, span.stratum, span.weight);
  }
  flush();
}

std::int64_t JudgementWriter::episode_id(std::string_view uid, std::uint32_t span) {
  if (!find_span_.bind(uid, span).step()) {
    throw Error(
        ExitCode::environment,
        fmt::format("{}: span S{} of episode {} is not in the database (was it replaced by an ingest meanwhile?);"
                    " run the judge again",
                    printable(connection_.path().string()), span, printable(uid)));
  }
  const std::int64_t id = find_span_.integer(0);
  find_span_.reset();
  return id;
}

void JudgementWriter::begin() {
  if (batch_) return;
  batch_.emplace(connection_, Transaction::Kind::write);
  batch_start_ = std::chrono::steady_clock::now();
  rows_in_batch_ = 0;
}

void JudgementWriter::commit_when_due() {
  if (durability_ == Durability::each_answer || rows_in_batch_ >= kBatchRows ||
      std::chrono::steady_clock::now() - batch_start_ >= kBatchTime) {
    flush();
  }
}

void JudgementWriter::flush() {
  if (!batch_) return;
  batch_->commit();
  batch_.reset();
}

std::vector<JudgementSetRecord> judgement_sets(const Database& database) {
  // Accepted answers, refusals and abandoned judging in one list: what was paid is counted whatever came of it.
  Statement rows(
      database.connection(),
      "SELECT s.id, s.judge, s.rules, s.settings, s.assesses_relevance, s.assesses_accuracy,"
      " coalesce(sum(j.calls), 0), coalesce(sum(j.input_tokens), 0),"
      " coalesce(sum(j.cached_input_tokens), 0), coalesce(sum(j.output_tokens), 0),"
      " CASE WHEN sum(j.calls - j.calls_without_cost) > 0 THEN sum(j.cost_usd) END, s.effects_need_probe,"
      " coalesce(sum(j.calls_without_cost), 0), coalesce(sum(j.accepted), 0),"
      " coalesce(sum(j.unresolved), 0), p.size, p.seed, p.population,"
      " (SELECT count(*) FROM sampled_span AS d JOIN judgement AS a ON a.episode_id = d.episode_id"
      "  AND a.span = d.span AND a.set_id = d.set_id WHERE d.set_id = s.id),"
      " coalesce(sum(j.calls_without_tokens), 0)"
      " FROM judgement_set AS s LEFT JOIN (SELECT set_id, calls, input_tokens, cached_input_tokens,"
      "   output_tokens, calls_without_tokens, cost_usd, calls_without_cost, verdict IS NOT NULL AS accepted,"
      "   verdict IS NULL AS unresolved FROM judgement"
      "  UNION ALL SELECT set_id, calls, input_tokens, cached_input_tokens, output_tokens,"
      "   calls_without_tokens, cost_usd, calls_without_cost, 0, 0 FROM abandoned_judging) AS j ON j.set_id = s.id"
      " LEFT JOIN sample AS p ON p.set_id = s.id GROUP BY s.id ORDER BY s.id");
  std::vector<JudgementSetRecord> sets;
  while (rows.step()) {
    JudgementSetRecord set;
    set.id = rows.integer(0);
    set.judge = rows.text(1);
    set.rules = rows.text(2);
    set.settings = rows.text(3);
    set.assesses_relevance = rows.boolean(4);
    set.assesses_accuracy = rows.boolean(5);
    set.calls = rows.count(6);
    set.input_tokens = rows.count(7);
    set.cached_input_tokens = rows.count(8);
    set.output_tokens = rows.count(9);
    set.cost_usd = rows.optional_real(10);
    set.effects_need_probe = rows.boolean(11);
    set.calls_without_cost = rows.count(12);
    set.accepted = rows.count(13);
    set.unresolved = rows.count(14);
    if (rows.optional_integer(15)) set.sample = {rows.count(15), rows.count(16), rows.count(17)};
    set.sample_answered = rows.count(18);
    set.calls_without_tokens = rows.count(19);
    sets.push_back(std::move(set));
  }
  return sets;
}

std::vector<SampledSpan> sampled_spans(const Database& database, std::int64_t set) {
  Statement rows(database.connection(),
                 "SELECT e.uid, s.span, s.stratum, s.weight FROM sampled_span AS s"
                 " JOIN episode AS e ON e.id = s.episode_id WHERE s.set_id = ? ORDER BY e.uid, s.span");
  rows.bind(set);
  std::vector<SampledSpan> spans;
  while (rows.step()) {
    spans.push_back({std::string(rows.text(0)), static_cast<std::uint32_t>(rows.count(1)), std::string(rows.text(2)),
                     rows.real(3)});
  }
  return spans;
}

std::optional<JudgementDetails> judgement_details(const Database& database, std::int64_t set, std::string_view uid,
                                                  std::uint32_t span) {
  Statement row(database.connection(),
                "SELECT r.returned_model, r.refused_answers, r.ledger, r.calls FROM judgement_record AS r"
                " JOIN episode AS e ON e.id = r.episode_id WHERE e.uid = ? AND r.span = ? AND r.set_id = ?");
  if (!row.bind(uid, span, set).step()) return std::nullopt;
  return JudgementDetails{std::string(row.text(0)), static_cast<std::uint32_t>(row.count(1)), std::string(row.text(2)),
                          std::string(row.text(3))};
}

std::map<std::string, std::uint64_t> returned_models(const Database& database, std::int64_t set) {
  Statement rows(database.connection(),
                 "SELECT returned_model, count(*) FROM judgement_record WHERE set_id = ? AND returned_model <> ''"
                 " GROUP BY returned_model");
  rows.bind(set);
  std::map<std::string, std::uint64_t> models;
  while (rows.step()) models.emplace(rows.text(0), rows.count(1));
  return models;
}

std::optional<std::int64_t> default_judgement_set(const Database& database) {
  Statement last(database.connection(), "SELECT max(id) FROM judgement_set");
  return last.step() ? last.optional_integer(0) : std::nullopt;
}

}  // namespace memuse::store
