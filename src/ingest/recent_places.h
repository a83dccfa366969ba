#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "ingest/byte_stream.h"
#include "ingest/container_limits.h"
#include "ingest/paths.h"

namespace memuse::ingest {

/// What tells one state of a file from another: who has seen one need not look into it again.
struct FileState {
  std::string path;  ///< full
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  time_t seconds = 0;
  long nanoseconds = 0;

  friend auto operator<=>(const FileState&, const FileState&) = default;
};

/// Throws ReadFault when there is no such file.
[[nodiscard]] FileState file_state(const std::string& path);

/// What was made of the files that were used last, e.g. their unpacked copies. Whoever asks for one that is being made
/// waits for it. Thread-safe.
template <typename Made>
class RecentPlaces {
 public:
  explicit RecentPlaces(std::size_t most) : most_(most) {}

  /// What `make` makes of the file at `path`, under these limits; its exceptions go to all who wait, and are not kept.
  std::shared_ptr<const Made> get(const std::string& path, const ContainerLimits& limits,
                                  const std::function<std::shared_ptr<const Made>()>& make) {
    const State state{file_state(path), limits.expansion, limits.members};
    std::promise<std::shared_ptr<const Made>> promise;
    std::shared_future<std::shared_ptr<const Made>> wanted;
    bool is_mine = false;
    std::list<Kept> dropped;  // removed from the disk after the lock is given back
    {
      const std::lock_guard lock(mutex_);
      const auto known =
          std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.state == state; });
      if (known != kept_.end()) {
        kept_.splice(kept_.begin(), kept_, known);
      } else {
        is_mine = true;
        kept_.push_front({state, promise.get_future().share()});
        if (kept_.size() > most_) dropped.splice(dropped.begin(), kept_, std::prev(kept_.end()));
      }
      wanted = kept_.front().made;
    }
    if (is_mine) fill(state, make, promise);
    return wanted.get();
  }

 private:
  struct State {
    FileState file;
    std::uint64_t expansion = 0;
    std::uint64_t members = 0;
    friend bool operator==(const State&, const State&) = default;
  };
  struct Kept {
    State state;
    std::shared_future<std::shared_ptr<const Made>> made;
  };

  void fill(const State& state, const std::function<std::shared_ptr<const Made>()>& make,
            std::promise<std::shared_ptr<const Made>>& promise) {
    try {
      promise.set_value(make());
    } catch (...) {
      promise.set_exception(std::current_exception());
      const std::lock_guard lock(mutex_);
      kept_.remove_if([&](const Kept& kept) { return kept.state == state; });
    }
  }

  std::size_t most_;
  std::mutex mutex_;
  std::list<Kept> kept_;
};

}  // namespace memuse::ingest
