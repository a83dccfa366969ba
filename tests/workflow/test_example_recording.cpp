// The recording that ships with the examples: answers written by hand (examples/labels/careful.jsonl), given through
// the whole tool loop by a scripted judge that reads every file. `test_workflow "[.record]"` makes it anew, which is
// needed when prompts, tools or evidence files change; the other tests of this file then say whether it fits.

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "agentic_judge/prompts.h"
#include "chat/recording.h"
#include "store/reader.h"
#include "support/data.h"
#include "support/scripted_judge.h"
#include "support/temporary_folder.h"
#include "workflow/ingest_job.h"
#include "workflow/judge_settings.h"
#include "workflow/model_judge_job.h"

namespace memuse::workflow {
namespace {

using Json = nlohmann::ordered_json;

const std::filesystem::path kRoot(MEMUSE_SOURCE_DIR);
const std::filesystem::path kRecording = kRoot / "examples" / "recording";

/// The answer for each span of the examples, by "run/episode/S1".
std::map<std::string, Json> answers() {
  std::map<std::string, Json> all;
  std::ifstream in(kRoot / "examples" / "labels" / "careful.jsonl");
  for (std::string line; std::getline(in, line);) {
    const Json row = Json::parse(line);
    const std::string span =
        row["run"].get<std::string>() + "/" + row["episode"].get<std::string>() + "/" + row["span"].get<std::string>();
    Json entry = row;
    for (const char* key : {"configuration", "run", "episode", "span", "item"}) entry.erase(key);
    all[span]["entries"].push_back(entry);
  }
  return all;
}

std::string ingest_cards(const test::TemporaryFolder& folder) {
  IngestOptions options;
  options.traces = {(kRoot / "examples" / "traces" / "cards.r1.jsonl").string(),
                    (kRoot / "examples" / "traces" / "cards.r2.jsonl").string()};
  options.database = folder / "cards.db";
  NoProgress progress;
  ingest_traces(options, progress);
  return options.database;
}

ModelJudgeOptions options_for(const std::string& database) {
  ModelJudgeOptions options;
  options.database = database;
  options.prompts = agentic_judge::shipped_prompts();
  options.settings.judge = "scripted-judge";
  options.settings.protocol = "openai";
  options.settings.prompt_version = options.prompts.version;
  options.settings.prompt_sha256 = options.prompts.sha256();
  return options;
}

/// A judge that reads everything and answers as the file says.
std::unique_ptr<chat::ChatModel> careful_judge(const std::string& database) {
  std::map<std::string, std::string> names;  // of episodes, by uid
  const store::Database study = store::Database::open_existing(database);
  for (const EpisodeRecord& episode : store::find_episodes(study, {})) {
    names[episode.uid] = episode.run + "/" + episode.episode;
  }
  const auto script = [names, all = answers()](const chat::ChatRequest& request, const chat::CallPlace& place) {
    const test::JudgeConversation conversation = test::conversation_in(request);
    test::ReadingHabit habit;
    const std::string span = names.at(place.episode_uid) + "/S" + std::to_string(place.span);
    chat::ChatReply reply = test::reply_of(test::reading_move(conversation, habit, all.at(span)), conversation);
    reply.model = "scripted-judge";
    return chat::ChatOutcome{std::move(reply), std::nullopt, 1};
  };
  return std::make_unique<test::ScriptedModel>(test::ScriptedModel::Answerer(script));
}

}  // namespace

TEST_CASE("makes the recording of the examples anew", "[.record]") {
  const test::TemporaryFolder folder;
  const std::string database = ingest_cards(folder);
  const ModelJudgeOptions options = options_for(database);
  std::filesystem::remove_all(kRecording);
  const auto model = chat::record(careful_judge(database), kRecording, recording_description(options.settings));
  NoProgress progress;
  const ModelJudgeSummary summary = judge_with_model(options, *model, progress);
  for (const UndecidedSpan& span : summary.undecided) WARN(span.span + ": " + span.reason);
  CHECK(summary.accepted == answers().size());
}

TEST_CASE("the recording of the examples replays to the answers that were written", "[recording]") {
  const test::TemporaryFolder folder;
  const std::string database = ingest_cards(folder);
  ModelJudgeOptions options = options_for(database);
  INFO("prompts, tools or evidence files have changed: make the recording anew (test_workflow \"[.record]\")");
  REQUIRE(settings_json(settings_from_description(chat::recording_description(kRecording))) ==
          settings_json(options.settings));
  const auto model = chat::replay(kRecording);
  NoProgress progress;
  const ModelJudgeSummary summary = judge_with_model(options, *model, progress);
  for (const UndecidedSpan& span : summary.undecided) WARN(span.span + ": " + span.reason);
  REQUIRE(summary.accepted == answers().size());
  std::size_t entries = 0;
  const std::map<std::string, Json> expected = answers();
  store::for_each_episode(
      store::Database::open_existing(database), {}, summary.set, [&](const EpisodeSpansRecord& record) {
        for (const SpanRecord& span : record.spans) {
          if (span.status != SpanStatus::judged) continue;
          const Json& rows = expected.at(record.episode.run + "/" + record.episode.episode + "/S" +
                                         std::to_string(span.number))["entries"];
          for (const Json& row : rows) {
            const auto& answer = span.entries.at(row["entry"].get<std::size_t>()).answer;
            REQUIRE(answer);
            CHECK(answer->reason == row["reason"].get<std::string>());
            CHECK(answer->labels.influence == parse_name<Influence>(row["influence"].get<std::string>()));
            for (const Evidence& evidence : answer->evidence) CHECK(evidence.place);
            ++entries;
          }
        }
        return true;
      });
  CHECK(entries == 14);
}

}  // namespace memuse::workflow
