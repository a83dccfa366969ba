#include "agentic_judge/tool_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/strict_json.h"
#include "model/text.h"

namespace memuse::agentic_judge {
namespace {

using nlohmann::json;

constexpr judge::JsonLimits kArguments{std::size_t{64} << 10U, 4};

/// Reads the arguments of one call; the first fault is kept.
class Arguments {
 public:
  Arguments(std::string_view tool, std::string_view text, std::initializer_list<std::string_view> known) : tool_(tool) {
    // No arguments at all is how some endpoints write `{}`.
    const std::optional<json> parsed =
        is_blank(text) ? std::optional<json>(json::object()) : judge::parse_strict_json(text, kArguments, faults_);
    if (parsed && !parsed->is_object()) faults_.emplace_back("the arguments are no JSON object");
    if (!faults_.empty()) return;
    values_ = *parsed;
    for (const auto& [name, value] : values_.items()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      faults_.push_back(fmt::format("there is no argument \"{}\"", printable(shortened(name, 60))));
    }
  }

  /// `null` is the same as left out; an argument without a default has to be there.
  std::string text(const char* name, std::optional<std::string> otherwise = std::nullopt) {
    const json* value = given(name);
    if (value == nullptr) {
      if (!otherwise) faults_.push_back(fmt::format("the argument \"{}\" is missing", name));
      return otherwise.value_or("");
    }
    if (value->is_string()) return value->get<std::string>();
    faults_.push_back(fmt::format("the argument \"{}\" is no text", name));
    return {};
  }

  std::uint64_t number(const char* name) {
    const json* value = given(name);
    if (value == nullptr) return 0;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    faults_.push_back(fmt::format("the argument \"{}\" is no whole number from 0 on", name));
    return 0;
  }

  /// What was wrong, as the result of the call; nothing when all was well. `example` is a call as it should be.
  [[nodiscard]] std::optional<evidence::ToolResult> failure(std::string_view example) const {
    if (faults_.empty()) return std::nullopt;
    evidence::ToolResult result;
    result.failed = true;
    result.text =
        fmt::format("{} was not carried out: {}. Call it with arguments like {}", tool_, faults_.front(), example);
    return result;
  }

 private:
  const json* given(const char* name) {
    const auto at = values_.find(name);
    return at == values_.end() || at->is_null() ? nullptr : &*at;
  }

  std::string_view tool_;
  std::vector<std::string> faults_;
  json values_ = json::object();
};

}  // namespace

evidence::ToolResult run_tool(const evidence::EvidenceSet& evidence, const evidence::ToolLimits& limits,
                              std::string_view tool, std::string_view arguments) {
  if (tool == "list_files") {
    const Arguments given(tool, arguments, {});
    if (auto failure = given.failure("{}")) return std::move(*failure);
    return evidence::list_files(evidence);
  }
  if (tool == "read_file") {
    Arguments given(tool, arguments, {"file", "from", "bytes"});
    const std::string file = given.text("file");
    const std::uint64_t from = given.number("from");
    const std::uint64_t bytes = given.number("bytes");
    if (auto failure = given.failure(R"({"file": "target", "from": 0})")) return std::move(*failure);
    return evidence::read_file(evidence, file, from, bytes, limits);
  }
  if (tool == "search") {
    Arguments given(tool, arguments, {"pattern", "file"});
    const std::string pattern = given.text("pattern");
    const std::string file = given.text("file", "");
    if (auto failure = given.failure(R"({"pattern": "(?i)timeout", "file": "steps/0002"})")) return std::move(*failure);
    return evidence::search(evidence, pattern, file, limits);
  }
  evidence::ToolResult unknown;
  unknown.failed = true;
  unknown.text = fmt::format("there is no tool \"{}\"; the tools are list_files, read_file, search and submit_answer",
                             printable(shortened(tool, 60)));
  return unknown;
}

}  // namespace memuse::agentic_judge
