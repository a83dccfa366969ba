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

/// A model that answers with the number of its calls, or with a fault.
class Script : public ChatModel {
 public:
  explicit Script(std::vector<ChatFault> faults = {}) : faults_(std::move(faults)) {}
  ChatOutcome complete(const ChatRequest& request, const CallPlace& place) override {
    ++calls;
    if (place.call <= faults_.size() && faults_[place.call - 1] != ChatFault::stopped && request.messages.size() > 8) {
      return {std::nullopt, ChatError{faults_[place.call - 1], "a fault of the script"}, 1};
    }
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
  int calls = 0;

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

}  // namespace memuse::chat
