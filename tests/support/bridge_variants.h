#pragma once

#include <functional>
#include <sstream>

#include "support/bridge_root.h"
#include "support/data.h"

// The ways in which a recorder may differ from the one that a run root was written by, as changes of the root.

namespace memuse::test {

using Events = std::vector<Json>;

inline std::vector<std::filesystem::path> log_files(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().filename() == "trajectory.jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline Events read_events(const std::filesystem::path& file) {
  Events events;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) events.push_back(Json::parse(line));
  }
  return events;
}

inline void write_events(const std::filesystem::path& file, Events events) {
  std::string text;
  int seq = 0;
  for (Json& event : events) {
    event["seq"] = ++seq;
    text += event.dump() + "\n";
  }
  BridgeInstance::write(file, text);
}

inline void change_logs(const std::filesystem::path& root, const std::function<Events(Events)>& change) {
  for (const auto& file : log_files(root)) write_events(file, change(read_events(file)));
}

inline void change_events(const std::filesystem::path& root, const std::function<void(Json&)>& change) {
  change_logs(root, [&](Events events) {
    for (Json& event : events) change(event);
    return events;
  });
}

inline bool is_annotation(const Json& event) {
  return event["type"].get<std::string>().rfind("memory_", 0) == 0;
}

enum class Numbering { retractions, running, without_blocks };

/// Records the same calls in another manner.
class Rerecorder {
 public:
  Rerecorder(Numbering numbering, const Events& events) : numbering_(numbering) {
    for (const Json& event : events) {
      if (event["type"] == "memory_delivery") blocks_.push_back(event["payload"]["placement"]["content"]["text"]);
    }
    for (const Json& event : events) take(event);
  }
  Events out;

 private:
  struct Live {
    std::uint64_t number;
    Json message;
  };
  struct Lane {
    std::vector<Json> positions;  // as the given log has them
    std::vector<Live> live;
    std::uint64_t next = 0;
    std::vector<Json> input;
  };

  void take(const Json& event) {
    const std::string type = event["type"];
    if (type == "history_rewritten") {
      lanes_[event["proxy_source"]].positions.resize(event["kept"].get<std::size_t>());
    } else if (type == "message_end") {
      lanes_[event["proxy_source"]].positions.push_back(event["message"]);
    } else if (type == "turn_end") {
      close(event);
      out.push_back(event);
    } else {
      out.push_back(event);
    }
  }

  bool left_out(const Json& message) const {
    return numbering_ == Numbering::without_blocks && message["role"] == "user" &&
           std::find(blocks_.begin(), blocks_.end(), message["content"]) != blocks_.end();
  }

  void close(const Json& turn) {
    Lane& lane = lanes_[turn["proxy_source"]];
    std::vector<Json> wanted;
    for (const Json& message : lane.positions) {
      if (!left_out(message)) wanted.push_back(message);
    }
    std::vector<bool> kept(lane.live.size());
    std::vector<Json> added;
    if (numbering_ == Numbering::running) {
      // Whatever can stay, in order, stays; what comes behind something new is recorded again.
      std::size_t at = 0;
      for (const Json& message : wanted) {
        std::size_t found = at;
        while (found < lane.live.size() && lane.live[found].message != message) ++found;
        if (added.empty() && found < lane.live.size()) {
          kept[found] = true;
          at = found + 1;
        } else {
          added.push_back(message);
        }
      }
    } else {
      std::size_t same = 0;
      while (same < lane.live.size() && same < wanted.size() && lane.live[same].message == wanted[same]) {
        kept[same++] = true;
      }
      added.assign(wanted.begin() + static_cast<std::ptrdiff_t>(same), wanted.end());
    }
    std::vector<Live> live;
    for (std::size_t i = 0; i < lane.live.size(); ++i) {
      if (kept[i]) {
        live.push_back(lane.live[i]);
      } else {
        emit("message_retracted", turn)["msg"] = lane.live[i].number;
      }
    }
    if (numbering_ != Numbering::running) lane.next = live.size();
    for (const Json& message : added) {
      Json& event = emit("message_end", turn);
      event["msg"] = lane.next;
      event["message"] = message;
      live.push_back({lane.next++, message});
    }
    lane.live = std::move(live);
  }

  Json& emit(const std::string& type, const Json& turn) {
    Json event = turn;
    event["type"] = type;
    out.push_back(std::move(event));
    return out.back();
  }

  Numbering numbering_;
  std::vector<Json> blocks_;
  std::map<std::string, Lane> lanes_;
};

inline void renumber(const std::filesystem::path& root, Numbering numbering) {
  change_logs(root, [&](const Events& events) { return Rerecorder(numbering, events).out; });
}

inline void flatten_payloads(const std::filesystem::path& root) {
  change_events(root, [](Json& event) {
    if (!is_annotation(event)) return;
    for (const char* part : {"payload", "binding"}) {
      if (!event.contains(part)) continue;
      const Json fields = event[part];
      event.erase(part);
      for (const auto& [key, value] : fields.items()) event[key] = value;
    }
  });
}

inline void delete_calls(const std::filesystem::path& root) {
  for (const auto& file : log_files(root)) std::filesystem::remove_all(file.parent_path() / "calls");
}

inline void contents_as_parts(const std::filesystem::path& root) {
  change_events(root, [](Json& event) {
    if (!event.contains("message") || !event["message"]["content"].is_string()) return;
    event["message"]["content"] = Json::array({{{"type", "text"}, {"text", event["message"]["content"]}}});
  });
}

/// Removes the second delivery of each log, with the note of it in memory.json.
inline void lose_deliveries(const std::filesystem::path& root) {
  for (const auto& file : log_files(root)) {
    Events kept;
    int deliveries = 0;
    Json step;
    for (Json& event : read_events(file)) {
      if (event["type"] == "memory_delivery" && ++deliveries == 2) {
        step = event["payload"]["main_step"];
      } else {
        kept.push_back(std::move(event));
      }
    }
    write_events(file, kept);
    const auto memory_file = file.parent_path().parent_path().parent_path().parent_path() / "memory.json";
    Json memory = Json::parse(read_file(memory_file));
    memory["events"].push_back(
        {{"kind", "annotation"}, {"op", "delivery"}, {"reason", "annotation_delivery_no_cursor"}, {"step", step}});
    BridgeInstance::write(memory_file, memory.dump());
  }
}

/// Cuts the logs in the middle of the line before `agent_end`.
inline void cut_logs(const std::filesystem::path& root) {
  for (const auto& file : log_files(root)) {
    Events events = read_events(file);
    const std::string last = events[events.size() - 2].dump();
    events.resize(events.size() - 2);
    write_events(file, events);
    std::ofstream(file, std::ios::binary | std::ios::app) << last.substr(0, last.size() / 2);
    std::filesystem::remove(file.parent_path() / "run.json");
  }
}

inline void digests_only(const std::filesystem::path& root) {
  change_events(root, [](Json& event) {
    if (event["type"] != "memory_generate_start") return;
    for (Json& input : event["payload"]["inputs"]) {
      input["content"] = {
          {"availability", "unavailable"}, {"reason", "oversize"}, {"sha256", input["content"]["sha256"]}};
    }
  });
}

inline void rename_lanes(const std::filesystem::path& root) {
  change_events(root, [](Json& event) {
    if (event.contains("proxy_source")) event["proxy_source"] = "lane of " + event["proxy_source"].get<std::string>();
  });
}

inline void double_annotations(const std::filesystem::path& root) {
  change_logs(root, [](const Events& events) {
    Events all;
    for (const Json& event : events) {
      all.push_back(event);
      if (is_annotation(event)) all.push_back(event);
    }
    return all;
  });
}

inline void drop_turns(const std::filesystem::path& root, bool events_too) {
  change_logs(root, [&](const Events& events) {
    Events all;
    for (Json event : events) {
      if (events_too && (event["type"] == "turn_start" || event["type"] == "turn_end")) continue;
      event.erase("turn");
      all.push_back(std::move(event));
    }
    return all;
  });
}

/// Adds a run dir to each instance that holds the first half of its log and was never finalised.
inline void add_aborted_runs(const std::filesystem::path& root) {
  for (const auto& file : log_files(root)) {
    Events events = read_events(file);
    events.resize(events.size() / 2);
    write_events(file.parent_path().parent_path() / "20310102-000000-memory-aborted" / "trajectory.jsonl", events);
  }
}

}  // namespace memuse::test
