#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace memuse::test {

/// A trace with `episodes` episodes of one configuration and run, each with two spans to judge of one entry each, at
/// steps 2 and 3 of 4. Every text is short and its own, so no two spans look alike.
inline std::string two_span_trace(int episodes, const std::string& configuration = "notes") {
  using Json = nlohmann::ordered_json;
  std::string out;
  const auto line = [&](const Json& record) { out += record.dump() + "\n"; };
  for (int e = 1; e <= episodes; ++e) {
    const std::string n = std::to_string(e);
    line({{"type", "episode"},
          {"schema", "memuse-trace/1"},
          {"episode", "ep-" + n},
          {"task_id", "task-" + n},
          {"configuration", configuration},
          {"run", "r1"},
          {"position", e},
          {"task", {{"text", "Set the limit of line " + n + " as the harbour office asks."}}},
          {"outcome", {{"resolved", e % 2 == 0}}}});
    line({{"type", "message"},
          {"id", "task"},
          {"role", "user"},
          {"origin", "task"},
          {"text", "Set the limit of line " + n + " as the harbour office asks."}});
    const auto step = [&](int number, const std::string& command) {
      const std::string s = std::to_string(number);
      line({{"type", "step"},
            {"step", number},
            {"id", "r" + s},
            {"response", "Step " + s + " of line " + n + ": I go on."},
            {"actions", {{{"id", "a" + s}, {"name", "bash"}, {"arguments", {{"command", command}}}}}},
            {"results", {{{"id", "o" + s}, {"action", "a" + s}, {"text", "done " + s + " on line " + n}}}}});
    };
    const auto note = [&](const std::string& id, const std::string& text) {
      line({{"type", "message"}, {"id", id}, {"role", "user"}, {"origin", "memory"}, {"text", text}});
      line({{"type", "delivery"},
            {"id", "d-" + id},
            {"message", id},
            {"route", "host"},
            {"form", "note"},
            {"entries", {{{"item", "N-" + n + "-" + id}, {"text", text}}}}});
    };
    step(1, "cat limits.toml");
    note("first", "The office wants the limit of line " + n + " at " + std::to_string(100 + e) + " tons.");
    step(2, "sed -i s/limit.*/limit=" + std::to_string(100 + e) + "/ limits.toml");
    note("second", "Line " + n + " is checked on Fridays by crew " + std::to_string(500 + e) + ".");
    step(3, "cat limits.toml");
    step(4, "submit");
    line({{"type", "end"}, {"reason", "submitted"}});
  }
  return out;
}

}  // namespace memuse::test
