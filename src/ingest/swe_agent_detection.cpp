#include "ingest/swe_agent_detection.h"

#include "ingest/json_head.h"

namespace memuse::ingest {
namespace {

/// What the head of a document has shown.
struct SweMarks {
  bool foreign = false;
  bool other_top = false;  ///< `trajectory` or `environment`
  // Of steps, and of messages of the history:
  bool action = false;
  bool observation = false;
  bool answer = false;
  bool role = false;
  bool agent = false;
  bool message_type = false;
  bool state_object = false;
  bool query = false;
  bool messages = false;
  bool first_generation = false;
  bool later_generation = false;

  void take_key(std::string_view path);

  [[nodiscard]] bool known() const {
    if (foreign) return false;
    return (action && observation && answer) || (role && agent && (message_type || other_top));
  }
};

void SweMarks::take_key(std::string_view path) {
  if (path == "trajectory_format" || path == "schema_version" || path == "messages" || path == "instance_id" ||
      path == "test_result") {
    foreign = true;
  }
  if (path == "trajectory" || path == "environment") other_top = true;
  // A retry agent writes its attempts first.
  if (path.starts_with("attempts/#/")) path.remove_prefix(std::string_view("attempts/#/").size());
  if (path == "trajectory/#/action") action = true;
  if (path == "trajectory/#/observation") observation = true;
  if (path == "trajectory/#/response" || path == "trajectory/#/thought") answer = true;
  if (path == "trajectory/#/query") query = true;
  if (path == "trajectory/#/messages") messages = true;
  if (path.starts_with("trajectory/#/state/")) state_object = true;
  if (path == "history/#/role") role = true;
  if (path == "history/#/agent") agent = true;
  if (path == "history/#/message_type") message_type = true;
}

}  // namespace

std::optional<std::string> detect_swe_agent(std::string_view head) {
  SweMarks marks;
  scan_json_head(head, [&](std::string_view path, std::optional<std::string_view> text) {
    if (!text) marks.take_key(path);
    if (text && path == "history/#/agent") {
      marks.first_generation = *text == "primary";
      marks.later_generation = *text != "primary";
    }
    if (text && path.ends_with("trajectory/#/state")) marks.first_generation = true;
    return !marks.foreign && !(marks.query && marks.known());
  });
  if (!marks.known()) return std::nullopt;
  if (marks.query) return std::string(kSweAgent11);
  if (marks.messages || marks.state_object) return std::string(kSweAgent10);
  if (marks.first_generation) return std::string(kSweAgent0);
  return marks.later_generation ? std::string(kSweAgent10) : std::string();
}

}  // namespace memuse::ingest
