// Judging with a language model through the real program, against a mock endpoint over real HTTP.

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "support/mock_judge.h"
#include "support/program.h"
#include "support/span_traces.h"

using namespace memuse::test;
using Json = nlohmann::json;

namespace {

constexpr const char* kKey = "sk-test-0123456789-secret-of-this-test";

/// A study of `episodes` episodes with two spans each, and what is needed to judge it.
class JudgedStudy {
 public:
  JudgedStudy(int episodes, MockHandler handler) : endpoint(std::move(handler)) {
    write_file(folder.path() / "key", kKey);
    write_file(folder.path() / "traces" / "notes.jsonl", two_span_trace(episodes));
    memuse_output({"ingest", folder / "traces", "--db", database()});
  }

  [[nodiscard]] std::string database() const { return folder / "study.db"; }

  [[nodiscard]] std::vector<std::string> command(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"judge", "--db",   database(),   "--judge",           "chat",       "--model",
                                 "mock",  "--json", "--base-url", endpoint.base_url(), "--key-file", folder / "key"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  [[nodiscard]] ProgramResult judge(const std::vector<std::string>& more = {}) const {
    return run_memuse(command(more));
  }

  [[nodiscard]] std::string spans() const {
    return memuse_output({"export", "spans", "--db", database(), "--judge", "mock", "-o", "-"});
  }

  /// `ep-3/S1` for every span that has an answer; none while nothing was judged.
  [[nodiscard]] std::set<std::string> judged_spans() const {
    std::set<std::string> judged;
    std::istringstream rows(memuse_output({"export", "spans", "--db", database(), "-o", "-"}));
    for (std::string row; std::getline(rows, row);) {
      const Json span = Json::parse(row);
      if (span["status"] == "judged") {
        judged.insert(span["episode"].get<std::string>() + "/" + span["span"].get<std::string>());
      }
    }
    return judged;
  }

  TemporaryFolder folder;
  MockEndpoint endpoint;
};

/// `ep-3/S1`: the span that a request is about, from the task that was read and the span in the opening; empty in the
/// first request, when nothing was read.
std::string span_asked_for(const Json& request) {
  const JudgeConversation conversation = conversation_in(request);
  constexpr std::string_view kTask = "Set the limit of line ";
  for (const JudgeMessage& message : conversation) {
    const std::size_t at = message.text.find(kTask);
    if (at == std::string::npos || message.role != "tool") continue;
    const std::size_t number = at + kTask.size();
    return "ep-" + message.text.substr(number, message.text.find(' ', number) - number) + "/" + span_in(conversation);
  }
  return {};
}

Json summary_of(const ProgramResult& result) {
  INFO(result.err);
  const Json summary = Json::parse(result.out, nullptr, false);
  REQUIRE(summary.is_object());
  return summary;
}

MockReply careful(const Json& request, const MockCall&) {
  return careful_reply(request);
}

/// Every file below a folder.
std::map<std::string, std::string> files_below(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), folder).string()] = read_file(entry.path());
  }
  return files;
}

/// Starts the program and leaves it running; output goes to /dev/null.
pid_t start(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{MEMUSE_BINARY};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : all) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, MEMUSE_BINARY, &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE(failed == 0);
  return child;
}

}  // namespace

TEST_CASE("a careful judge behind an endpoint: all spans accepted, labels as it gave them", "[judge-endpoint]") {
  const JudgedStudy study(3, [](const Json& request, const MockCall&) {
    return careful_reply(
        request,
        {{"novelty", "redundant"},
         {"evidence", {{{"file", "task"}, {"quote", "as the harbour office asks."}, {"supports", "novelty"}}}}});
  });
  const ProgramResult result = study.judge();
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json summary = summary_of(result);
  CHECK(summary["accepted"] == 6);
  CHECK(summary["spans"] == 6);
  CHECK(summary["unresolved"] == 0);
  CHECK(summary["stopped"] == "none");
  CHECK(summary["calls"].get<int>() >= 12);
  CHECK(summary["cost_usd"].is_null());
  std::istringstream rows(study.spans());
  int count = 0;
  for (std::string row; std::getline(rows, row); ++count) {
    const Json span = Json::parse(row);
    CHECK(span["verdict"] == "neutral");
    CHECK(span["status"] == "judged");
  }
  CHECK(count == 6);
  // Every request went to the right place, with the key where it belongs.
  for (const MockRequest& request : study.endpoint.requests()) {
    CHECK(request.call.path == "/v1/chat/completions");
    CHECK(request.call.headers.at("authorization") == std::string("Bearer ") + kKey);
    CHECK(request.body["model"] == "mock");
  }
  // A second time there is nothing to ask.
  const std::size_t asked = study.endpoint.request_count();
  const Json again = summary_of(study.judge());
  CHECK(again["kept"] == 6);
  CHECK(again["accepted"] == 0);
  CHECK(study.endpoint.request_count() == asked);
  const std::string shown = memuse_output({"show", "span", "ep-1/S1", "--db", study.database(), "--judge", "mock"});
  CHECK(shown.find("How it was judged") != std::string::npos);
  CHECK(shown.find("prior_context") != std::string::npos);
}

TEST_CASE("the key is in nothing that is written", "[judge-endpoint]") {
  JudgedStudy study(2, [](const Json& request, const MockCall& call) {
    // An endpoint that gives the key back in an error, and once in a reply.
    if (call.number == 1) {
      MockReply reply =
          mock_raw(500, R"({"error": {"message": "bad key )" + std::string(kKey) + R"("}})", "application/json");
      return reply;
    }
    MockReply reply = careful_reply(request);
    reply.text = "I was called with " + std::string(kKey);
    return reply;
  });
  const ProgramResult result = study.judge({"--record", study.folder / "recording"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find(kKey) == std::string::npos);
  CHECK(result.err.find(kKey) == std::string::npos);
  for (const auto& [name, bytes] : files_below(study.folder.path())) {
    INFO(name);
    if (name != "key") CHECK(bytes.find(kKey) == std::string::npos);
  }
  study.endpoint.set_handler([](const Json&, const MockCall&) {
    return mock_raw(401, R"({"error": {"message": "wrong key )" + std::string(kKey) + R"("}})", "application/json");
  });
  const ProgramResult refused = study.judge({"--temperature", "0.5"});
  CHECK(refused.exit_code == 3);
  CHECK(refused.err.find(kKey) == std::string::npos);
  CHECK(refused.out.find(kKey) == std::string::npos);
  CHECK(summary_of(refused)["stopped"] == "endpoint");
}

TEST_CASE("a recording gives the same bytes without an endpoint", "[judge-endpoint]") {
  JudgedStudy study(3, careful);
  const std::string recording = study.folder / "recording";
  REQUIRE(study.judge({"--record", recording, "--parallel", "4"}).exit_code == 0);
  const std::string spans = study.spans();
  const std::string entries =
      memuse_output({"export", "entries", "--db", study.database(), "--judge", "mock", "--format", "jsonl", "-o", "-"});
  const std::string host = study.endpoint.origin();
  for (const auto& [name, bytes] : files_below(recording)) {
    INFO(name);
    CHECK(bytes.find(host) == std::string::npos);
    CHECK(bytes.find("127.0.0.1") == std::string::npos);
  }
  study.endpoint.set_handler([](const Json&, const MockCall&) { return mock_raw(500, "no", "text/plain"); });
  const std::size_t asked = study.endpoint.request_count();
  const std::string other = study.folder / "other.db";
  memuse_output({"ingest", study.folder / "traces", "--db", other});
  const ProgramResult replayed =
      run_memuse({"judge", "--db", other, "--judge", "replay", "--from", recording, "--json"});
  INFO(replayed.err);
  CHECK(replayed.exit_code == 0);
  CHECK(summary_of(replayed)["accepted"] == 6);
  CHECK(study.endpoint.request_count() == asked);
  CHECK(memuse_output({"export", "spans", "--db", other, "-o", "-"}) == spans);
  CHECK(memuse_output({"export", "entries", "--db", other, "--format", "jsonl", "-o", "-"}) == entries);

  SECTION("a span that was not recorded is told, the others are judged") {
    write_file(study.folder.path() / "more" / "notes.jsonl", two_span_trace(4));
    const std::string larger = study.folder / "larger.db";
    memuse_output({"ingest", study.folder / "more", "--db", larger});
    const ProgramResult partial =
        run_memuse({"judge", "--db", larger, "--judge", "replay", "--from", recording, "--json"});
    CHECK(partial.exit_code == 1);
    const Json summary = summary_of(partial);
    CHECK(summary["accepted"] == 6);
    CHECK(summary["failed"] == 2);
    CHECK(summary["undecided"][0]["span"] == "notes/r1/ep-4/S1");
    CHECK(summary["undecided"][0]["reason"].get<std::string>().find("record") != std::string::npos);
  }
}

TEST_CASE("killed at any moment, the same command goes on and pays for no answer twice", "[judge-endpoint]") {
  constexpr int kEpisodes = 100;
  constexpr int kKills = 50;
  std::mutex mutex;
  std::set<std::string> committed;  // spans whose answer was in the database after a kill
  std::map<std::string, int> answered;
  int asked_again = 0;
  const auto handler = [&](const Json& request, const MockCall&) {
    MockReply reply = careful_reply(request);
    reply.latency = std::chrono::milliseconds(2);
    const std::string span = span_asked_for(request);
    const std::lock_guard lock(mutex);
    asked_again += committed.contains(span) ? 1 : 0;
    if (is_answered_by(reply)) ++answered[span];
    return reply;
  };
  JudgedStudy study(kEpisodes, handler);
  study.endpoint.keep_bodies(false);
  std::mt19937 random(20261130);
  int killed = 0;
  for (int i = 0; i < kKills; ++i) {
    const pid_t child = start(study.command({"--parallel", "4"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution<int>(10, 120)(random)));
    kill(child, SIGKILL);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    std::set<std::string> judged = study.judged_spans();
    const std::lock_guard lock(mutex);
    CHECK(std::includes(judged.begin(), judged.end(), committed.begin(), committed.end()));
    committed = std::move(judged);
  }
  CHECK(killed > 0);
  const ProgramResult last = study.judge({"--parallel", "4"});
  INFO(last.err);
  REQUIRE(last.exit_code == 0);
  const Json summary = summary_of(last);
  CHECK(summary["kept"] == committed.size());
  CHECK(summary["accepted"] == 2 * kEpisodes - committed.size());
  CHECK(asked_again == 0);
  // Beyond one answer a span, no more than the spans in flight at a kill were paid for.
  int answers = 0;
  for (const auto& [span, times] : answered) answers += times;
  CHECK(answered.size() == 2 * kEpisodes);
  CHECK(answers <= 2 * kEpisodes + kKills * 4);

  const std::string spans = study.spans();
  committed.clear();
  const JudgedStudy undisturbed(kEpisodes, handler);
  REQUIRE(undisturbed.judge().exit_code == 0);
  CHECK(spans == undisturbed.spans());
}

TEST_CASE("limits stop the command, say so, and the next one goes on", "[judge-endpoint]") {
  JudgedStudy study(4, careful);
  write_file(study.folder.path() / "prices.json",
             R"({"date": "2026-01-01", "currency": "USD", "per_tokens": 1000000,
                 "models": [{"model": "mock", "input": 1000, "output": 1000}]})");
  const std::vector<std::string> prices{"--prices", study.folder / "prices.json"};
  SECTION("spans") {
    const ProgramResult first = study.judge({"--max-spans", "3"});
    CHECK(first.exit_code == 4);
    const Json summary = summary_of(first);
    CHECK(summary["accepted"] == 3);
    CHECK(summary["left"] == 5);
    CHECK(summary["stopped"] == "max_spans");
    const Json second = summary_of(study.judge());
    CHECK(second["accepted"] == 5);
    CHECK(second["kept"] == 3);
  }
  SECTION("money") {
    // Every call costs 100 + 20 tokens, $0.12; a span takes two or more.
    const ProgramResult first = study.judge({"--max-cost", "0.7", "--prices", study.folder / "prices.json"});
    CHECK(first.exit_code == 4);
    const Json summary = summary_of(first);
    CHECK(summary["stopped"] == "max_cost");
    CHECK(summary["accepted"].get<int>() >= 1);
    CHECK(summary["cost_usd"].get<double>() <= 0.7 + 1e-9);
    CHECK(summary["cost_usd"].get<double>() == Approx(0.12 * summary["calls"].get<double>()));
    const Json rest = summary_of(study.judge(prices));
    CHECK(rest["accepted"].get<int>() + summary["accepted"].get<int>() == 8);
  }
  SECTION("a limit on money needs a price") {
    const ProgramResult refused = study.judge({"--max-cost", "1"});
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("--prices") != std::string::npos);
    CHECK(study.endpoint.request_count() == 0);
  }
  SECTION("a sample") {
    const Json summary = summary_of(study.judge({"--sample", "3", "--seed", "7"}));
    CHECK(summary["spans"] == 3);
    CHECK(summary["population"] == 8);
    CHECK(summary["accepted"] == 3);
    CHECK(memuse_output({"tables", "profile", "--format", "json", "--db", study.database()})
              .find("partial: 3 of 8 spans") != std::string::npos);
    CHECK(study.judge({"--sample", "4", "--seed", "7"}).exit_code == 2);
    CHECK(summary_of(study.judge({"--sample", "3", "--seed", "7"}))["kept"] == 3);
    CHECK(summary_of(study.judge())["accepted"] == 5);
    CHECK(memuse_output({"tables", "profile", "--format", "json", "--db", study.database()}).find("partial") ==
          std::string::npos);
  }
}

TEST_CASE("a dry run asks nothing and names its assumptions", "[judge-endpoint]") {
  const JudgedStudy study(2, careful);
  std::vector<std::string> command = study.command({"--dry-run"});
  const Json estimate = summary_of(run_memuse(command));
  CHECK(study.endpoint.request_count() == 0);
  CHECK(estimate["spans"] == 4);
  CHECK(estimate["entries"] == 4);
  CHECK(estimate["low"]["calls"] == 8);
  CHECK(estimate["low"]["input_tokens"].get<int>() < estimate["high"]["input_tokens"].get<int>());
  CHECK(estimate["low"]["cost_usd"].is_null());
  CHECK(estimate["assumptions"].size() >= 4);
  // What a careful judge then takes lies between the two ends.
  const Json summary = summary_of(study.judge());
  CHECK(summary["calls"].get<int>() >= estimate["low"]["calls"].get<int>());
  CHECK(summary["calls"].get<int>() <= estimate["high"]["calls"].get<int>());
}

TEST_CASE("storms of failures lose nothing and pay for no answer twice", "[judge-endpoint]") {
  std::mutex mutex;
  std::map<std::string, int> answered;
  const auto stormy = [&](const Json& request, const MockCall& call) {
    switch (call.number % 7) {
      case 1: {
        MockReply reply = mock_error(MockForm::openai, 429, "slow down");
        if (call.number % 2 == 0) reply.headers["Retry-After"] = "0";
        return reply;
      }
      case 2:
        return mock_error(MockForm::openai, 503, "overloaded");
      case 3: {
        MockReply reply = careful_reply(request);
        reply.fault = call.number % 2 == 0 ? MockFault::drop_before_headers : MockFault::drop_in_body;
        return reply;
      }
      case 4:
        return mock_raw(200, "<html><body>gateway</body></html>", "text/html");
      case 5: {
        MockReply reply = careful_reply(request);
        reply.fault = MockFault::truncated_stream;
        return reply;
      }
      default: {
        MockReply reply = careful_reply(request);
        if (is_answered_by(reply)) {
          const std::lock_guard lock(mutex);
          ++answered[request.dump()];
        }
        return reply;
      }
    }
  };
  const JudgedStudy study(3, stormy);
  // A long row of failures must not end a call: as many retries as the storm may want.
  const ProgramResult result = study.judge({"--retries", "60", "--first-wait", "0.001"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(summary_of(result)["accepted"] == 6);
  CHECK(answered.size() == 6);
  for (const auto& [request, times] : answered) CHECK(times == 1);
  CHECK(result.err.find("trying again") != std::string::npos);
}

TEST_CASE("an endpoint that is gone ends the command, and nothing is decided", "[judge-endpoint]") {
  JudgedStudy study(8, [](const Json&, const MockCall&) { return mock_error(MockForm::openai, 503, "closed"); });
  const ProgramResult result = study.judge({"--retries", "0", "--parallel", "2"});
  CHECK(result.exit_code == 3);
  const Json summary = summary_of(result);
  CHECK(summary["stopped"] == "endpoint");
  CHECK(summary["accepted"] == 0);
  CHECK(summary["unresolved"] == 0);
  CHECK(summary["failed"].get<int>() < 16);
  study.endpoint.set_handler(careful);
  CHECK(summary_of(study.judge())["accepted"] == 16);
}

TEST_CASE("a lazy judge ends as unresolved, with what it did not read, and can be asked again", "[judge-endpoint]") {
  JudgedStudy study(1, [](const Json& request, const MockCall&) {
    const JudgeConversation conversation = conversation_in(request);
    ReadingHabit habit;
    habit.calls_in_reply = 64;
    habit.skipped = {"steps/0001"};
    return mock_move(reading_move(conversation, habit, same_answer(conversation)));
  });
  const ProgramResult result = study.judge();
  CHECK(result.exit_code == 1);
  const Json summary = summary_of(result);
  CHECK(summary["unresolved"] == 2);
  for (const Json& span : summary["undecided"]) {
    CHECK(span["reason"].get<std::string>().find("steps/0001") != std::string::npos);
    CHECK(span["reason"].get<std::string>().find("steps/0002") == std::string::npos);
  }
  CHECK(memuse_output({"show", "span", "ep-1/S1", "--db", study.database()}).find("unresolved") != std::string::npos);
  study.endpoint.set_handler(careful);
  const std::size_t asked = study.endpoint.request_count();
  CHECK(summary_of(study.judge())["unresolved_before"] == 2);
  CHECK(study.endpoint.request_count() == asked);
  const Json retried = summary_of(study.judge({"--retry-unresolved"}));
  CHECK(retried["accepted"] == 2);
}

TEST_CASE("options that do not fit together are told", "[judge-endpoint]") {
  const JudgedStudy study(1, careful);
  const auto fails = [&](const std::vector<std::string>& arguments, const std::string& word) {
    const ProgramResult result = run_memuse(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(word) != std::string::npos);
  };
  fails({"judge", "--db", study.database(), "--model", "mock"}, "--judge chat");
  fails({"judge", "--db", study.database(), "--judge", "chat"}, "--model");
  fails({"judge", "--db", study.database(), "--judge", "replay"}, "--from");
  fails({"judge", "--db", study.database(), "--judge", "replay", "--from", study.folder / "traces"}, "recording");
  fails(study.command({"--seed", "4"}), "--sample");
  fails({"judge", "--db", study.database(), "--judge", "chat", "--model", "mock", "--base-url", "ftp://127.0.0.1/"},
        "http");
  fails(study.command({"--prompts", study.folder / "traces"}), "system.md");
  CHECK(study.endpoint.request_count() == 0);
}
