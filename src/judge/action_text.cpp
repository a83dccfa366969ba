#include "judge/action_text.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace memuse::judge {
namespace {

/// Keeps the strings of a document, keys left out.
class StringCollector : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit StringCollector(std::vector<std::string>& strings) : strings_(strings) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& value) override {
    strings_.push_back(std::move(value));
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  std::vector<std::string>& strings_;
};

bool collect_strings(std::string_view json, std::vector<std::string>& strings) {
  StringCollector collector(strings);
  return nlohmann::json::sax_parse(json.begin(), json.end(), &collector);
}

bool looks_like_container(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

ActionText action_text(const Action& action) {
  ActionText text;
  if (!collect_strings(action.arguments, text.strings)) {
    text.strings = {std::string(action.arguments)};
    return text;
  }
  const bool wrapped =
      text.strings.size() == 1 && !looks_like_container(action.arguments) && looks_like_container(text.strings.front());
  if (wrapped) {
    std::vector<std::string> inner;
    if (collect_strings(text.strings.front(), inner))
      text.strings.insert(text.strings.end(), inner.begin(), inner.end());
  }
  return text;
}

}  // namespace memuse::judge
