#include "judge/strict_json.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "model/text.h"

namespace memuse::judge {
namespace {

using nlohmann::json;

constexpr std::size_t kMostFaults = 20;

/// The parser's own words without the name of its exception.
std::string parser_words(std::string_view message) {
  if (message.starts_with('[')) message.remove_prefix(std::min(message.find("] ") + 2, message.size()));
  return printable(shortened(message, 300));
}

/// Looks at a document without building it, so that what is too deep or too odd costs no memory.
class DocumentCheck : public nlohmann::json_sax<json> {
 public:
  DocumentCheck(const JsonLimits& limits, std::vector<std::string>& faults) : limits_(limits), faults_(faults) {}

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return open(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) {
      faults_.push_back(
          fmt::format("the key \"{}\" stands twice in one object; give it once", printable(shortened(name, 60))));
    }
    return faults_.size() < kMostFaults;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    faults_.push_back(fmt::format("this is no valid JSON: {}", parser_words(error.what())));
    return false;
  }

 private:
  bool open() {
    if (keys_.size() >= limits_.levels) {
      faults_.push_back(fmt::format("the JSON is nested more than {} levels deep; no form that is asked for here is",
                                    limits_.levels));
      return false;
    }
    keys_.emplace_back();
    return true;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  const JsonLimits& limits_;
  std::vector<std::string>& faults_;
  std::vector<std::set<std::string>> keys_;  ///< of the objects and arrays that are open
};

}  // namespace

std::optional<json> parse_strict_json(std::string_view text, const JsonLimits& limits,
                                      std::vector<std::string>& faults) {
  if (text.size() > limits.bytes) {
    faults.push_back(fmt::format("the JSON has {} bytes; at most {} are read", text.size(), limits.bytes));
    return std::nullopt;
  }
  std::vector<std::string> found;
  DocumentCheck check(limits, found);
  const bool well_formed = json::sax_parse(text, &check);
  faults.insert(faults.end(), found.begin(), found.end());
  if (!well_formed || !found.empty()) return std::nullopt;
  return json::parse(text);
}

}  // namespace memuse::judge
