#include "ingest/json_head.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ingest/line_reader.h"

namespace memuse::ingest {
namespace {

/// Keeps the path of the value that is being read.
class PathEvents final : public nlohmann::json_sax<nlohmann::json> {
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
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

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

void scan_json_head(std::string_view head, const JsonHeadVisitor& visit) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (head[start] != '{' && head[start] != '[')) return;
  PathEvents events(visit);
  nlohmann::json::sax_parse(head.begin(), head.end(), &events);
}

}  // namespace memuse::ingest
