#include "ingest/json_head.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ingest/json_events.h"
#include "ingest/line_reader.h"

namespace memuse::ingest {
namespace {

/// Keeps the path of the value that is being read.
class PathEvents final : public JsonEvents {
 public:
  explicit PathEvents(const JsonHeadVisitor& visit) : visit_(visit) {}

  bool key(string_t& name) override {
    path_.resize(levels_.back());
    if (!path_.empty()) path_ += '/';
    path_ += name;
    return visit_(path_, std::nullopt);
  }
  bool string(string_t& text) override { return visit_(path_, text); }
  bool start_object(std::size_t /*size*/) override {
    levels_.push_back(path_.size());
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    levels_.push_back(path_.size());
    path_ += path_.empty() ? "#" : "/#";
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

 private:
  bool close() {
    path_.resize(levels_.back());
    levels_.pop_back();
    return true;
  }

  const JsonHeadVisitor& visit_;
  std::string path_;
  std::vector<std::size_t> levels_;  // for each open container, the length of the path that leads to it
};

}  // namespace

std::size_t find_word(std::string_view head, std::string_view word) {
  // Most blocks do not even hold the word's first two bytes side by side.
  constexpr std::size_t kBlock = 1024;
  for (std::size_t begin = 0; begin < head.size(); begin += kBlock) {
    const std::string_view block = head.substr(begin, kBlock + word.size() - 1);
    if (!holds_pair(block, word[0], word[1])) continue;
    const std::size_t at = find_text(block, word);
    if (at != std::string_view::npos) return begin + at;
  }
  return std::string_view::npos;
}

void scan_json_head(std::string_view head, const JsonHeadVisitor& visit) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (head[start] != '{' && head[start] != '[')) return;
  PathEvents events(visit);
  nlohmann::json::sax_parse(head.begin(), head.end(), &events);
}

}  // namespace memuse::ingest
