#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "model/text.h"

namespace memuse::cli {
namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(100);

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the signal handler writes it");

void on_signal(int signal) {
  if (stop.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

TerminalProgress::TerminalProgress() : shown_(::isatty(STDERR_FILENO) == 1) {}

TerminalProgress::~TerminalProgress() = default;

void TerminalProgress::begin(std::string_view stage, std::string_view unit, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  unit_ = unit;
  total_ = total;
  done_ = 0;
  status_.clear();
  last_drawn_ = {};
}

void TerminalProgress::advance(std::uint64_t done) {
  const std::uint64_t now_done = done_ += done;
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_drawn_ < kRedrawInterval) return;
  last_drawn_ = now;
  draw(now_done);
}

void TerminalProgress::draw(std::uint64_t done) {
  const std::string of = total_ > 0 ? fmt::format("/{}", total_) : "";
  const std::string more = status_.empty() ? "" : fmt::format(" ({})", status_);
  std::fputs(fmt::format("\r\x1b[K{}: {}{} {}{}", stage_, done, of, unit_, more).c_str(), stderr);
  std::fflush(stderr);
}

void TerminalProgress::status(const std::string& words) {
  const std::lock_guard lock(mutex_);
  status_ = printable(words);
}

void TerminalProgress::notice(const std::string& line) {
  const std::lock_guard lock(mutex_);
  std::fputs(fmt::format("{}memuse: {}\n", shown_ ? "\r\x1b[K" : "", printable(line)).c_str(), stderr);
  std::fflush(stderr);
}

void TerminalProgress::end() {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

bool output_is_terminal() {
  return ::isatty(STDOUT_FILENO) == 1;
}

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return output_is_terminal() && (no_color == nullptr || *no_color == '\0');
}

std::size_t terminal_width(std::size_t fallback) {
  struct winsize size {};
  if (output_is_terminal() && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::clamp<std::size_t>(size.ws_col, 60, 160);
  }
  return fallback;
}

const std::atomic<bool>& stop_requested() {
  return stop;
}

void watch_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

}  // namespace memuse::cli
