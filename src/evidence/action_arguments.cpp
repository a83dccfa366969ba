#include "evidence/action_arguments.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace memuse::evidence {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kPathBytesAlways = 4096;  ///< bytes of paths that are always fine …
constexpr std::size_t kPathBytesPerByte = 4;    ///< … and this many for each byte of JSON

std::string escaped_key(std::string_view key) {
  std::string escaped;
  for (const char c : key) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// Collects the leaves of a document with their paths.
class LeafCollector : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit LeafCollector(std::size_t path_bytes) : path_bytes_left_(path_bytes) {}

  std::vector<Argument> leaves;

  bool null() override { return leaf("null", false); }
  bool boolean(bool value) override { return leaf(value ? "true" : "false", false); }
  bool number_integer(number_integer_t value) override { return leaf(std::to_string(value), false); }
  bool number_unsigned(number_unsigned_t value) override { return leaf(std::to_string(value), false); }
  bool number_float(number_float_t /*value*/, const string_t& written) override { return leaf(written, false); }
  bool string(string_t& value) override { return leaf(std::move(value), true); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(false); }
  bool end_object() override { return close("{}"); }
  bool start_array(std::size_t /*size*/) override { return open(true); }
  bool end_array() override { return close("[]"); }
  bool key(string_t& key) override {
    levels_.back().place = escaped_key(key);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  struct Level {
    bool is_array = false;
    std::size_t count = 0;
    std::string place;
  };

  bool leaf(std::string value, bool is_text) {
    enter();
    std::string path;
    for (const Level& level : levels_) {
      if (!path.empty()) path += '/';
      path += level.place;
    }
    if (path.size() > path_bytes_left_) return false;
    path_bytes_left_ -= path.size();
    leaves.push_back({std::move(path), std::move(value), is_text});
    return true;
  }
  /// A value begins in the container on top.
  void enter() {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (level.is_array) level.place = std::to_string(level.count);
    ++level.count;
  }
  bool open(bool is_array) {
    enter();
    if (levels_.size() == kDeepest) return false;
    levels_.push_back({is_array, 0, {}});
    return true;
  }
  bool close(const char* when_empty) {
    const bool was_empty = levels_.back().count == 0;
    levels_.pop_back();
    if (!was_empty) return true;
    // An empty container is a leaf of its parent, which has counted it already.
    if (!levels_.empty()) --levels_.back().count;
    return leaf(when_empty, false);
  }

  std::vector<Level> levels_;
  std::size_t path_bytes_left_;
};

std::optional<std::vector<Argument>> leaves_of(std::string_view json) {
  LeafCollector collector(kPathBytesAlways + kPathBytesPerByte * json.size());
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &collector)) return std::nullopt;
  return std::move(collector.leaves);
}

bool looks_like_container(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

std::optional<std::vector<Argument>> action_arguments(std::string_view json) {
  std::optional<std::vector<Argument>> arguments = leaves_of(json);
  const bool one_string = arguments && arguments->size() == 1 && arguments->front().path.empty() &&
                          arguments->front().is_text && !looks_like_container(json);
  if (!one_string || !looks_like_container(arguments->front().value)) return arguments;
  std::optional<std::vector<Argument>> inner = leaves_of(arguments->front().value);
  return inner ? inner : arguments;
}

}  // namespace memuse::evidence
