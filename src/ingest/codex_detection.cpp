#include "ingest/codex_detection.h"

#include <algorithm>
#include <array>

#include "ingest/json_fields.h"
#include "ingest/jsonl_head.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kCodexRecordsToLookAt = 20;

std::optional<std::string_view> version_of(const HeadRecord& record) {
  constexpr std::array<std::string_view, 5> kRollout{"session_meta", "response_item", "event_msg", "turn_context",
                                                     "compacted"};
  constexpr std::array<std::string_view, 9> kExec{"thread.started", "turn.started",   "turn.completed",
                                                  "turn.failed",    "item.started",   "item.updated",
                                                  "item.completed", "thread.resumed", "turn.aborted"};
  const auto type = record.find("type");
  if (type == record.end()) {
    // The first line of the oldest rollouts, which have no wrapper.
    const bool meta = record.contains("id") && record.contains("timestamp") && record.contains("instructions");
    return meta ? std::optional(kCodexRollout) : std::nullopt;
  }
  if (record.contains("sessionId") || record.contains("schema")) return std::nullopt;
  if (is_one_of(type->second, kRollout) && record.contains("payload")) return kCodexRollout;
  if (is_one_of(type->second, kExec)) return kCodexExec;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> detect_codex(std::string_view head) {
  std::optional<std::string> version;
  look_at_records(head, kCodexRecordsToLookAt, [&](const HeadRecord& record) {
    if (const auto found = version_of(record)) version = std::string(*found);
    return false;  // the first record decides
  });
  return version;
}

}  // namespace memuse::ingest
