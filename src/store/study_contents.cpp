#include "store/study_contents.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "model/sha256.h"
#include "store/connection.h"

namespace memuse::store {
namespace {

/// A hash over rows of columns. Every value stands with its length, so that no two lists of rows give the same bytes.
class RowsDigest {
 public:
  void add(const Statement& row, int first, int columns) {
    for (int column = first; column < first + columns; ++column) {
      if (row.is_null(column)) {
        digest_.update("-;");
      } else {
        const std::string value = row.text(column);
        digest_.update(fmt::format("{}:", value.size()));
        digest_.update(value);
      }
    }
    digest_.update("\n");
    ++rows_;
  }
  [[nodiscard]] ContentDigest finish() { return {rows_, digest_.finish_hex()}; }

 private:
  Sha256 digest_;
  std::uint64_t rows_ = 0;
};

ContentDigest digest_of(Statement& rows, int columns) {
  RowsDigest digest;
  while (rows.step()) digest.add(rows, 0, columns);
  return digest.finish();
}

}  // namespace

std::vector<SourceFileRecord> source_files(const Database& database) {
  Statement rows(database.connection(),
                 "SELECT source_path, source_format, source_format_version, source_sha256 FROM episode"
                 " ORDER BY source_path, source_format, source_format_version, source_byte_begin, source_line,"
                 " source_locator, uid");
  std::vector<SourceFileRecord> files;
  std::string hashes;
  const auto finish = [&] {
    if (files.empty()) return;
    SourceFileRecord& file = files.back();
    if (file.episodes == 1) return;
    Sha256 digest;
    digest.update(hashes);
    file.sha256 = digest.finish_hex();
  };
  while (rows.step()) {
    const std::string path = rows.text(0);
    const std::string format = rows.text(1);
    const std::string version = rows.text(2);
    const bool is_same = !files.empty() && std::tie(files.back().path, files.back().format,
                                                    files.back().format_version) == std::tie(path, format, version);
    if (!is_same) {
      finish();
      hashes.clear();
      files.push_back({path, format, version, 0, rows.text(3)});
    }
    ++files.back().episodes;
    hashes += rows.text(3) + "\n";
  }
  finish();
  return files;
}

std::vector<OutcomeSourceRecord> outcome_sources(const Database& database) {
  Statement rows(database.connection(),
                 "SELECT found, source, task_id, configuration, run, resolved, reward FROM outcome"
                 " ORDER BY found, source, task_id, configuration, run, resolved, reward");
  std::map<std::pair<bool, std::string>, RowsDigest> digests;
  while (rows.step()) digests[{rows.boolean(0), rows.text(1)}].add(rows, 2, 5);
  std::vector<OutcomeSourceRecord> sources;
  for (auto& [key, digest] : digests) sources.push_back({key.second, key.first, digest.finish()});
  return sources;
}

ContentDigest probes_digest(const Database& database) {
  Statement rows(database.connection(), "SELECT uid, probe FROM episode WHERE probe IS NOT NULL ORDER BY uid");
  return digest_of(rows, 2);
}

ContentDigest answers_digest(const Database& database, std::int64_t judgement_set) {
  Statement rows(database.connection(),
                 "SELECT e.uid, a.span, a.entry, a.relevance, a.accuracy, a.novelty, a.influence, a.effect,"
                 " a.first_anchor FROM judged_entry AS a JOIN episode AS e ON e.id = a.episode_id WHERE a.set_id = ?"
                 " ORDER BY e.uid, a.span, a.entry");
  rows.bind(judgement_set);
  return digest_of(rows, 9);
}

std::vector<StudyRunRecord> study_runs(const Database& database) {
  Statement rows(database.connection(),
                 "SELECT configuration, run, count(*), total(retained) FROM episode GROUP BY configuration, run"
                 " ORDER BY configuration, run");
  std::vector<StudyRunRecord> runs;
  while (rows.step()) runs.push_back({rows.text(0), rows.text(1), rows.count(2), rows.count(3)});
  return runs;
}

}  // namespace memuse::store
