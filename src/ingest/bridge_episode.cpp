#include "ingest/bridge_episode.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ingest/bridge_events_to_steps.h"
#include "ingest/instance_names.h"
#include "model/text.h"

namespace memuse::ingest::bridge {
namespace {

constexpr std::string_view kFormat = "memory-bridge";
constexpr std::string_view kTraceVersion = "6";

/// Digest over the files that define an episode: SHA-256 of their sorted lines `<sha256>  <name>`.
std::string digest_of(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return sha256_hex(all);
}

/// Reads one attempt; the parts of it live here while the episode is made.
class AttemptReader {
 public:
  AttemptReader(const ReadContext& context, const RootInfo& info, const Attempt& attempt)
      : context_(context),
        info_(info),
        attempt_(attempt),
        arena_(recorder_.episode().arena),
        log_below_(attempt.run_dir ? join(attempt.run_dir->path, attempt.run_dir->log) : std::string()),
        faults_(context.log.for_file(context.files.path(attempt.run_dir ? log_below_ : own_folder()))) {}

  Episode read() {
    const std::string run_dir = attempt_.run_dir ? attempt_.run_dir->path : std::string();
    if (attempt_.run_dir) {
      log_ = read_log(context_.files.open(log_below_, attempt_.start.byte), attempt_.start, attempt_.end,
                      context_.options, arena_, faults_);
      hashes_.push_back(log_.sha256 + "  trajectory.jsonl");
      if (attempt_.run_dir->whole()) run_ = read_run_file(context_, join(run_dir, "run.json"), arena_, hashes_);
    }
    if (attempt_.chosen) read_own_files();
    if (attempt_.run_dir) {
      record_logged(run_dir);
    } else {
      record_unlogged();
    }
    set_names();
    set_outcome();
    set_source();
    std::sort(episode_.tags.begin(), episode_.tags.end(), [](const Tag& a, const Tag& b) { return a.key < b.key; });
    context_.log.absorb(std::move(faults_));
    return recorder_.take();
  }

 private:
  [[nodiscard]] std::string own_folder() const {
    return attempt_.instance.outer.empty() ? attempt_.instance.inner : attempt_.instance.outer;
  }

  void read_own_files() {
    const Instance& instance = attempt_.instance;
    // A run dir on its own has no such folders; what stands in it is not the instance's.
    if (attempt_.run_dir && attempt_.run_dir->path.empty()) return;
    memory_ = read_memory_file(context_, join(instance.outer, "memory.json"), arena_, hashes_);
    agent_ = read_agent_file(context_, join(instance.inner, instance.id + ".traj.json"), arena_, hashes_);
  }

  void record_logged(const std::string& run_dir) {
    CallFiles calls;
    if (attempt_.run_dir->whole()) calls = CallFiles(context_, run_dir, arena_, hashes_);
    const Replay replayed = replay(log_, calls, context_, arena_, faults_);
    const DeliveryPlan plan = plan_deliveries(log_, replayed, memory_, faults_);
    const TraceState state = check({log_, replayed, plan, calls, memory_, run_}, faults_);
    record_steps({log_, replayed, plan, agent_, adapter() == "tencentdb"}, recorder_, faults_);
    const Lane& main = replayed.main_lane();
    set_trace(state);
    set_visibility(main, plan, replayed.doubts + log_.doubts);
    tag("bridge_generations", std::to_string(log_.generations.size()));
    tag("bridge_history_rewrites", std::to_string(main.rewrites));
    tag("bridge_compactions", std::to_string(std::count_if(main.calls.begin(), main.calls.end(),
                                                           [](const Call& call) { return call.compacted; })));
    set_totals(main);
  }

  void record_unlogged() {
    record_unlogged_steps(agent_, recorder_);
    const bool baseline = info_.adapter.empty() && !memory_.present;
    if (!baseline) {
      faults_.add(Severity::warning, Fault::under_recorded, 0, 0,
                  "the instance has no recording; what was placed is not known");
      if (memory_.recall_injections.value_or(0) > 0) {
        faults_.add(Severity::warning, Fault::under_recorded, 0, 0,
                    fmt::format("memory.json counts {} placed blocks", *memory_.recall_injections));
      }
    }
    set_trace(TraceState::untraced);
    if (baseline) episode_.delivery_grade = DeliveryGrade::none;
    episode_.visibility = !agent_.present ? VisibilityGrade::unknown
                          : baseline      ? VisibilityGrade::rebuilt
                                          : VisibilityGrade::partial;
    set_totals(Lane{});
  }

  void set_trace(TraceState state) {
    const bool off = memory_.available == false || memory_.enabled == false;
    tag("bridge_trace", name(state));
    if (memory_.present) {
      tag("bridge_memory", memory_.enabled == false ? "off" : memory_.available == false ? "unavailable" : "available");
    }
    episode_.delivery_grade =
        state == TraceState::untraced || off ? DeliveryGrade::not_recorded : DeliveryGrade::annotated;
  }

  /// Exact when requests prove every input, or when nothing at all speaks against the replay.
  void set_visibility(const Lane& main, const DeliveryPlan& plan, std::uint64_t doubts) {
    const auto all = [&](auto what) { return std::all_of(main.calls.begin(), main.calls.end(), what); };
    const bool proven = all([](const Call& call) { return call.proven; });
    const bool ordered = all([](const Call& call) { return !call.reordered; });
    if (main.calls.empty()) {
      episode_.visibility = log_.lost_lines ? VisibilityGrade::partial : VisibilityGrade::exact;
    } else if (!proven && (log_.lost_lines || plan.unseen > 0)) {
      episode_.visibility = VisibilityGrade::partial;
    } else if (!ordered || (!proven && (plan.inserted || doubts > 0))) {
      episode_.visibility = VisibilityGrade::rebuilt;
    } else {
      episode_.visibility = VisibilityGrade::exact;
    }
  }

  void set_totals(const Lane& main) {
    AgentTotals totals;
    totals.calls = agent_.api_calls;
    totals.cost_usd = agent_.cost_usd;
    for (const auto& [lane, usage] : run_.usage_by_lane) {
      if (!main.name.empty() && lane == main.name) totals.usage = usage;
    }
    if (totals.calls || totals.cost_usd || totals.usage.input || totals.usage.output) episode_.totals = totals;
  }

  [[nodiscard]] std::string_view adapter() const {
    if (!log_.adapter.empty()) return log_.adapter;
    return info_.adapter.empty() ? memory_.adapter : std::string_view(info_.adapter);
  }

  void set_names() {
    const ReadOptions& options = context_.options;
    episode_.id = keep(attempt_.id);
    const std::string task_id = log_.instance_id.empty() ? attempt_.instance.id : std::string(log_.instance_id);
    if (task_id != attempt_.instance.id && !attempt_.instance.outer.empty()) {
      faults_.add(Severity::warning, Fault::inconsistent_record, 0, 0,
                  fmt::format("the session is of instance {}, its folder of {}", task_id, attempt_.instance.id));
    }
    episode_.task_id = keep(task_id);
    episode_.repo = keep(repository_of_instance(task_id));
    // The root speaks for all its instances, so that one without a recording stays in the same configuration.
    const std::string_view recorded = info_.adapter.empty() ? adapter() : std::string_view(info_.adapter);
    episode_.configuration = keep(!options.configuration.empty() ? options.configuration
                                  : recorded.empty()             ? "none"
                                                                 : std::string(recorded));
    episode_.run = keep(!options.run.empty() ? options.run : run_name());
    if (const auto place = info_.position.find(attempt_.instance.id); place != info_.position.end()) {
      episode_.position = place->second;
    }
    set_task_text();
    set_store();
    episode_.model = agent_.model;
    if (episode_.model.empty() && !episode_.steps.empty()) episode_.model = episode_.steps.back().model;
    if (!adapter().empty()) tag("bridge_adapter", adapter());
    if (const std::string_view scope = log_.scope.empty() ? memory_.scope : log_.scope; !scope.empty()) {
      tag("bridge_scope", scope);
    }
    if (!attempt_.chosen) tag("bridge_attempt", "not chosen");
  }

  [[nodiscard]] std::string run_name() const {
    const std::string name = context_.files.name();
    return name.empty() ? "r1" : name;
  }

  void set_task_text() {
    episode_.task_text = log_.task;
    if (!episode_.task_text.empty()) return;
    // Without a session: the prompt that the problem statement stands in.
    const auto prompt = std::find_if(episode_.messages.begin(), episode_.messages.end(),
                                     [](const Message& message) { return message.origin == Origin::task; });
    if (prompt != episode_.messages.end()) episode_.task_text = episode_.texts[prompt->versions.front().text];
  }

  /// The namespace of the episode's memories; the SHA-256 that it is made as when no event shows one.
  void set_store() {
    std::string_view name_space;
    const auto look = [&](const std::vector<MemoryRef>& refs) {
      for (const MemoryRef& ref : refs) {
        if (name_space.empty()) name_space = ref.name_space;
        if (!ref.name_space.empty() && ref.name_space != name_space && !mixed_) {
          mixed_ = true;
          faults_.add(Severity::warning, Fault::inconsistent_record, 0, 0,
                      "memories of two namespaces in one episode; the first one is its store");
        }
      }
    };
    for (const SearchEvent& search : log_.searches) look(search.returned);
    for (const ChangeEvent& change : log_.changes) look(change.after);
    for (const DeliveryEvent& delivery : log_.deliveries) look(delivery.memories);
    if (!name_space.empty()) {
      episode_.store = name_space;
    } else if (!memory_.store_key.empty()) {
      episode_.store = keep(sha256_hex(memory_.store_key));
    }
  }

  void set_outcome() {
    // An attempt that gave way to another one was not the instance's last word, however its log ends.
    const bool finalised = attempt_.run_dir ? log_.ended || run_.finalised() : !agent_.exit_status.empty();
    if (finalised && attempt_.chosen) {
      episode_.end_reason = !agent_.exit_status.empty() ? agent_.exit_status
                            : !run_.status.empty()      ? run_.status
                                                        : std::string_view("agent_end");
    }
    if (!attempt_.chosen || (attempt_.run_dir && attempt_.instance.outer.empty())) return;
    const auto verdict = verdict_of(context_, info_, attempt_.instance.id);
    if (!verdict) return;
    tag("bridge_evaluation", verdict->kind);
    if (verdict->resolved) episode_.outcome = Outcome{verdict->resolved, std::nullopt, keep(verdict->source)};
  }

  void set_source() {
    SourcePlace& source = episode_.source;
    // A task of which only the verdict is left has no file of its own to be known by.
    if (hashes_.empty()) hashes_.push_back(sha256_hex(attempt_.id) + "  id");
    source.format = kFormat;
    source.format_version = kTraceVersion;
    source.sha256 = digest_of(hashes_);
    if (attempt_.run_dir) {
      source.path = context_.files.path(log_below_);
      source.line = log_.line;
      source.byte_begin = log_.byte_begin;
      source.byte_end = log_.byte_end;
    } else {
      source.path = context_.files.path(own_folder());
      source.line = 1;
    }
  }

  std::string_view keep(std::string_view text) { return recorder_.keep(text); }
  void tag(std::string_view key, std::string_view value) { episode_.tags.push_back({key, keep(value)}); }

  const ReadContext& context_;
  const RootInfo& info_;
  const Attempt& attempt_;
  EpisodeRecorder recorder_;
  Episode& episode_ = recorder_.episode();
  Arena& arena_;
  std::string log_below_;
  DiagnosticLog faults_;
  EventLog log_;
  MemoryFile memory_;
  AgentFile agent_;
  RunFile run_;
  std::vector<std::string> hashes_;
  bool mixed_ = false;
};

}  // namespace

Episode read_attempt(const ReadContext& context, const RootInfo& info, const Attempt& attempt) {
  return AttemptReader(context, info, attempt).read();
}

}  // namespace memuse::ingest::bridge
