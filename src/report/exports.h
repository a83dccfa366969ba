#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/records.h"
#include "rules/profile.h"

// Flat exports: one row per thing, the same columns in the same order in every row (schemas/*-export-1.schema.json; the
// span rows: trace-format.md, "Span export").

namespace memuse::report {

using Json = nlohmann::ordered_json;

enum class ExportKind : std::uint8_t { spans, entries, deliveries, episodes };
enum class ExportFormat : std::uint8_t { jsonl, csv };

[[nodiscard]] std::optional<ExportKind> parse_export_kind(std::string_view name);
[[nodiscard]] std::optional<ExportFormat> parse_export_format(std::string_view name);

/// Column names of a kind, in order; the keys of its rows.
[[nodiscard]] const std::vector<std::string>& export_columns(ExportKind kind);

/// Rows of one episode. `judge` names the judgement set behind the labels. Spans come in the order of their numbers,
/// their entries and deliveries likewise, then the unconsumed deliveries.
[[nodiscard]] std::vector<Json> export_rows(ExportKind kind, const EpisodeSpansRecord& record,
                                            const std::string& judge);

/// One row per configuration (`run` null) followed by one per run.
[[nodiscard]] std::vector<Json> profile_rows(const rules::StudyProfile& study, const std::string& judge);
[[nodiscard]] const std::vector<std::string>& profile_columns_exported();

/// The order of exports: configuration, run, position (episodes without one last), episode.
[[nodiscard]] bool export_before(const EpisodeRecord& a, const EpisodeRecord& b);

/// Writes rows to a stream. JSON Lines keep every text as it is (invalid UTF-8 becomes U+FFFD). CSV has a header line,
/// nested lists as JSON text in a cell, nothing for null, and texts made safe for spreadsheets and terminals.
class RowWriter {
 public:
  /// `out` must outlive the writer. The header line of CSV is written at once.
  RowWriter(std::ostream& out, ExportFormat format, std::vector<std::string> columns);
  void write(const Json& row);

 private:
  std::ostream& out_;
  ExportFormat format_;
  std::vector<std::string> columns_;
};

/// Exports of one kind, fed with episodes in the order of `export_before`.
class ExportWriter {
 public:
  ExportWriter(std::ostream& out, ExportKind kind, ExportFormat format, std::string judge);
  void add(const EpisodeSpansRecord& record);

 private:
  ExportKind kind_;
  std::string judge_;
  RowWriter rows_;
};

void write_profiles(std::ostream& out, const rules::StudyProfile& study, const std::string& judge, ExportFormat format);

/// Pieces that the JSON forms of `show` share with the exports.
[[nodiscard]] Json labels_json(const EntryAnswer& answer, const std::string& judge);
[[nodiscard]] Json evidence_json(const std::vector<Evidence>& evidence);
template <typename Value>
[[nodiscard]] Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}
[[nodiscard]] inline Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace memuse::report
