#include "figures/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "model/error.h"

extern char** environ;

namespace memuse::figures {
namespace {

constexpr std::size_t kMaxErrors = 4096;

[[noreturn]] void fail(const std::string& program, int code) {
  throw Error(ExitCode::environment, fmt::format("cannot start {}: {}", program, std::strerror(code)));
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) fail("a program", errno);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }

  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_writer() { close_end(1); }

 private:
  void close_end(std::size_t end) {
    if (ends_.at(end) >= 0) ::close(ends_.at(end));
    ends_.at(end) = -1;
  }

  std::array<int, 2> ends_{-1, -1};
};

/// The process' own environment with `added` in place of what has the same names.
std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::vector<std::string> merged = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(
        added.begin(), added.end(), [&](const std::string& other) { return other.substr(0, other.find('=')) == name; });
    if (!replaced) merged.emplace_back(text);
  }
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Reads until the other end is closed or time is over; false for the latter.
bool read_until_closed(int reader, std::chrono::steady_clock::time_point deadline, std::string& text) {
  std::array<char, 1024> buffer{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{reader, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1'000'000)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = ::read(reader, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    const std::size_t room = kMaxErrors - std::min(kMaxErrors, text.size());
    text.append(buffer.data(), std::min(static_cast<std::size_t>(count), room));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          const std::vector<std::string>& environment, std::chrono::milliseconds limit) {
  Pipe pipe;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe.writer(), STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<std::string> argument_texts = arguments;
  std::vector<std::string> environment_texts = merged_environment(environment);
  std::vector<char*> argument_pointers = pointers(argument_texts);
  std::vector<char*> environment_pointers = pointers(environment_texts);
  pid_t child = -1;
  const int failed = ::posix_spawnp(&child, arguments.front().c_str(), &actions, nullptr, argument_pointers.data(),
                                    environment_pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  ProcessResult result;
  if (failed == ENOENT || failed == EACCES) {
    result.outcome = ProcessResult::Outcome::not_found;
    return result;
  }
  if (failed != 0) fail(arguments.front(), failed);
  pipe.close_writer();
  const auto deadline = std::chrono::steady_clock::now() + limit;
  if (!read_until_closed(pipe.reader(), deadline, result.errors)) {
    ::kill(child, SIGKILL);
    result.outcome = ProcessResult::Outcome::timed_out;
  }
  result.exit_code = wait_for(child);
  return result;
}

}  // namespace memuse::figures
