#include "workflow/model_judge_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "model/error.h"
#include "model/text.h"
#include "model/version.h"
#include "rules/verdict.h"
#include "spans/spans.h"
#include "store/database.h"
#include "store/judgements.h"
#include "store/reader.h"
#include "workflow/bounded_queue.h"
#include "workflow/judging_lock.h"
#include "workflow/metered_model.h"
#include "workflow/model_judge_answers.h"
#include "workflow/model_judge_plan.h"
#include "workflow/sources.h"

// One thread owns the database: it walks over the study, hands spans to the workers, and stores what comes back before
// it hands out more. The workers read sources, build evidence and talk to the model; they hold no more than `parallel`
// spans. So memory is that of the episodes in flight, and a killed process loses the spans in flight and no other.

namespace memuse::workflow {
namespace {

/// So many spans in a row without a reply mean that the endpoint is gone, not that a span is odd.
constexpr std::uint64_t kFailuresInARow = 5;
/// So many refused requests, and not one reply, mean that none will be taken.
constexpr std::uint64_t kRefusalsInARow = 20;

/// An episode whose spans are judged, read from its source by the first worker that needs it.
struct EpisodeWork {
  EpisodeSpansRecord record;
  std::optional<store::ProbeRecord> probe;
  std::once_flag once;
  std::optional<Diagnostic> fault;
  std::optional<Episode> episode;
  EpisodeSpans spans;
  std::shared_ptr<const evidence::EpisodeEvidence> evidence;  ///< nothing when there is a fault
};

struct Task {
  std::shared_ptr<EpisodeWork> work;
  std::uint32_t span = 0;
  std::uint64_t order = 0;  ///< in the study
};

struct Result {
  Task task;
  std::optional<agentic_judge::SpanJudgement> judgement;  ///< nothing when the source could not be read
  std::exception_ptr failure;                             ///< what was thrown, for the thread that owns the job
};

std::string span_name(const Task& task) {
  const EpisodeRecord& episode = task.work->record.episode;
  return fmt::format("{}/{}/{}/S{}", episode.configuration, episode.run, episode.episode, task.span);
}

/// Reads sources and asks the model; several run at once.
class Worker {
 public:
  Worker(const ModelJudgeOptions& options, const SourceReader& sources, chat::ChatModel& model,
         BoundedQueue<Task>& tasks, BoundedQueue<Result>& results)
      : options_(options), sources_(sources), model_(model), tasks_(tasks), results_(results) {}

  void run() {
    while (std::optional<Task> task = tasks_.pop()) {
      Result result;
      result.task = std::move(*task);
      try {
        judge(result);
      } catch (...) {
        result.failure = std::current_exception();
      }
      results_.push(std::move(result));
    }
  }

 private:
  void judge(Result& result) {
    EpisodeWork& work = *result.task.work;
    std::call_once(work.once, [&] { read(work); });
    if (!work.evidence) return;
    const evidence::EvidenceSet evidence(work.evidence, work.spans.spans.at(result.task.span - 1));
    result.judgement =
        agentic_judge::judge_span(evidence, model_, work.record.episode.uid, options_.prompts, options_.settings.span);
  }

  void read(EpisodeWork& work) const {
    SourceRead read = sources_.read(work.record.episode, work.probe, options_.source_roots);
    work.fault = std::move(read.fault);
    if (!read.episode) return;
    work.episode = std::move(read.episode);
    work.spans = spans::compute_spans(*work.episode);
    work.evidence =
        std::make_shared<const evidence::EpisodeEvidence>(*work.episode, work.spans, options_.settings.evidence);
  }

  const ModelJudgeOptions& options_;
  const SourceReader& sources_;
  chat::ChatModel& model_;
  BoundedQueue<Task>& tasks_;
  BoundedQueue<Result>& results_;
};

/// The thread that owns the database.
class ModelJudgeRun {
 public:
  ModelJudgeRun(const ModelJudgeOptions& options, store::Database& database, store::JudgementWriter& writer,
                const JudgePlan& plan, chat::ChatModel& model, Progress& progress, ModelJudgeSummary& summary)
      : options_(options),
        database_(database),
        writer_(writer),
        plan_(plan),
        set_(plan.set()),
        meter_(model, options.price, options.max_cost),
        progress_(progress),
        summary_(summary),
        sources_(database),
        tasks_(options.parallel),
        // Never full: no more than `parallel` spans are in flight.
        results_(options.parallel) {}

  ~ModelJudgeRun() {
    tasks_.close();
    for (std::thread& worker : workers_) worker.join();
  }
  ModelJudgeRun(const ModelJudgeRun&) = delete;
  ModelJudgeRun& operator=(const ModelJudgeRun&) = delete;

  void run() {
    for (unsigned i = 0; i < options_.parallel; ++i) {
      workers_.emplace_back([this] { Worker(options_, sources_, meter_, tasks_, results_).run(); });
    }
    store::for_each_episode(database_, {}, plan_.set(), [&](const EpisodeSpansRecord& record) {
      take_episode(record);
      return !failure_;
    });
    while (in_flight_ > 0) take_result();
    if (failure_) std::rethrow_exception(failure_);
    finish();
  }

 private:
  void take_episode(const EpisodeSpansRecord& record) {
    std::shared_ptr<EpisodeWork> work;
    for (const SpanRecord& span : record.spans) {
      const PlannedSpan state = plan_.state(record.episode, span);
      if (state == PlannedSpan::not_asked_for) continue;
      ++summary_.spans;
      if (state == PlannedSpan::answered) ++summary_.kept;
      if (state == PlannedSpan::refused_before) ++summary_.unresolved_before;
      if (state != PlannedSpan::to_judge) continue;
      if (!work) {
        work = std::make_shared<EpisodeWork>();
        work->record = record;
        work->probe = store::episode_probe(database_, record.episode.uid);
      }
      hand_out({work, span.number, next_order_++});
    }
  }

  void hand_out(Task task) {
    while (!must_stop() && in_flight_ >= most_in_flight()) take_result();
    if (must_stop()) {
      ++summary_.left;
      return;
    }
    tasks_.push(std::move(task));
    ++in_flight_;
    ++begun_;
  }

  /// Under a cost limit the first span goes alone: what it costs tells how many more can be begun.
  [[nodiscard]] std::uint64_t most_in_flight() const {
    return options_.max_cost && finished_ == 0 ? 1 : options_.parallel;
  }

  bool must_stop() {
    if (failure_ || summary_.stopped != StopReason::none) return true;
    if (options_.stop != nullptr && options_.stop->load()) summary_.stopped = StopReason::interrupted;
    if (options_.max_spans && begun_ >= *options_.max_spans) summary_.stopped = StopReason::max_spans;
    if (options_.max_cost && !is_affordable()) summary_.stopped = StopReason::max_cost;
    return summary_.stopped != StopReason::none;
  }

  /// True when one more span, at the mean cost of those that are finished, still fits beside those in flight.
  [[nodiscard]] bool is_affordable() const {
    const double spent = meter_.spent();
    if (finished_ == 0) return spent < *options_.max_cost;
    const double mean = finished_cost_ / static_cast<double>(finished_);
    return finished_cost_ + lost_cost_ + mean * static_cast<double>(in_flight_ + 1) <= *options_.max_cost &&
           spent < *options_.max_cost;
  }

  void take_result() {
    std::optional<Result> result = results_.pop();
    --in_flight_;
    try {
      store(*result);
    } catch (...) {
      // What the others have cost is stored where it still can be; then this ends the command.
      if (!failure_) failure_ = std::current_exception();
      meter_.stop();
    }
    progress_.advance(1);
    progress_.status(spending());
  }

  /// The set is made with its first row: a command that gets no reply leaves nothing behind.
  std::int64_t set() {
    if (!set_) {
      const ModelJudgeSettings& settings = options_.settings;
      set_ = writer_.open_judgement_set(settings.judge, kRuleSet, settings_json(settings), true, true);
      if (plan_.is_new_sample()) writer_.put_sample(*set_, plan_.sample_facts(), plan_.sampled());
      summary_.set = *set_;
    }
    // The first answer without a sample makes it a set of all spans again; a command that gets none leaves it.
    if (plan_.ends_sample() && !sample_ended_) writer_.remove_sample(*set_);
    sample_ended_ = true;
    return *set_;
  }

  void store(Result& result) {
    if (result.failure) std::rethrow_exception(result.failure);
    const Task& task = result.task;
    if (!result.judgement) {
      ++summary_.unread;
      if (unread_.insert(task.work->record.episode.uid).second && task.work->fault) {
        summary_.diagnostics.push_back(*task.work->fault);
      }
      return;
    }
    const agentic_judge::SpanJudgement& judgement = *result.judgement;
    const CallTotals cost = call_totals(judgement, options_.price);
    add(cost, summary_.calls);
    const std::string& uid = task.work->record.episode.uid;
    if (!writer_.has_span(uid, task.span)) {
      ++summary_.failed;
      undecided_.emplace(task.order, UndecidedSpan{span_name(task), "an ingest replaced it while it was judged"});
      lost_cost_ += cost.cost_usd;
      return;
    }
    const std::string basis = answer_basis(options_, task.work->record.episode);
    const JudgementDetails details = judgement_details(judgement);
    const std::string reasons = fmt::format("{}", fmt::join(judgement.reasons, "; "));
    switch (judgement.outcome) {
      case agentic_judge::SpanOutcome::accepted:
        writer_.put_answer(set(), uid, task.span, judgement.answer, rules::answer_verdict(judgement.answer), cost,
                           basis, &details);
        ++summary_.accepted;
        decided(cost);
        break;
      case agentic_judge::SpanOutcome::unresolved:
        writer_.put_unresolved(set(), uid, task.span, reasons, cost, basis, &details);
        undecided_.emplace(task.order, UndecidedSpan{span_name(task), "unresolved: " + reasons});
        ++summary_.unresolved;
        decided(cost);
        break;
      case agentic_judge::SpanOutcome::failed:
        failed(task, judgement, cost);
        break;
    }
  }

  void decided(const CallTotals& cost) {
    ++finished_;
    finished_cost_ += cost.cost_usd;
    failures_in_a_row_ = 0;
  }

  void failed(const Task& task, const agentic_judge::SpanJudgement& judgement, const CallTotals& cost) {
    const chat::ChatError error = judgement.error.value_or(chat::ChatError{});
    if (cost.calls > 0) {
      writer_.put_abandoned(set(), task.work->record.episode.uid, task.span, error.message, cost);
      lost_cost_ += cost.cost_usd;
    }
    if (error.fault == chat::ChatFault::stopped) {
      ++summary_.left;
      if (summary_.stopped == StopReason::none) {
        summary_.stopped = meter_.is_exhausted() ? StopReason::max_cost : StopReason::interrupted;
      }
      return;
    }
    ++summary_.failed;
    undecided_.emplace(task.order, UndecidedSpan{span_name(task), error.message});
    if (is_hopeless(error.fault) && summary_.stopped == StopReason::none) {
      summary_.stopped = StopReason::endpoint;
      summary_.stop_message = error.message;
    }
  }

  /// True when failures say that the endpoint, not a span, is at fault.
  bool is_hopeless(chat::ChatFault fault) {
    switch (fault) {
      case chat::ChatFault::refused_key:
      case chat::ChatFault::broken:
        return true;
      case chat::ChatFault::context_too_long:
      case chat::ChatFault::not_recorded:
      case chat::ChatFault::stopped:
        return false;
      case chat::ChatFault::refused_request:
        // Some spans may be refused for what they hold. Where every one is, the address or the model is wrong.
        return summary_.calls.calls == 0 && ++refused_requests_ >= kRefusalsInARow;
      case chat::ChatFault::unreachable:
      case chat::ChatFault::rate_limited:
      case chat::ChatFault::bad_reply:
      case chat::ChatFault::too_large:
        break;
    }
    return ++failures_in_a_row_ >= std::max<std::uint64_t>(options_.parallel, kFailuresInARow);
  }

  [[nodiscard]] std::string spending() const {
    const CallTotals& calls = summary_.calls;
    std::string text =
        fmt::format("{} calls, {} tokens in, {} out", calls.calls, calls.input_tokens, calls.output_tokens);
    if (options_.price) text += fmt::format(", ${:.2f}", calls.cost_usd);
    return text;
  }

  void finish() {
    for (auto& [order, span] : undecided_) summary_.undecided.push_back(std::move(span));
    std::sort(summary_.diagnostics.begin(), summary_.diagnostics.end());
    summary_.priced = summary_.calls.calls_without_cost == 0 && (options_.price || summary_.calls.calls > 0);
  }

  const ModelJudgeOptions& options_;
  store::Database& database_;
  store::JudgementWriter& writer_;
  const JudgePlan& plan_;
  std::optional<std::int64_t> set_;
  bool sample_ended_ = false;
  MeteredModel meter_;
  Progress& progress_;
  ModelJudgeSummary& summary_;
  SourceReader sources_;
  BoundedQueue<Task> tasks_;
  BoundedQueue<Result> results_;
  std::vector<std::thread> workers_;
  std::map<std::uint64_t, UndecidedSpan> undecided_;
  std::set<std::string> unread_;
  std::uint64_t next_order_ = 0;
  std::uint64_t in_flight_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t finished_ = 0;
  double finished_cost_ = 0.0;
  double lost_cost_ = 0.0;
  std::uint64_t failures_in_a_row_ = 0;
  std::uint64_t refused_requests_ = 0;
  std::exception_ptr failure_;  ///< ends the command when everything in flight has come back
};

}  // namespace

std::string_view name(StopReason reason) {
  switch (reason) {
    case StopReason::none:
      return "none";
    case StopReason::max_cost:
      return "max_cost";
    case StopReason::max_spans:
      return "max_spans";
    case StopReason::interrupted:
      return "interrupted";
    case StopReason::endpoint:
      return "endpoint";
  }
  return "";
}

ModelJudgeSummary judge_with_model(const ModelJudgeOptions& options, chat::ChatModel& model, Progress& progress) {
  // Refuses a missing file, which `open` would create.
  store::Database::open_existing(options.database).close();
  agentic_judge::check_options(options.settings.span);
  const JudgingLock lock(options.database);
  store::Database database = store::Database::open(options.database);
  ModelJudgeSummary summary;
  summary.judge = options.settings.judge;
  {
    store::JudgementWriter writer(database, store::Durability::each_answer);
    const JudgePlan plan(options, database);
    summary.set = plan.set().value_or(0);
    if (plan.set() && plan.is_new_sample()) writer.put_sample(summary.set, plan.sample_facts(), plan.sampled());
    if (!plan.sample_note().empty()) progress.notice(plan.sample_note());
    summary.population = plan.population();
    summary.sampled = options.sample.has_value();
    progress.begin("judging", "spans", plan.asked_for());
    ModelJudgeRun(options, database, writer, plan, model, progress, summary).run();
    progress.end();
    writer.flush();
  }
  database.close();
  return summary;
}

}  // namespace memuse::workflow
