#include "ingest/bridge_replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "ingest/bridge_agent_reads.h"
#include "ingest/bridge_block.h"

namespace memuse::ingest::bridge {
namespace {

struct HashOfHash {
  std::size_t operator()(const Hash128& hash) const { return static_cast<std::size_t>(hash.low); }
};

/// What is known of the log before it is replayed.
struct LogFacts {
  std::vector<bool> last_of_turn;  ///< by event: the last message of its lane in its turn (if turns are recorded)
  bool turns = false;
  std::unordered_set<Hash128, HashOfHash> delivered;  ///< texts of the blocks that deliveries name
};

/// Lanes are told apart by their own turns: `turn_start` and `turn_end` nest messages of one lane.
LogFacts facts_of(const EventLog& log) {
  LogFacts facts;
  facts.last_of_turn.resize(log.events.size());
  std::unordered_map<std::string_view, std::size_t> last;  // last message event of the open turn
  const auto close = [&](std::string_view lane) {
    if (const auto found = last.find(lane); found != last.end()) {
      facts.last_of_turn[found->second] = true;
      last.erase(found);
    }
  };
  for (std::size_t i = 0; i < log.events.size(); ++i) {
    const LogEvent& event = log.events[i];
    if (event.kind == EventKind::turn_start || event.kind == EventKind::turn_end) {
      facts.turns = true;
      close(event.lane);
    } else if (event.kind == EventKind::message) {
      last[event.lane] = i;
    }
  }
  for (const auto& [lane, event] : last) facts.last_of_turn[event] = true;
  for (const DeliveryEvent& delivery : log.deliveries) {
    if (delivery.content.text) facts.delivered.insert(hash128(*delivery.content.text));
  }
  return facts;
}

class LaneReplay {
 public:
  LaneReplay(EventLog& log, const LogFacts& facts, CallFiles& calls, const ReadContext& context, Arena& arena,
             DiagnosticLog& faults, Lane& lane)
      : log_(log), facts_(facts), calls_(calls), context_(context), arena_(arena), faults_(faults), lane_(lane) {}

  /// True when the message was a reply, so that the lane has one call more.
  bool message(std::size_t index) {
    const LogEvent& event = log_.events[index];
    const ChatMessage& message = log_.messages[event.index];
    const std::uint64_t number = event.number.value_or(live_.empty() ? 0 : live_.rbegin()->first + 1);
    if (const auto occupied = live_.find(number); occupied != live_.end()) {
      doubt(event.place,
            fmt::format("message {} of {} is recorded again without having been removed", number, lane_.name));
      remove(occupied);
    }
    if (message.role == Role::assistant && !is_echo(index, message)) {
      close_call(index, number);
      return true;
    }
    const auto instance = new_instance(event.index, number);
    live_.emplace(number, instance);
    added_.emplace(number, instance);
    context_digest_.add(message.content());
    return false;
  }

  void retract(std::uint64_t number) {
    if (const auto found = live_.find(number); found != live_.end()) remove(found);
  }

  void rewrite(std::optional<std::uint64_t> kept) {
    ++lane_.rewrites;
    if (!kept) return;
    while (!live_.empty() && live_.rbegin()->first >= *kept) remove(std::prev(live_.end()));
  }

  [[nodiscard]] std::uint64_t doubts() const { return doubts_; }

 private:
  using Live = std::map<std::uint64_t, std::uint32_t>;

  const ChatMessage& message_of(std::uint32_t instance) const {
    return log_.messages[lane_.instances[instance].current];
  }

  void doubt(RecordPlace place, const std::string& what) {
    ++doubts_;
    faults_.add(Severity::warning, Fault::inconsistent_record, place.line, place.byte, what);
  }

  std::uint32_t new_instance(std::size_t message, std::uint64_t number) {
    SeenMessage instance;
    instance.message = message;
    instance.current = message;
    instance.number = number;
    const ChatMessage& chat = log_.messages[message];
    instance.block =
        chat.role == Role::user && (has_block_form(chat.text) || facts_.delivered.contains(hash128(chat.text)));
    lane_.instances.push_back(instance);
    return static_cast<std::uint32_t>(lane_.instances.size() - 1);
  }

  void remove(Live::iterator at) {
    context_digest_.remove(message_of(at->second).content());
    // What came and went between two calls was in none.
    if (added_.erase(at->first) == 0) {
      removed_.emplace_back(at->first, at->second);
      const ChatMessage& message = message_of(at->second);
      if (message.role == Role::assistant) {
        ++removed_replies_[message.identity()];
        ++open_replies_;
      }
    }
    live_.erase(at);
  }

  /// An assistant message is an echo when the request repeats one that was removed since the last call.
  bool is_echo(std::size_t index, const ChatMessage& message) {
    const auto removed = removed_replies_.find(message.identity());
    if (removed != removed_replies_.end() && removed->second > 0) {
      --removed->second;
      --open_replies_;
      return true;
    }
    // The client may send an answer back in another wording; then more of the request follows in its turn.
    return open_replies_ > 0 && facts_.turns && !facts_.last_of_turn[index];
  }

  void close_call(std::size_t event, std::uint64_t number) {
    const auto call_number = static_cast<std::uint32_t>(lane_.calls.size() + 1);
    Call call;
    call.event = event;
    settle(call, call_number);
    const ChatMessage& reply = log_.messages[log_.events[event].index];
    pair_with_file(call, call_number, reply);
    call.reply = new_instance(log_.events[event].index, number);
    SeenMessage& instance = lane_.instances[call.reply];
    instance.reply = true;
    instance.first_call = call_number + 1;
    live_.emplace(number, call.reply);
    context_digest_.add(reply.content());
    lane_.calls.push_back(std::move(call));
    removed_.clear();
    added_.clear();
    removed_replies_.clear();
    open_replies_ = 0;
  }

  /// Which of the messages recorded since the last call are new, and which of those removed are gone for good.
  void settle(Call& call, std::uint32_t call_number) {
    std::sort(removed_.begin(), removed_.end());
    std::unordered_map<Hash128, std::vector<std::size_t>, HashOfHash> by_identity;  // positions, last first
    for (std::size_t i = removed_.size(); i-- > 0;) by_identity[message_of(removed_[i].second).identity()].push_back(i);
    std::vector<bool> again(removed_.size());
    std::size_t next = 0;  // repeated messages keep their order
    call.reordered = added_before_survivor();
    bool waiting = false;  // a new message stands before one that was there already
    for (const auto& [number, instance] : added_) {
      const auto old = find_removed(by_identity, number, instance, next);
      if (old) {
        next = *old + 1;
        again[*old] = keep(call, removed_[*old].second, number, instance, call_number, waiting);
      } else {
        lane_.instances[instance].first_call = call_number;
        call.added.push_back(instance);
        if (message_of(instance).role != Role::tool) {
          waiting = true;
        } else if (waiting && pinned(instance)) {
          call.reordered = true;
        } else if (waiting) {
          lane_.instances[instance].behind_new = true;
        }
      }
    }
    close_removed(call, again, call_number);
  }

  /// A message was put in front of one that was never removed.
  [[nodiscard]] bool added_before_survivor() const {
    if (added_.empty()) return false;
    for (auto at = live_.upper_bound(added_.begin()->first); at != live_.end(); ++at) {
      if (added_.find(at->first) == added_.end()) return true;
    }
    return false;
  }

  std::optional<std::size_t> find_removed(
      std::unordered_map<Hash128, std::vector<std::size_t>, HashOfHash>& by_identity, std::uint64_t number,
      std::uint32_t instance, std::size_t next) {
    const auto found = by_identity.find(message_of(instance).identity());
    if (found == by_identity.end()) return reworded_reply(instance, next);
    std::vector<std::size_t>& positions = found->second;
    while (!positions.empty() && positions.back() < next) positions.pop_back();
    if (positions.empty()) return std::nullopt;
    const std::size_t position = positions.back();
    // A block is placed anew for each call; only where it stood before is it the same one.
    if (lane_.instances[instance].block && removed_[position].first != number) return std::nullopt;
    positions.pop_back();
    return position;
  }

  /// The last reply, when it comes back in another wording.
  std::optional<std::size_t> reworded_reply(std::uint32_t instance, std::size_t next) const {
    if (message_of(instance).role != Role::assistant || removed_.size() <= next) return std::nullopt;
    if (!lane_.instances[removed_.back().second].reply) return std::nullopt;
    return removed_.size() - 1;
  }

  /// A message that was removed and recorded again; false when it has to count as another one, for the order's sake.
  bool keep(Call& call, std::uint32_t old, std::uint64_t number, std::uint32_t repeated, std::uint32_t call_number,
            bool out_of_order) {
    if (out_of_order && !pinned(old)) {
      lane_.instances[repeated].first_call = call_number;
      copied_.insert(old);
      call.added.push_back(repeated);
      return false;
    }
    if (out_of_order) call.reordered = true;
    const std::size_t message = lane_.instances[repeated].message;
    if (message_of(old).text != log_.messages[message].text) call.rewritten.push_back({old, message});
    lane_.instances[old].number = number;
    lane_.instances[old].current = message;
    live_[number] = old;
    return true;
  }

  /// The result of a read of memory is a delivery; as another message it would no longer be the same one.
  [[nodiscard]] bool pinned(std::uint32_t instance) const {
    return message_of(instance).role == Role::tool && reads_.contains(message_of(instance).call_id);
  }

  void close_removed(Call& call, const std::vector<bool>& again, std::uint32_t call_number) {
    for (std::size_t i = 0; i < removed_.size(); ++i) {
      if (again[i]) continue;
      SeenMessage& instance = lane_.instances[removed_[i].second];
      instance.end_call = std::max(instance.first_call, call_number);
      const bool last_reply = instance.reply && instance.first_call == call_number;
      const bool copied = copied_.contains(removed_[i].second);
      if (!instance.block && !last_reply && !copied) call.compacted = true;
    }
    copied_.clear();
  }

  void pair_with_file(Call& call, std::uint32_t call_number, const ChatMessage& reply) {
    for (const Action& action : reply.actions) {
      if (!reads_of(action).empty()) reads_.insert(action.id);
    }
    if (calls_.empty()) return;
    const auto pair = calls_.take(context_digest_, reply.identity());
    if (!pair) return;
    call.file = pair->call;
    call.proven = pair->match == CallFiles::Match::context;
    if (!call.proven && pair->call->request) complete_from_request(call, call_number, *pair);
  }

  /// Messages that the request has and the log has not are shown to this call alone; the log has their successors.
  void complete_from_request(Call& call, std::uint32_t call_number, const CallFiles::Pair& pair) {
    std::unordered_map<Hash128, std::size_t, HashOfHash> known;
    for (const auto& [number, instance] : live_) ++known[message_of(instance).content()];
    std::size_t missing = live_.size();
    bool only_last = false;
    std::vector<ChatMessage> messages = calls_.request_messages(context_, *pair.call, arena_);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto found = known.find(messages[i].content());
      if (found != known.end() && found->second > 0) {
        --found->second;
        --missing;
        continue;
      }
      only_last = i + 1 == messages.size();
      log_.messages.push_back(std::move(messages[i]));
      const auto instance = new_instance(log_.messages.size() - 1, i);
      lane_.instances[instance].first_call = call_number;
      lane_.instances[instance].end_call = call_number + 1;
      call.added.push_back(instance);
      if (!only_last) call.reordered = true;
    }
    call.proven = missing == 0;
    if (pair.match == CallFiles::Match::context_without_last) return;
    doubt(log_.events[call.event].place,
          fmt::format("the request of call {} of {} is not what the log shows; the request was used", call_number,
                      lane_.name));
  }

  EventLog& log_;
  const LogFacts& facts_;
  CallFiles& calls_;
  const ReadContext& context_;
  Arena& arena_;
  DiagnosticLog& faults_;
  Lane& lane_;
  Live live_;
  std::map<std::uint64_t, std::uint32_t> added_;                          // since the last call
  std::vector<std::pair<std::uint64_t, std::uint32_t>> removed_;          // since the last call
  std::unordered_map<Hash128, std::size_t, HashOfHash> removed_replies_;  // of those, not yet recorded again
  std::size_t open_replies_ = 0;
  std::unordered_set<std::uint32_t> copied_;
  std::unordered_set<std::string_view> reads_;
  ContextDigest context_digest_;
  std::uint64_t doubts_ = 0;
};

std::size_t main_lane_of(const EventLog& log, const std::vector<Lane>& lanes) {
  const auto named = [&](std::string_view name) {
    return static_cast<std::size_t>(
        std::find_if(lanes.begin(), lanes.end(), [&](const Lane& lane) { return lane.name == name; }) - lanes.begin());
  };
  if (const std::size_t bound = named(log.main_lane); !log.main_lane.empty() && bound < lanes.size()) return bound;
  if (const std::size_t usual = named("MAIN"); usual < lanes.size()) return usual;
  std::size_t best = 0;
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    if (lanes[i].calls.size() > lanes[best].calls.size()) best = i;
  }
  return best;
}

}  // namespace

Replay replay(EventLog& log, CallFiles& calls, const ReadContext& context, Arena& arena, DiagnosticLog& faults) {
  Replay out;
  const LogFacts facts = facts_of(log);
  std::unordered_map<std::string_view, std::size_t> lane_of;
  std::vector<std::unique_ptr<Lane>> lanes;
  std::vector<LaneReplay> replays;
  for (std::size_t i = 0; i < log.events.size(); ++i) {
    const LogEvent& event = log.events[i];
    const bool of_conversation =
        event.kind == EventKind::message || event.kind == EventKind::retracted || event.kind == EventKind::rewritten;
    if (!of_conversation) continue;
    const auto [lane, is_new] = lane_of.emplace(event.lane, lanes.size());
    if (is_new) {
      lanes.push_back(std::make_unique<Lane>());
      lanes.back()->name = event.lane;
      replays.emplace_back(log, facts, calls, context, arena, faults, *lanes.back());
    }
    LaneReplay& at = replays[lane->second];
    if (event.kind == EventKind::retracted) {
      if (event.number) at.retract(*event.number);
    } else if (event.kind == EventKind::rewritten) {
      at.rewrite(event.number);
    } else if (at.message(i)) {
      out.call_order.emplace_back(lane->second, lanes[lane->second]->calls.size() - 1);
    }
  }
  for (const LaneReplay& lane : replays) out.doubts += lane.doubts();
  for (const auto& lane : lanes) out.lanes.push_back(std::move(*lane));
  if (out.lanes.empty()) out.lanes.emplace_back();
  out.main = main_lane_of(log, out.lanes);
  return out;
}

}  // namespace memuse::ingest::bridge
