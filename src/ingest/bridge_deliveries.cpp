#include "ingest/bridge_deliveries.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ingest/bridge_block.h"

namespace memuse::ingest::bridge {
namespace {

/// Messages of the main lane by the SHA-256 of their texts or by the texts themselves.
class BlockIndex {
 public:
  BlockIndex(const EventLog& log, const Lane& lane) : lane_(lane) {
    const bool digests = std::any_of(log.deliveries.begin(), log.deliveries.end(),
                                     [](const DeliveryEvent& delivery) { return !delivery.content.text; });
    for (std::uint32_t i = 0; i < lane.instances.size(); ++i) {
      const ChatMessage& message = log.messages[lane.instances[i].message];
      if (message.role != Role::user || lane.instances[i].first_call == 0) continue;
      by_text_[key(hash128(message.text))].push_back(i);
      if (digests) by_digest_[sha256_hex(message.text)].push_back(i);
    }
  }

  /// The messages with the delivery's text, in the order of their first calls.
  [[nodiscard]] const std::vector<std::uint32_t>& with_text_of(const DeliveryEvent& delivery) const {
    static const std::vector<std::uint32_t> none;
    if (delivery.content.text) {
      const auto found = by_text_.find(key(hash128(*delivery.content.text)));
      return found == by_text_.end() ? none : found->second;
    }
    const auto found = by_digest_.find(std::string(delivery.content.sha256));
    return found == by_digest_.end() ? none : found->second;
  }

  /// The last of `candidates` that is shown in `call` or, with `or_before`, was shown last before it.
  [[nodiscard]] std::optional<std::uint32_t> shown(const std::vector<std::uint32_t>& candidates, std::uint32_t call,
                                                   bool or_before) const {
    const auto behind = std::upper_bound(
        candidates.begin(), candidates.end(), call,
        [&](std::uint32_t wanted, std::uint32_t instance) { return wanted < lane_.instances[instance].first_call; });
    if (behind == candidates.begin()) return std::nullopt;
    const std::uint32_t instance = *std::prev(behind);
    if (or_before || call < lane_.instances[instance].end_call) return instance;
    return std::nullopt;
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  static Key key(const Hash128& hash) { return {hash.low, hash.high}; }

  const Lane& lane_;
  std::map<Key, std::vector<std::uint32_t>> by_text_;
  std::map<std::string, std::vector<std::uint32_t>> by_digest_;
};

class Planner {
 public:
  Planner(const EventLog& log, const Replay& replay, const MemoryFile& memory, DiagnosticLog& faults)
      : log_(log), lane_(replay.main_lane()), memory_(memory), faults_(faults), index_(log, lane_) {}

  DeliveryPlan plan() {
    const bool any_seen = std::any_of(log_.deliveries.begin(), log_.deliveries.end(),
                                      [&](const auto& delivery) { return !index_.with_text_of(delivery).empty(); });
    for (std::size_t i = 0; i < log_.events.size(); ++i) {
      if (log_.events[i].kind == EventKind::delivery) bind(i, any_seen);
    }
    find_untraced();
    std::stable_sort(plan_.blocks.begin(), plan_.blocks.end(),
                     [](const PlacedBlock& a, const PlacedBlock& b) { return a.call < b.call; });
    return std::move(plan_);
  }

 private:
  void bind(std::size_t event, bool any_seen) {
    const DeliveryEvent& delivery = log_.deliveries[log_.events[event].index];
    PlacedBlock block;
    block.event = &delivery;
    block.memories = &delivery.memories;
    block.search = delivery.search;
    const std::uint32_t replied = calls_before(event);
    const std::optional<std::uint32_t> bound = bound_call(delivery, replied);
    const auto& candidates = index_.with_text_of(delivery);
    if (bound && (block.instance = index_.shown(candidates, *bound, false))) {
      block.call = *bound;
    } else if ((block.instance = index_.shown(candidates, replied, true)) && !claimed_.contains(*block.instance)) {
      block.call = std::min(lane_.instances[*block.instance].end_call - 1, replied);
    } else {
      block.instance.reset();
      const bool placed =
          delivery.status == "placed" && delivery.binding_status != "no_call" && delivery.binding_status != "conflict";
      if (!any_seen && placed && delivery.content.text && (bound || replied > 0)) {
        block.call = bound.value_or(replied);
        block.inserted = *delivery.content.text;
        plan_.inserted = true;
      }
    }
    if (block.instance) claimed_.insert(*block.instance);
    if (block.call == 0) unseen(log_.events[event], delivery);
    if (block.call > 0 && delivery.main_step) plan_.steps.tie(*delivery.main_step, block.call);
    if (delivery.main_step) delivered_steps_.insert(*delivery.main_step);
    if (block.call > 0) by_call_.emplace(block.call, &delivery);
    plan_.blocks.push_back(block);
  }

  void unseen(const LogEvent& event, const DeliveryEvent& delivery) {
    ++plan_.unseen;
    faults_.add(Severity::warning, Fault::inconsistent_record, event.place.line, event.place.byte,
                fmt::format("no call shows the block of delivery {}; it counts as unconsumed", delivery.id));
  }

  [[nodiscard]] std::uint32_t calls_before(std::size_t event) const {
    const auto behind = std::lower_bound(lane_.calls.begin(), lane_.calls.end(), event,
                                         [](const Call& call, std::size_t wanted) { return call.event < wanted; });
    return static_cast<std::uint32_t>(behind - lane_.calls.begin());
  }

  /// The first call behind the cursor, if its reply stands before the delivery.
  static std::optional<std::uint32_t> bound_call(const DeliveryEvent& delivery, std::uint32_t replied) {
    if (!delivery.after_call || *delivery.after_call >= replied) return std::nullopt;
    return static_cast<std::uint32_t>(*delivery.after_call + 1);
  }

  /// Blocks in the inputs that no delivery names.
  void find_untraced() {
    std::map<std::uint64_t, const MemoryFile::Recall*> recalled;
    for (const MemoryFile::Recall& recall : memory_.recalls) recalled.emplace(recall.step, &recall);
    for (const auto& [step, recall] : recalled) {
      const std::uint32_t call = plan_.steps.call_of(step);
      if (!delivered_steps_.contains(step) && !by_call_.contains(call)) missing_.emplace(call, recall);
    }
    if (!log_.session) return;
    std::size_t search = 0;
    const std::vector<std::size_t> search_events = completed_searches();
    for (std::uint32_t call = 1; call <= lane_.calls.size(); ++call) {
      const Call& at = lane_.calls[call - 1];
      while (search < search_events.size() && search_events[search] < at.event) ++search;
      const SearchEvent* last = search == 0 ? nullptr : &log_.searches[log_.events[search_events[search - 1]].index];
      add_untraced(at, call, last);
    }
    for (const auto& [call, recall] : missing_) report_missing(recall->step, "; its text is not in the record");
    plan_.untraced += missing_.size();
  }

  void add_untraced(const Call& at, std::uint32_t call, const SearchEvent* last) {
    for (const std::uint32_t instance : at.added) {
      if (!lane_.instances[instance].block || claimed_.contains(instance)) continue;
      const std::string_view text = log_.messages[lane_.instances[instance].message].text;
      const bool recall = missing_.erase(call) > 0;
      // Without a word of the bridge, only a block of the session's own kind counts as one.
      if (!recall && !known_text(text) && (memory_.present || !has_block_form(text))) continue;
      report_missing(plan_.steps.step_of(call), "; its block was taken from the input");
      add_block(text, call, instance, last, {});
      return;
    }
    const auto found = missing_.find(call);
    if (found == missing_.end() || !plan_.inserted) return;
    const DeliveryEvent* before = cached_before(call, last);
    if (before == nullptr || found->second->chars != characters(before->content.text.value_or(""))) return;
    report_missing(found->second->step, "; it repeats the block of the step before");
    missing_.erase(found);
    add_block({}, call, std::nullopt, last, *before->content.text);
    by_call_.emplace(call, before);
  }

  void add_block(std::string_view text, std::uint32_t call, std::optional<std::uint32_t> instance,
                 const SearchEvent* last, std::string_view inserted) {
    PlacedBlock block;
    block.call = call;
    block.instance = instance;
    block.inserted = inserted;
    const DeliveryEvent* same = known_text(instance ? text : inserted);
    if (same != nullptr) {
      block.memories = &same->memories;
      block.search = same->search;
    } else if (last != nullptr) {
      block.memories = &last->returned;
      block.search = last->operation;
    }
    ++plan_.untraced;
    plan_.blocks.push_back(block);
  }

  void report_missing(std::uint64_t step, std::string_view what) {
    faults_.add(Severity::warning, Fault::under_recorded, 0, 0,
                fmt::format("memory was placed for step {} without a `memory_delivery`{}", step, what));
  }

  static std::uint64_t characters(std::string_view text) {
    return static_cast<std::uint64_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  }

  /// The delivery of the call before, if no search came between: the bridge then places the same block again.
  [[nodiscard]] const DeliveryEvent* cached_before(std::uint32_t call, const SearchEvent* last) const {
    const auto before = by_call_.find(call - 1);
    if (before == by_call_.end() || last == nullptr || before->second->search != last->operation) return nullptr;
    return before->second;
  }

  const DeliveryEvent* known_text(std::string_view text) {
    if (known_.empty()) {
      for (const DeliveryEvent& delivery : log_.deliveries) {
        if (delivery.content.text) known_.emplace(*delivery.content.text, &delivery);
      }
    }
    const auto found = known_.find(text);
    return found == known_.end() ? nullptr : found->second;
  }

  /// Events of searches that returned something, ascending.
  [[nodiscard]] std::vector<std::size_t> completed_searches() const {
    std::vector<std::size_t> events;
    for (std::size_t i = 0; i < log_.events.size(); ++i) {
      if (log_.events[i].kind == EventKind::search && !log_.searches[log_.events[i].index].returned.empty()) {
        events.push_back(i);
      }
    }
    return events;
  }

  const EventLog& log_;
  const Lane& lane_;
  const MemoryFile& memory_;
  DiagnosticLog& faults_;
  BlockIndex index_;
  DeliveryPlan plan_;
  std::unordered_set<std::uint32_t> claimed_;
  std::set<std::uint64_t> delivered_steps_;
  std::map<std::uint32_t, const DeliveryEvent*> by_call_;
  std::map<std::uint32_t, const MemoryFile::Recall*> missing_;  // by call
  std::unordered_map<std::string_view, const DeliveryEvent*> known_;
};

}  // namespace

std::uint32_t StepMap::call_of(std::uint64_t step) const {
  const auto behind = ties_.upper_bound(step);
  std::uint64_t call = step;
  if (behind != ties_.begin()) {
    const auto& [tied_step, tied_call] = *std::prev(behind);
    call = tied_call + (step - tied_step);
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(call, kNever - 1));
}

std::uint64_t StepMap::step_of(std::uint32_t call) const {
  std::uint64_t step = call;
  for (const auto& [tied_step, tied_call] : ties_) {
    if (tied_call > call) break;
    step = tied_step + (call - tied_call);
  }
  return step;
}

DeliveryPlan plan_deliveries(const EventLog& log, const Replay& replay, const MemoryFile& memory,
                             DiagnosticLog& faults) {
  return Planner(log, replay, memory, faults).plan();
}

}  // namespace memuse::ingest::bridge
