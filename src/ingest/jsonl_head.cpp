#include "ingest/jsonl_head.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "ingest/json_events.h"
#include "ingest/line_reader.h"

namespace memuse::ingest {
namespace {

constexpr std::size_t kDeepestHead = 64;

/// Takes the fields at the top of one record.
class TopFields final : public JsonEvents {
 public:
  HeadRecord take() { return std::move(fields_); }

  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    key_ = name;
    fields_.emplace(key_, std::string());
    return true;
  }
  bool string(string_t& text) override {
    if (depth_ == 1) fields_[key_] = text;
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return ++depth_ < kDeepestHead; }
  bool start_array(std::size_t /*size*/) override { return depth_ > 0 && ++depth_ < kDeepestHead; }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }

 private:
  HeadRecord fields_;
  std::string key_;
  std::size_t depth_ = 0;
};

}  // namespace

void look_at_records(std::string_view head, std::size_t most, const std::function<bool(const HeadRecord&)>& look) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  for (std::size_t seen = 0; seen < most && !head.empty();) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) continue;
    ++seen;
    if (line[start] != '{') continue;
    TopFields fields;
    nlohmann::json::sax_parse(line.begin(), line.end(), &fields, nlohmann::json::input_format_t::json, false);
    const HeadRecord record = fields.take();
    if (!record.empty() && !look(record)) return;
  }
}

}  // namespace memuse::ingest
