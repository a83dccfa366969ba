#include "chat/recording.h"

#include <fmt/format.h>

#include <list>
#include <map>
#include <mutex>
#include <utility>

#include "chat/json_text.h"
#include "chat/span_recording.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kSchema = "memuse-recording/1";
constexpr std::uint64_t kMaxDescriptionBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxSpanBytes = std::uint64_t{256} << 20;
/// Spans whose recordings a replay keeps in memory; more than are judged at a time.
constexpr std::size_t kOpenSpans = 32;

fs::path description_file(const fs::path& folder) {
  return folder / "recording.json";
}

/// A call is recorded when it decides how the conversation goes on: a reply, or the word that it is too long.
bool is_recorded(const ChatOutcome& outcome) {
  return outcome.reply || (outcome.error && outcome.error->fault == ChatFault::context_too_long);
}

class Recorder : public ChatModel {
 public:
  Recorder(std::unique_ptr<ChatModel> model, fs::path folder) : model_(std::move(model)), folder_(std::move(folder)) {}

  ChatOutcome complete(const ChatRequest& request, const CallPlace& place) override {
    const std::string file = span_file_name(place);
    ChatOutcome outcome = model_->complete(request, place);
    if (is_recorded(outcome)) {
      write(file, place.call, to_line({place.call, mark_of(request), outcome}) + "\n");
    }
    return outcome;
  }

 private:
  /// A conversation that starts again replaces what was recorded of the span.
  void write(const std::string& file, std::uint32_t call, const std::string& line) {
    bool starts = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto [last, is_new] = last_calls_.try_emplace(file, 0);
      starts = is_new || call < last->second;
      last->second = call;
    }
    if (starts) {
      write_whole(folder_ / file, line);
    } else {
      append_to(folder_ / file, line);
    }
  }

  std::unique_ptr<ChatModel> model_;
  fs::path folder_;
  std::mutex mutex_;
  std::map<std::string, std::uint32_t> last_calls_;  ///< by file; of this process
};

/// The recording of one span.
struct SpanRecording {
  std::vector<Exchange> exchanges;
  std::string fault;  ///< why there is none
};

SpanRecording read_span(const fs::path& file) {
  SpanRecording span;
  std::string bytes;
  try {
    bytes = read_bounded(file, kMaxSpanBytes);
  } catch (const Error& error) {
    span.fault = error.what();
    return span;
  }
  // A last line without its line feed was being written when the program was killed: it was never handed on.
  bytes.resize(bytes.rfind('\n') == std::string::npos ? 0 : bytes.rfind('\n') + 1);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    try {
      span.exchanges.push_back(exchange_from_line(rest.substr(0, end)));
    } catch (const std::exception&) {
      span.fault = fmt::format("line {} of {} is no recorded exchange", span.exchanges.size() + 1,
                               printable(file.filename().string()));
      return span;
    }
    rest.remove_prefix(end + 1);
  }
  return span;
}

/// What sets a request apart from the one that was recorded in its place.
std::string difference(const RequestMark& now, const RequestMark& recorded) {
  if (now.options != recorded.options) {
    return "the tools or options (output tokens, temperature, seed) differ from those of the recording";
  }
  if (now.opening != recorded.opening) {
    return "the prompt or the index of the evidence differs from that of the recording";
  }
  if (now.messages != recorded.messages) {
    return fmt::format("the conversation has {} messages here and {} in the recording", now.messages,
                       recorded.messages);
  }
  if (now.last != recorded.last) return "the last message (evidence or faults) differs from that of the recording";
  return "a message in the middle of the conversation differs from that of the recording";
}

class Replayer : public ChatModel {
 public:
  explicit Replayer(fs::path folder) : folder_(std::move(folder)) {}

  ChatOutcome complete(const ChatRequest& request, const CallPlace& place) override {
    const auto span = recording_of(span_file_name(place));
    if (!span->fault.empty()) return not_recorded(place, span->fault);
    const RequestMark mark = mark_of(request);
    const Exchange* other = nullptr;
    // The newest first: a conversation may have been begun twice.
    for (auto exchange = span->exchanges.rbegin(); exchange != span->exchanges.rend(); ++exchange) {
      if (exchange->call != place.call) continue;
      if (exchange->request.sha256 == mark.sha256) return exchange->outcome;
      if (other == nullptr) other = &*exchange;
    }
    if (other != nullptr) return not_recorded(place, difference(mark, other->request));
    return not_recorded(place, fmt::format("the recording ends before it, with {} calls", span->exchanges.size()));
  }

 private:
  static ChatOutcome not_recorded(const CallPlace& place, const std::string& why) {
    return {std::nullopt,
            ChatError{ChatFault::not_recorded,
                      fmt::format("call {} of span S{} of episode {} is not in the recording: {}; replay with the "
                                  "study, prompts and options that were recorded, or record anew",
                                  place.call, place.span, place.episode_uid, why)},
            1};
  }

  std::shared_ptr<const SpanRecording> recording_of(const std::string& file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto open = open_.begin(); open != open_.end(); ++open) {
      if (open->first != file) continue;
      open_.splice(open_.begin(), open_, open);
      return open_.front().second;
    }
    open_.emplace_front(file, std::make_shared<const SpanRecording>(read_span(folder_ / file)));
    if (open_.size() > kOpenSpans) open_.pop_back();
    return open_.front().second;
  }

  fs::path folder_;
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const SpanRecording>>> open_;  ///< used last first
};

void prepare_folder(const fs::path& folder) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (!fs::is_directory(folder)) {
    throw Error(ExitCode::environment,
                printable(folder.string()) + " cannot be made a folder; check its path and permissions");
  }
}

void start_recording(const fs::path& folder, const ordered_json& description) {
  if (!fs::is_empty(folder)) {
    throw Error(ExitCode::usage, printable(folder.string()) + " holds files but no recording; give an empty folder");
  }
  const ordered_json whole{{"schema", kSchema}, {"description", description}};
  write_whole(description_file(folder), whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

bool same(const ordered_json& a, const ordered_json& b) {
  return json(a) == json(b);
}

}  // namespace

std::unique_ptr<ChatModel> record(std::unique_ptr<ChatModel> model, const fs::path& folder,
                                  const ordered_json& description) {
  prepare_folder(folder);
  if (!fs::exists(description_file(folder))) {
    start_recording(folder, description);
  } else if (!same(recording_description(folder), ordered_json::parse(dump_line(description)))) {
    throw Error(ExitCode::usage, printable(folder.string()) +
                                     " holds a recording of another judge, model, prompt or settings; give another "
                                     "folder to --record");
  }
  return std::make_unique<Recorder>(std::move(model), folder);
}

std::unique_ptr<ChatModel> replay(const fs::path& folder) {
  recording_description(folder);
  return std::make_unique<Replayer>(folder);
}

ordered_json recording_description(const fs::path& folder) {
  const fs::path file = description_file(folder);
  const std::string shown = printable(file.string());
  if (!fs::exists(file)) {
    throw Error(ExitCode::usage,
                printable(folder.string()) + " holds no recording (recording.json is missing); --record makes one");
  }
  const std::string bytes = read_bounded(file, kMaxDescriptionBytes);
  const ParsedJson parsed = parse_json(bytes);
  if (!parsed.value) throw Error(ExitCode::usage, shown + " is damaged: " + parsed.fault);
  if (string_at(*parsed.value, "schema") != kSchema) {
    throw Error(ExitCode::usage, shown + " is not of the schema " + kSchema + ", which this program reads");
  }
  // Bounds were checked above; this parse keeps the order of the members.
  const ordered_json whole = ordered_json::parse(valid_utf8(bytes), nullptr, false);
  if (whole.is_discarded() || !whole.contains("description")) {
    throw Error(ExitCode::usage, shown + " is damaged: it has no description");
  }
  return whole["description"];
}

}  // namespace memuse::chat
