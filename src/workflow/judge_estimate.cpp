#include "workflow/judge_estimate.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "evidence/evidence_tools.h"
#include "evidence/read_requirements.h"
#include "spans/spans.h"
#include "store/database.h"
#include "store/judgements.h"
#include "store/reader.h"
#include "workflow/model_judge_plan.h"
#include "workflow/sources.h"
#include "workflow/span_sample.h"

namespace memuse::workflow {
namespace {

constexpr std::size_t kPage = 32;
constexpr std::uint64_t kBytesPerToken = 4;
/// Output tokens of an answer: reasons and quotes for an entry, and one call of a tool.
constexpr std::uint64_t kTokensPerEntry = 400;
constexpr std::uint64_t kTokensPerToolCall = 80;

std::uint64_t tokens(std::uint64_t bytes) {
  return (bytes + kBytesPerToken - 1) / kBytesPerToken;
}

/// What is known of one span before it is judged.
struct SpanSize {
  std::uint64_t entries = 0;
  std::uint64_t prompt_bytes = 0;
  std::uint64_t required_bytes = 0;
  std::uint64_t evidence_bytes = 0;
  std::uint64_t pages = 0;  ///< reads that it takes to see every file whole
};

SpanSize size_of(const evidence::EvidenceSet& evidence, const ModelJudgeOptions& options) {
  SpanSize size;
  for (const SpanEntry& entry : evidence.span().entries) size.entries += entry.window ? 1U : 0U;
  size.prompt_bytes = options.prompts.system.size() + options.prompts.task.size() + file_index(evidence).size();
  for (const evidence::ReadRequirement& needed : basic_requirements(evidence)) {
    size.required_bytes += needed.range.end - needed.range.begin;
  }
  const std::uint64_t page = options.settings.span.limits.page_bytes;
  for (const evidence::EvidenceFile& file : evidence.files()) {
    size.evidence_bytes += file.bytes;
    size.pages += std::max<std::uint64_t>(1, (file.bytes + page - 1) / page);
  }
  return size;
}

/// Two calls: one asks for all that every answer needs, the next answers.
void add_low(const SpanSize& size, CostRange& range) {
  const std::uint64_t prompt = tokens(size.prompt_bytes);
  range.calls += 2;
  range.input_tokens += 2 * prompt + tokens(size.required_bytes);
  range.output_tokens += kTokensPerToolCall + kTokensPerEntry * size.entries;
}

/// Every file is read whole, a page a call, and each call carries what was read before, up to the context window.
void add_high(const SpanSize& size, const agentic_judge::Budget& budget, CostRange& range) {
  const std::uint64_t calls = std::min<std::uint64_t>(size.pages + 1, budget.calls);
  const std::uint64_t prompt = tokens(size.prompt_bytes);
  const std::uint64_t most =
      budget.context_tokens - std::min<std::uint64_t>(budget.context_tokens, budget.max_output_tokens);
  const std::uint64_t evidence = tokens(size.evidence_bytes);
  range.calls += calls;
  range.output_tokens += kTokensPerToolCall * (calls - 1) + kTokensPerEntry * size.entries;
  for (std::uint64_t call = 0; call < calls; ++call) {
    const std::uint64_t carried = calls > 1 ? evidence * call / (calls - 1) : evidence;
    range.input_tokens += std::min(prompt + carried, most);
  }
}

std::optional<double> price_of(const CostRange& range, const std::optional<chat::Price>& price) {
  chat::TokenUsage usage;
  usage.input = range.input_tokens;
  usage.output = range.output_tokens;
  return chat::call_cost(usage, price);
}

/// An episode with spans that would be judged.
struct Work {
  EpisodeSpansRecord record;
  std::optional<store::ProbeRecord> probe;
  std::vector<std::uint32_t> spans;
};

struct WorkSizes {
  std::vector<SpanSize> spans;
  std::optional<Diagnostic> fault;
};

class Estimator {
 public:
  Estimator(const ModelJudgeOptions& options, const store::Database& database, Progress& progress,
            JudgeEstimate& estimate)
      : options_(options), sources_(database), progress_(progress), estimate_(estimate) {}

  void take(Work work) {
    page_.push_back(std::move(work));
    if (page_.size() >= kPage) flush();
  }

  void flush() {
    std::vector<WorkSizes> sizes(page_.size());
    tbb::parallel_for(std::size_t{0}, page_.size(), [&](std::size_t i) { sizes[i] = measure(page_[i]); });
    for (std::size_t i = 0; i < page_.size(); ++i) add(page_[i], sizes[i]);
    page_.clear();
  }

 private:
  [[nodiscard]] WorkSizes measure(const Work& work) const {
    WorkSizes sizes;
    SourceRead read = sources_.read(work.record.episode, work.probe, options_.source_roots);
    sizes.fault = std::move(read.fault);
    if (!read.episode) return sizes;
    const EpisodeSpans spans = spans::compute_spans(*read.episode);
    const auto evidence =
        std::make_shared<const evidence::EpisodeEvidence>(*read.episode, spans, options_.settings.evidence);
    for (const std::uint32_t number : work.spans) {
      sizes.spans.push_back(size_of(evidence::EvidenceSet(evidence, spans.spans.at(number - 1)), options_));
    }
    return sizes;
  }

  void add(const Work& work, const WorkSizes& sizes) {
    progress_.advance(work.spans.size());
    estimate_.spans += work.spans.size();
    if (sizes.fault) {
      estimate_.unread += work.spans.size();
      estimate_.diagnostics.push_back(*sizes.fault);
      return;
    }
    for (const SpanSize& size : sizes.spans) {
      estimate_.entries += size.entries;
      estimate_.evidence_bytes += size.evidence_bytes;
      estimate_.required_bytes += size.required_bytes;
      add_low(size, estimate_.low);
      add_high(size, options_.settings.span.budget, estimate_.high);
    }
  }

  const ModelJudgeOptions& options_;
  SourceReader sources_;
  Progress& progress_;
  JudgeEstimate& estimate_;
  std::vector<Work> page_;
};

std::vector<std::string> assumptions(const ModelJudgeOptions& options) {
  std::vector<std::string> sentences{
      fmt::format("a token is {} bytes; reasoning tokens are not counted", kBytesPerToken),
      fmt::format("an answer takes {} output tokens an entry, a call of a tool {}", kTokensPerEntry,
                  kTokensPerToolCall),
      "low: one call asks for what every answer needs, the next answers; nothing is refused",
      fmt::format("high: every evidence file is read whole, up to {} bytes a call, each call sends again what was read "
                  "before, no prompt cache, nothing is refused",
                  options.settings.span.limits.page_bytes)};
  if (!options.price) sentences.push_back("no price is known for this model, so only tokens are given (--prices FILE)");
  return sentences;
}

}  // namespace

JudgeEstimate estimate_judging(const ModelJudgeOptions& options, Progress& progress) {
  const store::Database database = store::Database::open_existing(options.database);
  JudgeEstimate estimate;
  estimate.judge = options.settings.judge;
  const JudgePlan plan(options, database);
  progress.begin("estimating", "spans", plan.population());
  Estimator estimator(options, database, progress, estimate);
  std::uint64_t left = options.max_spans.value_or(std::numeric_limits<std::uint64_t>::max());
  store::for_each_episode(database, {}, plan.set(), [&](const EpisodeSpansRecord& record) {
    Work work{record, store::episode_probe(database, record.episode.uid), {}};
    for (const SpanRecord& span : record.spans) {
      if (left == 0 || plan.state(record.episode, span) != PlannedSpan::to_judge) continue;
      work.spans.push_back(span.number);
      --left;
    }
    if (!work.spans.empty()) estimator.take(std::move(work));
    return left > 0;
  });
  estimator.flush();
  progress.end();
  estimate.low.cost_usd = price_of(estimate.low, options.price);
  estimate.high.cost_usd = price_of(estimate.high, options.price);
  estimate.assumptions = assumptions(options);
  std::sort(estimate.diagnostics.begin(), estimate.diagnostics.end());
  return estimate;
}

}  // namespace memuse::workflow
