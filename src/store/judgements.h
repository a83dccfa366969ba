#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/judging_work.h"
#include "model/labels.h"
#include "model/records.h"
#include "store/database.h"

namespace memuse::store {

/// When an answer counts as stored.
enum class Durability : std::uint8_t {
  batched,     ///< with its batch: for a judge that costs nothing to ask again
  each_answer  ///< when the call returns, also against a power cut: for answers that were paid for
};

/// What an answer rests on beside the trace (an outcomes or probes file may change it later); empty when nothing does.
/// Whoever judges compares it to tell which answers are out of date.
using AnswerBasis = std::string_view;

/// Writes answers of judges. All calls come from one thread.
class JudgementWriter {
 public:
  JudgementWriter(Database& database, Durability durability);
  /// Rolls back the batch in flight; what was committed stays.
  ~JudgementWriter();
  JudgementWriter(const JudgementWriter&) = delete;
  JudgementWriter& operator=(const JudgementWriter&) = delete;

  /// The set of this judge, rules and settings (JSON of what matters for the answers), made when missing.
  std::int64_t open_judgement_set(std::string_view judge, std::string_view rules, std::string_view settings,
                                  bool assesses_relevance, bool assesses_accuracy, bool effects_need_probe = false);

  /// True when the set has an accepted answer for the span.
  [[nodiscard]] bool has_answer(std::int64_t set, std::string_view uid, std::uint32_t span);
  /// True when the database has the span (still).
  [[nodiscard]] bool has_span(std::string_view uid, std::uint32_t span);
  /// True when the set has an answer that was refused to the end for the span.
  [[nodiscard]] bool is_unresolved(std::int64_t set, std::string_view uid, std::uint32_t span);

  /// Stores an accepted answer with its verdict and what it cost; replaces what was stored for the span before, whose
  /// cost goes to the abandoned judging. Throws
  /// `Error{ExitCode::environment}` when the span is not in the database (any more).
  void put_answer(std::int64_t set, std::string_view uid, std::uint32_t span, const Answer& answer, Verdict verdict,
                  const CallTotals& cost = {}, AnswerBasis basis = {}, const JudgementDetails* details = nullptr);
  /// The same for a span whose answers were all refused.
  void put_unresolved(std::int64_t set, std::string_view uid, std::uint32_t span, std::string_view reason,
                      const CallTotals& cost = {}, AnswerBasis basis = {}, const JudgementDetails* details = nullptr);

  /// Adds what calls cost that decided nothing (the endpoint failed, a limit was met); the span stays as it was.
  void put_abandoned(std::int64_t set, std::string_view uid, std::uint32_t span, std::string_view reason,
                     const CallTotals& cost);

  /// Says that only these spans are judged in the set; replaces an earlier sample of it. Commits.
  void put_sample(std::int64_t set, const JudgementSetRecord::Sample& sample, const std::vector<SampledSpan>& spans);
  /// The set is about all spans (again). Commits.
  void remove_sample(std::int64_t set);

  /// Commits the batch in flight. Needed at the end when batched.
  void flush();

 private:
  void begin();
  void delete_sample(std::int64_t set);
  void commit_when_due();
  void put_span(std::int64_t set, std::string_view uid, std::uint32_t span, std::optional<std::string_view> verdict,
                std::optional<std::string_view> unresolved_reason, const CallTotals& cost, AnswerBasis basis,
                const JudgementDetails* details);
  /// What a span cost that is about to be replaced goes to the abandoned judging.
  void keep_what_was_paid(std::int64_t episode, std::uint32_t span, std::int64_t set);
  std::int64_t episode_id(std::string_view uid, std::uint32_t span);

  const Connection& connection_;
  Durability durability_;
  Statement find_set_;
  Statement find_;
  Statement find_span_;
  Statement remove_;
  Statement paid_;
  Statement judgement_;
  Statement entry_;
  Statement details_;
  Statement abandoned_;
  std::optional<Transaction> batch_;
  std::chrono::steady_clock::time_point batch_start_;
  std::size_t rows_in_batch_ = 0;
};

/// All sets, by id, with the sums of their costs (abandoned judging included) and numbers of answers.
std::vector<JudgementSetRecord> judgement_sets(const Database& database);

/// The spans that the set's sample drew, by episode uid and span; empty when it has none.
std::vector<SampledSpan> sampled_spans(const Database& database, std::int64_t set);

/// How a span was judged; nothing when it was not, or by a judge that keeps no record.
std::optional<JudgementDetails> judgement_details(const Database& database, std::int64_t set, std::string_view uid,
                                                  std::uint32_t span);

/// The model ids that endpoints returned for the spans of a set, each with its number of spans.
std::map<std::string, std::uint64_t> returned_models(const Database& database, std::int64_t set);

/// What the judge of a set did for each run, by configuration and run; runs without a judged span are left out.
std::vector<JudgingWork> judging_work(const Database& database, std::int64_t set);

/// The set to use when none was named: the one opened last; nothing when there is none.
std::optional<std::int64_t> default_judgement_set(const Database& database);

}  // namespace memuse::store
