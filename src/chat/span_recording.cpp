#include "chat/span_recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "chat/json_text.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kLongestUid = 128;

std::string hash_of(const ordered_json& value) {
  return sha256_hex(dump_line(value));
}

[[noreturn]] void fail(const std::filesystem::path& file, const char* what, int fault) {
  throw Error(ExitCode::environment, fmt::format("{} cannot be {}: {}; check the folder's space and permissions",
                                                 printable(file.string()), what, std::strerror(fault)));
}

/// An open file.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& file, int flags) : file_(file), fd_(::open(file.c_str(), flags, 0666)) {
    if (fd_ < 0) fail(file_, "written", errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(fd_); }

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(file_, "written", errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void sync() const {
    if (::fsync(fd_) != 0) fail(file_, "written", errno);
  }

 private:
  std::filesystem::path file_;
  int fd_;
};

void sync_folder(const std::filesystem::path& folder) {
  Descriptor(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC).sync();
}

ordered_json outcome_json(const ChatOutcome& outcome, const char*& key) {
  if (outcome.reply) {
    key = "reply";
    return to_json(*outcome.reply);
  }
  key = "fault";
  return std::string(name(outcome.error->fault));
}

}  // namespace

RequestMark mark_of(const ChatRequest& request) {
  ordered_json whole = to_json(request);
  RequestMark mark;
  mark.sha256 = hash_of(whole);
  const ordered_json messages = std::move(whole["messages"]);
  whole.erase("messages");
  mark.options = hash_of(whole);
  mark.messages = messages.size();
  ordered_json opening = ordered_json::array();
  for (const ordered_json& message : messages) {
    if (message["role"] == "assistant") break;
    opening.push_back(message);
  }
  mark.opening = hash_of(opening);
  if (!messages.empty()) mark.last = hash_of(messages.back());
  return mark;
}

std::string to_line(const Exchange& exchange) {
  const RequestMark& request = exchange.request;
  const char* key = "";
  const ordered_json outcome = outcome_json(exchange.outcome, key);
  return dump_line(ordered_json{{"call", exchange.call},
                                {"request_sha256", request.sha256},
                                {"options_sha256", request.options},
                                {"opening_sha256", request.opening},
                                {"last_message_sha256", request.last},
                                {"messages", request.messages},
                                {key, outcome}});
}

Exchange exchange_from_line(std::string_view line) {
  ParsedJson parsed = parse_json(line);
  if (!parsed.value) throw std::runtime_error(parsed.fault);
  const json& value = *parsed.value;
  Exchange exchange;
  exchange.call = value.at("call").get<std::uint32_t>();
  exchange.request.sha256 = value.at("request_sha256").get<std::string>();
  exchange.request.options = value.at("options_sha256").get<std::string>();
  exchange.request.opening = value.at("opening_sha256").get<std::string>();
  exchange.request.last = value.at("last_message_sha256").get<std::string>();
  exchange.request.messages = value.at("messages").get<std::size_t>();
  exchange.outcome.attempts = 1;
  if (value.contains("reply")) {
    exchange.outcome.reply = reply_from_json(value.at("reply"));
    return exchange;
  }
  if (value.at("fault") != name(ChatFault::context_too_long)) throw std::runtime_error("an unknown fault");
  exchange.outcome.error = ChatError{ChatFault::context_too_long, "the conversation is too long for the model"};
  return exchange;
}

std::string span_file_name(const CallPlace& place) {
  const std::string& uid = place.episode_uid;
  const bool is_hex =
      std::all_of(uid.begin(), uid.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (uid.empty() || uid.size() > kLongestUid || !is_hex) {
    throw Error(ExitCode::usage, "“" + shortened(printable(uid), 60) + "” is no episode uid; a recording needs one");
  }
  return fmt::format("{}-S{}.jsonl", uid, place.span);
}

void write_whole(const std::filesystem::path& file, std::string_view bytes) {
  const std::filesystem::path temporary = file.string() + ".new";
  {
    const Descriptor out(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
    out.write(bytes);
    out.sync();
  }
  if (::rename(temporary.c_str(), file.c_str()) != 0) fail(file, "written", errno);
  sync_folder(file.parent_path());
}

void append_to(const std::filesystem::path& file, std::string_view bytes) {
  const Descriptor out(file, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  out.write(bytes);
  out.sync();
}

std::string read_bounded(const std::filesystem::path& file, std::uint64_t max_bytes) {
  const std::string shown = printable(file.string());
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw Error(ExitCode::usage, shown + " cannot be read: " + std::strerror(errno));
  std::string bytes;
  struct stat status {};
  const bool regular = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  const bool fits = regular && static_cast<std::uint64_t>(status.st_size) <= max_bytes;
  if (fits) bytes.resize(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  ::close(fd);
  if (!regular) throw Error(ExitCode::usage, shown + " is no file");
  if (!fits)
    throw Error(ExitCode::usage, fmt::format("{} is larger than {} bytes: no recording of memuse", shown, max_bytes));
  bytes.resize(done);
  return bytes;
}

}  // namespace memuse::chat
