#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace memuse::workflow {

/// Where a job tells how far it is. Calls may come from any thread and are cheap; the engine itself prints nothing.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;

  /// A stage begins; `total` things (`unit`) are ahead, 0 when that is not known.
  virtual void begin(std::string_view stage, std::string_view unit, std::uint64_t total) = 0;
  virtual void advance(std::uint64_t done) = 0;
  virtual void end() = 0;
  /// A few words on how things stand, shown beside the progress.
  virtual void status(const std::string& words) = 0;
  /// A line that the user should see now (the endpoint makes us wait).
  virtual void notice(const std::string& line) = 0;
};

/// Says nothing.
class NoProgress final : public Progress {
 public:
  void begin(std::string_view, std::string_view, std::uint64_t) override {}
  void advance(std::uint64_t) override {}
  void end() override {}
  void status(const std::string&) override {}
  void notice(const std::string&) override {}
};

}  // namespace memuse::workflow
