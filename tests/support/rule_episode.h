#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/episode_recorder.h"

namespace memuse::test {

/// Where a text is put in a small episode that records no deliveries.
struct Placed {
  Role role = Role::system;
  std::string text = {};
  std::string tool = {};         ///< for Role::tool: the name of the call …
  std::string arguments = "{}";  ///< … and its arguments
};

/// An episode of three steps: a system message, a task, and, for a result, a call at step 1. Deliveries are unknown.
inline Episode episode_with(const Placed& placed) {
  ingest::EpisodeRecorder recorder;
  Episode& episode = recorder.episode();
  episode.id = episode.task_id = "e";
  episode.configuration = episode.run = "c";
  episode.delivery_grade = DeliveryGrade::not_recorded;
  const std::string_view text = recorder.keep(placed.text);
  const auto message = [&](Role role, Origin origin, std::string_view words) {
    recorder.tick();
    ingest::MessageRecord record;
    record.role = role;
    record.origin = origin;
    record.text = words;
    recorder.add_message(record);
  };
  message(Role::system, Origin::system, placed.role == Role::system ? text : "You fix things.");
  message(Role::user, Origin::task, placed.role == Role::user ? text : "Please fix the thing.");
  for (int number = 1; number <= 3; ++number) {
    recorder.tick();
    ingest::StepRecord step;
    step.response = placed.role == Role::assistant && number == 1 ? text : "Going on.";
    if (placed.role == Role::tool && number == 1) {
      step.actions.push_back({"a1", recorder.keep(placed.tool), recorder.keep(placed.arguments)});
      step.results.push_back({{}, "a1", text});
    }
    recorder.add_step(std::move(step));
  }
  return recorder.take();
}

/// The entries of all deliveries, in order, one a line: item, identifiers, text.
inline std::vector<std::string> entries_of(const Episode& episode) {
  std::vector<std::string> lines;
  for (const Delivery& delivery : episode.deliveries) {
    for (const Entry& entry : delivery.entries) {
      std::string line = entry.item ? std::string(*entry.item) : "-";
      line += " [";
      for (const std::string_view identifier : entry.identifiers) line += std::string(identifier) + ";";
      lines.push_back(line + "] " + std::string(entry.text));
    }
  }
  return lines;
}

}  // namespace memuse::test
