#include "agentic_judge/prompts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "agentic_judge/prompt_files.h"
#include "agentic_judge/prompt_text.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::agentic_judge {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20U;
constexpr std::size_t kLongestVersion = 64;

/// One of the files, and the placeholders that it may hold and has to hold.
struct PromptFile {
  std::string_view name;
  std::string Prompts::*text;
  std::vector<std::string_view> may_hold;
  std::vector<std::string_view> must_hold;
};

const std::array<PromptFile, 6>& prompt_parts() {
  static const std::array<PromptFile, 6> parts{
      {{"version", &Prompts::version, {}, {}},
       {"system", &Prompts::system, {}, {}},
       {"task",
        &Prompts::task,
        {"span", "first_step", "steps", "entries", "index", "page_bytes", "calls"},
        {"entries", "index"}},
       {"repair", &Prompts::repair, {"faults", "calls"}, {"faults"}},
       {"last_call", &Prompts::last_call, {}, {}},
       {"json_protocol", &Prompts::json_protocol, {"tools"}, {"tools"}}}};
  return parts;
}

[[noreturn]] void refuse(std::string_view where, std::string_view name, const std::string& why) {
  throw Error(ExitCode::usage, fmt::format("{}: {}.md {}", where, name, why));
}

void check_placeholders(std::string_view where, const PromptFile& part, std::string_view text) {
  const std::vector<std::string> found = placeholders(text);
  for (const std::string& name : found) {
    if (std::find(part.may_hold.begin(), part.may_hold.end(), name) != part.may_hold.end()) continue;
    const std::string known =
        part.may_hold.empty() ? "none" : fmt::format("{{{{{}}}}}", fmt::join(part.may_hold, "}}, {{"));
    refuse(
        where, part.name,
        fmt::format("holds the placeholder {{{{{}}}}}; there it may hold {}", printable(shortened(name, 60)), known));
  }
  for (const std::string_view name : part.must_hold) {
    if (std::find(found.begin(), found.end(), name) == found.end()) {
      refuse(where, part.name, fmt::format("lacks {{{{{}}}}}; without it the model cannot know what is asked", name));
    }
  }
}

void check(std::string_view where, const PromptFile& part, std::string_view text) {
  if (text.size() > kLargestFile) refuse(where, part.name, fmt::format("is larger than {} bytes", kLargestFile));
  if (valid_utf8_prefix(text) != text.size()) refuse(where, part.name, "is not UTF-8");
  if (is_blank(text)) refuse(where, part.name, "is empty");
  check_placeholders(where, part, text);
}

Prompts checked(std::string_view where, Prompts prompts) {
  for (const PromptFile& part : prompt_parts()) check(where, part, prompts.*part.text);
  prompts.version = std::string(trimmed(prompts.version));
  const bool one_line = prompts.version.find('\n') == std::string::npos;
  if (!one_line || prompts.version.size() > kLongestVersion) {
    refuse(where, "version", fmt::format("is to hold a name of one line with at most {} bytes", kLongestVersion));
  }
  return prompts;
}

std::string read_prompt(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || !in.is_open()) {
    throw Error(ExitCode::environment, fmt::format("cannot read {}", printable(file.string())));
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

std::string Prompts::sha256() const {
  std::string all;
  for (const PromptFile& part : prompt_parts()) {
    const std::string& text = this->*part.text;
    // Lengths keep the border between two texts apart from the texts.
    all += fmt::format("{}:{}:", part.name, text.size());
    all += text;
  }
  return sha256_hex(all);
}

const Prompts& shipped_prompts() {
  static const Prompts shipped = [] {
    Prompts prompts;
    for (const PromptFile& part : prompt_parts()) {
      for (const EmbeddedFile& file : prompt_files()) {
        if (file.name == part.name) prompts.*part.text = std::string(file.text);
      }
    }
    return checked("prompts", std::move(prompts));
  }();
  return shipped;
}

Prompts load_prompts(const std::string& folder) {
  const std::filesystem::path path(folder);
  const std::string shown = printable(shortened(folder, 300));
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    throw Error(ExitCode::usage, fmt::format("{} is no folder; name one with the files of prompts/", shown));
  }
  Prompts prompts;
  std::vector<std::string> missing;
  for (const PromptFile& part : prompt_parts()) {
    const std::filesystem::path file = path / fmt::format("{}.md", part.name);
    if (std::filesystem::is_regular_file(file, error)) {
      prompts.*part.text = read_prompt(file);
    } else {
      missing.push_back(file.filename().string());
    }
  }
  if (!missing.empty()) {
    throw Error(ExitCode::usage, fmt::format("{} lacks {}; a folder of prompts has all files of prompts/", shown,
                                             fmt::join(missing, ", ")));
  }
  return checked(shown, std::move(prompts));
}

}  // namespace memuse::agentic_judge
