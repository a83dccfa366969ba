#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// Damage that leaves JSON well formed: what a parser lets through and a reader has to survive.

namespace memuse::test {

/// What may stand where something else is expected.
inline nlohmann::json strange_value(std::mt19937_64& random) {
  nlohmann::json deep = nullptr;
  switch (random() % 12) {
    case 0:
      return nullptr;
    case 1:
      return true;
    case 2:
      return -1;
    case 3:
      return 1e300;
    case 4:
      return std::numeric_limits<std::uint64_t>::max();
    case 5:
      return "";
    case 6:
      return "a \xE2\x82\xAC \x01 \"text\"";
    case 7:
      return "user";
    case 8:
      return nlohmann::json::array();
    case 9:
      return nlohmann::json::object();
    case 10:
      return nlohmann::json::array({nullptr, "x", nlohmann::json::object({{"type", "text"}, {"text", 5}})});
    default:
      for (int level = 0; level < 40; ++level) deep = nlohmann::json::array({deep});
      return deep;
  }
}

inline void collect_values(nlohmann::json& value, std::vector<nlohmann::json*>& all) {
  all.push_back(&value);
  if (value.is_structured()) {
    for (auto& inner : value) collect_values(inner, all);
  }
}

/// One value of the document is another (strange, or one that stands elsewhere in it), is gone, or stands twice.
inline void swap_value(nlohmann::json& document, std::mt19937_64& random) {
  std::vector<nlohmann::json*> all;
  collect_values(document, all);
  if (all.size() < 2) {
    document = strange_value(random);
    return;
  }
  nlohmann::json& chosen = *all[1 + random() % (all.size() - 1)];
  if (chosen.is_array() && !chosen.empty() && random() % 3 == 0) {
    const std::size_t at = random() % chosen.size();
    if (random() % 2 == 0) {
      chosen.erase(at);
    } else {
      chosen.push_back(nlohmann::json(chosen[at]));
    }
  } else if (chosen.is_object() && !chosen.empty() && random() % 3 == 0) {
    auto field = chosen.begin();
    std::advance(field, random() % chosen.size());
    chosen.erase(field);
  } else if (random() % 3 == 0) {
    const nlohmann::json other = *all[1 + random() % (all.size() - 1)];
    chosen = other;
  } else {
    chosen = strange_value(random);
  }
}

/// Where the lines of a text begin and end, line feeds left out.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The JSON document, or one line of a file of JSON lines, with a value swapped. Nothing when it is neither.
inline std::optional<std::string> with_swapped_value(std::string_view text, std::mt19937_64& random) {
  const auto swapped = [&](std::string_view json) -> std::optional<std::string> {
    nlohmann::json document = nlohmann::json::parse(json, nullptr, false);
    if (document.is_discarded()) return std::nullopt;
    swap_value(document, random);
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty()) return std::nullopt;
  const std::string_view line = lines[random() % lines.size()];
  const auto begin = static_cast<std::size_t>(line.data() - text.data());
  if (const auto changed = swapped(line)) {
    return std::string(text.substr(0, begin)) + *changed + std::string(text.substr(begin + line.size()));
  }
  return swapped(text);
}

/// A text with its lines in another order, one of them twice, or one gone.
inline std::string with_moved_lines(std::string_view text, std::mt19937_64& random) {
  std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty()) return {};
  const std::size_t first = random() % lines.size();
  const std::size_t second = random() % lines.size();
  switch (random() % 3) {
    case 0:
      std::swap(lines[first], lines[second]);
      break;
    case 1:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(second), lines[first]);
      break;
    default:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first));
  }
  std::string all;
  for (const std::string_view line : lines) all.append(line).append("\n");
  return all;
}

/// A text with a few bytes flipped, a piece cut out, or a piece standing twice.
inline std::string with_damaged_bytes(std::string_view text, std::mt19937_64& random) {
  std::string bytes(text);
  if (bytes.empty()) return std::string(1, static_cast<char>(random() % 256));
  const std::size_t at = random() % bytes.size();
  const std::size_t size = 1 + random() % std::min<std::size_t>(bytes.size() - at, 1 + random() % 200);
  switch (random() % 4) {
    case 0:
      bytes.erase(at, size);
      break;
    case 1:
      bytes.insert(random() % bytes.size(), bytes.substr(at, size));
      break;
    case 2:
      bytes.resize(at);
      break;
    default:
      for (std::uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
        bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
      }
  }
  return bytes;
}

/// One of the kinds of damage above.
inline std::string with_damage(std::string_view text, std::mt19937_64& random) {
  const std::uint64_t kind = random() % 6;
  if (kind < 3) {
    if (auto changed = with_swapped_value(text, random)) return *changed;
  }
  return kind == 3 ? with_moved_lines(text, random) : with_damaged_bytes(text, random);
}

}  // namespace memuse::test
