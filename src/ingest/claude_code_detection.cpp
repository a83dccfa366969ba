#include "ingest/claude_code_detection.h"

#include <algorithm>
#include <array>

#include "ingest/jsonl_head.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kClaudeRecordsToLookAt = 40;

bool is_record(const HeadRecord& record) {
  const auto type = record.find("type");
  if (type == record.end() || record.contains("payload") || record.contains("schema")) return false;
  const auto has = [&](std::string_view field) { return record.contains(field); };
  const std::string& name = type->second;
  if (name == "summary") return has("leafUuid");
  if (name == "file-history-snapshot") return has("messageId") && has("snapshot");
  if (!has("sessionId")) return false;
  constexpr std::array<std::string_view, 5> kTurns{"user", "assistant", "system", "progress", "attachment"};
  if (std::find(kTurns.begin(), kTurns.end(), name) != kTurns.end()) return has("uuid") || has("parentUuid");
  constexpr std::array<std::string_view, 6> kOthers{"queue-operation", "pr-link",     "custom-title",
                                                    "ai-title",        "last-prompt", "mode"};
  return std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end();
}

}  // namespace

std::optional<std::string> detect_claude_code(std::string_view head) {
  std::optional<std::string> version;
  look_at_records(head, kClaudeRecordsToLookAt, [&](const HeadRecord& record) {
    if (!is_record(record)) return version.has_value();  // the first record decides
    const auto named = record.find("version");
    version = named == record.end() ? std::string() : named->second;
    return version->empty();
  });
  return version;
}

}  // namespace memuse::ingest
