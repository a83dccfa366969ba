#include "judge/answer_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "judge/strict_json.h"
#include "model/text.h"

namespace memuse::judge {
namespace {

using nlohmann::json;

// Far more than an answer needs; the same numbers stand in schemas/answer-1.schema.json.
constexpr std::size_t kMostEntries = 10'000;
constexpr std::size_t kMostEvidence = 100;
constexpr std::size_t kMostAnchors = 1'000;
constexpr std::size_t kLongestFileName = 200;

constexpr std::size_t kMostFaults = 50;        ///< of one answer; nobody puts more right in one go
constexpr std::size_t kMostUnknownFields = 5;  ///< named in one object

constexpr std::array<std::string_view, 9> kEntryFields{"entry",   "reason",    "evidence", "relevance", "accuracy",
                                                       "novelty", "influence", "anchors",  "effect"};
constexpr std::array<std::string_view, 5> kEvidenceFields{"step", "file", "quote", "supports", "value"};

/// A value as a message repeats it.
std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return printable(shortened(value.dump(-1, ' ', false, json::error_handler_t::replace), 60));
}

std::optional<std::uint32_t> whole_number(const json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<std::uint64_t>();
  if (number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

/// The field, or null when it is missing or `null`.
const json* given(const json& object, const char* field) {
  const auto at = object.find(field);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

/// Reads one entry object and collects its faults.
class EntryReader {
 public:
  EntryReader(const json& object, std::string unnumbered, std::vector<std::string>& faults)
      : object_(object), prefix_(std::move(unnumbered)), faults_(faults) {}

  std::optional<EntryAnswer> read(const std::vector<std::string_view>& more_fields) {
    const std::size_t before = faults_.size();
    read_number();
    check_fields(more_fields);
    read_reason();
    read_evidence();
    read_relevance();
    read_label("accuracy", answer_.labels.accuracy, "corroborated, uncontradicted, contradicted or null");
    read_label("novelty", answer_.labels.novelty, "novel, confirming, redundant or null");
    read_label("influence", answer_.labels.influence, "none, referenced, selected, acted_on or null");
    read_anchors();
    read_label("effect", answer_.labels.effect, "improved, no_effect, harmed or null");
    if (faults_.size() > before) return std::nullopt;
    return std::move(answer_);
  }

 private:
  template <typename... Parts>
  void fault(fmt::format_string<Parts...> text, Parts&&... parts) {
    faults_.push_back(prefix_ + fmt::format(text, std::forward<Parts>(parts)...));
  }

  void read_number() {
    const auto at = object_.find("entry");
    if (at == object_.end()) return;  // missing fields have a message of their own
    const std::optional<std::uint32_t> number = whole_number(*at);
    if (!number) {
      fault("entry is {}; give the number of the entry as the list of entries states it", shown(*at));
      return;
    }
    answer_.entry = *number;
    prefix_ = fmt::format("entry {}: ", *number);
  }

  void check_fields(const std::vector<std::string_view>& more_fields) {
    for (const std::string_view field : kEntryFields) {
      if (!object_.contains(std::string(field))) fault("the field \"{}\" is missing", field);
    }
    name_unknown_fields(object_, "", [&](std::string_view field) {
      return std::find(kEntryFields.begin(), kEntryFields.end(), field) != kEntryFields.end() ||
             std::find(more_fields.begin(), more_fields.end(), field) != more_fields.end();
    });
  }

  template <typename Known>
  void name_unknown_fields(const json& object, const std::string& where, const Known& known) {
    std::size_t unknown = 0;
    for (const auto& [field, value] : object.items()) {
      if (known(field)) continue;
      if (++unknown <= kMostUnknownFields) {
        fault("{}there is no field \"{}\"; leave it out", where, printable(shortened(field, 60)));
      }
    }
    if (unknown > kMostUnknownFields) fault("{}{} more unknown fields", where, unknown - kMostUnknownFields);
  }

  void read_reason() {
    const auto at = object_.find("reason");
    if (at == object_.end()) return;
    if (!at->is_string()) {
      fault("reason is {}; give a short text", shown(*at));
    } else if (is_blank(at->get_ref<const std::string&>())) {
      fault("reason is empty; say in a sentence or two what the labels rest on");
    } else {
      answer_.reason = at->get<std::string>();
    }
  }

  void read_relevance() {
    const auto at = object_.find("relevance");
    if (at == object_.end() || at->is_null()) return;
    if (at->is_boolean()) {
      answer_.labels.relevance = at->get<bool>();
    } else {
      fault("relevance is {}; say true or false without quotes, or null", shown(*at));
    }
  }

  template <typename Label>
  void read_label(const char* field, std::optional<Label>& label, std::string_view values) {
    const json* value = given(object_, field);
    if (value == nullptr) return;
    if (value->is_string()) label = parse_name<Label>(value->get_ref<const std::string&>());
    if (!label) fault("{} is {}; say {}", field, shown(*value), values);
  }

  void read_anchors() {
    const auto at = object_.find("anchors");
    if (at == object_.end()) return;
    if (!at->is_array()) {
      fault("anchors is {}; give a list of step numbers, [] when there is none", shown(*at));
      return;
    }
    if (at->size() > kMostAnchors) {
      fault("there are {} anchors; give at most {}", at->size(), kMostAnchors);
      return;
    }
    for (const json& anchor : *at) {
      const std::optional<std::uint32_t> step = whole_number(anchor);
      if (!step || *step == 0) {
        fault("the anchor {} is no step; give whole numbers from 1 on", shown(anchor));
        return;
      }
      answer_.anchors.push_back(*step);
    }
    std::sort(answer_.anchors.begin(), answer_.anchors.end());
    answer_.anchors.erase(std::unique(answer_.anchors.begin(), answer_.anchors.end()), answer_.anchors.end());
  }

  void read_evidence() {
    const auto at = object_.find("evidence");
    if (at == object_.end()) return;
    if (!at->is_array()) {
      fault("evidence is {}; give a list, [] when there is none", shown(*at));
      return;
    }
    if (at->size() > kMostEvidence) {
      fault("there are {} pieces of evidence; give at most {}", at->size(), kMostEvidence);
      return;
    }
    for (std::size_t i = 0; i < at->size() && faults_.size() < kMostFaults; ++i) {
      read_piece((*at)[i], fmt::format("evidence[{}]: ", i));
    }
  }

  void read_piece(const json& piece, const std::string& where) {
    if (!piece.is_object()) {
      fault("{}it is {}; give an object with a step or a file, a quote and what it supports", where, shown(piece));
      return;
    }
    name_unknown_fields(piece, where, [](std::string_view field) {
      return std::find(kEvidenceFields.begin(), kEvidenceFields.end(), field) != kEvidenceFields.end();
    });
    Evidence evidence;
    read_place(piece, where, evidence);
    const json* quote = given(piece, "quote");
    if (quote == nullptr) {
      fault("{}the field \"quote\" is missing; copy the words that you rest on", where);
    } else {
      read_text(*quote, where, "quote", evidence.quote);
    }
    if (const json* supports = given(piece, "supports")) read_text(*supports, where, "supports", evidence.supports);
    if (const json* value = given(piece, "value")) read_text(*value, where, "value", evidence.value);
    answer_.evidence.push_back(std::move(evidence));
  }

  void read_place(const json& piece, const std::string& where, Evidence& evidence) {
    const json* step = given(piece, "step");
    const json* file = given(piece, "file");
    if ((step == nullptr) == (file == nullptr)) {
      fault("{}cite {}: a step by its number, or an evidence file by its name", where,
            step == nullptr ? "a place" : "one place, not two");
    } else if (step != nullptr) {
      evidence.step = whole_number(*step);
      if (!evidence.step) fault("{}step is {}; give a whole number, 0 for the task", where, shown(*step));
    } else if (!file->is_string() || file->get_ref<const std::string&>().empty() ||
               file->get_ref<const std::string&>().size() > kLongestFileName) {
      fault("{}file is {}; give the name of an evidence file", where, shown(*file));
    } else {
      evidence.file = file->get<std::string>();
    }
  }

  void read_text(const json& value, const std::string& where, std::string_view field, std::string& text) {
    if (value.is_string()) {
      text = value.get<std::string>();
    } else {
      fault("{}{} is {}; give a text", where, field, shown(value));
    }
  }

  const json& object_;
  std::string prefix_;
  std::vector<std::string>& faults_;
  EntryAnswer answer_;
};

std::optional<EntryAnswer> read_entry(const json& value, std::string unnumbered,
                                      const std::vector<std::string_view>& more_fields,
                                      std::vector<std::string>& faults) {
  if (value.is_object()) return EntryReader(value, std::move(unnumbered), faults).read(more_fields);
  faults.push_back(fmt::format("{}this is {}; give an object that answers one entry", unnumbered, shown(value)));
  return std::nullopt;
}

/// The list of entries of an answer; null, with a fault, when the document has another form.
const json* entry_list(const json& document, std::vector<std::string>& faults) {
  if (!document.is_object()) {
    faults.push_back(fmt::format("the answer is {}; give one object {{\"entries\": […]}}", shown(document)));
    return nullptr;
  }
  std::size_t unknown = 0;
  for (const auto& [field, value] : document.items()) {
    if (field == "entries" || ++unknown > kMostUnknownFields) continue;
    faults.push_back(
        fmt::format("the answer has a field \"{}\" beside \"entries\"; leave it out", printable(shortened(field, 60))));
  }
  const auto at = document.find("entries");
  if (at == document.end()) {
    faults.emplace_back("the answer has no \"entries\"; give one object {\"entries\": […]}");
    return nullptr;
  }
  if (!at->is_array() || at->size() > kMostEntries) {
    faults.push_back(fmt::format("\"entries\" is {}; give a list with one object per entry", shown(*at)));
    return nullptr;
  }
  return &*at;
}

template <typename Label>
nlohmann::ordered_json label_json(const std::optional<Label>& label) {
  return label ? nlohmann::ordered_json(name(*label)) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json evidence_to_json(const Evidence& evidence) {
  nlohmann::ordered_json piece;
  if (evidence.step) {
    piece["step"] = *evidence.step;
  } else {
    piece["file"] = evidence.file;
  }
  piece["quote"] = evidence.quote;
  if (!evidence.supports.empty()) piece["supports"] = evidence.supports;
  if (!evidence.value.empty()) piece["value"] = evidence.value;
  return piece;
}

}  // namespace

std::optional<EntryAnswer> parse_entry_answer(const json& object, const std::vector<std::string_view>& more_fields,
                                              std::vector<std::string>& faults) {
  return read_entry(object, "", more_fields, faults);
}

ParsedAnswer parse_answer(std::string_view text) {
  ParsedAnswer parsed;
  const std::optional<json> document = parse_strict_json(text, JsonLimits{}, parsed.faults);
  if (!document) return parsed;
  const json* entries = entry_list(*document, parsed.faults);
  if (entries == nullptr) return parsed;
  Answer answer;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    if (parsed.faults.size() >= kMostFaults) {
      parsed.faults.emplace_back("what follows was not looked at; put these right first");
      break;
    }
    std::optional<EntryAnswer> entry = read_entry((*entries)[i], fmt::format("entries[{}]: ", i), {}, parsed.faults);
    if (entry) answer.entries.push_back(std::move(*entry));
  }
  if (parsed.faults.empty()) parsed.answer = std::move(answer);
  return parsed;
}

nlohmann::ordered_json entry_answer_to_json(const EntryAnswer& answer) {
  const Labels& labels = answer.labels;
  nlohmann::ordered_json entry;
  entry["entry"] = answer.entry;
  entry["reason"] = answer.reason;
  entry["evidence"] = nlohmann::ordered_json::array();
  for (const Evidence& evidence : answer.evidence) entry["evidence"].push_back(evidence_to_json(evidence));
  entry["relevance"] = labels.relevance ? nlohmann::ordered_json(*labels.relevance) : nlohmann::ordered_json(nullptr);
  entry["accuracy"] = label_json(labels.accuracy);
  entry["novelty"] = label_json(labels.novelty);
  entry["influence"] = label_json(labels.influence);
  entry["anchors"] = answer.anchors;
  entry["effect"] = label_json(labels.effect);
  return entry;
}

nlohmann::ordered_json answer_to_json(const Answer& answer) {
  nlohmann::ordered_json document;
  document["entries"] = nlohmann::ordered_json::array();
  for (const EntryAnswer& entry : answer.entries) document["entries"].push_back(entry_answer_to_json(entry));
  return document;
}

}  // namespace memuse::judge
