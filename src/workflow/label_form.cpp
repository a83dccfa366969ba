#include "workflow/label_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/entries.h"
#include "model/text.h"

namespace memuse::workflow {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kTextShown = 300;   ///< bytes of an entry's text in the form; the whole stands in `target`
constexpr std::size_t kLongestName = 80;  ///< of a folder, before its hash
constexpr std::array<std::string_view, 5> kLabelFields{"relevance", "accuracy", "novelty", "influence", "effect"};

/// Texts of the entries of the span's target delivery by their index.
std::map<std::uint32_t, ExposedEntry> entries_of(const Episode& episode, const Span& span) {
  std::map<std::uint32_t, ExposedEntry> entries;
  const std::uint32_t target = span.deliveries.front().delivery;
  if (target >= episode.deliveries.size()) return entries;
  for (const ExposedEntry& entry : exposed_entries(episode, episode.deliveries[target])) entries[entry.index] = entry;
  return entries;
}

Json item_of(const ExposedEntry& entry) {
  if (entry.recorded == nullptr || !entry.recorded->item) return nullptr;
  return std::string(*entry.recorded->item);
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/// Different names give different results; `.` and `..` are never among them.
std::string safe_name(std::string_view name) {
  std::string safe;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (is_plain(name[i]) && !(name[i] == '.' && i == 0)) {
      safe += name[i];
    } else {
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(name[i]));
    }
  }
  if (safe.empty()) return "%";
  constexpr std::size_t kHashDigits = 12;
  if (safe.size() > kLongestName) safe = safe.substr(0, kLongestName) + "~" + sha256_hex(name).substr(0, kHashDigits);
  return safe;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

bool is_empty_text(const nlohmann::json& object, std::string_view field) {
  const auto at = object.find(std::string(field));
  return at != object.end() && at->is_string() && at->get_ref<const std::string&>().empty();
}

bool is_empty_list(const nlohmann::json& object, std::string_view field) {
  const auto at = object.find(std::string(field));
  return at != object.end() && at->is_array() && at->empty();
}

}  // namespace

const std::vector<std::string_view>& orientation_fields() {
  static const std::vector<std::string_view> fields{"item", "window", "text"};
  return fields;
}

std::string span_content(const Episode& episode, const Span& span) {
  std::string content;
  const auto texts = entries_of(episode, span);
  for (const SpanEntry& entry : span.entries) {
    if (!entry.window) continue;
    const auto text = texts.find(entry.entry);
    content += fmt::format("{} {} {} {}\n", entry.entry, entry.window->first, entry.window->last,
                           text == texts.end() ? std::string() : sha256_hex(text->second.text));
  }
  return sha256_hex(content);
}

Json label_form(const EpisodeRecord& record, const Episode& episode, const Span& span, bool blind) {
  Json form{{"format", kLabelFormat}};
  if (!blind) {
    form["configuration"] = record.configuration;
    form["run"] = record.run;
    form["episode"] = record.episode;
  }
  form["span"] = fmt::format("S{}", span.number);
  form["content"] = span_content(episode, span);
  form["entries"] = Json::array();
  const auto texts = entries_of(episode, span);
  for (const SpanEntry& entry : span.entries) {
    if (!entry.window) continue;
    const auto text = texts.find(entry.entry);
    form["entries"].push_back(
        {{"entry", entry.entry},
         {"item", text == texts.end() ? Json(nullptr) : item_of(text->second)},
         {"window", {entry.window->first, entry.window->last}},
         {"text", text == texts.end() ? std::string() : shortened(normalise_text(text->second.text), kTextShown)},
         {"reason", ""},
         {"evidence", Json::array()},
         {"relevance", ""},
         {"accuracy", ""},
         {"novelty", ""},
         {"influence", ""},
         {"anchors", Json::array()},
         {"effect", ""}});
  }
  return form;
}

std::vector<std::string_view> blank_labels(const nlohmann::json& entry) {
  std::vector<std::string_view> blank;
  std::copy_if(kLabelFields.begin(), kLabelFields.end(), std::back_inserter(blank),
               [&](std::string_view field) { return is_empty_text(entry, field); });
  return blank;
}

bool is_blank_entry(const nlohmann::json& entry) {
  return entry.is_object() && blank_labels(entry).size() == kLabelFields.size() && is_empty_text(entry, "reason") &&
         is_empty_list(entry, "evidence") && is_empty_list(entry, "anchors");
}

std::string FolderNames::folder(std::string_view name, std::string_view identity) {
  const std::string safe = safe_name(name);
  std::string candidate = safe;
  // `~` stands in no other name but before a hash, which is longer than any of these numbers.
  for (std::uint64_t number = 2;; ++number) {
    const auto [at, is_new] = taken_.try_emplace(lower_case(candidate), identity);
    if (is_new || at->second == identity) return candidate;
    candidate = fmt::format("{}~{}", safe, number);
  }
}

}  // namespace memuse::workflow
