#include "ingest/source_hash.h"

#include <utility>

namespace memuse::ingest {
namespace {

/// Bytes that are worth a task.
constexpr std::size_t kTaskBytes = std::size_t{256} << 10;

}  // namespace

SourceHash::~SourceHash() {
  task_.wait();
}

void SourceHash::add(std::string_view part, const std::shared_ptr<const void>& owner) {
  if (!wanted_) return;
  if (!aside_) return hash_.update(part);
  next_bytes_ += part.size();
  // Lines that follow each other in their block are one part.
  if (!next_.empty() && next_.back().owner == owner &&
      next_.back().bytes.data() + next_.back().bytes.size() == part.data()) {
    Part& last = next_.back();
    last.bytes = std::string_view(last.bytes.data(), last.bytes.size() + part.size());
  } else {
    if (next_bytes_ >= kTaskBytes) start();
    next_.push_back({part, owner});
  }
}

/// Hands over what has come since; waits for the task before, so that no more than two blocks are kept alive.
void SourceHash::start() {
  task_.wait();
  under_way_ = std::exchange(next_, {});
  next_bytes_ = 0;
  task_.run([this] {
    for (const Part& part : under_way_) hash_.update(part.bytes);
    under_way_.clear();
  });
}

std::string SourceHash::finish_hex() {
  task_.wait();
  for (const Part& part : next_) hash_.update(part.bytes);
  next_.clear();
  next_bytes_ = 0;
  return hash_.finish_hex();
}

}  // namespace memuse::ingest
