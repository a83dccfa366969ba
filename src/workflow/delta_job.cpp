#include "workflow/delta_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>

#include "ingest/diagnostic_log.h"
#include "model/error.h"
#include "model/text.h"
#include "workflow/delta_declaration.h"
#include "workflow/delta_files.h"

namespace memuse::workflow {
namespace {

using controlled::Component;
using controlled::Contradiction;
using controlled::ResultRow;
using controlled::Results;
using controlled::RowPlace;

/// Gives rows to the strategies that select them.
class RowRouter {
 public:
  RowRouter(const DeltaDeclaration& declared, Results& results) : declared_(declared), results_(results) {
    for (std::size_t i = 0; i < declared.selections.size(); ++i) {
      by_name_[declared.selections[i].strategy].push_back(i);
    }
  }

  /// A row of a file whose rows name their strategies; returns a fault or nothing.
  std::string take(const ResultRow& row, RowPlace place) {
    if (row.strategy.empty()) {
      return "`strategy` is missing; a file of one strategy is named in that strategy's `results`";
    }
    const auto named = by_name_.find(std::string(row.strategy));
    if (named == by_name_.end()) {
      count_undeclared(row.strategy);
      return {};
    }
    bool taken = false;
    for (const std::size_t strategy : named->second) taken |= take_if_selected(strategy, row, place);
    if (!taken) ++not_selected_;
    return {};
  }

  /// A row of a strategy's own file.
  std::string take_of(std::size_t strategy, const ResultRow& row, RowPlace place) {
    const std::string named(row.strategy);
    const bool of_another = !named.empty() && named != declared_.selections[strategy].strategy;
    if (of_another && !by_name_.contains(named)) {
      count_undeclared(named);
    } else if (of_another) {
      ++not_selected_;
    } else if (!take_if_selected(strategy, row, place)) {
      ++not_selected_;
    }
    return {};
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> undeclared() const {
    return {undeclared_.begin(), undeclared_.end()};
  }
  [[nodiscard]] std::uint64_t not_selected() const { return not_selected_; }

 private:
  bool take_if_selected(std::size_t strategy, const ResultRow& row, RowPlace place) {
    const RowSelection& selection = declared_.selections[strategy];
    if (selection.run && row.run != *selection.run) return false;
    for (const Component component : controlled::kComponents) {
      const auto& wanted = selection.components[component];
      if (wanted && row.components[component] != *wanted) return false;
    }
    results_.add(strategy, row, place);
    return true;
  }

  void count_undeclared(std::string_view name) {
    constexpr std::size_t kMaxNames = 1000;
    const auto found = undeclared_.find(std::string(name));
    if (found != undeclared_.end()) {
      ++found->second;
    } else {
      ++undeclared_[undeclared_.size() < kMaxNames ? std::string(name) : std::string("(others)")];
    }
  }

  const DeltaDeclaration& declared_;
  Results& results_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
  std::map<std::string, std::uint64_t> undeclared_;
  std::uint64_t not_selected_ = 0;
};

/// Reads all files of a declaration, each under a number.
class StudyReader {
 public:
  StudyReader(const DeltaDeclaration& declared, Results& results, std::vector<Diagnostic>& diagnostics)
      : router_(declared, results), diagnostics_(diagnostics) {
    if (!declared.reference.empty()) types_ = read_question_types(declared.reference);
  }

  void read_shared(const std::string& path) {
    const std::uint32_t file = number_of(path);
    read_result_file(
        path, types_,
        [&](const ResultRow& row, std::uint64_t line) {
          return router_.take(row, {file, line});
        },
        diagnostics_);
  }

  void read_of(std::size_t strategy, const std::string& path) {
    const std::uint32_t file = number_of(path);
    read_result_file(
        path, types_,
        [&](const ResultRow& row, std::uint64_t line) {
          return router_.take_of(strategy, row, {file, line});
        },
        diagnostics_);
  }

  [[nodiscard]] const RowRouter& router() const { return router_; }
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

 private:
  /// A file has one number, however often and in whatever way it is named.
  std::uint32_t number_of(const std::string& path) {
    std::error_code unknown;
    const std::string whole = std::filesystem::weakly_canonical(path, unknown).string();
    const auto [known, added] = numbers_.try_emplace(unknown ? path : whole, static_cast<std::uint32_t>(files_.size()));
    if (added) files_.push_back(path);
    return known->second;
  }

  RowRouter router_;
  std::vector<Diagnostic>& diagnostics_;
  QuestionTypes types_;
  std::vector<std::string> files_;
  std::map<std::string, std::uint32_t> numbers_;
};

void report_contradictions(const Results& results, const controlled::Declaration& declaration,
                           const std::vector<std::string>& files, std::vector<Diagnostic>& diagnostics) {
  std::map<std::uint32_t, ingest::DiagnosticLog> logs;
  for (const Contradiction& found : results.contradictions()) {
    auto log = logs.try_emplace(found.second.file, files[found.second.file]).first;
    const std::string& run = results.runs()[found.run];
    log->second.add(
        Severity::error, Fault::inconsistent_record, found.second.line, 0,
        fmt::format("instance `{}` of `{}`{} has another result in line {} of {}; several runs need the field `run`",
                    shortened(results.instances()[found.instance], 60),
                    shortened(declaration.strategies[found.strategy].name, 60),
                    run.empty() ? std::string() : fmt::format(" in run `{}`", shortened(run, 60)), found.first.line,
                    files[found.first.file]));
  }
  for (auto& [file, log] : logs) {
    for (Diagnostic& diagnostic : log.take()) diagnostics.push_back(std::move(diagnostic));
  }
}

/// A write path that both the declaration and rows state could be added up twice: nobody knows which is meant.
void refuse_two_write_paths(const controlled::Declaration& declaration, const Results& results) {
  for (const controlled::Execution& execution : results.executions()) {
    const controlled::Strategy& strategy = declaration.strategies[execution.strategy];
    if (!strategy.write_path) continue;
    const std::array declared{strategy.write_path->calls, strategy.write_path->seconds, strategy.write_path->dollars};
    for (std::size_t i = 0; i < declared.size(); ++i) {
      if (!declared[i] || !(execution.amounts[i] >= 0.0)) continue;
      throw Error(ExitCode::usage,
                  fmt::format("the declaration states write_path for {}, and its rows state {}; leave out one of them",
                              printable(strategy.name), controlled::name(controlled::kAmounts[i])));
    }
  }
}

}  // namespace

DeltaOutcome compare_strategies(const DeltaOptions& options) {
  const DeltaDeclaration declared = read_delta_declaration(options.declaration);
  std::vector<std::string> shared = declared.results;
  shared.insert(shared.end(), options.results.begin(), options.results.end());
  const bool none_of_their_own = std::all_of(declared.strategy_files.begin(), declared.strategy_files.end(),
                                             [](const auto& files) { return files.empty(); });
  if (shared.empty() && none_of_their_own) {
    throw Error(ExitCode::usage, "no results were named: put `results` into the declaration or name files");
  }
  DeltaOutcome outcome;
  Results results(declared.declaration.strategies.size());
  StudyReader reader(declared, results, outcome.diagnostics);
  for (const std::string& path : shared) reader.read_shared(path);
  for (std::size_t i = 0; i < declared.strategy_files.size(); ++i) {
    for (const std::string& path : declared.strategy_files[i]) reader.read_of(i, path);
  }
  results.finish();
  report_contradictions(results, declared.declaration, reader.files(), outcome.diagnostics);
  refuse_two_write_paths(declared.declaration, results);
  report::DeltaReport& report = outcome.report;
  report.resampling.resamples = options.resamples;
  report.resampling.seed = options.seed;
  report.declaration = declared.declaration;
  report.study = controlled::analyse(declared.declaration, results, report.resampling);
  report.undeclared = reader.router().undeclared();
  report.rows_not_selected = reader.router().not_selected();
  report.results = std::move(results);
  return outcome;
}

}  // namespace memuse::workflow
