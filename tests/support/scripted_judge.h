#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentic_judge/judge_tools.h"
#include "agentic_judge/span_judge.h"
#include "chat/chat_model.h"

// Judges that follow a script. They know nothing but the conversation, as a model would: what the first message lists,
// and what they themselves have called so far. So the same functions answer in the process (`ScriptedModel`) and behind
// a mock endpoint (`conversation_in` reads the body of an OpenAI request, `JudgeMove` says what to reply).

namespace memuse::test {

struct JudgeCall {
  std::string name;
  nlohmann::ordered_json arguments;
};

/// What a judge replies: calls, or text.
struct JudgeMove {
  std::vector<JudgeCall> calls;
  std::string text;
};

/// A message of the conversation as a script needs it.
struct JudgeMessage {
  std::string role;
  std::string text;
  std::vector<JudgeCall> calls;
};
using JudgeConversation = std::vector<JudgeMessage>;

/// The call that a reply of the JSON protocol holds, with prose around it or not.
inline std::optional<JudgeCall> call_in_text(const std::string& text) {
  const nlohmann::ordered_json object =
      nlohmann::ordered_json::parse(agentic_judge::json_object_in(text).value_or(""), nullptr, false);
  if (!object.is_object() || !object.contains("tool")) return std::nullopt;
  return JudgeCall{object["tool"].get<std::string>(), object.value("arguments", nlohmann::ordered_json::object())};
}

inline void add_message(JudgeConversation& conversation, JudgeMessage message) {
  if (message.role == "assistant" && message.calls.empty()) {
    if (std::optional<JudgeCall> call = call_in_text(message.text)) message.calls.push_back(std::move(*call));
  }
  conversation.push_back(std::move(message));
}

inline JudgeConversation conversation_in(const chat::ChatRequest& request) {
  static constexpr const char* kRoles[] = {"system", "user", "assistant", "tool"};
  JudgeConversation conversation;
  for (const chat::ChatMessage& message : request.messages) {
    JudgeMessage seen{kRoles[static_cast<std::size_t>(message.role)], message.text, {}};
    for (const chat::ToolCall& call : message.tool_calls) {
      seen.calls.push_back({call.name, nlohmann::ordered_json::parse(call.arguments, nullptr, false)});
    }
    add_message(conversation, std::move(seen));
  }
  return conversation;
}

/// The same from the body of a request in the OpenAI form.
inline JudgeConversation conversation_in(const nlohmann::json& openai_body) {
  JudgeConversation conversation;
  for (const nlohmann::json& message : openai_body.at("messages")) {
    JudgeMessage seen{message.at("role").get<std::string>(), "", {}};
    if (const auto content = message.find("content"); content != message.end() && content->is_string()) {
      seen.text = content->get<std::string>();
    }
    for (const nlohmann::json& call : message.value("tool_calls", nlohmann::json::array())) {
      const nlohmann::json& function = call.at("function");
      seen.calls.push_back(
          {function.at("name").get<std::string>(),
           nlohmann::ordered_json::parse(function.at("arguments").get<std::string>(), nullptr, false)});
    }
    add_message(conversation, std::move(seen));
  }
  return conversation;
}

/// The first message of the program after the instructions: index, entries, facts of the span.
inline std::string opening_of(const JudgeConversation& conversation) {
  for (const JudgeMessage& message : conversation) {
    if (message.role == "user") return message.text;
  }
  return {};
}

struct IndexedFile {
  std::string name;
  std::uint64_t bytes = 0;
};

/// The evidence files that the opening lists (`name  123 bytes  …`).
inline std::vector<IndexedFile> files_in(const JudgeConversation& conversation) {
  std::vector<IndexedFile> files;
  std::istringstream lines(opening_of(conversation));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    IndexedFile file;
    std::string unit;
    if (words >> file.name >> file.bytes >> unit && unit == "bytes") files.push_back(file);
  }
  return files;
}

struct ListedEntry {
  std::uint32_t entry = 0, first = 0, last = 0;
};

/// The entries that the opening asks for (`- entry 0: window steps 3 to 5; answer it`).
inline std::vector<ListedEntry> entries_in(const JudgeConversation& conversation) {
  std::vector<ListedEntry> entries;
  std::istringstream lines(opening_of(conversation));
  for (std::string line; std::getline(lines, line);) {
    unsigned entry = 0;
    unsigned first = 0;
    unsigned last = 0;
    // NOLINTNEXTLINE(cert-err34-c): the numbers are memuse's own
    if (std::sscanf(line.c_str(), "- entry %u: window steps %u to %u;", &entry, &first, &last) == 3) {
      entries.push_back({entry, first, last});
    }
  }
  return entries;
}

/// `S3`, as the opening names the span; empty when it does not.
inline std::string span_in(const JudgeConversation& conversation) {
  const std::string opening = opening_of(conversation);
  const std::size_t at = opening.find("span S");
  if (at == std::string::npos) return {};
  const std::size_t end = opening.find_first_not_of("0123456789", at + 6);
  return opening.substr(at + 5, end - at - 5);
}

/// An answer that gives every entry that is asked for the same labels, with no evidence: it passes the checks when all
/// that these labels need was read.
inline nlohmann::ordered_json same_answer(const JudgeConversation& conversation,
                                          const nlohmann::ordered_json& labels = nlohmann::ordered_json::object()) {
  nlohmann::ordered_json answer{{"entries", nlohmann::ordered_json::array()}};
  for (const ListedEntry& listed : entries_in(conversation)) {
    nlohmann::ordered_json entry{{"entry", listed.entry},
                                 {"reason", "As the script says."},
                                 {"evidence", nlohmann::ordered_json::array()},
                                 {"relevance", true},
                                 {"accuracy", "uncontradicted"},
                                 {"novelty", "novel"},
                                 {"influence", "none"},
                                 {"anchors", nlohmann::ordered_json::array()},
                                 {"effect", nullptr}};
    entry.update(labels);
    answer["entries"].push_back(entry);
  }
  return answer;
}

/// How a scripted judge reads before it answers.
struct ReadingHabit {
  std::uint64_t page = 40'000;         ///< bytes that it asks for at once
  std::size_t calls_in_reply = 8;      ///< 1 in the JSON protocol
  std::set<std::string> skipped = {};  ///< files that it does not read
  std::set<std::string> clipped = {};  ///< files whose last byte it leaves out
  std::set<std::string> only = {};     ///< when not empty: reads these and no others
};

/// All reads that the habit asks for, page by page. Pages overlap a little, so that a page cut at a character border
/// leaves no gap.
inline std::vector<JudgeCall> reads_of(const JudgeConversation& conversation, const ReadingHabit& habit) {
  constexpr std::uint64_t kOverlap = 8;
  std::vector<JudgeCall> reads;
  for (const IndexedFile& file : files_in(conversation)) {
    if (habit.skipped.contains(file.name) || (!habit.only.empty() && !habit.only.contains(file.name))) continue;
    const std::uint64_t end = file.bytes - (habit.clipped.contains(file.name) ? 1 : 0);
    for (std::uint64_t from = 0;; from += habit.page - kOverlap) {
      const std::uint64_t bytes = std::min(habit.page, end - from);
      reads.push_back({"read_file", {{"file", file.name}, {"from", from}, {"bytes", bytes}}});
      if (from + bytes >= end) break;
    }
  }
  return reads;
}

inline std::size_t submissions_in(const JudgeConversation& conversation) {
  std::size_t count = 0;
  for (const JudgeMessage& message : conversation) {
    for (const JudgeCall& call : message.calls) count += call.name == "submit_answer" ? 1U : 0U;
  }
  return count;
}

/// The next reply of a judge that makes all reads of its habit and then submits the answer. One that skips nothing is a
/// careful judge; one that skips or clips a file is a lazy one.
inline JudgeMove reading_move(const JudgeConversation& conversation, const ReadingHabit& habit,
                              const nlohmann::ordered_json& answer) {
  std::set<std::string> made;
  for (const JudgeMessage& message : conversation) {
    for (const JudgeCall& call : message.calls) made.insert(call.name + call.arguments.dump());
  }
  JudgeMove move;
  for (JudgeCall& read : reads_of(conversation, habit)) {
    if (move.calls.size() == habit.calls_in_reply) break;
    if (!made.contains(read.name + read.arguments.dump())) move.calls.push_back(std::move(read));
  }
  if (move.calls.empty()) move.calls.push_back({"submit_answer", answer});
  return move;
}

/// A move as a reply of the in-process kind; calls get ids that are unique in the conversation.
inline chat::ChatReply reply_of(const JudgeMove& move, const JudgeConversation& conversation,
                                agentic_judge::ToolProtocol protocol = agentic_judge::ToolProtocol::native) {
  chat::ChatReply reply;
  reply.message.role = chat::ChatRole::assistant;
  reply.message.text = move.text;
  reply.model = "scripted-1";
  if (protocol == agentic_judge::ToolProtocol::json && !move.calls.empty()) {
    const JudgeCall& call = move.calls.front();
    reply.message.text = move.text + nlohmann::ordered_json{{"tool", call.name}, {"arguments", call.arguments}}.dump();
    return reply;
  }
  for (const JudgeCall& call : move.calls) {
    const std::string id =
        "call-" + std::to_string(conversation.size()) + "-" + std::to_string(reply.message.tool_calls.size() + 1);
    // A text is sent as it stands, so that broken JSON can be sent.
    reply.message.tool_calls.push_back(
        {id, call.name, call.arguments.is_string() ? call.arguments.get<std::string>() : call.arguments.dump()});
  }
  if (!move.calls.empty()) reply.finish = chat::FinishReason::tool_calls;
  return reply;
}

/// Answers every request as a function says, and keeps the requests.
class ScriptedModel : public chat::ChatModel {
 public:
  using Answerer = std::function<chat::ChatOutcome(const chat::ChatRequest&, const chat::CallPlace&)>;
  using Script = std::function<JudgeMove(const JudgeConversation&)>;

  explicit ScriptedModel(Answerer answerer) : answerer_(std::move(answerer)) {}
  explicit ScriptedModel(Script script, agentic_judge::ToolProtocol protocol = agentic_judge::ToolProtocol::native)
      : answerer_([script = std::move(script), protocol](const chat::ChatRequest& request, const chat::CallPlace&) {
          const JudgeConversation conversation = conversation_in(request);
          return chat::ChatOutcome{reply_of(script(conversation), conversation, protocol), std::nullopt, 1};
        }) {}

  chat::ChatOutcome complete(const chat::ChatRequest& request, const chat::CallPlace& place) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    requests.push_back(request);
    places.push_back(place);
    return answerer_(request, place);
  }

  std::vector<chat::ChatRequest> requests;
  std::vector<chat::CallPlace> places;

 private:
  std::mutex mutex_;
  Answerer answerer_;
};

}  // namespace memuse::test
