#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/facts.h"

// Short ways to write down what a run recorded.

namespace memuse::test {

inline graph::EpisodeNode node(const std::string& id, std::optional<std::uint64_t> position,
                               std::optional<bool> resolved = std::nullopt,
                               const std::string& repo = "meadow/tinycal") {
  graph::EpisodeNode node;
  node.uid = "uid-" + id;
  node.configuration = "notes";
  node.run = "r1";
  node.store = "default";
  node.episode = id;
  node.task_id = "task-" + id;
  node.repo = repo;
  node.position = position;
  node.resolved = resolved;
  node.steps = 9;
  return node;
}

inline graph::Change change(std::size_t episode, std::uint32_t line, MemoryOp op, const std::string& item,
                            std::optional<std::string> version, std::vector<std::string> from = {},
                            std::optional<std::string> text = std::nullopt) {
  graph::Change change;
  change.episode = episode;
  change.number = line;
  change.line_order = line;
  change.after_step = line;
  change.op = op;
  change.item = item;
  change.version = std::move(version);
  change.from = std::move(from);
  change.text = std::move(text);
  return change;
}

inline graph::Exposure exposure(std::size_t episode, std::uint32_t line, std::optional<std::string> item,
                                std::optional<std::string> version, const std::string& text = "A note.") {
  graph::Exposure exposure;
  exposure.episode = episode;
  exposure.span = line;
  exposure.line_order = line;
  exposure.item = std::move(item);
  exposure.version = std::move(version);
  exposure.text = text;
  exposure.placements = {{0, line}};
  return exposure;
}

}  // namespace memuse::test
