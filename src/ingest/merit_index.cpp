#include "ingest/merit_index.h"

#include <initializer_list>

#include "ingest/merit_blocks.h"

namespace memuse::ingest {
namespace {

/// One hash for several texts, each framed by its length.
Hash128 key_of(std::initializer_list<std::string_view> texts) {
  std::string framed;
  for (const std::string_view text : texts) {
    framed += std::to_string(text.size());
    framed += ':';
    framed += text;
  }
  return hash128(framed);
}

}  // namespace

void KnownMessages::note(const MeritTrace& trace) {
  // A longer first message is no scripted one, and need not be kept.
  constexpr std::size_t kLongestMessage = std::size_t{16} << 10;
  const BlockForm form = block_form(trace.memory);
  if (form != BlockForm::none && form != BlockForm::facts) return;
  const auto after_heading = after_memory_heading(trace.transcript);
  const auto text = after_heading ? first_message(*after_heading) : std::nullopt;
  if (!text || text->size() > kLongestMessage) return;
  const BlockRule rule = form == BlockForm::none ? BlockRule::c0_message : BlockRule::c4_message;
  const auto [found, inserted] = by_task_.try_emplace(hash128(trace.task_id));
  const bool better = found->second.rule == BlockRule::c4_message && rule == BlockRule::c0_message;
  if (inserted || better) found->second = {std::string(*text), rule};
}

std::optional<KnownMessage> KnownMessages::find(std::string_view task_id) const {
  const auto found = by_task_.find(hash128(task_id));
  if (found == by_task_.end()) return std::nullopt;
  return KnownMessage{found->second.text, found->second.rule};
}

void TraceIndex::add(const MeritTrace& trace, const LinePlace& line, std::string_view bytes) {
  by_episode_[key_of({trace.episode_id, trace.task_id})].places.push_back(static_cast<std::uint32_t>(places_.size()));
  places_.push_back({line, hash128(bytes), false});
}

const TraceIndex::Place* TraceIndex::take(const MeritRow& row) {
  const auto found = by_episode_.find(key_of({row.episode_id, row.task_id}));
  if (found == by_episode_.end() || found->second.next == found->second.places.size()) return nullptr;
  Place& place = places_[found->second.places[found->second.next++]];
  place.taken = true;
  return &place;
}

std::uint64_t RunIndex::copy_of(std::string_view configuration, std::string_view run, std::string_view episode_id,
                                std::string_view bytes) {
  if (!met_.insert(key_of({configuration, run, episode_id, bytes})).second) return 0;
  return ++copies_[key_of({configuration, run, episode_id})];
}

std::uint64_t RunIndex::position_of(std::string_view configuration, std::string_view run, std::string_view task_id) {
  const auto [found, inserted] = position_.try_emplace(key_of({configuration, run, task_id}), 0);
  if (inserted) found->second = ++tasks_in_run_[key_of({configuration, run})];
  return found->second;
}

}  // namespace memuse::ingest
