#include <fstream>

#include "calls.h"
#include "chat/recording.h"
#include "model/error.h"
#include "support/program.h"
#include "support/temporary_folder.h"

namespace memuse::chat {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using test::TemporaryFolder;

const std::string kUid = "0123456789abcdef0123456789abcdef";
const std::string kSpanFile = kUid + "-S3.jsonl";

/// A model that answers with the number of its calls; when it is told so, with faults first.
class Script : public ChatModel {
 public:
  explicit Script(std::vector<ChatFault> faults = {}) : faults_(std::move(faults)) {}
  ChatOutcome complete(const ChatRequest&, const CallPlace& place) override {
    ++calls;
    if (calls <= faults_.size()) return {std::nullopt, ChatError{faults_[calls - 1], "a fault of the script"}, 1};
    ChatReply reply;
    reply.message.role = ChatRole::assistant;
    reply.message.text = "answer " + std::to_string(place.call) + " “π”";
    reply.message.tool_calls.push_back({"id-" + std::to_string(calls), "read_file", R"({"file":"task"})"});
    reply.message.as_received = json::array({{{"type", "thinking"}, {"signature", "s"}}});
    reply.reasoning = "because";
    reply.finish = FinishReason::tool_calls;
    reply.usage = {10U, 4U, std::nullopt, 7U, 0.25};
    reply.model = "scripted";
    return {std::move(reply), std::nullopt, 1};
  }
  std::size_t calls = 0;

 private:
  std::vector<ChatFault> faults_;
};

/// Grows a conversation call by call; gives the replies as JSON lines.
std::string converse(ChatModel& model, std::uint32_t calls) {
  ChatRequest request = long_request();
  std::string all;
  for (std::uint32_t i = 1; i <= calls; ++i) {
    const ChatOutcome outcome = model.complete(request, {kUid, 3, i});
    if (outcome.error) return all + std::string(name(outcome.error->fault)) + ": " + outcome.error->message;
    all += to_json(*outcome.reply).dump() + "\n";
    request.messages.push_back(outcome.reply->message);
    request.messages.push_back({ChatRole::tool, "result", {}, outcome.reply->message.tool_calls[0].id, nullptr});
  }
  return all;
}

const ordered_json kDescription{{"judge", "chat"}, {"model", "some-model"}};

}  // namespace

TEST_CASE("recording: a replay gives every reply byte for byte, and the same file when recorded again") {
  const TemporaryFolder folder;
  const std::string recorded = converse(*record(std::make_unique<Script>(), folder / "a", kDescription), 4);
  const auto replayed = replay(folder / "a");
  CHECK(converse(*replayed, 4) == recorded);
  CHECK(converse(*replayed, 4) == recorded);
  CHECK(recording_description(folder / "a") == kDescription);

  converse(*record(replay(folder / "a"), folder / "b", kDescription), 4);
  CHECK(test::read_file(folder / ("a/" + kSpanFile)) == test::read_file(folder / ("b/" + kSpanFile)));
  CHECK(test::read_file(folder / "a/recording.json") == test::read_file(folder / "b/recording.json"));
}

TEST_CASE("recording: a request that differs is refused, and what differs is said") {
  const TemporaryFolder folder;
  converse(*record(std::make_unique<Script>(), folder / "a", kDescription), 2);
  const auto model = replay(folder / "a");
  const auto why = [&](const ChatRequest& request, std::uint32_t call) {
    const ChatError error = error_of(model->complete(request, {kUid, 3, call}));
    CHECK(error.fault == ChatFault::not_recorded);
    CHECK(error.message.find("call " + std::to_string(call) + " of span S3 of episode " + kUid) != std::string::npos);
    return error.message;
  };
  const auto says = [](const std::string& message, const char* part) {
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
  };
  ChatRequest request = long_request();
  request.temperature = 0.5;
  says(why(request, 1), "the tools or options");
  request = long_request();
  request.messages[0].text += " Kindly.";
  says(why(request, 1), "the prompt or the index");
  request = long_request();
  request.messages.pop_back();
  says(why(request, 1), "has 4 messages here and 5 in the recording");
  request = long_request();
  request.messages.back().text = "another target";
  says(why(request, 1), "the last message");
  request = long_request();
  request.messages[3].text = "another task";
  says(why(request, 1), "in the middle");
  says(why(long_request(), 3), "ends before it, with 2 calls");
  const ChatError other = error_of(model->complete(long_request(), {kUid, 4, 1}));
  says(other.message, "S4.jsonl cannot be read");
}

TEST_CASE("recording: failed calls leave no line, except the one that changes the conversation") {
  const TemporaryFolder folder;
  const auto model =
      record(std::make_unique<Script>(std::vector<ChatFault>{ChatFault::bad_reply, ChatFault::context_too_long}),
             folder / "a", kDescription);
  CHECK(error_of(model->complete(long_request(), {kUid, 3, 1})).fault == ChatFault::bad_reply);
  CHECK_FALSE(std::filesystem::exists(folder / ("a/" + kSpanFile)));
  CHECK(error_of(model->complete(long_request(), {kUid, 3, 1})).fault == ChatFault::context_too_long);
  reply_of(model->complete(short_request(), {kUid, 3, 1}));
  const auto again = replay(folder / "a");
  CHECK(error_of(again->complete(long_request(), {kUid, 3, 1})).fault == ChatFault::context_too_long);
  CHECK(reply_of(again->complete(short_request(), {kUid, 3, 1})).message.text == "answer 1 “π”");
}

TEST_CASE("recording: goes on in the same folder; a conversation that starts again replaces its span") {
  const TemporaryFolder folder;
  converse(*record(std::make_unique<Script>(), folder / "a", kDescription), 3);
  const std::string three = test::read_file(folder / ("a/" + kSpanFile));
  // A torn line of a killed run is not in the way.
  std::ofstream(folder / ("a/" + kSpanFile), std::ios::app) << R"({"call": 4, "request_s)";
  CHECK(converse(*replay(folder / "a"), 3).find("not_recorded") == std::string::npos);
  const std::string again = converse(*record(std::make_unique<Script>(), folder / "a", kDescription), 2);
  CHECK(three.rfind(test::read_file(folder / ("a/" + kSpanFile)), 0) == 0);
  CHECK(converse(*replay(folder / "a"), 2) == again);

  // The first conversation ended after its first or second call; the second one counts.
  for (const std::uint32_t ended : {1U, 2U}) {
    const TemporaryFolder other;
    const auto model = record(std::make_unique<Script>(), other / "b", kDescription);
    converse(*model, ended);
    const std::string second = converse(*model, 3);
    CHECK(converse(*replay(other / "b"), 3) == second);
  }
}

TEST_CASE("recording: another description, other files, or no folder are refused") {
  const TemporaryFolder folder;
  converse(*record(std::make_unique<Script>(), folder / "a", kDescription), 1);
  const auto code_of = [&](const std::string& path, const ordered_json& description) {
    try {
      record(std::make_unique<Script>(), path, description);
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::ok;
  };
  CHECK(code_of(folder / "a", kDescription) == ExitCode::ok);
  CHECK(code_of(folder / "a", {{"model", "some-model"}, {"judge", "chat"}}) == ExitCode::ok);
  CHECK(code_of(folder / "a", {{"judge", "chat"}, {"model", "another"}}) == ExitCode::usage);
  folder.write("full/of.txt", "files");
  CHECK(code_of(folder / "full", kDescription) == ExitCode::usage);
  CHECK(code_of(folder / "full/of.txt", kDescription) == ExitCode::environment);
  CHECK_THROWS_AS(replay(folder / "nowhere"), Error);
  CHECK_THROWS_AS(replay(folder / "full"), Error);
}

TEST_CASE("recording: hostile folders are clear errors") {
  const TemporaryFolder folder;
  for (const std::string& text : {std::string(), std::string("[]"), std::string("{\"schema\": \"other/1\"}"),
                                  std::string("{\"schema\": \"memuse-recording/1\"}"), std::string(50'000, '['),
                                  std::string("\xff"), std::string(2'000'000, ' ')}) {
    folder.write("bad/recording.json", text);
    try {
      replay(folder / "bad");
      FAIL("a recording: " << text.substr(0, 50));
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::usage);
      CHECK(std::string(error.what()).find("recording.json") != std::string::npos);
    }
  }
  converse(*record(std::make_unique<Script>(), folder / "a", kDescription), 1);
  const std::string good = test::read_file(folder / ("a/" + kSpanFile));
  std::vector<std::string> lines{"", "{}", "[]", "null", "\xff\xfe", std::string(50'000, '{'), std::string(3, '\0')};
  for (const char* member : {"call", "request_sha256", "messages", "reply"}) {
    json changed = json::parse(good);
    changed[member] = json::array({1});
    lines.push_back(changed.dump());
    changed.erase(member);
    lines.push_back(changed.dump());
  }
  json unknown = json::parse(good);
  unknown.erase("reply");
  unknown["fault"] = "refused_key";
  lines.push_back(unknown.dump());
  for (const std::string& line : lines) {
    INFO(line.substr(0, 80));
    folder.write("a/" + kSpanFile, line + "\n" + good);
    const ChatError error = error_of(replay(folder / "a")->complete(long_request(), {kUid, 3, 1}));
    CHECK(error.fault == ChatFault::not_recorded);
    CHECK(error.message.find("line 1 of " + kSpanFile + " is no recorded exchange") != std::string::npos);
  }
  std::filesystem::remove(folder / ("a/" + kSpanFile));
  std::filesystem::create_directory(folder / ("a/" + kSpanFile));
  CHECK(error_of(replay(folder / "a")->complete(long_request(), {kUid, 3, 1})).fault == ChatFault::not_recorded);
}

TEST_CASE("recording: a uid that is a path is refused before anything is asked or written") {
  const TemporaryFolder folder;
  auto script = std::make_unique<Script>();
  const Script& asked = *script;
  const auto recorder = record(std::move(script), folder / "a", kDescription);
  const auto player = replay(folder / "a");
  for (const std::string& uid : {std::string("../../etc/passwd"), std::string(), std::string("abc/def"),
                                 std::string("ABC"), std::string("a\0b", 3), std::string(1'000, 'a')}) {
    CHECK_THROWS_AS(recorder->complete(short_request(), {uid, 1, 1}), Error);
    CHECK_THROWS_AS(player->complete(short_request(), {uid, 1, 1}), Error);
  }
  CHECK(asked.calls == 0);
}

TEST_CASE("recording: no key and no host is in what a real endpoint's recording holds") {
  test::MockEndpoint mock([](const json&, const test::MockCall&) {
    test::MockReply reply = test::mock_tool_call("read_file", {{"file", "sk-secret-0123456789abcdef"}});
    reply.text = "sk-secret-0123456789abcdef";
    return reply;
  });
  for (const Way& way : kWays) {
    INFO(to_text(way));
    const TemporaryFolder folder;
    const std::string recorded =
        converse(*record(connect(quick_options(mock, way.protocol, way.streaming)), folder / "a", kDescription), 2);
    CHECK(converse(*replay(folder / "a"), 2) == recorded);
    for (const char* file : {"recording.json", kSpanFile.c_str()}) {
      const std::string bytes = test::read_file(folder.path() / "a" / file);
      CHECK(bytes.find("secret") == std::string::npos);
      CHECK(bytes.find("127.0.0.1") == std::string::npos);
    }
  }
}

}  // namespace memuse::chat
