#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "chat/endpoint.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::chat {
namespace {

constexpr std::size_t kLongestKey = 16'384;

/// Where a key came from, for messages. A person may give the key itself in place of the name: a text that does not
/// look like a name is not repeated.
std::string shown_variable(const std::string& variable) {
  const bool is_name = variable.size() <= 32 && std::all_of(variable.begin(), variable.end(), [](char c) {
                         return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                       });
  return is_name ? "the environment variable " + variable : "what was given as the name of an environment variable";
}

/// The key without white space at its ends. A key of other than visible ASCII characters could change the headers of a
/// request.
std::string checked_key(std::string_view text, const std::string& where) {
  const std::string_view key = trimmed(text);
  if (key.empty()) throw Error(ExitCode::usage, where + " holds no key; put the key there");
  if (key.size() > kLongestKey) throw Error(ExitCode::usage, where + " holds far more than a key");
  if (!std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7F; })) {
    throw Error(ExitCode::usage, where +
                                     " holds characters that a key cannot have (spaces, line breaks or others); "
                                     "it must hold the key alone");
  }
  return std::string(key);
}

std::string key_from_file(const std::string& file) {
  const std::string where = "the key file " + printable(file);
  std::ifstream in(file, std::ios::binary);
  std::string text(kLongestKey + 64, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.fail()) || (in.gcount() == 0 && !in.eof())) {
    throw Error(ExitCode::usage, where + " cannot be read; check its path and permissions");
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return checked_key(text, where);
}

}  // namespace

std::string load_key(Protocol protocol, const std::string& variable, const std::string& file) {
  if (!variable.empty() && !file.empty()) {
    throw Error(ExitCode::usage,
                "a key comes from a variable (--key-env) or from a file (--key-file); give one of them");
  }
  if (!file.empty()) return key_from_file(file);
  if (!variable.empty()) {
    const char* value = std::getenv(variable.c_str());
    const std::string where = shown_variable(variable);
    if (value == nullptr) throw Error(ExitCode::usage, where + " is not set; export the key in it");
    return checked_key(value, where);
  }
  const std::string usual = protocol == Protocol::openai ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY";
  const char* value = std::getenv(usual.c_str());
  if (value == nullptr || trimmed(value).empty()) return "";
  return checked_key(value, "the environment variable " + usual);
}

}  // namespace memuse::chat
