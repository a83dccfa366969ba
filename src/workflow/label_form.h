#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/episode.h"
#include "model/labels.h"
#include "model/records.h"
#include "model/span.h"

// The files that people fill in with labels (docs/labels-and-agreement.md): names, forms, and what tells whether a form
// was filled in.

namespace memuse::workflow {

/// Version of the folder's layout; stands in `labels.json` and in every form.
inline constexpr std::string_view kLabelFormat = "memuse-labels/1";
inline constexpr const char* kManifestFile = "labels.json";
inline constexpr const char* kSpansFile = "spans.jsonl";
inline constexpr const char* kReadmeFile = "README.txt";
inline constexpr const char* kAnswerFile = "answer.json";

/// Fields of a form's entries that are there for orientation and not read back.
const std::vector<std::string_view>& orientation_fields();

/// Hash of what the labels of a span are about: its entries with their windows. Labels whose hash is another one were
/// made for other spans.
std::string span_content(const Episode& episode, const Span& span);

/// The form of a span, with nothing filled in. A blind one does not name configuration, run and episode.
nlohmann::ordered_json label_form(const EpisodeRecord& record, const Episode& episode, const Span& span, bool blind);

/// True when a form's entry is as it was written.
bool is_blank_entry(const nlohmann::json& entry);

/// Labels of an entry that still hold the empty text of an untouched form, in the order of the form.
std::vector<std::string_view> blank_labels(const nlohmann::json& entry);

/// Names of folders for names that may be anything. Bytes other than ASCII letters, digits, `.`, `_` and `-` become
/// `%XX`, long names end in a hash, and of names that a file system might take for the same (case) the later ones get a
/// number.
class FolderNames {
 public:
  /// The folder for `identity`, whose name is `name`: the same for the same identity, never that of another.
  std::string folder(std::string_view name, std::string_view identity);
  void clear() { taken_.clear(); }

 private:
  std::map<std::string, std::string, std::less<>> taken_;  ///< folder in lower case, identity
};

}  // namespace memuse::workflow
