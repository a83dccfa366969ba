#include "ingest/python_literal.h"

#include <utf8proc.h>

#include <charconv>
#include <nlohmann/json.hpp>

namespace memuse::ingest {
namespace {

constexpr std::size_t kMaxDepth = 64;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

void append_code_point(std::uint32_t code_point, std::string& out) {
  utf8proc_uint8_t bytes[4];
  const auto count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
}

/// Walks the text token by token. What stands open is a stack of closing characters.
class Translator {
 public:
  explicit Translator(std::string_view text) : text_(text) {}

  std::optional<PythonAsJson> run() {
    skip_blanks();
    while (at_ < text_.size()) {
      if (!token()) return std::nullopt;
      skip_blanks();
    }
    // Whether the sequence of tokens makes sense is for the JSON parser to say.
    if (!open_.empty() || result_.json.empty()) return std::nullopt;
    return std::move(result_);
  }

 private:
  struct Open {
    char python = 0;  // the closing character that is waited for
    char json = 0;
  };

  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool open(char python, char json_open, char json_close) {
    if (open_.size() == kMaxDepth) return false;
    open_.push_back({python, json_close});
    result_.json += json_open;
    return true;
  }

  bool token() {
    const char c = text_[at_];
    if (c == '\'' || c == '"') return string();
    if (c == '[' || c == '{' || c == '(') {
      ++at_;
      return c == '{' ? open('}', '{', '}') : open(c == '[' ? ']' : ')', '[', ']');
    }
    if (c == ']' || c == '}' || c == ')') return close(c);
    if (c == ',' || c == ':') return separator(c);
    return word();
  }

  bool close(char c) {
    if (open_.empty() || open_.back().python != c) return false;
    result_.json += open_.back().json;
    open_.pop_back();
    ++at_;
    return true;
  }

  bool separator(char c) {
    ++at_;
    skip_blanks();
    // `(1,)` and `[1,]`: JSON has no comma before the end.
    const bool last = c == ',' && at_ < text_.size() && (text_[at_] == ')' || text_[at_] == ']' || text_[at_] == '}');
    if (!last) result_.json += c;
    return true;
  }

  /// A number, None, True, False, the name of a keyword argument, or the name of a call.
  bool word() {
    const std::size_t begin = at_;
    if (text_[at_] == '-' || text_[at_] == '+') ++at_;
    while (at_ < text_.size() && (is_word(text_[at_]) || exponent_sign())) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty()) return false;
    if (word == "None") return put("null");
    if (word == "True") return put("true");
    if (word == "False") return put("false");
    if (at_ < text_.size() && text_[at_] == '(') return call();
    if (at_ < text_.size() && text_[at_] == '=' && !open_.empty() && open_.back().python == ')') {
      ++at_;
      return put(nlohmann::json(word).dump() + ":");
    }
    // Numbers are printed as in JSON.
    const bool number = word.front() == '-' || (word.front() >= '0' && word.front() <= '9');
    return number && nlohmann::json::accept(word) && put(word);
  }

  [[nodiscard]] bool exponent_sign() const {
    return (text_[at_] == '-' || text_[at_] == '+') && at_ > 0 && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
  }

  /// `Name(` with keyword arguments is an object, with others an array.
  bool call() {
    ++at_;
    skip_blanks();
    std::size_t ahead = at_;
    while (ahead < text_.size() && is_word(text_[ahead])) ++ahead;
    const bool keywords = ahead > at_ && ahead < text_.size() && text_[ahead] == '=';
    return keywords ? open(')', '{', '}') : open(')', '[', ']');
  }

  bool put(std::string_view json) {
    // `1 2` is no number.
    if (!result_.json.empty() && is_word(result_.json.back())) result_.json += ' ';
    result_.json += json;
    return true;
  }

  bool string() {
    const char quote = text_[at_++];
    const std::size_t begin = at_;
    std::string value;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\') {
        if (!escape(value)) return false;
      } else {
        value += text_[at_++];
      }
    }
    if (at_ == text_.size()) return false;
    ++at_;
    result_.strings.push_back({result_.json.size() + 1, begin});
    result_.json += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return true;
  }

  bool escape(std::string& value) {
    if (++at_ == text_.size()) return false;
    const char c = text_[at_++];
    switch (c) {
      case 'n':
        value += '\n';
        return true;
      case 't':
        value += '\t';
        return true;
      case 'r':
        value += '\r';
        return true;
      case 'x':
        return code_point(2, value);
      case 'u':
        return code_point(4, value);
      case 'U':
        return code_point(8, value);
      case '\\':
      case '\'':
      case '"':
        value += c;
        return true;
      default:
        return false;  // `repr` prints no other
    }
  }

  bool code_point(std::size_t digits, std::string& value) {
    if (text_.size() - at_ < digits) return false;
    std::uint32_t number = 0;
    const char* first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, first + digits, number, 16);
    if (error != std::errc{} || end != first + digits || number > 0x10FFFF || (number >= 0xD800 && number < 0xE000)) {
      return false;
    }
    at_ += digits;
    append_code_point(number, value);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  PythonAsJson result_;
};

}  // namespace

std::optional<PythonAsJson> python_to_json(std::string_view text) {
  return Translator(text).run();
}

}  // namespace memuse::ingest
