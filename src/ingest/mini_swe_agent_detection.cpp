#include "ingest/mini_swe_agent_detection.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "ingest/json_events.h"
#include "ingest/line_reader.h"

// The head of a document is no whole JSON text, so it is read as a stream of events that ends where the head ends, or
// as soon as the format is known.

namespace memuse::ingest {
namespace {

constexpr std::string_view kFormatFamily = "mini-swe-agent-";

/// Keys at the top of other formats that have an `info` or `messages` too.
bool is_foreign_key(std::string_view key) {
  return key == "history" || key == "trajectory" || key == "schema_version" || key == "response" || key == "kwargs";
}

/// The version tag that a release of the tool writes.
std::string version_of_release(std::string_view mini_version) {
  if (mini_version.starts_with("1.")) return "1";
  if (mini_version.starts_with("2.")) return "1.1";
  return "";
}

/// Takes the events of the head and looks at the keys at the top, in `info`, and in the messages.
class HeadEvents final : public JsonEvents {
 public:
  /// What has been seen to its end, or up to where the head is cut.
  [[nodiscard]] std::optional<std::string> verdict() const {
    if (verdict_ || foreign_) return verdict_;
    // A long submission may fill the head: nothing else of the document has been seen then.
    if (info_is_first_ && exit_status_ && top_keys_ == 1) return "";
    return std::nullopt;
  }
  [[nodiscard]] bool is_condenser_log() const { return step_count_ && message_count_; }

  bool key(string_t& name) override {
    if (levels_.empty()) return true;
    levels_.back().key = name;
    if (levels_.size() == 1) return take_top_key(name);
    if (in_info() && name == "exit_status") exit_status_ = true;
    if (in_extra() && (name == "actions" || name == "raw_output" || name == "interrupt_type")) return decide_messages();
    return true;
  }

  bool string(string_t& text) override {
    if (at_top("trajectory_format")) {
      const auto version = mini_format_version(text);
      if (!version) return reject();
      return decide(std::string(*version));
    }
    if (in_info() && levels_.back().key == "mini_version") return decide(version_of_release(text));
    if (!in_message() || levels_.front().kind != Kind::array) return true;
    const std::string& field = levels_.back().key;
    if (field == "role" && text == "exit") return decide_messages();
    if (field == "content" && (text.starts_with("<returncode>") || text.find("```mswea_bash_command") != text.npos)) {
      return decide_messages();
    }
    return true;
  }

  bool start_object(std::size_t /*size*/) override { return open(Kind::object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(Kind::array); }
  bool end_array() override { return close(); }

 private:
  enum class Kind : std::uint8_t { object, array };
  struct Level {
    Kind kind;
    std::string key;  // the one whose value is being read
  };

  bool open(Kind kind) {
    levels_.push_back({kind, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  bool decide(std::string version) {
    verdict_ = std::move(version);
    return false;
  }
  bool decide_messages() { return decide(levels_.front().kind == Kind::array ? std::string(kMiniBare) : ""); }
  bool reject() {
    foreign_ = true;
    return false;
  }

  bool take_top_key(std::string_view name) {
    if (++top_keys_ == 1) info_is_first_ = name == "info";
    if (name == "step_count") step_count_ = true;
    if (name == "message_count") message_count_ = true;
    return is_foreign_key(name) ? reject() : true;
  }

  [[nodiscard]] bool at_top(std::string_view key) const {
    return levels_.size() == 1 && levels_.front().kind == Kind::object && levels_.front().key == key;
  }
  [[nodiscard]] bool in_info() const {
    return levels_.size() == 2 && levels_.front().key == "info" && levels_.back().kind == Kind::object;
  }
  /// Depth of the objects in the list of messages: below the root array, or below the array at `messages`.
  [[nodiscard]] std::size_t message_depth() const {
    if (levels_.empty()) return 0;
    if (levels_.front().kind == Kind::array) return 2;
    return levels_.front().key == "messages" && levels_.size() > 1 && levels_[1].kind == Kind::array ? 3 : 0;
  }
  [[nodiscard]] bool in_message() const {
    return message_depth() > 0 && levels_.size() == message_depth() && levels_.back().kind == Kind::object;
  }
  [[nodiscard]] bool in_extra() const {
    const std::size_t depth = message_depth();
    return depth > 0 && levels_.size() == depth + 1 && levels_[depth - 1].key == "extra" &&
           levels_.back().kind == Kind::object;
  }

  std::vector<Level> levels_;
  std::optional<std::string> verdict_;
  std::size_t top_keys_ = 0;
  bool info_is_first_ = false;
  bool exit_status_ = false;
  bool step_count_ = false;
  bool message_count_ = false;
  bool foreign_ = false;
};

}  // namespace

std::optional<std::string_view> mini_format_version(std::string_view trajectory_format) {
  if (!trajectory_format.starts_with(kFormatFamily)) return std::nullopt;
  return trajectory_format.substr(kFormatFamily.size());
}

bool is_mini_condenser_log(std::string_view head) {
  // A cheap look first: of the files that come here, nearly none is one.
  constexpr std::size_t kFirstFields = 512;
  const std::string_view start = head.substr(0, kFirstFields);
  if (start.find("message_count") == std::string_view::npos) return false;
  if (start.find("[Message 0]") == std::string_view::npos) return false;
  HeadEvents events;
  nlohmann::json::sax_parse(head.begin(), head.end(), &events);
  return events.is_condenser_log();
}

std::optional<std::string> detect_mini_swe_agent(std::string_view head) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (head[start] != '{' && head[start] != '[')) return std::nullopt;
  if (is_mini_condenser_log(head)) return std::string(kMiniCondenserLog);
  HeadEvents events;
  nlohmann::json::sax_parse(head.begin(), head.end(), &events);
  return events.verdict();
}

}  // namespace memuse::ingest
