#include "ingest/mini_swe_agent_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "model/text.h"

namespace memuse::ingest {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kClosing = "\n```";
constexpr std::string_view kWhiteSpace = " \t\n\r\f\v";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kWhiteSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

}  // namespace

// The tool's pattern is ```WORD\s*\n(.*?)\n``` with dots that match line ends. `\s*` is greedy, so the command starts
// behind the last line end of the white space; only if that leaves no closing fence does it start earlier.
std::vector<std::string_view> fenced_commands(std::string_view text, std::string_view word, std::size_t most) {
  std::vector<std::string_view> commands;
  const std::string opening = std::string(kFence) + std::string(word);
  for (std::size_t at = text.find(opening); at != std::string_view::npos && commands.size() < most;) {
    const std::size_t gap = at + opening.size();
    const std::size_t content = std::min(text.find_first_not_of(kWhiteSpace, gap), text.size());
    const std::size_t last_end = text.substr(gap, content - gap).rfind('\n');
    if (last_end == std::string_view::npos) {
      at = text.find(opening, gap);
      continue;
    }
    std::size_t begin = gap + last_end + 1;
    std::size_t end = text.find(kClosing, begin);
    if (end == std::string_view::npos) {
      const bool closed_at_once = text.substr(begin).starts_with(kFence);
      const std::size_t first_end = gap + text.substr(gap).find('\n');
      if (!closed_at_once || first_end + 1 >= begin) break;
      begin = first_end + 1;
      end = gap + last_end;
    }
    commands.push_back(trimmed(text.substr(begin, end - begin)));
    at = text.find(opening, end + kClosing.size());
  }
  return commands;
}

std::optional<std::string_view> fence_word(std::string_view action_regex) {
  constexpr std::string_view kRest = R"(\s*\n(.*?)\n```)";
  if (!action_regex.starts_with(kFence) || !action_regex.ends_with(kRest)) return std::nullopt;
  const std::string_view word = action_regex.substr(kFence.size(), action_regex.size() - kFence.size() - kRest.size());
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (word.empty() || !plain) return std::nullopt;
  return word;
}

std::string_view task_in_prompt(std::string_view prompt) {
  constexpr std::string_view kOpen = "<pr_description>";
  const std::size_t open = prompt.find(kOpen);
  if (open == std::string_view::npos) return prompt;
  const std::size_t begin = open + kOpen.size();
  const std::size_t end = prompt.find("</pr_description>", begin);
  if (end == std::string_view::npos) return prompt;
  return trimmed(prompt.substr(begin, end - begin));
}

std::string repository_of_instance(std::string_view instance_id) {
  const std::size_t owner_end = instance_id.find("__");
  const std::size_t dash = instance_id.rfind('-');
  if (owner_end == std::string_view::npos || owner_end == 0 || dash == std::string_view::npos) return {};
  const std::size_t name_begin = owner_end + 2;
  const std::string_view number = instance_id.substr(dash + 1);
  const bool numbered = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  if (dash <= name_begin || !numbered) return {};
  return fmt::format("{}/{}", instance_id.substr(0, owner_end), instance_id.substr(name_begin, dash - name_begin));
}

std::string_view model_without_route(std::string_view model_name) {
  const std::size_t slash = model_name.rfind('/');
  if (slash == std::string_view::npos || slash + 1 == model_name.size()) return model_name;
  return model_name.substr(slash + 1);
}

std::string instance_of_path(const std::string& path) {
  constexpr std::string_view kSuffix = ".traj.json";
  const std::filesystem::path file = std::filesystem::path(path).filename();
  const std::string name = file.string();
  if (name.size() > kSuffix.size() && name.ends_with(kSuffix)) {
    return printable(name.substr(0, name.size() - kSuffix.size()));
  }
  return printable(file.stem().string());
}

std::string run_folder_of_path(const std::string& path, std::string_view instance_id) {
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failure);
  if (failure) return {};
  std::filesystem::path folder = absolute.lexically_normal().parent_path();
  const std::string own = folder.filename().string();
  if (own == instance_id || own == instance_of_path(path)) folder = folder.parent_path();
  return printable(folder.filename().string());
}

std::optional<std::string> utc_time(double seconds) {
  constexpr double kYear10000 = 253402300800.0;
  if (!(seconds >= 0) || seconds >= kYear10000) return std::nullopt;
  // Cut off, not rounded, so that no time falls into the next year 10000.
  const auto milliseconds = static_cast<std::int64_t>(std::floor(seconds * 1000.0));
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds{milliseconds}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

}  // namespace memuse::ingest
