#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "workflow/progress.h"

namespace memuse::cli {

/// A line of progress on standard error, rewritten in place; silent when that is not a terminal.
class TerminalProgress final : public workflow::Progress {
 public:
  TerminalProgress();
  ~TerminalProgress() override;

  void begin(std::string_view stage, std::string_view unit, std::uint64_t total) override;
  void advance(std::uint64_t done) override;
  void end() override;
  void status(const std::string& words) override;
  /// Printed whether or not standard error is a terminal.
  void notice(const std::string& line) override;

 private:
  void draw(std::uint64_t done);

  bool shown_;
  std::mutex mutex_;
  std::string stage_;
  std::string unit_;
  std::string status_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::chrono::steady_clock::time_point last_drawn_;
};

/// True when standard output is a terminal, so that control characters would act on it.
bool output_is_terminal();

/// True when text on standard output may carry colours: a terminal, and NO_COLOR is not set.
bool colour_wanted();

/// Columns of the terminal on standard output; `fallback` when it is none.
std::size_t terminal_width(std::size_t fallback = 100);

/// Set by the first SIGINT or SIGTERM; a second one ends the program at once.
const std::atomic<bool>& stop_requested();
void watch_signals();

}  // namespace memuse::cli
