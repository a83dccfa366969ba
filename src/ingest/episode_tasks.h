#pragma once

#include <tbb/task_group.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "ingest/adapter.h"

namespace memuse::ingest {

/// Takes the episodes of one file as they are read, finds their deliveries by rule and hands them to a sink: by the
/// threads of the current TBB arena while the file is read on, or at once. The number of episodes that wait is bounded:
/// beyond it, the thread that reads helps. What goes to the log does not depend on the threads.
class EpisodeTasks {
 public:
  /// `rules` may be null. Rules that fail are reported to `log`, only within `add` and `finish`.
  EpisodeTasks(const DeliveryRules* rules, const EpisodeSink& sink, bool side_by_side, DiagnosticLog& log);
  /// Waits for the episodes in flight.
  ~EpisodeTasks();
  EpisodeTasks(const EpisodeTasks&) = delete;
  EpisodeTasks& operator=(const EpisodeTasks&) = delete;

  /// Throws what the sink has thrown, for this or an earlier episode.
  void add(Episode&& episode);
  /// Waits until the sink has taken all; throws what it has thrown.
  void finish();

 private:
  struct Pending {
    Episode episode;
    SourcePlace source;
    std::vector<std::string> overflowing;
  };
  void process(Pending& pending) const;

  const DeliveryRules* rules_;
  const EpisodeSink& sink_;
  bool side_by_side_;
  DiagnosticLog& log_;
  std::deque<Pending> pending_;  // since the last wait; addresses stay
  std::uint64_t pending_bytes_ = 0;
  tbb::task_group group_;
};

}  // namespace memuse::ingest
