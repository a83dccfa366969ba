#include "ingest/bridge_events_to_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "ingest/bridge_agent_reads.h"
#include "ingest/bridge_block.h"
#include "model/text.h"

namespace memuse::ingest::bridge {
namespace {

using HashKey = std::pair<std::uint64_t, std::uint64_t>;

HashKey key_of(const Hash128& hash) {
  return {hash.low, hash.high};
}

/// Purpose of a lane that is not the agent's.
std::string_view purpose_of(const EventLog& log, std::string_view lane) {
  if (lane == log.memory_lane || lane == "EXTRACT") return "extraction";
  if (lane == "QUERY") return "query rewriting";
  return lane.empty() ? "other" : lane;
}

class StepRecorder {
 public:
  StepRecorder(const StepSources& sources, EpisodeRecorder& recorder, DiagnosticLog& faults)
      : log_(sources.log),
        replay_(sources.replay),
        lane_(sources.replay.main_lane()),
        plan_(sources.plan),
        agent_(sources.agent),
        agent_reads_(sources.agent_reads),
        recorder_(recorder),
        faults_(faults) {
    index_of_.resize(lane_.instances.size());
    for (std::uint32_t i = 0; i < lane_.instances.size(); ++i) {
      if (lane_.instances[i].end_call != kNever) ending_[lane_.instances[i].end_call].push_back(i);
    }
    for (std::size_t i = 0; i < replay_.call_order.size(); ++i) {
      const auto [lane, call] = replay_.call_order[i];
      calls_by_event_.emplace(replay_.lanes[lane].calls[call].event, i);
    }
    for (std::size_t i = 0; i < agent_.messages.size(); ++i) {
      if (agent_.messages[i].role == Role::assistant)
        agent_replies_[key_of(agent_.messages[i].identity())].push_back(i);
    }
    for (const ChangeEvent& change : log_.changes) {
      for (const MemoryRef& ref : change.after) changed_.emplace(change.operation, ref.version);
    }
    for (const GenerationEvent& generation : log_.generations) generations_.emplace(generation.operation, &generation);
    for (const PlacedBlock& block : plan_.blocks) {
      if (block.event != nullptr) ids_.insert(block.event->id);
    }
  }

  void record() {
    const auto calls = static_cast<std::uint32_t>(lane_.calls.size());
    for (; next_block_ < plan_.blocks.size() && plan_.blocks[next_block_].call == 0; ++next_block_) {
      unseen_.push_back(&plan_.blocks[next_block_]);
    }
    for (std::uint32_t call = 1; call <= calls; ++call) {
      if (call > 1) record_step(call - 1, &lane_.calls[call - 1]);
      record_events_until(lane_.calls[call - 1].event);
      build_input(call);
    }
    if (calls > 0) record_step(calls, nullptr);
    record_events_until(log_.events.size());
    for (const PlacedBlock* block : unseen_) add_delivery(*block, std::nullopt);
  }

 private:
  const ChatMessage& message_of(std::uint32_t instance) const {
    return log_.messages[lane_.instances[instance].message];
  }

  // --- steps -------------------------------------------------------------------------------------------------------

  /// Records the step of call `number`; `next` is the call whose input shows its results (none for the last one).
  void record_step(std::uint32_t number, const Call* next) {
    const Call& call = lane_.calls[number - 1];
    const ChatMessage& reply = message_of(call.reply);
    StepRecord step;
    step.response = reply.text;
    step.reasoning = reply.reasoning;
    step.actions = reply.actions;
    step.time = log_.events[call.event].time;
    take_usage(call, reply, step);
    std::vector<std::uint32_t> results;
    if (next != nullptr) {
      for (const std::uint32_t instance : next->added) {
        if (!is_result_of(reply, message_of(instance))) continue;
        results.push_back(instance);
        step.results.push_back({{}, message_of(instance).call_id, message_of(instance).text});
      }
    } else {
      add_last_observations(reply, step);
    }
    recorder_.tick();
    recorder_.add_step(std::move(step));
    const Step& recorded = recorder_.episode().steps.back();
    index_of_[call.reply] = recorded.response_message;
    for (std::size_t i = 0; i < results.size(); ++i) index_of_[results[i]] = recorded.results[i].message;
    if (agent_reads_) add_agent_reads(reply, number);
  }

  static bool is_result_of(const ChatMessage& reply, const ChatMessage& message) {
    if (message.role != Role::tool) return false;
    return message.call_id.empty() || std::any_of(reply.actions.begin(), reply.actions.end(),
                                                  [&](const Action& action) { return action.id == message.call_id; });
  }

  void take_usage(const Call& call, const ChatMessage& reply, StepRecord& step) {
    if (call.file != nullptr) {
      step.usage = call.file->usage;
      step.model = call.file->model;
    }
    const auto found = agent_replies_.find(key_of(reply.identity()));
    if (found == agent_replies_.end() || found->second.empty()) return;
    const AgentFile::Reply& recorded = agent_.replies[found->second.front()];
    found->second.pop_front();
    if (!step.usage.input && !step.usage.output) step.usage = recorded.usage;
    if (step.model.empty()) step.model = recorded.model;
    step.cost_usd = recorded.cost_usd;
  }

  /// What came back for the last reply was never sent to the model; only the agent's own file has it.
  void add_last_observations(const ChatMessage& reply, StepRecord& step) {
    std::size_t last = agent_.messages.size();
    while (last > 0 && agent_.messages[last - 1].role != Role::assistant) --last;
    if (last == 0 || agent_.messages[last - 1].identity() != reply.identity()) return;
    for (std::size_t i = last; i < agent_.messages.size(); ++i) {
      if (!is_result_of(reply, agent_.messages[i])) continue;
      step.results.push_back({{}, agent_.messages[i].call_id, agent_.messages[i].text});
    }
  }

  // --- visible input -----------------------------------------------------------------------------------------------

  void build_input(std::uint32_t call) {
    const Call& at = lane_.calls[call - 1];
    recorder_.tick();
    if (const auto ending = ending_.find(call); ending != ending_.end()) {
      for (const std::uint32_t instance : ending->second) {
        if (index_of_[instance] && !is_transient(instance)) recorder_.drop_message(*index_of_[instance]);
      }
    }
    for (const Rewrite& rewrite : at.rewritten) {
      if (!index_of_[rewrite.instance]) continue;
      recorder_.tick();
      recorder_.rewrite_message(*index_of_[rewrite.instance], log_.messages[rewrite.message].text);
    }
    std::vector<const PlacedBlock*> blocks;
    for (; next_block_ < plan_.blocks.size() && plan_.blocks[next_block_].call == call; ++next_block_) {
      blocks.push_back(&plan_.blocks[next_block_]);
    }
    for (const std::uint32_t instance : at.added) {
      if (!index_of_[instance] || lane_.instances[instance].behind_new) add_message(instance, call);
    }
    for (const PlacedBlock* block : blocks) {
      if (block->instance) {
        add_delivery(*block, index_of_[*block->instance]);
      } else {
        recorder_.tick();
        add_delivery(*block, recorder_.add_message({{}, Role::user, Origin::memory, true, block->inserted}));
      }
    }
  }

  /// In one call only: a block, or what a single request shows. The last call's block is taken away behind it.
  [[nodiscard]] bool is_transient(std::uint32_t instance) const {
    const SeenMessage& at = lane_.instances[instance];
    if (at.reply || message_of(instance).role == Role::tool) return false;
    return at.end_call == at.first_call + 1 ? at.block || at.end_call == kNever
                                            : at.block && at.first_call == lane_.calls.size();
  }

  void add_message(std::uint32_t instance, std::uint32_t call) {
    const ChatMessage& message = message_of(instance);
    recorder_.tick();
    // A result behind a new message: what the step keeps never was in an input, this copy is.
    if (index_of_[instance]) recorder_.drop_message(*index_of_[instance]);
    MessageRecord record;
    record.role = message.role;
    record.text = message.text;
    record.transient = is_transient(instance);
    record.origin = origin_of(instance, call);
    index_of_[instance] = recorder_.add_message(record);
  }

  Origin origin_of(std::uint32_t instance, std::uint32_t call) {
    const ChatMessage& message = message_of(instance);
    if (message.role == Role::system) return Origin::system;
    if (lane_.instances[instance].block) return Origin::memory;
    if (message.role != Role::user || call != 1 || task_seen_) return Origin::other;
    task_seen_ = true;
    return Origin::task;
  }

  // --- deliveries --------------------------------------------------------------------------------------------------

  std::string_view delivery_id(const PlacedBlock& block, std::string_view part) {
    std::string id(block.event != nullptr && !block.event->id.empty() ? std::string(block.event->id)
                                                                      : fmt::format("untraced-step-{}", block.call));
    if (!part.empty()) id += fmt::format("/{}", part);
    return recorder_.keep(id);
  }

  void add_delivery(const PlacedBlock& block, std::optional<std::uint32_t> message) {
    std::string_view text;
    if (message) {
      text = recorder_.message_text(*message);
    } else if (block.event != nullptr) {
      text = block.event->content.text.value_or(std::string_view{});
    }
    Delivery delivery;
    delivery.id = delivery_id(block, "");
    delivery.form = "recall block";
    delivery.search = block.search;
    delivery.message = message;
    static const std::vector<MemoryRef> none;
    BlockLines lines = read_block(text, block.memories == nullptr ? none : *block.memories);
    report_lines(lines, delivery.id);
    delivery.entries = std::move(lines.entries);
    if (!message) {
      for (Entry& entry : delivery.entries) entry.range.reset();
    }
    const std::optional<SceneIndex> scenes = message ? read_scene_index(text) : std::nullopt;
    if (scenes) {
      add_scene_index(block, *message, *scenes);
      delivery.range = ByteRange{scenes->range.end, text.size()};
    }
    recorder_.tick();
    recorder_.add_delivery(std::move(delivery));
  }

  void report_lines(BlockLines& lines, std::string_view id) {
    if (lines.not_found == 0 && lines.titled) return;
    if (!lines.titled && lines.not_found == lines.entries.size()) {
      lines.entries.clear();
      return report(fmt::format("the block of delivery {} has no title line; all of it counts as one memory", id));
    }
    if (lines.not_found > 0) {
      report(
          fmt::format("{} of the memories of delivery {} have no line of their own in its block; their stored "
                      "texts were used",
                      lines.not_found, id));
    }
  }

  void report(const std::string& what) { faults_.add(Severity::warning, Fault::inconsistent_record, 0, 0, what); }

  void add_scene_index(const PlacedBlock& block, std::uint32_t message, const SceneIndex& scenes) {
    Delivery delivery;
    delivery.id = delivery_id(block, "scenes");
    delivery.form = "scene index";
    delivery.message = message;
    delivery.range = scenes.range;
    delivery.entries = scenes.entries;
    recorder_.tick();
    recorder_.add_delivery(std::move(delivery));
  }

  void add_agent_reads(const ChatMessage& reply, std::uint32_t step) {
    for (const Action& action : reply.actions) {
      for (const AgentRead& read : reads_of(action)) {
        for (const Result& result : recorder_.episode().steps.back().results) {
          if (result.action == action.id) add_agent_read(read, step, result.message);
        }
      }
    }
  }

  void add_agent_read(const AgentRead& read, std::uint32_t step, std::uint32_t message) {
    const std::string_view text = recorder_.message_text(message);
    const ByteRange range = output_range(text);
    const std::string_view output = text.substr(range.begin, range.end - range.begin);
    Delivery delivery;
    delivery.id = recorder_.keep(fmt::format("agent-read-{}-{}", step, ++agent_read_count_));
    delivery.route = Route::agent;
    delivery.form = read.scene ? "scene file" : "conversation search";
    if (!is_blank(output)) {
      delivery.message = message;
      delivery.range = range;
      Entry entry;
      if (read.scene) {
        entry.item = recorder_.keep(read.key);
        entry.identifiers.push_back(*entry.item);
      }
      entry.text = output;
      entry.range = range;
      delivery.entries.push_back(std::move(entry));
    }
    recorder_.tick();
    recorder_.add_delivery(std::move(delivery));
  }

  // --- memory and side models --------------------------------------------------------------------------------------

  void record_events_until(std::size_t end) {
    for (; next_event_ < end; ++next_event_) {
      const LogEvent& event = log_.events[next_event_];
      if (event.kind == EventKind::search) {
        record_search(log_.searches[event.index]);
      } else if (event.kind == EventKind::change) {
        record_change(log_.changes[event.index], event);
      } else if (event.kind == EventKind::generation_end) {
        record_unexplained(log_.generations[event.index], event);
      } else if (event.kind == EventKind::message) {
        if (const auto call = calls_by_event_.find(next_event_); call != calls_by_event_.end())
          record_call(call->second);
      }
    }
  }

  void record_call(std::size_t order) {
    const auto [lane, index] = replay_.call_order[order];
    if (lane == replay_.main) return;
    const Call& call = replay_.lanes[lane].calls[index];
    SideCall side;
    side.purpose = purpose_of(log_, replay_.lanes[lane].name);
    if (call.file != nullptr) {
      side.usage = call.file->usage;
      side.model = call.file->model;
    }
    recorder_.tick();
    recorder_.add_side_call(side);
  }

  void record_search(const SearchEvent& event) {
    Search search;
    search.id = event.operation;
    search.query = event.query;
    search.matched = event.matched;
    search.completed = event.completed;
    for (const MemoryRef& ref : event.returned) {
      SearchHit hit;
      hit.item = ref.item.value_or(ref.version);
      if (!ref.version.empty()) hit.version = ref.version;
      search.returned.push_back(hit);
      if (ref.item) last_version_[*ref.item] = ref.version;
    }
    recorder_.tick();
    recorder_.add_search(std::move(search));
  }

  std::string_view item_of(const MemoryRef& ref, std::string_view operation) {
    // A candidate that never became a row has a name inside its operation only.
    if (ref.operation_local) return recorder_.keep(fmt::format("{}/{}", operation, ref.version));
    return ref.item.value_or(ref.version);
  }

  std::vector<std::uint32_t> steps_of(std::string_view operation) const {
    std::vector<std::uint32_t> steps;
    const auto generation = generations_.find(operation);
    if (generation == generations_.end()) return steps;
    for (const std::uint32_t step : generation->second->source_steps) steps.push_back(plan_.steps.call_of(step));
    return steps;
  }

  void record_operation(MemoryOp op, const MemoryRef& ref, std::string_view operation, const LogEvent& event,
                        std::vector<std::string_view> from) {
    MemoryOperation record;
    record.op = op;
    record.item = item_of(ref, operation);
    if (!ref.version.empty()) record.version = ref.version;
    record.text = ref.content.text;
    record.from = std::move(from);
    record.operation = operation;
    record.steps = steps_of(operation);
    record.at = event.time;
    if (op == MemoryOp::delete_item) {
      last_version_.erase(record.item);
    } else {
      last_version_[record.item] = ref.version;
    }
    recorder_.tick();
    recorder_.add_memory_operation(std::move(record));
  }

  MemoryOp op_of(const ChangeEvent& change, const LogEvent& event) {
    if (change.action != "delete") {
      if (const auto op = parse_memory_op(change.action)) return *op;
    }
    if (change.action == "delete") return MemoryOp::delete_item;
    const MemoryOp op = change.after.empty()    ? MemoryOp::delete_item
                        : change.before.empty() ? MemoryOp::create
                                                : MemoryOp::update;
    faults_.add(Severity::warning, Fault::unknown_value, event.place.line, event.place.byte,
                fmt::format("`action` is \"{}\"; taken as \"{}\" from what it names", shortened(change.action, 60),
                            memuse::name(op)));
    return op;
  }

  void record_change(const ChangeEvent& change, const LogEvent& event) {
    const MemoryOp op = op_of(change, event);
    if (op == MemoryOp::delete_item || change.after.empty()) {
      for (const MemoryRef& ref : change.before) record_operation(op, ref, change.operation, event, {});
      return;
    }
    std::vector<std::string_view> from;
    if (op == MemoryOp::update) {
      for (const MemoryRef& ref : change.before) from.push_back(ref.version);
      from.insert(from.end(), change.superseded.begin(), change.superseded.end());
      std::sort(from.begin(), from.end());
      from.erase(std::unique(from.begin(), from.end()), from.end());
    }
    for (const MemoryRef& ref : change.after) {
      std::vector<std::string_view> parents = from;
      if (op == MemoryOp::update && parents.empty() && ref.item) infer_parent(*ref.item, event, parents);
      record_operation(op, ref, change.operation, event, std::move(parents));
    }
  }

  /// A native receipt names no version before: the last one that this episode has seen is taken (Q19).
  void infer_parent(std::string_view item, const LogEvent& event, std::vector<std::string_view>& parents) {
    const auto last = last_version_.find(item);
    if (last == last_version_.end() || last->second.empty()) return;
    parents.push_back(last->second);
    faults_.add(
        Severity::note, Fault::under_recorded, event.place.line, event.place.byte,
        fmt::format("an update names no version before; the last one seen of its item was taken: {}", last->second));
  }

  /// Versions that a generation says it produced without a change that tells how.
  void record_unexplained(const GenerationEvent& generation, const LogEvent& event) {
    for (const MemoryRef& ref : generation.produced) {
      if (ref.operation_local || ref.version.empty() || changed_.contains({generation.operation, ref.version}))
        continue;
      faults_.add(Severity::warning, Fault::under_recorded, event.place.line, event.place.byte,
                  fmt::format("version {} was produced without a `memory_change`; taken as created", ref.version));
      record_operation(MemoryOp::create, ref, generation.operation, event, {});
    }
  }

  const EventLog& log_;
  const Replay& replay_;
  const Lane& lane_;
  const DeliveryPlan& plan_;
  AgentFile& agent_;
  bool agent_reads_;
  EpisodeRecorder& recorder_;
  DiagnosticLog& faults_;
  std::vector<std::optional<std::uint32_t>> index_of_;  // message index by instance
  std::map<std::uint32_t, std::vector<std::uint32_t>> ending_;
  std::unordered_map<std::size_t, std::size_t> calls_by_event_;
  std::map<HashKey, std::deque<std::size_t>> agent_replies_;
  std::set<std::pair<std::string_view, std::string_view>> changed_;
  std::unordered_map<std::string_view, const GenerationEvent*> generations_;
  std::unordered_map<std::string_view, std::string_view> last_version_;
  std::set<std::string_view> ids_;
  std::vector<const PlacedBlock*> unseen_;
  std::size_t next_event_ = 0, next_block_ = 0, agent_read_count_ = 0;
  bool task_seen_ = false;
};

}  // namespace

void record_steps(const StepSources& sources, EpisodeRecorder& recorder, DiagnosticLog& faults) {
  StepRecorder(sources, recorder, faults).record();
}

void record_unlogged_steps(const AgentFile& agent, EpisodeRecorder& recorder) {
  bool task_seen = false;
  for (std::size_t i = 0; i < agent.messages.size(); ++i) {
    const ChatMessage& message = agent.messages[i];
    recorder.tick();
    if (message.role != Role::assistant) {
      MessageRecord record;
      record.role = message.role;
      record.text = message.text;
      record.origin = message.role == Role::system               ? Origin::system
                      : message.role == Role::user && !task_seen ? Origin::task
                                                                 : Origin::other;
      task_seen = task_seen || message.role == Role::user;
      recorder.add_message(record);
      continue;
    }
    StepRecord step;
    step.response = message.text;
    step.reasoning = message.reasoning;
    step.actions = message.actions;
    step.usage = agent.replies[i].usage;
    step.cost_usd = agent.replies[i].cost_usd;
    step.model = agent.replies[i].model;
    for (; i + 1 < agent.messages.size() && agent.messages[i + 1].role == Role::tool; ++i) {
      step.results.push_back({{}, agent.messages[i + 1].call_id, agent.messages[i + 1].text});
    }
    recorder.add_step(std::move(step));
  }
}

}  // namespace memuse::ingest::bridge
