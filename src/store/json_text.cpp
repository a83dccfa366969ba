#include "store/json_text.h"

#include <fmt/format.h>

#include "model/text.h"
#include "store/damage.h"

namespace memuse::store {
namespace {

constexpr const char* kAgentCalls = "agent";
constexpr const char* kSideCalls = "side";

void append_escaped(std::string& out, std::string_view valid) {
  std::size_t plain = 0;  // start of the part that needs no escape
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(valid, plain, i - plain);
    plain = i + 1;
    if (byte >= 0x20) {
      out += '\\';
      out += valid[i];
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    }
  }
  out.append(valid, plain, valid.size() - plain);
}

nlohmann::json evidence_to_json(const Evidence& evidence) {
  nlohmann::json out;
  if (evidence.step) out["step"] = *evidence.step;
  if (!evidence.file.empty()) out["file"] = evidence.file;
  out["quote"] = evidence.quote;
  out["supports"] = evidence.supports;
  if (!evidence.value.empty()) out["value"] = evidence.value;
  if (evidence.place) {
    out["place"] = {{"file", evidence.place->file}, {"begin", evidence.place->begin}, {"end", evidence.place->end}};
  }
  return out;
}

Evidence evidence_from_json(const nlohmann::json& json) {
  Evidence evidence;
  if (json.contains("step")) evidence.step = json.at("step").get<std::uint32_t>();
  evidence.file = json.value("file", "");
  evidence.quote = json.at("quote").get<std::string>();
  evidence.supports = json.at("supports").get<std::string>();
  evidence.value = json.value("value", "");
  if (const auto place = json.find("place"); place != json.end()) {
    evidence.place = Evidence::Place{place->at("file").get<std::string>(), place->at("begin").get<std::uint64_t>(),
                                     place->at("end").get<std::uint64_t>()};
  }
  return evidence;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t valid = valid_utf8_prefix(text);
    append_escaped(out, text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) break;
    out += "\xef\xbf\xbd";
    text.remove_prefix(1);
  }
  out += '"';
}

std::string json_number_array(const std::vector<std::uint32_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

nlohmann::json parse_column(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw damaged(error.what());
  }
}

std::vector<std::string> string_array(std::string_view text) {
  if (text == "[]") return {};
  try {
    return parse_column(text).get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& error) {
    throw damaged(error.what());
  }
}

std::vector<std::uint32_t> number_array(std::string_view text) {
  try {
    return parse_column(text).get<std::vector<std::uint32_t>>();
  } catch (const nlohmann::json::exception& error) {
    throw damaged(error.what());
  }
}

std::string answer_to_json(const EntryAnswer& answer) {
  nlohmann::json evidence = nlohmann::json::array();
  for (const Evidence& item : answer.evidence) evidence.push_back(evidence_to_json(item));
  const nlohmann::json out{{"anchors", answer.anchors}, {"evidence", evidence}, {"reason", answer.reason}};
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void answer_from_json(std::string_view text, EntryAnswer& answer) {
  const nlohmann::json json = parse_column(text);
  try {
    answer.anchors = json.at("anchors").get<std::vector<std::uint32_t>>();
    answer.evidence.clear();
    for (const nlohmann::json& item : json.at("evidence")) answer.evidence.push_back(evidence_from_json(item));
    answer.reason = json.at("reason").get<std::string>();
  } catch (const nlohmann::json::exception& error) {
    throw damaged(error.what());
  }
}

std::optional<std::string> uncosted_calls_to_json(const EpisodeRecord& record) {
  nlohmann::json all = nlohmann::json::array();
  const auto add = [&all](const char* kind, const std::vector<UncostedCalls>& groups) {
    for (const UncostedCalls& group : groups) {
      all.push_back(
          {kind, group.model, group.calls, group.input_tokens, group.cached_input_tokens, group.output_tokens});
    }
  };
  add(kAgentCalls, record.agent_uncosted);
  add(kSideCalls, record.side_uncosted);
  if (all.empty()) return std::nullopt;
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void uncosted_calls_from_json(std::string_view text, EpisodeRecord& record) {
  try {
    for (const nlohmann::json& row : parse_column(text)) {
      const std::string kind = row.at(0).get<std::string>();
      if (kind != kAgentCalls && kind != kSideCalls) throw damaged("calls of an unknown kind");
      auto& groups = kind == kAgentCalls ? record.agent_uncosted : record.side_uncosted;
      groups.push_back({row.at(1).get<std::string>(), row.at(2).get<std::uint64_t>(), row.at(3).get<std::uint64_t>(),
                        row.at(4).get<std::uint64_t>(), row.at(5).get<std::uint64_t>()});
    }
  } catch (const nlohmann::json::exception& error) {
    throw damaged(error.what());
  }
}

}  // namespace memuse::store
