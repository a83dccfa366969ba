#include "ingest/bridge_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace memuse::ingest::bridge {
namespace {

class Checker {
 public:
  Checker(const AttemptFiles& files, DiagnosticLog& faults) : files_(files), log_(files.log), faults_(faults) {}

  TraceState run() {
    check_counters();
    check_operations();
    check_versions();
    check_deliveries();
    check_memory_file();
    if (!log_.session) {
      missing("there is no `memory_session`: what was placed is not known");
      return TraceState::untraced;
    }
    if (!log_.ended && !files_.run.finalised())
      missing("the log has no end: the recorder was stopped before the agent");
    if (log_.lost_lines) partly_ = true;
    if (files_.plan.unseen > 0 || files_.plan.untraced > 0) partly_ = true;
    return partly_ ? TraceState::partly_traced : TraceState::traced;
  }

 private:
  void missing(const std::string& what) {
    partly_ = true;
    faults_.add(Severity::warning, Fault::under_recorded, 0, 0, what);
  }
  void differs(const std::string& what, RecordPlace place = {}) {
    faults_.add(Severity::warning, Fault::inconsistent_record, place.line, place.byte, what);
  }

  void check_counters() {
    const RunFile& run = files_.run;
    const auto compare = [&](std::string_view what, std::optional<std::uint64_t> said, std::uint64_t found) {
      if (said && *said != found) differs(fmt::format("run.json says {} {}, there are {}", *said, what, found));
    };
    // A cut or lost line was counted by the recorder and is reported already; a deleted folder is no fault.
    if (!log_.lost_lines) {
      compare("turns", run.turns, log_.turns);
      compare("messages", run.messages, log_.messages_ended);
    }
    if (!files_.calls.empty()) {
      compare("calls", run.calls, files_.calls.size());
      if (const std::size_t left = files_.calls.unpaired(); left > 0) {
        faults_.add(Severity::note, Fault::inconsistent_record, 0, 0,
                    fmt::format("{} entries of calls/ belong to no call of the log: failed or not logged", left));
      }
    }
    for (const Lane& lane : files_.replay.lanes) {
      const auto reordered =
          std::count_if(lane.calls.begin(), lane.calls.end(), [](const Call& c) { return c.reordered; });
      if (reordered > 0 && &lane == &files_.replay.main_lane()) {
        faults_.add(Severity::note, Fault::inconsistent_record, 0, 0,
                    fmt::format("in {} calls the order of the input is known in part only", reordered));
      }
    }
  }

  void check_operations() {
    std::map<std::string_view, std::set<std::uint64_t>> indexes;
    std::map<std::string_view, std::uint64_t> counts;
    for (const ChangeEvent& change : log_.changes) {
      if (change.index) indexes[change.operation].insert(*change.index);
      if (change.count) counts[change.operation] = std::max(counts[change.operation], *change.count);
    }
    for (const GenerationEvent& generation : log_.generations) {
      if (!generation.started || !generation.ended) {
        missing(fmt::format("generation {} has no {}", generation.operation, generation.ended ? "start" : "end"));
      }
      if (generation.change_count && *generation.change_count > 0) {
        counts[generation.operation] = std::max(counts[generation.operation], *generation.change_count);
      }
    }
    for (const auto& [operation, count] : counts) {
      const std::set<std::uint64_t>& found = indexes[operation];
      if (found.size() != count || (!found.empty() && *found.rbegin() + 1 != count)) {
        missing(fmt::format("generation {} made {} changes, {} are recorded", operation, count, found.size()));
      }
    }
    for (const SearchEvent& search : log_.searches) {
      if (!search.started || !search.ended) {
        missing(fmt::format("search {} has no {}", search.operation, search.ended ? "start" : "end"));
      }
    }
  }

  void take_version(const MemoryRef& ref) {
    if (ref.version.empty() || !ref.content.text || ref.operation_local) return;
    const auto [known, is_new] = versions_.emplace(ref.version, *ref.content.text);
    if (!is_new && known->second != *ref.content.text) differs(fmt::format("version {} has two contents", ref.version));
  }

  void check_versions() {
    const auto take = [&](const std::vector<MemoryRef>& refs) {
      for (const MemoryRef& ref : refs) take_version(ref);
    };
    for (const ChangeEvent& change : log_.changes) {
      take(change.before);
      take(change.after);
    }
    for (const SearchEvent& search : log_.searches) take(search.returned);
    for (const DeliveryEvent& delivery : log_.deliveries) take(delivery.memories);
  }

  void check_deliveries() {
    std::map<std::string_view, const SearchEvent*> searches;
    for (const SearchEvent& search : log_.searches) searches.emplace(search.operation, &search);
    for (const DeliveryEvent& delivery : log_.deliveries) {
      if (delivery.status != "placed") {
        differs(fmt::format("delivery {} has status \"{}\"", delivery.id, delivery.status));
      }
      const auto search = searches.find(delivery.search);
      if (search == searches.end()) {
        differs(fmt::format("delivery {} cites a search that is not recorded", delivery.id));
        continue;
      }
      auto at = search->second->returned.begin();
      const auto end = search->second->returned.end();
      for (const MemoryRef& memory : delivery.memories) {
        at = std::find_if(at, end, [&](const MemoryRef& hit) { return hit.version == memory.version; });
        if (at == end) {
          differs(fmt::format("delivery {} shows what its search did not return, or in another order", delivery.id));
          break;
        }
        ++at;
      }
    }
  }

  void check_memory_file() {
    const MemoryFile& memory = files_.memory;
    for (const MemoryFile::Annotation& annotation : memory.annotations) {
      missing(fmt::format("memory.json: {}{}", annotation.reason,
                          annotation.step ? fmt::format(" at step {}", *annotation.step) : ""));
    }
    if (!log_.session) {
      if (memory.recall_injections.value_or(0) > 0) {
        missing(fmt::format("memory.json counts {} placed blocks", *memory.recall_injections));
      }
      return;
    }
    const std::uint64_t deliveries = log_.deliveries.size();
    if (memory.recall_injections && *memory.recall_injections > deliveries) {
      missing(fmt::format("memory.json counts {} placed blocks, {} deliveries are recorded", *memory.recall_injections,
                          deliveries));
    } else if (memory.recall_injections && *memory.recall_injections < deliveries) {
      differs(fmt::format("memory.json counts {} placed blocks, {} deliveries are recorded", *memory.recall_injections,
                          deliveries));
    }
    const auto cached = static_cast<std::uint64_t>(std::count_if(
        log_.deliveries.begin(), log_.deliveries.end(), [](const DeliveryEvent& delivery) { return delivery.cached; }));
    if (memory.recall_cache_hits && *memory.recall_cache_hits != cached && deliveries == memory.recall_injections) {
      differs(fmt::format("memory.json counts {} blocks from the cache, {} deliveries say so",
                          *memory.recall_cache_hits, cached));
    }
    check_recalls();
  }

  void check_recalls() {
    std::set<std::uint64_t> recalled;
    for (const MemoryFile::Recall& recall : files_.memory.recalls) recalled.insert(recall.step);
    if (recalled.empty()) return;
    for (const DeliveryEvent& delivery : log_.deliveries) {
      if (delivery.main_step && !recalled.contains(*delivery.main_step)) {
        differs(
            fmt::format("memory.json has no recall for step {}, delivery {} has", *delivery.main_step, delivery.id));
      }
    }
  }

  const AttemptFiles& files_;
  const EventLog& log_;
  DiagnosticLog& faults_;
  std::map<std::string_view, std::string_view> versions_;
  bool partly_ = false;
};

}  // namespace

std::string_view name(TraceState state) {
  switch (state) {
    case TraceState::traced:
      return "traced";
    case TraceState::partly_traced:
      return "partly_traced";
    case TraceState::untraced:
      return "untraced";
  }
  return "";
}

TraceState check(const AttemptFiles& files, DiagnosticLog& faults) {
  return Checker(files, faults).run();
}

}  // namespace memuse::ingest::bridge
