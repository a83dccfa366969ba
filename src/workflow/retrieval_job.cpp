#include "workflow/retrieval_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "ingest/pipeline.h"
#include "model/error.h"
#include "model/text.h"
#include "retrieval/question_finder.h"
#include "workflow/retrieval_files.h"
#include "workflow/study_plan.h"
#include "workflow/trace_searches.h"

namespace memuse::workflow {
namespace {

using retrieval::GoldQuestion;
using retrieval::SearchResult;

/// An episode in which a gold question was asked.
struct Asked {
  std::string configuration;
  std::string run;
  std::string store;
  std::string episode;
  std::optional<std::uint64_t> position;
  std::uint32_t order = 0;
  std::size_t question = 0;
};

/// An episode that stores, or was given, a text that holds a question.
struct Stored : StoredQuestion {
  std::string configuration;
  std::string run;
  std::string store;
  std::string episode;
  std::string file;
  std::uint64_t line = 0;
  std::optional<std::uint64_t> position;
};

class Job {
 public:
  explicit Job(const RetrievalOptions& options) : options_(options) {}

  RetrievalJob run() {
    const bool traces = !options_.traces.traces.empty() || !options_.traces.manifest.empty();
    if (!traces && options_.results.empty()) {
      throw Error(ExitCode::usage, "name traces, or a file of results with --results");
    }
    report_.options = options_.score;
    report_.questions = read_gold_questions(options_.gold, diagnostics_);
    if (report_.questions.empty()) {
      throw Error(ExitCode::usage, fmt::format("'{}' holds no gold question that can be used{}",
                                               printable(options_.gold), first_fault()));
    }
    for (std::size_t i = 0; i < report_.questions.size(); ++i) by_task_.emplace(report_.questions[i].id, i);
    if (!options_.results.empty()) take_results();
    if (traces) take_traces();
    if (!options_.ingested.empty()) take_ingested_log();
    finish();
    return {std::move(report_), std::move(diagnostics_)};
  }

 private:
  std::string first_fault() const {
    return diagnostics_.empty() ? std::string() : ":\n  " + to_line(diagnostics_.front());
  }

  void take_results() {
    RecordedResults recorded =
        read_results(options_.results, report_.questions, options_.configuration, options_.run, diagnostics_);
    results_ = std::move(recorded.results);
    report_.without_gold = std::move(recorded.unknown_questions);
  }

  /// Hands over all episodes, one at a time.
  void read_traces(const std::function<void(const Episode&)>& visit, bool keep_diagnostics) {
    std::vector<Diagnostic> diagnostics;
    const StudyPlan plan(options_.traces.traces, options_.traces.manifest, "", diagnostics);
    ingest::InputList inputs = ingest::find_inputs(plan.paths());
    diagnostics.insert(diagnostics.end(), inputs.diagnostics.begin(), inputs.diagnostics.end());
    std::mutex mutex;
    ingest::read_inputs(
        inputs.files, options_.traces.pipeline,
        [&](Episode&& episode) {
          const std::lock_guard lock(mutex);
          visit(episode);
        },
        [&](ingest::FileReport&& file) {
          const std::lock_guard lock(mutex);
          diagnostics.insert(diagnostics.end(), file.diagnostics.begin(), file.diagnostics.end());
        });
    if (keep_diagnostics) diagnostics_.insert(diagnostics_.end(), diagnostics.begin(), diagnostics.end());
  }

  void take_traces() {
    // Where the gold file does not have a question's text, the trace has the task's, which must be known before any
    // stored text is looked through.
    const bool incomplete = std::any_of(report_.questions.begin(), report_.questions.end(),
                                        [](const GoldQuestion& question) { return question.text.empty(); });
    if (incomplete) read_traces([this](const Episode& episode) { take_task_text(episode); }, false);
    const retrieval::QuestionFinder finder(question_texts());
    read_traces([&](const Episode& episode) { take_episode(episode, finder); }, true);
  }

  void take_task_text(const Episode& episode) {
    if (episode.task_text.empty()) return;
    const auto [first, last] = by_task_.equal_range(std::string(episode.task_id));
    for (auto one = first; one != last; ++one) {
      std::string& text = task_texts_[one->second];
      // Of several texts for a task the smallest, so that the order of the files does not matter.
      if (text.empty() || episode.task_text < text) text = episode.task_text;
    }
  }

  [[nodiscard]] std::vector<std::string> question_texts() const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < report_.questions.size(); ++i) {
      const auto task = task_texts_.find(i);
      const bool from_task = report_.questions[i].text.empty() && task != task_texts_.end();
      texts.push_back(from_task ? task->second : report_.questions[i].text);
    }
    return texts;
  }

  void take_episode(const Episode& episode, const retrieval::QuestionFinder& finder) {
    report_.phase_checked = report_.phase_checked || holds_stored_text(episode);
    for (StoredQuestion& found : stored_questions(episode, finder)) {
      Stored stored;
      static_cast<StoredQuestion&>(stored) = std::move(found);
      stored.configuration = episode.configuration;
      stored.run = episode.run;
      stored.store = episode.store;
      stored.episode = episode.id;
      stored.file = episode.source.path;
      stored.line = episode.source.line;
      stored.position = episode.position;
      stored_.push_back(std::move(stored));
    }
    const auto [first, last] = by_task_.equal_range(std::string(episode.task_id));
    for (auto one = first; one != last; ++one) take_question(episode, one->second);
  }

  void take_question(const Episode& episode, std::size_t question) {
    SearchedEpisode found = searched(episode, report_.questions[question]);
    if (!found.result) {
      report_.without_search.push_back(fmt::format("{}/{}/{}", episode.configuration, episode.run, episode.id));
      return;
    }
    report_.failed_searches += found.failed;
    found.result->question = question;
    found.result->configuration = episode.configuration;
    found.result->run = episode.run;
    found.result->episode = episode.id;
    found.result->source = episode.source.path;
    found.result->line = episode.source.line;
    asked_.push_back({std::string(episode.configuration), std::string(episode.run), std::string(episode.store),
                      std::string(episode.id), episode.position, found.first_order, question});
    results_.push_back(std::move(*found.result));
  }

  void take_ingested_log() {
    const retrieval::QuestionFinder finder(question_texts());
    std::set<std::size_t> seen;
    read_ingested_texts(
        options_.ingested,
        [&](const std::string& text, std::uint64_t line) {
          report_.phase_checked = true;
          for (const std::size_t question : finder.find(text)) {
            if (!seen.insert(question).second) continue;
            report_.ingested.push_back({question, "", "", fmt::format("{}:{}", options_.ingested, line), true});
          }
        },
        diagnostics_);
  }

  /// Was the text stored before the question was asked? Nothing when the trace does not say.
  static std::optional<bool> came_first(const Stored& stored, const Asked& asked) {
    if (stored.episode == asked.episode) return stored.order <= asked.order || stored.place.starts_with("delivered");
    if (!stored.position || !asked.position) return std::nullopt;
    return *stored.position < *asked.position;
  }

  void join_stored() {
    using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::size_t>;
    std::multimap<Key, const Stored*> by_place;
    for (const Stored& stored : stored_) {
      by_place.emplace(Key(stored.configuration, stored.run, stored.store, stored.question), &stored);
    }
    for (const Asked& asked : asked_) {
      const auto [first, last] = by_place.equal_range(Key(asked.configuration, asked.run, asked.store, asked.question));
      for (auto one = first; one != last; ++one) {
        const Stored& stored = *one->second;
        const std::optional<bool> before = came_first(stored, asked);
        if (before.has_value() && !*before) continue;
        report_.ingested.push_back(
            {asked.question, asked.configuration, asked.run,
             fmt::format("{}:{}, episode `{}`, {}", stored.file, stored.line, stored.episode, stored.place),
             before.has_value()});
      }
    }
  }

  void sort_all() {
    const auto key = [this](const SearchResult& result) {
      const GoldQuestion& question = report_.questions[result.question];
      return std::tie(result.configuration, result.run, question.id, question.search, result.episode, result.source,
                      result.line);
    };
    std::stable_sort(results_.begin(), results_.end(),
                     [&](const SearchResult& a, const SearchResult& b) { return key(a) < key(b); });
    std::sort(report_.ingested.begin(), report_.ingested.end(), [](const auto& a, const auto& b) {
      return std::tie(a.configuration, a.run, a.question, a.place) <
             std::tie(b.configuration, b.run, b.question, b.place);
    });
    std::sort(report_.without_search.begin(), report_.without_search.end());
    std::sort(diagnostics_.begin(), diagnostics_.end());
  }

  /// Gold questions that nobody answered, and those that only some configurations did.
  void find_gaps() {
    std::set<std::size_t> answered;
    std::map<std::string, std::set<std::size_t>> by_configuration;
    for (const SearchResult& result : results_) {
      answered.insert(result.question);
      by_configuration[result.configuration].insert(result.question);
    }
    for (std::size_t i = 0; i < report_.questions.size(); ++i) {
      if (answered.count(i) == 0) report_.without_result.push_back(report_.questions[i].id);
    }
    for (const auto& [configuration, own] : by_configuration) {
      report::ConfigurationGap gap{configuration, {}};
      for (const std::size_t question : answered) {
        if (own.count(question) == 0) gap.questions.push_back(report_.questions[question].id);
      }
      if (!gap.questions.empty()) report_.gaps.push_back(std::move(gap));
    }
  }

  void finish() {
    join_stored();
    sort_all();
    find_gaps();
    report_.phase_questions = retrieval::QuestionFinder(question_texts()).searched();
    report_.results = retrieval::score(report_.questions, std::move(results_), options_.score.depths);
    report_.configurations = retrieval::summarise(report_.questions, report_.results, options_.score);
  }

  const RetrievalOptions& options_;
  report::RetrievalReport report_;
  std::vector<Diagnostic> diagnostics_;
  std::multimap<std::string, std::size_t> by_task_;
  std::map<std::size_t, std::string> task_texts_;
  std::vector<SearchResult> results_;
  std::vector<Asked> asked_;
  std::vector<Stored> stored_;
};

}  // namespace

RetrievalJob score_retrieval(const RetrievalOptions& options) {
  return Job(options).run();
}

}  // namespace memuse::workflow
