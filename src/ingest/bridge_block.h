#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ingest/bridge_log.h"

// The recall block: the message in which the bridge places memories, one line per memory behind a title line.

namespace memuse::ingest::bridge {

/// True for a text with a title line behind which memory lines stand.
bool has_block_form(std::string_view text);

/// The memories of a block as the model read them, in the order of `memories`. An entry's text is what stands on its
/// line without the bullet and label before it, the note of its origin behind it and the mark of a cut; its range is
/// the whole line. A memory whose line is not found keeps its stored text, without a range.
struct BlockLines {
  std::vector<Entry> entries;
  std::size_t not_found = 0;
  bool titled = true;  ///< false: no title line; the memories were looked for everywhere
};
BlockLines read_block(std::string_view block, const std::vector<MemoryRef>& memories);

/// The scene index of a tencentdb block: one entry per file, its path being item and identifier.
struct SceneIndex {
  ByteRange range;  ///< of its lines
  std::vector<Entry> entries;
};
std::optional<SceneIndex> read_scene_index(std::string_view block);

}  // namespace memuse::ingest::bridge
