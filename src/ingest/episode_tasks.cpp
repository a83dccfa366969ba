#include "ingest/episode_tasks.h"

#include <algorithm>
#include <utility>

#include "ingest/delivery_rules.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kMostPending = 64;
constexpr std::uint64_t kMostPendingBytes = std::uint64_t{8} << 20;

}  // namespace

EpisodeTasks::EpisodeTasks(const DeliveryRules* rules, const EpisodeSink& sink, bool side_by_side, DiagnosticLog& log)
    : rules_(rules), sink_(sink), side_by_side_(side_by_side), log_(log) {}

EpisodeTasks::~EpisodeTasks() {
  group_.cancel();
  try {
    group_.wait();
  } catch (...) {  // NOLINT(bugprone-empty-catch): another exception is on its way, or `finish` has thrown this one
  }
}

void EpisodeTasks::process(Pending& pending) const {
  if (rules_ != nullptr) pending.overflowing = rules_->apply(pending.episode).overflowing;
  sink_(std::move(pending.episode));
  pending.episode = Episode();  // its texts are not needed until the next wait
}

void EpisodeTasks::add(Episode&& episode) {
  const SourcePlace& source = episode.source;
  pending_bytes_ +=
      std::max<std::uint64_t>(episode.arena.used(), source.byte_end - std::min(source.byte_begin, source.byte_end));
  Pending& pending = pending_.emplace_back();
  pending.source = source;
  pending.episode = std::move(episode);
  if (side_by_side_) {
    group_.run([this, &pending] { process(pending); });
    if (pending_.size() < kMostPending && pending_bytes_ < kMostPendingBytes) return;
  } else {
    process(pending);
  }
  finish();
}

void EpisodeTasks::finish() {
  group_.wait();
  for (const Pending& pending : pending_) {
    for (const std::string& rule : pending.overflowing) {
      log_.add(Severity::warning, Fault::rule_overflow, pending.source.line, pending.source.byte_begin, rule);
    }
  }
  pending_.clear();
  pending_bytes_ = 0;
}

}  // namespace memuse::ingest
