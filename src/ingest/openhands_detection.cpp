#include "ingest/openhands_detection.h"

#include "ingest/json_head.h"
#include "ingest/jsonl_head.h"
#include "ingest/line_reader.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kOpenHandsRecordsToLookAt = 5;

/// The events of an array: a source, and what was done or seen.
bool is_event_array(std::string_view head) {
  bool id = false;
  bool source = false;
  bool what = false;
  bool foreign = false;
  scan_json_head(head, [&](std::string_view path, std::optional<std::string_view> text) {
    if (text) return true;
    id = id || path == "#/id";
    source = source || path == "#/source";
    what = what || path == "#/action" || path == "#/observation";
    foreign = foreign || path == "#/role" || path == "#/traj" || path == "#/type";
    return !foreign && !(id && source && what);
  });
  return id && source && what && !foreign;
}

bool is_sdk_event(const HeadRecord& record) {
  const auto kind = record.find("kind");
  if (kind == record.end() || !record.contains("id") || !record.contains("source")) return false;
  return kind->second.ends_with("Event") || kind->second == "Condensation" || kind->second == "UserRejectObservation";
}

}  // namespace

std::optional<std::string> detect_openhands(std::string_view head) {
  const std::size_t start = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (start == std::string_view::npos) return std::nullopt;
  if (head[start] == '[') {
    return is_event_array(head) ? std::optional(std::string(kOpenHandsEvents)) : std::nullopt;
  }
  std::optional<std::string> version;
  look_at_records(head, kOpenHandsRecordsToLookAt, [&](const HeadRecord& record) {
    if (record.contains("instance_id") && (record.contains("test_result") || record.contains("instruction")) &&
        !record.contains("trajectory_format")) {
      version = std::string(kOpenHandsOutput);
    } else if (record.contains("issue") && record.contains("issue_type")) {
      version = std::string(kOpenHandsResolver);
    } else if (is_sdk_event(record)) {
      version = std::string(kOpenHandsSdk);
    }
    return !version;
  });
  return version;
}

}  // namespace memuse::ingest
