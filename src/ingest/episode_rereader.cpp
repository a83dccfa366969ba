#include "ingest/episode_rereader.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <compare>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <list>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "ingest/container_limits.h"
#include "ingest/delivery_rules.h"
#include "ingest/recent_places.h"
#include "ingest/shown_paths.h"
#include "ingest/unpacked_archive.h"

namespace memuse::ingest {
namespace {

/// All on which it depends what a reading yields.
struct ReadingKey {
  FileState file;
  std::string format;
  std::string format_version;
  std::string locator;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string configuration;
  std::string run;
  std::size_t max_record_bytes = 0;
  std::uint64_t expansion = 0;
  std::uint64_t members = 0;

  friend auto operator<=>(const ReadingKey&, const ReadingKey&) = default;
};

/// Without more than its path when the file is not there; the reading says so in its own words.
FileState state_of(const std::string& path) {
  try {
    return file_state(path);
  } catch (const ReadFault&) {
    return {path};
  }
}

ReadingKey key_of(const SourcePlace& place, const ReadOptions& options) {
  return {state_of(place.path),
          std::string(place.format),
          std::string(place.format_version),
          place.locator,
          place.byte_begin,
          place.byte_end,
          options.configuration,
          options.run,
          options.max_record_bytes,
          options.containers.expansion,
          options.containers.members};
}

/// Roughly what an episode takes of memory.
std::size_t size_of(const Episode& episode) {
  constexpr std::size_t kForEach = 256;
  return episode.arena.used() + kForEach * (1 + episode.messages.size() + episode.steps.size());
}

}  // namespace

/// The episodes that were read along with others, by the reading that yielded them; those of the last readings.
class EpisodeRereader::Kept {
 public:
  explicit Kept(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Waits while somebody does the same reading, then takes the episode if it was kept. When not, the caller is to
  /// read, and to say `done`.
  std::optional<Episode> take_or_begin(const ReadingKey& key, const std::string& sha256) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return under_way_.count(key) == 0; });
    if (std::optional<Episode> episode = take(key, sha256)) return episode;
    under_way_.insert(key);
    ++readings_;
    return std::nullopt;
  }

  void done(const ReadingKey& key, std::vector<Episode>&& others) {
    const std::lock_guard lock(mutex_);
    under_way_.erase(key);
    if (!others.empty()) put(key, std::move(others));
    done_.notify_all();
  }

  [[nodiscard]] std::size_t most_bytes() const { return most_bytes_; }
  [[nodiscard]] std::size_t readings() const {
    const std::lock_guard lock(mutex_);
    return readings_;
  }

 private:
  struct Reading {
    ReadingKey key;
    std::vector<Episode> episodes;
    std::size_t bytes = 0;
  };

  std::optional<Episode> take(const ReadingKey& key, const std::string& sha256) {
    const auto reading =
        std::find_if(readings_kept_.begin(), readings_kept_.end(), [&](const Reading& one) { return one.key == key; });
    if (reading == readings_kept_.end()) return std::nullopt;
    const auto found = std::find_if(reading->episodes.begin(), reading->episodes.end(),
                                    [&](const Episode& episode) { return episode.source.sha256 == sha256; });
    if (found == reading->episodes.end()) return std::nullopt;
    std::optional<Episode> episode(std::move(*found));
    reading->episodes.erase(found);
    if (reading->episodes.empty()) {
      bytes_ -= reading->bytes;
      readings_kept_.erase(reading);
    }
    return episode;
  }

  void put(const ReadingKey& key, std::vector<Episode>&& episodes) {
    readings_kept_.remove_if([&](const Reading& one) {
      if (one.key != key) return false;
      bytes_ -= one.bytes;
      return true;
    });
    Reading reading{key, std::move(episodes), 0};
    for (const Episode& episode : reading.episodes) reading.bytes += size_of(episode);
    bytes_ += reading.bytes;
    readings_kept_.push_front(std::move(reading));
    while (bytes_ > most_bytes_ && readings_kept_.size() > 1) {
      bytes_ -= readings_kept_.back().bytes;
      readings_kept_.pop_back();
    }
  }

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable done_;
  std::set<ReadingKey> under_way_;
  std::list<Reading> readings_kept_;
  std::size_t bytes_ = 0;
  std::size_t readings_ = 0;
};

namespace {

/// Takes what a reading yields: the episode that is wanted, and of the others, from that one on, as many as may be kept
/// (whoever goes through a file asks for those next).
class Yield {
 public:
  Yield(const std::string& sha256, std::size_t most_bytes) : sha256_(sha256), most_bytes_(most_bytes) {}

  void take(Episode&& episode) {
    const std::lock_guard lock(mutex_);
    if (!found_ && episode.source.sha256 == sha256_) {
      found_ = std::move(episode);
      return;
    }
    const std::size_t size = size_of(episode);
    if (found_ && bytes_ + size > most_bytes_) drop_those_before();
    if (bytes_ + size > most_bytes_) return;
    bytes_ += size;
    if (!found_) ++before_;
    others_.push_back(std::move(episode));
  }

  std::optional<Episode>& found() { return found_; }
  std::vector<Episode>& others() { return others_; }

 private:
  void drop_those_before() {
    const auto end = others_.begin() + static_cast<std::ptrdiff_t>(before_);
    for (auto episode = others_.begin(); episode != end; ++episode) bytes_ -= size_of(*episode);
    others_.erase(others_.begin(), end);
    before_ = 0;
  }

  const std::string& sha256_;
  std::size_t most_bytes_;
  std::mutex mutex_;  // sinks may be called from several threads
  std::optional<Episode> found_;
  std::vector<Episode> others_;
  std::size_t before_ = 0;  ///< of the others, those that came before the one that was found
  std::size_t bytes_ = 0;
};

}  // namespace

EpisodeRereader::EpisodeRereader(std::size_t most_kept_bytes) : kept_(std::make_unique<Kept>(most_kept_bytes)) {}
EpisodeRereader::~EpisodeRereader() = default;

std::size_t EpisodeRereader::readings() const {
  return kept_->readings();
}

std::optional<Episode> EpisodeRereader::read(const SourcePlace& place, const ReadOptions& options, Fault& fault,
                                             std::string& detail) {
  const Adapter* adapter = find_adapter(place.format);
  if (adapter == nullptr) {
    fault = Fault::unknown_format;
    detail = place.format;
    return std::nullopt;
  }
  std::optional<Episode> found;
  OpenPlace opened;
  const ContainerLimitsScope limits(options.containers);
  try {
    opened = open_place(place.path, options.containers);
    SourcePlace real = place;
    real.path = opened.path;
    const ReadingKey key = key_of(real, options);
    found = kept_->take_or_begin(key, place.sha256);
    if (!found) {
      Yield yield(place.sha256, kept_->most_bytes());
      DiagnosticLog ignored(place.path);  // they were reported when the episode was ingested
      try {
        // Isolated: a task of this thread that asks for the same reading must not begin before this one ends.
        tbb::this_task_arena::isolate([&] {
          adapter->read_again(
              real, options, [&](Episode&& episode) { yield.take(std::move(episode)); }, ignored);
        });
      } catch (...) {
        kept_->done(key, {});
        throw;
      }
      found = std::move(yield.found());
      kept_->done(key, std::move(yield.others()));
    }
  } catch (const ReadFault& read_fault) {
    fault = Fault::source_missing;
    detail = ShownPaths{opened.root, opened.shown}.show(read_fault.reason);
    return std::nullopt;
  }
  if (!found) {
    fault = Fault::source_changed;
    detail = place.path;
    return std::nullopt;
  }
  if (options.rules != nullptr) options.rules->apply(*found);
  found->source = place;
  return found;
}

}  // namespace memuse::ingest
