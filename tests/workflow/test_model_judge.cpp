#include "workflow/model_judge_job.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "agentic_judge/prompts.h"
#include "judge/answer_format.h"
#include "store/judgements.h"
#include "store/reader.h"
#include "support/data.h"
#include "support/scripted_judge.h"
#include "support/span_traces.h"
#include "support/temporary_folder.h"
#include "workflow/ingest_job.h"
#include "workflow/label_read_job.h"
#include "workflow/study.h"

namespace memuse::workflow {
namespace {

std::string ingest(const test::TemporaryFolder& folder, const std::string& traces) {
  IngestOptions options;
  options.traces = {traces};
  options.database = folder / "study.db";
  NoProgress progress;
  ingest_traces(options, progress);
  return options.database;
}

ModelJudgeOptions options_for(const std::string& database, const std::string& model = "scripted") {
  ModelJudgeOptions options;
  options.database = database;
  options.prompts = agentic_judge::shipped_prompts();
  options.settings.judge = model;
  options.settings.protocol = "openai";
  options.settings.prompt_version = options.prompts.version;
  options.settings.prompt_sha256 = options.prompts.sha256();
  return options;
}

ModelJudgeSummary judge(const ModelJudgeOptions& options, chat::ChatModel& model) {
  NoProgress progress;
  return judge_with_model(options, model, progress);
}

/// Reads everything and gives every entry the same labels.
test::ScriptedModel careful_model() {
  return test::ScriptedModel(test::ScriptedModel::Script([](const test::JudgeConversation& conversation) {
    return test::reading_move(conversation, {}, test::same_answer(conversation));
  }));
}

/// Every span's answers of a judgement set, by "uid/number".
std::map<std::string, Answer> answers_of(const std::string& database, std::int64_t set) {
  std::map<std::string, Answer> answers;
  store::for_each_episode(store::Database::open_existing(database), {}, set, [&](const EpisodeSpansRecord& record) {
    for (const SpanRecord& span : record.spans) {
      if (span.status != SpanStatus::judged) continue;
      Answer& answer = answers[record.episode.uid + "/" + std::to_string(span.number)];
      for (const EntryRecord& entry : span.entries) {
        if (entry.answer) answer.entries.push_back(*entry.answer);
      }
    }
    return true;
  });
  return answers;
}

std::string exported(const std::string& database, const std::string& judge, const std::string& kind) {
  std::ostringstream out;
  Study(database, judge).write_export(kind, report::ExportFormat::csv, out);
  std::string text = out.str();
  for (std::size_t at = text.find(judge); at != std::string::npos; at = text.find(judge, at)) {
    text.replace(at, judge.size(), "JUDGE");
  }
  return text;
}

}  // namespace

TEST_CASE("a judge that answers as people did gives their verdicts and profiles", "[model-judge][shared]") {
  const std::filesystem::path runs = test::shared_data() / "recorded-runs";
  if (!std::filesystem::exists(runs / "labels")) {
    WARN("no reference data; skipped");
    return;
  }
  const test::TemporaryFolder folder;
  const std::string database = ingest(folder, (runs / "traces").string());
  NoProgress progress;
  for (const std::string labeller : {"annotator-1", "annotator-2"}) {
    LabelReadOptions labels;
    labels.database = database;
    labels.path = (runs / "labels" / (labeller + ".jsonl")).string();
    labels.labeller = labeller;
    labels.accept_unfound_quotes = true;
    const LabelReadSummary read = read_labels(labels, progress);
    REQUIRE(read.stored == 69);
    std::int64_t set = 0;
    for (const JudgementSetRecord& known : store::judgement_sets(store::Database::open_existing(database))) {
      if (known.judge == "label:" + labeller) set = known.id;
    }
    const std::map<std::string, Answer> answers = answers_of(database, set);
    // The annotators were shown outcomes, which are no evidence here: such quotes stand nowhere and are left out.
    test::ScriptedModel model(
        test::ScriptedModel::Answerer([&](const chat::ChatRequest& request, const chat::CallPlace& place) {
          Answer answer = answers.at(place.episode_uid + "/" + std::to_string(place.span));
          for (EntryAnswer& entry : answer.entries) {
            entry.evidence.erase(std::remove_if(entry.evidence.begin(), entry.evidence.end(),
                                                [](const Evidence& evidence) { return !evidence.place; }),
                                 entry.evidence.end());
          }
          const test::JudgeConversation conversation = test::conversation_in(request);
          const test::JudgeMove move = test::reading_move(conversation, {}, judge::answer_to_json(answer));
          return chat::ChatOutcome{test::reply_of(move, conversation), std::nullopt, 1};
        }));
    const std::string name = "as-" + labeller;
    const ModelJudgeSummary summary = judge(options_for(database, name), model);
    for (const UndecidedSpan& span : summary.undecided) WARN(span.span + ": " + span.reason);
    CHECK(summary.accepted == 69);
    for (const char* kind : {"spans", "profiles"}) {
      CHECK(exported(database, name, kind) == exported(database, "label:" + labeller, kind));
    }
  }
}

TEST_CASE("any number of spans at a time gives the same database", "[model-judge]") {
  const test::TemporaryFolder one;
  const test::TemporaryFolder many;
  std::vector<std::string> exports;
  for (const test::TemporaryFolder* folder : {&one, &many}) {
    const std::string traces = folder->write("notes.jsonl", test::two_span_trace(12));
    const std::string database = ingest(*folder, traces);
    test::ScriptedModel model = careful_model();
    ModelJudgeOptions options = options_for(database);
    options.parallel = folder == &one ? 1 : 16;
    CHECK(judge(options, model).accepted == 24);
    exports.push_back(exported(database, "scripted", "spans") + exported(database, "scripted", "entries"));
  }
  CHECK(exports[0] == exports[1]);
}

TEST_CASE("another prompt or model is another judgement set", "[model-judge]") {
  const test::TemporaryFolder folder;
  const std::string database = ingest(folder, folder.write("notes.jsonl", test::two_span_trace(2)));
  test::ScriptedModel model = careful_model();
  const ModelJudgeSummary first = judge(options_for(database), model);
  ModelJudgeOptions warmer = options_for(database);
  warmer.settings.span.temperature = 0.7;
  const ModelJudgeSummary second = judge(warmer, model);
  CHECK(first.set != second.set);
  CHECK(second.accepted == 4);
  const ModelJudgeSummary again = judge(options_for(database), model);
  CHECK(again.set == first.set);
  CHECK(again.kept == 4);
}

TEST_CASE("what calls cost is kept, also where nothing was decided", "[model-judge]") {
  const test::TemporaryFolder folder;
  const std::string database = ingest(folder, folder.write("notes.jsonl", test::two_span_trace(3)));
  chat::TokenUsage usage;
  usage.input = 1'000;
  usage.output = 100;
  // Two calls of every conversation get a reply; every third fails.
  test::ScriptedModel failing(
      test::ScriptedModel::Answerer([&](const chat::ChatRequest& request, const chat::CallPlace& place) {
        if (place.call > 2) {
          return chat::ChatOutcome{std::nullopt, chat::ChatError{chat::ChatFault::refused_request, "no more"}, 1};
        }
        test::JudgeMove move;
        move.calls.push_back({"list_files", nlohmann::ordered_json::object()});
        chat::ChatReply reply = test::reply_of(move, test::conversation_in(request));
        reply.usage = usage;
        return chat::ChatOutcome{std::move(reply), std::nullopt, 1};
      }));
  ModelJudgeOptions options = options_for(database);
  options.parallel = 1;
  chat::Price price;
  price.input = 1'000.0;
  price.output = 10'000.0;
  options.price = price;
  const ModelJudgeSummary summary = judge(options, failing);
  CHECK(summary.accepted == 0);
  CHECK(summary.stopped == StopReason::endpoint);
  const double each = 1.0 + 1.0;  // dollars for 1,000 input and 100 output tokens
  CHECK(summary.calls.cost_usd == Approx(each * static_cast<double>(summary.calls.calls)));
  const auto sets = store::judgement_sets(store::Database::open_existing(database));
  REQUIRE(sets.size() == 1);
  CHECK(sets.front().cost_usd.value_or(0) == Approx(summary.calls.cost_usd));
  CHECK(sets.front().accepted == 0);
  CHECK(sets.front().unresolved == 0);
}

TEST_CASE("answers that rest on a shown outcome are given anew when it changes", "[model-judge]") {
  const test::TemporaryFolder folder;
  const std::string traces = folder.write("notes.jsonl", test::two_span_trace(2));
  const std::string database = ingest(folder, traces);
  test::ScriptedModel model = careful_model();
  ModelJudgeOptions shown = options_for(database);
  shown.settings.evidence.outcome = true;
  CHECK(judge(shown, model).accepted == 4);
  CHECK(judge(options_for(database), model).accepted == 4);
  IngestOptions again;
  again.traces = {traces};
  again.database = database;
  again.outcomes = folder.write("outcomes.csv", "task_id,resolved\ntask-1,true\n");
  NoProgress progress;
  ingest_traces(again, progress);
  const ModelJudgeSummary renewed = judge(shown, model);
  CHECK(renewed.accepted == 2);
  CHECK(renewed.kept == 2);
  CHECK(judge(options_for(database), model).kept == 4);
}

TEST_CASE("a source that is gone costs nothing and is told", "[model-judge]") {
  const test::TemporaryFolder folder;
  const std::string traces = folder.write("notes.jsonl", test::two_span_trace(2));
  const std::string database = ingest(folder, traces);
  std::filesystem::remove(traces);
  test::ScriptedModel model = careful_model();
  const ModelJudgeSummary summary = judge(options_for(database), model);
  CHECK(summary.unread == 4);
  CHECK(summary.diagnostics.size() == 2);
  CHECK(model.requests.empty());
}

}  // namespace memuse::workflow
