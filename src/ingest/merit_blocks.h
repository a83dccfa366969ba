#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"

// What a MERIT memory block shows, entry by entry. Every memory system of MERIT writes its block in a form of its own;
// blocks of C1, C2, C3 and C5 may hold older blocks again, whose marks are not marks of the outer one.

namespace memuse::ingest {

/// The memory systems by the form of their blocks.
enum class BlockForm : std::uint8_t { none, full_replay, chunks, summaries, facts, facts_and_chunks, unknown };

/// The form behind a condition (`C4`) or the name of a memory system (`C4_structured`, also `C2_rag_intervention`).
BlockForm block_form(std::string_view condition);

/// One entry of a block.
struct BlockEntry {
  ByteRange range;        ///< bytes of the block
  std::string_view item;  ///< empty where the block names none; a part of the block, like `version`
  std::optional<std::string_view> version;
};

/// True when the block holds no memory: nothing but white space, or the two headings that C5 always writes.
bool holds_no_memory(BlockForm form, std::string_view block);

/// The entries of a block in order; those of nothing but white space are left out. `arc` is the arc's id, without which
/// summaries cannot be told apart. Linear in the block.
///
/// full_replay: pieces between separator lines `---` with blank lines around them, inner ones included, no item.
/// chunks: slices of 600 characters (the end of a transcript is shorter), no item. summaries: item = the label of the
/// episode. facts: item = entity.attribute, version = the value (none when the line is cut off). facts_and_chunks:
/// both. unknown: the whole block.
std::vector<BlockEntry> split_block(BlockForm form, std::string_view block, std::string_view arc);

}  // namespace memuse::ingest
